//! Progress where there is no terminal, as in a web page.

use srfm_trainer::Observer;

use crate::common::Common;

/// An observer that ignores progress.
pub struct Progress;

impl Progress {
    /// Creates an observer of work called `what`.
    pub fn new(_what: &'static str, _common: &Common) -> Progress {
        Progress
    }

    /// The same for work that may end before its limit.
    pub fn within_limit(what: &'static str, common: &Common) -> Progress {
        Progress::new(what, common)
    }
}

impl Observer for Progress {}
