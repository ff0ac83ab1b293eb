//! `srfm fit`: from a CSV file to a model file.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::builder::RangedU64ValueParser;
use serde::Serialize;
use srfm_trainer::compact::importance::Importance;
use srfm_trainer::data::{Dataset, inputs_hash, split};
use srfm_trainer::export::{self, budget};
use srfm_trainer::fit::{self, Fit, FitConfig};
use srfm_trainer::method::{FitError, MethodConfig};
use srfm_trainer::metrics::Metrics;
use srfm_trainer::report::{ModelSummary, counted, shares, significant};
use srfm_trainer::sampling::Sampler;

use super::failure::Failure;
use super::predict::read_table;
use super::progress::Progress;
use super::settings::{self, Orders, parse_orders};
use super::{Common, output};

/// Keeps the split apart from what methods and folds draw.
const HOLDOUT_STREAM: u64 = 2;

#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  srfm fit sensor.csv --target pressure --max-features 30 --holdout 0.25 -o sensor.srfm"
)]
pub struct Args {
    /// CSV file: one row a sample, inputs and targets in columns, header optional
    data: PathBuf,
    /// Name of a target column; repeat for several [default: the last column]
    #[arg(long, value_name = "NAME")]
    target: Vec<String>,
    /// Method [default: harfe]
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(MethodConfig::NAMES))]
    pub method: Option<String>,
    /// TOML file with settings; options given here come before it
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Seed of the random numbers
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Share of the rows, drawn at random, that is kept apart to test on
    #[arg(long, value_name = "SHARE", conflicts_with = "test", allow_negative_numbers = true)]
    holdout: Option<f64>,
    /// CSV file with rows to test on
    #[arg(long, value_name = "FILE")]
    test: Option<PathBuf>,
    /// Most features of the model [default: 100]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=65_535))]
    pub max_features: Option<usize>,
    /// Inputs per feature: a number, a list such as 1,2,3 to choose from, or auto (1,2,3) [default: 2]
    #[arg(long, value_name = "Q|LIST|auto", value_parser = parse_orders)]
    pub order: Option<Orders>,
    /// Ridge parameter [default: chosen by cross-validation, unless the settings file has one for the method]
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    pub lambda: Option<f64>,
    /// Folds of the cross-validation [default: 5]
    #[arg(long, value_name = "K")]
    pub folds: Option<usize>,
    /// Terms beside the features [default: linear]
    #[arg(long, value_parser = ["none", "intercept", "linear"])]
    pub terms: Option<String>,
    /// Most bytes of flash that the model may take
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    flash: Option<usize>,
    /// Model file to write
    #[arg(long, short, value_name = "MODEL.srfm")]
    output: Option<PathBuf>,
}

/// Bytes, with k for 1024.
fn parse_bytes(text: &str) -> Result<usize, String> {
    let (digits, unit) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1024),
        None => (text, 1),
    };
    let bytes = digits.parse::<usize>().ok().and_then(|n| n.checked_mul(unit));
    bytes.ok_or_else(|| "give a number of bytes such as 512 or 2k".to_owned())
}

/// What a fit gave.
#[derive(Serialize)]
struct Report {
    seed: u64,
    /// Rows that were fitted.
    rows: usize,
    order: usize,
    lambda: Option<f64>,
    /// Cross-validated root mean squared error in standard deviations of the target; null where nothing was chosen.
    cross_validated_rmse: Option<f64>,
    /// Largest difference between the device's code and the f64 model over the fitted rows, in units of the target.
    largest_difference: f64,
    training: Metrics,
    /// Errors on the rows kept apart, with the device's code; null where there are none.
    holdout: Option<Metrics>,
    /// How much the outputs depend on each input, most important first.
    importance: Vec<InputImportance>,
    model: ModelSummary,
    output: Option<PathBuf>,
    seconds: f64,
}

/// An input and how much the outputs depend on it.
#[derive(Serialize)]
struct InputImportance {
    input: String,
    #[serde(flatten)]
    importance: Importance,
}

pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let started = Instant::now();
    let config = settings::config(args)?;
    if let Some(path) = &args.output {
        let others = args.config.iter().chain(&args.test).map(PathBuf::as_path);
        output::check_writable(path, others.chain([args.data.as_path()]))?;
    }
    let data = read_table(&args.data, common)?.into_dataset(&args.target)?;
    remark_on(&data, common);
    let rows = data.rows();
    let (train, test) = match &args.test {
        Some(path) => {
            let test = read_test(&data, path, &args.target, common)?;
            (data, Some(test))
        }
        None => divide(args, data)?,
    };
    let config = within_budget(args, config, &train)?;

    let fit = fit::fit(&train, &config, args.seed, &Progress::new("cross-validating", common));
    let fit = fit.map_err(|error| name_the_holdout(error, rows, train.rows()))?;
    if let Some(flash) = args.flash {
        budget::check(&fit.blob, flash)?;
    }
    let metrics = |data: &Dataset| Metrics::of(&export::predict(&fit.blob, &data.x).cast(), &data.y);
    if let Some(path) = &args.output {
        output::write(path, fit.blob.bytes())?;
    }
    let report = Report {
        seed: args.seed,
        rows: train.rows(),
        order: fit.chosen.tunable().order,
        lambda: fit.chosen.tunable().lambda,
        cross_validated_rmse: cross_validated_rmse(&fit),
        largest_difference: fit.agreement.largest,
        training: metrics(&train),
        holdout: test.as_ref().map(metrics),
        importance: importance(&fit),
        model: ModelSummary::of(&fit.blob),
        output: args.output.clone(),
        seconds: started.elapsed().as_secs_f64(),
    };
    if common.json { output::print_json(&report) } else { output::print(&report.to_string()) }
}

