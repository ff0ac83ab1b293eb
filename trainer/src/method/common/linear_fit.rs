//! Linear models of given frequencies: the final fit of the methods that search for frequencies.
//! [`Basis`] has the columns that a frequency contributes to the fit.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::data::split::inner_folds;
use crate::data::weights;
use crate::features::{Activation, Feature, feature_matrix, pair_matrix};
use crate::linalg::scale_rows;
use crate::method::error::MethodError;
use crate::method::terms::Terms;
use crate::model::Expansion;
use crate::sampling::Sampler;
use crate::solve::SolveError;
use crate::solve::least_squares::normal_equations::{NormalEquations, Reduced, ValidatedRidge};
use crate::sums::{InMemory, Rows, Statistic, parts};

/// The rows of a least-squares problem.
#[derive(Clone, Copy)]
pub(crate) struct Points<'a> {
    /// Inputs, n×d.
    pub x: &'a DMatrix<f64>,
    /// Targets, n×k.
    pub y: &'a DMatrix<f64>,
    /// What rows are multiplied by, as of [`Dataset::root_weights`]; empty where all count alike.
    pub roots: &'a [f64],
}

/// The normal equations of terms and functions, as sums over rows.
struct Columns<'a> {
    terms: Terms,
    /// The number of functions, and their values at rows.
    count: usize,
    values: &'a (dyn Fn(&DMatrix<f64>) -> DMatrix<f64> + Sync),
    /// The numbers of inputs and targets.
    shape: (usize, usize),
    /// Whether a column behind the targets has what each row is multiplied by.
    weighted: bool,
}

impl Columns<'_> {
    /// Returns the columns of some rows and their targets, each row multiplied by its root of the weight.
    fn of_rows(&self, x: &DMatrix<f64>, y: DMatrix<f64>) -> (DMatrix<f64>, DMatrix<f64>) {
        let (unpenalised, penalised) = (self.terms.count(self.shape.0), self.count);
        let mut columns = self.terms.columns(x).resize_horizontally(unpenalised + penalised, 0.0);
        columns.columns_mut(unpenalised, penalised).copy_from(&(self.values)(x));
        if !self.weighted {
            return (columns, y);
        }
        let roots: Vec<f64> = y.column(self.shape.1).iter().copied().collect();
        let mut y = y.columns(0, self.shape.1).into_owned();
        scale_rows(&mut columns, &roots);
        scale_rows(&mut y, &roots);
        (columns, y)
    }
}

impl Statistic for Columns<'_> {
    type Sum = NormalEquations;

    fn zero(&self) -> NormalEquations {
        let (inputs, outputs) = self.shape;
        NormalEquations::new(self.terms.count(inputs), self.count, outputs)
    }

    fn add(&self, sum: &mut NormalEquations, x: &DMatrix<f64>, y: &DMatrix<f64>) {
        let columns = self.terms.count(self.shape.0) + self.count;
        let blocks = parts(x, columns);
        sum.add_blocks(blocks.map(|(first, x)| self.of_rows(&x, y.rows(first, x.nrows()).into_owned())));
    }

    fn merge(&self, sum: &mut NormalEquations, later: NormalEquations) {
        sum.merge(&later);
    }
}

/// Returns the normal equations of terms and functions of frequencies over rows.
pub(crate) fn normal_equations(
    points: Points<'_>,
    terms: Terms,
    basis: Basis,
    frequencies: &[Feature],
) -> NormalEquations {
    let mut equations =
        equations_of(points, terms, frequencies.len() * basis.width(), &|x| basis.values(x, frequencies));
    basis.complete(&mut equations);
    equations
}

/// Returns the normal equations of terms and `count` functions, whose `values` at rows (n×d) are given, over rows.
pub(crate) fn equations_of(
    Points { x, y, roots }: Points<'_>,
    terms: Terms,
    count: usize,
    values: &(dyn Fn(&DMatrix<f64>) -> DMatrix<f64> + Sync),
) -> NormalEquations {
    let columns = Columns { terms, count, values, shape: (x.ncols(), y.ncols()), weighted: !roots.is_empty() };
    if roots.is_empty() {
        let Ok(equations) = InMemory { x, y }.sum(&columns);
        return equations;
    }
    let mut with_roots = y.clone().insert_column(y.ncols(), 0.0);
    with_roots.column_mut(y.ncols()).copy_from_slice(roots);
    let Ok(equations) = InMemory { x, y: &with_roots }.sum(&columns);
    equations
}

