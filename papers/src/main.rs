//! The tables of the papers, computed again, and the frontier of error and cost.
//!
//! Each row shows the paper's figure beside ours: `cargo run --release -p srfm-papers -- harfe-table2`.

mod arff;
mod compaction;
mod frontier;
mod function;
mod gfc;
mod harfe;
mod list;
mod settings;
mod shrimp;
mod srbench;
mod srff;
mod table;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use clap::builder::{PossibleValue, PossibleValuesParser};
use serde::Serialize;
use srfm_cli::common::Common;
use srfm_cli::failure::Failure;
use srfm_cli::options::Options;
use srfm_cli::output;
use srfm_cli::progress::Progress;
use srfm_cli::usage;

use crate::list::TABLES;
use crate::table::{Row, heading};

/// Computes the tables of the papers again, the frontier of error and cost, and SRBench.
#[derive(Parser)]
#[command(name = "srfm-papers", version, about, max_term_width = 100)]
struct Program {
    #[command(flatten)]
    args: Args,
    #[command(flatten)]
    common: Common,
}

#[derive(clap::Args)]
#[command(after_help = "Example:\n  cargo run --release -p srfm-papers -- harfe-table1 --seeds 2")]
struct Args {
    /// Tables to compute [default: all]
    #[arg(value_parser = names())]
    tables: Vec<String>,
    /// Number of seeds [default: the number that the table's thresholds are stated for]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    seeds: Option<u32>,
    /// Folder with the data sets that some tables need
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// File that keeps the finished searches of srbench and srbench-512, as CSV. A later run goes on after them
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    /// Folder to write the figures to, as SVG
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
}

/// Returns the names of the tables with their lines of help.
fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(TABLES.iter().map(|table| PossibleValue::new(table.name).help(table.summary)))
}

#[derive(Serialize)]
struct Report {
    rows: Vec<Row>,
    /// The written figures.
    figures: Vec<PathBuf>,
}

/// Computes the tables and prints their rows.
fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let wanted = |name: &str| args.tables.is_empty() || args.tables.iter().any(|other| other == name);
    let mut report = Report { rows: Vec::new(), figures: Vec::new() };
    if let Some(folder) = &args.figures {
        output::make_folder(folder)?;
    }
    let seeds = args.seeds.map(|n| n as usize);
    let files = (args.data.as_deref(), args.results.as_deref());
    for table in TABLES.iter().filter(|table| wanted(table.name)) {
        let outcome = table.compute(seeds, files, &Progress::new(table.name, common))?;
        report.rows.extend(outcome.rows);
        for (folder, chart) in args.figures.iter().flat_map(|folder| outcome.charts.iter().map(move |c| (folder, c))) {
            let path = folder.join(format!("{}.svg", chart.name));
            output::write(&path, chart.svg().as_bytes())?;
            report.figures.push(path);
        }
    }
    if common.json {
        output::print_json(&report)?;
    } else {
        let lines: Vec<String> = report.rows.iter().map(Row::to_string).collect();
        output::print(&format!("{}\n{}\n", heading(), lines.join("\n")))?;
        let written: Vec<String> = report.figures.iter().map(|path| format!("written  {}\n", path.display())).collect();
        output::print(&written.concat())?;
    }
    if report.rows.iter().all(|row| row.holds) { Ok(()) } else { Err(Failure::new("a row does not hold; see above")) }
}

/// Exit codes: 0 if every row holds, 1 if one does not or a table cannot be computed, 2 for wrong usage, 130 for an
/// interruption.
fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    let program = match Program::try_parse_from(usage::joined(&words)) {
        Ok(program) => program,
        Err(error) => return usage::report(&error, "srfm-papers").into(),
    };
    if let Err(error) = program.common.start_threads() {
        return error.report(&Options::of::<Args>()).into();
    }
    match run(&program.args, &program.common) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(&Options::of::<Args>()).into(),
    }
}
