//! The run of `srfm fit`.

use std::path::PathBuf;
use std::time::Instant;

use srfm_trainer::Run;
use srfm_trainer::cost::{Budget, Core, Deployment, Instructions};
use srfm_trainer::data::Description;
use srfm_trainer::emulate::footprint;
use srfm_trainer::export::NumberFormat;
use srfm_trainer::refit::Features;
use srfm_trainer::scaling::InputScaling;
use srfm_trainer::search;
use srfm_trainer::search::SearchConfig;
use srfm_trainer::{Fit, FitConfig, FitError, check_budget, fit_within};

use crate::command::export;
use crate::command::fit::args::Args;
use crate::command::fit::report::Report;
use crate::command::fit::rows::Rows;
use crate::command::fit::{searched, settings};
use crate::command::gram;
use crate::common::Common;
use crate::description;
use crate::failure::Failure;
use crate::origin::Origin;
use crate::output;
use crate::progress::Progress;
use crate::values::{AUTO, Orders};

/// The name of programs that the Rust compiler knows the model of.
const RUST: &str = "rust";

/// Fits a model, writes the model file and prints the report.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let started = Instant::now();
    let (mut config, search) = settings::config(args)?;
    if !search {
        args.auto.refuse()?;
        args.large.check_loss(&config)?;
    }
    args.check_outputs()?;
    let mut rows = Rows::read(args, config.split, common)?;
    if rows.share_unit {
        config.preprocessing.scaling.get_or_insert(InputScaling::Common);
    }
    config.preprocessing.replacements = rows.description.replacements();
    config.preprocessing.warps = settings::warps(config.preprocessing.warps, &args.warp, &rows.train)?;
    let inputs = rows.train.varying_inputs().len().max(1);
    limit_orders(&mut config, args, inputs);
    let budget = budget(args)?;
    deploy(args, &mut config, &budget)?;
    let searched =
        args.auto.config(config.clone(), numbers(args), budget.clone(), args.max_features, args.terms.is_some());
    let searched = SearchConfig { robust: rows.large.is_none(), ..searched };
    let checkpoint = match search {
        true => args.checkpoint.open(&rows.train, &searched, args.seed, common)?,
        false => args.checkpoint.open(&rows.train, &(&config, &budget), args.seed, common)?,
    };
    let progress = match search {
        true => Progress::within_limit("searching", common),
        false => Progress::new("fitting", common),
    };
    let run = Run::new(args.seed).with_observer(&progress);
    let run = checkpoint.as_ref().map_or(run, |checkpoint| run.with_checkpoint(checkpoint));
    let fitted = if search {
        // Reading the rows is part of the time.
        let searched = SearchConfig { time: searched.time.saturating_sub(started.elapsed()), ..searched };
        search::search(&rows.train, &searched, &run).map(|found| searched::Report::of(found, &searched))
    } else {
        fit_within(&rows.train, &config, &budget, &run).map(|fit| (fit, None, None))
    };
    drop(progress);
    let (mut fit, search, view) = fitted.map_err(|error| match &checkpoint {
        Some(kept) if error == FitError::Interrupted => kept.interrupted(error),
        _ => rows.failure(error),
    })?;
    if let Some(large) = &mut rows.large {
        fit = large.refit(fit, &rows.train, &config, args.seed, common)?;
    }
    check_budget(&fit.blob, &budget)?;
    let program = footprint(&fit.blob, &budget.deployment)?;
    remark_on_constant(&fit, &budget, common);
    let report = Report::of(args, &fit, (search, program), &rows, &config, started);
    let description = described(args, &rows, &report, common)?;
    write(args, &fit, &description, Features::from_fit(&fit, &rows.train, &config))?;
    if let Some(checkpoint) = &checkpoint {
        checkpoint.remove()?;
    }
    if let Some(path) = &args.report {
        output::write(path, report.page(args, &fit, &rows, view.as_ref()).html().as_bytes())?;
    }
    if common.json { output::print_json(&report) } else { output::print(&report.to_string()) }
}

/// Limits the numbers of inputs per feature that the options leave to the data.
fn limit_orders(config: &mut FitConfig, args: &Args, inputs: usize) {
    let orders = &mut config.grid.orders;
    match &args.order {
        Some(Orders::All) => *orders = vec![inputs],
        Some(Orders::Auto) => orders.retain(|&order| order <= inputs),
        None if args.config.is_none() => {
            let default = |order: usize| order.min(inputs);
            config.method = config.method.clone().tuned(|t| t.order = t.order.map(default));
        }
        Some(Orders::List(_)) | None => {}
    }
}