/// Returns the model that `equations` give with n λ on the diagonal.
pub(crate) fn expansion(
    equations: &Reduced,
    lambda: f64,
    data: &Dataset,
    terms: Terms,
    basis: Basis,
    frequencies: &[Feature],
) -> Result<Expansion, SolveError> {
    let (of_terms, coefficients) = equations.solve(lambda * data.rows() as f64)?;
    let (intercept, linear) = terms.divide(&of_terms, data);
    let (activation, features) = (basis.activation(), basis.features(frequencies));
    Ok(Expansion { activation, features, coefficients, intercept, linear, trees: Vec::new() })
}

/// Ridge parameters that cross-validation of a linear model chooses from.
const LAMBDAS: [f64; 10] = [1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0];

/// Fits pairs of `frequencies` by ridge regression with the λ of the least error in a cross-validation in `folds`
/// folds.
///
/// Returns the model of all rows and the mean squared error of the cross-validation.
///
/// # Errors
/// [`MethodError::Setting`] for fewer than two folds, [`MethodError::TooFewRows`], and [`MethodError::Solve`] where
/// values or targets are not finite.
pub fn fit_pairs(
    data: &Dataset,
    frequencies: &[Feature],
    terms: Terms,
    folds: usize,
    sampler: &mut Sampler,
) -> Result<(Expansion, f64), MethodError> {
    if folds < 2 {
        return Err(MethodError::Setting { setting: "folds", range: "at least 2", value: folds as f64 });
    }
    if data.rows() < 2 {
        let advice = "add rows".into();
        return Err(MethodError::TooFewRows { rows: data.rows(), needed: 2, purpose: "folds", advice });
    }
    let roots = data.root_weights();
    let equations = |rows: &[usize]| {
        let (x, y) = (data.x.select_rows(rows), data.y.select_rows(rows));
        let roots = weights::select(&roots, rows);
        let points = Points { x: &x, y: &y, roots: &roots };
        (normal_equations(points, terms, Basis::Pair, frequencies), rows.len())
    };
    let folds = inner_folds(data, folds.min(data.rows()), sampler);
    let ridge = ValidatedRidge { folds: folds.iter().map(|split| equations(&split.test)).collect() };
    let best = ridge.best(&LAMBDAS)?;
    let whole = ridge.whole().0.reduce()?;
    let expansion = expansion(&whole, best.lambda, data, terms, Basis::Pair, frequencies)?;
    Ok((expansion, best.squared_error / data.y.len() as f64))
}

/// The functions of a frequency ω.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// `a cos⟨ω, x⟩ + b sin⟨ω, x⟩` with real a and b.
    Pair,
    /// `β e^{i⟨ω, x⟩}` with complex β, fitted to the real target and to zero in its imaginary part; the real part is
    /// kept.
    Complex,
    /// `c / (1 + e^{−⟨ω, x⟩ − b})`; the bias b belongs to the frequency, as the weight of an input that is always one.
    Sigmoid,
}

impl Basis {
    /// Columns per frequency.
    pub(crate) fn width(self) -> usize {
        if self == Basis::Sigmoid { 1 } else { 2 }
    }

    /// Nonlinearity of the features.
    pub(crate) fn activation(self) -> Activation {
        if self == Basis::Sigmoid { Activation::Sigmoid } else { Activation::Sine }
    }

    /// The features of K frequencies, in the order of the columns of [`Basis::values`].
    pub(crate) fn features(self, frequencies: &[Feature]) -> Vec<Feature> {
        if self == Basis::Sigmoid {
            return frequencies.to_vec();
        }
        let pair = |f: &Feature| Feature::pair(f.support.clone(), f.weights.clone());
        let pairs: Vec<[Feature; 2]> = frequencies.iter().map(pair).collect();
        [0, 1].iter().flat_map(|&of| pairs.iter().map(move |pair| pair[of].clone())).collect()
    }

    /// Their values at the rows of `x` (n×d); n×(K·width).
    pub(crate) fn values(self, x: &DMatrix<f64>, frequencies: &[Feature]) -> DMatrix<f64> {
        match self {
            Basis::Pair | Basis::Complex => pair_matrix(x, frequencies),
            Basis::Sigmoid => feature_matrix(x, frequencies, Activation::Sigmoid),
        }
    }

