//! An observer that stops a fit, for the tests of several methods.

use std::sync::Mutex;

use srfm_trainer::run::{Checkpoint, Observer};

/// Interrupts after some steps and keeps what it is given.
#[derive(Default)]
pub struct Stopping {
    pub after: usize,
    /// What was done of how much, at every step.
    pub steps: Mutex<Vec<(usize, usize)>>,
    /// The names and states that were kept, the last ones last.
    pub states: Mutex<Vec<(String, Vec<u8>)>>,
}

impl Stopping {
    /// Goes on from the states that another one kept.
    pub fn from(states: Vec<(String, Vec<u8>)>, after: usize) -> Stopping {
        Stopping { after, states: Mutex::new(states), ..Stopping::default() }
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
