//! À la carte: random Fourier features from a learned mixture of Gaussians.

mod spectral_mixture;
#[cfg(test)]
mod tests;

use nalgebra::DMatrix;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::features::Feature;
use crate::message::{Setting, message};
use crate::method::a_la_carte::spectral_mixture::SpectralMixture;
use crate::method::common::check::{
    at_least_one, check_features, check_gram, check_inputs, check_lambdas, not_negative,
};
use crate::method::common::folded_rows::FoldedRows;
use crate::method::common::linear_fit::{Basis, Points, expansion, fit_pairs, normal_equations};
use crate::method::error::MethodError;
use crate::method::terms::Terms;
use crate::method::traits::{Method, Tunable};
use crate::model::Expansion;
use crate::run::{Parts, Run};
use crate::sampling::Sampler;
use crate::solve::SolveError;
use crate::solve::optimise::lbfgs::Lbfgs;

/// Keeps the starts apart from each other and from the rows.
const START_STREAM: u64 = 1000;

/// Steps after which the state of the last descent is kept; each such leg begins with no memory, so that a fit that is
/// resumed takes the same steps.
const LEG: usize = 50;

/// Name under which that state is kept.
const COURSE: &str = "course";

/// À la carte: random Fourier features from a learned mixture of Gaussians.
///
/// Z. Yang, A. J. Smola, L. Song and A. G. Wilson, *À la carte: learning fast kernels*, 2015, in the form that D. Oglic
/// and T. Gärtner compare with (*Greedy feature construction*, 2016, appendix C.3).
///
/// L-BFGS minimises the validated error of a ridge fit over λ and over the means, deviations and weights of Q
/// components. Several starts take a few steps each, and the best start continues. This implementation makes three
/// choices:
///
/// - "The ARD-heuristic" of the first deviations is read as log-normal about 1/√q, in units of the input's deviation.
/// - With an `order` below the number of inputs, every frequency has its own inputs, drawn once.
/// - The unpenalised terms are fitted to the targets first, and once more together with the features at the end.
///
/// | setting | default | meaning |
/// |---|---|---|
/// | `features` | 100 | n, the frequencies, divided evenly among the components |
/// | `order` | 2 | q, inputs per frequency; the paper's are dense: all inputs |
/// | `lambda` | 1e-3 | ridge parameter of the last fit; n λ is added to the Gram matrix |
/// | `components` | 5 | Q |
/// | `restarts` | 10 | starts |
/// | `restart_iterations` | 20 | steps of L-BFGS from each start |
/// | `iterations` | 200 | further steps from the best |
/// | `folds` | 5 | folds of the rows, each of which validates once |
/// | `batch` | all | rows that the mixture is fitted to |
/// | `terms` | linear | intercept and linear terms beside the features, unpenalised |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ALaCarte {
    /// Frequencies, n.
    pub features: usize,
    /// Inputs per frequency, q.
    pub order: usize,
    /// Ridge parameter of the last fit.
    pub lambda: f64,
    /// Components of the mixture, Q.
    pub components: usize,
    /// Starts.
    pub restarts: usize,
    /// Steps of L-BFGS from each start.
    pub restart_iterations: usize,
    /// Further steps from the best.
    pub iterations: usize,
    /// Folds of the rows.
    pub folds: usize,
    /// Rows that the mixture is fitted to; none for all.
    pub batch: Option<usize>,
    /// Terms beside the features.
    pub terms: Terms,
}

impl Default for ALaCarte {
    fn default() -> Self {
        ALaCarte {
            features: 100,
            order: 2,
            lambda: 1e-3,
            components: 5,
            restarts: 10,
            restart_iterations: 20,
            iterations: 200,
            folds: 5,
            batch: None,
            terms: Terms::Linear,
        }
    }
}

/// A mixture with its variables and the validated error there.
#[derive(Clone, Serialize, Deserialize)]
struct Course {
    value: f64,
    variables: Vec<f64>,
    iterations: usize,
}

