//! The second fit of an integer model: coefficients that suit the rounded frequencies.
//!
//! At the end of its input's range a weight of 16 bits is off by up to 2⁻¹⁵ of the largest phase; a weight with the
//! number of its input in its last bits is off by 2⁻¹⁵ turns. Large coefficients that cancel, as those of a smooth
//! curve do, multiply these errors. Features of the rounded frequencies are as good a basis: with coefficients of their
//! own they give nearly the same function. The device reproduces that function up to the rounding of inputs, biases,
//! amplitudes and the table of the cosine.

use nalgebra::DMatrix;
use srfm_runtime::format::Number;

use crate::data::Dataset;
use crate::export::{ExportError, integers};
use crate::features::{Feature, feature_matrix};
use crate::linalg::product;
use crate::model::{Expansion, Model};
use crate::sampling::Sampler;
use crate::solve::SolveError;
use crate::solve::least_squares::normal_equations::{NormalEquations, ValidatedRidge};

/// The largest number of rows of the fit.
const ROWS: usize = 4096;

/// The largest number of features: the fit of more features takes too long.
const MOST_FEATURES: usize = 500;

/// The number of cross-validation folds.
const FOLDS: usize = 5;

/// Ridge parameters to choose from, for each row; the values of features are of size one.
const RIDGES: [f64; 4] = [1e-9, 1e-7, 1e-5, 1e-3];

/// Returns the model with rounded frequencies, and with coefficients and intercepts fitted to the predictions of the
/// original model at the rows of `data`. Cross-validation chooses the parameter of the ridge regression. The model is
/// unchanged if the fit is no closer at the rows left out than the original coefficients are.
///
/// # Errors
/// [`ExportError::Steep`].
pub(crate) fn quantised_refit(mut model: Model, data: &Dataset, number: Number) -> Result<Model, ExportError> {
    let features = model.expansion.features.len();
    if features == 0 || features > MOST_FEATURES || data.rows() < 2 {
        return Ok(model);
    }
    let rounded = integers::rounded(&model, data, number)?;
    // The order is random, because the rows of a grid repeat at regular distances.
    let mut order = Sampler::new(0).permutation(data.rows());
    order.truncate(ROWS);
    let x = model.scaling.inputs(&data.x.select_rows(&order));
    // Sums that are not finite leave the model unchanged; the export reports the parameter beyond its range.
    if let Ok(Some(change)) = correction(&model.expansion, &rounded, &x) {
        model.expansion.features = rounded;
        model.expansion.coefficients += change.rows(0, features);
        model.expansion.intercept += change.row(features);
    }
    Ok(model)
}

