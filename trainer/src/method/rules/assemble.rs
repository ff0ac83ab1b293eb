//! From selected rules to the trees of a model: every condition once.

use std::collections::BTreeMap;

use nalgebra::DMatrix;

use super::bins::Bins;
use super::grow::Grown;
use super::pool::Pool;
use crate::model::{Branch, Condition, Tree};

/// Returns the trees of the `chosen` candidates with their amplitudes (s×k).
pub(super) fn trees(pool: &Pool, bins: &Bins, chosen: &[usize], amplitudes: &DMatrix<f64>) -> Vec<Tree> {
    let mut rules: BTreeMap<usize, BTreeMap<[usize; 2], Vec<f64>>> = BTreeMap::new();
    for (&place, amplitudes) in chosen.iter().zip(amplitudes.row_iter()) {
        let candidate = &pool.candidates[place];
        let amplitudes = amplitudes.iter().copied().collect();
        rules.entry(candidate.tree).or_default().insert([candidate.split, candidate.side], amplitudes);
    }
    rules.into_iter().map(|(tree, rules)| pruned(&pool.trees[tree], bins, &rules)).collect()
}

/// Returns the conditions of a tree that lead to rules.
fn pruned(grown: &Grown, bins: &Bins, rules: &BTreeMap<[usize; 2], Vec<f64>>) -> Tree {
    let mut stored = vec![false; grown.splits.len()];
    for [split, _] in rules.keys() {
        grown.path(*split).for_each(|split| stored[split] = true);
    }
    let kept: Vec<usize> = (0..stored.len()).filter(|&split| stored[split]).collect();
    let place = |split: usize| kept.binary_search(&split).ok();
    let condition = |&split: &usize| {
        let own = &grown.splits[split];
        let branch = |side: usize| Branch {
            amplitudes: rules.get(&[split, side]).cloned(),
            next: own.next[side].and_then(place),
        };
        Condition {
            input: own.input,
            threshold: bins.threshold(own.input, own.bin),
            missing_upper: own.missing_upper,
            lower: branch(0),
            upper: branch(1),
        }
    };
    Tree { conditions: kept.iter().map(condition).collect() }
}