/// The path of the number of folds, which are not those of the cross-validation.
const FOLDS: &str = "method.a-la-carte.folds";
const BATCH: Setting = Setting::new("method.a-la-carte.batch");

impl ALaCarte {
    fn check_for(&self, data: &Dataset) -> Result<(), MethodError> {
        self.check()?;
        check_inputs(data, self.order, self.terms)?;
        let (rows, needed) = (self.batch.unwrap_or(usize::MAX).min(data.rows()), self.folds);
        if rows < needed {
            let purpose = "the folds of the mixture";
            let advice = message!("add rows, or lower ", Setting::new(FOLDS), " or raise ", BATCH);
            return Err(MethodError::TooFewRows { rows, needed, purpose, advice });
        }
        let terms = if self.terms == Terms::Linear { data.inputs() } else { 0 };
        check_gram(self.features, 2 * self.features + terms)
    }

    /// The frequencies of the mixture that is learned.
    fn frequencies(&self, data: &Dataset, run: &Run<'_>) -> Result<Vec<Feature>, MethodError> {
        self.check_for(data)?;
        let mut sampler = Sampler::new(run.seed());
        let rows = self.rows(data, &mut sampler)?;
        let parts = Parts::new(run, [vec![1; self.restarts], vec![self.restarts]].concat());
        let restart = |start: usize| -> Result<Course, MethodError> {
            if let Some(course) = parts.result(start) {
                return Ok(course);
            }
            let (mixture, mut course) = self.start(data, run.seed(), start);
            descend(&mixture, &rows, &mut course, self.restart_iterations, &parts.part(start))?;
            parts.finish(start, &course);
            Ok(course)
        };
        let courses: Vec<_> = (0..self.restarts).into_par_iter().map(restart).collect();
        let courses: Vec<Course> = courses.into_iter().collect::<Result<_, _>>()?;
        let best = (0..self.restarts).min_by(|&a, &b| courses[a].value.total_cmp(&courses[b].value)).unwrap_or(0);
        let last = parts.part(self.restarts);
        let (mixture, _) = self.start(data, run.seed(), best);
        let mut course = last.resume(COURSE).unwrap_or_else(|| Course { iterations: 0, ..courses[best].clone() });
        while course.iterations < self.iterations {
            last.keep(COURSE, &course);
            let (before, leg) = (course.iterations, LEG.min(self.iterations - course.iterations));
            // The resumed run repeats an interrupted leg.
            if let Err(error) = descend(&mixture, &rows, &mut course, leg, &last) {
                last.keep(COURSE, &course);
                return Err(error);
            }
            last.progress(course.iterations, self.iterations);
            if course.iterations < before + leg {
                break;
            }
        }
        if course.value.is_nan() {
            return Err(SolveError::NotFinite.into());
        }
        Ok(mixture.frequencies(&course.variables))
    }

    /// The rows in folds, with the residuals of the unpenalised terms as targets.
    fn rows(&self, data: &Dataset, sampler: &mut Sampler) -> Result<FoldedRows, MethodError> {
        let mut order = sampler.permutation(data.rows());
        order.truncate(self.batch.unwrap_or(usize::MAX));
        let without = fit_pairs(data, &[], self.terms, self.folds, sampler)?.0.predict(&data.x);
        Ok(FoldedRows {
            x: data.x.select_rows(&order),
            y: (&data.y - without).select_rows(&order),
            bounds: (0..=self.folds).map(|fold| fold * order.len() / self.folds).collect(),
            training: self.folds - 1,
            constant: if self.terms == Terms::None { 0.0 } else { 1.0 },
        })
    }

