//! Intervals around predictions, calibrated on rows that the model has not seen.
//!
//! Cross-validation predicts every row with the model of a fold that did not see the row, with the device's code. The
//! absolute residuals of all n rows estimate the errors of the final model on fresh rows. The estimate is slightly
//! large, because the final model sees more rows. The ⌈(n + 1) level⌉-th smallest residual is half the width of the
//! interval: cross-conformal prediction (Vovk, "Cross-conformal predictors", 2015) with one width for all rows.
//!
//! Where settings are chosen on the same residuals, the interval is slightly narrow. With few candidates the effect is
//! below the interval's own spread over draws of the rows. A search of hundreds of candidates therefore takes the
//! intervals of its finalists from folds that did not choose them.
//!
//! Folds forward in time give the half-width of the widest of several periods, since the rows that follow may differ
//! from all rows so far.

use crate::model::INTERVAL_LEVEL;

/// Returns half the width of the interval that the absolute residuals of `rows` rows give; none if the rows are too few
/// or a residual is not finite. A row that several folds test has several residuals, but counts once. Residuals count
/// by their `weights`; alike where there are none.
pub(crate) fn half_width(residuals: Vec<f64>, weights: &[f64], rows: usize) -> Option<f64> {
    quantile(residuals, weights, rows, INTERVAL_LEVEL)
}

/// Returns the margin that classes are named beyond, by the shortfalls of the classes of `rows` rows: the least one for
/// which the classes within it of the largest score hold the class of a share `level` of fresh rows (V. Vovk, A.
/// Gammerman, G. Shafer, 2005). None if the rows are too few. The class of the largest score is never ruled out, so
/// that the share is larger where more rows than that have the class of the largest score.
pub(crate) fn margin(shortfalls: Vec<f64>, weights: &[f64], rows: usize, level: f64) -> Option<f64> {
    quantile(shortfalls, weights, rows, level).map(|margin| margin.max(0.0))
}

/// Returns the number that is not below a share `level` of those of fresh rows.
fn quantile(mut residuals: Vec<f64>, weights: &[f64], rows: usize, level: f64) -> Option<f64> {
    let rank = ((rows + 1) as f64 * level).ceil() as usize;
    if rank > rows {
        return None;
    }
    if !weights.is_empty() {
        return weighted_quantile(&residuals, weights, rank as f64 / rows as f64);
    }
    residuals.sort_by(f64::total_cmp);
    let place = (rank * residuals.len()).div_ceil(rows);
    residuals.get(place.checked_sub(1)?).copied().filter(|width| width.is_finite())
}

/// Returns the least residual up to which residuals have a share of all weight.
fn weighted_quantile(residuals: &[f64], weights: &[f64], share: f64) -> Option<f64> {
    let mut order: Vec<usize> = (0..residuals.len()).collect();
    order.sort_by(|&a, &b| residuals[a].total_cmp(&residuals[b]));
    let wanted = share * (1.0 - 1e-12) * weights.iter().sum::<f64>();
    let mut sum = 0.0;
    let place = order.into_iter().find(|&place| {
        sum += weights[place];
        sum >= wanted
    });
    place.map(|place| residuals[place]).filter(|width| width.is_finite())
}

/// The number of periods that rows in the order of time are divided into: that of which a tenth is one.
///
/// If the periods and the next one are exchangeable, the next one needs the widest interval of all ten with a
/// probability of 1 in 10.
const PERIODS: usize = 9;

/// Returns half the width of the interval for rows that follow those of the absolute residuals, which are in the order
/// of time and belong to so many rows; none if they are too few or not finite.
///
/// Errors grow and shrink over time, so that rows that follow are no draw from the residuals of all rows. They are one
/// more period: conformal prediction with periods in place of rows (Y. Lee, R. Barber, R. Willett, "Distribution-free
/// inference with hierarchical data", 2023). Every period has its own half-width, and the largest one is taken. It
/// covers the next period at the level with a probability of 9 in 10.
pub(crate) fn half_width_of_later_rows(residuals: &[f64], weights: &[f64], rows: usize) -> Option<f64> {
    quantile_of_later_rows(residuals, weights, rows, INTERVAL_LEVEL)
}

