//! What a fitted model says and does: its score, its predictions, its file. And the fit of a method by itself.

use std::io;
use std::path::Path;

use nalgebra::DMatrix;

use crate::data::Dataset;
use crate::error::FitError;
use crate::fit::{Fit, FitConfig, Grid, fit};
use crate::method::MethodConfig;
use crate::run::Run;
use crate::validate::Score;

/// Fits by itself: implemented for the settings of every method, those from outside of the library as well.
///
/// ```
/// use srfm_trainer::data::Task;
/// use srfm_trainer::method::Harfe;
/// use srfm_trainer::{FitMethod, Run};
///
/// # fn main() -> Result<(), srfm_trainer::FitError> {
/// let data = Task::Pressure.generate(200, 0.5, 1);
/// let fitted = Harfe { features: 20, ..Harfe::default() }.fit(&data, &Run::new(1))?;
/// assert_eq!(fitted.blob.model().features(), 20);
/// # Ok(())
/// # }
/// ```
pub trait FitMethod {
    /// Fits `data` (raw columns) with these settings, those of the preparation and of the number format at their
    /// defaults, and exports the model. Nothing is chosen: a [`FitConfig`] with the method cross-validates λ.
    ///
    /// # Errors
    /// As [`fit`].
    fn fit(&self, data: &Dataset, run: &Run<'_>) -> Result<Fit, FitError>;
}

impl<M: Clone + Into<MethodConfig>> FitMethod for M {
    fn fit(&self, data: &Dataset, run: &Run<'_>) -> Result<Fit, FitError> {
        let config = FitConfig { grid: Grid::from([]), ..FitConfig::new(self.clone()) };
        fit(data, &config, run)
    }
}

impl Fit {
    /// Returns the cross-validated score of the chosen settings; none where nothing was cross-validated.
    pub fn score(&self) -> Option<&Score> {
        let chosen = self.tried.iter().find(|(tried, _)| *tried == self.chosen);
        chosen.map(|(_, score)| score)
    }

    /// Predicts the targets (n×k) of raw rows (n×d) by the device's own code. The outputs of a model of classes are
    /// scores, which [`Fit::predict_classes`] decides on.
    ///
    /// # Panics
    /// Panics if `x` has not one column for every input of the model.
    pub fn predict(&self, x: &DMatrix<f64>) -> DMatrix<f64> {
        self.blob.predict(x)
    }

    /// Predicts the class of every raw row (n×d) by the device's own code, none where a reading is missing; empty where
    /// the targets are quantities.
    ///
    /// # Panics
    /// As [`Fit::predict`].
    pub fn predict_classes(&self, x: &DMatrix<f64>) -> Vec<Option<&str>> {
        self.blob.predict_classes(x)
    }

    /// Returns half the width of the interval around a prediction of `output`, which holds the target of a fresh row
    /// with a probability of 0.9; none for classes and where nothing was cross-validated.
    pub fn half_width(&self, output: usize) -> Option<f64> {
        self.blob.half_width(output)
    }

    /// Writes the model file, completely or not at all: a file of that name stays as it is until the new one is
    /// complete.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn save(&self, path: impl AsRef<Path>) -> io::Result<()> {
        self.blob.save(path)
    }
}
