//! SHRIMP: sparser random features by iterative magnitude pruning.

#[cfg(test)]
mod tests;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::data::{Dataset, split};
use crate::features::{Activation, Feature, feature_matrix};
use crate::linalg::{product, scale_rows};
use crate::method::common::check::{DEVICE_ROUNDING, at_least_one, check_counts, check_features, not_negative, share};
use crate::method::error::MethodError;
use crate::method::terms::Terms;
use crate::method::traits::{Method, Tunable};
use crate::model::Expansion;
use crate::run::Run;
use crate::sampling::{Sampler, SpectralLaw};
use crate::solve::least_squares::min_norm::stable_ridge;
use crate::solve::least_squares::ridge::Unpenalised;
use crate::solve::sparse::pruning::{Pruning, Step};

/// Separates the draw of the validation rows from all other draws.
const VALIDATION_STREAM: u64 = 3;

/// SHRIMP: sparser random features by iterative magnitude pruning.
///
/// Y. Xie, R. Shi, H. Schaeffer and R. Ward, *SHRIMP: sparser random feature models via iterative magnitude pruning*,
/// 2022, Algorithm 1.
///
/// Draws pairs `[cos⟨ω, x⟩, sin⟨ω, x⟩]`, solves for the interpolant of least norm, removes the smallest coefficients
/// and repeats with the remaining columns. A tenth of the rows, held out until then, chooses the number of columns. The
/// chosen columns are fitted to all rows.
///
/// | setting | default | meaning |
/// |---|---|---|
/// | `features` | 100 | most frequencies of the model: sizes with more are not chosen |
/// | `candidates` | 0 | N, the frequencies drawn; 0 means ten times `features` (the paper takes 10,000) |
/// | `order` | 2 | q, inputs per feature |
/// | `scale` | 0 | standard deviation of the weights; 0 means the paper's 1/√q |
/// | `rate` | 0.2 | share of the columns taken out in a step |
/// | `validation` | 0.1 | share of the rows that chooses the size |
/// | `folds` | 0 | folds that choose the size instead, which varies less if rows are few; 0 for `validation` |
/// | `rounding` | 1e-5 | device error of a feature; the penalty is n·`rounding`²; 0 for the paper's interpolants |
/// | `stable` | false | orthogonal factorisations of wide matrices too; interpolates to the last digits |
/// | `terms` | linear | intercept and linear terms beside the features, unpenalised |
///
/// The paper scales all columns by 1/√N, which changes no solution of least norm, so it is left out. Where the subsets
/// of q inputs are no more than N, each gets ⌊N / subsets⌋ frequencies; otherwise supports are drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Shrimp {
    /// Most frequencies of the model.
    pub features: usize,
    /// Frequencies drawn, N; 0 means ten times `features`.
    pub candidates: usize,
    /// Inputs per feature, q.
    pub order: usize,
    /// Standard deviation of the weights; 0 means 1/√q.
    pub scale: f64,
    /// Share of the columns taken out in a step.
    pub rate: f64,
    /// Share of the rows that chooses the size, where there are no folds.
    pub validation: f64,
    /// Folds of the rows, each of which chooses the size in its turn; 0 sets a share of the rows apart.
    pub folds: usize,
    /// Error of a feature on the device; 0 for the paper's interpolants.
    pub rounding: f64,
    /// Orthogonal factorisations also while columns outnumber rows.
    pub stable: bool,
    /// Terms beside the features.
    pub terms: Terms,
}

impl Default for Shrimp {
    fn default() -> Self {
        Shrimp {
            features: 100,
            candidates: 0,
            order: 2,
            scale: 0.0,
            rate: 0.2,
            validation: 0.1,
            folds: 0,
            rounding: DEVICE_ROUNDING,
            stable: false,
            terms: Terms::Linear,
        }
    }
}