/// Returns [`margin`] for rows that follow those of the shortfalls, which are in the order of time: that of the period
/// with the largest one.
pub(crate) fn margin_of_later_rows(shortfalls: &[f64], weights: &[f64], rows: usize, level: f64) -> Option<f64> {
    quantile_of_later_rows(shortfalls, weights, rows, level).map(|margin| margin.max(0.0))
}

/// Returns the largest [`quantile`] of successive periods.
fn quantile_of_later_rows(residuals: &[f64], weights: &[f64], rows: usize, level: f64) -> Option<f64> {
    // A period of fewer rows has no quantile.
    let least = (level / (1.0 - level) * (1.0 - 1e-12)).ceil().max(1.0) as usize;
    let periods = (rows / least).clamp(1, PERIODS);
    let bounds = |all: usize, place: usize| place * all / periods..(place + 1) * all / periods;
    let period = |place| {
        let of_period = bounds(residuals.len(), place);
        let weights = weights.get(of_period.clone()).unwrap_or_default();
        quantile(residuals[of_period].to_vec(), weights, bounds(rows, place).len(), level)
    };
    (0..periods).map(period).try_fold(f64::NEG_INFINITY, |largest: f64, width| Some(largest.max(width?)))
}

/// Returns the share of absolute residuals within the half-width.
pub fn coverage(residuals: impl ExactSizeIterator<Item = f64>, half_width: f64) -> f64 {
    let rows = residuals.len() as f64;
    residuals.filter(|residual| residual.abs() <= half_width).count() as f64 / rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;

    /// The half-width of residuals that belong to different rows.
    fn distinct_half_width(residuals: Vec<f64>) -> Option<f64> {
        let rows = residuals.len();
        half_width(residuals, &[], rows)
    }

    fn later_half_width(residuals: &[f64]) -> Option<f64> {
        half_width_of_later_rows(residuals, &[], residuals.len())
    }

    #[test]
    fn the_rank_is_that_of_one_row_more() {
        let residuals = |n: usize| (1..=n).rev().map(|i| i as f64).collect::<Vec<_>>();
        // 0.9 (n + 1) is 9, 9.9, 18 and 90.9.
        assert_eq!(
            [9, 10, 19, 100].map(|n| distinct_half_width(residuals(n))),
            [Some(9.0), Some(10.0), Some(18.0), Some(91.0)]
        );
        assert_eq!((distinct_half_width(residuals(8)), distinct_half_width(vec![])), (None, None));
        assert_eq!(distinct_half_width(vec![f64::INFINITY; 20]), None);
        // 19 rows that three folds tested: the rank is 18 of 19, whatever the number of residuals.
        let three = |n: usize| [residuals(n), residuals(n), residuals(n)].concat();
        assert_eq!((half_width(three(19), &[], 19), half_width(three(8), &[], 8)), (Some(18.0), None));
    }

    #[test]
    fn residuals_count_by_their_weights() {
        let residuals: Vec<f64> = (1..=19).map(f64::from).collect();
        // Equal weights change nothing, in whatever order the residuals are.
        let reversed: Vec<f64> = residuals.iter().rev().copied().collect();
        assert_eq!(half_width(reversed, &[2.0; 19], 19), Some(18.0));
        // The largest residual has a third of all weight, and the smallest ones have most of it.
        let weights = |last: f64| (1..=19).map(|i| if i == 19 { last } else { 1.0 }).collect::<Vec<f64>>();
        assert_eq!(half_width(residuals.clone(), &weights(9.0), 19), Some(19.0));
        let small: Vec<f64> = (1..=19).map(|i| if i < 6 { 100.0 } else { 1.0 }).collect();
        assert_eq!(half_width(residuals, &small, 19), Some(5.0));
    }

    #[test]
    fn the_widest_period_counts() {
        // Nine periods of ten rows, residuals up to 1 but in the fourth period, where they are three times as large.
        let residual = |row: usize| (1 + row % 10) as f64 / 10.0 * if row / 10 == 3 { 3.0 } else { 1.0 };
        let residuals: Vec<f64> = (0..90).map(residual).collect();
        assert_eq!(later_half_width(&residuals), Some(3.0));
        assert_eq!(distinct_half_width(residuals.clone()), Some(1.0));
        assert_eq!(later_half_width(&residuals[..17]), Some(1.0));
        assert_eq!(later_half_width(&residuals[..8]), None);
        assert_eq!(later_half_width(&[f64::INFINITY; 90]), None);
        // Eight rows are too few, however often they were tested.
        assert_eq!(
            (half_width_of_later_rows(&residuals, &[], 8), half_width_of_later_rows(&residuals, &[], 9)),
            (None, Some(3.0))
        );
    }

    #[test]
    fn periods_of_random_spread_are_covered() {
        let mut covered = 0.0;
        let mut at_once = 0.0;
        for seed in 0..1000 {
            let mut sampler = Sampler::new(seed);
            let mut periods: Vec<Vec<f64>> = Vec::new();
            for _ in 0..10 {
                let spread = sampler.normal().exp();
                periods.push((0..100).map(|_| spread * sampler.normal().abs()).collect());
            }
            let next = periods.pop().unwrap();
            let share = |width: f64| coverage(next.iter().copied(), width);
            covered += f64::from(share(later_half_width(&periods.concat()).unwrap()) > 0.87) / 1000.0;
            at_once += f64::from(share(distinct_half_width(periods.concat()).unwrap()) > 0.87) / 1000.0;
        }
        // 9 in 10 with a deviation of 0.01; 100 rows of a period cover 0.87 instead of 0.9 by chance. One width for all
        // rows is too narrow for about one period in three.
        assert!((0.87..0.96).contains(&covered), "{covered}");
        assert!(at_once < 0.85, "{at_once}");
    }

    #[test]
    fn fresh_rows_of_the_same_law_are_covered() {
        let mut covered = 0.0;
        for seed in 0..200 {
            let mut sampler = Sampler::new(seed);
            let mut residuals = |n: usize| (0..n).map(|_| sampler.normal().abs()).collect::<Vec<_>>();
            let width = distinct_half_width(residuals(49)).unwrap();
            covered += coverage(residuals(200).into_iter(), width) / 200.0;
        }
        // Exactly 45 / 50 on average; 40,000 rows with 200 widths have a standard error of 0.003.
        assert!((covered - 0.9).abs() < 0.01, "{covered}");
    }

    #[test]
    fn margins_cover_the_classes_of_fresh_rows() {
        for level in [0.8, 0.95] {
            let mut covered = 0.0;
            for seed in 0..200 {
                let mut sampler = Sampler::new(seed);
                let mut shortfalls = |n: usize| (0..n).map(|_| sampler.normal()).collect::<Vec<_>>();
                let width = margin(shortfalls(99), &[], 99, level).unwrap();
                covered += shortfalls(200).iter().filter(|&&by| by <= width).count() as f64 / 40_000.0;
            }
            // ⌈100 level⌉ of 100 on average, with a standard error of at most 0.003.
            assert!((covered - level).abs() < 0.012, "{covered} at {level}");
        }
        // Of later rows, the period with the largest margin counts.
        let shortfall = |row: usize| if row / 20 == 3 { 0.7 } else { 0.2 };
        let all: Vec<f64> = (0..180).map(shortfall).collect();
        assert_eq!(margin_of_later_rows(&all, &[], 180, 0.9), Some(0.7));
        assert_eq!(
            (margin(all.clone(), &[], 180, 0.8), margin_of_later_rows(&all[..60], &[], 60, 0.8)),
            (Some(0.2), Some(0.2))
        );
        // Rows that are right by a margin rule no first choice out, and too few rows say nothing.
        assert_eq!(margin(vec![-0.5; 30], &[], 30, 0.9), Some(0.0));
        assert_eq!((margin(vec![0.5; 18], &[], 18, 0.95), margin(vec![0.5; 19], &[], 19, 0.95)), (None, Some(0.5)));
        assert_eq!((margin(vec![], &[], 30, 0.9), margin(vec![], &[], 0, 0.9)), (None, None));
    }
}
