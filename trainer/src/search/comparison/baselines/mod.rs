//! Models that users would otherwise write by hand: polynomials and piecewise linear tables, by least squares.
//!
//! Each baseline is scored on the folds of the other models, in `f64`. Its flash is four bytes a coefficient and the
//! code of a plain function on the core; its instructions are those of the function.

mod polynomial;
mod prices;
mod rating;
mod table;

use crate::cost::Core;
use crate::data::Dataset;
use crate::error::FitError;
use crate::run::Run;
use crate::search::comparison::baselines::polynomial::Polynomial;
use crate::search::comparison::baselines::prices::{Cost, polynomial_cost, table_cost};
use crate::search::comparison::baselines::rating::Rating;
use crate::search::comparison::baselines::table::Table;
use crate::search::comparison::table::Entry;
use crate::validate::Score;
use crate::validate::cross_validation::Folds;

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
    let (inputs, outputs) = (data.varying_inputs(), data.outputs());
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
            Ok((rating.score(&table, run)?.mse, table.inputs))
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
    score.mse.is_finite().then(|| Entry {
        method: method.to_owned(),
        features: coefficients,
        order: None,
        lambda: None,
        flash_bytes: cost.flash_bytes,
        program_bytes: Some(cost.flash_bytes),
        instructions: Some(cost.instructions),
        rmse: score.mse.sqrt(),
        standard_error: score.standard_error,
        error_rate: None,
        best_for_flash: false,
        best_for_instructions: false,
    })
}

#[cfg(test)]
mod tests;
