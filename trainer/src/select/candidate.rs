//! What a search varies, and how it varies it.

use std::fmt;

use crate::method::{Compact, MethodConfig, Terms, Tunable};
use crate::warp::Warp;

/// A model to be fitted: a method with its settings, the warp of every input, and the inputs left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The method and its settings.
    pub method: MethodConfig,
    /// The warp of each input.
    pub warps: Vec<Warp>,
    /// Inputs that the model does not look at, ascending.
    pub without: Vec<usize>,
}

impl Candidate {
    /// The same with other settings of the method.
    pub(super) fn with(&self, method: MethodConfig) -> Candidate {
        Candidate { method, ..self.clone() }
    }

    /// Leaves more inputs out.
    pub(super) fn leave_out(&mut self, inputs: &[usize]) {
        self.without.extend(inputs);
        self.without.sort_unstable();
        self.without.dedup();
        self.without.iter().for_each(|&input| self.warps[input] = Warp::Identity);
    }

    /// Candidates that differ from this one in one setting, a list for every setting.
    ///
    /// `orders` are the numbers of inputs per feature that there are to choose from, `most` the largest number of features,
    /// `terms` says whether those beside the features are open.
    pub(super) fn neighbours(&self, orders: &[Option<usize>], most: usize, terms: bool) -> Vec<Vec<Candidate>> {
        let settings = self.method.tunable();
        let tuned = |change: &dyn Fn(&mut Tunable)| self.with(self.method.clone().tuned(|t| change(t)));
        let scaled = |factor: f64, count: usize| ((count as f64 * factor).round() as usize).clamp(1, most);
        let mut lists = Vec::new();
        if let Some(lambda) = settings.lambda {
            lists.push([10.0, 0.1, 3.0, 1.0 / 3.0].map(|f| tuned(&|t| t.lambda = Some(lambda * f))).to_vec());
        }
        if let Some(scale) = settings.scale {
            lists.push([2.0, 0.5].map(|f| tuned(&|t| t.scale = Some(scale * f))).to_vec());
        }
        lists.push(orders.iter().map(|&order| tuned(&|t| t.order = order)).collect());
        lists.push([0.5, 0.7, 1.4, 2.0].map(|f| tuned(&|t| t.features = scaled(f, t.features))).to_vec());
        if terms {
            lists.push([Terms::Linear, Terms::Intercept].map(|terms| tuned(&|t| t.terms = terms)).to_vec());
        }
        if let MethodConfig::Compact(compact) = &self.method {
            let other = |compact: Compact| self.with(MethodConfig::Compact(compact));
            let refine = [0.0, 0.3, 3.0].map(|f| (compact.refine as f64 * f) as usize);
            lists.push(refine.map(|refine| other(Compact { refine, ..compact.clone() })).to_vec());
            let sparsify = [None, Some(0.003), Some(0.01), Some(0.03)];
            lists.push(sparsify.map(|sparsify| other(Compact { sparsify, ..compact.clone() })).to_vec());
            lists.push([1.0, 1.5, 3.0].map(|excess| other(Compact { excess, ..compact.clone() })).to_vec());
        }
        lists.iter_mut().for_each(|list| list.retain(|candidate| candidate != self));
        lists
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let settings = self.method.tunable();
        write!(f, "{}, {} features", self.method.name(), settings.features)?;
        if settings.features > 0 {
            match settings.order {
                Some(order) => write!(f, " of {order}")?,
                None => write!(f, " of all inputs")?,
            }
        }
        if let Some(lambda) = settings.lambda {
            write!(f, ", lambda {lambda:.0e}")?;
        }
        if let Some(scale) = settings.scale {
            write!(f, ", scale {scale}")?;
        }
        let warps: Vec<&str> = self.warps.iter().filter(|&&w| w != Warp::Identity).map(|w| w.name()).collect();
        if !warps.is_empty() {
            write!(f, ", warps {}", warps.join(" "))?;
        }
        if !self.without.is_empty() {
            write!(f, ", {} inputs left out", self.without.len())?;
        }
        if settings.terms != Terms::Linear { write!(f, ", no linear terms") } else { Ok(()) }
    }
}
