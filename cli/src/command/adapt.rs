//! `srfm adapt`: what recalibration on the device would have gained over a log.

use std::fmt;
use std::path::PathBuf;

use nalgebra::DMatrix;
use serde::Serialize;
use srfm_runtime::Model;
use srfm_runtime::adapt::Adaptation;
use srfm_trainer::data::{Dataset, Prepared};
use srfm_trainer::sampling::Sampler;

use crate::columns::remark_on_missing;
use crate::common::Common;
use crate::data::{DataArgs, no_targets};
use crate::description::unsuited;
use crate::failure::Failure;
use crate::output;
use crate::report::{counted, percent, significant};

/// The random stream that chooses the references, apart from those of fits.
const REFERENCE_STREAM: u64 = 9;

#[derive(clap::Args)]
#[command(after_help = "Example:\n  srfm adapt sensor.srfm next-year.csv --references 2%\n\n\
    Rows are replayed in the order of the file, by the code of the device. Each row is predicted before its reference \
    is used, and the errors are those of the rows without a reference.")]
pub struct Args {
    /// The model file
    model: PathBuf,
    #[command(flatten)]
    data: DataArgs,
    /// Share of the rows whose target is a reference: a number below 1, or in percent
    #[arg(long, default_value = "2%", value_parser = parse_share)]
    references: f64,
    /// What the correction is a linear function of. Products can correct more, and take more RAM
    #[arg(long, default_value = "products")]
    regressors: Regressors,
    /// Seed of the choice of references
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The regressors of the recalibration.
#[derive(Clone, Copy, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum Regressors {
    /// The prediction and the inputs
    Inputs,
    /// The prediction, the inputs, and the products of the prediction with itself and with each input
    Products,
}

/// Reads a share such as `0.02` or `2%`.
fn parse_share(text: &str) -> Result<f64, String> {
    let (number, unit) = text.strip_suffix('%').map_or((text, 1.0), |number| (number.trim_end(), 100.0));
    match number.parse::<f64>().map(|number| number / unit) {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("expected a share of the rows above 0 and below 1, such as 2%".to_owned()),
    }
}

/// The replay of a log.
#[derive(Serialize)]
struct Report {
    rows: usize,
    /// The number of references.
    references: usize,
    seed: u64,
    regressors: Regressors,
    /// The errors of the factory's model on the rows without a reference.
    frozen: Errors,
    /// Those of the predictions that references correct.
    adapted: Errors,
    /// The error of the adapted model less that of the factory's, as a share of the latter.
    change: f64,
    /// The row of the first alarm of drift, from 1; null without an alarm.
    first_alarm: Option<usize>,
    /// The number of rows with readings outside of the fitted range.
    outside: u32,
    /// The share of the coefficients at the end.
    share: f32,
    /// The recent offset at the end times its share, in usual errors.
    recent_offset: f32,
    /// The coefficients at the end: offset, gain, inputs, and with `products` those of the prediction with itself and
    /// with each input.
    coefficients: Vec<f32>,
    /// Bytes of RAM of the adaptation.
    ram_bytes: usize,
}

/// Errors over some rows.
#[derive(Clone, Copy, Default, Serialize)]
struct Errors {
    rmse: f64,
    /// The share of the rows within the interval; null where the model has none.
    coverage: Option<f64>,
}

/// Replays a log.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let blob = output::read_model(&args.model)?;
    let source = args.data.for_model(&args.model, &blob, common)?;
    let Prepared { data, counts, .. } =
        source.for_model(&blob.model()).map_err(|error| unsuited(&args.model, error))?;
    remark_on_missing(&counts, common);
    let model = blob.model();
    let name = args.model.display();
    if data.outputs() == 0 {
        return Err(no_targets(&args.data.data, "--labels"));
    } else if data.outputs() > 1 || !data.classes.is_empty() {
        return Err(Failure::new(format!("{name}: only models of one quantity adapt; fit a model for each target")));
    }
    let mut sampler = Sampler::stream(args.seed, REFERENCE_STREAM);
    let references: Vec<bool> = (0..data.rows()).map(|_| sampler.uniform(0.0, 1.0) < args.references).collect();
    let known = references.iter().filter(|&&is_reference| is_reference).count();
    let path = args.data.data.display();
    let rows = counted(data.rows(), "row");
    if known == 0 {
        return Err(Failure::new(format!("{path}: none of {rows} is a reference; raise --references or add rows")));
    } else if known == data.rows() {
        let why = "every row is a reference, and no row is left to compare";
        return Err(Failure::new(format!("{path}: {why}; lower --references or add rows")));
    }
    let report = replayed(&model, &data, &references, args)?;
    if common.json { output::print_json(&report) } else { output::print(&report.to_string()) }
}

