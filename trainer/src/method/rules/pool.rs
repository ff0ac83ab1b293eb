//! The candidates of a selection: the branches of trees that are grown on residuals.

use nalgebra::DMatrix;

use super::bins::Bins;
use super::bits::Bits;
use super::grow::{Grown, Growth};
use crate::sampling::Sampler;

/// The share of the rows and of the inputs that a tree is grown on.
pub(super) const ROWS: f64 = 0.6;
const INPUTS: f64 = 0.8;

/// The share of its residuals that a tree explains for those after it.
const RATE: f64 = 0.2;

/// A rule that may be selected: the branch of a split.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// The tree.
    pub tree: usize,
    /// The split.
    pub split: usize,
    /// The side of the split: 0 for the lower one.
    pub side: usize,
    /// The rows that take the branch.
    pub bits: Bits,
}

/// Grown trees and their branches.
#[derive(Default)]
pub(super) struct Pool {
    pub trees: Vec<Grown>,
    pub candidates: Vec<Candidate>,
}

impl Pool {
    /// Grows `trees` trees one after the other, each on what those before it leave of the targets `y` (n×k), from
    /// samples of rows and of the `inputs`. Errors count by the `weights` of the rows; alike where there are none.
    pub fn boost(
        &mut self,
        bins: &Bins,
        (y, weights): (&DMatrix<f64>, &[f64]),
        inputs: &[usize],
        (trees, growth): (usize, Growth),
        sampler: &mut Sampler,
    ) {
        let rows = y.nrows();
        let mut residuals = y.clone();
        let share = |count: usize, share: f64| ((share * count as f64).ceil() as usize).clamp(1, count);
        for _ in 0..trees {
            let sample = sampler.choose(rows, share(rows, ROWS));
            let of_tree = sampler.subset(inputs, share(inputs.len(), INPUTS));
            let grown = Grown::new(bins, (&residuals, weights), sample, &of_tree, growth);
            if grown.splits.is_empty() {
                continue;
            }
            let branches = grown.branches(bins, rows);
            for (split, branches) in grown.splits.iter().zip(&branches) {
                for (next, bits) in split.next.iter().zip(branches) {
                    if next.is_none() {
                        explain(&mut residuals, weights, bits);
                    }
                }
            }
            let tree = self.trees.len();
            for (split, branches) in branches.into_iter().enumerate() {
                for (side, bits) in branches.into_iter().enumerate() {
                    self.candidates.push(Candidate { tree, split, side, bits });
                }
            }
            self.trees.push(grown);
        }
    }
}

/// Takes a share of their mean off the residuals of a leaf.
fn explain(residuals: &mut DMatrix<f64>, weights: &[f64], leaf: &Bits) {
    let count = match weights.is_empty() {
        true => leaf.count().max(1) as f64,
        false => leaf.rows().map(|row| weights[row]).sum::<f64>().max(f64::MIN_POSITIVE),
    };
    let weight = |row: usize| weights.get(row).copied().unwrap_or(1.0);
    for mut of_output in residuals.column_iter_mut() {
        let values = of_output.as_mut_slice();
        let mean = leaf.rows().map(|row| weight(row) * values[row]).sum::<f64>() / count;
        leaf.rows().for_each(|row| values[row] -= RATE * mean);
    }
}
