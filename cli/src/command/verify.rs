//! The figures of a model file and of its description, compared with data and with the emulated cores.

use std::fmt;
use std::path::Path;

use serde::Serialize;
use srfm_trainer::cost::{Core, instruction_bound};
use srfm_trainer::data::{DataError, Dataset, Description, Prepared};
use srfm_trainer::emulate::{Emulator, require};
use srfm_trainer::export::{self, Blob};
use srfm_trainer::message::{Explain, Message};

use crate::command::device::emulate;
use crate::command::evaluate::EvaluateArgs;
use crate::common::Common;
use crate::data::read_source;
use crate::failure::Failure;
use crate::options::Options;
use crate::origin::{DataFile, Origin};
use crate::report::{Evaluated, ModelSummary, percent, significant};
use crate::sequences::Sequences;

/// Rows that the emulated cores predict.
const EMULATED: usize = 100;

/// The largest relative difference of an error that the same rows give: sums of other rows are rounded otherwise.
const ROUNDING: f64 = 1e-9;

/// Standard deviations that the share of rows in intervals may be below their level.
const DEVIATIONS: f64 = 3.0;

/// The outcome of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Holds,
    Differs,
    /// The figure could not be compared.
    Unchecked,
}

/// A figure and what was found.
#[derive(Serialize)]
pub struct Check {
    figure: String,
    stated: String,
    found: String,
    outcome: Outcome,
}

impl Check {
    fn new(figure: &str, stated: String, found: String, holds: bool) -> Check {
        let outcome = if holds { Outcome::Holds } else { Outcome::Differs };
        Check { figure: figure.to_owned(), stated, found, outcome }
    }

    /// A figure that cannot be compared, and why.
    fn unchecked(figure: &str, stated: String, why: &str) -> Check {
        Check { figure: figure.to_owned(), stated, found: why.to_owned(), outcome: Outcome::Unchecked }
    }

    /// Returns whether the figure may be right.
    pub fn passes(&self) -> bool {
        self.outcome != Outcome::Differs
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Check { figure, stated, found, outcome } = self;
        let outcome = match outcome {
            Outcome::Holds => "holds",
            Outcome::Differs => "DIFFERS",
            Outcome::Unchecked => "not checked",
        };
        writeln!(f, "{outcome:<13} {figure}: {stated}; found {found}")
    }
}

/// Compares the figures of a model with the rows of a data file.
pub fn checks(
    blob: &Blob,
    description: Option<&Description>,
    path: &Path,
    common: &Common,
) -> Result<Vec<Check>, Failure> {
    let source = read_source(path, None, &[], common)?;
    let source = match description {
        Some(description) => {
            source.with_preparation(description.preparation()).with_description(Some(description.clone()))
        }
        None => source,
    };
    let origin = description.and_then(Origin::read);
    let source = source.with_weight(weight_of(origin.as_ref(), path));
    let unsuited = |error: DataError| Failure::new(with_options_of_evaluate(&error.message()));
    let rows = source.for_model(&blob.model()).map_err(unsuited)?;
    let mut checks = Vec::new();
    if let Some(origin) = &origin {
        checks.extend(of_origin(origin, blob, &rows.data, path)?);
    }
    checks.push(Check::new("flash", format!("{} bytes", blob.model().flash_bytes()), bytes(blob), {
        blob.model().flash_bytes() == blob.bytes().len()
    }));
    checks.extend(of_limits(blob, &rows.data));
    if rows.data.outputs() > 0 {
        checks.extend(of_intervals(blob, &rows.data));
    }
    // The samples of a model with lags stay in place, as on the device.
    let samples = match blob.model().samples().is_empty() {
        true => rows,
        false => source.inputs(&blob.model()).map_err(unsuited)?,
    };
    checks.extend(of_cores(blob, &samples, common)?);
    Ok(checks)
}

/// Returns the column of weights of the file that a model was fitted to; none for other files and without weights.
fn weight_of<'a>(origin: Option<&'a Origin>, path: &Path) -> Option<&'a str> {
    let origin = origin?;
    let file = origin.files.first().filter(|file| !file.crc64.is_empty())?;
    let is_same = || DataFile::of(path).is_ok_and(|found| found.crc64 == file.crc64);
    origin.weight.as_deref().filter(|_| is_same())
}

/// Returns a message with the options of `srfm evaluate`, which reads the same rows.
fn with_options_of_evaluate(message: &Message) -> String {
    let options = Options::of::<EvaluateArgs>();
    let text = options.render(message);
    if options.has_any_in(message) { format!("{text} (an option of srfm evaluate)") } else { text }
}

fn bytes(blob: &Blob) -> String {
    format!("{} bytes", blob.bytes().len())
}

