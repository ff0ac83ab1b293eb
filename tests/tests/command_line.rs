//! The command as scripts and people meet it: keys, exit codes, and what it says to bad input.

mod command;

use std::fs;
use std::process::{Command, Output};

use command::srfm;
use serde_json::Value;
use tempfile::TempDir;

fn run(folder: &TempDir, arguments: &str) -> Output {
    srfm().args(arguments.split(' ')).current_dir(folder.path()).output().unwrap()
}

fn json(folder: &TempDir, arguments: &str) -> Value {
    let output = run(folder, &format!("{arguments} --json"));
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Runs a command that must fail: exit code and what it said, one sentence on one line.
fn failure(folder: &TempDir, arguments: &str) -> (i32, String) {
    let output = run(folder, arguments);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!said.contains("panicked"), "{said}");
    assert!(output.stdout.is_empty());
    (output.status.code().unwrap(), said)
}

fn folder_with(files: &[(&str, &[u8])]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

/// `rows` rows of y = sin a + b, three columns.
fn table(rows: usize) -> String {
    let row = |i: usize| {
        let (a, b) = (i as f64 * 0.37 % 3.0, i as f64 * 0.91 % 2.0);
        format!("{a},{b},{}\n", a.sin() + b)
    };
    "a,b,y\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

#[test]
fn the_whole_path_and_its_keys() {
    let folder = folder_with(&[]);
    assert!(run(&folder, "generate friedman1 --rows 400 --noise 0.5 --seed 3 -o data.csv").status.success());
    let fit = json(&folder, "fit data.csv --max-features 40 --seed 2 --holdout 0.25 -o m.srfm --order 1,2");
    assert_eq!(fit["format"], 1);
    assert_eq!(fit["seed"], 2);
    assert_eq!(fit["holdout"]["rows"], 100);
    assert!(fit["holdout"]["r2"].as_f64().unwrap() > 0.9);
    assert!(fit["seconds"].is_number());
    // Five inputs of Friedman's function matter, and they come first.
    let important: Vec<&str> = (0..5).map(|i| fit["importance"][i]["input"].as_str().unwrap()).collect();
    assert!(["x1", "x2", "x3", "x4", "x5"].iter().all(|input| important.contains(input)), "{important:?}");
    let shares: f64 = fit["importance"].as_array().unwrap().iter().map(|i| i["share"].as_f64().unwrap()).sum();
    assert!((shares - 1.0).abs() < 1e-12);

    let inspect = json(&folder, "inspect m.srfm");
    for key in ["method", "number", "inputs", "active_inputs", "outputs", "features", "flash_bytes"] {
        assert_eq!(inspect[key], fit["model"][key], "{key}");
        assert!(!inspect[key].is_null(), "{key}");
    }
    assert_eq!(inspect["flash_bytes"], fs::metadata(folder.path().join("m.srfm")).unwrap().len());

    let evaluate = json(&folder, "evaluate m.srfm data.csv");
    let (rmse, mse) = (evaluate["rmse"].as_f64().unwrap(), evaluate["mse"].as_f64().unwrap());
    assert_eq!(evaluate["rows"], 400);
    assert!((rmse * rmse - mse).abs() < 1e-12 && evaluate["r2"].as_f64().unwrap() > 0.9);

    // The text and the JSON of `predict` are the same numbers, and give the error of `evaluate`.
    let predict = json(&folder, "predict m.srfm data.csv");
    let text = String::from_utf8(run(&folder, "predict m.srfm data.csv").stdout).unwrap();
    let data = fs::read_to_string(folder.path().join("data.csv")).unwrap();
    let mut sum = 0.0;
    for (row, (line, target)) in text.lines().zip(data.lines()).skip(1).enumerate() {
        let value: f64 = line.parse().unwrap();
        assert_eq!(predict["predictions"][row][0].as_f64().unwrap() as f32, value as f32);
        let target: f64 = target.rsplit(',').next().unwrap().parse().unwrap();
        sum += (value - target).powi(2);
    }
    assert!((sum / 400.0 - mse).abs() < 1e-5 * mse);
}

#[test]
fn the_same_seed_gives_the_same_file_on_any_number_of_threads() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    for (threads, file) in [(1, "one.srfm"), (2, "two.srfm")] {
        assert!(run(&folder, &format!("fit t.csv --max-features 20 --threads {threads} -o {file}")).status.success());
    }
    let bytes = |file: &str| fs::read(folder.path().join(file)).unwrap();
    assert_eq!(bytes("one.srfm"), bytes("two.srfm"));
}

#[test]
fn files_come_in_several_shapes() {
    let comma = table(40);
    let bare = comma.lines().skip(1).collect::<Vec<_>>().join("\r\n");
    let shapes = [
        ("semicolon.csv", comma.replace(',', ";")),
        ("tab.csv", comma.replace(',', "\t")),
        ("blanks.csv", comma.replace(',', "   ")),
        ("mark.csv", format!("\u{feff}{comma}\n\n")),
        ("bare.csv", bare),
    ];
    let folder = folder_with(&[("comma.csv", comma.as_bytes())]);
    let reference = json(&folder, "fit comma.csv --max-features 5");
    for (name, text) in shapes {
        fs::write(folder.path().join(name), text).unwrap();
        assert_eq!(json(&folder, &format!("fit {name} --max-features 5"))["training"], reference["training"], "{name}");
    }
}

#[test]
fn the_target_is_the_last_column_or_a_named_one() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    let last = json(&folder, "fit t.csv --max-features 5");
    assert_eq!(json(&folder, "fit t.csv --max-features 5 --target y")["training"], last["training"]);
    assert_ne!(json(&folder, "fit t.csv --max-features 5 --target b")["training"], last["training"]);
    let two = json(&folder, "fit t.csv --max-features 5 --target y --target b --order 1 -o two.srfm");
    assert_eq!((&two["model"]["inputs"], &two["model"]["outputs"]), (&1.into(), &2.into()));
    // The named columns are found again wherever they stand.
    assert_eq!(json(&folder, "evaluate two.srfm t.csv --target y --target b")["rows"], 60);
}

