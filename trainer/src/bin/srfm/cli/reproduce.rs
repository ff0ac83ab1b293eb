//! `srfm reproduce`: the tables of the papers.

use std::path::PathBuf;

use crate::reproduce::{Row, TABLES, heading};
use clap::builder::{PossibleValue, PossibleValuesParser};
use serde::Serialize;

use crate::cli::common::Common;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::progress::Progress;

#[derive(clap::Args)]
#[command(after_help = "Example:\n  srfm reproduce harfe-table1 --seeds 2")]
pub struct Args {
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
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
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