impl Method for Shrimp {
    fn name(&self) -> &'static str {
        "shrimp"
    }

    fn fit_path(&self, data: &Dataset, lambdas: &[f64], run: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        let (expansion, _) = self.validated(data, run)?;
        Ok(vec![expansion; lambdas.len()])
    }

    fn fit_validated(&self, data: &Dataset, run: &Run<'_>) -> Result<(Expansion, Option<f64>), MethodError> {
        let (expansion, error) = self.validated(data, run)?;
        Ok((expansion, Some(error)))
    }

    fn fit_sizes(&self, data: &Dataset, run: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        self.check_for(data)?;
        let features = self.draw(&data.varying_inputs(), &mut Sampler::new(run.seed()))?;
        let Problem { a, y, beside } = Problem::new(data, &features, self.terms)?;
        let steps = prune(&self.pruning(data), a, y, run)?;
        Ok(steps.into_iter().map(|step| self.expansion(&features, step, &beside, data)).collect())
    }

    fn check(&self) -> Result<(), MethodError> {
        check_features(self.features)?;
        not_negative("scale", self.scale)?;
        not_negative("rounding", self.rounding)?;
        at_least_one("order", self.order)?;
        share("rate", self.rate)?;
        if self.folds == 1 {
            let range = "0 or at least 2";
            return Err(MethodError::Setting { setting: "folds", range, value: 1.0 });
        }
        share("validation", self.validation)
    }

    fn pairs(&self) -> bool {
        true
    }

    fn operations(&self, rows: usize, _: usize) -> (f64, f64) {
        let candidates = if self.candidates == 0 { 10 * self.features } else { self.candidates };
        (2.0 * rows as f64 * (2.0 * candidates as f64).powi(2), 0.0)
    }

    fn scale_rounding(&mut self, factor: f64) -> bool {
        self.rounding *= factor;
        self.rounding > 0.0
    }

    fn tunable(&self) -> Tunable {
        let scale = Some(self.scale).filter(|&scale| scale != 0.0);
        Tunable { features: self.features, order: Some(self.order), lambda: None, scale, terms: self.terms }
    }

    fn tune(&mut self, Tunable { features, order, scale, terms, .. }: Tunable) {
        (self.features, self.terms) = (features, terms);
        self.order = order.unwrap_or(self.order);
        self.scale = scale.unwrap_or(self.scale);
    }
}

impl Shrimp {
    /// Fits, and returns the mean squared error of the chosen size on the rows that chose it as well: the paper
    /// compares orders and rates by that error.
    fn validated(&self, data: &Dataset, run: &Run<'_>) -> Result<(Expansion, f64), MethodError> {
        self.check_for(data)?;
        let features = self.draw(&data.varying_inputs(), &mut Sampler::new(run.seed()))?;
        let pruning = self.pruning(data);

        let mut sampler = Sampler::stream(run.seed(), VALIDATION_STREAM);
        let splits = match self.folds {
            0 => vec![split::inner_holdout(data, self.validation, &mut sampler)],
            folds => split::inner_folds(data, folds, &mut sampler),
        };
        // Every path takes out as many columns a step: step t has the same number of columns in all of them.
        let mut errors: Vec<f64> = Vec::new();
        let mut steps = Vec::new();
        for split in &splits {
            let (train, test) = (data.select(&split.train), data.select(&split.test));
            let Problem { a, y, beside } = Problem::new(&train, &features, self.terms)?;
            steps = prune(&pruning, a, y, run)?;
            errors.resize(steps.len(), 0.0);
            let roots = test.root_weights();
            let (values, terms) = (feature_matrix(&test.x, &features, Activation::Sine), self.terms.columns(&test.x));
            for (error, step) in errors.iter_mut().zip(&steps) {
                let explained = product(&values.select_columns(&step.active), &step.coefficients);
                let mut residuals = explained + product(&terms, &beside.at(step)) - &test.y;
                scale_rows(&mut residuals, &roots);
                *error += residuals.norm_squared();
            }
        }
        if self.folds > 0 {
            let Problem { a, y, .. } = Problem::new(data, &features, self.terms)?;
            steps = prune(&pruning, a, y, run)?;
        }
        let fitting = steps.iter().zip(&errors).filter(|(step, _)| frequencies(&step.active) <= self.features);
        let best = fitting.min_by(|(_, a), (_, b)| a.total_cmp(b));
        let (Step { active, .. }, error) = best.expect("the path ends with one column");

        // The chosen columns, fitted to all rows.
        let features: Vec<Feature> = active.iter().map(|&j| features[j].clone()).collect();
        let Problem { a, y, beside } = Problem::new(data, &features, self.terms)?;
        let step = Step { active: (0..features.len()).collect(), coefficients: stable_ridge(&a, &y, pruning.lambda)? };
        let tested: usize = splits.iter().map(|split| split.test.len()).sum();
        Ok((self.expansion(&features, step, &beside, data), error / (tested * data.outputs()) as f64))
    }

    fn pruning(&self, data: &Dataset) -> Pruning {
        let lambda = data.rows() as f64 * self.rounding * self.rounding;
        Pruning { rate: self.rate, lambda, stable: self.stable }
    }

    fn expansion(&self, features: &[Feature], step: Step, beside: &OtherTerms, data: &Dataset) -> Expansion {
        let (intercept, linear) = self.terms.divide(&beside.at(&step), data);
        let features = step.active.iter().map(|&j| features[j].clone()).collect();
        Expansion {
            activation: Activation::Sine,
            features,
            coefficients: step.coefficients,
            intercept,
            linear,
            trees: Vec::new(),
        }
    }

