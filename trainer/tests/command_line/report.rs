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
        "<td>holdout</td>",
        "cortex-m4f",
        "bytes of stack",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // Predicted, two kinds of residuals, coverage, responses, two of the search, quantisation.
    assert!(page.matches("<svg").count() >= 9, "{}", page.matches("<svg").count());
    assert_eq!(fitted["search"]["baselines"].as_array().unwrap().len(), 2, "{}", fitted["search"]);
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
    let (code, said) = failure(&folder, "report m.srfm none.csv -o n.html");
    assert!(code == 1 && said.contains("--labels") && !folder.path().join("n.html").exists(), "{said}");
}

#[test]
fn classes_have_a_confusion_matrix_instead_of_residuals() {
    let row = |i: usize| format!("{},{},{}\n", i % 7, i % 5, ["low", "mid", "high"][(i % 7) / 3]);
    let rows = "a,b,kind\n".to_owned() + &(0..90).map(row).collect::<String>();
    let folder = folder_with(&[("c.csv", rows.as_bytes())]);
    json(&folder, "fit c.csv --task classification --method harfe --max-features 6 -o m.srfm --c m.h --report r.html");
    let page = page(&folder, "r.html");
    assert_eq!(headings(&page), ["Errors", "Inputs", "On the device", "Code"]);
    assert!(page.contains("predicted as the class above") && page.contains("m_classify(readings)"));
    compiles(&folder, &page);
}

#[test]
fn a_comparison_writes_a_page() {
    let folder = folder_with(&[("t.csv", table(80).as_bytes())]);
    assert!(run(&folder, "compare t.csv --methods harfe --sizes 4,8 -o c.html").status.success());
    let page = page(&folder, "c.html");
    assert!(page.contains("<td>polynomial</td>") && page.contains("<td>table</td>") && page.contains("<td>harfe</td>"));
}
