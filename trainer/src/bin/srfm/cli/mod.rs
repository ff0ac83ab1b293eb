//! The command line: the only code that prints, parses arguments or shows progress.

mod auto;
mod checkpoint;
mod compare;
mod data;
mod demo;
mod device;
mod failure;
mod fit;
mod generate;
mod inspect;
mod output;
mod predict;
mod progress;
mod reproduce;
mod settings;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Fits sparse random feature models and evaluates them on microcontrollers.
#[derive(Parser)]
#[command(name = "srfm", version, about, arg_required_else_help = true, max_term_width = 100)]
#[command(after_help = "Example:\n  srfm generate pressure --rows 1000 -o pressure.csv\n  \
    srfm fit pressure.csv --max-features 20 --holdout 0.25 -o pressure.srfm\n  \
    srfm device pressure.srfm pressure.csv --core cortex-m4f")]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    common: Common,
}

/// Options of every subcommand.
#[derive(clap::Args)]
struct Common {
    /// Print one JSON document on standard output instead of text
    #[arg(long, global = true, help_heading = "Common options")]
    json: bool,
    /// Print no progress and no remarks
    #[arg(long, short, global = true, help_heading = "Common options")]
    quiet: bool,
    /// Number of threads; 0 means one a processor. The result does not depend on it
    #[arg(long, global = true, default_value_t = 0, value_name = "N", help_heading = "Common options",
          value_parser = clap::value_parser!(u16).range(..=1024))]
    threads: u16,
}

#[derive(Subcommand)]
enum Command {
    /// Train on the built-in pressure sensor task, export, report and run on an emulated Cortex-M
    Demo(demo::Args),
    /// Fit a model to a data file and export it for the device
    Fit(Box<fit::Args>),
    /// Compare all methods at several sizes: error against flash and instructions, and which inputs are needed
    Compare(compare::Args),
    /// Predict rows of a data file with the device's own code
    Predict(predict::PredictArgs),
    /// Compare predictions with the targets in a data file
    Evaluate(predict::EvaluateArgs),
    /// Show what a model file holds
    Inspect(inspect::Args),
    /// Run a model on an emulated microcontroller: instructions, stack, and whether the bits agree
    Device(device::Args),
    /// Write the rows of a built-in task as CSV
    Generate(generate::Args),
    /// Compute tables of the papers again
    Reproduce(reproduce::Args),
}

/// Runs the command and gives its exit code: 0, 1 for a failure, 2 for wrong usage.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let common = &cli.common;
    if let Err(error) = rayon::ThreadPoolBuilder::new().num_threads(common.threads.into()).build_global() {
        eprintln!("srfm: cannot start {} threads: {error}", common.threads);
        return ExitCode::FAILURE;
    }
    let result = match cli.command {
        Command::Demo(args) => demo::run(&args, common),
        Command::Fit(args) => fit::run(&args, common),
        Command::Compare(args) => compare::run(&args, common),
        Command::Predict(args) => predict::predict(&args, common),
        Command::Evaluate(args) => predict::evaluate(&args, common),
        Command::Inspect(args) => inspect::run(&args, common),
        Command::Device(args) => device::run(&args, common),
        Command::Generate(args) => generate::run(&args, common),
        Command::Reproduce(args) => reproduce::run(&args, common),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