    fn check_for(&self, data: &Dataset) -> Result<(), MethodError> {
        self.check()?;
        check_counts(data.rows(), self.features, self.candidates, 2)?;
        if self.order > data.inputs() {
            return Err(MethodError::OrderBeyondInputs { order: self.order, inputs: data.inputs() });
        }
        self.terms.check(data)
    }

    /// Pairs of features, one pair a frequency: column 2j is the cosine, column 2j + 1 the sine of frequency j.
    fn draw(&self, inputs: &[usize], sampler: &mut Sampler) -> Result<Vec<Feature>, MethodError> {
        if inputs.is_empty() {
            return Err(MethodError::ConstantInputs);
        }
        let count = if self.candidates == 0 { 10 * self.features } else { self.candidates };
        let order = self.order.min(inputs.len());
        let scale = if self.scale == 0.0 { 1.0 / (order as f64).sqrt() } else { self.scale };
        let law = SpectralLaw::Normal { scale };
        let mut supports = Vec::new();
        match subsets(inputs, order, count) {
            Some(all) => all.iter().for_each(|support| supports.extend(vec![support.clone(); count / all.len()])),
            None => supports.extend((0..count).map(|_| sampler.subset(inputs, order))),
        }
        let pair = |support: Vec<usize>| Feature::pair(support, (0..order).map(|_| law.weight(sampler)).collect());
        Ok(supports.into_iter().flat_map(pair).collect())
    }
}

/// The path from all columns of `a` to one.
fn prune(pruning: &Pruning, a: DMatrix<f64>, y: DMatrix<f64>, run: &Run<'_>) -> Result<Vec<Step>, MethodError> {
    let steps = pruning.path(a, y, || run.interruption())?;
    if run.interrupted() { Err(MethodError::Interrupted) } else { Ok(steps) }
}

/// Least squares on some rows, with the unpenalised terms projected out of values and targets.
struct Problem {
    a: DMatrix<f64>,
    y: DMatrix<f64>,
    beside: OtherTerms,
}

impl Problem {
    fn new(data: &Dataset, features: &[Feature], terms: Terms) -> Result<Problem, MethodError> {
        let (mut a, mut y) = (feature_matrix(&data.x, features, Activation::Sine), data.y.clone());
        let mut columns = terms.columns(&data.x);
        let roots = data.root_weights();
        [&mut a, &mut y, &mut columns].into_iter().for_each(|m| scale_rows(m, &roots));
        let columns = Unpenalised::new(&columns);
        let beside = OtherTerms { alone: columns.coefficients(&y)?, taken: columns.coefficients(&a)? };
        columns.project_out(&mut a);
        columns.project_out(&mut y);
        Ok(Problem { a, y, beside })
    }
}

/// The terms beside the features.
struct OtherTerms {
    /// Their coefficients where there are no features, p×k.
    alone: DMatrix<f64>,
    /// The change of the coefficients per unit of each feature, p×N.
    taken: DMatrix<f64>,
}

impl OtherTerms {
    /// Their coefficients (p×k) beside the features of a step.
    fn at(&self, step: &Step) -> DMatrix<f64> {
        &self.alone - product(&self.taken.select_columns(&step.active), &step.coefficients)
    }
}

/// Number of frequencies that some columns belong to.
fn frequencies(columns: &[usize]) -> usize {
    let mut frequencies: Vec<usize> = columns.iter().map(|column| column / 2).collect();
    frequencies.dedup(); // columns ascend
    frequencies.len()
}

/// All subsets of `size` inputs, if there are at most `limit`.
fn subsets(inputs: &[usize], size: usize, limit: usize) -> Option<Vec<Vec<usize>>> {
    let binomial = (0..size)
        .try_fold(1_u128, |count, i| count.checked_mul((inputs.len() - i) as u128).map(|c| c / (i as u128 + 1)));
    if binomial.is_none_or(|count| count > limit as u128) {
        return None;
    }
    let mut all = vec![Vec::new()];
    for length in 0..size {
        // An input that too few others follow begins no subset.
        let reach = &inputs[..inputs.len() - (size - 1 - length)];
        let extended = all.iter().flat_map(|subset: &Vec<usize>| {
            let larger = move |input: &&usize| subset.last().is_none_or(|last| *input > last);
            reach.iter().filter(larger).map(move |&input| [subset.as_slice(), &[input]].concat())
        });
        all = extended.collect();
    }
    Some(all)
}
