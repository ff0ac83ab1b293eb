//! From a fitted model to verified bytes.

use nalgebra::DMatrix;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use srfm_runtime::format::Confidence;

use crate::data::{Dataset, decide, decide_beyond};
use crate::export::{Blob, ExportError, NumberFormat, export, integers, quantised_refit, trees};
use crate::model::Model;

/// The number format of a model, the limit of its rounding error, and the range of its outputs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Encoding {
    /// The number format.
    pub number: NumberFormat,
    /// The largest difference between the device's predictions and the workstation's, in standard deviations of the
    /// target.
    pub max_error: f64,
    /// What predictions may exceed the range of the targets by at either end, as a share of that range. Predictions
    /// beyond are limited. Scores of classes have no limits.
    pub output_margin: f64,
    /// The share of rows whose class is to be among those that the model cannot rule out, between 0 and 1: a class is
    /// named only where it alone is left. None names a class for every row.
    pub confidence: Option<f64>,
    /// Flash in bytes that the file may take. The file then holds the ranges of the readings wherever they fit. Without
    /// a limit, the ranges take at most an eighth of the file.
    #[serde(skip)]
    pub flash: Option<usize>,
    /// Whether the cosine of an integer model with one output is a polynomial rather than a table of 1 KB, which is
    /// smaller in a program that has one model.
    #[serde(skip)]
    pub polynomial: bool,
}

impl Encoding {
    /// Returns the settings within a budget of flash, whose bytes are those of the file or of a whole program, which
    /// leaves the file any length.
    pub(crate) fn within(self, flash: Option<usize>, program: bool) -> Encoding {
        let flash = if program { Some(usize::MAX) } else { flash.or(self.flash) };
        Encoding { flash, polynomial: program, ..self }
    }
}

impl Default for Encoding {
    fn default() -> Self {
        Encoding {
            number: NumberFormat::default(),
            max_error: LARGEST_SHARE,
            output_margin: 0.1,
            confidence: None,
            flash: None,
            polynomial: false,
        }
    }
}

impl From<NumberFormat> for Encoding {
    /// The number format with the default limit of the rounding error.
    fn from(number: NumberFormat) -> Self {
        Encoding { number, ..Encoding::default() }
    }
}

/// An exported model.
#[derive(Clone, Debug)]
pub(crate) struct Exported {
    /// The model on the workstation. Integers round its inputs, biases and amplitudes only.
    pub model: Model,
    /// The model as the device stores it.
    pub blob: Blob,
    /// The difference between the device's code and the model over the verified rows.
    pub agreement: Agreement,
}

/// Limits the outputs of `model`, adapts the model to the number format, exports it and verifies the bytes.
///
/// The model was fitted to the rows of `data`. The limits are the range of the targets in these rows, extended by the
/// margin. The bytes are verified on the same rows.
///
/// For integers, weights are rounded to those that the file holds, and coefficients and intercepts are fitted again, so
/// that the function over the rows stays nearly the same. The model keeps its coefficients if the second fit is no
/// better, as with few rows, and with more than 500 features, for which the second fit takes too long.
///
/// # Errors
/// The errors of [`verified`].
pub(crate) fn finished(mut model: Model, data: &Dataset, encoding: Encoding) -> Result<Exported, ExportError> {
    model.limit(data.y.column_iter().map(|targets| (targets.min(), targets.max())), encoding.output_margin);
    encoded(model, data, encoding)
}

/// Adapts `model` to the number format, exports it and verifies the bytes on the rows of `data`, as [`finished`] does.
/// Thresholds of trees become those of the device.
///
/// # Errors
/// The errors of [`verified`].
pub(crate) fn encoded(mut model: Model, data: &Dataset, encoding: Encoding) -> Result<Exported, ExportError> {
    model.flash = encoding.flash;
    model.polynomial = encoding.polynomial;
    let model = trees::snapped(model, data, encoding.number.number());
    let model = match encoding.number {
        NumberFormat::F32 => model,
        NumberFormat::Int | NumberFormat::Int16 => {
            quantised_refit::quantised_refit(model, data, encoding.number.number())?
        }
    };
    let (blob, agreement) = verified(&model, data, encoding)?;
    Ok(Exported { model, blob, agreement })
}

