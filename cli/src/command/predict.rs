//! `srfm predict`: the device's own code on the workstation.

use std::path::PathBuf;

use crate::report::{Predicted, Predictions};
use nalgebra::DMatrix;
use serde::Serialize;
use srfm_trainer::data::{Counts, Description, Prepared};
use srfm_trainer::export::{self, Blob};

use crate::columns::remark_on_missing;
use crate::common::Common;
use crate::data::classes_of;
use crate::description::{self, unsuited};
use crate::failure::Failure;
use crate::output::{self, Sink};
use crate::ranges::Ranges;
use crate::rows::RowsArgs;

#[derive(clap::Args)]
#[command(after_help = "Example:\n  srfm predict sensor.srfm new.csv --intervals -o predictions.csv")]
pub struct PredictArgs {
    #[command(flatten)]
    rows: RowsArgs,
    /// Add the ends of the interval around every prediction, and the number of inputs of the row outside of the fitted
    /// range; a small model may hold no ranges
    #[arg(long)]
    intervals: bool,
    /// Add the probability of every class
    #[arg(long, conflicts_with = "intervals")]
    probabilities: bool,
    /// File to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The predictions of a file.
#[derive(Serialize)]
struct Report {
    rows: usize,
    /// The rows of the data file.
    data: Counts,
    /// Null where the rows come in blocks.
    #[serde(flatten)]
    predicted: Option<Predicted>,
    /// The level of the prediction intervals; null if the model has no intervals.
    level: Option<f32>,
    /// Half the width of each output's interval; empty if the model has no intervals.
    half_widths: Vec<f32>,
    /// The number of inputs of each row outside of the fitted range; null if the model has no ranges, and where the
    /// rows come in blocks.
    outside: Option<Vec<usize>>,
    /// The CSV file with the same predictions; null without `--output`.
    output: Option<PathBuf>,
}

/// What is known of the rows so far.
#[derive(Default)]
struct Progress {
    rows: usize,
    counts: Counts,
    ranges: Ranges,
    /// The predictions of the last block, and its inputs outside.
    last: Option<(Predicted, Option<Vec<usize>>)>,
}

/// Predicts the rows of a data file.
pub fn predict(args: &PredictArgs, common: &Common) -> Result<(), Failure> {
    let blob = output::read_model(&args.rows.model)?;
    match &args.output {
        Some(path) => {
            let beside = description::path(&args.rows.model);
            output::check_writable(path, args.rows.files().chain([beside.as_path()]))?;
        }
        None if common.json && args.rows.in_blocks() => {
            return Err(Failure::usage("--json with --memory: name a file for the predictions with -o"));
        }
        None => {}
    }
    let model = blob.model();
    let half_widths: Vec<f32> = (0..model.outputs()).filter_map(|output| model.half_width(output)).collect();
    check_intervals(args, &blob, &half_widths)?;
    if args.probabilities && classes_of(&blob).is_empty() {
        let model = args.rows.model.display();
        return Err(Failure::new(format!("{model}: predicts quantities, not classes; leave out --probabilities")));
    }
    let prints = args.output.is_some() || !common.json;
    let mut sink = prints.then(|| Sink::new(args.output.as_deref())).transpose()?;
    let mut so_far = Progress::default();
    args.rows.each(&blob, common, |source| {
        let Prepared { data, description, counts, .. } =
            source.inputs(&model).map_err(|e| unsuited(&args.rows.model, e))?;
        let outside = so_far.ranges.add(&blob, &data.input_names, &data.x);
        let predicted = Predicted::of(&blob, &predictions(&blob, &data.x));
        if let Some(sink) = &mut sink {
            let names = names(description, &blob);
            let with_intervals = args.intervals.then_some((&half_widths[..], outside.as_deref()));
            let header = so_far.rows == 0;
            let text = match args.probabilities {
                true => with_probabilities(&names, &predicted, header),
                false => table(&names, &predicted, with_intervals, header),
            };
            sink.write(text.as_bytes())?;
        }
        so_far.rows += data.rows();
        so_far.counts += counts;
        so_far.last = Some((predicted, outside));
        Ok(())
    })?;
    let Progress { rows, counts, ranges, last } = so_far;
    remark_on_missing(&counts, common);
    if !common.quiet {
        remark_on_ranges(args, &ranges);
    }
    if let Some(sink) = sink {
        sink.finish()?;
    }
    if !common.json {
        return Ok(());
    }
    let (predicted, outside) = last.filter(|_| !args.rows.in_blocks()).unzip();
    let level = model.level();
    let outside = outside.flatten();
    let output = args.output.clone();
    output::print_json(&Report { rows, data: counts, predicted, level, half_widths, outside, output })
}

/// Checks that the model has the intervals that are asked for.
fn check_intervals(args: &PredictArgs, blob: &Blob, half_widths: &[f32]) -> Result<(), Failure> {
    if !args.intervals || !half_widths.is_empty() {
        return Ok(());
    }
    let message = if classes_of(blob).is_empty() {
        "has no intervals, which cross-validation gives; fit with several settings to choose from, such as without \
         --lambda"
    } else {
        "has classes, which have no intervals; leave out --intervals"
    };
    Err(Failure::new(format!("{}: {message}", args.rows.model.display())))
}

/// Returns the names of the predicted columns.
fn names(description: Description, blob: &Blob) -> Vec<String> {
    let columns = if classes_of(blob).is_empty() { blob.model().outputs() } else { 1 };
    match description.targets {
        targets if targets.len() == columns => targets,
        _ if columns == 1 => vec!["prediction".to_owned()],
        _ => (1..=columns).map(|column| format!("prediction {column}")).collect(),
    }
}

/// Returns predictions as CSV, with the ends of intervals and the counts of inputs outside where these are given.
fn table(
    names: &[String],
    predicted: &Predicted,
    with_intervals: Option<(&[f32], Option<&[usize]>)>,
    header: bool,
) -> String {
    let (titles, lines) = match (&predicted.predictions, with_intervals) {
        (Predictions::Quantities(rows), Some((half_widths, outside))) => {
            let ends = names.iter().flat_map(|n| [n.clone(), format!("{n} low"), format!("{n} high")]);
            let titles: Vec<String> = ends.chain(outside.iter().map(|_| "outside".to_owned())).collect();
            let line = |(place, row): (usize, &Vec<f32>)| {
                let ends = row.iter().zip(half_widths).flat_map(|(y, h)| [*y, y - h, y + h].map(|v| v.to_string()));
                ends.chain(outside.iter().map(|outside| outside[place].to_string())).collect()
            };
            (titles, rows.iter().enumerate().map(line).collect())
        }
        _ => (names.to_vec(), predicted.lines()),
    };
    csv_text(header.then_some(&titles), &lines)
}

/// Returns classes and the probability of each as CSV.
fn with_probabilities(names: &[String], predicted: &Predicted, header: bool) -> String {
    let of_class = predicted.classes.iter().map(|class| format!("probability of {class}"));
    let titles: Vec<String> = names.iter().cloned().chain(of_class).collect();
    let line = |(mut line, shares): (Vec<String>, &Vec<f32>)| {
        let field = |share: &f32| if share.is_nan() { String::new() } else { share.to_string() };
        line.extend(shares.iter().map(field));
        line
    };
    let lines: Vec<Vec<String>> = predicted.lines().into_iter().zip(&predicted.probabilities).map(line).collect();
    csv_text(header.then_some(&titles), &lines)
}

/// Says how many rows have readings outside of the range of the fitted rows, or that this is not known.
fn remark_on_ranges(args: &PredictArgs, ranges: &Ranges) {
    if args.intervals && ranges.are_unknown() {
        let name = args.rows.model.display();
        say!("srfm: {name}: its flash budget left no room for the ranges of its inputs: no column outside");
    } else if let Some(remark) = ranges.remark() {
        say!("srfm: {remark}");
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

/// Returns a table as CSV; fields are quoted where necessary.
fn csv_text(header: Option<&Vec<String>>, rows: &[Vec<String>]) -> String {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    for row in header.into_iter().chain(rows) {
        writer.write_record(row).expect("writing to memory succeeds");
    }
    String::from_utf8(writer.into_inner().expect("writing to memory succeeds")).expect("fields are UTF-8")
}
