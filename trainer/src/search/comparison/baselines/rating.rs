//! Cross-validation of models that are linear in their coefficients.

use nalgebra::DMatrix;
use rayon::prelude::*;

use crate::data::{Dataset, Split};
use crate::error::FitError;
use crate::linalg::product;
use crate::run::Run;
use crate::solve::SolveError;
use crate::validate::cross_validation::Folds;
use crate::validate::score::FoldError;
use crate::validate::{Score, Validated};

/// A model that is linear in its coefficients.
pub(crate) trait Basis: Sync {
    /// What the model learns of the inputs before its coefficients.
    type Scaling;

    /// Returns the columns of the data that the model uses. The columns of `x` are these alone, in this order.
    fn inputs(&self) -> &[usize];

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
        let error = |split: &Split| if run.interrupted() { None } else { Some(self.error(basis, split)) };
        let score = |folds: &Vec<Split>| {
            let errors: Option<Vec<FoldError>> = folds.par_iter().map(error).collect();
            let rows = folds.iter().map(|split| split.test.len()).sum();
            Some(Validated { score: Score::over_folds(&errors?, rows), half_widths: Vec::new(), squares: Vec::new() })
        };
        let scores: Option<Vec<Validated>> = self.divisions.par_iter().map(score).collect();
        let scores = scores.ok_or(FitError::Interrupted)?;
        Ok(Validated::mean(&scores.iter().collect::<Vec<_>>()).score)
    }

    /// Returns the error of a model in a fold; infinite where its rows do not determine the model.
    fn error<B: Basis>(&self, basis: &B, split: &Split) -> FoldError {
        let columns = self.data.x.select_columns(basis.inputs());
        let rows = |rows: &[usize]| (columns.select_rows(rows), self.data.y.select_rows(rows));
        let ((train, y), (test, tested)) = (rows(&split.train), rows(&split.test));
        let scaling = basis.scaling(&train);
        let Ok(coefficients) = basis.coefficients(&basis.values(&scaling, &train), &y) else {
            return FoldError::INFINITE;
        };
        let residuals = product(&basis.values(&scaling, &test), &coefficients) - &tested;
        let squares = residuals.column_iter().map(|column| column.norm_squared() / column.len() as f64);
        let outputs = self.units.len() as f64;
        let mse = squares.clone().sum::<f64>() / outputs;
        let standardised_mse = squares.zip(&self.units).map(|(mse, unit)| mse / (unit * unit)).sum::<f64>() / outputs;
        FoldError { standardised_mse, mse, error_rate: None, residuals: Vec::new() }
    }
}
