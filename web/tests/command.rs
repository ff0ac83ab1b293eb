//! The page asks for what its command line asks for.

use std::fmt::Write;

use clap::Parser;
use serde_json::{Value, json};
use srfm_cli::command::fit::{Args, request};
use srfm_web::Wanted;

use crate::{Listener, ask, example, model, opened};

/// A log with time stamps, a category, a group, gaps and a column of text.
fn log() -> String {
    let mut text = "time;flow;mode;heat;device;note;power\n".to_owned();
    for row in 0..120 {
        let (flow, mode, heat) =
            (f64::from(row * 37 % 101) / 10.0, ["idle", "run"][row as usize / 5 % 2], row * 53 % 97);
        let power = 3.0 * flow + f64::from(heat) / 4.0 + if mode == "run" { 8.0 } else { 0.0 };
        let heat = if row == 11 { String::new() } else { heat.to_string() };
        let comma = |value: f64| format!("{value:.1}").replace('.', ",");
        let (hour, minute) = (row / 60, row % 60);
        writeln!(
            text,
            "2026-03-01T{hour:02}:{minute:02};{};{mode};{heat};d{};n {row};{}",
            comma(flow),
            row / 20,
            comma(power)
        )
        .unwrap();
    }
    text
}

/// The options of `srfm fit`.
#[derive(clap::Parser)]
struct Fit {
    #[command(flatten)]
    args: Args,
}

/// Searches with settings, whose request is that of their command line, and returns the answer.
fn found(text: &str, settings: &Value) -> Value {
    let wanted: Wanted = serde_json::from_value(settings.clone()).unwrap();
    let Fit { args } = Fit::parse_from(wanted.arguments());
    let of_command = request(&args).unwrap_or_else(|_| panic!("{}", wanted.command()));
    assert_eq!(wanted.request().unwrap(), of_command, "{}", wanted.command());
    let mut session = opened(&wanted.file, text.as_bytes());
    let page = Listener::default();
    let found = ask(&mut session, json!({ "call": "search", "wanted": settings }), &page).unwrap();
    assert!(!page.heard("tried").is_empty() && !page.heard("progress").is_empty());
    assert!(model(&found).len() as u64 == found["model"]["flash_bytes"].as_u64().unwrap());
    for layout in ["header", "arduino", "platformio", "zephyr", "esp-idf", "cmake"] {
        let call = json!({ "call": "export", "name": "log", "layout": layout });
        let files = ask(&mut session, call, &page).unwrap()["files"].clone();
        assert!(files[0][1].as_str().unwrap().contains("log_predict"), "{layout}");
    }
    found
}

#[test]
fn the_example_gives_a_model_and_its_report() {
    let settings = json!({
        "file": "pressure.csv", "target": "pressure_hpa", "flash": 400, "effort": 0.1, "holdout": 20,
        "core": "cortex-m4f",
    });
    let found = found(&example(), &settings);
    assert!(found["holdout"]["rmse"].is_number() && found["search"]["front"].as_array().unwrap().len() > 1);
    assert!(found["content"].as_str().unwrap().contains("Responses"));
}

#[test]
fn logs_have_every_kind_of_column() {
    let columns = json!({
        "file": "log.csv", "target": "power", "ignored": ["note", "device"], "categories": ["mode"], "time": "time",
        "missing": "drop", "comma": true, "effort": 0.1, "flash": 600,
    });
    let with = |more: Value| {
        let mut settings = columns.clone();
        settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        settings
    };
    let lags = found(&log(), &with(json!({ "lags": [["flow", [0, 1, 2]]], "split": "forward", "holdout": 25 })));
    assert!(lags["inputs"].as_array().unwrap().iter().any(|input| input["name"] == "flow lag 2"));
    let windows = json!({ "window": 10, "step": 2, "categories": [], "ignored": ["note", "mode"], "group": "device" });
    let windows = found(&log(), &with(windows));
    assert!(windows["inputs"].as_array().unwrap().iter().any(|input| input["name"] == "heat band 4"));
    let groups = json!({
        "ignored": ["note"], "group": "device", "folds": 3, "program": true, "smooth": true, "instructions": 900,
    });
    found(&log(), &with(groups));
    let classes =
        json!({ "target": "mode", "classes": true, "categories": [], "missing": "mean", "core": "cortex-m0" });
    assert_eq!(found(&log(), &with(classes))["classes"], json!(["idle", "run"]));
}

#[test]
fn lines_of_python_name_the_settings() {
    let settings = json!({ "file": "a b.csv", "target": "y", "flash": 300, "ignored": ["n"], "core": "cortex-m0" });
    let wanted: Wanted = serde_json::from_value(settings).unwrap();
    let python = wanted.python();
    for part in
        ["SrfmRegressor(flash=300, core=\"cortex-m0\", random_state=1)", "columns=[\"n\", \"y\"]", "\"a b.srfm\""]
    {
        assert!(python.contains(part), "{python}");
    }
    let command = "srfm fit 'a b.csv' --target y --ignore n --core cortex-m0 --flash 300 -o 'a b.srfm'";
    assert_eq!(wanted.command(), command);
    let log = json!({
        "file": "log.csv", "target": "y", "time": "t", "group": "device", "missing": "drop", "split": "forward",
        "lags": [["flow", [0, 2]], ["heat", [1]]],
    });
    let log: Wanted = serde_json::from_value(log).unwrap();
    let settings = r#"lags={"flow": [0, 2], "heat": [1]}, cv="forward", missing="drop", random_state=1"#;
    let fit = r#"drop(columns=["y", "device", "t"]), rows["y"], groups=rows["device"], time=rows["t"])"#;
    assert!(log.python().contains(settings) && log.python().contains(fit), "{}", log.python());
    let windows = Wanted { lags: Vec::new(), window: Some(64), step: Some(16), ..log };
    assert!(windows.python().contains("SrfmRegressor(window=64, step=16, cv="), "{}", windows.python());
    let held_out = Wanted { holdout: Some(20.0), ..wanted };
    assert!(held_out.python().contains("subprocess.run([\"srfm\", \"fit\", \"a b.csv\","));
}
