//! Classification from labels to decisions.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use super::{failure, folder_with, json, run};

/// `rows` rows about three centres, the class in the last column.
fn flowers(rows: usize, names: [&str; 3]) -> String {
    let wobble = |i: usize, by: f64| (i as f64 * by).sin() * 0.8;
    let row = |i: usize| {
        let (class, centre) = (i % 3, [(0.0, 0.0), (3.0, 0.5), (1.0, 3.0)][i % 3]);
        format!("{},{},{}\n", centre.0 + wobble(i, 1.7), centre.1 + wobble(i, 2.9), names[class])
    };
    "length,width,species\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

const NAMES: [&str; 3] = ["setosa", "versicolor", "virginica"];

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect()
}

#[test]
fn the_whole_path_for_classes() {
    let text = flowers(300, NAMES);
    let inputs: String = text.lines().map(|line| line.rsplit_once(',').unwrap().0.to_owned() + "\n").collect();
    let folder = folder_with(&[("f.csv", text.as_bytes()), ("inputs.csv", inputs.as_bytes())]);
    let fit = json(&folder, "fit f.csv --method harfe --task classification --max-features 20 --holdout 0.3 -o m.srfm");
    for part in ["training", "holdout"] {
        assert_eq!(fit[part]["classes"], serde_json::json!(NAMES));
        assert!(fit[part]["accuracy"].as_f64().unwrap() > 0.95, "{fit}");
        assert!(fit[part]["rmse"].is_null());
    }
    // Each class gives its share of the rows that are kept apart.
    let tested: Vec<u64> =
        fit["holdout"]["confusion"].as_array().unwrap().iter().map(|r| numbers(r).iter().sum()).collect();
    assert_eq!(tested, [30, 30, 30]);
    assert!(fit["cross_validated_error_rate"].as_f64().unwrap() < 0.05);
    assert_eq!(fit["model"]["outputs"], 3);

    let evaluate = json(&folder, "evaluate m.srfm f.csv");
    assert_eq!((&evaluate["rows"], &evaluate["classes"]), (&300.into(), &serde_json::json!(NAMES)));
    let confusion: Vec<Vec<u64>> = evaluate["confusion"].as_array().unwrap().iter().map(numbers).collect();
    let right: u64 = (0..3).map(|class| confusion[class][class]).sum();
    assert_eq!(evaluate["accuracy"], right as f64 / 300.0);
    assert_eq!(evaluate["error_rate"], (300 - right) as f64 / 300.0);
    assert_eq!(evaluate["recall"][1], confusion[1][1] as f64 / 100.0);
    let shown = String::from_utf8(run(&folder, "evaluate m.srfm f.csv").stdout).unwrap();
    assert!(shown.contains("accuracy") && shown.contains("virginica") && shown.contains("recall"), "{shown}");

    // Predictions are names, by the largest score; they count up to the confusion matrix.
    let predict = json(&folder, "predict m.srfm f.csv -o p.csv");
    assert_eq!(predict["classes"], serde_json::json!(NAMES));
    let printed = fs::read_to_string(folder.path().join("p.csv")).unwrap();
    let mut counted = vec![vec![0; 3]; 3];
    for (row, (decided, line)) in printed.lines().zip(text.lines()).enumerate().skip(1) {
        let class = |name: &str| NAMES.iter().position(|n| *n == name).unwrap();
        let scores = predict["scores"][row - 1].as_array().unwrap();
        let score = |class: usize| scores[class].as_f64().unwrap();
        assert!((0..3).all(|other| score(other) <= score(class(decided))));
        assert_eq!(predict["predictions"][row - 1], decided);
        counted[class(line.rsplit(',').next().unwrap())][class(decided)] += 1;
    }
    assert_eq!(counted, confusion);
    assert_eq!(printed.lines().next(), Some("species"));
    let alone = String::from_utf8(run(&folder, "predict m.srfm inputs.csv").stdout).unwrap();
    assert_eq!(alone, printed, "a target column makes no difference");
    probabilities_are_those_of_the_figures(&folder, &text, &evaluate);
}