/// Returns the change of the coefficients and, in the last row, of the intercepts that compensates for the errors of
/// the `rounded` features at the rows of `x`, which are in random order; none if the change does not help.
fn correction(exact: &Expansion, rounded: &[Feature], x: &DMatrix<f64>) -> Result<Option<DMatrix<f64>>, SolveError> {
    let values = feature_matrix(x, rounded, exact.activation);
    let off = product(&(feature_matrix(x, &exact.features, exact.activation) - &values), &exact.coefficients);
    let columns = values.insert_column(rounded.len(), 1.0);
    let fold = |fold: usize| {
        let rows = (x.nrows() - fold).div_ceil(FOLDS);
        let of = |m: &DMatrix<f64>| m.rows_with_step(fold, rows, FOLDS - 1).into_owned();
        (NormalEquations::from_values(&of(&columns), &of(&off)), rows)
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
    use crate::export::{Encoding, NumberFormat, finished, predict, verified};
    use crate::features::Activation;
    use crate::fit::{FitConfig, fit_chosen};
    use crate::method::Compact;
    use crate::run::Run;
    use crate::sampling::SpectralLaw;
    use crate::scaling::Scaling;
    use crate::validate::certainty::Certainty;

    /// Coefficients of a calibration curve cancel: what its features are off by counts for many times as much.
    #[test]
    fn the_refit_compensates_for_rounding() {
        for number in [NumberFormat::Int, NumberFormat::Int16] {
            let encoding = Encoding { number, max_error: f64::INFINITY, ..Encoding::default() };
            let mut before = 0.0;
            let mut after = 0.0;
            for seed in 1..9 {
                let data = Task::Pressure.generate(500, 0.5, seed);
                let other = Task::Pressure.generate(500, 0.5, seed + 10);
                let method = Compact { features: 10, lambda: 1e-10, smoothness: 2.0, ..Compact::default() };
                let fit = fit_chosen(&data, &FitConfig::new(method), Certainty::default(), &Run::new(seed));
                let exact = fit.unwrap().model;
                let y = exact.predict(&other.x);
                let off = |blob| (&y - predict(blob, &other.x).cast::<f64>()).norm_squared();
                let (rounded, _) = verified(&exact, &data, encoding).unwrap();
                let last = finished(exact, &data, encoding).unwrap();
                // The same function with the frequencies of the device: squared, it moves by 1.5e-5 of the device's
                // roundings at most.
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

    /// Rows of a grid whose last input changes from row to row are all of one level at every third.
    #[test]
    fn a_grid_is_fitted_at_all_its_levels() {
        let x = DMatrix::from_fn(12_000, 2, |row, i| if i == 0 { (row / 3) as f64 / 4000.0 } else { (row % 3) as f64 });
        let mut rounded = 0.0;
        let mut fitted = 0.0;
        for seed in 0..4 {
            let (model, data) = random(x.clone(), 15, seed);
            let off = |model: &Model| (model.predict(&x) - &data.y).norm_squared();
            let weights = integers::rounded(&model, &data, Number::I16).unwrap();
            let expansion = Expansion { features: weights, ..model.expansion.clone() };
            rounded += off(&Model { expansion, ..model.clone() });
            fitted += off(&quantised_refit(model, &data, Number::I16).unwrap());
        }
        // 1e-4 of it; fitted to every third row, 71 times as much.
        assert!(fitted <= 1e-3 * rounded, "{}", fitted / rounded);
    }

    #[test]
    fn rounded_weights_are_exact() {
        let x = |columns: usize| DMatrix::from_fn(200, columns, |row, i| ((row * (i + 7)) % 131) as f64 / 13.0);
        for (columns, number) in
            [(3, Number::I32), (12, Number::I32), (40, Number::I32), (3, Number::I16), (40, Number::I16)]
        {
            let (mut model, data) = random(x(columns), 20, columns as u64);
            // Nothing of 16 bits beside the others.
            model.expansion.features[0].weights[0] *= 1e-9;
            let once = integers::rounded(&model, &data, number).unwrap();
            assert_ne!(once, model.expansion.features);
            assert!(number == Number::I32 || once[0].weights[0] == 0.0);
            model.expansion.features = once.clone();
            for (twice, once) in integers::rounded(&model, &data, number).unwrap().iter().zip(&once) {
                for (twice, once) in twice.weights.iter().zip(&once.weights) {
                    // The last digits are lost in units of the reading.
                    assert!((twice - once).abs() <= 1e-14 * once.abs(), "{columns}, {number:?}: {twice:e}, {once:e}");
                }
            }
        }
    }

    #[test]
    fn one_row_tells_nothing() {
        let (model, data) = random(DMatrix::from_element(1, 2, 0.5), 20, 0);
        assert_eq!(quantised_refit(model.clone(), &data, Number::I16).unwrap(), model);
    }

    /// Waves of all inputs at the rows of `x`, with coefficients that cancel.
    fn random(x: DMatrix<f64>, features: usize, seed: u64) -> (Model, Dataset) {
        let mut sampler = Sampler::new(seed);
        let inputs: Vec<usize> = (0..x.ncols()).collect();
        let features = SpectralLaw::Normal { scale: 1.0 }.sample(features, &inputs, inputs.len(), &mut sampler);
        let names = |letter: &str, n: usize| (0..n).map(|i| format!("{letter}{i}")).collect();
        let y = DMatrix::from_fn(x.nrows(), 1, |_, _| sampler.normal());
        let input_names = names("x", x.ncols());
        let mut data = Dataset {
            x,
            y,
            input_names,
            output_names: names("y", 1),
            classes: vec![],
            weights: vec![],
            groups: vec![],
            history: Default::default(),
        };
        let expansion = Expansion {
            activation: Activation::Sine,
            coefficients: DMatrix::from_fn(features.len(), 1, |_, _| sampler.normal()),
            features,
            intercept: DMatrix::zeros(1, 1),
            linear: DMatrix::zeros(inputs.len(), 1),
            trees: Vec::new(),
        };
        let model = Model::new("by hand", expansion, Scaling::fit(&data), &data);
        data.y = model.predict(&data.x);
        (model, data)
    }
}
