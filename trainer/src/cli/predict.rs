//! `srfm predict` and `srfm evaluate`: a model on the workstation, with the device's own code.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use nalgebra::DMatrix;
use serde::Serialize;
use srfm_trainer::data::{Dataset, csv::Table};
use srfm_trainer::export::{self, Blob};
use srfm_trainer::metrics::Metrics;

use super::failure::Failure;
use super::{Common, output};

#[derive(clap::Args)]
pub struct PredictArgs {
    /// The model file
    model: PathBuf,
    /// CSV file with the inputs; target columns may follow and are left out
    data: PathBuf,
    /// Name of a target column to leave out; repeat for several [default: the last, if there are more columns than inputs]
    #[arg(long, value_name = "NAME")]
    target: Vec<String>,
    /// File to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(clap::Args)]
pub struct EvaluateArgs {
    /// The model file
    model: PathBuf,
    /// CSV file with the inputs and the targets
    data: PathBuf,
    /// Name of a target column; repeat for several [default: the last]
    #[arg(long, value_name = "NAME")]
    target: Vec<String>,
}

/// Reads a table and says what is odd about it.
pub fn read_table(path: &Path, common: &Common) -> Result<Table, Failure> {
    let table = Table::read(path)?;
    if let Some(remark) = table.remark.as_ref().filter(|_| !common.quiet) {
        eprintln!("srfm: {remark}");
    }
    Ok(table)
}

/// Reads the columns that a model takes, and the targets if they are there.
pub fn read_for(blob: &Blob, data: &Path, targets: &[String], common: &Common) -> Result<Dataset, Failure> {
    let model = blob.model();
    let table = read_table(data, common)?;
    Ok(table.for_model(targets, model.inputs(), model.outputs(), model.header().inputs_hash)?)
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
        output::check_writable(path, [args.model.as_path(), args.data.as_path()])?;
    }
    let dataset = read_for(&blob, &args.data, &args.target, common)?;
    let rows = rows_of(&export::predict(&blob, &dataset.x));
    let outputs = blob.model().outputs();
    let names: Vec<String> = match dataset.output_names.len() {
        0 if outputs == 1 => vec!["prediction".to_owned()],
        0 => (1..=outputs).map(|o| format!("prediction {o}")).collect(),
        _ => dataset.output_names,
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
    let dataset = read_for(&blob, &args.data, &args.target, common)?;
    if dataset.outputs() == 0 {
        let path = args.data.display();
        return Err(Failure::new(format!("{path}: has the inputs alone; add the target as the last column")));
    }
    let metrics = Metrics::of(&export::predict(&blob, &dataset.x).cast(), &dataset.y);
    if common.json { output::print_json(&metrics) } else { output::print(&metrics.to_string()) }
}