/// Compares log loss and Brier score with those of the probabilities that `predict` writes.
fn probabilities_are_those_of_the_figures(folder: &TempDir, text: &str, evaluate: &Value) {
    let written = String::from_utf8(run(folder, "predict m.srfm f.csv --probabilities").stdout).unwrap();
    let mut lines = written.lines();
    let titles = "species,probability of setosa,probability of versicolor,probability of virginica";
    assert_eq!(lines.next(), Some(titles));
    let (mut loss, mut squares) = (0.0, 0.0);
    for (line, row) in lines.zip(text.lines().skip(1)) {
        let fields: Vec<&str> = line.split(',').collect();
        let shares: Vec<f64> = fields[1..].iter().map(|share| share.parse().unwrap()).collect();
        let place = |name: &str| NAMES.iter().position(|known| *known == name).unwrap();
        let class = place(row.rsplit(',').next().unwrap());
        assert!(shares.iter().all(|&share| share <= shares[place(fields[0])]), "{line}");
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{line}");
        loss -= shares[class].ln() / 300.0;
        squares +=
            (0..3).map(|other| (shares[other] - f64::from(u8::from(other == class))).powi(2)).sum::<f64>() / 300.0;
    }
    assert!((evaluate["log_loss"].as_f64().unwrap() - loss).abs() < 1e-6, "{loss} {evaluate}");
    assert!((evaluate["brier"].as_f64().unwrap() - squares).abs() < 1e-6, "{squares} {evaluate}");
    assert!(loss < 0.2, "{loss}");
}

#[test]
fn every_method_classifies() {
    let folder = folder_with(&[("f.csv", flowers(150, NAMES).as_bytes())]);
    for method in ["harfe", "shrimp", "srfe", "fourier", "min-norm"] {
        let arguments = format!("fit f.csv --task classification --method {method} --max-features 15 --holdout 0.3");
        let fit = json(&folder, &arguments);
        assert!(fit["holdout"]["accuracy"].as_f64().unwrap() > 0.9, "{method}: {}", fit["holdout"]);
    }
}

#[test]
fn two_classes_share_a_score_and_numbers_are_names() {
    let rows: String = (0..80).map(|i| format!("{},{},{}\n", i % 9, i % 7, u8::from(i % 9 > 4))).collect();
    let folder =
        folder_with(&[("bits.csv", rows.as_bytes()), ("floats.csv", rows.replace(",1\n", ",1.0\n").as_bytes())]);
    let fit = json(&folder, "fit bits.csv --method harfe --task classification --max-features 10 -o m.srfm");
    assert_eq!((&fit["model"]["outputs"], &fit["training"]["classes"]), (&1.into(), &serde_json::json!(["0", "1"])));
    assert_eq!(fit["training"]["accuracy"], 1.0);
    // Another spelling of the same number is the same class.
    assert_eq!(json(&folder, "evaluate m.srfm floats.csv"), json(&folder, "evaluate m.srfm bits.csv"));
    let predict = json(&folder, "predict m.srfm bits.csv");
    for row in 0..80 {
        let second = predict["scores"][row][0].as_f64().unwrap() > 0.5;
        assert_eq!(predict["predictions"][row], if second { "1" } else { "0" });
    }
    // Without the task they are numbers.
    assert!(json(&folder, "fit bits.csv --method harfe --max-features 10")["training"]["rmse"].is_number());
}

#[test]
fn labels_without_a_header_and_with_separators_in_them() {
    let named = flowers(120, ["\"big, red\"", "small", "blue"]);
    let bare = named.split_once('\n').unwrap().1;
    let folder = folder_with(&[("named.csv", named.as_bytes()), ("bare.csv", bare.as_bytes())]);
    let fit = |file: &str| {
        json(&folder, &format!("fit {file} --method harfe --task classification --max-features 8 -o m.srfm"))
    };
    assert_eq!(fit("named.csv")["training"], fit("bare.csv")["training"]);
    assert_eq!(fit("bare.csv")["rows"], 120);
    let printed = String::from_utf8(run(&folder, "predict m.srfm named.csv").stdout).unwrap();
    assert_eq!(printed.lines().nth(1), Some("\"big, red\""));
}

