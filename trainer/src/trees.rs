//! Trees: rules that share conditions.
//!
//! A rule is the path from the root of a tree to a branch with amplitudes: the product of indicators such as
//! `x_i > t`. The rules of a tree are stored together, so that every condition is stored and compared once.

use std::ops::Range;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};
use srfm_runtime::format::{NodeHead, Trees};

/// A tree of conditions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    /// The conditions: the root comes first, and every other condition behind the one that leads to it.
    pub conditions: Vec<Condition>,
}

/// A comparison of one input, and what follows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// The input.
    pub input: usize,
    /// The threshold, in the coordinates of the expansion: an input above it takes the upper branch.
    pub threshold: f64,
    /// Whether a missing reading, which is not a number, takes the upper branch.
    pub missing_upper: bool,
    /// What follows up to the threshold.
    pub lower: Branch,
    /// What follows above the threshold.
    pub upper: Branch,
}

/// What follows on one side of a condition.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Branch {
    /// What the branch adds to every output; none where it has no amplitudes of its own.
    pub amplitudes: Option<Vec<f64>>,
    /// The place of the next condition in the tree, if there is one.
    pub next: Option<usize>,
}

impl Condition {
    /// Returns the branch of a value of the input.
    pub fn branch(&self, x: f64) -> &Branch {
        let upper = if x.is_nan() { self.missing_upper } else { x > self.threshold };
        if upper { &self.upper } else { &self.lower }
    }

    /// Returns both branches.
    pub(crate) fn branches(&self) -> [&Branch; 2] {
        [&self.lower, &self.upper]
    }
}

impl Tree {
    /// Calls `add` with the amplitudes of every branch that inputs of these values take.
    fn walk(&self, x: impl Fn(usize) -> f64, mut add: impl FnMut(&[f64])) {
        let mut next = Some(0);
        while let Some(condition) = next.and_then(|place| self.conditions.get(place)) {
            let branch = condition.branch(x(condition.input));
            if let Some(amplitudes) = &branch.amplitudes {
                add(amplitudes);
            }
            next = branch.next;
        }
    }

    /// Returns the amplitudes of all rules.
    pub(crate) fn amplitudes(&self) -> impl Iterator<Item = &Vec<f64>> {
        self.conditions.iter().flat_map(Condition::branches).filter_map(|branch| branch.amplitudes.as_ref())
    }

    /// Returns the amplitudes of all rules, to be changed.
    pub(crate) fn amplitudes_mut(&mut self) -> impl Iterator<Item = &mut Vec<f64>> {
        let branches = self.conditions.iter_mut().flat_map(|condition| [&mut condition.lower, &mut condition.upper]);
        branches.filter_map(|branch| branch.amplitudes.as_mut())
    }

    /// Returns the number of rules: branches with amplitudes.
    pub fn rules(&self) -> usize {
        self.amplitudes().count()
    }

    /// Returns whether every condition looks at one of the `inputs`, every branch has as many amplitudes as there are
    /// `outputs`, and every walk ends, as they may not in a damaged file.
    pub(crate) fn is_consistent(&self, inputs: usize, outputs: usize) -> bool {
        let count = self.conditions.len();
        let ends = |place: usize, next: Option<usize>| next.is_none_or(|next| next > place && next < count);
        let branch = |place: usize, branch: &Branch| {
            let finite = |all: &Vec<f64>| all.len() == outputs && all.iter().all(|amplitude| amplitude.is_finite());
            ends(place, branch.next) && branch.amplitudes.as_ref().is_none_or(finite)
        };
        let condition = |(place, condition): (usize, &Condition)| {
            condition.input < inputs
                && !condition.threshold.is_nan()
                && condition.branches().into_iter().all(|of_condition| branch(place, of_condition))
        };
        count > 0 && self.conditions.iter().enumerate().all(condition)
    }

    /// Returns whether a condition looks at the input.
    pub(crate) fn uses(&self, input: usize) -> bool {
        self.conditions.iter().any(|condition| condition.input == input)
    }
}

/// Adds the trees at every row of `x` (n×d) to `y` (n×k).
pub(crate) fn add_trees(trees: &[Tree], x: &DMatrix<f64>, y: &mut DMatrix<f64>) {
    for tree in trees {
        for row in 0..x.nrows() {
            tree.walk(
                |input| x[(row, input)],
                |amplitudes| amplitudes.iter().enumerate().for_each(|(output, a)| y[(row, output)] += a),
            );
        }
    }
}

