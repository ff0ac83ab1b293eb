//! Forward selection by orthogonal least squares (S. Chen, S. Billings and W. Luo, 1989) per byte.
//!
//! Every step takes the rule whose squared error per byte falls most. The bytes are those that the rule takes beside
//! the rules that are selected, whose conditions it may share. Products of rules are numbers of common rows.

use nalgebra::DMatrix;

use super::bits::{Bits, common};
use super::bytes::Stored;
use super::pool::Pool;
use crate::method::common::remainder::Remainder;

/// The least share of its norm that must be left of a rule beside those that are selected.
const LEAST_LEFT: f64 = 1e-3;

/// The rules of a selection, in the order in which they were selected.
#[derive(Clone, Debug, Default)]
pub(super) struct Selection {
    /// The places of the candidates.
    pub chosen: Vec<usize>,
    /// The bytes of the rules up to each one.
    pub bytes: Vec<usize>,
}

/// The candidates and what is left of them beside the selected rules.
struct State<'a> {
    sets: Vec<&'a Bits>,
    counts: Vec<f64>,
    /// The number of rows, or infinity without an intercept.
    rows: f64,
    remainder: Remainder,
}

impl<'a> State<'a> {
    fn new(pool: &'a Pool, y: &DMatrix<f64>, intercept: bool) -> State<'a> {
        let sets: Vec<&Bits> = pool.candidates.iter().map(|candidate| &candidate.bits).collect();
        let counts: Vec<f64> = sets.iter().map(|set| set.count() as f64).collect();
        let rows = if intercept { y.nrows() as f64 } else { f64::INFINITY };
        let left: Vec<f64> = counts.iter().map(|count| count - count * count / rows).collect();
        let means: Vec<f64> = y.column_iter().map(|targets| if intercept { targets.mean() } else { 0.0 }).collect();
        let product = |candidate: usize, output: usize| {
            let targets = y.column(output);
            let values = targets.as_slice();
            sets[candidate].rows().map(|row| values[row] - means[output]).sum::<f64>()
        };
        let moments = DMatrix::from_fn(sets.len(), y.ncols(), product);
        State { sets, counts, rows, remainder: Remainder::new(left, LEAST_LEFT, moments) }
    }

    /// Takes a candidate out of all others.
    fn select(&mut self, chosen: usize) {
        let mut products = common(self.sets[chosen], &self.sets);
        let share = self.counts[chosen] / self.rows;
        products.iter_mut().zip(&self.counts).for_each(|(product, count)| *product -= share * count);
        self.remainder.take(chosen, products);
    }
}

/// Selects rules for the targets `y` (n×k) until no further one fits the `room` in bytes. `interrupted` ends the
/// selection early.
pub(super) fn select(
    pool: &Pool,
    y: &DMatrix<f64>,
    (room, intercept): (usize, bool),
    interrupted: impl Fn() -> bool,
) -> Selection {
    let mut state = State::new(pool, y, intercept);
    let mut stored = Stored::new(pool, y.ncols());
    let mut costs: Vec<usize> = pool.candidates.iter().map(|candidate| stored.marginal(pool, candidate)).collect();
    let mut selection = Selection::default();
    let mut used = 0;
    while !interrupted() {
        let mut best = (0.0, None);
        for (candidate, &cost) in costs.iter().enumerate() {
            let gain = if used + cost <= room { state.remainder.decrease(candidate) / cost as f64 } else { 0.0 };
            if gain > best.0 {
                best = (gain, Some(candidate));
            }
        }
        let Some(chosen) = best.1 else { break };
        used += costs[chosen];
        selection.chosen.push(chosen);
        selection.bytes.push(used);
        state.select(chosen);
        let tree = pool.candidates[chosen].tree;
        let new_input = stored.add(pool, &pool.candidates[chosen]);
        for (cost, candidate) in costs.iter_mut().zip(&pool.candidates) {
            if new_input || candidate.tree == tree {
                *cost = stored.marginal(pool, candidate);
            }
        }
    }
    selection
}
