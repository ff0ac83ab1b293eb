//! The stages of a search: small budgets of flash before large ones.

use std::iter::successors;

use crate::cost::Budget;
use crate::search::config::SearchConfig;

/// The flash of the first stage in bytes, and the ratio of the budgets of successive stages.
const LEAST_FLASH: usize = 512;
const RATIO: usize = 4;

/// Returns the stages of a search with a budget of flash, smallest budget first. Each stage starts with the trials of
/// the stages before, so that a larger budget finds what a smaller one finds, and more.
///
/// The last stage has three quarters of the time, the one before three quarters of the rest and so on, as large models
/// take longer. So a search with four times the flash and four times the time starts with the same stages of the same
/// duration. Budgets of instructions have no such sizes.
pub(crate) fn stages(config: &SearchConfig) -> Vec<SearchConfig> {
    let Budget { flash: Some(flash), instructions: None, .. } = config.budget else {
        return vec![config.clone()];
    };
    let smaller = successors(Some(LEAST_FLASH), |stage| stage.checked_mul(RATIO)).take_while(|&stage| stage < flash);
    let mut budgets: Vec<usize> = smaller.collect();
    budgets.push(flash);
    let mut rest = config.time;
    let mut stages = Vec::new();
    for (place, flash) in budgets.into_iter().enumerate().rev() {
        let time = if place == 0 { rest } else { rest - rest / RATIO as u32 };
        rest -= time;
        let budget = Budget { flash: Some(flash), ..config.budget.clone() };
        stages.push(SearchConfig { budget, time, ..config.clone() });
    }
    stages.reverse();
    stages
}

/// The largest effort after which a search first goes on to the next stage, and the ratio of successive ones.
const FIRST_EFFORT: f64 = 0.15625;
const EFFORT_RATIO: f64 = 2.0;

/// Returns the efforts at which a search leaves each stage for the next one: the whole effort, half of it and so on,
/// the smallest first. All stages come to one effort before the first of them goes on to the next. So a search with
/// twice the effort begins with the same trials, from half of the largest first effort on.
pub(crate) fn efforts(whole: f64) -> Vec<f64> {
    let halves = successors(Some(whole), |&effort| {
        (effort > FIRST_EFFORT && effort.is_finite()).then_some(effort / EFFORT_RATIO)
    });
    let mut efforts: Vec<f64> = halves.collect();
    efforts.reverse();
    efforts
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::export::NumberFormat;
    use crate::fit::Conditions;

    #[test]
    fn twice_the_effort_starts_the_same() {
        assert_eq!(efforts(0.1), [0.1]);
        assert_eq!(efforts(1.0), [0.125, 0.25, 0.5, 1.0]);
        assert_eq!(efforts(20.0)[..3], [0.15625, 0.3125, 0.625]);
        for whole in [0.3, 1.0, 15.0, 20.0] {
            let (once, twice) = (efforts(whole), efforts(2.0 * whole));
            assert_eq!(twice, [once, vec![2.0 * whole]].concat());
        }
    }

    #[test]
    fn four_times_the_flash_and_time_start_the_same() {
        let of = |flash, seconds| {
            let config = SearchConfig {
                fit: Conditions::default(),
                numbers: vec![NumberFormat::F32],
                budget: Budget { flash: Some(flash), ..Budget::default() },
                features: 100,
                inputs: None,
                terms: None,
                robust: true,
                one_standard_error: false,
                smooth: false,
                effort: None,
                time: Duration::from_secs(seconds),
            };
            let stage = |stage: SearchConfig| (stage.budget.flash.unwrap(), stage.time.as_secs());
            stages(&config).into_iter().map(stage).collect::<Vec<_>>()
        };
        assert_eq!(of(300, 60), [(300, 60)]);
        assert_eq!(of(512, 10), [(512, 10)]);
        assert_eq!(of(2048, 40), [(512, 10), (2048, 30)]);
        assert_eq!(of(8192, 160), [(512, 10), (2048, 30), (8192, 120)]);
        assert_eq!(of(3000, 160), [(512, 10), (2048, 30), (3000, 120)]);
    }
}
