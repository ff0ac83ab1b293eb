//! `srfm reproduce`: the papers' tables.

use std::path::PathBuf;

use serde::Serialize;
use srfm_trainer::reproduce::{Row, Run, Table, heading};

use super::failure::Failure;
use super::progress::Progress;
use super::{Common, output};

#[derive(clap::Args)]
pub struct Args {
    /// Tables to compute [default: all]
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(Table::ALL.map(Table::name)))]
    tables: Vec<String>,
    /// Number of seeds [default: what the table's thresholds are stated for]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    seeds: Option<u32>,
    /// Folder with the data sets that some tables need
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

#[derive(Serialize)]
struct Report {
    rows: Vec<Row>,
}

pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let wanted = |table: &Table| args.tables.is_empty() || args.tables.iter().any(|name| name == table.name());
    let mut rows = Vec::new();
    for table in Table::ALL.into_iter().filter(wanted) {
        let progress = Progress::new(table.name(), common);
        rows.extend(table.rows(&Run {
            seeds: args.seeds.map(|n| n as usize),
            data: args.data.as_deref(),
            observer: &progress,
        })?);
    }
    let report = Report { rows };
    if common.json {
        output::print_json(&report)?;
    } else {
        let lines: Vec<String> = report.rows.iter().map(Row::to_string).collect();
        output::print(&format!("{}\n{}\n", heading(), lines.join("\n")))?;
    }
    if report.rows.iter().all(|row| row.holds) { Ok(()) } else { Err(Failure::new("a threshold is not held")) }
}