#[test]
fn images_come_with_a_file_of_labels() {
    // 8 by 8 pixels; the brighter half names the class.
    let pixel = |image: usize, at: usize| {
        let bright = image.is_multiple_of(2) == (at % 8 < 4);
        ((image * 37 + at * 11) % 60) as u8 + if bright { 150 } else { 20 }
    };
    let pixels: Vec<u8> = (0..90 * 64).map(|i| pixel(i / 64, i % 64)).collect();
    let images = [&[0, 0, 8, 3, 0, 0, 0, 90, 0, 0, 0, 8, 0, 0, 0, 8][..], &pixels].concat();
    let labels: Vec<u8> = [0, 0, 8, 1, 0, 0, 0, 90].into_iter().chain((0..90).map(|i| 3 + 4 * (i % 2))).collect();
    let folder = folder_with(&[("images", &images), ("labels", &labels), ("few", &labels[..90])]);
    let fit = "fit images --method harfe --labels labels --task classification --terms intercept --max-features 10";
    let document = json(&folder, &format!("{fit} --test images --test-labels labels -o m.srfm"));
    assert_eq!(document["scaling"], "common");
    assert_eq!(
        (&document["holdout"]["accuracy"], &document["holdout"]["classes"]),
        (&1.0.into(), &serde_json::json!(["3", "7"]))
    );
    assert_eq!(json(&folder, &format!("{fit} --scaling standard"))["scaling"], "standard");
    assert_eq!(json(&folder, "evaluate m.srfm images --labels labels")["accuracy"], 1.0);
    let printed = String::from_utf8(run(&folder, "predict m.srfm images --labels labels").stdout).unwrap();
    assert!(printed.starts_with("target\n3\n7\n3\n"), "{printed}");
    assert!(run(&folder, "predict m.srfm images").stdout.starts_with(b"target\n3\n"));

    let cases = [
        ("fit images --task classification", "images: holds inputs alone; name the file of targets with --labels"),
        ("evaluate m.srfm images", "--labels"),
        ("evaluate m.srfm images --labels few", "few: the header announces 90 values, 90 bytes, but 82 follow"),
        ("evaluate m.srfm labels --labels images", "labels: 1 column, but the model takes 64 inputs"),
        ("fit labels --labels images --task classification", "64 target columns, but classes are in one"),
    ];
    for (arguments, expected) in cases {
        let (code, said) = failure(&folder, arguments);
        assert!(code == 1 && said.contains(expected), "{arguments}: {said}");
    }
}

#[test]
fn rare_classes_and_many_classes() {
    // One row of a class far from the others, and 200 classes of which one has a single row.
    let rare = flowers(99, NAMES) + "9,9,unique\n";
    let cell = |i: usize| format!("{},{},c{}\n", i % 20, i / 20 % 10, i % 200);
    let many: String = (0..1000).map(cell).chain(["30,30,single\n".to_owned()]).collect();
    let folder = folder_with(&[("rare.csv", rare.as_bytes()), ("many.csv", many.as_bytes())]);

    let fit = json(&folder, "fit rare.csv --method harfe --task classification --max-features 10 --holdout 0.25");
    assert_eq!(fit["training"]["classes"], serde_json::json!(["setosa", "unique", "versicolor", "virginica"]));
    // The single row is fitted, not tested on, and the classes beside it are told apart all the same.
    assert_eq!(numbers(&fit["holdout"]["confusion"][1]), [0, 0, 0, 0]);
    assert_eq!(fit["holdout"]["recall"][1], Value::Null);
    assert!(fit["holdout"]["accuracy"].as_f64().unwrap() > 0.9, "{fit}");

    let fit =
        json(&folder, "fit many.csv --method harfe --task classification --max-features 60 --lambda 1e-3 -o m.srfm");
    assert_eq!((&fit["model"]["outputs"], fit["training"]["confusion"].as_array().unwrap().len()), (&201.into(), 201));
    assert!(fit["training"]["accuracy"].as_f64().unwrap() > 0.3, "{}", fit["training"]["accuracy"]);
    let text = String::from_utf8(run(&folder, "evaluate m.srfm many.csv").stdout).unwrap();
    assert!(text.contains("classes       201") && text.lines().count() < 7, "{text}");
}

