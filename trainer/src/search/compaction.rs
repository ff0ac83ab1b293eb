//! Compaction as the search uses it: its families, its first settings, and access to its settings.

use crate::method::Compact;
use crate::method::Sgd;
use crate::method::{MethodConfig, Terms};
use crate::sampling::SpectralLaw;

/// The number of features that a search starts with.
pub(crate) const FEW: usize = 12;

/// The smoothness that compaction starts with: a penalty on curvature, with the λ that suits it, gave 5 % less error
/// than ridge regression on airfoil self-noise, 30 % less on Friedman 2 of 200 rows, and no more on elevators.
pub(crate) const SMOOTHNESS: f64 = 2.0;

/// The scale that refined frequencies start from. Refinement moves them to where they fit.
pub(crate) const SCALE_REFINED: f64 = 1.0;

/// The number of candidate features for refined frequencies.
const CANDIDATES_REFINED: usize = 300;

/// The largest number of refinement steps by L-BFGS that a search starts with.
const REFINE: usize = 100;

/// Groups of candidates that a search improves separately: settings that suit one group hardly suit another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// Compaction with refined frequencies.
    Refined,
    /// Compaction with refined frequencies and pruned weights.
    Pruned,
    /// Compaction with frequencies as they were drawn.
    Drawn,
    /// Frequencies by stochastic gradients.
    Gradients,
    /// All other methods.
    Other,
}

impl Family {
    /// All families.
    pub const ALL: [Family; 5] = [Family::Refined, Family::Pruned, Family::Drawn, Family::Gradients, Family::Other];

    /// Returns the family of a method.
    pub fn of(method: &MethodConfig) -> Family {
        match settings(method) {
            Some(compact) if compact.sparsify.is_some() => Family::Pruned,
            Some(compact) if compact.refine > 0 => Family::Refined,
            Some(_) => Family::Drawn,
            None if method.downcast::<Sgd>().is_some() => Family::Gradients,
            None => Family::Other,
        }
    }
}

/// Returns the settings of compaction; none for another method.
pub(crate) fn settings(method: &MethodConfig) -> Option<&Compact> {
    method.downcast()
}

/// Changes the settings of compaction; leaves another method as it is.
pub(crate) fn edited(mut method: MethodConfig, edit: impl FnOnce(&mut Compact)) -> MethodConfig {
    if let Some(compact) = method.downcast_mut() {
        edit(compact);
    }
    method
}

/// Returns compaction of few features with refined frequencies.
pub(crate) fn refined(features: usize, order: Option<usize>, terms: Terms, scale: f64) -> MethodConfig {
    edited(drawn(features, order, terms, scale), |compact| {
        (compact.refine, compact.candidates) = (REFINE, CANDIDATES_REFINED);
    })
}

/// Returns compaction of few features with frequencies as they are drawn.
pub(crate) fn drawn(features: usize, order: Option<usize>, terms: Terms, scale: f64) -> MethodConfig {
    let (features, law) = (features.min(FEW), SpectralLaw::Normal { scale });
    let compact = Compact { features, order, terms, refine: 0, law, smoothness: SMOOTHNESS, ..Compact::default() };
    MethodConfig::from(compact)
}
