//! The settings of a search.

use std::time::Duration;

use crate::cost::Budget;
use crate::export::NumberFormat;
use crate::fit::Conditions;
use crate::method::Terms;

/// The settings of a search.
#[derive(Clone, Debug)]
pub struct SearchConfig {
    /// Folds, scaling and the limit of the rounding error. Warps, orders, scales and ridge parameters that are set here
    /// are the only ones that the search tries.
    pub fit: Conditions,
    /// Number formats to choose from; empty for that of `fit`, or all integers where it is `int`. The search starts
    /// with the number format that allows the most feature orders within the budget; ties go to the first in the list.
    pub numbers: Vec<NumberFormat>,
    /// What the model may take of the device.
    pub budget: Budget,
    /// The largest number of features.
    pub features: usize,
    /// The largest number of inputs that the model uses; none for all.
    pub inputs: Option<usize>,
    /// Terms beside the features; none to choose them.
    pub terms: Option<Terms>,
    /// Whether the search tries Huber's loss where residuals have heavy tails. It should not where the amplitudes are
    /// fitted again by least squares.
    pub robust: bool,
    /// Whether to return the smallest model whose error is within a standard error of the least error, instead of the
    /// model of the least error.
    pub one_standard_error: bool,
    /// Whether the model must have no edges, as control loops need: the search leaves methods with rules out.
    pub smooth: bool,
    /// The time after which the search tries no further candidate.
    pub time: Duration,
    /// The work of the whole search, above 0: a unit is about a second of one core of a desktop computer of the 2020s.
    /// The same data, settings and seed then give the same model on every tested platform, unless the time is over
    /// before. None: the time alone ends the search. A search with more effort begins with the trials of one with less.
    pub effort: Option<f64>,
}

/// The largest number of features without a budget, and within one.
const FEATURES: usize = 100;
const FEATURES_IN_BUDGET: usize = 1000;

/// The usual effort of a search.
const EFFORT: f64 = 5.0;

/// A time that no search takes.
const UNLIMITED: Duration = Duration::from_secs(u32::MAX as u64);

/// Returns the largest number of features of a model that may take any number: 100, or 1000 within a budget.
pub(crate) fn most_features(budget: &Budget) -> usize {
    if budget.flash.is_none() && budget.work.is_none() { FEATURES } else { FEATURES_IN_BUDGET }
}

impl SearchConfig {
    /// The usual settings of a search: 100 features, or 1000 within a budget, and an effort of 5 units.
    pub fn new(fit: Conditions, budget: Budget) -> SearchConfig {
        SearchConfig {
            fit,
            numbers: Vec::new(),
            features: most_features(&budget),
            budget,
            inputs: None,
            terms: None,
            robust: true,
            one_standard_error: false,
            smooth: false,
            time: UNLIMITED,
            effort: Some(EFFORT),
        }
    }

    /// Returns the number formats to choose from, at least one.
    pub(crate) fn number_formats(&self) -> Vec<NumberFormat> {
        match self.fit.encoding.number {
            _ if !self.numbers.is_empty() => self.numbers.clone(),
            NumberFormat::Int => NumberFormat::ALL.into_iter().filter(|&number| number != NumberFormat::F32).collect(),
            number => vec![number],
        }
    }
}
