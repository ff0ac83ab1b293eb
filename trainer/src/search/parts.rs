//! A search in parts: small budgets of flash before large ones.

use std::iter::successors;

use crate::search::SearchConfig;
use crate::search::budget::Budget;
use crate::search::clock::Clock;
use crate::search::trial::Search;

/// Flash of the first part, in bytes, and the ratio of every other to the one before.
const LEAST_FLASH: usize = 512;
const RATIO: usize = 4;

/// The searches that one with a budget of flash consists of, smallest budget first: each begins with what the others found. The
/// last has two thirds of the time, the one before two thirds of the rest and so on, as large models take longer; so a search
/// with four times the flash and three times the time begins with the same parts of the same time. Budgets of instructions have
/// no such sizes.
pub(crate) fn parts(config: &SearchConfig) -> Vec<SearchConfig> {
    let Budget { flash: Some(flash), instructions: None } = config.budget else { return vec![config.clone()] };
    let smaller = successors(Some(LEAST_FLASH), |part| part.checked_mul(RATIO)).take_while(|&part| part < flash);
    let mut flashes: Vec<usize> = smaller.collect();
    flashes.push(flash);
    let mut rest = config.time;
    let mut parts = Vec::new();
    for (place, flash) in flashes.into_iter().enumerate().rev() {
        let time = if place == 0 { rest } else { rest - rest / 3 };
        rest -= time;
        parts.push(SearchConfig { budget: Budget { flash: Some(flash), instructions: None }, time, ..config.clone() });
    }
    parts.reverse();
    parts
}

impl<'a> Search<'a> {
    /// Goes on with another part: what was tried stays, all questions are open again.
    pub(crate) fn turn_to(&mut self, part: &'a SearchConfig, clock: Clock<'a>) {
        (self.config, self.clock) = (part, clock);
        self.refused = None;
        self.asked.clear();
        let scouts: Vec<bool> = self.tried.iter().map(|tried| self.exceeds(tried)).collect();
        self.tried.iter_mut().zip(scouts).for_each(|(tried, scout)| tried.scout = scout);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::export::NumberFormat;
    use crate::fit::FitConfig;

    #[test]
    fn four_times_the_flash_and_three_times_the_time_begin_the_same() {
        let of = |flash, seconds| {
            let config = SearchConfig {
                fit: FitConfig::default(),
                numbers: vec![NumberFormat::F32],
                budget: Budget { flash: Some(flash), instructions: None },
                features: 100,
                inputs: None,
                terms: None,
                one_standard_error: false,
                time: Duration::from_secs(seconds),
            };
            let part = |part: SearchConfig| (part.budget.flash.unwrap(), part.time.as_secs());
            parts(&config).into_iter().map(part).collect::<Vec<_>>()
        };
        assert_eq!(of(300, 60), [(300, 60)]);
        assert_eq!(of(512, 10), [(512, 10)]);
        assert_eq!(of(2048, 30), [(512, 10), (2048, 20)]);
        assert_eq!(of(8192, 90), [(512, 10), (2048, 20), (8192, 60)]);
        assert_eq!(of(3000, 90), [(512, 10), (2048, 20), (3000, 60)]);
    }
}
