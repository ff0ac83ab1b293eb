//! The definition of a table: one row of the list of tables.

use std::path::Path;

use srfm_trainer::FitError;
use srfm_trainer::Observer;

use crate::reproduce::table::outcome::Outcome;
use crate::reproduce::table::reproduction::Reproduction;
use crate::reproduce::table::row::Row;

/// A table or figure of a paper, or a table of the frontier.
pub struct Table {
    /// The name on the command line.
    pub name: &'static str,
    /// One line for the help text.
    pub summary: &'static str,
    /// The number of seeds that the thresholds are stated for. Some tables have parts with numbers of their own.
    pub seeds: usize,
    /// The function that computes the table.
    pub compute: Compute,
}

/// A function that computes a table.
pub enum Compute {
    /// Figures alone.
    Rows(fn(&Reproduction<'_>) -> Result<Vec<Row>, FitError>),
    /// Figures and charts.
    Charts(fn(&Reproduction<'_>) -> Result<Outcome, FitError>),
}

impl Table {
    /// Computes the table with the given number of seeds (default: the table's own), the folder of data sets and the
    /// file that keeps the results of finished searches.
    ///
    /// # Errors
    /// [`FitError::Interrupted`], or the error of a fit.
    pub fn compute(
        &self,
        seeds: Option<usize>,
        files: (Option<&Path>, Option<&Path>),
        observer: &dyn Observer,
    ) -> Result<Outcome, FitError> {
        let run = Reproduction::new(seeds, self.seeds, files, observer);
        let mut outcome = match self.compute {
            Compute::Rows(rows) => Outcome { rows: rows(&run)?, charts: Vec::new() },
            Compute::Charts(charts) => charts(&run)?,
        };
        outcome.rows.iter_mut().for_each(|row| row.table = self.name);
        Ok(outcome)
    }
}
