//! Polynomials of degree two: products of inputs, selected one by one, as a sum of squares.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::features::{Activation, Feature};
use crate::linalg::symmetric_eigen;
use crate::method::common::check::{check_features, check_inputs, check_lambdas, not_negative};
use crate::method::common::columns::{Candidates, fit_functions, selected_rows};
use crate::method::common::dependence::dependence;
use crate::method::error::MethodError;
use crate::method::path;
use crate::method::terms::Terms;
use crate::method::traits::{Method, Tunable};
use crate::model::Expansion;
use crate::run::Run;
use crate::solve::SolveError;

/// The most inputs whose products are candidates: those that the targets depend on most.
const MOST_INPUTS: usize = 40;

/// Squares whose amplitude is below this share of the largest one of their output are rounding.
const LEAST_SHARE: f64 = 1e-12;

/// A polynomial of degree two.
///
/// Orthogonal least squares (S. Chen, S. A. Billings and W. Luo, 1989) takes one product of two inputs after the other,
/// squares among them, as long as the polynomial fits the room. Ridge regression gives their coefficients. Inputs that
/// products join are a group, whose part of the polynomial `xᵀ Q x` is at most as many squares as it has inputs: one
/// for every eigenvector of Q. A square takes a product less an input than a wave, and no other function.
///
/// | setting | default | meaning |
/// |---|---|---|
/// | `features` | 100 | room, in squares of one input |
/// | `lambda` | 1e-4 | λ; n λ is added to the Gram matrix of the products |
/// | `terms` | linear | intercept and linear terms beside the products, unpenalised |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Polynomial {
    /// Room, in squares of one input.
    pub features: usize,
    /// Ridge parameter λ.
    pub lambda: f64,
    /// Terms beside the products.
    pub terms: Terms,
}

impl Default for Polynomial {
    fn default() -> Self {
        Polynomial { features: 100, lambda: 1e-4, terms: Terms::Linear }
    }
}

/// A product of two inputs, the first of which is not after the second.
type Product = [usize; 2];

/// Returns the values (n×N) of products at the rows of `x` (n×d).
fn values(x: &DMatrix<f64>, products: &[Product]) -> DMatrix<f64> {
    let columns: Vec<_> = products.iter().map(|&[a, b]| x.column(a).component_mul(&x.column(b))).collect();
    if columns.is_empty() { DMatrix::zeros(x.nrows(), 0) } else { DMatrix::from_columns(&columns) }
}

/// The inputs of a polynomial, in groups that products join.
#[derive(Clone, Default)]
struct Groups(Vec<Vec<usize>>);

impl Groups {
    /// Returns the groups with a further product.
    fn with(&self, product: Product) -> Groups {
        let mut joined = product.to_vec();
        let mut groups = Vec::new();
        for group in &self.0 {
            if group.iter().any(|input| product.contains(input)) {
                joined.extend(group);
            } else {
                groups.push(group.clone());
            }
        }
        joined.sort_unstable();
        joined.dedup();
        groups.push(joined);
        Groups(groups)
    }

    /// Returns what the squares of all groups take, in squares of one input.
    fn cost(&self, outputs: usize) -> f64 {
        let of_group = |group: &Vec<usize>| group.len() as f64 * path::bytes(group.len(), outputs) as f64;
        // Targets have squares of their own.
        outputs as f64 * self.0.iter().map(of_group).sum::<f64>() / path::bytes(1, outputs) as f64
    }
}

/// All products, and what is left of them beside those that were taken.
struct Pool {
    products: Vec<Product>,
    rows: Dataset,
}

impl Pool {
    fn new(data: &Dataset, seed: u64) -> Pool {
        let rows = selected_rows(data, seed);
        let mut inputs = data.varying_inputs();
        if inputs.len() > MOST_INPUTS {
            let shares = dependence(&rows.x, &rows.y);
            inputs.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]));
            inputs.truncate(MOST_INPUTS);
            inputs.sort_unstable();
        }
        let with_later = |place: usize| inputs[place..].iter().map(move |&later| (place, later));
        let products = (0..inputs.len()).flat_map(with_later).map(|(place, later)| [inputs[place], later]).collect();
        Pool { products, rows }
    }

    /// Returns the products of a polynomial within the room, and its groups.
    fn select(&self, terms: Terms, room: usize, run: &Run<'_>) -> (Vec<Product>, Groups) {
        let (outputs, room) = (self.rows.outputs(), room as f64);
        let mut candidates = Candidates::new(&self.rows, terms, values(&self.rows.x, &self.products));
        let (mut chosen, mut groups) = (Vec::new(), Groups::default());
        // More coefficients than half the rows would follow the noise.
        while chosen.len() < self.rows.rows() / 2 && !run.interrupted() {
            let mut best = (0.0, None);
            for (place, &product) in self.products.iter().enumerate() {
                let decrease = candidates.remainder.decrease(place);
                if decrease > best.0 && groups.with(product).cost(outputs) <= room {
                    best = (decrease, Some(place));
                }
            }
            let Some(place) = best.1 else { break };
            candidates.take(place);
            groups = groups.with(self.products[place]);
            chosen.push(self.products[place]);
        }
        (chosen, groups)
    }
}