/// Writes the files of the model.
fn write(args: &Args, fit: &Fit, description: &Description, features: Features) -> Result<(), Failure> {
    if let Some(path) = &args.output {
        description::write_model(path, &fit.blob, description)?;
    }
    if let Some(path) = &args.features {
        gram::write_features(path, &features, description)?;
    }
    args.c.as_ref().map_or(Ok(()), |path| export::write(path, args.name.as_deref(), &fit.blob, description))
}

/// Returns the description of the model with the origin of its fit.
fn described(args: &Args, rows: &Rows, report: &Report, common: &Common) -> Result<Description, Failure> {
    let files = [&args.data].into_iter().chain(&args.labels).map(|path| path.as_path());
    let mut origin = Origin::of(files, rows.fitted(), args.seed, common)?;
    report.add_errors(&mut origin);
    let mut description = rows.description.clone();
    description.origin = serde_json::to_value(origin).ok();
    Ok(description)
}

/// Returns the number formats to choose from; none for those that suit the core.
fn numbers(args: &Args) -> Option<Vec<NumberFormat>> {
    match args.number.as_deref()? {
        AUTO => Some(NumberFormat::ALL.to_vec()),
        name => NumberFormat::named(name).map(|number| vec![number]),
    }
}

/// Sets what programs need. Refuses floating point for a core without it, whose size is not known.
fn deploy(args: &Args, config: &mut FitConfig, budget: &Budget) -> Result<(), Failure> {
    if budget.deployment == Deployment::File {
        return Ok(());
    }
    let (name, core) = (args.deploy.as_deref().unwrap_or_default(), core(args)?);
    let in_software = NumberFormat::from(core) != NumberFormat::F32;
    if in_software && numbers(args).is_some_and(|numbers| numbers.contains(&NumberFormat::F32)) {
        let why = "what a program takes with floating point in software is not known";
        let choose = "choose --number int or int16, or a core with floating point";
        return Err(Failure::usage(format!("--deploy {name}: {why}; {choose}")));
    }
    config.encoding.polynomial = true;
    // A program in C takes the parameters alone; one in Rust holds the file with all its sections.
    config.encoding.flash = if name == RUST { None } else { Some(usize::MAX) };
    if name == RUST {
        // What cannot be compiled is said before the search.
        let example = output::read_model(&firmware(args).join("models").join("pressure.srfm"))?;
        footprint(&example, &budget.deployment)?;
    }
    Ok(())
}

/// Returns the core that runs the model.
fn core(args: &Args) -> Result<Core, Failure> {
    Ok(args.core.as_deref().map_or(Ok(Core::CortexM4f), str::parse)?)
}

/// Returns the folder of the sources of programs.
fn firmware(args: &Args) -> PathBuf {
    args.firmware.clone().unwrap_or_else(|| PathBuf::from("firmware-example"))
}

/// Returns the flash and instruction budgets.
fn budget(args: &Args) -> Result<Budget, Failure> {
    let (core, firmware) = (core(args)?, firmware(args));
    let name = args.deploy.as_deref().unwrap_or("file");
    if name == RUST && !firmware.join("measure").join("Cargo.toml").is_file() {
        let folder = firmware.display();
        let why = format!("--deploy rust compiles firmware-example of a checkout of srfm, and {folder} is none");
        return Err(Failure::usage(format!("{why}; name it with --firmware")));
    }
    let deployment = match name {
        "c" => Deployment::C(core),
        RUST => Deployment::Rust { core, firmware: Some(firmware) },
        _ => Deployment::File,
    };
    deployment.check().map_err(|_| {
        Failure::usage(format!("what generated C takes of {core} is not known; choose an Arm core or --deploy file"))
    })?;
    let instructions = args.instructions.map(|at_most| Instructions { at_most, core });
    Ok(Budget { flash: args.flash, instructions, deployment })
}

/// Prints a remark on a model that uses no input, which a small budget can cause.
fn remark_on_constant(fit: &Fit, budget: &Budget, common: &Common) {
    let model = fit.blob.model();
    let raise = match (budget.flash, budget.instructions) {
        (Some(_), Some(_)) => "raise --flash and --instructions",
        (Some(_), None) => "raise --flash",
        (None, Some(_)) => "raise --instructions",
        (None, None) => return,
    };
    if !common.quiet && (0..model.inputs()).all(|input| !model.uses_input(input)) {
        say!("srfm: the model is a constant that uses no input; if the inputs say something of the target, {raise}");
    }
}
