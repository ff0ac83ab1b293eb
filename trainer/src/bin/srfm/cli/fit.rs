//! `srfm fit`: from a CSV file to a model file.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::report::{Evaluated, ModelSummary, counted, details, headline, percent, scientific, shares, significant};
use clap::builder::RangedU64ValueParser;
use serde::Serialize;
use srfm_trainer::cost::Core;
use srfm_trainer::data::{Dataset, Signature, TargetKind, inputs_hash, split};
use srfm_trainer::error::FitError;
use srfm_trainer::export::NumberFormat;
use srfm_trainer::fit::{self, Fit, FitConfig};
use srfm_trainer::method::MethodError;
use srfm_trainer::model::Importance;
use srfm_trainer::run::Run;
use srfm_trainer::sampling::Sampler;
use srfm_trainer::scaling::InputScaling;
use srfm_trainer::search;
use srfm_trainer::search::budget::{Budget, Instructions};
use srfm_trainer::warp::Warp;

use crate::cli::data::{no_targets, read_source, remark_on};
use crate::cli::failure::Failure;
use crate::cli::progress::Progress;
use crate::cli::settings::{self, Orders, Scales, parse_bytes, parse_orders, parse_scales, parse_warp};
use crate::cli::{Common, auto, checkpoint, output};

/// Keeps the split apart from what methods and folds draw.
const HOLDOUT_STREAM: u64 = 2;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  srfm fit sensor.csv --target pressure --max-features 30 --holdout 0.25 -o sensor.srfm\n  \
    srfm fit images.idx.gz --labels labels.idx.gz --task classification --flash 64k -o digits.srfm"
)]
pub struct Args {
    /// Data file: one row a sample, inputs and targets in columns; CSV (header optional), .npy or IDX, also gzipped
    data: PathBuf,
    /// Name of a target column; repeat for several [default: the last column]
    #[arg(long, value_name = "NAME")]
    target: Vec<String>,
    /// Data file of the targets or class labels, a row for each row of inputs; IDX images come with a file of labels
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// What the targets are: quantities, or in one column labels of classes
    #[arg(long, default_value = "regression", value_parser = ["regression", "classification"])]
    task: String,
    /// Method; auto tries methods, settings, warps of inputs and inputs to leave out [default: auto]
    #[arg(long, value_parser = settings::methods())]
    pub method: Option<String>,
    #[command(flatten)]
    auto: auto::Args,
    /// TOML file with settings; options given here come before it
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Seed of the random numbers
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Share of the rows, drawn at random, that is kept apart to test on
    #[arg(long, value_name = "SHARE", conflicts_with = "test", allow_negative_numbers = true)]
    holdout: Option<f64>,
    /// Data file with rows to test on
    #[arg(long, value_name = "FILE")]
    test: Option<PathBuf>,
    /// Data file of the targets of --test
    #[arg(long, value_name = "FILE", requires = "test")]
    test_labels: Option<PathBuf>,
    /// Most features of the model [default: 100; auto, with a budget: up to 1000]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=65_535))]
    pub max_features: Option<usize>,
    /// Inputs per feature: a number, a list such as 1,2,3 to choose from, or auto (1,2,3) [default: 2; srff:
    /// all; chosen by method auto]
    #[arg(long, value_name = "Q|LIST|auto", value_parser = parse_orders)]
    pub order: Option<Orders>,
    /// Ridge parameter [default: chosen by cross-validation, unless the settings file has one for the method]
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    pub lambda: Option<f64>,
    /// Scale of the law that frequencies are drawn from: a number, or a list such as 0.3,1,3 to choose from [default: the
    /// method's]
    #[arg(long, value_name = "S|LIST", value_parser = parse_scales)]
    pub scale: Option<Scales>,
    /// How inputs are scaled: each by its own spread, or all alike [default: common for images and arrays of 8-bit numbers,
    /// which share a unit, otherwise standard]
    #[arg(long, value_parser = ["standard", "common"])]
    pub scaling: Option<String>,
    /// Map of an input before it is scaled, identity, log or sqrt; repeat for several
    #[arg(long, value_name = "NAME=WARP", value_parser = parse_warp)]
    warp: Vec<(String, Warp)>,
    /// Folds of the cross-validation [default: 5]
    #[arg(long, value_name = "K")]
    pub folds: Option<usize>,
    /// Terms beside the features [default: linear; srff: intercept]
    #[arg(long, value_parser = ["none", "intercept", "linear"])]
    pub terms: Option<String>,
    /// Most bytes of flash that the model may take; k stands for 1024 and M for 1024 k
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    flash: Option<usize>,
    /// Most instructions that a prediction may take on --core [default of --core: cortex-m4f]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    instructions: Option<u32>,
    /// Core that the model is for
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(Core::ALL.map(crate::cli::device::named)))]
    pub core: Option<String>,
    /// How the device stores the model: f32, or integers with weights of 32 or 16 bits; auto, with --method auto, tries all.
    /// Instructions of integers are those from integers to integers, such as counts of a converter [default: f32; for a core
    /// without floating point int, beside which auto tries int16]
    #[arg(long, value_parser = settings::numbers())]
    pub number: Option<String>,
    /// Largest difference between the device's predictions and the f64 model's, in standard deviations of the target
    /// [default: 0.01]
    #[arg(long, value_name = "SHARE")]
    pub max_error: Option<f64>,
    #[command(flatten)]
    checkpoint: checkpoint::Args,
    /// Model file to write
    #[arg(long, short, value_name = "MODEL.srfm")]
    output: Option<PathBuf>,
}

