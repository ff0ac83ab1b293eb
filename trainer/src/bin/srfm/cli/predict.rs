//! `srfm predict` and `srfm evaluate`: a model on the workstation, with the device's own code.

use std::path::PathBuf;

use crate::report::{Evaluated, Predicted, Predictions, counted};
use serde::Serialize;
use srfm_trainer::data::{Signature, csv};
use srfm_trainer::export;

use crate::cli::data::{DataArgs, no_targets, signature};
use crate::cli::failure::Failure;
use crate::cli::{Common, output};

#[derive(clap::Args)]
pub struct PredictArgs {
    /// The model file
    model: PathBuf,
    #[command(flatten)]
    data: DataArgs,
    /// Add the ends of the interval around every prediction, and, unless the model is too small to hold the ranges of its
    /// inputs, how many readings of the row are outside of what it was fitted to
    #[arg(long)]
    intervals: bool,
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
    /// The level of the intervals around predictions; null where the model has none.
    level: Option<f32>,
    /// Half the width of the interval of each output; empty where the model has none.
    half_widths: Vec<f32>,
    /// Readings of each row outside of what the model was fitted to; null where it does not say.
    outside: Option<Vec<usize>>,
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
    let model = blob.model();
    let half_widths: Vec<f32> = (0..outputs).filter_map(|output| model.half_width(output)).collect();
    let outside = export::outside(&blob, &readings.x);
    if args.intervals && half_widths.is_empty() {
        let message = "has no intervals; fit a larger model of quantities, with settings to choose from";
        return Err(Failure::new(format!("{}: {message}", args.model.display())));
    }
    if args.intervals && outside.is_none() && !common.quiet {
        eprintln!("srfm: {}: too small to hold the ranges of its inputs: no column outside", args.model.display());
    }
    let rows_outside = outside.iter().flatten().filter(|&&count| count > 0).count();
    if rows_outside > 0 && !common.quiet {
        let of = counted(readings.x.nrows(), "row");
        eprintln!("srfm: {rows_outside} of {of} have readings outside of the range that the model was fitted to");
    }
    let text = match &predicted.predictions {
        Predictions::Quantities(rows) if args.intervals => {
            let ends = names.iter().flat_map(|n| [n.clone(), format!("{n} low"), format!("{n} high")]);
            let header: Vec<String> = ends.chain(outside.iter().map(|_| "outside".to_owned())).collect();
            let line = |(place, row): (usize, &Vec<f32>)| {
                let ends = row.iter().zip(&half_widths).flat_map(|(y, h)| [*y, y - h, y + h].map(|v| v.to_string()));
                ends.chain(outside.iter().map(|outside| outside[place].to_string())).collect()
            };
            let lines: Vec<Vec<String>> = rows.iter().enumerate().map(line).collect();
            csv::text(&header, &lines)
        }
        _ => csv::text(&names, &predicted.lines()),
    };
    if let Some(path) = &args.output {
        output::write(path, text.as_bytes())?;
    }
    if common.json {
        let (rows, output) = (readings.x.nrows(), args.output.clone());
        let level = model.level();
        return output::print_json(&Report { rows, predicted, level, half_widths, outside, output });
    }
    if args.output.is_none() { output::print(&text) } else { Ok(()) }
}

pub fn evaluate(args: &EvaluateArgs, common: &Common) -> Result<(), Failure> {
    let blob = output::read_model(&args.model)?;
    let dataset = args.data.read(common)?.for_model(&signature(&blob))?;
    if dataset.outputs() == 0 {
        return Err(no_targets(&args.data.data, "--labels"));
    }
    let evaluated = Evaluated::of(&blob, &dataset);
    if common.json { output::print_json(&evaluated) } else { output::print(&evaluated.to_string()) }
}
