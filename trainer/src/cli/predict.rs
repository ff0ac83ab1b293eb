//! `srfm predict` and `srfm evaluate`: a model on the workstation, with the device's own code.

use std::path::PathBuf;

use nalgebra::DMatrix;
use serde::Serialize;
use srfm_trainer::data::classes::decide;
use srfm_trainer::data::{Signature, csv};
use srfm_trainer::export;
use srfm_trainer::metrics::Evaluation;

use super::data::{DataArgs, no_targets, signature};
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

#[derive(Serialize)]
struct Report {
    rows: usize,
    /// The classes, in the order of the scores.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    classes: Vec<String>,
    predictions: Predictions,
    /// One list per row: the score of each class, or of the second where there are two.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    scores: Vec<Vec<f32>>,
    /// The CSV file with the same predictions; null where none was asked for.
    output: Option<PathBuf>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Predictions {
    /// One list of outputs per row.
    Quantities(Vec<Vec<f32>>),
    /// One class per row.
    Classes(Vec<String>),
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
    let Signature { classes, outputs, .. } = signature(&blob);
    let readings = args.data.read(common)?.readings(&signature(&blob))?;
    let predicted = export::predict(&blob, &readings.x);
    let rows = rows_of(&predicted);
    let (predictions, scores) = if classes.is_empty() {
        (Predictions::Quantities(rows), Vec::new())
    } else {
        let decisions = decide(&predicted.cast()).into_iter().map(|class| classes[class].clone());
        (Predictions::Classes(decisions.collect()), rows)
    };
    let names: Vec<String> = match readings.target_names.len() {
        0 if outputs == 1 || !classes.is_empty() => vec!["prediction".to_owned()],
        0 => (1..=outputs).map(|o| format!("prediction {o}")).collect(),
        _ => readings.target_names,
    };
    let text = csv::text(&names, &predictions.lines());
    if let Some(path) = &args.output {
        output::write(path, text.as_bytes())?;
    }
    if common.json {
        let (rows, output) = (readings.x.nrows(), args.output.clone());
        return output::print_json(&Report { rows, classes, predictions, scores, output });
    }
    if args.output.is_none() { output::print(&text) } else { Ok(()) }
}

impl Predictions {
    /// The fields of every row.
    fn lines(&self) -> Vec<Vec<String>> {
        match self {
            Predictions::Quantities(rows) => rows.iter().map(|row| row.iter().map(f32::to_string).collect()).collect(),
            Predictions::Classes(rows) => rows.iter().map(|class| vec![class.clone()]).collect(),
        }
    }
}

pub fn evaluate(args: &EvaluateArgs, common: &Common) -> Result<(), Failure> {
    let blob = output::read_model(&args.model)?;
    let dataset = args.data.read(common)?.for_model(&signature(&blob))?;
    if dataset.outputs() == 0 {
        return Err(no_targets(&args.data.data, "--labels"));
    }
    let evaluation = Evaluation::of(&export::predict(&blob, &dataset.x).cast(), &dataset);
    if common.json { output::print_json(&evaluation) } else { output::print(&evaluation.to_string()) }
}
