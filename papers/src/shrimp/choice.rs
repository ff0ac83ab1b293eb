//! The choice of SHRIMP's settings and draws by validated error.

use srfm_trainer::FitError;
use srfm_trainer::data::Dataset;
use srfm_trainer::method::MethodConfig;
use srfm_trainer::model::Expansion;

use crate::table::Reproduction;

/// Returns the fit with the least validated error among settings and seeds.
pub fn best_of(
    candidates: &[(MethodConfig, u64)],
    data: &Dataset,
    run: &Reproduction<'_>,
) -> Result<Expansion, FitError> {
    let fit = |(candidate, seed): &(MethodConfig, u64), _| {
        let (fit, error) = candidate.method().fit_validated(data, &run.seeded(*seed))?;
        Ok((fit, error.unwrap_or(f64::INFINITY)))
    };
    let fits = run.over_seeds_of(candidates, 1, fit)?;
    let best = fits.into_iter().flatten().min_by(|a, b| a.1.total_cmp(&b.1));
    Ok(best.expect("there is a candidate").0)
}
