//! `srfm predict` and `srfm evaluate`: a model on the workstation, with the device's own code.

use std::path::PathBuf;

use serde::Serialize;
use srfm_trainer::data::{Signature, csv};
use srfm_trainer::export;
use srfm_trainer::metrics::Evaluation;
use srfm_trainer::report::Predicted;

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
    #[serde(flatten)]
    predicted: Predicted,
    /// The CSV file with the same predictions; null where none was asked for.
    output: Option<PathBuf>,
}

pub fn predict(args: &PredictArgs, common: &Common) -> Result<(), Failure> {
    let blob = output::read_model(&args.model)?;
    if let Some(path) = &args.output {
        output::check_writable(path, args.data.files().chain([args.model.as_path()]))?;
    }
    let Signature { classes, outputs, .. } = signature(&blob);
    let readings = args.data.read(common)?.readings(&signature(&blob))?;
    let classifies = !classes.is_empty();
    let predicted = Predicted::of(&export::predict(&blob, &readings.x), classes);
    let names: Vec<String> = match readings.target_names.len() {
        0 if outputs == 1 || classifies => vec!["prediction".to_owned()],
        0 => (1..=outputs).map(|o| format!("prediction {o}")).collect(),
        _ => readings.target_names,
    };
    let text = csv::text(&names, &predicted.lines());
    if let Some(path) = &args.output {
        output::write(path, text.as_bytes())?;
    }
    if common.json {
        let (rows, output) = (readings.x.nrows(), args.output.clone());
        return output::print_json(&Report { rows, predicted, output });
    }
    if args.output.is_none() { output::print(&text) } else { Ok(()) }
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
