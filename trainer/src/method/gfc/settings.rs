//! The settings of greedy feature construction.

use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::message::{Setting, message};
use crate::method::common::check::{at_least_one, check_features, check_gram, check_inputs, not_negative, positive};
use crate::method::error::MethodError;
use crate::method::terms::Terms;
use crate::sampling::SpectralLaw;

/// GFC: greedy feature construction.
///
/// D. Oglic and T. Gärtner, *Greedy feature construction*, 2016, Algorithm 2; each of its descents is Algorithm 1.
///
/// Independent descents add one frequency after another. Each new frequency is the one whose wave fits the residual
/// best. A ridge fit of all waves gives the amplitudes, and waves of negligible amplitude are dropped. Further passes
/// start at that fit. This implementation differs from the paper, or reads it, as follows:
///
/// - The penalty is `‖c‖²`, as in the paper's experiments. Amplitudes are fitted to four folds and validated on one,
///   and every fold validates once. The paper fits one fold and validates on the others (`training_folds = 1`).
/// - A descent ends after `steps` steps. The paper's ε = 0.01 often ends a descent after two or three steps;
///   `precision` and `patience` restore that rule.
/// - A step starts at the best of several random weights; the paper takes the first. After each step all amplitudes of
///   the descent are fitted again; the paper only re-scales the estimate (`refit = false`).
/// - A frequency may have only `order` inputs. The step then first finds a dense frequency, keeps the inputs that move
///   its angle most, and continues with these. Dense frequencies overfit where most inputs are irrelevant.
/// - Several targets share the frequencies, which minimise the sum of the errors.
///
/// | setting | default | meaning |
/// |---|---|---|
/// | `features` | 100 | n, the frequencies |
/// | `order` | 2 | q, inputs per frequency; the paper's are dense: all inputs |
/// | `lambda` | 1e-3 | ν of the last fit; n ν is added to the Gram matrix |
/// | `steps` | 20 | p, most steps of a descent; the number of descents M follows from n |
/// | `passes` | 1 | T, the passes over the data |
/// | `law` | normal, scale 1 | law of the first weights, which are divided by the root of their number |
/// | `candidates` | 100 | first weights of which a step takes the best |
/// | `iterations` | 100 | most steps of L-BFGS |
/// | `folds` | 5 | folds of the rows of a descent |
/// | `training_folds` | 4 | folds that amplitudes are fitted to |
/// | `batch` | all | rows of a descent, drawn anew for each |
/// | `refit` | true | whether all amplitudes of a descent are fitted again after a step |
/// | `precision` | 0 | ε: relative decrease of the error below which a step is idle |
/// | `patience` | 1 | idle steps in a row after which a descent ends |
/// | `cut_off` | 1e-6 | η: waves of smaller amplitude, in ranges of the target, are dropped |
/// | `terms` | linear | intercept and linear terms beside the features, unpenalised |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Gfc {
    /// Frequencies, n.
    pub features: usize,
    /// Inputs per frequency, q.
    pub order: usize,
    /// Ridge parameter ν of the last fit.
    pub lambda: f64,
    /// Most steps of a descent, p.
    pub steps: usize,
    /// Passes over the data, T.
    pub passes: usize,
    /// Law of the first weights, which are divided by the root of their number.
    pub law: SpectralLaw,
    /// First weights of which each step takes the best.
    pub candidates: usize,
    /// Most steps of L-BFGS.
    pub iterations: usize,
    /// Folds of the rows of a descent.
    pub folds: usize,
    /// Folds that amplitudes are fitted to; the others validate frequency and λ.
    pub training_folds: usize,
    /// Rows of a descent; none for all.
    pub batch: Option<usize>,
    /// Whether all amplitudes of a descent are fitted again after a step.
    pub refit: bool,
    /// Relative decrease ε of the error below which a step is idle.
    pub precision: f64,
    /// Idle steps in a row after which a descent ends.
    pub patience: usize,
    /// Amplitude η, in ranges of the target, below which waves are dropped.
    pub cut_off: f64,
    /// Terms beside the features.
    pub terms: Terms,
}

impl Default for Gfc {
    fn default() -> Self {
        Gfc {
            features: 100,
            order: 2,
            lambda: 1e-3,
            steps: 20,
            passes: 1,
            law: SpectralLaw::Normal { scale: 1.0 },
            candidates: 100,
            iterations: 100,
            folds: 5,
            training_folds: 4,
            batch: None,
            refit: true,
            precision: 0.0,
            patience: 1,
            cut_off: 1e-6,
            terms: Terms::Linear,
        }
    }
}

/// The path of the number of folds, which are not those of the cross-validation.
const FOLDS: &str = "method.gfc.folds";
const BATCH: Setting = Setting::new("method.gfc.batch");

impl Gfc {
    /// Checks the settings by themselves.
    pub(crate) fn check_ranges(&self) -> Result<(), MethodError> {
        check_features(self.features)?;
        for (setting, value) in [
            ("order", self.order),
            ("steps", self.steps),
            ("passes", self.passes),
            ("candidates", self.candidates),
            ("training_folds", self.training_folds),
            ("patience", self.patience),
        ] {
            at_least_one(setting, value)?;
        }
        for (setting, value) in [("lambda", self.lambda), ("precision", self.precision), ("cut_off", self.cut_off)] {
            not_negative(setting, value)?;
        }
        positive("scale", self.law.scale())
    }

    /// Checks the settings against each other and against the data.
    pub(crate) fn check_for(&self, data: &Dataset) -> Result<(), MethodError> {
        self.check_ranges()?;
        if self.folds <= self.training_folds {
            let range = "more than training_folds";
            return Err(MethodError::Setting { setting: FOLDS, range, value: self.folds as f64 });
        }
        check_inputs(data, self.order, self.terms)?;
        let (rows, needed) = (self.batch.unwrap_or(usize::MAX).min(data.rows()), self.folds);
        if rows < needed {
            let purpose = "the folds of a descent";
            let advice = message!("add rows, or lower ", Setting::new(FOLDS), " and raise ", BATCH);
            return Err(MethodError::TooFewRows { rows, needed, purpose, advice });
        }
        let terms = if self.terms == Terms::Linear { data.inputs() } else { 0 };
        check_gram(self.features, 2 * self.features + terms)
    }
}
