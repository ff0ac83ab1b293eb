//! How much a search may choose on few rows.
//!
//! Inputs are left out and warped by what all compared rows say. Folds that are drawn afterwards flatter the choice,
//! since their test rows took part in it: on 45 rows of 15 inputs, half of which do nothing, the cross-validated error
//! can be half the error on fresh rows. So rows that are few are divided first. In each part the choice is made anew
//! without the rows of that part, and tested on them.

use std::collections::BTreeSet;

use crate::data::{Dataset, Split};
use crate::error::FitError;
use crate::export;
use crate::sampling::Sampler;
use crate::search::candidate::Candidate;
use crate::search::clock::Clock;
use crate::search::config::SearchConfig;
use crate::search::evaluator::Evaluator;
use crate::search::pace::Pace;
use crate::search::sample::Sample;
use crate::search::strategy::{Stop, Strategy};
use crate::validate::is_better;
use crate::warp::Warp;

/// The largest number of rows that are divided. On sets of 110 to 190 rows, models of the choice were as good as those
/// of the least freedom, or better.
const MOST_HELD_OUT_ROWS: usize = 100;

/// The least number of rows that are divided.
const LEAST_ROWS: usize = 20;

/// The number of parts.
const PARTS: usize = 5;

/// The numbers of standard errors of the mean difference of the rows' squared errors by which features must be better
/// than a line, and features of all inputs better than those of chosen inputs.
const BEYOND_LINE: f64 = 1.0;
const BEYOND_CHOICE: f64 = 0.5;

/// Separates the division from the random numbers of folds and methods.
const STREAM: u64 = 9;

/// Returns whether the choices of a search are tested on rows that they were not made on.
pub(crate) fn is_tested(data: &Dataset, config: &SearchConfig) -> bool {
    let SearchConfig { fit, inputs, .. } = config;
    let few = (LEAST_ROWS..=MOST_HELD_OUT_ROWS).contains(&data.rows());
    few && data.varying_inputs().len() > 1 && fit.folds().draws() && inputs.is_none()
}

/// How much a search may choose, from little to much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(crate) enum Freedom {
    /// A line of all inputs.
    Line,
    /// Features of all inputs as they are.
    Features,
    /// Features of some inputs, warped where that helps.
    Inputs,
}

impl Freedom {
    const ALL: [Freedom; 3] = [Freedom::Line, Freedom::Features, Freedom::Inputs];

    /// Returns whether the freedom allows a candidate; `unseen` are the inputs that no candidate uses.
    fn allows(self, candidate: &Candidate, unseen: &[usize], given: &[Warp]) -> bool {
        let warp = |input: usize| given.get(input).copied().unwrap_or(Warp::Identity);
        let mut used = (0..candidate.warps.len()).filter(|input| !candidate.without.contains(input));
        let is_given = used.all(|input| candidate.warps[input] == warp(input));
        let as_they_are = candidate.without == unseen && is_given;
        self == Freedom::Inputs || as_they_are && (self == Freedom::Features || candidate.features() == 0)
    }
}

/// Returns the freedom that rows speak for which no choice was made on. Features must be better than a line beyond
/// chance. Rows that cannot be divided twice, such as those of two groups, speak for no restriction.
///
/// # Errors
/// [`FitError`]: given folds without rows in a part, [`FitError::Interrupted`].
pub(crate) fn freedom(data: &Dataset, config: &SearchConfig, clock: Clock<'_>) -> Result<Freedom, FitError> {
    let parts = groups(data).map_or(PARTS, |groups| PARTS.min(groups));
    if parts < 2 {
        return Ok(Freedom::Inputs);
    }
    let Ok(splits) = config.fit.split.folds(data, parts, &mut Sampler::stream(clock.whole().seed(), STREAM)) else {
        return Ok(Freedom::Inputs);
    };
    let mut squares = Freedom::ALL.map(|_| Vec::new());
    for (place, split) in splits.iter().enumerate() {
        match squares_of_part(data, split, config, clock.part(place, splits.len()))? {
            Some(of_part) => squares.iter_mut().zip(of_part).for_each(|(all, of_part)| all.extend(of_part)),
            None => return Ok(Freedom::Inputs),
        }
    }
    let [line, features, inputs] = squares;
    let (freedom, best) = match is_better(&features, &inputs, BEYOND_CHOICE) {
        true => (Freedom::Features, features),
        false => (Freedom::Inputs, inputs),
    };
    Ok(if is_better(&best, &line, BEYOND_LINE) { freedom } else { Freedom::Line })
}

/// Returns the number of groups; none where rows have no groups.
fn groups(data: &Dataset) -> Option<usize> {
    let groups: BTreeSet<usize> = data.groups.iter().copied().collect();
    (!groups.is_empty()).then_some(groups.len())
}

/// Returns the squared errors of the test rows, in units of the targets' variances, of the best model of each freedom;
/// none where a freedom has no model.
fn squares_of_part(
    data: &Dataset,
    split: &Split,
    config: &SearchConfig,
    clock: Clock<'_>,
) -> Result<Option<[Vec<f64>; 3]>, FitError> {
    let (train, test) = (data.select(&split.train), data.select(&split.test));
    let mut fit = config.fit.select_rows(&split.train)?;
    fit.folds = groups(&train).map_or(fit.folds, |groups| fit.folds.min(groups));
    let config = SearchConfig { fit, ..config.clone() };
    let sample = Sample { compared: &train, all: &train };
    let evaluator = Evaluator::new(sample, &config, clock.limited()).with_one_division();
    let pace = Pace::default();
    let mut strategy = Strategy::new(sample, &config, &evaluator, clock, &pace);
    match strategy.run_with_few() {
        Err(Stop::Interrupted) => return Err(FitError::Interrupted),
        Err(Stop::Refused(_)) => return Ok(None),
        Ok(()) | Err(Stop::Time) => {}
    }
    let (unseen, given) = (sample.unseen_inputs(), &config.fit.preprocessing.warps);
    let of_freedom = |freedom: Freedom| {
        let best = strategy.trials.best(|candidate| freedom.allows(candidate, &unseen, given))?;
        let run = clock.whole().quiet();
        let (fit, _) = evaluator.fit_finalist(&train, strategy.trials.get(best).clone(), &run).ok()?;
        let residuals = export::predict(&fit.blob, &test.x).cast::<f64>() - &test.y;
        let square = |row: usize, output: usize| residuals[(row, output)].powi(2) / data.y.column(output).variance();
        Some((0..test.rows()).map(|row| (0..test.outputs()).map(|output| square(row, output)).sum()).collect())
    };
    let [line, features, inputs] = Freedom::ALL.map(of_freedom);
    Ok(line.zip(features).zip(inputs).map(|((line, features), inputs)| [line, features, inputs]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::NumberFormat;
    use crate::method::Linear;
    use crate::method::MethodConfig;

    #[test]
    fn a_line_of_warped_inputs_is_a_line_where_the_warps_are_given() {
        let (method, warps) = (MethodConfig::from(Linear::default()), vec![Warp::Sqrt, Warp::Identity]);
        let candidate = Candidate { method, warps: warps.clone(), without: Vec::new(), number: NumberFormat::F32 };
        assert!(Freedom::Line.allows(&candidate, &[], &warps));
        assert!(!Freedom::Line.allows(&candidate, &[], &[]) && !Freedom::Features.allows(&candidate, &[], &[]));
        // An input that no candidate uses has no warp.
        let mut candidate = candidate;
        candidate.leave_out(&[0]);
        assert!(Freedom::Line.allows(&candidate, &[0], &warps) && !Freedom::Line.allows(&candidate, &[], &warps));
    }
}
