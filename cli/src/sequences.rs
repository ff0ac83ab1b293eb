//! The rows that a core runs, as the samples that its program takes.

use nalgebra::DMatrix;
use srfm_trainer::data::Prepared;

/// Samples in the order of time, and the inputs that the workstation makes of them.
pub struct Sequences {
    /// The readings of every sequence, sample after sample. A history begins anew with each.
    pub samples: Vec<Vec<f32>>,
    /// The inputs of every prediction, n×d: those of the first sequence come first.
    pub x: DMatrix<f64>,
    /// The predictions without missing values, in the order of the file.
    pub complete: Vec<usize>,
}

impl Sequences {
    /// Returns the complete rows of `x` (n×d) without a history, at most `limit`.
    pub fn of_rows(x: &DMatrix<f64>, limit: usize) -> Sequences {
        let rows: Vec<usize> = (0..x.nrows()).filter(|&row| is_complete(x, row)).take(limit).collect();
        let x = x.select_rows(&rows);
        Sequences { samples: vec![readings(&x)], complete: (0..rows.len()).collect(), x }
    }

    /// Returns the first `limit` rows; without a history, as [`Sequences::of_rows`]. Rows with missing values are
    /// samples like others, since time passes with them. Every group is a sequence.
    pub fn of(prepared: &Prepared, limit: usize) -> Sequences {
        let (data, Some(samples)) = (&prepared.data, &prepared.samples) else {
            return Sequences::of_rows(&prepared.data.x, limit);
        };
        let group = |row: usize| data.groups.get(row).copied().unwrap_or(0);
        let count = data.rows().min(limit);
        let mut rows = vec![Vec::new(); (0..count).map(group).max().map_or(0, |last| last + 1)];
        (0..count).for_each(|row| rows[group(row)].push(row));
        let is_ready = |(position, _): &(usize, &usize)| data.history.is_ready(*position);
        let of_sequence =
            |rows: &'_ Vec<usize>| rows.iter().enumerate().filter(is_ready).map(|(_, &row)| row).collect();
        let predicted: Vec<usize> = rows.iter().flat_map(|rows| -> Vec<usize> { of_sequence(rows) }).collect();
        let mut complete: Vec<usize> = (0..predicted.len()).filter(|&i| is_complete(&data.x, predicted[i])).collect();
        complete.sort_by_key(|&i| predicted[i]);
        let samples = rows.iter().map(|rows| readings(&samples.select_rows(rows))).collect();
        Sequences { samples, x: data.x.select_rows(&predicted), complete }
    }
}

fn is_complete(x: &DMatrix<f64>, row: usize) -> bool {
    x.row(row).iter().all(|value| !value.is_nan())
}

/// Returns the values row after row, as the board reads them.
fn readings(rows: &DMatrix<f64>) -> Vec<f32> {
    rows.transpose().iter().map(|&value| value as f32).collect()
}