#[test]
fn bad_tables_are_answered_with_file_line_and_column() {
    let long = table(30);
    let with = |line: usize, text: &str| {
        let mut lines: Vec<&str> = long.lines().collect();
        lines[line - 1] = text;
        lines.join("\n")
    };
    let cases: [(&str, String, &[&str]); 12] = [
        ("empty.csv", String::new(), &["empty.csv", "empty"]),
        ("blank.csv", "\n\n".into(), &["blank.csv", "empty"]),
        ("header.csv", "a,b,y\n".into(), &["header.csv", "no rows", "line 1"]),
        ("ragged.csv", with(7, "1,2"), &["ragged.csv", "line 7", "2 fields", "3"]),
        ("wide.csv", with(9, "1,2,3,4"), &["wide.csv", "line 9", "4 fields"]),
        ("text.csv", with(5, "1,warm,3"), &["text.csv", "line 5", "\"b\"", "\"warm\"", "not a number"]),
        ("gap.csv", with(6, "1,,3"), &["gap.csv", "line 6", "\"b\"", "missing"]),
        ("nan.csv", with(8, "NaN,2,3"), &["nan.csv", "line 8", "\"a\"", "not finite"]),
        ("inf.csv", with(8, "1,2,-inf"), &["inf.csv", "line 8", "\"y\"", "not finite"]),
        ("huge.csv", with(8, "1,2e300,3"), &["huge.csv", "line 8", "\"b\"", "32-bit"]),
        ("comma.csv", long.replace(',', ";").replace('.', ","), &["comma.csv", "line 3", "point instead of a comma"]),
        ("binary.csv", String::new(), &["binary.csv", "UTF-8"]),
    ];
    for (name, text, expected) in cases {
        let bytes = if name == "binary.csv" { vec![0xff, 0xfe, 0x00, 0x41] } else { text.into_bytes() };
        let folder = folder_with(&[(name, &bytes)]);
        let (code, said) = failure(&folder, &format!("fit {name} -o out.srfm"));
        assert_eq!((code, said.lines().count()), (1, 1), "{said}");
        for part in expected {
            assert!(said.contains(part), "{name}: {said:?} should name {part:?}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{name}: a file was left behind");
    }
}

#[test]
fn unusable_data_and_settings_are_answered_with_what_to_do() {
    let constant = "a,b,y\n1,2,3\n2,2,3\n3,2,3\n4,2,3\n5,2,3\n6,2,3\n";
    let folder = folder_with(&[
        ("t.csv", table(30).as_bytes()),
        ("three.csv", table(3).as_bytes()),
        ("one.csv", table(1).as_bytes()),
        ("column.csv", b"y\n1\n2\n3\n"),
        ("constant.csv", constant.as_bytes()),
        ("still.csv", b"a,y\n1,2\n1,3\n1,4\n1,5\n1,6\n1,7\n"),
        ("bad.toml", b"folds = 5\nlambda = 3\n"),
    ]);
    fs::create_dir(folder.path().join("sub")).unwrap();
    let files = fs::read_dir(folder.path()).unwrap().count();
    let cases: [(&str, i32, &[&str]); 19] = [
        ("fit missing.csv -o o.srfm", 1, &["missing.csv", "cannot be read"]),
        ("fit sub -o o.srfm", 1, &["sub", "cannot be read"]),
        ("fit t.csv -o nowhere/o.srfm", 1, &["nowhere/o.srfm", "cannot be written"]),
        ("fit t.csv -o sub", 1, &["sub", "folder"]),
        ("fit t.csv --target z -o o.srfm", 1, &["\"z\"", "a, b, y"]),
        ("fit t.csv --target a --target b --target y -o o.srfm", 1, &["t.csv", "input"]),
        ("fit column.csv -o o.srfm", 1, &["column.csv", "input"]),
        ("fit constant.csv -o o.srfm", 1, &["\"y\"", "same value"]),
        ("fit still.csv --order 1 -o o.srfm", 1, &["input", "same value"]),
        ("fit three.csv -o o.srfm", 1, &["3 rows", "5", "--folds"]),
        ("fit one.csv -o o.srfm", 1, &["1 rows"]),
        ("fit one.csv --holdout 0.5 -o o.srfm", 1, &["one row"]),
        ("fit t.csv --order 3 -o o.srfm", 2, &["order of 3", "2 inputs"]),
        ("fit t.csv --max-features 0 -o o.srfm", 2, &["--max-features", "1..=65535"]),
        ("fit t.csv --holdout 1.5 -o o.srfm", 2, &["--holdout", "between 0 and 1"]),
        ("fit t.csv --lambda -1 -o o.srfm", 2, &["lambda", "-1"]),
        ("fit t.csv --flash 40 -o o.srfm", 1, &["40 bytes", "--flash"]),
        ("fit t.csv --method magic -o o.srfm", 2, &["magic", "harfe"]),
        ("fit t.csv --config bad.toml -o o.srfm", 1, &["bad.toml", "lambda", "line 2"]),
    ];
    for (arguments, code, expected) in cases {
        let (exit, said) = failure(&folder, arguments);
        assert_eq!(exit, code, "{arguments}: {said}");
        for part in expected {
            assert!(said.contains(part), "{arguments}: {said:?} should name {part:?}");
        }
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), files, "a file was left behind");
}

