//! The run of `srfm fit`.

use std::path::Path;
use std::time::Instant;

use srfm_trainer::cost::{Budget, Unit};
use srfm_trainer::data::Description;
use srfm_trainer::emulate::footprint;
use srfm_trainer::method::Terms;
use srfm_trainer::refit::Features;
use srfm_trainer::request::{Deploy, Outcome, Request};
use srfm_trainer::validate::Metric;
use srfm_trainer::{Fit, FitError, check_budget};

use crate::command::export;
use crate::command::fit::args::Args;
use crate::command::fit::report::Report;
use crate::command::fit::rows::Read;
use crate::command::fit::{searched, settings};
use crate::command::gram;
use crate::common::Common;
use crate::description;
use crate::failure::Failure;
use crate::origin::Origin;
use crate::output;
use crate::progress::Progress;
use crate::report::check_ram;

/// Fits a model, writes the model file and prints the report.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let started = Instant::now();
    let request = settings::request(args)?;
    args.check_outputs(&request.device)?;
    let mut read = Read::new(args, &request, common)?;
    let plan = request.plan(&read.rows)?;
    check_compiler(&request, plan.budget())?;
    let checkpoint = args.checkpoint.open(&read.rows.train, &plan, request.seed, common)?;
    let progress = match plan.is_search() {
        true => Progress::within_limit(search_name(request.metric), common),
        false => Progress::new("fitting", common),
    };
    let run = request.run().with_observer(&progress);
    let run = checkpoint.as_ref().map_or(run, |checkpoint| run.with_checkpoint(checkpoint));
    // Reading the rows is part of the time.
    let plan = plan.after(started.elapsed());
    let outcome = plan.run(&read.rows.train, &run);
    drop(progress);
    let outcome = outcome.map_err(|error| match &checkpoint {
        Some(kept) if error == FitError::Interrupted => kept.interrupted(error),
        _ => read.failure(error),
    })?;
    let (mut fit, search, view) = match outcome {
        Outcome::Fit(fit) => (*fit, None, None),
        Outcome::Found(found) => searched::Report::of(*found, plan.budget(), request.search.one_standard_error),
    };
    if let Some(large) = &mut read.large {
        let config = plan.config(&fit);
        fit = large.refit(fit, &read.rows.train, &config, request.seed, common)?;
    }
    let budget = plan.budget();
    check_budget(&fit.blob, budget)?;
    let program = footprint(&fit.blob, &budget.deployment)?;
    remark_on_constant(&fit, budget, common);
    remark_on_penalty(&fit, common);
    check_ram(&fit.blob, program.as_ref(), request.device.board)?;
    let report = Report::of(args, &request, &fit, (search, program), &read, &plan.conditions(), started);
    let description = described(args, &request, &read, &report, common)?;
    let features = match args.features {
        Some(_) => Some(Features::from_fit(&fit, &read.rows.train, &plan.config(&fit))),
        None => None,
    };
    write(args, &request, &fit, &description, features.as_ref())?;
    if let Some(checkpoint) = &checkpoint {
        checkpoint.remove()?;
    }
    if let Some(path) = &args.report {
        output::write(path, report.page(args, &fit, &read.rows, view.as_ref()).html().as_bytes())?;
    }
    if common.json { output::print_json(&report) } else { output::print(&report.to_string()) }
}

/// Returns what progress calls a search, which names the figure that chooses where that is not the accuracy.
fn search_name(metric: Option<Metric>) -> &'static str {
    match metric {
        None | Some(Metric::Accuracy) => "searching",
        Some(Metric::Balanced) => "searching by balanced accuracy",
        Some(Metric::LogLoss) => "searching by log loss",
        Some(Metric::Brier) => "searching by Brier score",
    }
}

/// Compiles a model of a checkout where programs are compiled, so that what fails is said before the fit.
fn check_compiler(request: &Request, budget: &Budget) -> Result<(), Failure> {
    if request.device.deploy() != Deploy::Rust {
        return Ok(());
    }
    let folder = request.device.firmware.as_deref().unwrap_or(Path::new("firmware-example"));
    let example = output::read_model(&folder.join("models").join("pressure.srfm"))?;
    footprint(&example, &budget.deployment)?;
    Ok(())
}

/// Writes the files of the model.
fn write(
    args: &Args,
    request: &Request,
    fit: &Fit,
    description: &Description,
    features: Option<&Features>,
) -> Result<(), Failure> {
    if let Some(folder) = args.board_folder(&request.device)? {
        folder.write(&fit.blob, description)?;
    } else if let Some(path) = &args.output {
        description::write_model(path, &fit.blob, description)?;
    }
    if let Some((path, features)) = args.features.as_ref().zip(features) {
        gram::write_features(path, features, description)?;
    }
    args.c.as_ref().map_or(Ok(()), |path| export::write(path, args.name.as_deref(), &fit.blob, description))
}

/// Returns the description of the model with the origin of its fit.
fn described(
    args: &Args,
    request: &Request,
    read: &Read,
    report: &Report,
    common: &Common,
) -> Result<Description, Failure> {
    let files = [&args.data].into_iter().chain(&args.labels).map(|path| path.as_path());
    let mut origin = Origin::of(files, read.fitted(), request.seed, common)?;
    report.add_errors(&mut origin);
    let mut description = read.rows.description.clone();
    description.origin = serde_json::to_value(origin).ok();
    Ok(description)
}

/// Prints a remark on a model that uses no input, which a small budget can cause.
fn remark_on_constant(fit: &Fit, budget: &Budget, common: &Common) {
    let model = fit.blob.model();
    let raise = match (budget.flash, budget.work.map(|work| work.unit)) {
        (Some(_), Some(Unit::Instructions)) => "raise --flash and --instructions",
        (Some(_), Some(Unit::Cycles)) => "raise --flash and --latency",
        (Some(_), None) => "raise --flash",
        (None, Some(Unit::Instructions)) => "raise --instructions",
        (None, Some(Unit::Cycles)) => "raise --latency",
        (None, None) => return,
    };
    if !common.quiet && (0..model.inputs()).all(|input| !model.uses_input(input)) {
        say!("srfm: the model is a constant that uses no input; if the inputs say something of the target, {raise}");
    }
}

/// Prints a remark on a model that the device could not reproduce with the settings as they were.
fn remark_on_penalty(fit: &Fit, common: &Common) {
    if common.quiet || !fit.raised {
        return;
    }
    let settings = fit.chosen.tunable();
    let raised = match (settings.terms, settings.lambda) {
        (Terms::Ridge, Some(lambda)) => format!("linear terms have a penalty, and λ is {lambda:.0e}"),
        (_, Some(lambda)) => format!("λ was raised to {lambda:.0e}"),
        (_, None) => "more rounding was assumed".to_owned(),
    };
    say!("srfm: the device could not reproduce the model of the chosen settings; {raised}");
}
