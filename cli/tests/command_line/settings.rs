//! Settings from a file and from options.

use serde_json::Value;

use super::{failure, folder_with, json, run, table};

#[test]
fn settings_come_from_a_file_and_options_come_before_them() {
    let settings = b"[grid]\norders = [1]\nlambdas = [0.5]\n[method.harfe]\nfeatures = 7\nterms = \"intercept\"\n";
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
        ("list.toml", b"[grid]\nlambdas = [0.25, 0.125]\n[method.harfe]\nfeatures = 7\nlambda = 0.5\n"),
    ]);
    let own = json(&folder, "fit t.csv --config own.toml");
    assert_eq!((&own["lambda"], &own["cross_validated_rmse"]), (&0.5.into(), &Value::Null));
    let list = json(&folder, "fit t.csv --config list.toml");
    assert!([0.25, 0.125].contains(&list["lambda"].as_f64().unwrap()));
    // The file's λ is of another method.
    let other = json(&folder, "fit t.csv --config own.toml --method fourier --max-features 7");
    assert!(other["cross_validated_rmse"].is_number());
    let text =
        String::from_utf8(run(&folder, "fit t.csv --method harfe --lambda 2.5e-4 --max-features 5").stdout).unwrap();
    assert!(text.contains("lambda 2.5e-4"), "{text}");
}

#[test]
fn an_order_of_all_is_the_number_of_inputs() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    let fit = json(&folder, "fit t.csv --method harfe --max-features 5 --order all");
    assert_eq!((&fit["order"], &fit["model"]["orders"]), (&2.into(), &serde_json::json!([[2, 5]])));
    // Of the orders from 1 to 3, those that two inputs allow.
    let fit = json(&folder, "fit t.csv --method fourier --order auto --lambda 1 --max-features 10");
    assert!([1, 2].contains(&fit["order"].as_u64().unwrap()), "{fit}");
}

#[test]
fn a_wrong_line_of_a_settings_file_is_said_in_one_line() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    for (text, expected) in [
        (
            "folds = 5\nlambda = 3\n",
            ", line 2: unknown setting \"lambda\"; the settings there are seed, folds, split, ",
        ),
        (
            "[grid]\norders = [1]\n[encoding]\nflash = 1\n",
            ", line 4: unknown setting \"flash\" in [encoding]; the settings there are number, max_error, output_",
        ),
        (
            "folds = 5\n# [method.harfe]\n[method.harfe]\nfeature = 9\n",
            ", line 3: unknown setting \"feature\" in [method.harfe]; the settings there are ",
        ),
        (
            "[method.harfe]\nlaw = { scale = 2 }\n",
            ", line 1: method.harfe: a law needs a name, as in law = { law = \"normal\", scale = 1 }\n",
        ),
        ("[method]\nname = \"linear\"\nlambda = \"a\"\n", ": there is no method \"lambda\"; there are compact, "),
        ("[grid]\nlambdas = \"a\"\n", ", line 2: invalid type: string \"a\", expected a sequence\n"),
        ("folds = \n", ", line 1: "),
    ] {
        std::fs::write(folder.path().join("c.toml"), text).unwrap();
        let (code, said) = failure(&folder, "fit t.csv --config c.toml");
        assert_eq!((code, said.lines().count()), (2, 1), "{said}");
        assert!(said.starts_with("srfm: c.toml") && said.contains(expected) && !said.contains("--"), "{said}");
    }
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
        ("order.toml", b"[grid]\norders = [0]\n"),
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
fn scales_are_chosen_and_inputs_scaled_as_the_settings_say() {
    let folder = folder_with(&[
        ("t.csv", table(80).as_bytes()),
        ("scales.toml", b"[preprocessing]\nscaling = \"common\"\n[grid]\nscales = [0.01, 1.0]\nlambdas = [1e-4]\n"),
    ]);
    let fit = |arguments: &str| json(&folder, &format!("fit t.csv --max-features 10 {arguments}"));
    // Features that hardly bend cannot follow a sine beside linear terms.
    let file = fit("--method harfe --config scales.toml");
    assert_eq!((&file["scale"], &file["scaling"]), (&1.0.into(), &"common".into()));
    assert!(file["cross_validated_rmse"].is_number());
    let option = fit("--method harfe --config scales.toml --scale 2 --scaling standard");
    assert_eq!((&option["scale"], &option["scaling"]), (&2.0.into(), &"standard".into()));
    assert_eq!(option["cross_validated_rmse"], Value::Null);
    let interpolant = fit("--scale 0.3,40 --lambda 1e-4 --method min-norm");
    assert_eq!((&interpolant["scale"], &interpolant["lambda"]), (&0.3.into(), &Value::Null));
    for (arguments, expected) in [("--scale 0", "above 0"), ("--scale 1,x", "0.3,1,3"), ("--scaling none", "common")] {
        let (code, said) = failure(&folder, &format!("fit t.csv {arguments}"));
        assert!(code == 2 && said.contains(expected), "{said}");
    }
}

#[test]
fn terms_margins_and_limits_come_from_options() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes()), ("none.toml", b"[method.harfe]\nterms = \"none\"\n")]);
    let fit =
        |options: &str| json(&folder, &format!("fit t.csv --method harfe --max-features 5 --lambda 0.1 {options}"));
    for (terms, linear) in [("none", 0), ("intercept", 0), ("linear", 2), ("ridge", 2)] {
        let fitted = fit(&format!("--terms {terms} --config none.toml"));
        assert_eq!(fitted["model"]["linear_terms"], linear, "{terms}");
    }
    let rmse = |terms: &str| fit(&format!("--terms {terms}"))["training"]["rmse"].as_f64().unwrap();
    assert_ne!(rmse("none"), rmse("intercept"));
    let limits = |margin: f64| {
        let fitted = fit(&format!("--output-margin {margin}"));
        ["output_min", "output_max"].map(|key| fitted["model"][key][0].as_f64().unwrap())
    };
    let ([least, most], [below, above]) = (limits(0.0), limits(0.5));
    let range = most - least;
    assert!((least - below - 0.5 * range).abs() < 1e-5 * range && (above - most - 0.5 * range).abs() < 1e-5 * range);
    let (code, said) = failure(&folder, "fit t.csv --method harfe --number auto");
    let expected = "srfm: --number auto works with --method auto only; name a number format\n";
    assert_eq!((code, said.as_str()), (2, expected));
    let (code, said) = failure(&folder, "fit t.csv --config absent.toml");
    assert!(code == 1 && said.starts_with("srfm: absent.toml: cannot be read: "), "{said}");
}