/// What a fit gave.
#[derive(Serialize)]
struct Report {
    seed: u64,
    /// Rows that were fitted.
    rows: usize,
    /// Inputs per feature; null where the method chooses it.
    order: Option<usize>,
    lambda: Option<f64>,
    /// Scale of the law of the frequencies; null where the method chooses it.
    scale: Option<f64>,
    scaling: InputScaling,
    /// Cross-validated root mean squared error in standard deviations of the target; null where nothing was chosen.
    cross_validated_rmse: Option<f64>,
    /// Cross-validated share of rows put into a wrong class; null where the targets are quantities.
    cross_validated_error_rate: Option<f64>,
    /// Largest difference between the device's code and the f64 model over the fitted rows, in units of the target.
    largest_difference: f64,
    /// The largest that is possible for readings in the range of the fitted rows, one per target; null in floating point.
    worst_difference: Option<Vec<f64>>,
    /// What the search for the method did; null where the method was given.
    search: Option<auto::Report>,
    training: Evaluated,
    /// Errors on the rows kept apart, with the device's code; null where there are none.
    holdout: Option<Evaluated>,
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
    let (mut config, search) = settings::config(args)?;
    if !search {
        args.auto.refuse()?;
    }
    check_outputs(args)?;
    let kind = if args.task == "classification" { TargetKind::Classes } else { TargetKind::Quantities };
    let source = read_source(&args.data, args.labels.as_deref(), &args.target, common)?;
    if source.shares_unit() {
        config.preprocessing.scaling.get_or_insert(InputScaling::Common);
    }
    let data = source.dataset(kind)?;
    drop(source);
    remark_on(&data, common);
    config.preprocessing.warps = settings::warps(config.preprocessing.warps, &args.warp, &data)?;
    let rows = data.rows();
    let (train, test) = match &args.test {
        Some(path) => {
            let test = read_test(&data, path, args, common)?;
            (data, Some(test))
        }
        None => divide(args, data)?,
    };
    let budget = budget(args)?;
    if !search {
        config = within_budget(budget, config, &train)?;
    }
    let searched =
        args.auto.config(config.clone(), numbers(args, &config), budget, args.max_features, args.terms.is_some());
    let checkpoint = match search {
        true => args.checkpoint.open(&train, &searched, args.seed, common)?,
        false => args.checkpoint.open(&train, &config, args.seed, common)?,
    };
    let progress = Progress::new(if search { "searching" } else { "fitting" }, common);
    let run = Run::new(args.seed).with_observer(&progress);
    let run = checkpoint.as_ref().map_or(run, |checkpoint| run.with_checkpoint(checkpoint));
    let fitted = if search {
        search::search(&train, &searched, &run).map(auto::Report::of)
    } else {
        fit::fit(&train, &config, &run).map(|fit| (fit, None))
    };
    drop(progress);
    let (fit, search) = fitted.map_err(|error| match &checkpoint {
        Some(kept) if error == FitError::Interrupted => kept.interrupted(error),
        _ => name_the_holdout(error, rows, train.rows()),
    })?;
    budget.check(&fit.blob)?;
    let evaluate = |data: &Dataset| Evaluated::of(&fit.blob, data);
    let score = fit.tried.iter().find(|(tried, _)| *tried == fit.chosen).map(|(_, score)| score);
    if let Some(path) = &args.output {
        output::write(path, fit.blob.bytes())?;
    }
    if let Some(checkpoint) = &checkpoint {
        checkpoint.remove()?;
    }
    let report = Report {
        seed: args.seed,
        rows: train.rows(),
        order: fit.chosen.tunable().order,
        lambda: fit.chosen.tunable().lambda,
        scale: fit.chosen.tunable().scale,
        scaling: config.preprocessing.scaling.unwrap_or_default(),
        cross_validated_rmse: score.map(|score| score.mse.sqrt()),
        cross_validated_error_rate: score.and_then(|score| score.error_rate),
        largest_difference: fit.agreement.largest,
        worst_difference: fit.agreement.worst.clone(),
        search,
        training: evaluate(&train),
        holdout: test.as_ref().map(evaluate),
        importance: importance(&fit),
        model: ModelSummary::of(&fit.blob),
        output: args.output.clone(),
        seconds: started.elapsed().as_secs_f64(),
    };
    if common.json { output::print_json(&report) } else { output::print(&report.to_string()) }
}