impl Polynomial {
    /// Fits the polynomial of the products.
    fn model(
        &self,
        data: &Dataset,
        products: &[Product],
        groups: &Groups,
        lambda: f64,
    ) -> Result<Expansion, MethodError> {
        let fitted = fit_functions(data, self.terms, products.len(), |x| values(x, products), lambda)?;
        let mut features = Vec::new();
        let mut amplitudes: Vec<(usize, f64)> = Vec::new();
        for (output, coefficients) in fitted.coefficients.column_iter().enumerate() {
            let mut squares = Vec::new();
            for group in &groups.0 {
                squares.extend(squares_of(group, products, coefficients.as_slice())?);
            }
            let largest = squares.iter().map(|(_, amplitude)| amplitude.abs()).fold(0.0, f64::max);
            for (feature, amplitude) in squares {
                if amplitude.abs() > LEAST_SHARE * largest {
                    features.push(feature);
                    amplitudes.push((output, amplitude));
                }
            }
        }
        let mut coefficients = DMatrix::zeros(features.len(), data.outputs());
        for (row, &(output, amplitude)) in amplitudes.iter().enumerate() {
            coefficients[(row, output)] = amplitude;
        }
        Ok(Expansion {
            activation: Activation::Square,
            features,
            coefficients,
            intercept: fitted.intercept,
            linear: fitted.linear,
            trees: Vec::new(),
        })
    }

    /// Checks settings and data.
    fn check_for(&self, data: &Dataset) -> Result<(), MethodError> {
        self.check()?;
        check_inputs(data, 0, self.terms)
    }
}

/// Returns the squares that the products within a group add up to, with their amplitudes: `Σ c x_a x_b = xᵀ Q x`, and
/// `Q = Σ λ v vᵀ`.
fn squares_of(group: &[usize], products: &[Product], coefficients: &[f64]) -> Result<Vec<(Feature, f64)>, MethodError> {
    let mut q = DMatrix::zeros(group.len(), group.len());
    for (&[a, b], &coefficient) in products.iter().zip(coefficients) {
        if let (Ok(a), Ok(b)) = (group.binary_search(&a), group.binary_search(&b)) {
            q[(a, b)] += 0.5 * coefficient;
            q[(b, a)] += 0.5 * coefficient;
        }
    }
    let (eigenvalues, vectors) = symmetric_eigen(&q).ok_or(SolveError::NotFinite)?;
    let square = |(place, amplitude): (usize, f64)| {
        let weights = vectors.column(place).iter().copied().collect();
        (Feature { support: group.to_vec(), weights, bias: 0.0 }, amplitude)
    };
    Ok(eigenvalues.into_iter().enumerate().map(square).collect())
}

