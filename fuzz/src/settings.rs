//! Settings, descriptions and arguments.

use std::ffi::OsString;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use srfm_testing::crc32;
use srfm_trainer::data::{Description, Source, Table, Task};
use srfm_trainer::{Blob, Dataset, FitConfig, Observer, Run};

use crate::guard::within_memory;

/// Reads settings of a fit: what is accepted keeps its meaning when it is written again.
pub fn settings(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    within_memory(bytes.len(), || {
        let Ok(config) = toml::from_str::<FitConfig>(text) else { return };
        let json = serde_json::to_value(&config).expect("settings can be written");
        assert!(json.is_object());
    });
}

/// Fits by any settings to a few rows: a model or an error, and an end when it is asked for.
pub fn fit(bytes: &[u8]) {
    struct Deadline(Instant);
    impl Observer for Deadline {
        fn interrupted(&self) -> bool {
            Instant::now() > self.0
        }
    }
    static ROWS: LazyLock<Dataset> = LazyLock::new(|| Task::Pressure.generate(24, 0.5, 1));
    let Ok(text) = str::from_utf8(bytes) else { return };
    let Ok(config) = toml::from_str::<FitConfig>(text) else { return };
    within_memory(bytes.len(), || {
        let deadline = Deadline(Instant::now() + Duration::from_millis(100));
        if let Ok(fit) = srfm_trainer::fit(&ROWS, &config, &Run::new(1).with_observer(&deadline)) {
            assert_eq!(Blob::new(fit.blob.bytes()).as_ref(), Ok(&fit.blob));
        }
    });
}

/// Reads the description of a model, tied to it, and a table with its help.
pub fn description(bytes: &[u8]) {
    const MODEL: &[u8] = include_bytes!("../../runtime/golden/plane.srfm");
    const ROWS: &[u8] = b"a,b,mode,y\n1,2,eco,3\n4,,fast,6\n7,8,eco,9\n1,2,,4\n2,2,eco,4\n";
    let Ok(mut json) = serde_json::from_slice::<serde_json::Value>(bytes) else { return };
    if let Some(found) = json.get_mut("crc32") {
        *found = crc32(&MODEL[..MODEL.len() - 4]).into();
    }
    within_memory(bytes.len(), || {
        let Ok(description) = Description::parse("file", &json.to_string(), MODEL) else { return };
        let (blob, targets) = (Blob::new(MODEL).expect("a sound model"), &description.targets);
        let table = Table::parse("rows", ROWS.to_vec()).expect("a table");
        let source = Source::new(table, None, targets).with_preparation(description.preparation());
        let source = source.with_description(Some(description.clone()));
        let _ = source.for_model(&blob.model());
        let _ = source.inputs(&blob.model());
        let again = Description::parse("file", &description.to_json(MODEL), MODEL).expect("it can be read again");
        assert_eq!(again.to_string(), description.to_string());
    });
}

/// Parses the arguments of the command, one on each line: a request or an error with a text.
pub fn arguments(bytes: &[u8]) {
    let lines = String::from_utf8_lossy(bytes);
    let arguments: Vec<OsString> = ["srfm"].into_iter().chain(lines.lines()).map(OsString::from).collect();
    within_memory(bytes.len(), || {
        if let Err(error) = srfm_cli::command::parse(&arguments) {
            assert!([0, 2].contains(&error.exit_code()) && !error.to_string().is_empty());
        }
    });
}
