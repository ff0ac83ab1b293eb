//! The bytes that selected rules take in a model file.

use std::collections::BTreeSet;

use super::grow::Grown;
use super::pool::{Candidate, Pool};

/// The bytes of a condition, of a length within a tree, and of an input that trees look at.
const CONDITION: usize = 4;
const LENGTH: usize = 2;
const INPUT: usize = 8;

/// The bytes of the amplitude of an output.
const AMPLITUDE: usize = 2;

/// Returns the bytes of a rule of one condition, without its input.
pub(in crate::method) fn of_one_condition(outputs: usize) -> usize {
    CONDITION + AMPLITUDE * outputs
}

/// Returns the bytes of inputs that trees look at.
pub(super) fn of_inputs(inputs: usize) -> usize {
    INPUT * inputs
}

/// The parts of the trees of a pool that a selection stores.
pub(super) struct Stored {
    /// For every tree, whether each split is stored.
    splits: Vec<Vec<bool>>,
    /// The inputs that are looked at.
    inputs: BTreeSet<usize>,
    outputs: usize,
}

impl Stored {
    /// Returns what no rules store.
    pub fn new(pool: &Pool, outputs: usize) -> Stored {
        let splits = pool.trees.iter().map(|tree| vec![false; tree.splits.len()]).collect();
        Stored { splits, inputs: BTreeSet::new(), outputs }
    }

    /// Returns the bytes that a candidate, which is not selected yet, takes beside what is stored.
    pub fn marginal(&self, pool: &Pool, candidate: &Candidate) -> usize {
        let tree = &pool.trees[candidate.tree];
        let stored = &self.splits[candidate.tree];
        let fresh: Vec<usize> = tree.path(candidate.split).take_while(|&split| !stored[split]).collect();
        let mut bytes = CONDITION * fresh.len() + AMPLITUDE * self.outputs;
        let before = stored.iter().filter(|&&is_stored| is_stored).count();
        // A tree of several conditions states its length.
        bytes += if before < 2 && before + fresh.len() > 1 { LENGTH } else { 0 };
        // A condition with conditions on both sides states the length of the lower ones.
        bytes += fresh.last().map_or(0, |&top| if self.has_sibling(tree, stored, top) { LENGTH } else { 0 });
        let inputs: BTreeSet<usize> = fresh.iter().map(|&split| tree.splits[split].input).collect();
        bytes + of_inputs(inputs.difference(&self.inputs).count())
    }

    /// Returns whether the parent of a split has a stored split on its other side.
    fn has_sibling(&self, tree: &Grown, stored: &[bool], split: usize) -> bool {
        let Some((parent, side)) = tree.splits[split].parent else { return false };
        tree.splits[parent].next[1 - side].is_some_and(|sibling| stored[sibling])
    }

    /// Stores a candidate. Returns whether it looks at an input that no rule looked at before.
    pub fn add(&mut self, pool: &Pool, candidate: &Candidate) -> bool {
        let tree = &pool.trees[candidate.tree];
        let mut new_input = false;
        for split in tree.path(candidate.split) {
            self.splits[candidate.tree][split] = true;
            new_input |= self.inputs.insert(tree.splits[split].input);
        }
        new_input
    }
}
