//! Models that tell novel rows from normal ones.

use std::f64::consts::TAU;

use super::{failure, folder_with, json, run};

/// Rows on a ring around the origin, their columns `x` and `y`. Radii do not depend on angles: a search would learn
/// that, and find rows of another start novel.
fn ring(rows: usize, start: f64) -> String {
    let fraction = |value: f64| value - value.floor();
    let row = |i: usize| {
        let angle = fraction(start + i as f64 * 0.618_034) * TAU;
        let random = fraction((12.9898 * i as f64 + 78.233 * start).sin() * 43_758.545_3);
        let radius = 1.0 + 0.1 * (2.0 * random - 1.0);
        format!("{:.5},{:.5}\n", radius * angle.cos(), radius * angle.sin())
    };
    "x,y\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

/// The rows with a label each, and as many in the middle of the ring.
fn mixed(rows: usize) -> String {
    let normal = ring(rows, 0.3);
    let normal = normal.lines().skip(1).map(|line| format!("{line},normal\n"));
    let middle = |i: usize| format!("{:.5},{:.5},novel\n", 0.3 * (i as f64).sin(), 0.3 * (1.3 * i as f64).cos());
    "x,y,novelty\n".to_owned() + &normal.chain((0..rows).map(middle)).collect::<String>()
}

#[test]
fn the_whole_path_of_novelty() {
    let folder = folder_with(&[
        ("log.csv", ring(500, 0.0).as_bytes()),
        ("fresh.csv", ring(1000, 0.5).as_bytes()),
        ("mixed.csv", mixed(200).as_bytes()),
        ("gap.csv", b"x,y\n1,0\n,0\n0,0\n"),
    ]);
    let fit = json(&folder, "fit log.csv --task novelty --false-alarms 5% --flash 1k --effort 0.5 --seed 2 -o m.srfm");
    assert_eq!(fit["false_alarms"]["level"], 0.05);
    assert_eq!(fit["false_alarms"]["rows"], 125);
    assert!(fit["false_alarms"]["found"].as_u64().unwrap() <= 6, "{fit}");
    assert_eq!(fit["training"]["classes"], serde_json::json!(["normal", "novel"]));
    let bytes = fit["model"]["flash_bytes"].as_u64().unwrap();
    assert!(bytes <= 1024, "{bytes}");

    let evaluate = json(&folder, "evaluate m.srfm mixed.csv");
    // Distances from the centre give an area near 0.
    assert!(evaluate["auc"].as_f64().unwrap() > 0.97, "{evaluate}");
    assert!(evaluate["accuracy"].as_f64().unwrap() > 0.85, "{evaluate}");
    let fresh = String::from_utf8(run(&folder, "predict m.srfm fresh.csv").stdout).unwrap();
    let novel = fresh.lines().filter(|line| *line == "novel").count();
    // At most 50 are expected. The threshold by 125 rows has a standard error of 0.02, the count one of 0.007.
    assert!(novel < 50 + 60, "{novel}");
    let gap = String::from_utf8(run(&folder, "predict m.srfm gap.csv --missing drop").stdout).unwrap();
    assert_eq!(gap, "novelty\nnormal\n\"\"\nnovel\n");
    let shown = run(&folder, "fit log.csv --task novelty --false-alarms 5% --method linear --lambda 1 --report p.html");
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(
        shown.contains("false alarms  at most 5 % of fresh normal rows; of 125 rows that set the threshold, "),
        "{shown}"
    );
}

#[test]
fn integers_and_programs_keep_the_budget() {
    let folder = folder_with(&[("log.csv", ring(300, 0.0).as_bytes())]);
    for options in ["--core cortex-m0 --flash 400", "--deploy c --flash 900", "--method harfe --flash 300"] {
        let limit: u64 = options.rsplit(' ').next().unwrap().parse().unwrap();
        let effort = if options.contains("--method") { "" } else { "--effort 0.2 " };
        let fit = json(&folder, &format!("fit log.csv --task novelty --false-alarms 5% {effort}{options} -o m.srfm"));
        let taken =
            if fit["program"].is_null() { &fit["model"]["flash_bytes"] } else { &fit["program"]["flash_bytes"] };
        assert!(taken.as_u64().unwrap() <= limit, "{options}: {taken}");
        let c = run(&folder, "export m.srfm --c m.h");
        assert!(c.status.success(), "{}", String::from_utf8_lossy(&c.stderr));
    }
}

#[test]
fn the_bytes_do_not_depend_on_the_threads() {
    let folder = folder_with(&[("log.csv", ring(300, 0.0).as_bytes())]);
    let bytes = |threads: usize| {
        let fit = "fit log.csv --task novelty --false-alarms 5% --effort 0.3 --flash 512 -o m.srfm";
        json(&folder, &format!("{fit} --threads {threads}"));
        std::fs::read(folder.path().join("m.srfm")).unwrap()
    };
    assert_eq!(bytes(1), bytes(2));
}

#[test]
fn what_has_no_meaning_is_refused_in_one_sentence() {
    let constant = "x,y\n".to_owned() + &"1,2\n".repeat(300);
    let missing = "x,y\n".to_owned() + &",\n".repeat(300);
    let folder = folder_with(&[
        ("log.csv", ring(300, 0.0).as_bytes()),
        ("one.csv", b"x,y\n1,2\n"),
        ("constant.csv", constant.as_bytes()),
        ("missing.csv", missing.as_bytes()),
    ]);
    let alike = "--task novelty takes all rows as normal and alike; leave out";
    let few = "one.csv: 1 row is too few for a model of novelty and its share of false alarms, which takes at least \
               198; add rows, or raise --false-alarms";
    let constant = "constant.csv: every input has the same value in every row; there is nothing to fit from";
    for (code, arguments, expected) in [
        (2, "log.csv --task novelty --target y", &*format!("{alike} --target")),
        (2, "log.csv --task novelty --labels one.csv", &format!("{alike} --labels")),
        (2, "log.csv --task novelty --class-weight balanced", &format!("{alike} --class-weight")),
        (2, "log.csv --task novelty --confidence 95%", &format!("{alike} --confidence")),
        (2, "log.csv --task novelty --weight y", &format!("{alike} --weight")),
        (2, "log.csv --false-alarms 1%", "--false-alarms is for --task novelty only; add that, or leave it out"),
        (2, "log.csv --task novelty --false-alarms 0", "--false-alarms must be between 0 and 1, not 0"),
        (1, "one.csv --task novelty", few),
        (1, "constant.csv --task novelty", constant),
        (1, "missing.csv --task novelty", "missing.csv has no values in the columns x, y; add --ignore x,y"),
    ] {
        assert_eq!(failure(&folder, &format!("fit {arguments}")), (code, format!("srfm: {expected}\n")));
    }
}

#[test]
fn labels_are_no_input_and_folds_of_scores_are_random() {
    let folder = folder_with(&[("mixed.csv", mixed(400).replace("novel\n", "normal\n").as_bytes())]);
    let fit = json(&folder, "fit mixed.csv --task novelty --split forward --method linear --lambda 1 -o m.srfm");
    assert_eq!(fit["model"]["inputs"], 2, "{fit}");
    assert_eq!((&fit["split"], &fit["metric"]), (&"random".into(), &serde_json::Value::Null), "{fit}");
    assert_eq!(fit["residual_autocorrelation"], serde_json::Value::Null);
    assert_eq!(fit["false_alarms"]["alike"], false);
    let (code, refused) = failure(&folder, "fit mixed.csv --task novelty --metric log-loss");
    assert_eq!(code, 2);
    assert!(refused.contains("takes all rows as normal and alike; leave out --metric"), "{refused}");
}
