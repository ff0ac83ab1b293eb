//! The feature orders and the number formats that a strategy chooses from.

use crate::export::NumberFormat;
use crate::method::Terms;
use crate::search::compaction::SCALE_REFINED;
use crate::search::strategy::attempts::Strategy;

/// The largest number of inputs that one feature uses together, unless the settings name orders.
pub(super) const MOST_DENSE: usize = 16;

impl Strategy<'_> {
    /// Returns the numbers of inputs per feature to choose from without some inputs; none stands for all inputs.
    pub fn orders(&self, without: &[usize]) -> Vec<Option<usize>> {
        let inputs = self.sample.inputs(without);
        let given = &self.config.fit.grid.orders;
        if !given.is_empty() {
            return given.iter().map(|&order| Some(order)).collect();
        }
        let sparse = [2, 3, 5, 1].into_iter().filter(|&order| order < inputs).map(Some);
        sparse.chain((inputs <= MOST_DENSE).then_some(None)).collect()
    }

    /// Returns the number formats. Those that allow the most feature orders within the budget come first.
    pub fn numbers(&self) -> Vec<NumberFormat> {
        let refused = |number: NumberFormat| {
            let terms = self.config.terms.unwrap_or(Terms::Intercept);
            let none = self.without_features(number, terms);
            let of_order = |order| none.with(self.drawn(order, terms, SCALE_REFINED));
            let keeps = |order| self.evaluator.features_within_budget(&of_order(order)).is_ok();
            self.orders(&[]).into_iter().filter(|&order| !keeps(order)).count()
        };
        let mut numbers = self.config.numbers.clone();
        numbers.sort_by_cached_key(|&number| refused(number));
        numbers
    }
}
