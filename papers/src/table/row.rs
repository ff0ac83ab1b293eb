//! One row of a table: a figure of the paper beside ours.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use serde::Serialize;

use srfm_cli::report::significant;

/// A figure of a paper beside ours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Name of the table; filled in when the table is computed.
    pub table: &'static str,
    /// Name of the figure.
    pub row: String,
    /// The paper's figure.
    pub paper: Option<f64>,
    /// Our figure: the mean or median over the seeds, as in the paper.
    pub ours: f64,
    /// Unit of both figures.
    pub unit: &'static str,
    /// Number of seeds.
    pub seeds: usize,
    /// The largest allowed value of our figure; none if the figure is only for comparison.
    pub threshold: Option<f64>,
    /// Whether our figure is within the threshold; true without a threshold.
    pub holds: bool,
    /// Why the figures differ.
    pub note: Option<Cow<'static, str>>,
    /// Whether the data set is missing.
    #[serde(skip)]
    skipped: bool,
}

impl Row {
    /// Returns a row without threshold and note.
    pub fn new(row: String, paper: Option<f64>, ours: f64, unit: &'static str, seeds: usize) -> Row {
        Row { table: "", row, paper, ours, unit, seeds, threshold: None, holds: true, note: None, skipped: false }
    }

    /// Sets the threshold.
    pub fn at_most(mut self, threshold: Option<f64>) -> Row {
        self.threshold = threshold;
        self.holds = threshold.is_none_or(|threshold| self.ours <= threshold);
        self
    }

    /// Returns the row of a missing data set.
    pub fn skipped(row: &str, paper: f64) -> Row {
        let note = Some("SKIPPED: name the folder of the data sets with --data".into());
        Row { note, skipped: true, ..Row::new(row.to_owned(), Some(paper), f64::NAN, "1", 0) }
    }

    /// Returns the row of a missing data set without a figure of the paper.
    pub fn without_data(row: &str) -> Row {
        Row { paper: None, ..Row::skipped(row, f64::NAN) }
    }

    /// Sets the note.
    pub fn note(mut self, note: Option<&'static str>) -> Row {
        self.note = note.map(Cow::Borrowed);
        self
    }

    /// States, in the row of a data set that `folder` does not have, what was wrong with the files. Such a row does not
    /// hold. The problems of other data sets are left out where one has the name of the row.
    pub fn state_missing(&mut self, folder: &Path, problems: &[String]) {
        if !self.skipped {
            return;
        }
        let own: Vec<&str> = problems.iter().map(String::as_str).filter(|text| text.contains(&self.row)).collect();
        let all = || problems.iter().map(String::as_str).collect();
        let mut stated: Vec<&str> = if own.is_empty() { all() } else { own };
        let unknown = format!("{} has no such data set, or its files cannot be read", folder.display());
        if stated.is_empty() {
            stated.push(&unknown);
        }
        (self.note, self.holds) = (Some(format!("SKIPPED: {}", stated.join("; ")).into()), false);
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |value: Option<f64>| value.map_or("-".to_owned(), significant);
        let verdict = match (self.threshold, self.holds) {
            (_, false) => "FAILS",
            (None, true) => "",
            (Some(_), true) => "holds",
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
        self.note.as_ref().map_or(Ok(()), |note| write!(f, "\n{:<23} ({note})", ""))
    }
}

/// Returns the heading of a list of rows.
pub fn heading() -> String {
    let columns = ["table", "row", "paper", "ours", "at most", "unit", "seeds"];
    let [table, row, paper, ours, at_most, unit, seeds] = columns;
    format!("{table:<23} {row:<54} {paper:>10} {ours:>10} {at_most:>10} {unit:<6} {seeds:>5}")
}
