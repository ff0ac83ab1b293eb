//! `srfm fit`: from a CSV file to a model file.

use std::path::PathBuf;
use std::time::Instant;

use serde::Serialize;
use srfm_trainer::data::{Dataset, csv::Table, split};
use srfm_trainer::export::{self, Blob, budget};
use srfm_trainer::fit::{self, Fit, FitConfig};
use srfm_trainer::method::{MethodConfig, Terms};
use srfm_trainer::metrics::Metrics;
use srfm_trainer::report::{ModelSummary, significant};
use srfm_trainer::sampling::Sampler;

use super::failure::Failure;
use super::predict::read_for;
use super::progress::Progress;
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
    method: Option<String>,
    /// TOML file with settings; options given here come before it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
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
    #[arg(long, value_name = "N")]
    max_features: Option<usize>,
    /// Inputs per feature: a number, a list such as 1,2,3 to choose from, or auto (1,2,3) [default: 2]
    #[arg(long, value_name = "Q|LIST|auto", value_parser = parse_orders)]
    order: Option<Orders>,
    /// Ridge parameter [default: chosen by cross-validation]
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    lambda: Option<f64>,
    /// Folds of the cross-validation [default: 5]
    #[arg(long, value_name = "K")]
    folds: Option<usize>,
    /// Terms beside the features [default: linear]
    #[arg(long, value_parser = ["none", "intercept", "linear"])]
    terms: Option<String>,
    /// Most bytes of flash that the model may take
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    flash: Option<usize>,
    /// Model file to write
    #[arg(long, short, value_name = "MODEL.srfm")]
    output: Option<PathBuf>,
}

#[derive(Clone)]
struct Orders(Option<Vec<usize>>);

fn parse_orders(text: &str) -> Result<Orders, String> {
    if text == "auto" {
        return Ok(Orders(None));
    }
    let order = |part: &str| part.trim().parse().ok().filter(|&q| q > 0);
    let list: Option<Vec<usize>> = text.split(',').map(order).collect();
    list.map(|list| Orders(Some(list))).ok_or_else(|| "give a number from 1, a list such as 1,2,3, or auto".to_owned())
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
    model: ModelSummary,
    output: Option<PathBuf>,
    seconds: f64,
}

pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let started = Instant::now();
    let config = config(args)?;
    if let Some(path) = &args.output {
        output::check_writable(path)?;
    }
    let data = Table::read(&args.data)?.into_dataset(&args.target)?;
    remark_on(&data, common);
    let (train, test) = divide(args, data)?;
    let config = within_budget(args, config, &train)?;

    let fit = fit::fit(&train, &config, args.seed, &Progress::new("cross-validating", common))?;
    let blob = export::export(&fit.model)?;
    let agreement = export::verify(&blob, &fit.model, &train)?;
    let metrics = |data: &Dataset| Metrics::of(&export::predict(&blob, &data.x).cast(), &data.y);
    let holdout = match (&args.test, test) {
        (Some(path), _) => Some(metrics(&read_test(&blob, path, &args.target)?)),
        (None, test) => test.as_ref().map(metrics),
    };
    if let Some(path) = &args.output {
        output::write(path, blob.bytes())?;
    }
    let report = Report {
        seed: args.seed,
        rows: train.rows(),
        order: fit.chosen.tunable().order,
        lambda: fit.chosen.tunable().lambda,
        cross_validated_rmse: cross_validated_rmse(&fit),
        largest_difference: agreement.largest,
        training: metrics(&train),
        holdout,
        model: ModelSummary::of(&blob),
        output: args.output.clone(),
        seconds: started.elapsed().as_secs_f64(),
    };
    if common.json { output::print_json(&report) } else { output::print(&report.to_string()) }
}

/// The settings of the file, then those of the options.
fn config(args: &Args) -> Result<FitConfig, Failure> {
    let mut config = match &args.config {
        None => FitConfig::default(),
        Some(path) => {
            let name = path.display();
            let text =
                std::fs::read_to_string(path).map_err(|e| Failure::new(format!("{name}: cannot be read: {e}")))?;
            toml::from_str(&text).map_err(|e| Failure::new(format!("{name}: {}", e.to_string().trim_end())))?
        }
    };
    if let Some(method) = args.method.as_deref().filter(|&name| name != config.method.name()) {
        config.method = MethodConfig::named(method).expect("checked by the parser");
    }
    if let Some(features) = args.max_features {
        if features == 0 {
            return Err(Failure::usage("--max-features must be at least 1"));
        }
        config.method = config.method.tuned(|t| t.features = features);
    }
    match &args.order {
        Some(Orders(Some(orders))) => config.orders = orders.clone(),
        Some(Orders(None)) => config.orders = vec![1, 2, 3],
        None => {}
    }
    if let Some(lambda) = args.lambda {
        config.lambdas = vec![lambda];
    }
    if let Some(folds) = args.folds {
        config.folds = folds;
    }
    if let Some(terms) = &args.terms {
        let terms = match terms.as_str() {
            "none" => Terms::None,
            "intercept" => Terms::Intercept,
            _ => Terms::Linear,
        };
        config.method = config.method.tuned(|t| t.terms = terms);
    }
    Ok(config)
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
    let largest_order = config.orders.iter().copied().max().unwrap_or(config.method.tunable().order);
    if data.varying_inputs().is_empty() {
        return Ok(config); // the fit says so
    }
    let features = budget::features_within(data, &config.method.clone().tuned(|t| t.order = largest_order), flash)?;
    config.method = config.method.tuned(|t| t.features = features);
    Ok(config)
}

fn read_test(blob: &Blob, path: &std::path::Path, targets: &[String]) -> Result<Dataset, Failure> {
    let data = read_for(blob, path, targets)?;
    if data.outputs() == 0 {
        return Err(Failure::new(format!("{}: has no target column to test on", path.display())));
    }
    Ok(data)
}

fn cross_validated_rmse(fit: &Fit) -> Option<f64> {
    fit.tried.iter().find(|(tried, _)| *tried == fit.chosen).map(|(_, score)| score.mse.sqrt())
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "fitted        {} rows in {:.1} s, seed {}", self.rows, self.seconds, self.seed)?;
        let lambda = self.lambda.map_or(String::new(), |lambda| format!(", lambda {lambda:.0e}"));
        writeln!(f, "settings      order {}{lambda}", self.order)?;
        let error = |m: &Metrics| format!("RMSE {}, R² {:.4}", significant(m.rmse), m.r2);
        writeln!(f, "training      {}", error(&self.training))?;
        if let Some(rmse) = self.cross_validated_rmse {
            writeln!(f, "validation    RMSE {} standard deviations of the target", significant(rmse))?;
        }
        if let Some(holdout) = &self.holdout {
            writeln!(f, "holdout       {}, {} rows", error(holdout), holdout.rows)?;
        }
        write!(f, "{}", self.model)?;
        match &self.output {
            Some(path) => writeln!(f, "written       {}", path.display()),
            None => writeln!(f, "written       nothing; name a file with -o"),
        }
    }
}
