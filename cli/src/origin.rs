//! Where a model comes from: the data, the settings and the errors of its fit, in the description beside the model.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use crc::{CRC_64_XZ, Crc};
use serde::{Deserialize, Serialize};
use srfm_trainer::cost::Core;
use srfm_trainer::data::{Description, Splitter};

use crate::common::Common;
use crate::failure::Failure;
use crate::output;
use crate::report::{Evaluation, counted, percent, significant};

/// Bytes that are read at once.
const BLOCK: usize = 1 << 16;

/// The fingerprint of a file.
const CHECKSUM: Crc<u64> = Crc::<u64>::new(&CRC_64_XZ);

/// The origin of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// The version of the program.
    pub srfm: String,
    /// The files of the rows.
    pub files: Vec<DataFile>,
    /// The number of fitted rows.
    pub rows: usize,
    /// The column of what rows count in the errors; none where they count alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<String>,
    pub seed: u64,
    /// The arguments of the command.
    pub arguments: Vec<String>,
    /// How rows were divided into folds and held-out rows; none where they were not divided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<Splitter>,
    /// Errors by the rows that they are of, such as `training RMSE`; accuracy for classes.
    pub errors: BTreeMap<String, f64>,
}

/// A data file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DataFile {
    /// The name without its folder.
    pub name: String,
    /// The CRC-64/XZ of its bytes, in hexadecimal.
    pub crc64: String,
}

impl DataFile {
    /// Returns a file of these bytes.
    pub fn with_bytes(name: &str, bytes: &[u8]) -> DataFile {
        DataFile { name: name.to_owned(), crc64: format!("{:016x}", CHECKSUM.checksum(bytes)) }
    }

    /// Reads a file for its fingerprint. A special file, such as a pipe, can be read once only and has none.
    pub fn of(path: &Path) -> Result<DataFile, Failure> {
        let problem = |error| output::unreadable(path, error);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !path.is_file() {
            return Ok(DataFile { name, crc64: String::new() });
        }
        let crc = CHECKSUM;
        let (mut digest, mut block) = (crc.digest(), vec![0; BLOCK]);
        let mut file = BufReader::new(File::open(path).map_err(problem)?);
        loop {
            match file.read(&mut block).map_err(problem)? {
                0 => return Ok(DataFile { name, crc64: format!("{:016x}", digest.finalize()) }),
                read => digest.update(&block[..read]),
            }
        }
    }
}

impl Origin {
    /// The origin of the model of a fit to `rows` rows of files, before its errors are known.
    pub fn of<'a>(
        files: impl Iterator<Item = &'a Path>,
        rows: usize,
        seed: u64,
        common: &Common,
    ) -> Result<Origin, Failure> {
        Ok(Origin {
            srfm: env!("CARGO_PKG_VERSION").to_owned(),
            files: files.map(DataFile::of).collect::<Result<_, Failure>>()?,
            rows,
            weight: None,
            seed,
            arguments: common.arguments.clone(),
            split: None,
            errors: BTreeMap::new(),
        })
    }

    /// Adds the error on some rows: the root mean squared error, or the accuracy of classes.
    pub fn add(&mut self, rows: &str, evaluation: &Evaluation) {
        let (what, value) = match evaluation {
            Evaluation::Quantities { total, .. } => ("RMSE", total.rmse),
            Evaluation::Classes(metrics) => ("accuracy", 1.0 - metrics.error_rate),
        };
        self.errors.insert(format!("{rows} {what}"), value);
    }

    /// Returns the origin in a description; none if it has none, or that of another program.
    pub fn read(description: &Description) -> Option<Origin> {
        serde_json::from_value(description.origin.clone()?).ok()
    }

    /// Returns whether the model has a budget of instructions, or of a program in C, on a core with a floating-point
    /// unit.
    pub fn counts_on_a_floating_point_unit(&self) -> bool {
        let value = |option: &str| {
            let mut words = self.arguments.iter();
            let joined = format!("{option}=");
            let is_joined = |word: &&String| word.starts_with(&joined);
            let after = self.arguments.iter().find(is_joined).map(|word| &word[joined.len()..]);
            after.or_else(|| words.find(|word| *word == option).and_then(|_| words.next()).map(String::as_str))
        };
        let budget = value("--instructions").is_some() || value("--deploy").is_some_and(|deploy| deploy != "file");
        let core: Core = value("--core").and_then(|core| core.parse().ok()).unwrap_or(Core::CortexM4f);
        budget && core.floating_point()
    }

    /// Returns lines for people.
    pub fn lines(&self) -> Vec<String> {
        let name = |file: &DataFile| match file.crc64.as_str() {
            "" => file.name.clone(),
            crc64 => format!("{} (CRC-64 {crc64})", file.name),
        };
        let files: Vec<String> = self.files.iter().map(name).collect();
        let rows = counted(self.rows, "row");
        let mut lines =
            vec![format!("Fitted to {rows} of {}, seed {}, srfm {}", files.join(" with "), self.seed, self.srfm)];
        let error = |(name, &value): (&String, &f64)| match name.ends_with("accuracy") {
            true => format!("{name} {}", percent(value)),
            false => format!("{name} {}", significant(value)),
        };
        lines.push("Errors: ".to_owned() + &self.errors.iter().map(error).collect::<Vec<_>>().join(", "));
        lines
    }
}