/// Compares the data file and the errors with what the description states.
fn of_origin(origin: &Origin, blob: &Blob, data: &Dataset, path: &Path) -> Result<Vec<Check>, Failure> {
    let Some(stated) = origin.files.first() else { return Ok(Vec::new()) };
    let found = DataFile::of(path)?;
    let same = stated.crc64 == found.crc64 && !stated.crc64.is_empty();
    let of_file = |file: &DataFile| format!("{} (CRC-64 {})", file.name, file.crc64);
    if !same {
        let why = format!("another file, {}; errors are not compared", of_file(&found));
        return Ok(vec![Check::unchecked("data", of_file(stated), &why)]);
    }
    let mut checks = vec![Check::new("data", of_file(stated), "the same bytes".to_owned(), true)];
    // The rows that were held out are the others.
    let others = data.rows().saturating_sub(origin.rows);
    if let Some(outside) = export::outside(blob, &data.x).filter(|_| others == 0) {
        let rows = outside.iter().filter(|&&inputs| inputs > 0).count();
        checks.push(Check::new("fitted ranges", "all rows".to_owned(), format!("{rows} rows outside"), rows == 0));
    }
    if data.outputs() == 0 {
        return Ok(checks);
    }
    let squares = |name: &str, rows: usize| origin.errors.get(name).map(|rmse| rmse * rmse * rows as f64);
    let Some(training) = squares("training RMSE", origin.rows) else { return Ok(checks) };
    let total = match squares("holdout RMSE", others) {
        // What held-out rows count is not known.
        Some(_) if !data.weights.is_empty() => return Ok(checks),
        Some(holdout) => training + holdout,
        None if others == 0 => training,
        None => return Ok(checks),
    };
    let rmse = (total / data.rows() as f64).sqrt();
    let found = metrics_rmse(blob, data);
    let holds = (rmse - found).abs() <= ROUNDING * rmse;
    checks.push(Check::new("RMSE of all rows", significant(rmse), significant(found), holds));
    Ok(checks)
}

fn metrics_rmse(blob: &Blob, data: &Dataset) -> f64 {
    let predictions = export::predict(blob, &data.x).cast();
    srfm_trainer::validate::Metrics::weighted(&predictions, &data.y, &data.row_weights()).rmse
}

/// Compares the predictions with their stated limits.
fn of_limits(blob: &Blob, data: &Dataset) -> Vec<Check> {
    let ModelSummary { output_min, output_max, .. } = ModelSummary::of(blob);
    let y = export::predict(blob, &data.x);
    let check = |(output, (&low, &high)): (usize, (&f32, &f32))| {
        let values = y.column(output).iter().copied().filter(|y| !y.is_nan()).collect::<Vec<f32>>();
        let least = values.iter().copied().fold(low.max(high), f32::min);
        let most = values.iter().copied().fold(low, f32::max);
        let figure = format!("range of output {}", output + 1);
        Check::new(&figure, format!("{low} to {high}"), format!("{least} to {most}"), low <= least && most <= high)
    };
    output_min.iter().zip(&output_max).enumerate().map(check).collect()
}

/// Compares the share of rows in the intervals with their level.
fn of_intervals(blob: &Blob, data: &Dataset) -> Vec<Check> {
    let evaluated = Evaluated::of(blob, data, &data.weights);
    let Some(level) = evaluated.level.map(f64::from) else { return Vec::new() };
    let margin = DEVIATIONS * (level * (1.0 - level) / data.rows() as f64).sqrt();
    let check = |(output, &share): (usize, &f64)| {
        let figure = format!("rows in the interval of output {}", output + 1);
        Check::new(&figure, percent(level), percent(share), share >= level - margin)
    };
    evaluated.coverage.iter().enumerate().map(check).collect()
}

/// Compares the instructions of the emulated cores with the bounds, and their bits with the workstation's.
fn of_cores(blob: &Blob, rows: &Prepared, common: &Common) -> Result<Vec<Check>, Failure> {
    let sequences = Sequences::of(rows, EMULATED);
    let quiet = Common { quiet: true, arguments: Vec::new(), ..*common };
    let check = |core: Core| -> Result<Check, Failure> {
        let figure = format!("instructions on {core}");
        let most = instruction_bound(&blob.model(), core);
        let stated = if most < u32::MAX { format!("at most {most}") } else { "not known".to_owned() };
        if sequences.complete.is_empty() {
            return Ok(Check::unchecked(&figure, stated, "no complete row"));
        } else if let Err(error) = require(&[core]) {
            return Ok(Check::unchecked(&figure, stated, &error.to_string()));
        }
        let run = emulate(blob, &sequences, core, &Emulator::new(core)?, &quiet)?;
        let bits = if run.bit_exact { "the bits of the workstation" } else { "OTHER BITS than the workstation" };
        let found = format!("at most {} with {bits}", run.instructions_max);
        Ok(Check::new(&figure, stated, found, run.bit_exact && run.instructions_max <= most))
    };
    Core::of_runtime().into_iter().map(check).collect()
}
