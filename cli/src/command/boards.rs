//! `srfm boards`: the boards that have a name.

use serde::Serialize;
use srfm_trainer::cost::Board;

use crate::common::Common;
use crate::failure::Failure;
use crate::output;
use crate::report::megahertz;

#[derive(clap::Args)]
#[command(after_help = "Example:\n  srfm fit sensor.csv --board uno -o sensor/")]
pub struct Args {}

/// The boards.
#[derive(Serialize)]
struct Report {
    boards: Vec<Row>,
}

/// A board.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    title: &'static str,
    core: &'static str,
    /// The clock in hertz.
    clock: f64,
    flash_bytes: usize,
    ram_bytes: usize,
    /// The budget of flash where none is named.
    budget_bytes: usize,
    layout: &'static str,
}

/// Prints the table of boards.
pub fn run(_: &Args, common: &Common) -> Result<(), Failure> {
    let row = |board: Board| Row {
        name: board.name(),
        title: board.title(),
        core: board.core().name(),
        clock: board.clock(),
        flash_bytes: board.flash(),
        ram_bytes: board.ram(),
        budget_bytes: board.budget(),
        layout: board.layout(),
    };
    let report = Report { boards: Board::all().map(row).collect() };
    if common.json {
        return output::print_json(&report);
    }
    let head = ["board", "name", "core", "clock", "flash", "RAM", "budget", "layout"].map(str::to_owned);
    let cells = |row: &Row| {
        let size = |bytes: usize| format!("{} kB", bytes / 1024);
        let budget = size(row.budget_bytes);
        let [clock, flash, ram] = [megahertz(row.clock), size(row.flash_bytes), size(row.ram_bytes)];
        [
            row.title.to_owned(),
            row.name.to_owned(),
            row.core.to_owned(),
            clock,
            flash,
            ram,
            budget,
            row.layout.to_owned(),
        ]
    };
    let lines: Vec<[String; 8]> = [head].into_iter().chain(report.boards.iter().map(cells)).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        let padded: Vec<String> = line.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
        text += padded.join("  ").trim_end();
        text.push('\n');
    }
    output::print(&text)
}
