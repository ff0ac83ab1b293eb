//! Piecewise linear functions of single inputs: what a table of values at knots gives.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::features::{Activation, Feature, feature_matrix};
use crate::method::common::check::{at_least_one, check_features, check_inputs, check_lambdas, not_negative};
use crate::method::common::columns::{Candidates, fit_functions, selected_rows};
use crate::method::error::MethodError;
use crate::method::path;
use crate::method::terms::Terms;
use crate::method::traits::{Method, Tunable};
use crate::model::Expansion;
use crate::run::Run;

/// The most knots of all inputs together.
const MOST_KNOTS: usize = 2_000;

/// Piecewise linear functions of single inputs, which add up.
///
/// A function bends at its knots: every bend is a feature `max(x − knot, 0)`. Candidates are the quantiles of the
/// inputs. Orthogonal least squares (S. Chen, S. A. Billings and W. Luo, 1989) takes one bend after the other; ridge
/// regression gives the amplitudes. With one input this is a table of values with linear interpolation.
///
/// | setting | default | meaning |
/// |---|---|---|
/// | `features` | 32 | bends |
/// | `lambda` | 1e-6 | λ; n λ is added to the Gram matrix of the bends |
/// | `knots` | 63 | candidates of an input |
/// | `terms` | linear | intercept and linear terms beside the bends, unpenalised |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Table {
    /// Bends.
    pub features: usize,
    /// Ridge parameter λ.
    pub lambda: f64,
    /// Candidates of an input.
    pub knots: usize,
    /// Terms beside the bends.
    pub terms: Terms,
}

impl Default for Table {
    fn default() -> Self {
        Table { features: 32, lambda: 1e-6, knots: 63, terms: Terms::Linear }
    }
}

/// The bends to choose from, and the rows that they are chosen by.
struct Pool {
    bends: Vec<Feature>,
    rows: Dataset,
}

impl Pool {
    /// Takes as many quantiles of every varying input, and its least reading, where its line begins.
    fn new(data: &Dataset, knots: usize, seed: u64) -> Pool {
        let rows = selected_rows(data, seed);
        let inputs = data.varying_inputs();
        let knots = knots.min((MOST_KNOTS / inputs.len().max(1)).max(1));
        let mut bends = Vec::new();
        for input in inputs {
            let mut readings: Vec<f64> = rows.x.column(input).iter().copied().collect();
            readings.sort_unstable_by(f64::total_cmp);
            let quantile = |knot: usize| readings[knot * (readings.len() - 1) / (knots + 1)];
            let mut places: Vec<f64> = (0..=knots).map(quantile).collect();
            places.dedup();
            let bend = |place: f64| Feature { support: vec![input], weights: vec![1.0], bias: -place };
            bends.extend(places.into_iter().map(bend));
        }
        Pool { bends, rows }
    }

    /// Returns the bends in the order of their selection.
    fn select(&self, terms: Terms, count: usize, run: &Run<'_>) -> Vec<Feature> {
        let values = feature_matrix(&self.rows.x, &self.bends, Activation::Relu);
        let mut candidates = Candidates::new(&self.rows, terms, values);
        let mut chosen: Vec<Feature> = Vec::new();
        // More coefficients than half the rows would follow the noise.
        while chosen.len() < count.min(self.rows.rows() / 2) && !run.interrupted() {
            let mut best = (0.0, None);
            for place in 0..self.bends.len() {
                let decrease = candidates.remainder.decrease(place);
                if decrease > best.0 {
                    best = (decrease, Some(place));
                }
            }
            let Some(place) = best.1 else { break };
            candidates.take(place);
            chosen.push(self.bends[place].clone());
        }
        chosen
    }
}

impl Table {
    /// Selects bends.
    fn bends(&self, data: &Dataset, run: &Run<'_>) -> Result<Vec<Feature>, MethodError> {
        self.check()?;
        check_inputs(data, 0, self.terms)?;
        let bends = Pool::new(data, self.knots, run.seed()).select(self.terms, self.features, run);
        if run.interrupted() { Err(MethodError::Interrupted) } else { Ok(bends) }
    }

    /// Fits the amplitudes of bends.
    fn model(&self, data: &Dataset, bends: &[Feature], lambda: f64) -> Result<Expansion, MethodError> {
        let values = |x: &DMatrix<f64>| feature_matrix(x, bends, Activation::Relu);
        let fitted = fit_functions(data, self.terms, bends.len(), values, lambda)?;
        Ok(Expansion {
            activation: Activation::Relu,
            features: bends.to_vec(),
            coefficients: fitted.coefficients,
            intercept: fitted.intercept,
            linear: fitted.linear,
            trees: Vec::new(),
        })
    }
}

