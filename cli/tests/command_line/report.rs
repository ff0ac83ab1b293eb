//! The pages with charts.

use std::fs;
use std::process::Command;

use srfm_testing::skip;
use tempfile::TempDir;

use super::columns::stdout;
use super::{failure, folder_with, json, run, table};

/// Reads a page and checks that it needs nothing else, is small and has no chart without points.
fn page(folder: &TempDir, name: &str) -> String {
    let page = fs::read_to_string(folder.path().join(name)).unwrap();
    for foreign in ["src=", "href=", "<link", "<script", "url(", "@import"] {
        assert!(!page.contains(foreign), "{name} has {foreign}");
    }
    assert!(page.len() < 1_000_000 && page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>"));
    let charts: Vec<&str> = page.split("<svg").skip(1).map(|rest| rest.split("</svg>").next().unwrap()).collect();
    assert_eq!(charts.len(), page.matches("<figcaption>").count());
    // The series have the colours of the palette; axes and guides are black and grey.
    let palette = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"];
    for chart in &charts {
        assert!(palette.iter().any(|colour| chart.contains(colour)), "a chart without points in {name}");
        assert!(!chart.contains("#FFFFFF"), "a chart of {name} is a box on a dark page");
    }
    page
}

/// Returns the headings of the sections of a page.
fn headings(page: &str) -> Vec<&str> {
    page.split("<h2>").skip(1).map(|rest| rest.split("</h2>").next().unwrap()).collect()
}

/// Compiles the lines of C of a page in a folder with their header; without a compiler there is nothing to do.
pub fn compiles(folder: &TempDir, page: &str) {
    let lines = page.rsplit("<pre><code>").next().unwrap().split("</code>").next().unwrap();
    let lines = lines.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
    assert!(lines.contains("#include"), "{lines}");
    fs::write(folder.path().join("use.c"), lines).unwrap();
    let arguments = ["-Wall", "-Werror", "-c", "use.c", "-o", "use.o"];
    match Command::new("cc").args(arguments).current_dir(folder).status() {
        Ok(status) => assert!(status.success()),
        Err(missing) => skip(&missing.to_string()),
    }
}

#[test]
fn a_fit_writes_a_page_of_its_search() {
    let folder = folder_with(&[]);
    json(&folder, "generate pressure --rows 200 -o p<q.csv");
    let fit = "fit p<q.csv --holdout 0.25 --max-features 6 --time 3s --report r.html -o m.srfm";
    let fitted = json(&folder, fit);
    let page = page(&folder, "r.html");
    assert!(page.contains("<title>p&lt;q.csv</title>"));
    let all = ["Errors", "Residuals", "Intervals", "Inputs", "Error against size", "On the device", "Code"];
    assert_eq!(headings(&page), all);
    for part in [
        "bridge_counts",
        "static_model!(&quot;m.srfm&quot;)",
        "return m_predict(readings);",
        "<td>held-out, at random, 50 rows</td>",
        "cortex-m4f",
        "<th>stack, bytes</th>",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // Predicted, two kinds of residuals, coverage, responses, two of the search, quantisation.
    assert!(page.matches("<svg").count() >= 9, "{}", page.matches("<svg").count());
    let tried = fitted["search"]["best"].as_array().unwrap();
    let has = |method: &str| tried.iter().any(|best| best["method"] == method);
    assert!(["polynomial", "table", "rules"].into_iter().all(has), "{}", fitted["search"]);
    let estimated = |best: &serde_json::Value| best["estimated"] == true;
    assert!(!estimated(&tried[0]) && tried.iter().any(estimated), "{}", fitted["search"]);
    stdout(&folder, "export m.srfm --c m.h");
    compiles(&folder, &page);
    let (code, said) = failure(&folder, "fit p<q.csv --report p<q.csv");
    assert!(code == 2 && said.contains("input of this command"), "{said}");
}

#[test]
fn a_file_and_rows_make_a_page() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes()), ("none.csv", b"a,b\n1,2\n3,4\n")]);
    json(&folder, "fit t.csv --method harfe --max-features 5 -o m.srfm");
    let said = json(&folder, "report m.srfm t.csv");
    assert_eq!((&said["output"], &said["rows"]), (&"m.html".into(), &60.into()));
    let page = page(&folder, "m.html");
    assert_eq!(headings(&page), ["Errors", "Residuals", "Intervals", "Inputs", "On the device", "Code"]);
    for part in [
        "<td>given, t.csv, 60 rows</td>",
        "<th>in the 90\u{a0}% interval, ±\u{a0}",
        "0 of the 60 given rows have readings",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let (code, said) = failure(&folder, "report m.srfm none.csv -o n.html");
    assert!(code == 1 && said.contains("--labels") && !folder.path().join("n.html").exists(), "{said}");
}

