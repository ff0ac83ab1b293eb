//! Rules: branches of small trees, selected by what they explain per byte.

mod assemble;
mod bins;
mod bits;
pub(in crate::method) mod bytes;
mod grow;
mod mass;
mod pool;
mod select;
mod size;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::data::{Dataset, split, weights};
use crate::features::Activation;
use crate::method::common::check::{
    at_least_one, check_features, check_gram, check_inputs, check_lambdas, not_negative, share,
};
use crate::method::error::MethodError;
use crate::method::rules::bins::Bins;
use crate::method::rules::bits::Bits;
use crate::method::rules::grow::Growth;
use crate::method::rules::mass::{BITS_OF_FIT, BITS_OF_SELECTION, Masses};
use crate::method::rules::pool::{Pool, ROWS};
use crate::method::rules::select::{BEFORE_HALVING, LEAST_OPEN, select};
use crate::method::rules::size::{Part, Sizes};
use crate::method::terms::{Line, Terms};
use crate::method::traits::{Method, Tunable};
use crate::model::{Expansion, Tree};
use crate::run::Run;
use crate::sampling::Sampler;
use crate::solve::least_squares::normal_equations::{NormalEquations, Reduced};

/// Separates the draw of the validation rows from all other draws.
const VALIDATION_STREAM: u64 = 3;

/// The largest number of leaves of a tree.
const MOST_LEAVES: usize = 64;

/// Rules: products of conditions such as `x_i > t`, with an amplitude each.
///
/// The candidates are the branches of trees that are boosted on samples of rows and inputs (J. Friedman and B.
/// Popescu, *Predictive learning via rule ensembles*, 2008): trees of two leaves, of four, and so on. Orthogonal
/// least squares (S. Chen, S. A. Billings and W. Luo, 1989) selects those that lower the squared error most for every
/// byte that they take on the device, where rules of one tree share their conditions. A part of the rows, held out
/// until then, chooses the number of rules, and ridge regression on all rows gives the amplitudes. A rule takes
/// comparisons and one addition on the device, without a product.
///
/// | setting | default | meaning |
/// |---|---|---|
/// | `features` | 300 | the room of the rules, which so many rules of one condition take; 1000 within a budget |
/// | `lambda` | 1e-3 | λ; n λ is added to the Gram matrix of the amplitudes |
/// | `leaves` | 64 | leaves of the largest trees, from 2 to 64 |
/// | `trees` | 40 | trees of every size |
/// | `least_rows` | 5 | rows of a leaf at least |
/// | `validation` | 0.2 | share of the rows that chooses the number of rules |
/// | `batch` | 20000 | rows that trees and selection look at |
/// | `terms` | intercept | linear terms beside the rules are fitted first, with a penalty |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// The room of the rules, in rules of one condition.
    pub features: usize,
    /// Ridge parameter λ of the amplitudes.
    pub lambda: f64,
    /// Leaves of the largest trees.
    pub leaves: usize,
    /// Trees of every size.
    pub trees: usize,
    /// The least number of rows of a leaf.
    pub least_rows: usize,
    /// Share of the rows that chooses the number of rules.
    pub validation: f64,
    /// Rows that trees and selection look at.
    pub batch: usize,
    /// Terms beside the rules.
    pub terms: Terms,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            features: 300,
            lambda: 1e-3,
            leaves: MOST_LEAVES,
            trees: 40,
            least_rows: 5,
            validation: 0.2,
            batch: 20_000,
            terms: Terms::Intercept,
        }
    }
}