/// The number formats to choose from: what the core computes with itself.
fn numbers(args: &Args, config: &FitConfig) -> Vec<NumberFormat> {
    match args.number.as_deref() {
        Some("auto") => vec![NumberFormat::F32, NumberFormat::Int, NumberFormat::Int16],
        None if config.encoding.number == NumberFormat::Int => vec![NumberFormat::Int, NumberFormat::Int16],
        _ => vec![config.encoding.number],
    }
}

/// Makes sure that what is to be written can be, and writes over nothing that is read.
fn check_outputs(args: &Args) -> Result<(), Failure> {
    let others = || args.config.iter().chain(&args.labels).chain(&args.test).chain(&args.test_labels);
    let read = || others().chain([&args.data]).map(PathBuf::as_path);
    if let Some(path) = &args.output {
        output::check_writable(path, read())?;
    }
    args.checkpoint.check(read().chain(args.output.as_deref()))
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

/// Rows to fit and rows to test on.
fn divide(args: &Args, data: Dataset) -> Result<(Dataset, Option<Dataset>), Failure> {
    let Some(share) = args.holdout else { return Ok((data, None)) };
    if !(share > 0.0 && share < 1.0) {
        return Err(Failure::usage(format!("--holdout must be between 0 and 1, not {share}")));
    }
    if data.rows() < 2 {
        return Err(Failure::new("one row cannot be divided for --holdout; add rows"));
    }
    let mut sampler = Sampler::stream(args.seed, HOLDOUT_STREAM);
    let split = match data.members() {
        Some(members) => split::stratified_holdout(&members, share, &mut sampler),
        None => split::holdout(data.rows(), share, &mut sampler),
    };
    if split.test.is_empty() {
        return Err(Failure::new("no class has a second row for --holdout; add rows"));
    }
    Ok((data.select(&split.train), Some(data.select(&split.test))))
}

/// What the model may take of the device.
fn budget(args: &Args) -> Result<Budget, Failure> {
    let core = args.core.as_deref().map_or(Ok(Core::CortexM4f), str::parse)?;
    Ok(Budget { flash: args.flash, instructions: args.instructions.map(|at_most| Instructions { at_most, core }) })
}

/// Lowers the number of features to what the budget allows for every order there is to choose from.
fn within_budget(budget: Budget, mut config: FitConfig, data: &Dataset) -> Result<FitConfig, Failure> {
    if budget == Budget::default() {
        return Ok(config);
    }
    let features = budget.features(data, &config, config.calibrates(data))?;
    config.method = config.method.tuned(|t| t.features = features);
    Ok(config)
}

/// The rows of `path`, which must have the columns of `data`, the rows to fit.
fn read_test(data: &Dataset, path: &Path, args: &Args, common: &Common) -> Result<Dataset, Failure> {
    let source = read_source(path, args.test_labels.as_deref(), &args.target, common)?;
    let test = source.for_model(&Signature {
        inputs: data.inputs(),
        outputs: data.outputs(),
        inputs_hash: inputs_hash(&data.input_names),
        classes: data.classes.clone(),
    })?;
    if test.outputs() == 0 {
        return Err(no_targets(path, "--test-labels"));
    }
    Ok(test)
}

/// Says that rows are too few in terms of the rows of the file.
fn name_the_holdout(error: FitError, rows: usize, left: usize) -> Failure {
    let too_few = matches!(error, FitError::Method(MethodError::TooFewRows { .. }) | FitError::TooFewRowsInFold { .. });
    let failure = Failure::from(error);
    if too_few && left < rows {
        failure.and(&format!("--holdout leaves {left} of {rows} rows to fit"))
    } else {
        failure
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "fitted        {} in {:.1} s, seed {}", counted(self.rows, "row"), self.seconds, self.seed)?;
        let lambda = self.lambda.map_or(String::new(), |lambda| format!(", lambda {}", scientific(lambda)));
        let scale = self.scale.map_or(String::new(), |scale| format!(", scale {scale}"));
        let order = self.order.map_or("all".to_owned(), |order| order.to_string());
        if self.model.features > 0 {
            writeln!(f, "settings      order {order}{lambda}{scale}")?;
        }
        if let Some(search) = &self.search {
            write!(f, "{search}")?;
        }
        writeln!(f, "training      {}", headline(&self.training.evaluation))?;
        match (self.cross_validated_error_rate, self.cross_validated_rmse) {
            (Some(rate), _) => writeln!(f, "validation    accuracy {}", percent(1.0 - rate))?,
            (None, Some(rmse)) => {
                writeln!(f, "validation    RMSE {} standard deviations of the target", significant(rmse))?;
            }
            (None, None) => {}
        }
        if let Some(holdout) = &self.holdout {
            writeln!(
                f,
                "holdout       {}, {}",
                headline(&holdout.evaluation),
                counted(holdout.evaluation.rows(), "row")
            )?;
        }
        if let Some((holdout, level)) = self.holdout.as_ref().and_then(|holdout| Some((holdout, holdout.level?))) {
            let coverage: Vec<String> = holdout.coverage.iter().map(|&share| percent(share)).collect();
            writeln!(f, "coverage      {} of the holdout in intervals of {:.0} %", coverage.join(", "), 100.0 * level)?;
        }
        let shown = self.holdout.as_ref().unwrap_or(&self.training);
        write!(f, "{}", details(&shown.evaluation))?;
        if let Some(worst) = self.worst_difference.as_ref().and_then(|worst| worst.iter().copied().reduce(f64::max)) {
            let (largest, worst) = (significant(self.largest_difference), significant(worst));
            writeln!(f, "integers      off by {largest} at most over the rows; {worst} is possible in their range")?;
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
