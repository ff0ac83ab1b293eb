//! The tables of the papers, computed again: paper and ours side by side.

mod arff_cases;
mod arff_sigma;
mod arff_table1;
mod gradient_descent;
mod harfe_figure4;
mod harfe_table1;
mod harfe_table2;
mod harfe_table4;
mod mnist;
mod shrimp_figure4;
mod shrimp_table2;
mod shrimp_table6;
mod sine_integral;

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use serde::Serialize;

use crate::method::FitError;
use crate::observer::Observer;
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
    fn new(table: &'static str, row: String, paper: Option<f64>, ours: f64, unit: &'static str, seeds: usize) -> Row {
        Row { table, row, paper, ours, unit, seeds, threshold: None, holds: true, note: None }
    }

    fn at_most(mut self, threshold: Option<f64>) -> Row {
        self.threshold = threshold;
        self.holds = threshold.is_none_or(|threshold| self.ours <= threshold);
        self
    }
}

impl Row {
    /// A row whose data set is not there: it says so and holds nothing.
    fn skipped(table: &'static str, row: &str, paper: f64) -> Row {
        let note = Some("SKIPPED: name the folder of the data sets with --data");
        Row { note, ..Row::new(table, row.to_owned(), Some(paper), f64::NAN, "1", 0) }
    }

    fn note(mut self, note: Option<&'static str>) -> Row {
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
            "{:<14} {:<44} {:>10} {:>10} {:>10} {:<6} {:>5} {verdict}",
            self.table,
            self.row,
            number(self.paper),
            significant(self.ours),
            number(self.threshold),
            self.unit,
            self.seeds
        )?;
        self.note.map_or(Ok(()), |note| write!(f, "\n{:<14} ({note})", ""))
    }
}

/// The heading of a list of rows.
pub fn heading() -> String {
    let columns = ["table", "row", "paper", "ours", "at most", "unit", "seeds"];
    let [table, row, paper, ours, at_most, unit, seeds] = columns;
    format!("{table:<14} {row:<44} {paper:>10} {ours:>10} {at_most:>10} {unit:<6} {seeds:>5}")
}

/// A table of a paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// HARFE, Table 1: noise-free functions.
    HarfeTable1,
    /// HARFE, Table 2: the Friedman functions.
    HarfeTable2,
    /// HARFE, Table 4: real data.
    HarfeTable4,
    /// HARFE, Figure 4: the inputs that matter.
    HarfeFigure4,
    /// SHRIMP, Table 2 in 10 inputs: seven noise-free functions.
    ShrimpTable2,
    /// SHRIMP, Table 2 in 100 inputs.
    ShrimpTable2High,
    /// SHRIMP, Table 6: variances of the frequencies.
    ShrimpTable6,
    /// SHRIMP, Figure 4: recovery of a support.
    ShrimpFigure4,
    /// ARFF, Case 1: a regularised step.
    ArffCase1,
    /// ARFF, Case 2: five inputs.
    ArffCase2,
    /// ARFF, Case 3: an anisotropic Gaussian.
    ArffCase3,
    /// ARFF, Section 5.1: the best variance of fixed frequencies.
    ArffSigma,
    /// ARFF, Table 1: MNIST.
    ArffTable1,
}

impl Table {
    /// All tables.
    pub const ALL: [Table; 13] = [
        Table::HarfeTable1,
        Table::HarfeTable2,
        Table::HarfeTable4,
        Table::HarfeFigure4,
        Table::ShrimpTable2,
        Table::ShrimpTable2High,
        Table::ShrimpTable6,
        Table::ShrimpFigure4,
        Table::ArffCase1,
        Table::ArffCase2,
        Table::ArffCase3,
        Table::ArffSigma,
        Table::ArffTable1,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Table::HarfeTable1 => "harfe-table1",
            Table::HarfeTable2 => "harfe-table2",
            Table::HarfeTable4 => "harfe-table4",
            Table::HarfeFigure4 => "harfe-figure4",
            Table::ShrimpTable2 => "shrimp-table2",
            Table::ShrimpTable2High => "shrimp-table2-high",
            Table::ShrimpTable6 => "shrimp-table6",
            Table::ShrimpFigure4 => "shrimp-figure4",
            Table::ArffCase1 => "arff-case1",
            Table::ArffCase2 => "arff-case2",
            Table::ArffCase3 => "arff-case3",
            Table::ArffSigma => "arff-sigma",
            Table::ArffTable1 => "arff-table1",
        }
    }

    /// Computes the table.
    pub fn rows(self, run: &Run<'_>) -> Result<Vec<Row>, FitError> {
        match self {
            Table::HarfeTable1 => harfe_table1::rows(run),
            Table::HarfeTable2 => harfe_table2::rows(run),
            Table::HarfeTable4 => harfe_table4::rows(run),
            Table::HarfeFigure4 => harfe_figure4::rows(run),
            Table::ShrimpTable2 => shrimp_table2::low(run),
            Table::ShrimpTable2High => shrimp_table2::high(run),
            Table::ShrimpTable6 => shrimp_table6::rows(run),
            Table::ShrimpFigure4 => shrimp_figure4::rows(run),
            Table::ArffCase1 => arff_cases::step(run),
            Table::ArffCase2 => arff_cases::high(run),
            Table::ArffCase3 => arff_cases::anisotropic(run),
            Table::ArffSigma => arff_sigma::rows(run),
            Table::ArffTable1 => arff_table1::rows(run),
        }
    }
}

/// How tables are computed.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// Number of seeds; none means the number that the table's thresholds are stated for.
    pub seeds: Option<usize>,
    /// Folder with the data sets that some tables need.
    pub data: Option<&'a Path>,
    /// Receives progress.
    pub observer: &'a dyn Observer,
}

impl Run<'_> {
    /// Evaluates `work` for every case and every seed from 0, in parallel; one list of results per case.
    ///
    /// `usual` is the number of seeds where none was asked for.
    fn over_seeds<C: Sync, T: Send>(
        &self,
        cases: &[C],
        usual: usize,
        work: impl Fn(&C, u64) -> Result<T, FitError> + Sync,
    ) -> Result<Vec<Vec<T>>, FitError> {
        self.over_seeds_of(cases, self.seeds.unwrap_or(usual), work)
    }

    /// The same with a given number of seeds, whatever was asked for.
    fn over_seeds_of<C: Sync, T: Send>(
        &self,
        cases: &[C],
        seeds: usize,
        work: impl Fn(&C, u64) -> Result<T, FitError> + Sync,
    ) -> Result<Vec<Vec<T>>, FitError> {
        let total = cases.len() * seeds;
        let done = AtomicUsize::new(0);
        let one = |piece: usize| {
            if self.observer.interrupted() {
                return Err(FitError::Interrupted);
            }
            let result = work(&cases[piece / seeds], (piece % seeds) as u64)?;
            self.observer.progress(done.fetch_add(1, Ordering::Relaxed) + 1, total);
            Ok(result)
        };
        let results: Vec<T> = (0..total).into_par_iter().map(one).collect::<Result<_, _>>()?;
        let mut results = results.into_iter();
        Ok(cases.iter().map(|_| results.by_ref().take(seeds).collect()).collect())
    }
}

/// Median of some errors; the mean of the middle two of an even number.
fn median(errors: &[f64]) -> f64 {
    let mut sorted = errors.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n => (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0,
    }
}

/// Mean of some errors.
fn mean(errors: &[f64]) -> f64 {
    errors.iter().sum::<f64>() / errors.len() as f64
}
