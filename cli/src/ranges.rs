//! Readings outside of the range of the fitted rows, and the columns that hold them.

use nalgebra::DMatrix;
use srfm_trainer::export::{self, Blob};

use crate::report::{counted, significant};

/// What is known of the ranges so far.
#[derive(Default)]
pub struct Ranges {
    /// The number of rows without missing readings.
    rows: usize,
    /// The number of these rows with a reading outside of its range; none for a model without ranges.
    outside: Option<usize>,
    columns: Vec<Column>,
}

/// The readings of an input.
#[derive(Clone)]
struct Column {
    name: String,
    /// The range of the fitted rows.
    fitted: [f64; 2],
    /// The range of the readings.
    read: [f64; 2],
    /// The number of rows with a reading outside.
    outside: usize,
}

impl Ranges {
    /// Adds rows (n×d) with the inputs `names`. Returns the number of readings outside of each row, without missing
    /// ones; none for a model without ranges.
    pub fn add(&mut self, blob: &Blob, names: &[String], x: &DMatrix<f64>) -> Option<Vec<usize>> {
        let missing = |row: usize| x.row(row).iter().filter(|value| value.is_nan()).count();
        let counts = export::outside(blob, x)?;
        let counts: Vec<usize> =
            counts.into_iter().enumerate().map(|(row, count)| count.saturating_sub(missing(row))).collect();
        // Rows with missing values have no predictions.
        let complete: Vec<usize> = (0..x.nrows()).filter(|&row| missing(row) == 0).collect();
        self.rows += complete.len();
        *self.outside.get_or_insert(0) += complete.iter().filter(|&&row| counts[row] > 0).count();
        if self.columns.is_empty() {
            self.columns = columns(blob, names);
        }
        for (column, readings) in self.columns.iter_mut().zip(x.column_iter()) {
            complete.iter().for_each(|&row| column.add(readings[row]));
        }
        Some(counts)
    }

    /// Returns a remark on rows outside; none where there are no such rows. Where most rows are outside in one column,
    /// the remark names it, since its unit may be another one.
    pub fn remark(&self) -> Option<String> {
        let count = self.outside.filter(|&count| count > 0)?;
        let mut remark = format!(
            "{count} of {} have readings outside of the range that the model was fitted to",
            counted(self.rows, "row")
        );
        let worst = self.columns.iter().rev().max_by_key(|column| column.outside)?;
        if 2 * worst.outside > self.rows {
            let Column { name, fitted: [from, to], read: [least, most], outside } = worst;
            let [from, to, least, most] = [from, to, least, most].map(|reading| significant(*reading));
            remark += &format!(
                "; in the column {name:?} {outside} of them, which reads {least} to {most} in place of {from} to {to}: \
                 check its unit, or whether it drifted"
            );
        }
        Some(remark)
    }

    /// Returns whether the model has no ranges.
    pub fn are_unknown(&self) -> bool {
        self.outside.is_none()
    }
}

impl Column {
    fn add(&mut self, reading: f64) {
        let [from, to] = self.fitted;
        // The device reads single precision.
        let single = f64::from(reading as f32);
        self.outside += usize::from(!(single >= from && single <= to));
        self.read = [self.read[0].min(reading), self.read[1].max(reading)];
    }
}

/// Returns the inputs of a model before any reading.
fn columns(blob: &Blob, names: &[String]) -> Vec<Column> {
    let column = |(name, range): (&String, [f32; 2])| Column {
        name: name.clone(),
        fitted: range.map(f64::from),
        read: [f64::INFINITY, f64::NEG_INFINITY],
        outside: 0,
    };
    names.iter().zip(blob.model().ranges()).map(column).collect()
}