#[test]
fn bad_models_and_samples_of_the_wrong_width_are_refused() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes()), ("wide.csv", b"1,2,3,4\n5,6,7,8\n")]);
    assert!(run(&folder, "fit t.csv --max-features 5 -o m.srfm").status.success());
    let good = fs::read(folder.path().join("m.srfm")).unwrap();
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 4;
    let mut future = good.clone();
    future[4] = 9;
    let swapped = table(10).replace("a,b,y", "b,a,y");
    for (name, bytes) in [
        ("cut.srfm", &good[..good.len() - 1]),
        ("flipped.srfm", &flipped),
        ("future.srfm", &future),
        ("swapped.csv", swapped.as_bytes()),
        ("inputs.csv", b"a,b\n1,2\n"),
        ("none.srfm", b""),
    ] {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let cases: [(&str, &[&str]); 9] = [
        ("predict cut.srfm t.csv", &["cut.srfm", "cut short"]),
        ("predict none.srfm t.csv", &["none.srfm", "cut short"]),
        ("inspect flipped.srfm", &["flipped.srfm", "corrupt"]),
        ("inspect future.srfm", &["future.srfm", "version 9"]),
        ("inspect t.csv", &["t.csv", "not an srfm model"]),
        ("inspect absent.srfm", &["absent.srfm", "cannot be read"]),
        ("predict m.srfm wide.csv", &["wide.csv", "4 columns", "2 inputs"]),
        ("evaluate m.srfm swapped.csv", &["swapped.csv", "b, a", "order"]),
        ("evaluate m.srfm inputs.csv", &["inputs.csv", "target"]),
    ];
    for (arguments, expected) in cases {
        let (code, said) = failure(&folder, arguments);
        assert_eq!((code, said.lines().count()), (1, 1), "{arguments}: {said}");
        for part in expected {
            assert!(said.contains(part), "{arguments}: {said:?} should name {part:?}");
        }
    }
}

