//! One line of a table: a figure of the paper beside ours.

use std::fmt;

use serde::Serialize;

use crate::report::significant;

/// One figure of a paper beside ours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Name of the table.
    pub table: &'static str,
    /// What the figure is of.
    pub row: String,
    /// The paper's figure.
    pub paper: Option<f64>,
    /// Ours: the mean or median over the seeds, as the paper has it.
    pub ours: f64,
    /// Unit of both.
    pub unit: &'static str,
    /// Number of seeds.
    pub seeds: usize,
    /// What ours must not exceed; none where the figure is shown for comparison alone.
    pub threshold: Option<f64>,
    /// Whether ours is within the threshold; true where there is none.
    pub holds: bool,
    /// Why the figures differ, where they do.
    pub note: Option<&'static str>,
}

impl Row {
    pub fn new(row: String, paper: Option<f64>, ours: f64, unit: &'static str, seeds: usize) -> Row {
        Row { table: "", row, paper, ours, unit, seeds, threshold: None, holds: true, note: None }
    }

    pub fn at_most(mut self, threshold: Option<f64>) -> Row {
        self.threshold = threshold;
        self.holds = threshold.is_none_or(|threshold| self.ours <= threshold);
        self
    }

    /// A row whose data set is not there: it says so and holds nothing.
    pub fn skipped(row: &str, paper: f64) -> Row {
        let note = Some("SKIPPED: name the folder of the data sets with --data");
        Row { note, ..Row::new(row.to_owned(), Some(paper), f64::NAN, "1", 0) }
    }

    /// The same for a row without a figure to compare with.
    pub fn without_data(row: &str) -> Row {
        Row { paper: None, ..Row::skipped(row, f64::NAN) }
    }

    pub fn note(mut self, note: Option<&'static str>) -> Row {
        self.note = note;
        self
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |value: Option<f64>| value.map_or("-".to_owned(), significant);
        let verdict = match (self.threshold, self.holds) {
            (None, _) => "",
            (_, true) => "holds",
            (_, false) => "FAILS",
        };
        write!(
            f,
            "{:<23} {:<54} {:>10} {:>10} {:>10} {:<6} {:>5} {verdict}",
            self.table,
            self.row,
            number(self.paper),
            significant(self.ours),
            number(self.threshold),
            self.unit,
            self.seeds
        )?;
        self.note.map_or(Ok(()), |note| write!(f, "\n{:<23} ({note})", ""))
    }
}

/// The heading of a list of rows.
pub fn heading() -> String {
    let columns = ["table", "row", "paper", "ours", "at most", "unit", "seeds"];
    let [table, row, paper, ours, at_most, unit, seeds] = columns;
    format!("{table:<23} {row:<54} {paper:>10} {ours:>10} {at_most:>10} {unit:<6} {seeds:>5}")
}
