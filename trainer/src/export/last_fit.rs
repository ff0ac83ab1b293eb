//! The last fit of an integer model: frequencies that the integers hold, and coefficients that suit them.
//!
//! At the end of its input's range a weight of 16 bits is off by up to 2⁻¹⁵ of the largest phase, one with the number of its
//! input in its last bits by 2⁻¹⁵ turns. Where large coefficients cancel, as they do for a smooth curve, that counts many
//! times. Features of the rounded frequencies are as good a basis: with coefficients of their own they give nearly the same
//! function, and the device has it to within the roundings of inputs, biases, amplitudes and the table of the cosine.

use nalgebra::DMatrix;

use super::{ExportError, NumberFormat, integers};
use crate::data::Dataset;
use crate::features::feature_matrix;
use crate::linalg::product;
use crate::model::{Expansion, Model};
use crate::solve::SolveError;
use crate::solve::normal_equations::NormalEquations;
use crate::solve::validated_ridge::ValidatedRidge;

/// Most rows that are looked at, about.
const ROWS: usize = 4096;

/// Most features: the coefficients of more take longer than they are worth.
const MOST_FEATURES: usize = 500;

/// Folds of the rows.
const FOLDS: usize = 5;

/// Ridge parameters of a row to choose from; values of features are of size one.
const RIDGES: [f64; 4] = [1e-9, 1e-7, 1e-5, 1e-3];

/// The model with the frequencies that `number` has in place of its own, and with the coefficients and intercepts that bring it
/// closest to what it was at the rows of `data`: by ridge regression, whose parameter is chosen by cross-validation. They stay
/// as they are where others are no closer at rows left out. Single precision holds a model as it is.
///
/// # Errors
/// [`ExportError::Steep`].
pub(super) fn last_fit(model: &Model, data: &Dataset, number: NumberFormat) -> Result<Model, ExportError> {
    let mut fitted = model.clone();
    if number == NumberFormat::F32 || model.expansion.features.len() > MOST_FEATURES {
        return Ok(fitted);
    }
    fitted.expansion.features = integers::rounded(model, data, number.number())?;
    let step = data.rows().div_ceil(ROWS).max(1);
    let rows = data.x.rows_with_step(0, data.rows().div_ceil(step), step - 1).into_owned();
    if let Ok(Some(change)) = correction(&model.expansion, &fitted.expansion, &model.scaling.inputs(&rows)) {
        let features = fitted.expansion.features.len();
        fitted.expansion.coefficients += change.rows(0, features);
        fitted.expansion.intercept += change.row(features);
    }
    Ok(fitted)
}

/// What to add to the coefficients and, in the last row, the intercepts of `rounded` to make up for what its features are
/// off at the rows of `x`; none where that is no gain.
fn correction(exact: &Expansion, rounded: &Expansion, x: &DMatrix<f64>) -> Result<Option<DMatrix<f64>>, SolveError> {
    let values = |expansion: &Expansion| feature_matrix(x, &expansion.features, expansion.activation);
    let values_rounded = values(rounded);
    let off = product(&(values(exact) - &values_rounded), &exact.coefficients);
    let columns = values_rounded.insert_column(exact.features.len(), 1.0);
    let fold = |fold: usize| {
        let rows = (x.nrows() - fold).div_ceil(FOLDS);
        let of = |m: &DMatrix<f64>| m.rows_with_step(fold, rows, FOLDS - 1).into_owned();
        (NormalEquations::of(&of(&columns), &of(&off)), rows)
    };
    let ridge = ValidatedRidge { folds: (0..FOLDS.min(x.nrows())).map(fold).collect() };
    let best = ridge.best(&RIDGES)?;
    if best.squared_error >= off.norm_squared() {
        return Ok(None);
    }
    let (equations, rows) = ridge.whole();
    Ok(Some(equations.reduce()?.solve(best.lambda * rows as f64)?.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::generate::Task;
    use crate::export::{Encoding, finished, predict, verified};
    use crate::fit::{FitConfig, fit_chosen};
    use crate::method::{Compact, MethodConfig};
    use crate::observer::Silent;

    /// Coefficients of a calibration curve cancel: what its features are off by counts for many times as much.
    #[test]
    fn the_last_fit_makes_up_for_rounding() {
        for number in [NumberFormat::Int, NumberFormat::Int16] {
            let encoding = Encoding { number, max_error: f64::INFINITY };
            let (mut before, mut after) = (0.0, 0.0);
            for seed in 1..9 {
                let data = Task::Pressure.generate(500, 0.5, seed);
                let other = Task::Pressure.generate(500, 0.5, seed + 10);
                let method = Compact { features: 10, lambda: 1e-10, smoothness: 2.0, ..Compact::default() };
                let fit =
                    fit_chosen(&data, &FitConfig::default(), MethodConfig::Compact(method), Vec::new(), seed, &Silent);
                let exact = fit.unwrap().model;
                let y = exact.predict(&other.x);
                let off = |blob| (&y - predict(blob, &other.x).cast::<f64>()).norm_squared();
                let (rounded, _) = verified(&exact, &data, encoding).unwrap();
                let last = finished(&exact, &data, encoding).unwrap();
                // The same function with the frequencies of the device: squared, it moves by 1.5e-5 of the device's roundings
                // at most.
                let moved = (&y - last.model.predict(&other.x)).norm_squared();
                assert!(moved <= 2e-4 * off(&last.blob), "{number:?}, seed {seed}: {moved:e}");
                before += off(&rounded);
                after += off(&last.blob);
            }
            // 0.84 with weights of 16 bits; those of 32 leave next to nothing to make up for.
            let most = if number == NumberFormat::Int16 { 0.9 } else { 1.02 };
            assert!(after <= most * before, "{number:?}: {}", after / before);
        }
    }
}