/// Replays rows with the regressors of each input whose range the file states, or with offset and gain alone for a
/// model of more than sixteen inputs.
fn replayed(model: &Model<'_>, data: &Dataset, references: &[bool], args: &Args) -> Result<Report, Failure> {
    macro_rules! of_inputs {
        ($($inputs:literal)*) => {
            match (args.regressors, model.ranges().len()) {
                $(
                    (Regressors::Inputs, $inputs) => {
                        replay::<{ $inputs + 2 }, { ($inputs + 2) * ($inputs + 3) / 2 }>(model, data, references, args)
                    }
                    (Regressors::Products, $inputs) => {
                        replay::<{ 2 * $inputs + 3 }, { (2 * $inputs + 3) * ($inputs + 2) }>(
                            model, data, references, args,
                        )
                    }
                )*
                (Regressors::Products, 0) => replay::<3, 6>(model, data, references, args),
                _ => replay::<2, 3>(model, data, references, args),
            }
        };
    }
    of_inputs!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
}

fn replay<const N: usize, const T: usize>(
    model: &Model<'_>,
    data: &Dataset,
    references: &[bool],
    args: &Args,
) -> Result<Report, Failure> {
    let mut adapted = Adaptation::<N, T>::new(model);
    let half_width = model.half_width(0);
    let x: DMatrix<f32> = data.x.transpose().cast();
    let mut squares = [0.0; 2];
    let mut within = [0_usize; 2];
    let mut first_alarm = None;
    for (row, (&is_reference, &target)) in references.iter().zip(data.y.iter()).enumerate() {
        let column = x.column(row);
        let mut y = [0.0];
        let readings = column.as_slice();
        let refused = |error| Failure::new(format!("row {}: {error}", row + 1));
        model.predict(readings, &mut y).map_err(refused)?;
        let corrected = adapted.predict(model, readings).map_err(refused)?;
        adapted.drift.count(model.outside(readings).count());
        if is_reference {
            adapted.learn(model, readings, target as f32).map_err(refused)?;
            if adapted.drift.is_alarmed() && first_alarm.is_none() {
                first_alarm = Some(row + 1);
            }
            continue;
        }
        let errors = [f64::from(y[0]) - target, f64::from(corrected) - target];
        let half_widths = [half_width.unwrap_or(0.0), adapted.interval.half_width()];
        for (model, error) in errors.into_iter().enumerate() {
            squares[model] += error * error;
            within[model] += usize::from(error.abs() <= half_widths[model].into());
        }
    }
    let rows = references.len();
    let known = references.iter().filter(|&&is_reference| is_reference).count();
    let left = (rows - known) as f64;
    let errors = |model: usize| Errors {
        rmse: (squares[model] / left).sqrt(),
        coverage: half_width.map(|_| within[model] as f64 / left),
    };
    let frozen = errors(0);
    let corrected = errors(1);
    Ok(Report {
        rows,
        references: known,
        seed: args.seed,
        regressors: args.regressors,
        frozen,
        adapted: corrected,
        change: corrected.rmse / frozen.rmse - 1.0,
        first_alarm,
        outside: adapted.drift.outside().0,
        share: adapted.recalibration.share(),
        recent_offset: adapted.recalibration.recent_offset(),
        coefficients: adapted.recalibration.coefficients().to_vec(),
        ram_bytes: size_of::<Adaptation<N, T>>(),
    })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = counted(self.rows, "row");
        let references = counted(self.references, "reference");
        writeln!(f, "replayed      {rows}, {references}, seed {}", self.seed)?;
        let line = |errors: &Errors| {
            let coverage = errors.coverage.map_or(String::new(), |share| format!(", {} within", percent(share)));
            format!("RMSE {}{coverage}", significant(errors.rmse))
        };
        writeln!(f, "frozen        {}", line(&self.frozen))?;
        writeln!(f, "adapted       {}, {:+.1} %", line(&self.adapted), 100.0 * self.change)?;
        match self.first_alarm {
            Some(row) => writeln!(f, "drift         first alarm at row {row}")?,
            None => writeln!(f, "drift         no alarm")?,
        }
        writeln!(f, "outside       {} outside of the fitted range", counted(self.outside as usize, "row"))?;
        let coefficients = self.coefficients.len();
        writeln!(f, "RAM           {} bytes for {coefficients} coefficients, interval and alarms", self.ram_bytes)
    }
}
