//! `srfm demo`: fit, export and emulation on a built-in task, without a data file.

use std::path::PathBuf;
use std::time::Instant;

use crate::report::{ModelSummary, significant};
use serde::Serialize;
use srfm_trainer::FitConfig;
use srfm_trainer::FitError;
use srfm_trainer::Run;
use srfm_trainer::cost::Core;
use srfm_trainer::data::{Dataset, Description, Preparation};
use srfm_trainer::emulate::{Emulator, require};
use srfm_trainer::export::{self, Blob, NumberFormat};
use srfm_trainer::method::MethodConfig;
use srfm_trainer::validate::Metrics;

use crate::command::device::{self, emulate};
use crate::common::Common;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::sequences::Sequences;
use crate::{description, output, values};

/// The number of rows to fit and to test on.
const ROWS: usize = 1000;

#[derive(clap::Args)]
#[command(after_help = "Example:\n  srfm demo pressure --max-features 16 -o pressure.srfm")]
pub struct Args {
    /// The task
    #[arg(default_value = "pressure", value_parser = values::tasks_of_quantities(), hide_possible_values = true)]
    task: String,
    /// Largest number of features
    #[arg(long, default_value_t = 16, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    max_features: u16,
    /// Seed of the random numbers
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Model file to write [default: the name of the task and .srfm]
    #[arg(long, short, value_name = "MODEL.srfm")]
    output: Option<PathBuf>,
}

#[derive(Serialize)]
struct Report {
    task: &'static str,
    #[serde(skip)]
    summary: &'static str,
    /// The names of the targets.
    outputs: Vec<String>,
    seed: u64,
    holdout: Metrics,
    /// The error of a linear model, for comparison.
    linear_rmse: f64,
    model: ModelSummary,
    devices: Vec<device::Report>,
    /// Duration of the fit with its cross-validation.
    seconds: f64,
    /// Why the model was not emulated; null if it was.
    skipped: Option<String>,
    output: PathBuf,
}

/// Fits the task, writes the model file, emulates two cores and prints the report.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let task = values::task(&args.task);
    let output = args.output.clone().unwrap_or_else(|| PathBuf::from(task.name()).with_added_extension("srfm"));
    description::check_writable(&output, &[])?;
    let noise = task.usual_noise();
    let train = task.generate(ROWS, noise, args.seed);
    let test = task.generate(ROWS, noise, args.seed.wrapping_add(1));

    let method =
        MethodConfig::named("compact").map_err(FitError::from)?.tuned(|t| t.features = args.max_features.into());
    let config = FitConfig { method, ..FitConfig::default() };
    let started = Instant::now();
    let fitted = |number| {
        let mut config = config.clone();
        let progress = Progress::new("cross-validating", common);
        config.encoding.number = number;
        srfm_trainer::fit(&train, &config, &Run::new(args.seed).with_observer(&progress)).map(|fit| fit.blob)
    };
    let blob = fitted(NumberFormat::F32)?;
    let seconds = started.elapsed().as_secs_f64();
    let integers = fitted(NumberFormat::Int)?;
    let described = Description::from_dataset(&train, train.output_names.clone(), &Preparation::default());
    description::write_model(&output, &blob, &described)?;

    let mut report = Report {
        task: task.name(),
        summary: task.summary(),
        outputs: test.output_names.clone(),
        seed: args.seed,
        holdout: Metrics::from_predictions(&export::predict(&blob, &test.x).cast(), &test.y),
        linear_rmse: linear_rmse(&train, &test)?,
        model: ModelSummary::of(&blob),
        devices: Vec::new(),
        seconds,
        skipped: None,
        output,
    };
    match on_devices(&blob, &integers, &test, common) {
        Ok(runs) => report.devices = runs,
        Err(failure) => report.skipped = Some(failure.into_message().to_string()),
    }
    if common.json { output::print_json(&report) } else { output::print(&report.to_string()) }?;
    match report.devices.iter().all(|run| run.bit_exact) {
        true => Ok(()),
        false => Err(Failure::new("a core's predictions differ from the workstation's")),
    }
}

/// Runs the model on two cores; a core without floating point gets the integer model. Fails if tools are missing.
fn on_devices(blob: &Blob, integers: &Blob, test: &Dataset, common: &Common) -> Result<Vec<device::Report>, Failure> {
    let cores = [Core::CortexM4f, Core::CortexM3];
    require(&cores)?;
    let rows = Sequences::of_rows(&test.x, usize::MAX);
    let suited = |core: Core| if NumberFormat::from(core) == NumberFormat::F32 { blob } else { integers };
    cores.into_iter().map(|core| emulate(suited(core), &rows, core, &Emulator::new(core)?, common)).collect()
}

/// Returns the error of the least-squares plane.
fn linear_rmse(train: &Dataset, test: &Dataset) -> Result<f64, Failure> {
    let linear = MethodConfig::named("linear").map_err(FitError::from)?;
    let plane = linear.method().fit_expansion(train, &Run::new(1)).map_err(FitError::from)?;
    Ok(Metrics::from_predictions(&plane.predict(&test.x), &test.y).rmse)
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{}\n", self.summary)?;
        writeln!(f, "trained on    {ROWS} simulated rows, seed {}, in {:.1} s", self.seed, self.seconds)?;
        let rmse = significant(self.holdout.rmse);
        let outputs = self.outputs.join(", ");
        writeln!(f, "error         {rmse} RMSE of {outputs} on {ROWS} fresh rows")?;
        writeln!(f, "              {} for a linear model", significant(self.linear_rmse))?;
        write!(f, "{}", self.model)?;
        writeln!(f, "written       {}\n", self.output.display())?;
        for device in &self.devices {
            writeln!(f, "{device}")?;
        }
        if let Some(reason) = &self.skipped {
            writeln!(f, "not emulated: {reason}")?;
        }
        Ok(())
    }
}
