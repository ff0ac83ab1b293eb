//! Cross-validation of models that are linear in their coefficients.

use nalgebra::DMatrix;
use rayon::prelude::*;

use crate::data::{Dataset, Split};
use crate::error::FitError;
use crate::linalg::product;
use crate::run::Run;
use crate::solve::SolveError;
use crate::validate::Score;
use crate::validate::cross_validation::Folds;
use crate::validate::score::FoldError;

/// A model that is linear in its coefficients.
pub(crate) trait Basis: Sync {
    /// What the model learns of the inputs before its coefficients.
    type Scaling;

    /// Learns the scaling from the rows of `x` (n×d).
    fn scaling(&self, x: &DMatrix<f64>) -> Self::Scaling;

    /// Returns the values (n×m) of the basis at the rows of `x` (n×d).
    fn values(&self, scaling: &Self::Scaling, x: &DMatrix<f64>) -> DMatrix<f64>;

    /// Returns the coefficients (m×k) for the values (n×m) and the targets (n×k).
    ///
    /// # Errors
    /// [`SolveError`] where the rows do not determine them.
    fn coefficients(&self, values: &DMatrix<f64>, y: &DMatrix<f64>) -> Result<DMatrix<f64>, SolveError>;
}

/// The rows and their divisions into folds.
pub(crate) struct Rating<'a> {
    data: &'a Dataset,
    /// The folds of each division.
    divisions: Vec<Vec<Split>>,
    /// Standard deviations of the targets over all rows.
    units: Vec<f64>,
}

impl<'a> Rating<'a> {
    /// Divides the rows with the seed of the run and those that follow it.
    pub fn new(data: &'a Dataset, folds: &Folds, divisions: u64, run: &Run<'_>) -> Result<Rating<'a>, FitError> {
        let seeds = (0..divisions).map(|division| run.seed().wrapping_add(division));
        let divisions = seeds.map(|seed| folds.splits(data, seed)).collect::<Result<_, FitError>>()?;
        Ok(Rating { data, divisions, units: folds.preprocessing.learn(data).y.scale.clone() })
    }

    /// Returns the score of a model: the mean over the divisions; infinite where a fold does not determine it.
    pub fn score(&self, basis: &impl Basis, run: &Run<'_>) -> Result<Score, FitError> {
        let work: Vec<&Split> = self.divisions.iter().flatten().collect();
        let errors: Vec<FoldError> = work
            .into_par_iter()
            .map(|split| if run.interrupted() { Err(FitError::Interrupted) } else { self.error(basis, split) })
            .collect::<Result<_, _>>()?;
        let rows = self.divisions.iter().flatten().map(|split| split.test.len()).sum();
        Ok(Score::over_folds(&errors, rows))
    }

    /// Returns the error of a model in a fold; infinite where its rows do not determine the model.
    fn error<B: Basis>(&self, basis: &B, split: &Split) -> Result<FoldError, FitError> {
        let (train, test) = (self.data.select(&split.train), self.data.select(&split.test));
        let scaling = basis.scaling(&train.x);
        let Ok(coefficients) = basis.coefficients(&basis.values(&scaling, &train.x), &train.y) else {
            return Ok(FoldError::INFINITE);
        };
        let residuals = product(&basis.values(&scaling, &test.x), &coefficients) - &test.y;
        let squares = residuals.column_iter().map(|column| column.norm_squared() / column.len() as f64);
        let outputs = self.units.len() as f64;
        let mse = squares.clone().sum::<f64>() / outputs;
        let standardised_mse = squares.zip(&self.units).map(|(mse, unit)| mse / (unit * unit)).sum::<f64>() / outputs;
        Ok(FoldError { standardised_mse, mse, error_rate: None, residuals: Vec::new() })
    }
}