/// Returns the rules at every row of `x` (n×d), 1 where a rule holds and 0 elsewhere, in the order of
/// [`Tree::amplitudes`].
pub(crate) fn rule_matrix(trees: &[Tree], x: &DMatrix<f64>) -> DMatrix<f64> {
    let mut matrix = DMatrix::zeros(x.nrows(), trees.iter().map(Tree::rules).sum());
    let mut column = 0;
    for tree in trees {
        // In place of its amplitudes, a branch has the column of its rule.
        let mut numbered = tree.clone();
        for amplitudes in numbered.amplitudes_mut() {
            *amplitudes = vec![column as f64];
            column += 1;
        }
        for row in 0..x.nrows() {
            numbered.walk(|input| x[(row, input)], |columns| matrix[(row, columns[0] as usize)] = 1.0);
        }
    }
    matrix
}

/// Replaces the amplitudes of all rules by the rows of a matrix, in the order of [`Tree::amplitudes`].
pub(crate) fn set_amplitudes(trees: &mut [Tree], matrix: &DMatrix<f64>, rows: Range<usize>) {
    for (amplitudes, row) in trees.iter_mut().flat_map(Tree::amplitudes_mut).zip(rows) {
        *amplitudes = matrix.row(row).iter().copied().collect();
    }
}

/// Adds to `change` (n×k) by how much the trees change where the input takes the `other` values at the rows of `x`.
pub(crate) fn add_changes(trees: &[Tree], x: &DMatrix<f64>, input: usize, other: &[f64], change: &mut DMatrix<f64>) {
    for tree in trees.iter().filter(|tree| tree.uses(input)) {
        for (row, &other) in other.iter().enumerate() {
            let mut add = |sign: f64, amplitudes: &[f64]| {
                amplitudes.iter().enumerate().for_each(|(output, a)| change[(row, output)] += sign * a);
            };
            tree.walk(|i| if i == input { other } else { x[(row, i)] }, |amplitudes| add(1.0, amplitudes));
            tree.walk(|i| x[(row, i)], |amplitudes| add(-1.0, amplitudes));
        }
    }
}

/// Returns the largest absolute sum of the amplitudes of an output on a path of the tree.
pub(crate) fn largest_sum(tree: &Tree, output: usize) -> f64 {
    // Conditions follow those that lead to them: from the last one on, all below is known.
    let mut extremes = vec![[0.0_f64; 2]; tree.conditions.len()];
    for (place, condition) in tree.conditions.iter().enumerate().rev() {
        let sums = condition.branches().map(|branch| {
            let own = branch.amplitudes.as_ref().map_or(0.0, |amplitudes| amplitudes[output]);
            let below = branch.next.map_or([0.0; 2], |next| extremes[next]);
            below.map(|sum| sum + own)
        });
        extremes[place] = [sums[0][0].min(sums[1][0]), sums[0][1].max(sums[1][1])];
    }
    extremes.first().map_or(0.0, |[low, high]| low.abs().max(high.abs()))
}

/// The longest walks down all trees.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Walks {
    /// The number of trees.
    pub trees: usize,
    /// The conditions on the longest paths.
    pub conditions: usize,
    /// The rules on the paths of the most rules.
    pub amplitudes: usize,
}

impl Walks {
    /// Returns the longest walks down the trees of a model file.
    pub fn of(trees: &Trees<'_>) -> Walks {
        let mut walks = Walks::default();
        // The conditions and rules of the paths to the nodes that follow.
        let mut open: Vec<[usize; 2]> = Vec::new();
        let mut longest = [0; 2];
        for node in trees.nodes() {
            if node.root {
                walks.trees += 1;
                walks.conditions += longest[0];
                walks.amplitudes += longest[1];
                longest = [0; 2];
            }
            let [conditions, rules] = if node.root { [0; 2] } else { open.pop().unwrap_or_default() };
            let branches = [(node.upper, NodeHead::UPPER_NODE), (node.lower, NodeHead::LOWER_NODE)];
            for (amplitudes, flag) in branches {
                let path = [conditions + 1, rules + usize::from(!amplitudes.is_empty())];
                longest = [longest[0].max(path[0]), longest[1].max(path[1])];
                open.extend(node.head.has(flag).then_some(path));
            }
        }
        walks.conditions += longest[0];
        walks.amplitudes += longest[1];
        walks
    }
}
