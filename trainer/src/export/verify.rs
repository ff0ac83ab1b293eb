//! Runs the device's own code and compares it with the model on the workstation.

use nalgebra::DMatrix;
use rayon::prelude::*;

use crate::data::Dataset;
use crate::export::{Blob, ExportError};
use crate::model::Model;

/// Largest difference between device and workstation that is usually allowed, in standard deviations of the target.
pub(crate) const LARGEST_SHARE: f64 = 0.01;

/// The number of rows that are compared at a time. All rows at once would take several copies of the data.
const BLOCK: usize = 4096;

/// The difference between the device's code and the model on the workstation over some rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    /// Largest absolute difference, in units of the target.
    pub largest: f64,
    /// The same in standard deviations of the target.
    pub(crate) share: f64,
    /// Of an integer model, the largest difference that is possible for readings in the range of the rows, one per
    /// output, in units of the target.
    pub worst: Option<Vec<f64>>,
}

/// Predicts every row (n×d) with the device's code; n×k.
pub fn predict(blob: &Blob, x: &DMatrix<f64>) -> DMatrix<f32> {
    let model = blob.model();
    let mut predictions = DMatrix::zeros(x.nrows(), model.outputs());
    let mut reading = vec![0.0; model.inputs()];
    let mut y = vec![0.0; model.outputs()];
    for row in 0..x.nrows() {
        for (reading, x) in reading.iter_mut().zip(x.row(row).iter()) {
            *reading = *x as f32;
        }
        model.predict(&reading, &mut y).expect("the data have the width of the model");
        predictions.row_mut(row).copy_from_slice(&y);
    }
    predictions
}

/// How many readings of every row (n×d) are outside of the range of the rows that were fitted, as the device tells;
/// none where the file does not say.
pub fn outside(blob: &Blob, x: &DMatrix<f64>) -> Option<Vec<usize>> {
    let model = blob.model();
    if model.ranges().len() == 0 {
        return None;
    }
    let row = |row: usize| -> Vec<f32> { x.row(row).iter().map(|&x| x as f32).collect() };
    Some((0..x.nrows()).map(|i| model.outside(&row(i)).count()).collect())
}

/// Compares `blob` with `model` on the rows of `data`, which has targets.
///
/// # Errors
/// [`ExportError::Precision`] if they differ by more than `max_error` standard deviations of a target.
pub(crate) fn verify(blob: &Blob, model: &Model, data: &Dataset, max_error: f64) -> Result<Agreement, ExportError> {
    let starts: Vec<usize> = (0..data.rows()).step_by(BLOCK).collect();
    let differences = |&start: &usize| {
        // A reading reaches the device as an f32; the export does not answer for that rounding.
        let readings = data.x.rows(start, BLOCK.min(data.rows() - start)).map(|v| f64::from(v as f32));
        let device = predict(blob, &readings);
        let host = model.predict(&readings);
        let outputs = device.column_iter().zip(host.column_iter());
        outputs.map(|(device, host)| largest_difference(device.as_slice(), host.as_slice())).collect::<Vec<f64>>()
    };
    let mut agreement = Agreement { largest: 0.0, share: 0.0, worst: None };
    for differences in starts.par_iter().map(differences).collect::<Vec<Vec<f64>>>() {
        for (difference, scale) in differences.into_iter().zip(&model.scaling.y.scale) {
            agreement.largest = agreement.largest.max(difference);
            agreement.share = agreement.share.max(difference / scale);
        }
    }
    if agreement.share > max_error || agreement.share.is_nan() {
        return Err(ExportError::Precision { share: agreement.share, limit: max_error });
    }
    Ok(agreement)
}

/// Returns the largest difference between the device's predictions and those of the workstation; infinite where one is
/// not a number.
fn largest_difference(device: &[f32], host: &[f64]) -> f64 {
    let differences = device.iter().zip(host).map(|(&device, host)| (f64::from(device) - host).abs());
    differences
        .fold(0.0, |largest, difference| if difference.is_nan() { f64::INFINITY } else { largest.max(difference) })
}
