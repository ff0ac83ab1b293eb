//! The parts of a search, and their shares of its time.

use std::time::Duration;

use crate::data::Dataset;
use crate::search::config::SearchConfig;
use crate::search::held_out;
use crate::search::schedule::stages;
use crate::search::strategy::{is_large, takes_gradients};

/// The shares of the time of a search.
const FINALS: f64 = 0.15;
const GRADIENTS: f64 = 0.5;
const GRADIENTS_OF_LARGE_TABLES: f64 = 0.9;
const TEST: f64 = 0.25;
/// That of the comparison on more rows and of the last fit, where no gradients are tried.
const MORE_ROWS: f64 = 0.5;

/// The time, where it alone ends the search, and the effort from which on the test of choices takes no more. So twice
/// the effort begins with the same.
const LONGEST_TEST: Duration = Duration::from_secs(3);
const LARGEST_TEST: f64 = 2.5;

/// The share of the effort of a stage that the comparison of the finalists has, and the test of choices below its
/// largest effort.
const SHARE_OF_EFFORT: f64 = 0.5;

/// The parts of a search.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    /// Whether choices are tested on rows that they were not made on.
    pub tests_choices: bool,
    /// Whether finalists are compared on other folds.
    pub finals: bool,
    /// Whether candidates by stochastic gradients are tried.
    pub gradients: bool,
    /// Whether both rows and inputs are many, so that a sample of the rows says little.
    is_large: bool,
    /// Whether finalists are compared on more rows.
    more_rows: bool,
    /// The number of stages of the budget.
    stages: usize,
    time: Duration,
    effort: Option<f64>,
}

impl Plan {
    /// The plan of a search in `data` that compares candidates on the rows `compared`.
    pub fn new(data: &Dataset, compared: &Dataset, config: &SearchConfig) -> Plan {
        let more_rows = compared.rows() < data.rows();
        Plan {
            tests_choices: held_out::is_tested(compared, config),
            // Folds that are not drawn are the same in every division. More rows have finals of their own.
            finals: config.fit.folds().draws() && !more_rows,
            gradients: takes_gradients(data),
            is_large: is_large(data),
            more_rows,
            stages: stages(config).len(),
            time: config.time,
            effort: config.effort,
        }
    }

    /// Returns the number of parts that have the whole effort each.
    pub fn efforts(&self) -> usize {
        self.stages * (1 + usize::from(self.gradients) + usize::from(self.more_rows))
    }

    /// Returns the effort of the comparison of the finalists.
    pub fn effort_of_finals(&self) -> Option<f64> {
        self.effort.map(|effort| SHARE_OF_EFFORT * effort)
    }

    /// Returns the effort of the test of choices.
    pub fn effort_of_test(&self) -> Option<f64> {
        self.effort.map(|effort| LARGEST_TEST.min(SHARE_OF_EFFORT * effort))
    }

    /// Returns the largest time of the test of choices, with which a search begins.
    pub fn time_of_test(&self) -> Duration {
        let share = self.share(self.tests_choices, TEST);
        if self.effort.is_some() { share } else { share.min(LONGEST_TEST) }
    }

    /// Returns the largest time of the stages of the budget.
    pub fn time_of_stages(&self) -> Duration {
        let gradients = if self.is_large { GRADIENTS_OF_LARGE_TABLES } else { GRADIENTS };
        let later =
            [(self.finals, FINALS), (self.gradients, gradients), (self.more_rows && !self.gradients, MORE_ROWS)];
        let later: Duration = later.into_iter().map(|(takes_part, share)| self.share(takes_part, share)).sum();
        self.time.saturating_sub(later + self.time_of_test())
    }

    fn share(&self, takes_part: bool, share: f64) -> Duration {
        if takes_part { self.time.mul_f64(share) } else { Duration::ZERO }
    }
}