#[test]
fn settings_come_from_a_file_and_options_come_before_them() {
    let settings = b"orders = [1]\nlambdas = [0.5]\n[method.harfe]\nfeatures = 7\nterms = \"intercept\"\n";
    let folder = folder_with(&[("t.csv", table(60).as_bytes()), ("s.toml", settings)]);
    let file = json(&folder, "fit t.csv --config s.toml");
    assert_eq!((&file["order"], &file["lambda"]), (&1.into(), &0.5.into()));
    assert_eq!((&file["model"]["features"], &file["model"]["linear_terms"]), (&7.into(), &0.into()));
    let option = json(&folder, "fit t.csv --config s.toml --order 2 --max-features 3");
    assert_eq!((&option["order"], &option["model"]["features"]), (&2.into(), &3.into()));
}

#[test]
fn a_ridge_parameter_in_the_settings_of_the_method_counts() {
    let folder = folder_with(&[
        ("t.csv", table(60).as_bytes()),
        ("own.toml", b"[method.harfe]\nfeatures = 7\nlambda = 0.5\n"),
        ("list.toml", b"lambdas = [0.25, 0.125]\n[method.harfe]\nfeatures = 7\nlambda = 0.5\n"),
    ]);
    let own = json(&folder, "fit t.csv --config own.toml");
    assert_eq!((&own["lambda"], &own["cross_validated_rmse"]), (&0.5.into(), &Value::Null));
    let list = json(&folder, "fit t.csv --config list.toml");
    assert!([0.25, 0.125].contains(&list["lambda"].as_f64().unwrap()));
    // The file's λ is of another method.
    let other = json(&folder, "fit t.csv --config own.toml --method fourier --max-features 7");
    assert!(other["cross_validated_rmse"].is_number());
    let text = String::from_utf8(run(&folder, "fit t.csv --lambda 2.5e-4 --max-features 5").stdout).unwrap();
    assert!(text.contains("lambda 2.5e-4"), "{text}");
}