#[test]
fn labels_that_cannot_be_used_are_named() {
    let text = flowers(60, NAMES);
    let with = |line: usize, label: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines[line - 1] = format!("1,2,{label}");
        lines.join("\n")
    };
    let distinct: String = (0..1500).map(|i| format!("{},{i}.5\n", i % 7)).collect();
    let folder = folder_with(&[
        ("f.csv", text.as_bytes()),
        ("gap.csv", with(7, "").as_bytes()),
        ("nan.csv", with(9, "NaN").as_bytes()),
        ("new.csv", with(11, "rose").as_bytes()),
        ("one.csv", text.replace("versicolor", "setosa").replace("virginica", "setosa").as_bytes()),
        ("warm.csv", text.replacen("length", "warm", 1).replacen("\n0", "\nwarm", 1).as_bytes()),
        ("distinct.csv", distinct.as_bytes()),
        ("singles.csv", b"1,a\n2,b\n3,c\n4,d\n5,e\n6,f\n"),
    ]);
    let cases: [(&str, &[&str]); 10] = [
        ("fit f.csv", &["f.csv, line 2, column \"species\"", "\"setosa\" is not a number", "--task classification"]),
        ("fit gap.csv --task classification", &["gap.csv, line 7, column \"species\"", "missing"]),
        ("fit nan.csv --task classification", &["nan.csv, line 9", "\"NaN\" is not finite"]),
        ("fit one.csv --task classification", &["one.csv", "\"setosa\"", "two classes"]),
        ("fit distinct.csv --task classification", &["1500 different labels", "1000", "--task"]),
        (
            "fit f.csv --method harfe --task classification --target species --test new.csv",
            &["new.csv, line 11", "\"rose\"", "setosa"],
        ),
        (
            "fit warm.csv --method harfe --task classification",
            &["warm.csv, line 2, column \"warm\"", "not a number; correct the cell"],
        ),
        ("fit singles.csv --task classification --holdout 0.5", &["no class has a second row"]),
        ("fit f.csv --task classification --target width --target species", &["2 target columns", "in one"]),
        ("fit f.csv --task magic", &["regression", "classification"]),
    ];
    for (place, (arguments, expected)) in cases.iter().enumerate() {
        let (code, said) = failure(&folder, &format!("{arguments} --max-features 5"));
        // The last two are wrong whatever the file holds.
        assert_eq!(code, if place + 2 < cases.len() { 1 } else { 2 }, "{arguments}: {said}");
        for part in *expected {
            assert!(said.contains(part), "{arguments}: {said:?} should name {part:?}");
        }
    }
    // Labels in columns that are not looked at do not matter.
    assert!(run(&folder, "fit f.csv --method harfe --task classification --max-features 5 -o m.srfm").status.success());
    assert!(run(&folder, "predict m.srfm new.csv").status.success());
    let (_, said) = failure(&folder, "evaluate m.srfm new.csv");
    assert!(said.contains("\"rose\" does not occur"), "{said}");
}

#[test]
fn a_model_and_a_device_know_the_names_of_the_classes() {
    let folder = folder_with(&[("f.csv", flowers(150, NAMES).as_bytes())]);
    json(&folder, "fit f.csv --task classification --method fourier --max-features 9 -o m.srfm");
    assert_eq!(json(&folder, "inspect m.srfm")["classes"], serde_json::json!(NAMES));
    let shown = String::from_utf8(run(&folder, "inspect m.srfm").stdout).unwrap();
    assert!(shown.contains("setosa, versicolor, virginica"), "{shown}");
    let output = run(&folder, "device m.srfm f.csv --rows 40 --json");
    if !output.status.success() {
        return srfm_testing::skip(&String::from_utf8_lossy(&output.stderr));
    }
    let device: Value = serde_json::from_slice(&output.stdout).unwrap();
    let predict = json(&folder, "predict m.srfm f.csv");
    assert_eq!((&device["bit_exact"], &device["classes"]), (&true.into(), &predict["classes"]));
    for row in 0..40 {
        assert_eq!(device["predictions"][row], predict["predictions"][row]);
        assert_eq!(device["scores"][row], predict["scores"][row]);
    }
}

