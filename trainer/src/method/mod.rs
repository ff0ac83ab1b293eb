//! The methods: one file each, behind one small trait.

mod a_la_carte;
mod arff;
mod candidates;
mod check;
mod compact;
mod error;
mod fourier;
mod gfc;
mod greedy_descent;
mod harfe;
mod linear;
mod linear_fit;
mod shrimp;
mod srfe;
mod srff;

use std::ops::ControlFlow;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

pub use a_la_carte::ALaCarte;
pub use arff::Arff;
pub use compact::{Compact, Selection};
pub use error::FitError;
pub use fourier::Fourier;
pub use gfc::Gfc;
pub use harfe::{ColumnNorm, Harfe};
pub use linear::Linear;
pub(crate) use linear_fit::validated;
pub use shrimp::Shrimp;
pub use srfe::Srfe;
pub use srff::{Learned, Srff};

use crate::data::Dataset;
use crate::model::Expansion;
use crate::observer::Observer;

/// A way of fitting an expansion.
pub trait Method: Sync {
    /// Fits `data`, whose columns are scaled (or, for the papers' tables, as the paper has them), once for every λ. What does
    /// not depend on λ is done once; a method that has no λ takes no notice of them.
    ///
    /// The result depends on the data, the settings and the seed alone, not on the number of threads.
    fn fit_path(
        &self,
        data: &Dataset,
        lambdas: &[f64],
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Vec<Expansion>, FitError>;

    /// Fits `data` with the method's own λ.
    fn fit(&self, data: &Dataset, seed: u64, observer: &dyn Observer) -> Result<Expansion, FitError> {
        let own = self.tunable().lambda.unwrap_or_default();
        Ok(self.fit_path(data, &[own], seed, observer)?.swap_remove(0))
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
    pub fn fit_path(
        candidates: &[MethodConfig],
        data: &Dataset,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Vec<Expansion>, FitError> {
        let Some(first) = candidates.first() else { return Ok(Vec::new()) };
        let lambda = |candidate: &MethodConfig| candidate.tunable().lambda.unwrap_or_default();
        let lambdas: Vec<f64> = candidates.iter().map(lambda).collect();
        first.method().fit_path(data, &lambdas, seed, observer)
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

/// What a solver is told when it asks whether to go on.
fn interruption(observer: &dyn Observer) -> ControlFlow<()> {
    if observer.interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// Error of one feature on the device: the polynomial of the cosine (7e-7), the rounding of an angle of many turns, and
/// some room, since the worst row is several times worse than the mean.
///
/// A fit without penalty can have coefficients so large that this error, times their norm, drowns what they gain. The
/// penalty `n · DEVICE_ROUNDING²` minimises the two together.
pub const DEVICE_ROUNDING: f64 = 1e-5;

/// The terms beside the features, fitted without penalty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Terms {
    /// None: features alone, as in the papers.
    None,
    /// An intercept.
    Intercept,
    /// An intercept and a linear term per input.
    Linear,
}

impl Terms {
    /// Needs more rows than terms, or nothing is left for the features to fit.
    fn check(self, data: &Dataset) -> Result<(), FitError> {
        let (rows, needed) = (data.rows(), if self == Terms::Linear { data.inputs() + 2 } else { 2 });
        if rows < needed {
            let (purpose, advice) = match self {
                Terms::Linear => ("a linear term per input", "add rows, or set --terms intercept"),
                _ => ("a fit", "add rows"),
            };
            return Err(FitError::TooFewRows { rows, needed, purpose, advice });
        }
        Ok(())
    }

    /// The unpenalised columns: none, `[1]` or `[1, x]`.
    fn columns(self, x: &DMatrix<f64>) -> DMatrix<f64> {
        match self {
            Terms::None => DMatrix::zeros(x.nrows(), 0),
            Terms::Intercept => DMatrix::from_element(x.nrows(), 1, 1.0),
            Terms::Linear => x.clone().insert_column(0, 1.0),
        }
    }

    /// Divides the coefficients of [`Terms::columns`] into intercept (1×k) and linear terms (d×k).
    fn divide(self, coefficients: &DMatrix<f64>, data: &Dataset) -> (DMatrix<f64>, DMatrix<f64>) {
        let (d, k) = (data.inputs(), data.outputs());
        let intercept = if self == Terms::None { DMatrix::zeros(1, k) } else { coefficients.rows(0, 1).into_owned() };
        let linear = if self == Terms::Linear { coefficients.rows(1, d).into_owned() } else { DMatrix::zeros(d, k) };
        (intercept, linear)
    }
}