#[test]
fn settings_that_cannot_be_meant_are_refused_at_once() {
    let folder = folder_with(&[
        ("t.csv", table(60).as_bytes()),
        ("candidates.toml", b"[method.harfe]\ncandidates = 9000000000000000000\n"),
        ("features.toml", b"[method.harfe]\nfeatures = 9000000000000000000\n"),
        ("few.toml", b"[method.harfe]\ncandidates = 50\n"),
        ("step.toml", b"[method.harfe]\nstep = 0.0\n"),
        ("law.toml", b"[method.harfe]\nlaw = { law = \"normal\", scale = -1.0 }\n"),
        ("order.toml", b"orders = [0]\n"),
        ("shrimp.toml", b"[method.shrimp]\ncandidates = 9000000000000000000\n"),
    ]);
    let cases: [(&str, &[&str]); 16] = [
        ("fit t.csv --max-features 18446744073709551615", &["--max-features", "65535"]),
        ("fit t.csv --max-features 1000000000000 --flash 2000", &["--max-features", "65535"]),
        ("fit t.csv --config candidates.toml", &["9000000000000000000 candidate", "GiB", "candidates"]),
        ("fit t.csv --config shrimp.toml", &["9000000000000000000 candidate", "GiB", "candidates"]),
        ("fit t.csv --config features.toml", &["features", "at most 65535"]),
        ("fit t.csv --config few.toml", &["50 candidates", "100 features"]),
        ("fit t.csv --config step.toml", &["step", "more than 0"]),
        ("fit t.csv --config law.toml", &["scale", "more than 0"]),
        ("fit t.csv --config order.toml --flash 2000", &["order", "at least 1"]),
        ("fit t.csv --threads 100000", &["--threads", "1024"]),
        ("generate pressure --rows 99999999999999", &["--rows"]),
        ("generate pressure --rows 0", &["--rows"]),
        ("generate pressure --noise -1", &["--noise", "-1"]),
        ("generate pressure --json", &["--json", "-o"]),
        ("device m.srfm t.csv --rows 0", &["--rows"]),
        ("device m.srfm t.csv --core cortex-m9", &["cortex-m9", "cortex-m4f"]),
    ];
    for (arguments, expected) in cases {
        let (code, said) = failure(&folder, arguments);
        assert_eq!(code, 2, "{arguments}: {said}");
        for part in expected {
            assert!(said.contains(part), "{arguments}: {said:?} should name {part:?}");
        }
    }
    // A budget takes any number of features down to what fits, in no time.
    let fit = json(&folder, "fit t.csv --config features.toml --flash 200 --lambda 1e-3");
    assert!(fit["model"]["flash_bytes"].as_u64().unwrap() <= 200);
}

#[test]
fn a_file_that_is_read_is_never_written() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes()), ("s.toml", b"folds = 3\n")]);
    assert!(run(&folder, "fit t.csv --max-features 5 -o m.srfm").status.success());
    fs::create_dir(folder.path().join("sub")).unwrap();
    let before = |name: &str| fs::read(folder.path().join(name)).unwrap();
    let (data, model, settings) = (before("t.csv"), before("m.srfm"), before("s.toml"));
    for arguments in [
        "fit t.csv -o t.csv",
        "fit t.csv -o sub/../t.csv",
        "fit t.csv --config s.toml -o s.toml",
        "predict m.srfm t.csv -o t.csv",
        "predict m.srfm t.csv -o ./m.srfm",
    ] {
        let (code, said) = failure(&folder, arguments);
        assert_eq!(code, 2, "{said}");
        assert!(said.contains("name another file"), "{said}");
    }
    assert_eq!((data, model, settings), (before("t.csv"), before("m.srfm"), before("s.toml")));
    let (_, said) = failure(&folder, "generate pressure -o nowhere/p.csv");
    assert!(said.contains("the folder nowhere does not exist"), "{said}");
}