/// Rows of two classes that overlap, one of them rare.
fn overlapping(rows: usize, phase: f64) -> String {
    let row = |i: usize| {
        let uniform = |by: f64| (i as f64 * by + phase).fract();
        let rare = uniform(0.618_033_988_7) < 0.2;
        let x = uniform(0.414_213_562_4) + uniform(0.732_050_807_6) + if rare { 0.6 } else { 0.0 };
        format!("{x},{}\n", if rare { "fault" } else { "good" })
    };
    "x,state\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

#[test]
fn weights_move_the_border_and_confidence_leaves_rows_without_a_class() {
    let folder =
        folder_with(&[("log.csv", overlapping(600, 0.1).as_bytes()), ("next.csv", overlapping(2000, 0.7).as_bytes())]);
    let fit = "fit log.csv --task classification --test next.csv --method linear";
    let plain = json(&folder, fit);
    let balanced = json(&folder, &format!("{fit} --class-weight balanced"));
    let weighted = json(&folder, &format!("{fit} --class-weight fault=40"));
    let recall = |fit: &Value| fit["holdout"]["recall"][0].as_f64().unwrap();
    let even = |fit: &Value| fit["holdout"]["balanced_accuracy"].as_f64().unwrap();
    assert!(recall(&plain) + 0.15 < recall(&balanced) && recall(&balanced) + 0.05 < recall(&weighted));
    assert!(even(&balanced) > even(&plain) + 0.05, "{} and {}", even(&balanced), even(&plain));
    assert!(balanced["validation"]["weighted"] == true && plain["validation"]["weighted"].is_null());
    let both = run(&folder, &format!("{fit} --class-weight balanced --confidence 0.9"));
    let shown = String::from_utf8(both.stdout).unwrap();
    assert!(shown.contains(" by class weights") && shown.contains("certain       "), "{shown}");
    assert!(plain["holdout"]["confidence"].is_null() && plain["model"]["confidence"].is_null());

    let certain = json(&folder, &format!("{fit} --confidence 95% -o m.srfm"));
    let found = &certain["holdout"]["confidence"];
    let figure = |name: &str| found[name].as_f64().unwrap();
    // Probabilities of logistic regression on one input of two overlapping classes.
    let holdout = &certain["holdout"];
    assert!(holdout["reliability"]["error"].as_f64().unwrap() < 0.05, "{holdout}");
    let bins = holdout["reliability"]["bins"].as_array().unwrap();
    assert_eq!(bins.iter().map(|bin| bin["rows"].as_u64().unwrap()).sum::<u64>(), 2000);
    assert!((0.75..1.0).contains(&holdout["auc"].as_f64().unwrap()), "{holdout}");
    // The share of 600 rows has a standard error of 0.009, and so has that of the margin.
    assert!((figure("coverage") - 0.95).abs() < 0.03, "{found}");
    assert!((0.1..0.9).contains(&figure("rejected")), "{found}");
    // Fewer errors among the rows that are left.
    assert!(figure("error_rate") < 0.6 * plain["holdout"]["error_rate"].as_f64().unwrap(), "{found}");
    assert!((certain["model"]["confidence"]["level"].as_f64().unwrap() - 0.95).abs() < 1e-6);

    let evaluated = json(&folder, "evaluate m.srfm next.csv");
    assert_eq!(evaluated["confidence"], *found);
    let text = String::from_utf8(run(&folder, "evaluate m.srfm next.csv").stdout).unwrap();
    assert!(text.contains("of the rows get a class"), "{text}");
    let text = String::from_utf8(run(&folder, "inspect m.srfm").stdout).unwrap();
    assert!(text.contains("confidence    95 %: a class is named where its score is ahead by more than"), "{text}");
    let predicted = json(&folder, "predict m.srfm next.csv");
    let empty = predicted["predictions"].as_array().unwrap().iter().filter(|class| **class == "").count();
    assert_eq!(empty as f64 / 2000.0, figure("rejected"));
}

#[test]
fn candidates_are_chosen_by_the_metric_that_the_report_names() {
    let folder = folder_with(&[("log.csv", overlapping(600, 0.1).as_bytes())]);
    let figures = [
        ("", "accuracy", "accuracy ", "error rate, %"),
        (" --metric accuracy", "accuracy", "accuracy ", "error rate, %"),
        (" --metric balanced", "balanced", "balanced accuracy ", "balanced error rate, %"),
        (" --metric log-loss", "log-loss", "log loss 0.", "log loss"),
        (" --metric brier", "brier", "Brier score 0.", "Brier score"),
    ];
    let mut models = Vec::new();
    for (option, name, figure, on_page) in figures {
        let fit = format!("fit log.csv --task classification --effort 0.2{option} -o m.srfm");
        let found = json(&folder, &fit);
        assert_eq!(found["metric"], name);
        let best = &found["search"]["best"][0];
        let (loss, rate) = (&best["cross_validated_loss"], &best["cross_validated_error_rate"]);
        assert!(loss.as_f64().unwrap() > 0.0 && (loss == rate) == (name == "accuracy"), "{best}");
        assert!(found["validation"]["loss"].as_f64().unwrap() > 0.0);
        models.push(fs::read(folder.path().join("m.srfm")).unwrap());
        let shown = String::from_utf8(run(&folder, &format!("{fit} --report m.html")).stdout).unwrap();
        assert!(shown.contains(&format!("\n              {figure}")), "{shown}");
        assert!(shown.contains(&format!("\nvalidation    {figure}")), "{shown}");
        let page = fs::read_to_string(folder.path().join("m.html")).unwrap();
        assert!(page.contains(on_page), "{name}");
    }
    assert_eq!(models[0], models[1]);
    let given = "fit log.csv --task classification --method harfe --max-features 15";
    let found = json(&folder, &format!("{given} --metric brier"));
    assert_eq!(found["metric"], "brier");
    assert_ne!(found["validation"]["loss"], found["validation"]["error_rate"]);
    let help = String::from_utf8(run(&folder, "fit --help").stdout).unwrap();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("--metric <METRIC>"), "{help}");
    assert!(help.contains("[default: accuracy] [possible values: accuracy, balanced, log-loss, brier]"), "{help}");
}