/// The inputs of a model by their share of what it computes over the fitted rows, and how many features of the exported
/// model look at them.
fn importance(fit: &Fit) -> Vec<InputImportance> {
    let (device, host) = (fit.blob.model(), &fit.model);
    let named = host.input_names.iter().zip(&host.importance).enumerate();
    let mut named: Vec<_> = named
        .map(|(i, (input, importance))| InputImportance {
            input: input.clone(),
            importance: Importance { occurrences: device.occurrences(i), ..*importance },
        })
        .collect();
    named.sort_by(|a, b| b.importance.share.total_cmp(&a.importance.share));
    named
}

/// Says what is odd about the data but no obstacle.
fn remark_on(data: &Dataset, common: &Common) {
    let varying = data.varying_inputs();
    if common.quiet || varying.is_empty() {
        return;
    }
    for (i, name) in data.input_names.iter().enumerate().filter(|(i, _)| !varying.contains(i)) {
        eprintln!("srfm: input {} ({name:?}) has the same value in every row and is left out", i + 1);
    }
}

/// Rows to fit and rows to test on.
fn divide(args: &Args, data: Dataset) -> Result<(Dataset, Option<Dataset>), Failure> {
    let Some(share) = args.holdout else { return Ok((data, None)) };
    if !(share > 0.0 && share < 1.0) {
        return Err(Failure::usage(format!("--holdout must be between 0 and 1, not {share}")));
    }
    if data.rows() < 2 {
        return Err(Failure::new("one row cannot be divided for --holdout; add rows"));
    }
    let split = split::holdout(data.rows(), share, &mut Sampler::stream(args.seed, HOLDOUT_STREAM));
    Ok((data.select(&split.train), Some(data.select(&split.test))))
}

/// Lowers the number of features to what the flash budget allows for every order there is to choose from.
fn within_budget(args: &Args, mut config: FitConfig, data: &Dataset) -> Result<FitConfig, Failure> {
    let Some(flash) = args.flash else { return Ok(config) };
    fit::check(data, &config)?;
    let largest_order = config.orders.iter().copied().max().unwrap_or(config.method.tunable().order);
    let features = budget::features_within(data, &config.method.clone().tuned(|t| t.order = largest_order), flash)?;
    config.method = config.method.tuned(|t| t.features = features);
    Ok(config)
}

/// The rows of `path`, which must have the columns of `data`, the rows to fit.
fn read_test(data: &Dataset, path: &Path, targets: &[String], common: &Common) -> Result<Dataset, Failure> {
    let table = read_table(path, common)?;
    let test = table.for_model(targets, data.inputs(), data.outputs(), inputs_hash(&data.input_names))?;
    if test.outputs() == 0 {
        return Err(Failure::new(format!("{}: has no target column to test on", path.display())));
    }
    Ok(test)
}

/// Says that rows are too few in terms of the rows of the file.
fn name_the_holdout(error: FitError, rows: usize, left: usize) -> Failure {
    let too_few = matches!(error, FitError::TooFewRows { .. } | FitError::TooFewRowsInFold { .. });
    let failure = Failure::from(error);
    if too_few && left < rows {
        failure.and(&format!("--holdout leaves {left} of {rows} rows to fit"))
    } else {
        failure
    }
}

fn cross_validated_rmse(fit: &Fit) -> Option<f64> {
    fit.tried.iter().find(|(tried, _)| *tried == fit.chosen).map(|(_, score)| score.mse.sqrt())
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "fitted        {} in {:.1} s, seed {}", counted(self.rows, "row"), self.seconds, self.seed)?;
        let lambda = self.lambda.map_or(String::new(), |lambda| format!(", lambda {lambda:e}"));
        writeln!(f, "settings      order {}{lambda}", self.order)?;
        let error = |m: &Metrics| format!("RMSE {}, R² {:.4}", significant(m.rmse), m.r2);
        writeln!(f, "training      {}", error(&self.training))?;
        if let Some(rmse) = self.cross_validated_rmse {
            writeln!(f, "validation    RMSE {} standard deviations of the target", significant(rmse))?;
        }
        if let Some(holdout) = &self.holdout {
            writeln!(f, "holdout       {}, {}", error(holdout), counted(holdout.rows, "row"))?;
        }
        let inputs = self.importance.iter().map(|i| (&i.input, i.importance.share));
        writeln!(f, "importance    {}", shares(inputs))?;
        write!(f, "{}", self.model)?;
        match &self.output {
            Some(path) => writeln!(f, "written       {}", path.display()),
            None => writeln!(f, "written       nothing; name a file with -o"),
        }
    }
}