    /// Draws a start: the mixture and its first variables.
    fn start(&self, data: &Dataset, seed: u64, start: usize) -> (SpectralMixture, Course) {
        let mut sampler = Sampler::stream(seed, START_STREAM + start as u64);
        let (n, d, inputs) = (self.features, data.inputs(), data.varying_inputs());
        let order = self.order.min(inputs.len());
        let mut mask = DMatrix::zeros(n, d);
        for j in 0..n {
            sampler.subset(&inputs, order).into_iter().for_each(|i| mask[(j, i)] = 1.0);
        }
        let draws = mask.map(|m: f64| if m == 0.0 { 0.0 } else { sampler.normal() });
        let components = self.components.min(n);
        let component = (0..n).map(|j| j * components / n).collect();
        let spreads: Vec<f64> = data.x.column_iter().map(|x| x.variance().sqrt()).collect();
        let unit = |i: usize| if spreads[i] > 0.0 { 1.0 / (spreads[i] * (order as f64).sqrt()) } else { 0.0 };
        let count = components * d;
        let mut variables: Vec<f64> = (0..count).map(|at| 0.1 * unit(at % d) * sampler.normal()).collect();
        variables.extend((0..count).map(|at| unit(at % d) * libm::exp(sampler.normal())));
        let spread = data.y.column_iter().map(|y| y.variance()).sum::<f64>().sqrt();
        variables.extend((0..components).map(|_| (spread / components as f64).clamp(1e-2, 1e2)));
        variables.push(libm::log(1e-4));
        (SpectralMixture { draws, mask, component, components }, Course { value: 0.0, variables, iterations: 0 })
    }
}

/// Takes up to `iterations` steps of L-BFGS.
fn descend(
    mixture: &SpectralMixture,
    rows: &FoldedRows,
    course: &mut Course,
    iterations: usize,
    run: &Run<'_>,
) -> Result<(), MethodError> {
    let mut variables = course.variables.clone();
    let mut interrupted = false;
    let interrupt = || {
        let flow = run.interruption();
        interrupted |= flow.is_break();
        flow
    };
    let lbfgs = Lbfgs { iterations, ..Lbfgs::default() };
    let objective = |at: &[f64], gradient: &mut [f64]| mixture.value(rows, at, gradient);
    let minimum = lbfgs.minimise(&mut variables, &mixture.bounds(), objective, interrupt);
    if interrupted {
        return Err(MethodError::Interrupted);
    }
    *course = Course { value: minimum.value, variables, iterations: course.iterations + minimum.iterations };
    Ok(())
}

impl Method for ALaCarte {
    fn name(&self) -> &'static str {
        "a-la-carte"
    }

    fn fit_path(&self, data: &Dataset, lambdas: &[f64], run: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        check_lambdas(lambdas)?;
        let frequencies = self.frequencies(data, run)?;
        let points = Points { x: &data.x, y: &data.y, roots: &data.root_weights() };
        let equations = normal_equations(points, self.terms, Basis::Pair, &frequencies).reduce()?;
        let expansion = |&lambda: &f64| Ok(expansion(&equations, lambda, data, self.terms, Basis::Pair, &frequencies)?);
        lambdas.iter().map(expansion).collect()
    }

    fn pairs(&self) -> bool {
        true
    }

    fn check(&self) -> Result<(), MethodError> {
        check_features(self.features)?;
        let counts = [("order", self.order), ("components", self.components), ("restarts", self.restarts)];
        counts.into_iter().try_for_each(|(setting, value)| at_least_one(setting, value))?;
        if self.folds < 2 {
            return Err(MethodError::Setting { setting: FOLDS, range: "at least 2", value: self.folds as f64 });
        }
        not_negative("lambda", self.lambda)
    }

    fn tunable(&self) -> Tunable {
        let ALaCarte { features, order, lambda, terms, .. } = *self;
        Tunable { features, order: Some(order), lambda: Some(lambda), scale: None, terms }
    }

    fn tune(&mut self, Tunable { features, order, lambda, terms, .. }: Tunable) {
        (self.features, self.terms) = (features, terms);
        self.order = order.unwrap_or(self.order);
        self.lambda = lambda.unwrap_or(self.lambda);
    }
}