impl Method for Rules {
    fn name(&self) -> &'static str {
        "rules"
    }

    fn fit_path(&self, data: &Dataset, lambdas: &[f64], run: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        self.check()?;
        check_lambdas(lambdas)?;
        check_inputs(data, 0, self.terms)?;
        check_gram(self.features, 2 * self.features)?;
        let line = if self.terms.has_lines() { Some(Line::fit(data, run.seed())?) } else { None };
        let residuals = line.as_ref().map(|line| line.residuals(data).y);
        let y = residuals.as_ref().unwrap_or(&data.y);
        let split = split::inner_holdout(data, self.validation, &mut Sampler::stream(run.seed(), VALIDATION_STREAM));
        let mut sampler = Sampler::new(run.seed());
        let rows = sampler.subset(&split.train, split.train.len().min(self.batch));
        let held_out = sampler.subset(&split.test, split.test.len().min(self.batch));
        let bins = Bins::new(&data.x.select_rows(&rows));
        let fitted = y.select_rows(&rows);
        let masses = |rows: &[usize]| Masses::new(&weights::select(&data.weights, rows), BITS_OF_SELECTION);
        let masses_held_out = masses(&held_out);
        let masses = masses(&rows);
        let own = weights::normalised(&weights::select(&data.weights, &rows));
        let pool = self.pool(&bins, (&fitted, &own), &data.varying_inputs(), &mut sampler, run)?;
        let chosen = self.select(&pool, data.varying_inputs().len(), (&fitted, &masses), run);
        if run.interrupted() {
            return Err(MethodError::Interrupted);
        }
        let held_out_sets = sets_of(&pool, &chosen, &bins.of_rows(&data.x.select_rows(&held_out)), held_out.len());
        let sets: Vec<&Bits> = chosen.iter().map(|&place| &pool.candidates[place].bits).collect();
        let held_out_sets: Vec<&Bits> = held_out_sets.iter().collect();
        let validation = Part { sets: &held_out_sets, y: &y.select_rows(&held_out), masses: &masses_held_out };
        let intercept = self.terms != Terms::None;
        let sizes = Sizes::new(Part { sets: &sets, y: &fitted, masses: &masses }, validation, intercept);
        let all_masses = Masses::new(&data.weights, BITS_OF_FIT);
        let all_rows = bins.of_rows(&data.x);
        let model = |&lambda: &f64| {
            let chosen = &chosen[..sizes.best(lambda)];
            let equations = self.equations(&sets_of(&pool, chosen, &all_rows, data.rows()), y, &all_masses).reduce()?;
            let trees = |amplitudes: &DMatrix<f64>| assemble::trees(&pool, &bins, chosen, amplitudes);
            let mut model = self.model(&equations, lambda, data, trees)?;
            line.iter().for_each(|line| line.add_to(&mut model));
            Ok(model)
        };
        lambdas.iter().map(model).collect()
    }

    fn check(&self) -> Result<(), MethodError> {
        check_features(self.features)?;
        not_negative("lambda", self.lambda)?;
        at_least_one("trees", self.trees)?;
        at_least_one("least_rows", self.least_rows)?;
        share("validation", self.validation)?;
        at_least_one("batch", self.batch)?;
        if !(2..=MOST_LEAVES).contains(&self.leaves) {
            let range = "from 2 to 64";
            return Err(MethodError::Setting { setting: "leaves", range, value: self.leaves as f64 });
        }
        Ok(())
    }

    fn has_rules(&self) -> bool {
        true
    }

    fn holds_rows_out(&self) -> bool {
        true
    }

    fn room(&self) -> Option<&'static str> {
        Some("rules of one condition")
    }

    fn operations(&self, rows: usize, inputs: usize) -> (f64, f64) {
        let rows = rows.min(self.batch) as f64;
        let features = self.features as f64;
        // A tree has no more leaves than its rows allow.
        let most_leaves = (ROWS * rows / self.least_rows as f64).max(1.0);
        let splits: f64 = self.sizes().map(|leaves| (leaves as f64).min(most_leaves) - 1.0).sum();
        let levels: f64 = self.sizes().map(|leaves| f64::from(leaves.ilog2())).sum();
        let trees = self.trees as f64;
        let growth = trees * (levels * rows * inputs as f64 + splits * rows);
        let candidates = 2.0 * trees * splits;
        // All candidates are beside the first rules, and those that are left beside all others.
        let steps = |rules: f64, candidates: f64| rules * candidates * (rows / 64.0 + rules);
        let selection = steps(features.min(2.0 * BEFORE_HALVING as f64), candidates)
            + steps(features, candidates.min(LEAST_OPEN as f64));
        (WORK_OF_COUNTS * (growth + selection), features.powi(3))
    }

    fn tunable(&self) -> Tunable {
        let lambda = Some(self.lambda);
        Tunable { features: self.features, order: None, lambda, scale: None, terms: self.terms }
    }

    fn tune(&mut self, Tunable { features, lambda, terms, .. }: Tunable) {
        self.features = features;
        self.terms = terms;
        self.lambda = lambda.unwrap_or(self.lambda);
    }
}

