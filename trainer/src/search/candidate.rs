//! The models that a search compares.

use serde::{Deserialize, Serialize};

use crate::export::NumberFormat;
use crate::method::{MethodConfig, USUAL_CLIP};
use crate::search::policy::FEW;
use crate::warp::Warp;

/// A model to be fitted: a method with its settings, the warp of every input, the inputs left out, and the number
/// format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The method and its settings.
    pub method: MethodConfig,
    /// The warp of each input.
    pub warps: Vec<Warp>,
    /// The inputs that the model does not use, ascending.
    pub without: Vec<usize>,
    /// The number format on the device.
    pub number: NumberFormat,
}

impl Candidate {
    /// Returns the number of features.
    pub(crate) fn features(&self) -> usize {
        self.method.tunable().features
    }

    /// Returns whether there are features, but few.
    pub(crate) fn is_small(&self) -> bool {
        (1..=FEW).contains(&self.features())
    }

    /// Returns whether both have the same method.
    pub(crate) fn is_like(&self, other: &Candidate) -> bool {
        self.method.name() == other.method.name()
    }

    /// Returns whether two candidates differ in λ and in the number of features alone.
    pub(crate) fn differs_in_size_alone(&self, other: &Candidate) -> bool {
        let (features, lambda) = (self.features(), self.method.tunable().lambda);
        let method = other.method.clone().tuned(|t| {
            t.features = features;
            t.lambda = lambda;
        });
        *self == other.with(method)
    }

    /// Returns the same candidate with another method.
    pub(crate) fn with(&self, method: MethodConfig) -> Candidate {
        Candidate { method, ..self.clone() }
    }

    /// Returns the same candidate with a multiple of its λ.
    pub(crate) fn with_penalty(&self, factor: f64) -> Candidate {
        self.with(self.method.clone().tuned(|t| t.lambda = t.lambda.map(|lambda| factor * lambda)))
    }

    /// Returns the same candidate with another warp of an input.
    pub(crate) fn with_warp(&self, input: usize, warp: Warp) -> Candidate {
        let mut warped = self.clone();
        warped.warps[input] = warp;
        warped
    }

    /// Leaves more inputs out.
    pub(crate) fn leave_out(&mut self, inputs: &[usize]) {
        self.without.extend(inputs);
        self.without.sort_unstable();
        self.without.dedup();
        self.without.iter().for_each(|&input| self.warps[input] = Warp::Identity);
    }

    /// Returns the same candidate with another value of a setting; none of a method without it.
    pub(crate) fn with_setting(&self, setting: &str, value: impl Serialize) -> Option<Candidate> {
        let changed = self.with(self.method.clone().with(setting, value).ok()?);
        (changed != *self).then_some(changed)
    }

    /// Returns the same candidate with Huber's loss, or with least squares where it has that; none of a method without
    /// the choice.
    pub(crate) fn with_other_loss(&self) -> Option<Candidate> {
        let own = self.method.setting::<f64>("huber");
        self.with_setting("huber", if own.is_some() { None } else { Some(USUAL_CLIP) })
    }
}