    /// Adds the equations that the basis needs beside the targets to the normal equations of its columns.
    pub(crate) fn complete(self, equations: &mut NormalEquations) {
        if self == Basis::Complex {
            equations.add_quadrature();
        }
    }

    /// The amplitude of every frequency: the Euclidean norm of its coefficients (K·width × k) over all outputs.
    pub(crate) fn amplitudes(self, coefficients: &DMatrix<f64>) -> Vec<f64> {
        let count = coefficients.nrows() / self.width();
        let square = |row: usize| coefficients.row(row).norm_squared();
        (0..count).map(|k| (0..self.width()).map(|part| square(k + part * count)).sum::<f64>().sqrt()).collect()
    }

    /// The amplitudes of the ridge fit to rows `x` (n×d) and targets `y` (n×k), with n λ added to the Gram matrix.
    ///
    /// # Errors
    /// [`SolveError::NotFinite`] where values or targets are not finite.
    pub(crate) fn fitted_amplitudes(
        self,
        x: &DMatrix<f64>,
        y: &DMatrix<f64>,
        frequencies: &[Feature],
        lambda: f64,
    ) -> Result<Vec<f64>, SolveError> {
        let mut equations = NormalEquations::from_values(&self.values(x, frequencies), y);
        self.complete(&mut equations);
        let (_, coefficients) = equations.reduce()?.solve(lambda * x.nrows() as f64)?;
        Ok(self.amplitudes(&coefficients))
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Complex;

    use super::*;
    use crate::sampling::SpectralLaw;

    #[test]
    fn the_complex_reading_is_the_complex_ridge_regression() {
        for seed in 0..5 {
            let mut sampler = Sampler::new(seed);
            let x = DMatrix::from_fn(80, 3, |_, _| sampler.normal());
            let y = DMatrix::from_fn(80, 2, |_, _| sampler.normal());
            let frequencies = SpectralLaw::Normal { scale: 1.0 }.sample(9, &[0, 1, 2], 3, &mut sampler);
            let lambda = 0.03;
            // (Sᴴ S + nλ) β = Sᴴ y with S = e^{i⟨ω, x⟩}, in complex arithmetic.
            let s = DMatrix::from_fn(80, 9, |row, k| {
                let weights = &frequencies[k].weights;
                let angle: f64 = (0..3).map(|i| x[(row, i)] * weights[i]).sum();
                Complex::new(angle.cos(), angle.sin())
            });
            let mut normal = s.adjoint() * &s;
            (0..9).for_each(|i| normal[(i, i)] += Complex::new(80.0 * lambda, 0.0));
            let beta = normal.lu().solve(&(s.adjoint() * y.map(|v| Complex::new(v, 0.0)))).unwrap();

            let mut equations = NormalEquations::from_values(&Basis::Complex.values(&x, &frequencies), &y);
            Basis::Complex.complete(&mut equations);
            let (_, ours) = equations.reduce().unwrap().solve(80.0 * lambda).unwrap();
            for (k, output) in (0..9).flat_map(|k| [(k, 0), (k, 1)]) {
                let difference = beta[(k, output)] - Complex::new(ours[(k, output)], -ours[(9 + k, output)]);
                assert!(difference.norm_sqr().sqrt() < 1e-13, "{difference}");
            }
            let amplitudes = Basis::Complex.fitted_amplitudes(&x, &y, &frequencies, lambda).unwrap();
            for (row, amplitude) in beta.row_iter().zip(amplitudes) {
                assert!((row.norm() - amplitude).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn features_come_in_the_order_of_the_columns() {
        let mut sampler = Sampler::new(1);
        let x = DMatrix::from_fn(10, 4, |_, _| sampler.normal());
        let frequencies = SpectralLaw::Normal { scale: 1.0 }.sample(5, &[0, 1, 2, 3], 2, &mut sampler);
        for basis in [Basis::Pair, Basis::Complex, Basis::Sigmoid] {
            let features = basis.features(&frequencies);
            assert_eq!(features.len(), 5 * basis.width());
            let difference = feature_matrix(&x, &features, basis.activation()) - basis.values(&x, &frequencies);
            assert!(difference.amax() < 1e-15);
        }
    }
}