#[test]
fn a_metric_of_quantities_is_refused() {
    let folder = folder_with(&[("numbers.csv", b"x,y\n1,2\n2,3\n3,5\n4,4\n5,1\n")]);
    fs::write(folder.path().join("s.toml"), "metric = \"brier\"\n").unwrap();
    for options in ["--metric accuracy", "--metric log-loss --method linear", "--config s.toml"] {
        let (code, said) = failure(&folder, &format!("fit numbers.csv {options} -o m.srfm"));
        let expected = "srfm: --metric works with classes only, and the targets are quantities; set --task \
                        classification, or leave it out\n";
        assert_eq!((code, said.as_str()), (2, expected), "{options}");
        assert!(!folder.path().join("m.srfm").exists());
    }
    let (code, said) = failure(&folder, "fit numbers.csv --metric f1");
    assert!(code == 2 && said.contains("accuracy, balanced, log-loss, brier"), "{said}");
    assert!(json(&folder, "fit numbers.csv --method linear --folds 2")["metric"].is_null());
}

#[test]
fn weights_and_confidence_that_do_not_suit_are_refused() {
    let folder = folder_with(&[
        ("log.csv", overlapping(60, 0.1).as_bytes()),
        ("few.csv", overlapping(15, 0.1).as_bytes()),
        ("numbers.csv", b"x,y\n1,2\n2,3\n3,5\n4,4\n5,1\n"),
    ]);
    let cases = [
        (
            "log.csv --task classification --class-weight broken=2",
            2,
            "no class \"broken\" to give a weight; the classes are fault, good",
        ),
        ("log.csv --task classification --class-weight fault=0", 2, "\"fault\" must be above 0 and finite, not 0"),
        ("log.csv --task classification --class-weight fault", 2, "give balanced, or weights such as"),
        ("numbers.csv --class-weight balanced", 2, "class weights work with classes only"),
        ("numbers.csv --confidence 0.9", 1, "--confidence works with classes only, and the targets are quantities"),
        ("log.csv --task classification --confidence 1.5", 2, "--confidence must be between 0 and 1, not 1.5"),
        ("few.csv --task classification --confidence 95%", 1, "15 rows are too few for this confidence"),
    ];
    for (arguments, code, message) in cases {
        let (found, error) = failure(&folder, &format!("fit {arguments} --method linear -o m.srfm"));
        assert!(error.contains(message), "{arguments}: {error}");
        assert_eq!(found, code, "{arguments}");
        assert!(!folder.path().join("m.srfm").exists());
    }
}