impl Method for Table {
    fn name(&self) -> &'static str {
        "table"
    }

    fn fit_path(&self, data: &Dataset, lambdas: &[f64], run: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        check_lambdas(lambdas)?;
        let bends = self.bends(data, run)?;
        lambdas.iter().map(|&lambda| self.model(data, &bends, lambda)).collect()
    }

    fn grows(&self) -> bool {
        true
    }

    fn sizes(&self) -> Vec<usize> {
        path::sizes(self.features)
    }

    fn fit_growing(&self, data: &Dataset, wanted: &[usize], run: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        let bends = self.bends(data, run)?;
        wanted.iter().map(|&size| self.model(data, &bends[..size.min(bends.len())], self.lambda)).collect()
    }

    fn check(&self) -> Result<(), MethodError> {
        check_features(self.features)?;
        at_least_one("knots", self.knots)?;
        not_negative("lambda", self.lambda)
    }

    fn operations(&self, rows: usize, inputs: usize) -> (f64, f64) {
        let bends = (inputs * (self.knots + 1)).min(MOST_KNOTS) as f64;
        let (rows, features) = (rows as f64, self.features as f64);
        (rows * bends * features, rows * features * features)
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

    /// Rows of three inputs; the target bends at two places of the first and at one of the third.
    fn rows(count: usize, seed: u64) -> Dataset {
        let mut sampler = Sampler::new(seed);
        let x = DMatrix::from_fn(count, 3, |_, _| sampler.uniform(-1.0, 1.0));
        let bent = |row: usize| {
            let (a, c) = (x[(row, 0)], x[(row, 2)]);
            a - 3.0 * (a + 0.5).max(0.0) + 4.0 * (a - 0.25).max(0.0) - 2.0 * c.max(0.0)
        };
        let y = DMatrix::from_fn(count, 1, |row, _| bent(row));
        Dataset::new(x.clone(), y).unwrap()
    }

    #[test]
    fn bends_are_found_at_the_quantiles_next_to_them() {
        for seed in 0..5 {
            let (data, test) = (rows(2000, seed), rows(1000, seed + 50));
            let model = Table { features: 12, ..Table::default() }.fit_expansion(&data, &Run::new(seed)).unwrap();
            // Knots are a 32nd apart: between two of them a bend of 4 is off by a quarter of 4 / 32 at most.
            assert!((model.predict(&test.x) - &test.y).amax() < 0.04, "seed {seed}");
            let first: Vec<&Feature> = model.features.iter().take(3).collect();
            assert!(first.iter().all(|bend| bend.support != [1]), "seed {seed}: {first:?}");
        }
    }

    #[test]
    fn without_linear_terms_the_line_begins_at_the_least_reading() {
        let mut data = rows(500, 7);
        data.y = DMatrix::from_fn(500, 1, |row, _| 2.0 * data.x[(row, 1)]);
        let table = Table { features: 1, lambda: 0.0, terms: Terms::Intercept, ..Table::default() };
        let model = table.fit_expansion(&data, &Run::new(1)).unwrap();
        assert!((model.predict(&data.x) - &data.y).amax() < 1e-9);
        // Beside linear terms there is nothing to bend.
        let with_line = Table { terms: Terms::Linear, ..table }.fit_expansion(&data, &Run::new(1)).unwrap();
        assert!((with_line.predict(&data.x) - &data.y).amax() < 1e-9);
    }

    #[test]
    fn sizes_that_are_fitted_together_are_those_of_single_fits() {
        let data = rows(200, 2);
        let method = Table { features: 15, ..Table::default() };
        let together = method.fit_growing(&data, &method.sizes(), &Run::new(3)).unwrap();
        for (model, features) in together.iter().zip(method.sizes()) {
            let alone = Table { features, ..method.clone() }.fit_expansion(&data, &Run::new(3)).unwrap();
            assert!(*model == alone, "{features}");
        }
    }

    #[test]
    fn switches_have_the_knots_that_their_readings_allow() {
        let x = DMatrix::from_fn(60, 1, |row, _| f64::from(u8::from(row % 2 == 0)));
        let data = Dataset::new(x.clone(), &x * 3.0).unwrap();
        let model = Table { terms: Terms::Intercept, ..Table::default() }.fit_expansion(&data, &Run::new(1)).unwrap();
        assert!(model.features.len() == 1 && (model.predict(&x) - &data.y).amax() < 1e-4);
    }
}
