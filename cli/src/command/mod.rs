//! The subcommands.

mod adapt;
mod boards;
mod compare;
mod demo;
mod device;
mod evaluate;
pub mod export;
pub mod fit;
mod generate;
mod gram;
mod inspect;
mod predict;
mod report;
mod send;
mod verify;

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::common::Common;
use crate::options::Options;
use crate::usage;

/// Fits sparse random feature models and evaluates them on microcontrollers.
#[derive(Parser)]
#[command(name = "srfm", version, about, arg_required_else_help = true, max_term_width = 100)]
#[command(after_help = "Example:\n  srfm generate pressure --rows 1000 -o pressure.csv\n  \
    srfm fit pressure.csv --max-features 20 --holdout 0.25 -o pressure.srfm\n  \
    srfm device pressure.srfm pressure.csv --core cortex-m4f\n\n\
    Exit codes:\n  0    done\n  1    cannot: a file, the rows or a model do not allow it, or a check fails\n  \
    2    wrong usage: an option, a value, a combination of options, or a name that the data lack\n  \
    130  interrupted")]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    common: Common,
}

#[derive(Subcommand)]
enum Command {
    /// Train on a built-in task, the pressure sensor by default, export, report and run on an emulated Cortex-M
    Demo(demo::Args),
    /// Fit a model to a data file and export it for the device
    Fit(Box<fit::Args>),
    /// Compare methods at several sizes: error against flash and instructions, and which inputs are needed
    Compare(Box<compare::Args>),
    /// Predict rows of a data file with the device's own code
    Predict(predict::PredictArgs),
    /// Compare predictions with the targets in a data file
    Evaluate(evaluate::EvaluateArgs),
    /// Replay a log with references: what recalibration on the device would have gained
    Adapt(adapt::Args),
    /// Write a page with charts of a model and of rows with targets
    Report(report::Args),
    /// Compute the sums of one part of a large table, which `srfm merge` combines into a model
    Gram(gram::GramArgs),
    /// Fit the amplitudes of given features to the sums over the parts of a table
    Merge(gram::MergeArgs),
    /// Show the contents of a model file
    Inspect(inspect::Args),
    /// Run a model on an emulated microcontroller: instructions, stack, and whether the bits agree
    Device(device::Args),
    /// Write a model as C source without dependencies
    Export(export::Args),
    /// List the boards that --board names: core, clock, memory, layout
    Boards(boards::Args),
    /// Send a model to a device that updates itself, over a serial line, a connection or a file
    Send(send::Args),
    /// Write the rows of a built-in task as CSV
    Generate(generate::Args),
}

/// Prints nothing about panics in the package that reads Parquet files: they become errors about damaged files.
fn quiet_about_parquet() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !panic.location().is_some_and(|place| place.file().contains("/parquet-")) {
            usual(panic);
        }
    }));
}

/// Parses arguments, of which the first is the name of the command.
///
/// # Errors
/// The error of wrong usage, and the texts that `--help` and `--version` ask for.
pub fn parse(args: &[OsString]) -> Result<Cli, clap::Error> {
    let matches = with_short_help(Cli::command()).try_get_matches_from(usage::joined(args))?;
    Cli::from_arg_matches(&matches)
}

/// The options of `srfm fit` that `-h` shows; `--help` shows all.
const USUAL: [&str; 15] = [
    "data",
    "target",
    "columns",
    "ignore",
    "missing",
    "task",
    "method",
    "holdout",
    "max_features",
    "flash",
    "board",
    "core",
    "deploy",
    "output",
    "c",
];

/// What `srfm fit -h` says of the other options.
const MORE: &str = "Example:\n  srfm fit sensor.csv --target pressure --holdout 0.25 -o sensor.srfm\n\nAll options: \
    srfm fit --help";

/// Leaves the rarer options of `srfm fit` to `--help`.
fn with_short_help(command: clap::Command) -> clap::Command {
    command.mut_subcommand("fit", |fit| {
        let long = fit.get_after_help().cloned().unwrap_or_default();
        let hidden = |arg: clap::Arg| {
            let usual = USUAL.contains(&arg.get_id().as_str());
            arg.hide_short_help(!usual)
        };
        fit.mut_args(hidden).after_help(MORE).after_long_help(long)
    })
}

/// Runs the command with the arguments `args`, of which the first is its name. Returns its exit code: 0, 1 for a
/// failure, 2 for wrong usage, 130 for an interruption.
pub fn main(args: impl IntoIterator<Item = OsString>) -> u8 {
    quiet_about_parquet();
    let args: Vec<OsString> = args.into_iter().collect();
    let mut cli = match parse(&args) {
        Ok(cli) => cli,
        Err(error) => {
            let command = Cli::command();
            let subcommands: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
            return usage::report(&error, &usage::command_of(&args, &subcommands));
        }
    };
    cli.common.arguments = args.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let common = &cli.common;
    if let Err(failure) = common.start_threads() {
        return failure.report(&Options::of::<Common>());
    }
    let (result, options) = match cli.command {
        Command::Demo(args) => (demo::run(&args, common), Options::of::<demo::Args>()),
        Command::Fit(args) => (fit::run(&args, common), Options::of::<fit::Args>()),
        Command::Compare(args) => (compare::run(&args, common), Options::of::<compare::Args>()),
        Command::Predict(args) => (predict::predict(&args, common), Options::of::<predict::PredictArgs>()),
        Command::Evaluate(args) => (evaluate::evaluate(&args, common), Options::of::<evaluate::EvaluateArgs>()),
        Command::Adapt(args) => (adapt::run(&args, common), Options::of::<adapt::Args>()),
        Command::Report(args) => (report::run(&args, common), Options::of::<report::Args>()),
        Command::Gram(args) => (gram::gram(&args, common), Options::of::<gram::GramArgs>()),
        Command::Merge(args) => (gram::merge(&args, common), Options::of::<gram::MergeArgs>()),
        Command::Inspect(args) => (inspect::run(&args, common), Options::of::<inspect::Args>()),
        Command::Device(args) => (device::run(&args, common), Options::of::<device::Args>()),
        Command::Export(args) => (export::run(&args, common), Options::of::<export::Args>()),
        Command::Boards(args) => (boards::run(&args, common), Options::of::<boards::Args>()),
        Command::Send(args) => (send::run(&args, common), Options::of::<send::Args>()),
        Command::Generate(args) => (generate::run(&args, common), Options::of::<generate::Args>()),
    };
    match result {
        Ok(()) => 0,
        Err(failure) => failure.report(&options),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_of_every_subcommand_are_sound() {
        Cli::command().debug_assert();
    }
}
