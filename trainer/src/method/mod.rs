//! The methods: one file each, behind one small trait.

mod candidates;
mod check;
mod fourier;
mod harfe;
mod shrimp;
mod srfe;

use std::ops::ControlFlow;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

pub use fourier::Fourier;
pub use harfe::{ColumnNorm, Harfe};
pub use shrimp::Shrimp;
pub use srfe::Srfe;

use crate::data::Dataset;
use crate::export::ExportError;
use crate::model::Expansion;
use crate::observer::Observer;
use crate::solve::SolveError;

/// A way of fitting an expansion.
pub trait Method: Sync {
    /// Fits `data`, whose columns are scaled (or, for the papers' tables, as the paper has them).
    ///
    /// The result depends on the data, the settings and the seed alone, not on the number of threads.
    fn fit(&self, data: &Dataset, seed: u64, observer: &dyn Observer) -> Result<Expansion, FitError>;

    /// Fits `data` once for every λ, where the method can share work between them; `None` where it cannot.
    ///
    /// Each result is that of [`Method::fit`] with this λ up to rounding.
    fn fit_path(
        &self,
        data: &Dataset,
        lambdas: &[f64],
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Option<Vec<Expansion>>, FitError> {
        let _ = (data, lambdas, seed, observer);
        Ok(None)
    }

    /// Most features that a model takes on the device for so many outputs. Where a method keeps pairs, both of a pair
    /// are one feature for one output and remain two for several.
    fn device_features(&self, outputs: usize) -> usize {
        let _ = outputs;
        self.tunable().features
    }

    /// The settings that every method has.
    fn tunable(&self) -> Tunable;

    /// Changes them; a method ignores λ if it has none.
    fn tune(&mut self, tunable: Tunable);
}

/// The settings that every method has, and that budgets and cross-validation change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tunable {
    /// Most features that a fit returns.
    pub features: usize,
    /// Inputs per feature.
    pub order: usize,
    /// Ridge parameter; none in a method that has no penalty.
    pub lambda: Option<f64>,
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
}

impl MethodConfig {
    /// The names of all methods.
    pub const NAMES: [&str; 5] = ["harfe", "shrimp", "srfe", "fourier", "min-norm"];

    /// The method of that name with its default settings.
    pub fn named(name: &str) -> Option<MethodConfig> {
        match name {
            "harfe" => Some(MethodConfig::Harfe(Harfe::default())),
            "shrimp" => Some(MethodConfig::Shrimp(Shrimp::default())),
            "fourier" => Some(MethodConfig::Fourier(Fourier::default())),
            "min-norm" => Some(MethodConfig::MinNorm(Fourier { lambda: None, ..Fourier::default() })),
            "srfe" => Some(MethodConfig::Srfe(Srfe::default())),
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
        }
    }

    /// The method itself.
    pub fn method(&self) -> &dyn Method {
        match self {
            MethodConfig::Harfe(harfe) => harfe,
            MethodConfig::Shrimp(shrimp) => shrimp,
            MethodConfig::Fourier(fourier) | MethodConfig::MinNorm(fourier) => fourier,
            MethodConfig::Srfe(srfe) => srfe,
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
        let lambdas: Vec<f64> = candidates.iter().filter_map(|candidate| candidate.tunable().lambda).collect();
        if lambdas.len() == candidates.len()
            && let Some(first) = candidates.first()
            && let Some(path) = first.method().fit_path(data, &lambdas, seed, observer)?
        {
            return Ok(path);
        }
        candidates.iter().map(|candidate| candidate.method().fit(data, seed, observer)).collect()
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
        }
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

/// Why a fit gives no model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// There are not enough rows.
    #[error("{rows} rows are too few for {purpose}, which takes at least {needed}; {advice}")]
    TooFewRows {
        /// Rows there are.
        rows: usize,
        /// Rows that are needed.
        needed: usize,
        /// What they are needed for.
        purpose: &'static str,
        /// What to do about it.
        advice: &'static str,
    },
    /// The rows that cross-validation leaves to fit are not enough.
    #[error(
        "{rows} rows in {folds} folds leave {left} to fit, too few for {purpose}, which takes at least {needed}; add rows, \
         or set --lambda and --order, which need no cross-validation"
    )]
    TooFewRowsInFold {
        /// Rows there are.
        rows: usize,
        /// Folds that they are divided into.
        folds: usize,
        /// Rows left to fit.
        left: usize,
        /// Rows that are needed.
        needed: usize,
        /// What they are needed for.
        purpose: &'static str,
    },
    /// A target has one value in all rows.
    #[error("the target {name:?} has the same value in every row; there is nothing to fit")]
    ConstantTarget {
        /// Name of the target.
        name: String,
    },
    /// Every input has one value in all rows.
    #[error("every input has the same value in every row; there is nothing to fit from")]
    ConstantInputs,
    /// More inputs per feature than inputs.
    #[error("an order of {order} inputs per feature, but the data have {inputs} inputs; lower --order")]
    OrderBeyondInputs {
        /// Inputs per feature asked for.
        order: usize,
        /// Inputs of the data.
        inputs: usize,
    },
    /// A setting is out of its range.
    #[error("{setting} must be {range}, not {value}")]
    Setting {
        /// Name of the setting.
        setting: &'static str,
        /// The values that it may take.
        range: &'static str,
        /// The value that it has.
        value: f64,
    },
    /// Fewer features are drawn than kept.
    #[error("{candidates} candidates are too few to choose {features} features from; raise candidates, or set it to 0")]
    FewCandidates {
        /// Features drawn.
        candidates: usize,
        /// Features kept.
        features: usize,
    },
    /// The matrix of the candidates' values is too large.
    #[error(
        "the values of {candidates} candidate features at {rows} rows take {gib:.1} GiB of memory, more than the 8 GiB \
         allowed; lower candidates or --max-features, or take fewer rows"
    )]
    Memory {
        /// Rows to fit.
        rows: usize,
        /// Features drawn.
        candidates: usize,
        /// What their values take, in GiB.
        gib: f64,
    },
    /// No setting that was tried gives a model for the device.
    #[error(
        "none of the {tried} settings tried gives a model that f32 can hold in every fold; raise --lambda, lower \
         --max-features, or rescale the target"
    )]
    NoCandidate {
        /// How many there were.
        tried: usize,
    },
    /// The model cannot go to the device.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// No model fits the flash budget.
    #[error("{flash} bytes of flash are too few: the smallest model for these data takes {smallest}; raise --flash")]
    Budget {
        /// The budget in bytes.
        flash: usize,
        /// What the smallest model takes.
        smallest: usize,
    },
    /// The linear system cannot be solved.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The observer asked to stop.
    #[error("interrupted; nothing was written")]
    Interrupted,
}
