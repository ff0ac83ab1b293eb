//! What a search varies, and how it varies it.

use serde::{Deserialize, Serialize};

use crate::export::NumberFormat;
use crate::method::compact::Compact;
use crate::method::{MethodConfig, Terms, Tunable};
use crate::search::stages::{FEW, SMOOTHNESS};
use crate::warp::Warp;

/// A model to be fitted: a method with its settings, the warp of every input, and the inputs left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The method and its settings.
    pub method: MethodConfig,
    /// The warp of each input.
    pub warps: Vec<Warp>,
    /// Inputs that the model does not look at, ascending.
    pub without: Vec<usize>,
    /// How the device stores the model.
    pub number: NumberFormat,
}

/// Candidates that a search improves by themselves: what suits the one hardly suits the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// Compaction with refined frequencies.
    Refined,
    /// The same with weights taken out of them.
    Thinned,
    /// Compaction with frequencies as they were drawn.
    Drawn,
    /// Other methods.
    Other,
}

impl Family {
    /// The family that a method belongs to.
    pub(crate) fn of(method: &MethodConfig) -> Family {
        match method.downcast::<Compact>() {
            Some(compact) if compact.sparsify.is_some() => Family::Thinned,
            Some(compact) if compact.refine > 0 => Family::Refined,
            Some(_) => Family::Drawn,
            None => Family::Other,
        }
    }
}

/// What there is to choose from.
pub(crate) struct Choices<'a> {
    /// Numbers of inputs per feature; none for all inputs.
    pub orders: &'a [Option<usize>],
    /// Largest number of features.
    pub features: usize,
    /// Scales; any where there are none.
    pub scales: &'a [f64],
    /// Whether the terms beside the features are open.
    pub terms: bool,
    /// Number formats.
    pub numbers: &'a [NumberFormat],
}

impl Candidate {
    /// The family that it belongs to.
    pub(crate) fn family(&self) -> Family {
        Family::of(&self.method)
    }

    /// Its number of features.
    pub(crate) fn features(&self) -> usize {
        self.method.tunable().features
    }

    /// Whether it has features, but no more than a search begins with.
    pub(crate) fn few(&self) -> bool {
        (1..=FEW).contains(&self.features())
    }

    /// The same with other settings of the method.
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

    /// Candidates that differ from this one in one setting, a list for every setting.
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
        if let Some(compact) = self.method.downcast::<Compact>() {
            let other = |compact: Compact| self.with(MethodConfig::new("compact", compact));
            // Whether to refine at all divides candidates into families.
            let refine = [0.3, 3.0].map(|f| (compact.refine as f64 * f).ceil() as usize);
            lists.push(refine.map(|refine| other(Compact { refine, ..compact.clone() })).to_vec());
            lists.push([1.0, 1.5, 3.0].map(|excess| other(Compact { excess, ..compact.clone() })).to_vec());
            lists.push([0.0, SMOOTHNESS].map(|smoothness| other(Compact { smoothness, ..compact.clone() })).to_vec());
        }
        lists.iter_mut().for_each(|list| list.retain(|candidate| candidate != self));
        lists
    }
}
