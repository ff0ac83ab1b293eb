//! The table of a comparison.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::message::Message;

/// A model of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// Method, or `mean`.
    pub method: String,
    /// Features that the model has.
    pub features: usize,
    /// Inputs per feature; none where a feature looks at all.
    pub(crate) order: Option<usize>,
    /// Ridge parameter; none in a method that has no penalty.
    pub(crate) lambda: Option<f64>,
    /// Flash that it takes, in bytes.
    pub flash_bytes: usize,
    /// Flash of the model as generated C with all code, compiled with -Os for the core; none for cores and numbers of
    /// which this is not known.
    pub program_bytes: Option<usize>,
    /// The most instructions of a prediction; see [`instruction_bound`](crate::cost::instruction_bound).
    pub instructions: Option<u32>,
    /// Cross-validated root mean squared error, in standard deviations of the target.
    pub(crate) rmse: f64,
    /// Standard error of the mean squared error that `rmse` is the root of.
    pub(crate) standard_error: f64,
    /// Cross-validated share of rows put into a wrong class; none for quantities.
    pub error_rate: Option<f64>,
    /// Whether no other entry has less error with as little flash: of programs where all entries have one, else of
    /// files.
    pub best_for_flash: bool,
    /// Whether no other model has less error with as few instructions.
    pub best_for_instructions: bool,
}

impl Entry {
    /// Returns the error that models are compared by: the error rate of classes, else the root mean squared error.
    pub fn error(&self) -> f64 {
        self.error_rate.unwrap_or(self.rmse)
    }
}

/// The error of the models without an input.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InputCost {
    /// Name of the input.
    pub input: String,
    /// Cross-validated error without it, as in [`Entry::error`].
    pub without_it: f64,
    /// The error without this input and all inputs before it in the list; none for the last input.
    pub without_those_before: Option<f64>,
    /// Whether the error without this input and all before it is at most a standard error above the error with all
    /// inputs.
    pub dispensable: bool,
}

/// Models and inputs side by side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The models, those of less error first.
    pub entries: Vec<Entry>,
    /// The method and the number of features that the inputs were judged with: the smallest model whose error is within
    /// a standard error of the least; none where they were not.
    pub judged_with: Option<(String, usize)>,
    /// The inputs, those first that cost least to leave out.
    pub inputs: Vec<InputCost>,
    /// Models that could not be fitted.
    pub failed: Vec<Failed>,
    /// Whether all was computed; otherwise the observer stopped it.
    pub complete: bool,
}

/// A model that could not be fitted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failed {
    /// The method.
    pub method: String,
    /// Features asked for.
    pub features: usize,
    /// Why there is no model.
    pub reason: Message,
}

/// Marks the entries on the Pareto front of error and flash, and of error and instructions.
pub(crate) fn mark_the_front(entries: &mut [Entry]) {
    let front = |cost: fn(&Entry) -> Option<u64>| -> BTreeSet<usize> {
        let known = || entries.iter().enumerate().filter_map(|(e, entry)| Some((e, entry.error(), cost(entry)?)));
        let beaten =
            |error: f64, cost: u64| known().any(|(_, e, c)| e <= error && c <= cost && (e < error || c < cost));
        known().filter(|&(_, error, cost)| !beaten(error, cost)).map(|(e, ..)| e).collect()
    };
    let programs = entries.iter().all(|entry| entry.program_bytes.is_some());
    let flash = front(if programs { |e| Some(e.program_bytes? as u64) } else { |e| Some(e.flash_bytes as u64) });
    let instructions = front(|e| e.instructions.map(u64::from));
    for (e, entry) in entries.iter_mut().enumerate() {
        entry.best_for_flash = flash.contains(&e);
        entry.best_for_instructions = instructions.contains(&e);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(error: f64, flash_bytes: usize, instructions: Option<u32>) -> Entry {
        let method = String::new();
        let lambda = None;
        let order = None;
        let standard_error = 0.0;
        let error_rate = None;
        let best_for_flash = false;
        let best_for_instructions = false;
        let features = 1;
        let rmse = error;
        Entry {
            method,
            features,
            order,
            lambda,
            flash_bytes,
            program_bytes: None,
            instructions,
            rmse,
            standard_error,
            error_rate,
            best_for_flash,
            best_for_instructions,
        }
    }

    #[test]
    fn the_front_is_what_nothing_beats() {
        let mut entries = [
            entry(0.5, 100, Some(300)),
            entry(0.4, 100, Some(400)), // less error than the first in as much flash
            entry(0.3, 200, None),
            entry(0.3, 250, Some(400)), // as good as the one before in more flash
            entry(0.2, 900, Some(350)),
        ];
        mark_the_front(&mut entries);
        let flash: Vec<bool> = entries.iter().map(|e| e.best_for_flash).collect();
        let instructions: Vec<bool> = entries.iter().map(|e| e.best_for_instructions).collect();
        assert_eq!(flash, [false, true, true, false, true]);
        assert_eq!(instructions, [true, false, false, false, true]);
    }

    #[test]
    fn flash_is_that_of_programs_where_all_are_known() {
        let program = |error, file, program| Entry { program_bytes: Some(program), ..entry(error, file, None) };
        // A model of a small file with a larger program than that of the next one.
        let mut entries = [program(0.5, 100, 450), program(0.4, 300, 300), program(0.3, 200, 500)];
        mark_the_front(&mut entries);
        assert_eq!(entries.each_ref().map(|e| e.best_for_flash), [false, true, true]);
        entries[2].program_bytes = None;
        mark_the_front(&mut entries);
        assert_eq!(entries.each_ref().map(|e| e.best_for_flash), [true, false, true]);
    }
}
