//! What every method does, and the settings that every method has.

use crate::data::Dataset;
use crate::method::{MethodError, Terms};
use crate::model::Expansion;
use crate::run::Run;

/// A way of fitting an expansion.
pub trait Method: Sync {
    /// Fits `data`, whose columns are scaled (or, for the papers' tables, as the paper has them), once for every λ. What does
    /// not depend on λ is done once; a method that has no λ takes no notice of them.
    ///
    /// The result depends on the data, the settings and the seed alone, not on the number of threads.
    fn fit_path(&self, data: &Dataset, lambdas: &[f64], run: &Run<'_>) -> Result<Vec<Expansion>, MethodError>;

    /// Fits `data` with the method's own λ.
    fn fit(&self, data: &Dataset, run: &Run<'_>) -> Result<Expansion, MethodError> {
        let own = self.tunable().lambda.unwrap_or_default();
        Ok(self.fit_path(data, &[own], run)?.swap_remove(0))
    }

    /// Whether a feature is a pair, the sine and the cosine of one frequency. On the device a pair is one feature.
    fn pairs(&self) -> bool {
        false
    }

    /// Multiplies the error of a feature on the device that the method reckons with, where that takes the place of λ; whether
    /// it does.
    fn reckon_with_rounding(&mut self, factor: f64) -> bool {
        let _ = factor;
        false
    }

    /// The settings that every method has.
    fn tunable(&self) -> Tunable;

    /// Changes them; a method ignores λ and the scale if it has none.
    fn tune(&mut self, tunable: Tunable);
}

/// The settings that every method has, and that budgets and cross-validation change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tunable {
    /// Most features that a fit returns.
    pub features: usize,
    /// Inputs per feature; none where features look at as many as there are.
    pub order: Option<usize>,
    /// Ridge parameter; none in a method that has no penalty.
    pub lambda: Option<f64>,
    /// Scale of the law that frequencies are drawn from; none in a method that draws from no such law.
    pub scale: Option<f64>,
    /// Terms beside the features.
    pub terms: Terms,
}