impl Method for Polynomial {
    fn name(&self) -> &'static str {
        "polynomial"
    }

    fn fit_path(&self, data: &Dataset, lambdas: &[f64], run: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        self.check_for(data)?;
        check_lambdas(lambdas)?;
        let (products, groups) = Pool::new(data, run.seed()).select(self.terms, self.features, run);
        if run.interrupted() {
            return Err(MethodError::Interrupted);
        }
        lambdas.iter().map(|&lambda| self.model(data, &products, &groups, lambda)).collect()
    }

    fn grows(&self) -> bool {
        true
    }

    fn sizes(&self) -> Vec<usize> {
        path::sizes(self.features)
    }

    fn fit_growing(&self, data: &Dataset, wanted: &[usize], run: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        self.check_for(data)?;
        let pool = Pool::new(data, run.seed());
        let model = |&size: &usize| {
            let (products, groups) = pool.select(self.terms, size, run);
            if run.interrupted() {
                return Err(MethodError::Interrupted);
            }
            self.model(data, &products, &groups, self.lambda)
        };
        wanted.iter().map(model).collect()
    }

    fn check(&self) -> Result<(), MethodError> {
        check_features(self.features)?;
        not_negative("lambda", self.lambda)
    }

    fn room(&self) -> Option<&'static str> {
        Some("squares of one input")
    }

    fn operations(&self, rows: usize, inputs: usize) -> (f64, f64) {
        let products = {
            let inputs = inputs.min(MOST_INPUTS) as f64;
            inputs * (inputs + 1.0) / 2.0
        };
        let taken = products.min(self.features as f64);
        (rows as f64 * products * taken, rows as f64 * taken * taken)
    }

    fn tunable(&self) -> Tunable {
        let lambda = Some(self.lambda);
        Tunable { features: self.features, order: Some(1), lambda, scale: None, terms: self.terms }
    }

    fn tune(&mut self, Tunable { features, lambda, terms, .. }: Tunable) {
        self.features = features;
        self.terms = terms;
        self.lambda = lambda.unwrap_or(self.lambda);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;

    /// Rows of five inputs whose target is a polynomial of three of them.
    fn rows(rows: usize, noise: f64, seed: u64) -> Dataset {
        let mut sampler = Sampler::new(seed);
        let x = DMatrix::from_fn(rows, 5, |_, _| sampler.normal());
        let y = DMatrix::from_fn(rows, 1, |row, _| {
            let [a, b, c] = [0, 2, 4].map(|input| x[(row, input)]);
            1.0 + 0.5 * a - 2.0 * a * b + 3.0 * c * c + noise * sampler.normal()
        });
        Dataset::new(x, y).unwrap()
    }

    #[test]
    fn the_polynomial_of_the_target_is_found_with_as_many_squares_as_it_needs() {
        for seed in 0..5 {
            let data = rows(200, 0.0, seed);
            // Two squares of two inputs and one of one: (2 · 18 + 13) / 13 = 3.8.
            let model = Polynomial { features: 4, lambda: 0.0, ..Polynomial::default() };
            let model = model.fit_expansion(&data, &Run::new(seed)).unwrap();
            let test = rows(100, 0.0, seed + 100);
            assert!((model.predict(&test.x) - &test.y).amax() < 1e-9, "seed {seed}");
            let mut supports: Vec<&[usize]> = model.features.iter().map(|feature| &feature.support[..]).collect();
            supports.sort_unstable();
            assert_eq!(supports, [&[0, 2][..], &[0, 2], &[4]], "seed {seed}");
        }
    }

    #[test]
    fn less_room_leaves_the_weaker_product_out() {
        let data = rows(400, 0.1, 1);
        for (features, has_product) in [(1, false), (3, false), (4, true)] {
            let model = Polynomial { features, ..Polynomial::default() }.fit_expansion(&data, &Run::new(1)).unwrap();
            let has = |support: &[usize]| model.features.iter().any(|feature| feature.support == support);
            assert!(has(&[0, 2]) == has_product, "{features}: {:?}", model.features);
            assert!(model.features.iter().any(|feature| feature.support.contains(&4)), "{features}");
        }
    }

    #[test]
    fn sizes_that_are_fitted_together_are_those_of_single_fits() {
        let data = rows(100, 0.5, 2);
        let method = Polynomial { features: 12, ..Polynomial::default() };
        let together = method.fit_growing(&data, &method.sizes(), &Run::new(3)).unwrap();
        for (model, features) in together.iter().zip(method.sizes()) {
            let alone = Polynomial { features, ..method.clone() }.fit_expansion(&data, &Run::new(3)).unwrap();
            assert!(*model == alone, "{features}");
        }
    }

    #[test]
    fn targets_have_squares_of_their_own() {
        let mut data = rows(300, 0.0, 3);
        let second = DMatrix::from_fn(300, 1, |row, _| data.x[(row, 1)] * data.x[(row, 3)]);
        data.y = DMatrix::from_columns(&[data.y.column(0), second.column(0)]);
        data.output_names.push("second".to_owned());
        let model = Polynomial { lambda: 0.0, ..Polynomial::default() }.fit_expansion(&data, &Run::new(1)).unwrap();
        assert!((model.predict(&data.x) - &data.y).amax() < 1e-9);
        assert!(model.coefficients.row_iter().all(|row| row.iter().filter(|&&c| c != 0.0).count() == 1));
    }
}
