//! Errors in the words of the library and of the command, beside those of the Python package, whose tests read the same
//! table.

use serde_json::Value;
use srfm_trainer::message::Explain;
use srfm_trainer::method::MethodConfig;
use srfm_trainer::request::{Device, Grid, Orders, Request};
use srfm_trainer::{Dataset, FitError};
use tempfile::TempDir;

use super::{failure, folder_with, table};

/// The sentences of errors, by front end.
const MESSAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/messages.json");

/// Returns the sentence of the library, with the names of files alone.
fn of_library(folder: &TempDir, error: &str) -> String {
    let named = |method| Request { method: Some(MethodConfig::named(method).unwrap().into()), ..Request::default() };
    let harfe = named("harfe");
    let refused = match error {
        "budget too small" => {
            let device = Device { flash: Some(40), ..Device::default() };
            refused_by(Request { device, ..named("linear") }, folder, "rows.csv")
        }
        "order beyond inputs" => {
            let grid = Grid { orders: Orders::List(vec![9]), ..Grid::default() };
            refused_by(Request { grid, ..harfe }, folder, "rows.csv")
        }
        "missing values" => refused_by(harfe, folder, "gaps.csv"),
        "too few rows for folds" => refused_by(harfe, folder, "few.csv"),
        other => panic!("{other}"),
    };
    assert_eq!(refused.to_string(), refused.message().to_string());
    refused.to_string().replace(&format!("{}/", folder.path().display()), "")
}

/// Returns the error of a request for the rows of a file.
fn refused_by(request: Request, folder: &TempDir, file: &str) -> FitError {
    let data = match Dataset::read(folder.path().join(file)) {
        Ok(data) => data,
        Err(error) => return error.into(),
    };
    let rows = request.rows(data).unwrap();
    request.plan(&rows).unwrap().run(&rows.train, &request.run()).expect_err(file)
}

fn arguments(error: &str) -> &'static str {
    match error {
        "budget too small" => "fit rows.csv --method linear --flash 40",
        "order beyond inputs" => "fit rows.csv --method harfe --order 9",
        "missing values" => "fit gaps.csv --method harfe",
        "too few rows for folds" => "fit few.csv --method harfe",
        other => panic!("{other}"),
    }
}

#[test]
fn every_front_end_names_settings_in_its_own_way() {
    let (all, few) = (table(40), table(3));
    let gaps = "a,b,y\n1,2,3\n1,,3\n2,3,4\n3,4,5\n";
    let files = [("rows.csv", all.as_bytes()), ("few.csv", few.as_bytes()), ("gaps.csv", gaps.as_bytes())];
    let folder = folder_with(&files);
    let messages: Value = serde_json::from_str(&std::fs::read_to_string(MESSAGES).unwrap()).unwrap();
    let messages = messages.as_object().unwrap();
    assert_eq!(messages.len(), 4);
    for (error, expected) in messages {
        assert_eq!(of_library(&folder, error), expected["library"], "{error}");
        let (_, said) = failure(&folder, arguments(error));
        assert_eq!(said, format!("srfm: {}\n", expected["command"].as_str().unwrap()), "{error}");
    }
}
