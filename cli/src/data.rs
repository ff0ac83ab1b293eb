//! The options that name data files, and the reading of the files.

use std::path::{Path, PathBuf};

use srfm_trainer::data::{Dataset, Preparation, Source, Table, TargetKind};
use srfm_trainer::export::Blob;

use crate::columns::{ColumnArgs, LearningArgs};
use crate::common::Common;
use crate::description;
use crate::failure::Failure;

/// The data files of a command that reads a model.
#[derive(clap::Args)]
pub struct DataArgs {
    /// Data file with the inputs, and with the targets where errors are computed: CSV, Parquet, .npy or IDX, also
    /// gzipped
    pub data: PathBuf,
    /// Name of a target column; repeat for several [default: that of the model; without a model, or without names of
    /// columns, the last column]
    #[arg(long, value_name = "NAME")]
    pub target: Vec<String>,
    /// Data file of the targets or class labels, with one row for each row of inputs
    #[arg(long, value_name = "FILE")]
    pub labels: Option<PathBuf>,
    #[command(flatten)]
    pub columns: ColumnArgs,
}

impl DataArgs {
    /// Reads the files for a fit.
    pub fn to_learn(&self, learning: &LearningArgs, common: &Common) -> Result<Source, Failure> {
        self.read(self.columns.to_learn(learning, Preparation::default())?, common)
    }

    /// Reads the files for the model in the file `model`. The description beside the model says how, unless options
    /// override it.
    pub fn for_model(&self, model: &Path, blob: &Blob, common: &Common) -> Result<Source, Failure> {
        let description = description::read(model, blob, common);
        let source = self.read(self.columns.preparation(description.as_ref())?, common)?;
        Ok(source.with_description(description))
    }

    fn read(&self, preparation: Preparation, common: &Common) -> Result<Source, Failure> {
        Ok(read_source(&self.data, self.labels.as_deref(), &self.target, common)?.with_preparation(preparation))
    }

    /// Returns the files that the command reads.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        [&self.data].into_iter().chain(&self.labels).map(PathBuf::as_path)
    }
}

/// Reads the files of inputs and targets and prints remarks on oddities.
pub fn read_source(data: &Path, labels: Option<&Path>, targets: &[String], common: &Common) -> Result<Source, Failure> {
    let read = |path: &Path| -> Result<Table, Failure> {
        let table = Table::read(path)?;
        if let Some(remark) = table.remark().filter(|_| !common.quiet) {
            say!("srfm: {remark}");
        }
        Ok(table)
    };
    Ok(Source::new(read(data)?, labels.map(read).transpose()?, targets))
}

/// Returns the classes whose scores a model computes; empty for quantities.
pub fn classes_of(blob: &Blob) -> Vec<String> {
    blob.model().classes().map(str::to_owned).collect()
}

/// Returns the kind of the targets that `--task` names.
pub fn target_kind(task: &str) -> TargetKind {
    if task == "classification" { TargetKind::Classes } else { TargetKind::Quantities }
}

/// Returns the error of a data file without targets.
pub fn no_targets(path: &Path, option: &str) -> Failure {
    let advice = "add the target as the last column, name its column with --target, or a file of targets with";
    Failure::new(format!("{}: has inputs only; {advice} {option}", path.display()))
}

/// Prints remarks on inputs that are constant or count the rows.
pub fn remark_on(data: &Dataset, common: &Common) {
    if !common.quiet {
        remark_on_constant(data);
        remark_on_counters(data);
    }
}

fn remark_on_constant(data: &Dataset) {
    /// The number of inputs that are named.
    const SHOWN: usize = 5;
    let varying = data.varying_inputs();
    if varying.is_empty() || varying.len() == data.inputs() {
        return;
    }
    let constant: Vec<usize> = (0..data.inputs()).filter(|i| varying.binary_search(i).is_err()).collect();
    let named: Vec<String> =
        constant.iter().take(SHOWN).map(|&i| format!("{} ({:?})", i + 1, data.input_names[i])).collect();
    let (named, rest) = (named.join(", "), constant.len().saturating_sub(SHOWN));
    match (constant.len(), rest) {
        (1, _) => say!("srfm: input {named} has the same value in every row and is left out"),
        (_, 0) => say!("srfm: inputs {named} have the same value in every row and are left out"),
        _ => say!("srfm: inputs {named} and {rest} more have the same value in every row and are left out"),
    }
}

fn remark_on_counters(data: &Dataset) {
    /// The least number of rows: a few numbers may happen to be in succession.
    const LEAST: usize = 10;
    let counts = |column: &[f64]| {
        let succeed = column.windows(2).all(|pair| pair[1] - pair[0] == 1.0);
        column.len() >= LEAST && [0.0, 1.0].contains(&column[0]) && succeed
    };
    for (input, (column, name)) in (1..).zip(data.x.column_iter().zip(&data.input_names)) {
        if counts(column.as_slice()) {
            let (from, entry) = (column[0], entry(name, data));
            say!("srfm: input {input} ({name:?}) counts the rows from {from}; if it is an index, add --ignore {entry}");
        }
    }
}

/// Returns an input column as an option takes it: by its number where the file has no name for it.
fn entry(name: &str, data: &Dataset) -> String {
    let is_name = |text: &&str| data.input_names.iter().chain(&data.output_names).any(|name| name == text);
    let number = name.strip_prefix("column ").filter(|number| number.parse::<usize>().is_ok());
    match number.filter(|number| !is_name(number)) {
        Some(number) => number.to_owned(),
        None if name.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c)) => name.to_owned(),
        None => format!("{name:?}"),
    }
}