#[cfg(unix)]
#[test]
fn output_files_keep_their_place_and_their_rights() {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};

    let folder = folder_with(&[("own.csv", b"old"), ("goal.csv", b"old")]);
    let path = |name: &str| folder.path().join(name);
    let mode = |name: &str| fs::metadata(path(name)).unwrap().permissions().mode() & 0o777;
    let generate = |name: &str| {
        let output = run(&folder, &format!("generate ishigami --rows 20 -o {name}"));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    generate("new.csv");
    let rows = fs::read(path("new.csv")).unwrap();
    fs::write(path("plain"), b"").unwrap(); // what the umask leaves of 0666
    assert_eq!(mode("new.csv"), mode("plain"));

    fs::set_permissions(path("own.csv"), fs::Permissions::from_mode(0o640)).unwrap();
    generate("own.csv");
    assert_eq!(mode("own.csv"), 0o640);

    symlink("goal.csv", path("link.csv")).unwrap();
    symlink("later.csv", path("dangling.csv")).unwrap();
    for (link, goal) in [("link.csv", "goal.csv"), ("dangling.csv", "later.csv")] {
        generate(link);
        assert!(fs::symlink_metadata(path(link)).unwrap().is_symlink());
        assert_eq!(fs::read(path(goal)).unwrap(), rows);
    }

    assert!(Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = path("pipe");
        move || fs::read(pipe).unwrap()
    });
    generate("pipe");
    assert_eq!(reader.join().unwrap(), rows);
    assert!(fs::metadata(path("pipe")).unwrap().file_type().is_fifo());
    generate("/dev/null");
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

#[test]
fn predictions_go_to_the_file_and_to_json() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    assert!(run(&folder, "fit t.csv --max-features 5 -o m.srfm").status.success());
    let printed = run(&folder, "predict m.srfm t.csv").stdout;
    let document = json(&folder, "predict m.srfm t.csv -o p.csv");
    assert_eq!((&document["output"], &document["rows"]), (&"p.csv".into(), &60.into()));
    assert_eq!(fs::read(folder.path().join("p.csv")).unwrap(), printed);
}

#[test]
fn headers_and_targets_are_told_apart() {
    let named = table(60);
    let bare = named.split_once('\n').unwrap().1.to_owned();
    let folder = folder_with(&[
        ("named.csv", named.as_bytes()),
        ("bare.csv", bare.as_bytes()),
        ("slip.csv", format!("1,warm,3\n{bare}").as_bytes()),
        ("twice.csv", named.replace("a,b,y", "a,a,y").as_bytes()),
        ("comment.csv", format!("# from the bench; 20 °C\n\n{named}1,2\n").as_bytes()),
        ("units.csv", named.replace("a,b,y", "\"a; raw\",b|c,y").as_bytes()),
    ]);
    // A model of columns without names takes the same columns with names.
    assert!(run(&folder, "fit bare.csv --max-features 5 -o bare.srfm").status.success());
    assert_eq!(json(&folder, "evaluate bare.srfm named.csv"), json(&folder, "evaluate bare.srfm bare.csv"));

    let slip = run(&folder, "fit slip.csv --max-features 5");
    let said = String::from_utf8(slip.stderr).unwrap();
    assert!(slip.status.success() && said.contains("slip.csv, line 1") && said.contains("\"warm\""), "{said}");
    assert!(run(&folder, "fit slip.csv --max-features 5 --quiet").stderr.is_empty());

    let (code, said) = failure(&folder, "fit twice.csv --target a");
    assert!(code == 1 && said.contains("columns 1 and 2"), "{said}");
    let (_, said) = failure(&folder, "fit comment.csv");
    assert!(said.contains("line 64") && said.contains("line 3 has 3"), "{said}");
    assert_eq!(json(&folder, "fit units.csv --max-features 5")["model"]["inputs"], 2);
}

#[test]
fn the_order_of_target_options_does_not_matter() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    let fit = |targets: &str| json(&folder, &format!("fit t.csv --max-features 5 --order 1 {targets} -o two.srfm"));
    let (by, yb) = (fit("--target b --target y"), fit("--target y --target b"));
    assert_eq!(by["training"], yb["training"]);
    let evaluate = |targets: &str| json(&folder, &format!("evaluate two.srfm t.csv {targets}"));
    assert_eq!(evaluate("--target b --target y"), evaluate("--target y --target b"));
    let (code, said) = failure(&folder, "evaluate two.srfm t.csv --target y");
    assert!(code == 1 && said.contains("1 target(s) named") && said.contains("2 output(s)"), "{said}");
}

