//! The settings of compaction.

use serde::{Deserialize, Serialize};

use crate::method::common::check::{at_least_one, check_features, not_negative, positive};
use crate::method::common::huber::USUAL_CLIP;
use crate::method::compact::selection::Selection;
use crate::method::config::MethodConfig;
use crate::method::error::MethodError;
use crate::method::terms::Terms;
use crate::sampling::SpectralLaw;

/// Largest `excess`.
const MOST_EXCESS: f64 = 100.0;

/// Largest `smoothness`.
const MOST_SMOOTHNESS: f64 = 10.0;

/// Settings of compaction; the documentation of compaction has the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Compact {
    /// Frequencies kept.
    pub features: usize,
    /// Inputs per frequency; none for all.
    pub order: Option<usize>,
    /// Ridge parameter λ.
    pub lambda: f64,
    /// Exponent s of the factor `(1 + ‖ω‖²)^s` of λ, from 0 to 10.
    pub smoothness: f64,
    /// Law of the weights, which are divided by the root of their number.
    pub law: SpectralLaw,
    /// Frequencies drawn in a round.
    pub candidates: usize,
    /// Rounds of drawing and selecting.
    pub rounds: usize,
    /// How a round chooses.
    pub selection: Selection,
    /// Frequencies that the rounds keep, as a multiple of `features`; at least 1.
    pub excess: f64,
    /// Most steps of the refinement by L-BFGS, or fewer by linearised residuals of the same work.
    pub refine: usize,
    /// Relative rise of the objective for which weights are taken out; none for leaving them.
    pub sparsify: Option<f64>,
    /// Method whose frequencies are the candidates.
    pub pool: Option<Box<MethodConfig>>,
    /// Rows that selection and refinement look at.
    pub batch: usize,
    /// Terms beside the features.
    pub terms: Terms,
    /// Standard deviations at which residuals are clipped; none for least squares.
    pub huber: Option<f64>,
}

impl Default for Compact {
    fn default() -> Self {
        Compact {
            features: 100,
            order: None,
            lambda: 1e-3,
            smoothness: 0.0,
            law: SpectralLaw::Normal { scale: 1.0 },
            candidates: 1000,
            rounds: 3,
            selection: Selection::Forward,
            excess: 1.0,
            refine: 100,
            sparsify: None,
            pool: None,
            batch: 20_000,
            terms: Terms::Linear,
            huber: None,
        }
    }
}

impl Compact {
    /// Checks that every setting is in its range.
    pub fn check_settings(&self) -> Result<(), MethodError> {
        check_features(self.features)?;
        for (setting, value) in [("candidates", self.candidates), ("rounds", self.rounds), ("batch", self.batch)] {
            at_least_one(setting, value)?;
        }
        if !(1.0..=MOST_EXCESS).contains(&self.excess) {
            return Err(MethodError::Setting { setting: "excess", range: "from 1 to 100", value: self.excess });
        }
        if !(0.0..=MOST_SMOOTHNESS).contains(&self.smoothness) {
            return Err(MethodError::Setting { setting: "smoothness", range: "from 0 to 10", value: self.smoothness });
        }
        not_negative("sparsify", self.sparsify.unwrap_or(0.0))?;
        positive("scale", self.law.scale())?;
        positive("huber", self.huber.unwrap_or(USUAL_CLIP))?;
        at_least_one("order", self.order.unwrap_or(1))
    }
}
