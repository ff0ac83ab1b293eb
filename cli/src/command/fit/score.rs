//! The cross-validated errors of a fit.

use srfm_trainer::Fit;
use srfm_trainer::validate::Score;

/// Returns the score of the settings that a fit chose; none if there was nothing to choose.
pub fn score(fit: &Fit) -> Option<&Score> {
    fit.tried.iter().find(|(tried, _)| *tried == fit.chosen).map(|(_, score)| score)
}
