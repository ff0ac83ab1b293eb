//! The definition of a table: one row of the list of tables.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use srfm_trainer::FitError;
use srfm_trainer::Observer;

use crate::table::outcome::Outcome;
use crate::table::reproduction::Reproduction;
use crate::table::row::Row;

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
    /// [`FitError::Interrupted`], the error of a fit, or a folder of data sets that is none.
    pub fn compute(
        &self,
        seeds: Option<usize>,
        files: (Option<&Path>, Option<&Path>),
        observer: &dyn Observer,
    ) -> Result<Outcome, FitError> {
        let (folder, problems) = (files.0, Mutex::default());
        if let Some(none) = folder.filter(|folder| !folder.is_dir()) {
            let why = "is no folder; name the folder of the data sets with --data";
            return Err(FitError::Data(format!("{}: {why}", none.display()).into()));
        }
        let run = Reproduction::new(seeds, self.seeds, files, observer, &problems);
        let mut outcome = match self.compute {
            Compute::Rows(rows) => Outcome { rows: rows(&run)?, charts: Vec::new() },
            Compute::Charts(charts) => charts(&run)?,
        };
        let problems = problems.into_inner().unwrap_or_else(PoisonError::into_inner);
        for row in &mut outcome.rows {
            row.table = self.name;
            if let Some(folder) = folder {
                row.state_missing(folder, &problems);
            }
        }
        Ok(outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Silent;

    impl Observer for Silent {}

    fn rows(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
        let row = |name| match run.whole(name) {
            Some(data) => Row::new(name.to_owned(), None, data.rows() as f64, "1", 1),
            None => Row::skipped(name, 1.0),
        };
        Ok(["whole", "damaged", "absent"].map(row).to_vec())
    }

    #[test]
    fn rows_without_data_hold_only_where_no_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("whole.csv"), "a,y\n1,2\n3,4\n").unwrap();
        std::fs::write(folder.path().join("damaged.csv"), "a,y\n1,2\n3,x\n").unwrap();
        let table = Table { name: "t", summary: "", seeds: 1, compute: Compute::Rows(rows) };
        let compute = |folder| table.compute(None, (folder, None), &Silent).map(|outcome| outcome.rows);
        let found = compute(Some(folder.path())).unwrap();
        assert_eq!((found[0].ours, found[0].holds, &found[0].note), (2.0, true, &None));
        for (row, expected) in [(1, "damaged.csv, line 3"), (2, "absent.csv: cannot be read")] {
            let note = found[row].note.as_ref().unwrap();
            assert!(note.contains(expected) && !found[row].holds && note.matches(".csv").count() == 1, "{note}");
            assert!(found[row].to_string().contains("FAILS"));
        }
        let unnamed = compute(None).unwrap();
        assert!(unnamed.iter().all(|row| row.holds && row.note.as_ref().unwrap().contains("with --data")));
        let absent = compute(Some(&folder.path().join("none"))).unwrap_err().to_string();
        assert!(absent.ends_with("none: is no folder; name the folder of the data sets with --data"), "{absent}");
    }
}
