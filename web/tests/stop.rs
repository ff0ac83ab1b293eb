//! Searches that the user stops, predictions and refused calls.

use serde_json::json;
use srfm_web::Session;

use crate::{Listener, ask, example, model, opened};

#[test]
fn a_stopped_search_ends_with_the_best_of_its_candidates() {
    let rows = example();
    let wanted = json!({ "file": "pressure.csv", "target": "pressure_hpa", "flash": 500, "effort": 0.5 });
    let page = Listener::default();
    let mut session = opened("pressure.csv", rows.as_bytes());
    let whole = ask(&mut session, json!({ "call": "search", "wanted": wanted }), &page).unwrap();
    let kept: Vec<_> = page.heard("kept").iter().map(|event| event["state"].clone()).collect();
    assert!(kept.len() > 4);
    let stopped = |states: usize| {
        let call = json!({ "call": "search", "wanted": wanted, "kept": &kept[..states] });
        ask(&mut opened("pressure.csv", rows.as_bytes()), call, &Listener::default()).unwrap()
    };
    let tried = |found: &serde_json::Value| found["search"]["tried"].as_u64().unwrap();
    // The less a search has seen, the fewer its candidates. There is a model even without any.
    let found = [0, 2, kept.len() - 2].map(stopped);
    assert!(
        found.iter().map(tried).is_sorted() && tried(&found[2]) < tried(&whole),
        "{:?}",
        found.each_ref().map(tried)
    );
    assert!(found.iter().all(|found| found["search"]["complete"] == false && model(found).len() <= 500));
    let methods: Vec<_> = page.heard("tried").iter().map(|event| event["method"].clone()).collect();
    assert!(methods.contains(&json!("linear")) && methods.contains(&found[2]["search"]["chosen"]["method"]));
}

#[test]
fn predictions_have_the_bits_of_the_device() {
    let mut session = opened("pressure.csv", example().as_bytes());
    let page = Listener::default();
    let predict = json!({ "call": "predict", "readings": [1200, 2100] });
    assert_eq!(ask(&mut session, predict.clone(), &page).unwrap_err(), "there is no model yet");
    let wanted = json!({ "file": "pressure.csv", "target": "pressure_hpa", "flash": 300, "effort": 0.05 });
    ask(&mut session, json!({ "call": "search", "wanted": wanted }), &page).unwrap();
    let answer = ask(&mut session, predict, &page).unwrap();
    let output = answer["outputs"][0].as_f64().unwrap() as f32;
    assert_eq!(answer["bits"][0], format!("{:08x}", output.to_bits()));
    assert_eq!(answer["outside"], 0);
    let few = json!({ "call": "predict", "readings": [1] });
    assert_eq!(ask(&mut session, few, &page).unwrap_err(), "the model takes 2 readings, not 1");
}

#[test]
fn problems_name_the_labels_of_the_page() {
    let page = Listener::default();
    let mut session = Session::new();
    let search = |settings| json!({ "call": "search", "wanted": settings });
    assert_eq!(ask(&mut session, search(json!({})), &page).unwrap_err(), "no file is open");
    let mut session = opened("log.csv", b"a,b,y\n1,,2\n3,4,5\n4,5,6\n");
    let said = ask(&mut session, search(json!({ "target": "y" })), &page).unwrap_err();
    assert!(said.contains("“Missing values”: drop"), "{said}");
    let said = ask(&mut session, search(json!({ "target": "z" })), &page).unwrap_err();
    assert!(said.contains("no column is called \"z\""), "{said}");
    assert!(ask(&mut session, json!({ "call": "sing" }), &page).unwrap_err().starts_with("the call is not understood"));
}
