//! The same settings give the same model file by options, by a settings file and by the library.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use srfm_trainer::data::{Prepared, Source, Table};
use srfm_trainer::request::Request;

use super::{folder_with, run};

/// A request in the words of every front end. `python/tests/test_requests.py` fits the same list.
#[derive(Deserialize)]
struct Entry {
    name: String,
    #[serde(default = "usual_file")]
    file: String,
    #[serde(default = "usual_targets")]
    targets: Vec<String>,
    /// The options of the command beside those of the columns; none where only a settings file can say it.
    options: Option<String>,
    /// The settings file.
    settings: String,
}

fn usual_file() -> String {
    "sensor.csv".to_owned()
}

fn usual_targets() -> Vec<String> {
    vec!["y".to_owned()]
}

fn requests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/requests")
}

/// Returns the model file of the library.
fn of_library(entry: &Entry) -> Vec<u8> {
    let mut request: Request = toml::from_str(&entry.settings).unwrap();
    request.columns.targets = entry.targets.clone();
    let preparation = request.columns.preparation.clone().with("inputs", ["a,b,c"]).unwrap();
    request.columns.preparation = preparation.clone();
    let table = Table::read(requests().join(&entry.file)).unwrap();
    let source = Source::new(table, None, &entry.targets).with_preparation(preparation);
    let Prepared { data, description, counts, .. } = request.prepare(&source).unwrap();
    let rows = request.divide(data, description, counts, false).unwrap();
    let outcome = request.plan(&rows).unwrap().run(&rows.train, &request.run()).unwrap();
    outcome.into_fit().blob.bytes().to_vec()
}

#[test]
fn options_settings_files_and_the_library_give_the_same_model() {
    let entries: Vec<Entry> = serde_json::from_slice(&fs::read(requests().join("requests.json")).unwrap()).unwrap();
    assert!(entries.len() > 20);
    for entry in &entries {
        let data = fs::read(requests().join(&entry.file)).unwrap();
        let folder = folder_with(&[("data.csv", &data), ("request.toml", entry.settings.as_bytes())]);
        let targets: String = entry.targets.iter().map(|target| format!(" --target {target}")).collect();
        let fit = |options: &str, output: &str| {
            let result = run(&folder, &format!("fit data.csv --inputs a,b,c{targets} {options} -o {output} --quiet"));
            assert!(result.status.success(), "{}: {}", entry.name, String::from_utf8_lossy(&result.stderr));
            fs::read(folder.path().join(output)).unwrap()
        };
        let of_library = of_library(entry);
        assert!(fit("--config request.toml", "settings.srfm") == of_library, "{}: settings file", entry.name);
        if let Some(options) = &entry.options {
            assert!(fit(options, "options.srfm") == of_library, "{}: options", entry.name);
        }
    }
}