#[test]
fn the_rows_of_the_errors_have_names() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes()), ("other.csv", b"a,b,y\n1,1,1.8\n9,1,1\n0,1,1\n")]);
    json(&folder, "fit t.csv --method harfe --max-features 5 --split forward --test other.csv --report r.html");
    let test = page(&folder, "r.html");
    assert!(test.contains("<td>cross-validation, 5 forward folds, 50 rows</td>"), "{test}");
    assert!(test.contains("<td>training, 60 rows</td>") && test.contains("<td>test, other.csv, 3 rows</td>"));
    assert!(test.contains("1 of the 3 test rows has readings outside") && !test.contains("holdout"));
    json(&folder, "fit t.csv --method harfe --max-features 5 --split forward --holdout 0.25 --report h.html");
    assert!(page(&folder, "h.html").contains("<td>held-out, the last rows, 15 rows</td>"));
}

#[test]
fn charts_say_what_they_show() {
    let row = |i: usize| {
        let inputs: Vec<f64> = (0..5).map(|input| (i * (7 + 4 * input)) as f64 * 0.013 % 2.0).collect();
        let sum: f64 = inputs.iter().sum();
        format!("{},{},{}\n", inputs.iter().map(f64::to_string).collect::<Vec<_>>().join(","), sum, sum * sum)
    };
    let rows = "in_a,in_b,in_c,in_d,in_e,out_a,out_b\n".to_owned() + &(0..900).map(row).collect::<String>();
    let folder = folder_with(&[("t.csv", rows.as_bytes())]);
    json(&folder, "fit t.csv --target out_a,out_b --method harfe --max-features 8 --report r.html");
    let page = page(&folder, "r.html");
    let thinned = page.matches("400 of 900 rows are drawn, among them the 20 of largest ").count();
    let dots = ["Predicted against true: ", "Residuals of ", "Quantisation error: "];
    let titles = dots.map(|title| page.matches(&format!("<figcaption>{title}")).count());
    assert!(thinned == titles.iter().sum::<usize>() && thinned > 4, "{thinned} {titles:?}");
    for part in [
        "true: out_<wbr>a, training rows",
        "error: out_<wbr>a, training rows",
        "<h3>Outputs on the training rows</h3>",
        "<th>half-width</th>",
        "<td>out_<wbr>b</td>",
        "Drawn are the 4 inputs above of the largest errors; the model uses 5 inputs.",
        "<th>bound of a prediction</th>",
        "<td>cortex-m4f, cortex-m7",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn responses_say_where_the_model_limits_readings() {
    let row = |i: i32| format!("{:.4},{}\n", 10.0 * 1.03_f64.powi(i), (f64::from(i) / 30.0).sin());
    let rows = "a,y\n".to_owned() + &(0..200).map(row).collect::<String>();
    let folder = folder_with(&[("t.csv", rows.as_bytes())]);
    for number in ["f32", "int"] {
        let fit = "fit t.csv --method compact --max-features 6 --warp a=log --report r.html --number";
        json(&folder, &format!("{fit} {number}"));
        assert!(page(&folder, "r.html").contains("The model limits readings to 10.00 and 3586."), "{number}");
    }
}

#[test]
fn classes_have_a_confusion_matrix_instead_of_residuals() {
    let row = |i: usize| format!("{},{},{}\n", i % 7, i % 5, ["low", "mid", "high"][(i % 7) / 3]);
    let rows = "a,b,kind\n".to_owned() + &(0..90).map(row).collect::<String>();
    let folder = folder_with(&[("c.csv", rows.as_bytes())]);
    json(&folder, "fit c.csv --task classification --method harfe --max-features 6 -o m.srfm --c m.h --report r.html");
    let page = page(&folder, "r.html");
    assert_eq!(headings(&page), ["Errors", "Inputs", "On the device", "Code"]);
    assert!(page.contains("predicted as the class above") && page.contains("m_classify(readings, &amp;number)"));
    // Every error is an accuracy, that of cross-validation too.
    assert!(page.contains("<th>accuracy</th>") && !page.contains("RMSE"));
    let row = page.split("<td>cross-validation, 5 random folds, 90 rows</td>").nth(1).unwrap();
    assert!(row.split("</td>").next().unwrap().ends_with(" %"), "{row:.80}");
    assert!(page.contains("Decisions that are right, by their probability, training rows"));
    assert!(page.contains("Errors among the rows that get a class, training rows"));
    compiles(&folder, &page);
}

#[test]
fn a_comparison_writes_a_page() {
    let folder = folder_with(&[("t.csv", table(80).as_bytes())]);
    let path = folder.path().join("t.csv").display().to_string();
    assert!(
        run(&folder, &format!("compare {path} --methods harfe,polynomial,table --sizes 4,8 -o c.html"))
            .status
            .success()
    );
    let page = page(&folder, "c.html");
    assert!(page.contains("<title>t.csv</title>") && page.contains("<h1>t.csv</h1>") && !page.contains(&path));
    assert!(page.contains("<td>polynomial</td>") && page.contains("<td>table</td>") && page.contains("<td>harfe</td>"));
}
