//! The models that a search compares.

use serde::{Deserialize, Serialize};

use crate::export::NumberFormat;
use crate::method::Compact;
use crate::method::{MethodConfig, Terms, Tunable, USUAL_CLIP};
use crate::search::compaction::{self, FEW, Family, SMOOTHNESS};
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

/// The choices that a search leaves open.
pub(crate) struct Choices<'a> {
    /// Numbers of inputs per feature; none for all inputs.
    pub orders: &'a [Option<usize>],
    /// The largest number of features.
    pub features: usize,
    /// Scales; empty where any scale may be tried.
    pub scales: &'a [f64],
    /// Whether the terms beside the features are open.
    pub terms: bool,
    /// Whether the residuals have heavy tails, for which Huber's loss may be better than least squares.
    pub heavy_tails: bool,
    /// Number formats.
    pub numbers: &'a [NumberFormat],
}

impl Candidate {
    /// Returns the family of the method.
    pub(crate) fn family(&self) -> Family {
        Family::of(&self.method)
    }

    /// Returns the number of features.
    pub(crate) fn features(&self) -> usize {
        self.method.tunable().features
    }

    /// Returns whether there are features, but at most as many as a search starts with.
    pub(crate) fn is_small(&self) -> bool {
        (1..=FEW).contains(&self.features())
    }

    /// Returns whether two candidates differ in λ, in the number of features and in the steps of refinement alone.
    pub(crate) fn differs_in_size_alone(&self, other: &Candidate) -> bool {
        let (features, lambda) = (self.features(), self.method.tunable().lambda);
        let method = other.method.clone().tuned(|t| (t.features, t.lambda) = (features, lambda));
        let steps = compaction::settings(&self.method).map_or(0, |own| own.refine);
        let method = compaction::edited(method, |compact| {
            if compact.refine > 0 && steps > 0 {
                compact.refine = steps;
            }
        });
        *self == Candidate { method, ..other.clone() }
    }

    /// Returns the same candidate with another method.
    pub(crate) fn with(&self, method: MethodConfig) -> Candidate {
        Candidate { method, ..self.clone() }
    }

    /// Leaves more inputs out.
    pub(crate) fn leave_out(&mut self, inputs: &[usize]) {
        self.without.extend(inputs);
        self.without.sort_unstable();
        self.without.dedup();
        self.without.iter().for_each(|&input| self.warps[input] = Warp::Identity);
    }

    /// Returns the candidates that differ from this one in one setting, a list for every setting.
    pub(crate) fn neighbours(&self, choices: &Choices<'_>) -> Vec<Vec<Candidate>> {
        let settings = self.method.tunable();
        let tuned = |change: &dyn Fn(&mut Tunable)| self.with(self.method.clone().tuned(|t| change(t)));
        let scaled = |factor: f64, count: usize| ((count as f64 * factor).round() as usize).clamp(1, choices.features);
        let mut lists = Vec::new();
        if let Some(lambda) = settings.lambda {
            lists.push([10.0, 0.1, 3.0, 1.0 / 3.0].map(|f| tuned(&|t| t.lambda = Some(lambda * f))).to_vec());
        }
        if let Some(scale) = settings.scale {
            let open = [2.0 * scale, 0.5 * scale];
            let scales = if choices.scales.is_empty() { &open } else { choices.scales };
            lists.push(scales.iter().map(|&scale| tuned(&|t| t.scale = Some(scale))).collect());
        }
        lists.push(choices.orders.iter().map(|&order| tuned(&|t| t.order = order)).collect());
        lists.push([0.5, 0.7, 1.4, 2.0].map(|f| tuned(&|t| t.features = scaled(f, t.features))).to_vec());
        if choices.terms {
            lists.push([Terms::Linear, Terms::Intercept].map(|terms| tuned(&|t| t.terms = terms)).to_vec());
        }
        lists.push(choices.numbers.iter().map(|&number| Candidate { number, ..self.clone() }).collect());
        lists.extend(self.compaction_neighbours());
        lists.push(if choices.heavy_tails { self.other_losses() } else { Vec::new() });
        lists.iter_mut().for_each(|list| list.retain(|candidate| candidate != self));
        lists
    }

    /// Returns the same candidate with Huber's loss, or with least squares where it has that; none of a method without
    /// the choice.
    pub(crate) fn other_losses(&self) -> Vec<Candidate> {
        let with = |huber: Option<f64>| Some(self.with(self.method.clone().with("huber", huber).ok()?));
        [Some(USUAL_CLIP), None].into_iter().filter_map(with).filter(|candidate| candidate != self).collect()
    }

    /// Returns the neighbours in the settings that compaction alone has.
    fn compaction_neighbours(&self) -> Vec<Vec<Candidate>> {
        let Some(own) = compaction::settings(&self.method) else { return Vec::new() };
        let edited =
            |edit: &dyn Fn(&mut Compact)| self.with(compaction::edited(self.method.clone(), |compact| edit(compact)));
        // A candidate that is not refined stays so: refinement divides candidates into families.
        let refine = [0.3, 3.0].map(|f| (own.refine as f64 * f).ceil() as usize);
        vec![
            refine.map(|refine| edited(&|compact| compact.refine = refine)).to_vec(),
            [1.0, 1.5, 3.0].map(|excess| edited(&|compact| compact.excess = excess)).to_vec(),
            [0.0, SMOOTHNESS].map(|smoothness| edited(&|compact| compact.smoothness = smoothness)).to_vec(),
        ]
    }
}