/// Exports `model` and verifies the bytes on the rows of `data`.
///
/// # Errors
/// The errors of [`export`] and [`verify`].
pub(crate) fn verified(model: &Model, data: &Dataset, encoding: Encoding) -> Result<(Blob, Agreement), ExportError> {
    let (blob, worst) = written(model, data, encoding.number)?;
    let agreement = verify(&blob, model, data, encoding.max_error)?;
    Ok((blob, Agreement { worst, ..agreement }))
}

/// Exports `model`. Returns the largest rounding errors of integers as well.
///
/// # Errors
/// The errors of [`export`].
pub(crate) fn written(
    model: &Model,
    data: &Dataset,
    number: NumberFormat,
) -> Result<(Blob, Option<Vec<f64>>), ExportError> {
    match number {
        NumberFormat::F32 => Ok((export(model)?, None)),
        NumberFormat::Int | NumberFormat::Int16 => {
            let integers::Quantised { blob, worst } = integers::quantise(model, data, number.number())?;
            Ok((blob, Some(worst)))
        }
    }
}

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

impl Blob {
    /// Predicts the targets (n×k) of raw rows (n×d) by the device's own code. The outputs of a model of classes are
    /// scores.
    ///
    /// # Panics
    /// Panics if `x` has not one column for every input of the model.
    pub fn predict(&self, x: &DMatrix<f64>) -> DMatrix<f64> {
        predict(self, x).cast()
    }

    /// Predicts the class of every raw row (n×d) by the device's own code, none where a reading is missing or the model
    /// not as sure as it must be; empty where the targets are quantities.
    ///
    /// # Panics
    /// As [`Blob::predict`].
    pub fn predict_classes(&self, x: &DMatrix<f64>) -> Vec<Option<&str>> {
        let classes: Vec<&str> = self.model().classes().collect();
        if classes.is_empty() {
            return Vec::new();
        }
        self.decide(&self.predict(x)).into_iter().map(|class| class.map(|class| classes[class])).collect()
    }

    /// Returns the class of every row by scores (n×k) that the model gave, as the device decides; none where it names
    /// none.
    pub fn decide(&self, scores: &DMatrix<f64>) -> Vec<Option<usize>> {
        match self.model().confidence() {
            Some(Confidence { margin, .. }) => decide_beyond(scores, margin),
            None => decide(scores),
        }
    }

    /// Returns the probability of every class (n×c) of raw rows (n×d) by the device's own code, NaN where a reading is
    /// missing; without columns where the targets are quantities.
    ///
    /// # Panics
    /// As [`Blob::predict`].
    pub fn predict_probabilities(&self, x: &DMatrix<f64>) -> DMatrix<f64> {
        self.probabilities(&predict(self, x)).cast()
    }

    /// Returns the probability of every class (n×c) by scores (n×k) that the model gave, by the device's own code;
    /// without columns where the targets are quantities.
    ///
    /// # Panics
    /// Panics if `scores` has not one column for every output of the model.
    pub fn probabilities(&self, scores: &DMatrix<f32>) -> DMatrix<f32> {
        let model = self.model();
        let classes = model.classes().count();
        let mut all = DMatrix::zeros(scores.nrows(), classes);
        let mut of_row = vec![0.0; classes];
        for row in 0..if classes == 0 { 0 } else { scores.nrows() } {
            let of_outputs: Vec<f32> = scores.row(row).iter().copied().collect();
            model.probabilities(&of_outputs, &mut of_row).expect("the scores are those of the model");
            all.row_mut(row).copy_from_slice(&of_row);
        }
        all
    }

    /// Returns half the width of the interval around a prediction of `output`, which holds the target of a fresh row
    /// with a probability of 0.9; none for classes and where nothing was cross-validated.
    pub fn half_width(&self, output: usize) -> Option<f64> {
        self.model().half_width(output).map(f64::from)
    }
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