#[test]
fn a_test_file_is_looked_at_before_the_fit() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes()), ("other.csv", b"1,2,3,4\n5,6,7,8\n")]);
    // The fit would fail too, on its settings: what is said first was looked at first.
    for (test, expected) in [("absent.csv", "cannot be read"), ("other.csv", "4 columns")] {
        let (code, said) = failure(&folder, &format!("fit t.csv --order 9 --test {test}"));
        assert!(code == 1 && said.contains(test) && said.contains(expected), "{said}");
    }
    fs::write(folder.path().join("fresh.csv"), table(30)).unwrap();
    assert_eq!(json(&folder, "fit t.csv --max-features 5 --test fresh.csv")["holdout"]["rows"], 30);
}

#[test]
fn rows_are_counted_as_the_file_has_them() {
    let wide: String = (0..20).map(|i| format!("x{i},")).collect::<String>() + "y\n";
    let row = |r: usize| (0..20).map(|c| format!("{},", (r * (c + 3)) % 17)).collect::<String>() + &format!("{r}\n");
    let folder = folder_with(&[("w.csv", (wide + &(0..24).map(row).collect::<String>()).as_bytes())]);
    let (_, said) = failure(&folder, "fit w.csv --max-features 5");
    assert!(said.contains("24 rows in 5 folds leave 19"), "{said}");
    let (_, said) = failure(&folder, "fit w.csv --max-features 5 --holdout 0.5 --lambda 1");
    assert!(said.contains("--holdout leaves 12 of 24 rows"), "{said}");
}

#[test]
fn cross_validation_passes_by_what_the_device_cannot_hold() {
    let folder = folder_with(&[]);
    assert!(run(&folder, "generate ishigami --rows 400 -o ish.csv").status.success());
    let fit = json(&folder, "fit ish.csv --order auto --max-features 200");
    assert!(fit["training"]["r2"].as_f64().unwrap() > 0.99, "{fit}");
}

#[test]
fn a_rare_event_gives_a_finite_score() {
    let rows: String = (0..40).map(|i| format!("{},{},{}\n", i % 7, i % 5, u8::from(i == 13))).collect();
    let folder = folder_with(&[("rare.csv", rows.as_bytes())]);
    let fit = json(&folder, "fit rare.csv --max-features 5");
    // All but the event can be predicted as what they are; the event alone is the whole variance.
    let rmse = fit["cross_validated_rmse"].as_f64().expect("finite");
    assert!((0.5..3.0).contains(&rmse), "{rmse}");
    assert!(fit["lambda"].as_f64().unwrap() > 1e-8, "{fit}");
}

#[test]
fn all_that_an_emulation_lacks_is_named_at_once() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    assert!(run(&folder, "fit t.csv --max-features 5 -o m.srfm").status.success());
    let mut device = srfm();
    device.args(["device", "m.srfm", "t.csv"]).current_dir(folder.path()).env("PATH", folder.path());
    let said = String::from_utf8(device.output().unwrap().stderr).unwrap();
    assert!(said.contains("qemu-system-arm") && said.contains("rustup.rs") && said.lines().count() == 1, "{said}");
}

#[test]
fn help_names_every_subcommand() {
    let folder = folder_with(&[]);
    let output = run(&folder, "--help");
    let help = String::from_utf8(output.stdout).unwrap();
    for command in ["demo", "fit", "predict", "evaluate", "inspect", "device", "generate", "reproduce"] {
        assert!(help.contains(command), "{command}");
        assert!(run(&folder, &format!("{command} --help")).status.success(), "{command}");
    }
}