/// The operations of a count, in products: counts are not done several at a time.
const WORK_OF_COUNTS: f64 = 2.0;

impl Rules {
    /// Returns the numbers of leaves of trees: powers of two up to that of the largest trees.
    fn sizes(&self) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(2), |leaves| Some(2 * leaves)).take_while(|&leaves| leaves <= self.leaves)
    }

    /// Returns the candidates.
    fn pool(
        &self,
        bins: &Bins,
        rows: (&DMatrix<f64>, &[f64]),
        inputs: &[usize],
        sampler: &mut Sampler,
        run: &Run<'_>,
    ) -> Result<Pool, MethodError> {
        let mut pool = Pool::default();
        for leaves in self.sizes() {
            if run.interrupted() {
                return Err(MethodError::Interrupted);
            }
            pool.boost(bins, rows, inputs, (self.trees, Growth { leaves, least_rows: self.least_rows }), sampler);
        }
        Ok(pool)
    }

    /// Returns the rules that fit the room beside as many of the `inputs` as they may look at.
    fn select(&self, pool: &Pool, inputs: usize, (y, masses): (&DMatrix<f64>, &Masses), run: &Run<'_>) -> Vec<usize> {
        let of_inputs = bytes::of_inputs(inputs.min(self.features));
        let room = self.features * bytes::of_one_condition(y.ncols()) + of_inputs;
        let intercept = self.terms != Terms::None;
        select(pool, (y, masses), (room, intercept), || run.interrupted()).chosen
    }

    /// Returns the normal equations of rules at all rows, which count by `masses`.
    fn equations(&self, sets: &[Bits], y: &DMatrix<f64>, masses: &Masses) -> NormalEquations {
        let rows = y.nrows();
        let sets: Vec<&Bits> = sets.iter().collect();
        let beside = usize::from(self.terms != Terms::None);
        let columns = beside + sets.len();
        let mut gram = DMatrix::zeros(columns, columns);
        let mut moments = DMatrix::zeros(columns, y.ncols());
        if beside > 0 {
            gram[(0, 0)] = rows as f64;
            moments.row_mut(0).copy_from_slice(&masses.sums(y));
        }
        for (j, set) in sets.iter().enumerate() {
            gram.view_mut((beside + j, beside + j), (sets.len() - j, 1))
                .copy_from_slice(&masses.common(set, &sets[j..]));
            if beside > 0 {
                gram[(beside + j, 0)] = masses.of(set);
            }
            for (output, targets) in y.column_iter().enumerate() {
                let values = targets.as_slice();
                moments[(beside + j, output)] = set.rows().map(|row| masses.weight(row) * values[row]).sum();
            }
        }
        NormalEquations::from_products(gram, moments, beside)
    }

    /// Returns the model with the amplitudes of a ridge parameter, which `trees` puts into trees.
    fn model(
        &self,
        equations: &Reduced,
        lambda: f64,
        data: &Dataset,
        trees: impl FnOnce(&DMatrix<f64>) -> Vec<Tree>,
    ) -> Result<Expansion, MethodError> {
        let (beside, amplitudes) = equations.solve(lambda * data.rows() as f64)?;
        let outputs = data.outputs();
        let intercept = if self.terms == Terms::None { DMatrix::zeros(1, outputs) } else { beside };
        Ok(Expansion {
            activation: Activation::Sine,
            features: Vec::new(),
            coefficients: DMatrix::zeros(0, outputs),
            intercept,
            linear: DMatrix::zeros(data.inputs(), outputs),
            trees: trees(&amplitudes),
        })
    }
}

/// Returns the rows of every selected rule.
fn sets_of(pool: &Pool, chosen: &[usize], bins: &Bins, rows: usize) -> Vec<Bits> {
    let mut branches = BTreeMap::new();
    for &place in chosen {
        let tree = pool.candidates[place].tree;
        branches.entry(tree).or_insert_with(|| pool.trees[tree].branches(bins, rows));
    }
    let set = |&place: &usize| {
        let candidate = &pool.candidates[place];
        branches[&candidate.tree][candidate.split][candidate.side].clone()
    };
    chosen.iter().map(set).collect()
}
