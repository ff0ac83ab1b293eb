//! `srfm predict` and `srfm evaluate`: a model on the workstation, with the device's own code.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use nalgebra::DMatrix;
use serde::Serialize;
use srfm_trainer::data::{Signature, Source, Table};
use srfm_trainer::export::{self, Blob};
use srfm_trainer::metrics::Metrics;

use super::failure::Failure;
use super::{Common, output};

#[derive(clap::Args)]
pub struct PredictArgs {
    /// The model file
    model: PathBuf,
    #[command(flatten)]
    data: DataArgs,
    /// File to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(clap::Args)]
pub struct EvaluateArgs {
    /// The model file
    model: PathBuf,
    #[command(flatten)]
    data: DataArgs,
}

/// The rows that a model is to look at.
#[derive(clap::Args)]
pub struct DataArgs {
    /// Data file with the inputs, CSV, .npy or IDX, also gzipped; target columns may follow
    pub data: PathBuf,
    /// Name of a target column; repeat for several [default: the last, if there are more columns than inputs]
    #[arg(long, value_name = "NAME")]
    pub target: Vec<String>,
    /// Data file of the targets, a row for each row of inputs
    #[arg(long, value_name = "FILE")]
    pub labels: Option<PathBuf>,
}

impl DataArgs {
    /// Reads the files.
    pub fn read(&self, common: &Common) -> Result<Source, Failure> {
        read_source(&self.data, self.labels.as_deref(), &self.target, common)
    }

    /// The files that are read.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        [&self.data].into_iter().chain(&self.labels).map(PathBuf::as_path)
    }
}

/// Reads the files of inputs and targets and says what is odd about them.
pub fn read_source(data: &Path, labels: Option<&Path>, targets: &[String], common: &Common) -> Result<Source, Failure> {
    let read = |path: &Path| -> Result<Table, Failure> {
        let table = Table::read(path)?;
        if let Some(remark) = table.remark().filter(|_| !common.quiet) {
            eprintln!("srfm: {remark}");
        }
        Ok(table)
    };
    Ok(Source { table: read(data)?, labels: labels.map(read).transpose()?, targets: targets.to_vec() })
}

/// What a model takes and gives.
pub fn signature(blob: &Blob) -> Signature {
    let model = blob.model();
    Signature { inputs: model.inputs(), outputs: model.outputs(), inputs_hash: model.header().inputs_hash }
}

#[derive(Serialize)]
struct Predictions {
    rows: usize,
    /// One list per row.
    predictions: Vec<Vec<f32>>,
    /// The CSV file with the same numbers; null where none was asked for.
    output: Option<PathBuf>,
}

/// One list of outputs per row.
pub fn rows_of(predictions: &DMatrix<f32>) -> Vec<Vec<f32>> {
    predictions.row_iter().map(|row| row.iter().copied().collect()).collect()
}

pub fn predict(args: &PredictArgs, common: &Common) -> Result<(), Failure> {
    let blob = output::read_model(&args.model)?;
    if let Some(path) = &args.output {
        output::check_writable(path, args.data.files().chain([args.model.as_path()]))?;
    }
    let readings = args.data.read(common)?.readings(&signature(&blob))?;
    let rows = rows_of(&export::predict(&blob, &readings.x));
    let outputs = blob.model().outputs();
    let names: Vec<String> = match readings.target_names.len() {
        0 if outputs == 1 => vec!["prediction".to_owned()],
        0 => (1..=outputs).map(|o| format!("prediction {o}")).collect(),
        _ => readings.target_names,
    };
    let mut text = names.join(",") + "\n";
    for row in &rows {
        let values: Vec<String> = row.iter().map(f32::to_string).collect();
        let _ = writeln!(text, "{}", values.join(","));
    }
    if let Some(path) = &args.output {
        output::write(path, text.as_bytes())?;
    }
    if common.json {
        return output::print_json(&Predictions { rows: rows.len(), predictions: rows, output: args.output.clone() });
    }
    if args.output.is_none() { output::print(&text) } else { Ok(()) }
}

pub fn evaluate(args: &EvaluateArgs, common: &Common) -> Result<(), Failure> {
    let blob = output::read_model(&args.model)?;
    let dataset = args.data.read(common)?.for_model(&signature(&blob))?;
    if dataset.outputs() == 0 {
        return Err(no_targets(&args.data.data));
    }
    let metrics = Metrics::of(&export::predict(&blob, &dataset.x).cast(), &dataset.y);
    if common.json { output::print_json(&metrics) } else { output::print(&metrics.to_string()) }
}

/// Says that a file has nothing to compare with.
pub fn no_targets(path: &Path) -> Failure {
    let advice = "add the target as the last column, or name a file of targets with --labels";
    Failure::new(format!("{}: has the inputs alone; {advice}", path.display()))
}
