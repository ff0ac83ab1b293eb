//! The table of methods.

use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::method::{
    ALaCarte, Arff, Compact, Fourier, Gfc, Harfe, Linear, Method, MethodError, Shrimp, Srfe, Srff, Tunable,
};
use crate::model::Expansion;
use crate::run::Run;

/// The settings of one method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MethodConfig {
    /// Hard-ridge random feature expansion.
    Harfe(Harfe),
    /// Iterative magnitude pruning.
    Shrimp(Shrimp),
    /// Ridge regression on random Fourier features.
    Fourier(Fourier),
    /// Interpolation of least norm on random Fourier features.
    MinNorm(Fourier),
    /// Sparse random feature expansion with sparse feature weights.
    Srfe(Srfe),
    /// Adaptive random Fourier features.
    Arff(Arff),
    /// Greedy feature construction.
    Gfc(Gfc),
    /// Random Fourier features from a learned mixture of Gaussians.
    ALaCarte(ALaCarte),
    /// Sparse random Fourier features with learned scales of the inputs.
    Srff(Srff),
    /// Least squares without features.
    Linear(Linear),
    /// Few features out of many, refined.
    Compact(Compact),
}

impl MethodConfig {
    /// The names of all methods.
    pub const NAMES: [&str; 11] =
        ["harfe", "shrimp", "srfe", "fourier", "min-norm", "arff", "gfc", "a-la-carte", "srff", "linear", "compact"];

    /// The method of that name with its default settings.
    pub fn named(name: &str) -> Option<MethodConfig> {
        match name {
            "harfe" => Some(MethodConfig::Harfe(Harfe::default())),
            "shrimp" => Some(MethodConfig::Shrimp(Shrimp::default())),
            "fourier" => Some(MethodConfig::Fourier(Fourier::default())),
            "min-norm" => Some(MethodConfig::MinNorm(Fourier { lambda: None, ..Fourier::default() })),
            "srfe" => Some(MethodConfig::Srfe(Srfe::default())),
            "arff" => Some(MethodConfig::Arff(Arff::default())),
            "gfc" => Some(MethodConfig::Gfc(Gfc::default())),
            "a-la-carte" => Some(MethodConfig::ALaCarte(ALaCarte::default())),
            "srff" => Some(MethodConfig::Srff(Srff::default())),
            "linear" => Some(MethodConfig::Linear(Linear::default())),
            "compact" => Some(MethodConfig::Compact(Compact::default())),
            _ => None,
        }
    }

    /// The name of the method.
    pub fn name(&self) -> &'static str {
        match self {
            MethodConfig::Harfe(_) => "harfe",
            MethodConfig::Shrimp(_) => "shrimp",
            MethodConfig::Fourier(_) => "fourier",
            MethodConfig::MinNorm(_) => "min-norm",
            MethodConfig::Srfe(_) => "srfe",
            MethodConfig::Arff(_) => "arff",
            MethodConfig::Gfc(_) => "gfc",
            MethodConfig::ALaCarte(_) => "a-la-carte",
            MethodConfig::Srff(_) => "srff",
            MethodConfig::Linear(_) => "linear",
            MethodConfig::Compact(_) => "compact",
        }
    }

    /// The method itself.
    pub fn method(&self) -> &dyn Method {
        match self {
            MethodConfig::Harfe(harfe) => harfe,
            MethodConfig::Shrimp(shrimp) => shrimp,
            MethodConfig::Fourier(fourier) | MethodConfig::MinNorm(fourier) => fourier,
            MethodConfig::Srfe(srfe) => srfe,
            MethodConfig::Arff(arff) => arff,
            MethodConfig::Gfc(gfc) => gfc,
            MethodConfig::ALaCarte(mixture) => mixture,
            MethodConfig::Srff(srff) => srff,
            MethodConfig::Linear(linear) => linear,
            MethodConfig::Compact(compact) => compact,
        }
    }

    /// Fits `data` with each of the candidates, which differ from each other in λ alone.
    ///
    /// # Errors
    /// What [`Method::fit`] says, of the first candidate that fails.
    pub fn fit_path(candidates: &[MethodConfig], data: &Dataset, run: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        let Some(first) = candidates.first() else { return Ok(Vec::new()) };
        let lambda = |candidate: &MethodConfig| candidate.tunable().lambda.unwrap_or_default();
        let lambdas: Vec<f64> = candidates.iter().map(lambda).collect();
        first.method().fit_path(data, &lambdas, run)
    }

    /// Whether the settings of `other` are these but for λ.
    pub fn differs_in_lambda_alone(&self, other: &MethodConfig) -> bool {
        self.clone().tuned(|t| t.lambda = other.tunable().lambda) == *other
    }

    fn method_mut(&mut self) -> &mut dyn Method {
        match self {
            MethodConfig::Harfe(harfe) => harfe,
            MethodConfig::Shrimp(shrimp) => shrimp,
            MethodConfig::Fourier(fourier) | MethodConfig::MinNorm(fourier) => fourier,
            MethodConfig::Srfe(srfe) => srfe,
            MethodConfig::Arff(arff) => arff,
            MethodConfig::Gfc(gfc) => gfc,
            MethodConfig::ALaCarte(mixture) => mixture,
            MethodConfig::Srff(srff) => srff,
            MethodConfig::Linear(linear) => linear,
            MethodConfig::Compact(compact) => compact,
        }
    }

    /// The same method with more allowance for the device's rounding; none for a method that has λ for that.
    pub fn steadier(mut self, factor: f64) -> Option<Self> {
        self.method_mut().reckon_with_rounding(factor).then_some(self)
    }

    /// The settings that every method has.
    pub fn tunable(&self) -> Tunable {
        self.method().tunable()
    }

    /// The same method with some of these settings changed.
    ///
    /// ```
    /// use srfm_trainer::method::MethodConfig;
    ///
    /// let small = MethodConfig::named("harfe").unwrap().tuned(|t| t.features = 8);
    /// assert_eq!(small.tunable().features, 8);
    /// ```
    pub fn tuned(mut self, change: impl FnOnce(&mut Tunable)) -> Self {
        let mut tunable = self.tunable();
        change(&mut tunable);
        self.method_mut().tune(tunable);
        self
    }
}
