//! An observer that stops a fit, for the tests of several methods.

use std::sync::Mutex;

use crate::run::{Checkpoint, Observer, Run};

/// Interrupts after some steps and stores the states that it receives.
#[derive(Default)]
pub(crate) struct Stopping {
    pub after: usize,
    /// The finished pieces of work and their total, at every step.
    pub steps: Mutex<Vec<(usize, usize)>>,
    /// The names and states that were stored, in the order of time.
    pub states: Mutex<Vec<(String, Vec<u8>)>>,
}

impl Stopping {
    /// Resumes from the states that another observer stored.
    pub fn from(states: Vec<(String, Vec<u8>)>, after: usize) -> Stopping {
        Stopping { after, states: Mutex::new(states), ..Stopping::default() }
    }

    /// The run context with this observer and checkpoint.
    pub fn run(&self, seed: u64) -> Run<'_> {
        Run::new(seed).with_observer(self).with_checkpoint(self)
    }
}

impl Observer for Stopping {
    fn progress(&self, done: usize, total: usize) {
        self.steps.lock().unwrap().push((done, total));
    }

    fn interrupted(&self) -> bool {
        self.steps.lock().unwrap().len() >= self.after
    }
}

impl Checkpoint for Stopping {
    fn load(&self, name: &str) -> Option<Vec<u8>> {
        self.states.lock().unwrap().iter().rev().find(|(of, _)| of == name).map(|(_, state)| state.clone())
    }

    fn due(&self, _: &str) -> bool {
        self.interrupted()
    }

    fn save(&self, name: &str, state: Vec<u8>) {
        self.states.lock().unwrap().push((name.to_owned(), state));
    }
}
