//! `srfm predict` and `srfm evaluate`: the device's own code on the workstation.

use std::path::PathBuf;

use crate::report::{Evaluated, Predicted, Predictions, counted};
use nalgebra::DMatrix;
use serde::Serialize;
use srfm_trainer::data::{Counts, Prepared};
use srfm_trainer::export::{self, Blob};

use crate::cli::columns::remark_on_missing;
use crate::cli::common::Common;
use crate::cli::data::{DataArgs, classes_of, no_targets};
use crate::cli::failure::Failure;
use crate::cli::output;

#[derive(clap::Args)]
pub struct PredictArgs {
    /// The model file
    model: PathBuf,
    #[command(flatten)]
    data: DataArgs,
    /// Add the ends of the interval around every prediction, and the number of inputs of the row outside of the fitted
    /// range; a small model may hold no ranges
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

/// The predictions of a file.
#[derive(Serialize)]
struct Report {
    rows: usize,
    /// The rows of the data file.
    data: Counts,
    #[serde(flatten)]
    predicted: Predicted,
    /// The level of the prediction intervals; null if the model has no intervals.
    level: Option<f32>,
    /// Half the width of each output's interval; empty if the model has no intervals.
    half_widths: Vec<f32>,
    /// The number of inputs of each row outside of the fitted range; null if the model has no ranges.
    outside: Option<Vec<usize>>,
    /// The CSV file with the same predictions; null without `--output`.
    output: Option<PathBuf>,
}

/// The errors on a file.
#[derive(Serialize)]
struct Errors<'a> {
    #[serde(flatten)]
    evaluated: &'a Evaluated,
    /// The rows of the data file.
    data: Counts,
}

/// Predicts the rows of a data file.
pub fn predict(args: &PredictArgs, common: &Common) -> Result<(), Failure> {
    let blob = output::read_model(&args.model)?;
    if let Some(path) = &args.output {
        output::check_writable(path, args.data.files().chain([args.model.as_path()]))?;
    }
    let (model, classes) = (blob.model(), classes_of(&blob));
    let (source, outputs) = (args.data.for_model(&args.model, &blob, common)?, model.outputs());
    let Prepared { data, description, counts, .. } = source.inputs(&model)?;
    remark_on_missing(&counts, common);
    let x = data.x;
    let classifies = !classes.is_empty();
    let columns = if classifies { 1 } else { outputs };
    let predicted = Predicted::of(&predictions(&blob, &x), classes);
    let names: Vec<String> = match description.targets {
        targets if targets.len() == columns => targets,
        _ if columns == 1 => vec!["prediction".to_owned()],
        _ => (1..=columns).map(|column| format!("prediction {column}")).collect(),
    };
    let half_widths: Vec<f32> = (0..outputs).filter_map(|output| model.half_width(output)).collect();
    let outside = export::outside(&blob, &x);
    if args.intervals && half_widths.is_empty() {
        let message = if classifies {
            "has classes, which have no intervals; leave out --intervals"
        } else {
            "has no intervals, which cross-validation gives; fit with several settings to choose from, such as without \
             --lambda"
        };
        return Err(Failure::new(format!("{}: {message}", args.model.display())));
    }
    if !common.quiet {
        remark_on_ranges(args, outside.as_deref());
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
            csv_text(&header, &lines)
        }
        _ => csv_text(&names, &predicted.lines()),
    };
    if let Some(path) = &args.output {
        output::write(path, text.as_bytes())?;
    }
    if common.json {
        let (rows, output) = (x.nrows(), args.output.clone());
        let level = model.level();
        return output::print_json(&Report { rows, data: counts, predicted, level, half_widths, outside, output });
    }
    if args.output.is_none() { output::print(&text) } else { Ok(()) }
}

/// Says how many rows have readings outside of the range of the fitted rows, or that this is not known.
fn remark_on_ranges(args: &PredictArgs, outside: Option<&[usize]>) {
    let rows_outside = outside.iter().copied().flatten().filter(|&&count| count > 0).count();
    match outside {
        None if args.intervals => {
            let name = args.model.display();
            eprintln!("srfm: {name}: its flash budget left no room for the ranges of its inputs: no column outside");
        }
        Some(rows) if rows_outside > 0 => {
            let of = counted(rows.len(), "row");
            eprintln!("srfm: {rows_outside} of {of} have readings outside of the range that the model was fitted to");
        }
        _ => {}
    }
}

/// Returns the outputs of a model (n×k); NaN in rows with missing values.
fn predictions(blob: &Blob, x: &DMatrix<f64>) -> DMatrix<f32> {
    let mut outputs = export::predict(blob, x);
    for (mut outputs, x) in outputs.row_iter_mut().zip(x.row_iter()) {
        if x.iter().any(|value| value.is_nan()) {
            outputs.fill(f32::NAN);
        }
    }
    outputs
}

/// Compares predictions with targets.
pub fn evaluate(args: &EvaluateArgs, common: &Common) -> Result<(), Failure> {
    let blob = output::read_model(&args.model)?;
    let source = args.data.for_model(&args.model, &blob, common)?;
    let Prepared { data: dataset, counts, .. } = source.for_model(&blob.model())?;
    remark_on_missing(&counts, common);
    if dataset.outputs() == 0 {
        return Err(no_targets(&args.data.data, "--labels"));
    }
    let evaluated = Evaluated::of(&blob, &dataset);
    if common.json {
        output::print_json(&Errors { evaluated: &evaluated, data: counts })
    } else {
        output::print(&evaluated.to_string())
    }
}

/// Returns a table as CSV; fields are quoted where necessary.
fn csv_text(header: &[String], rows: &[Vec<String>]) -> String {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    for row in [header].into_iter().chain(rows.iter().map(Vec::as_slice)) {
        writer.write_record(row).expect("writing to memory succeeds");
    }
    String::from_utf8(writer.into_inner().expect("writing to memory succeeds")).expect("fields are UTF-8")
}
