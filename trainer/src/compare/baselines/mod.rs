//! Models that users would otherwise write by hand: polynomials and piecewise linear tables, by least squares.
//!
//! Each baseline is scored on the folds of the other models, in `f64`. Its flash is four bytes a coefficient and the
//! code of a plain function on the core; its instructions are those of the function.

mod functions;
#[cfg(test)]
mod tests;

use rayon::prelude::*;

use crate::compare::baselines::functions::{Basis, Cost, Polynomial, Table, polynomial_cost, table_cost};
use crate::compare::entries::Entry;
use crate::cost::Core;
use crate::data::{Dataset, Split};
use crate::error::FitError;
use crate::linalg::product;
use crate::run::Run;

use crate::validate::certainty::Certainty;
use crate::validate::cross_validation::Folds;
use crate::validate::score::FoldError;
use crate::validate::{Score, Validated};

/// The names of the baselines.
pub(crate) const NAMES: [&str; 2] = ["polynomial", "table"];

/// The largest number of terms of a polynomial.
const MOST_TERMS: usize = 128;

/// The largest degree of a polynomial.
const MOST_DEGREES: usize = 9;

/// Numbers of knots of each input of a table of one input, and of a table of two inputs.
const KNOTS: [&[usize]; 2] = [&[5, 9, 17, 33, 65], &[3, 5, 9, 17]];

/// The inputs that are tried in tables of two inputs: those whose tables of one input have the least errors.
const PAIRED: usize = 4;

/// Returns the baselines on as many divisions of the rows into folds as the models have; none for classes.
///
/// # Errors
/// [`FitError`] where the rows cannot be divided, [`FitError::Interrupted`].
pub(crate) fn baselines(
    data: &Dataset,
    folds: &Folds,
    divisions: u64,
    core: Core,
    run: &Run<'_>,
) -> Result<Vec<Entry>, FitError> {
    if !data.classes.is_empty() {
        return Ok(Vec::new());
    }
    let rating = Rating::new(data, folds, divisions, run)?;
    let inputs = data.varying_inputs();
    let outputs = data.outputs();
    let mut entries = Vec::new();
    for degree in 2..=MOST_DEGREES {
        let polynomial = Polynomial { inputs: inputs.clone(), degree };
        if polynomial.terms() > MOST_TERMS.min(data.rows() / 2) {
            break;
        }
        let cost = polynomial_cost(core, &polynomial, outputs);
        entries.extend(entry(NAMES[0], polynomial.terms(), &rating.score(&polynomial, run)?, cost));
    }
    for (axes, knots) in chosen_inputs(&inputs, &rating, run)?.into_iter().zip(KNOTS) {
        for &knots in knots {
            let table = Table { inputs: axes.clone(), knots };
            if table.values() <= data.rows() / 2 {
                let cost = table_cost(core, &table, outputs);
                entries.extend(entry(NAMES[1], table.values(), &rating.score(&table, run)?, cost));
            }
        }
    }
    Ok(entries)
}

/// Returns the input and the pair of inputs whose small tables have the least error.
fn chosen_inputs(inputs: &[usize], rating: &Rating<'_>, run: &Run<'_>) -> Result<Vec<Vec<usize>>, FitError> {
    let best_first = |axes: Vec<Vec<usize>>, knots: usize| -> Result<Vec<Vec<usize>>, FitError> {
        let rated = axes.into_iter().map(|inputs| {
            let table = Table { inputs, knots };
            Ok((rating.score(&table, run)?.standardised_mse, table.inputs))
        });
        let mut rated: Vec<(f64, Vec<usize>)> = rated.collect::<Result<_, FitError>>()?;
        rated.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(rated.into_iter().map(|(_, inputs)| inputs).collect())
    };
    let alone = best_first(inputs.iter().map(|&input| vec![input]).collect(), KNOTS[0][0])?;
    let few: Vec<usize> = alone.iter().take(PAIRED).map(|inputs| inputs[0]).collect();
    let pairs = few.iter().enumerate().flat_map(|(place, &a)| few[place + 1..].iter().map(move |&b| vec![a, b]));
    let pairs = best_first(pairs.collect(), KNOTS[1][0])?;
    Ok(alone.into_iter().take(1).chain(pairs.into_iter().take(1)).collect())
}

/// Returns the entry of a baseline; none where the rows of a fold do not determine its coefficients.
fn entry(method: &str, coefficients: usize, score: &Score, cost: Cost) -> Option<Entry> {
    score.standardised_mse.is_finite().then(|| Entry {
        method: method.to_owned(),
        features: coefficients,
        order: None,
        lambda: None,
        flash_bytes: cost.flash_bytes,
        program_bytes: Some(cost.flash_bytes),
        instructions: Some(cost.instructions),
        rmse: score.standardised_mse.sqrt(),
        standard_error: score.standard_error,
        error_rate: None,
        best_for_flash: false,
        best_for_instructions: false,
    })
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
            Some(Validated {
                score: Score::over_folds(&errors?, rows),
                certainty: Certainty::default(),
                squares: Vec::new(),
            })
        };
        let scores: Option<Vec<Validated>> = self.divisions.par_iter().map(score).collect();
        let scores = scores.ok_or(FitError::Interrupted)?;
        Ok(Validated::mean(&scores.iter().collect::<Vec<_>>()).score)
    }

    /// Returns the error of a model in a fold; infinite where its rows do not determine the model.
    fn error<B: Basis>(&self, basis: &B, split: &Split) -> FoldError {
        let columns = self.data.x.select_columns(basis.inputs());
        let rows = |rows: &[usize]| (columns.select_rows(rows), self.data.y.select_rows(rows));
        let (train, y) = rows(&split.train);
        let (test, tested) = rows(&split.test);
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
