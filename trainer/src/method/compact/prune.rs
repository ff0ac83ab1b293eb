//! Waves that leave a model until the others keep its budget.
//!
//! Waves of the same number of inputs share code and heads of lists, so that a group of them saves more than its waves
//! one by one. What the loss of waves costs is exact, as in the elimination of pairs.

use nalgebra::DMatrix;

use crate::features::Feature;
use crate::linalg::{cholesky_solve, gram, product, transpose_product};
use crate::method::common::taken::Taken;
use crate::method::compact::problem::Problem;
use crate::method::compact::selection::{add_to_diagonal, keep_scratch, scratch_matrix};

/// Share of the largest entry of a Gram matrix that its diagonal gets at least.
const LEAST_PENALTY: f64 = 1e-12;

/// The share of waves that go at a time, where many have to.
const RATE: f64 = 0.05;

/// Takes waves out, those whose loss costs least for what they take: single ones or all of the same number of inputs,
/// until the others keep the budget.
pub fn prune(problem: &Problem<'_>, waves: &mut Vec<Feature>, taken: &Taken) {
    let values = problem.values_in(scratch_matrix(problem.x.nrows(), 2 * waves.len()), waves);
    let mut equations = gram(&values);
    let penalty = problem.penalty.max(LEAST_PENALTY * equations.diagonal().max());
    add_to_diagonal(&mut equations, penalty);
    let moments = transpose_product(&values, &problem.y);
    keep_scratch(values);
    let all = waves.len();
    let mut left: Vec<usize> = (0..all).collect();
    let chosen = |left: &[usize]| -> Vec<Feature> { left.iter().map(|&wave| waves[wave].clone()).collect() };
    loop {
        let now = taken.by(&chosen(&left));
        if now <= 1.0 || left.is_empty() {
            break;
        }
        let columns: Vec<usize> = left.iter().flat_map(|&wave| [wave, all + wave]).collect();
        let Some(losses) = Losses::new(&equations, &moments, &columns) else {
            left.pop();
            continue;
        };
        let mut scored: Vec<(f64, Vec<usize>)> = Vec::new();
        for members in groups(&left, waves) {
            // Waves of the same number of inputs save about the same.
            let saved = |gone: &[usize]| now - taken.by(&chosen(&without(&left, gone)));
            let of_one = saved(&members[..1]);
            scored
                .extend(members.iter().map(|&member| (losses.of(&[member]) / of_one.max(f64::EPSILON), vec![member])));
            if members.len() > 1 {
                scored.push((losses.of(&members) / saved(&members).max(f64::EPSILON), members));
            }
        }
        scored.sort_by(|a, b| a.0.total_cmp(&b.0));
        let many = ((RATE * left.len() as f64) as usize).max(1);
        let mut gone: Vec<usize> = Vec::new();
        for (_, members) in scored {
            if gone.len() + members.len() <= many || gone.is_empty() {
                gone.extend(members);
            }
        }
        gone.sort_unstable();
        gone.dedup();
        left = without(&left, &gone);
    }
    *waves = chosen(&left);
}

/// Returns what is left without the places that are gone.
fn without(left: &[usize], gone: &[usize]) -> Vec<usize> {
    (0..left.len()).filter(|place| !gone.contains(place)).map(|place| left[place]).collect()
}

/// Returns the places of waves of the same number of inputs, for each number.
fn groups(left: &[usize], waves: &[Feature]) -> Vec<Vec<usize>> {
    let order = |place: &usize| waves[left[*place]].support.len();
    let mut places: Vec<usize> = (0..left.len()).collect();
    places.sort_by_key(order);
    places.chunk_by(|a, b| order(a) == order(b)).map(<[usize]>::to_vec).collect()
}

/// By how much the objective rises when pairs leave.
struct Losses {
    coefficients: DMatrix<f64>,
    inverse: DMatrix<f64>,
}

impl Losses {
    /// The losses of the pairs of some columns; none where the equations cannot be solved.
    fn new(equations: &DMatrix<f64>, moments: &DMatrix<f64>, columns: &[usize]) -> Option<Losses> {
        let own = equations.select_rows(columns).select_columns(columns);
        let inverse = cholesky_solve(&own, &DMatrix::identity(columns.len(), columns.len()))?;
        Some(Losses { coefficients: product(&inverse, &moments.select_rows(columns)), inverse })
    }

    fn of(&self, places: &[usize]) -> f64 {
        let columns: Vec<usize> = places.iter().flat_map(|&place| [2 * place, 2 * place + 1]).collect();
        let own = self.coefficients.select_rows(&columns);
        let block = self.inverse.select_rows(&columns).select_columns(&columns);
        cholesky_solve(&block, &own).map_or(f64::INFINITY, |solved| own.dot(&solved))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::pair_matrix;
    use crate::method::common::linear_fit::Points;
    use crate::method::compact::problem::Smoothness;
    use crate::sampling::Sampler;
    use crate::solve::least_squares::ridge::ridge;

    fn wave(support: &[usize], weight: f64) -> Feature {
        Feature { support: support.to_vec(), weights: vec![weight; support.len()], bias: 0.0 }
    }

    /// The waves that are left of six: four of one input and two of two, of given amplitudes.
    fn left(amplitudes: [f64; 6], taken: &Taken, seed: u64) -> (Vec<Feature>, Vec<Feature>) {
        let mut sampler = Sampler::new(seed);
        let x = DMatrix::from_fn(400, 4, |_, _| sampler.normal());
        let all: Vec<Feature> = (0..4).map(|input| wave(&[input], 1.5)).collect();
        let all = [all, vec![wave(&[0, 1], 0.9), wave(&[2, 3], 0.9)]].concat();
        let values = pair_matrix(&x, &all);
        let coefficients = DMatrix::from_fn(12, 1, |row, _| amplitudes[row % 6]);
        let y = values * coefficients;
        let terms = DMatrix::from_element(400, 1, 1.0);
        let problem = Problem::new(Points { x: &x, y: &y, roots: &[] }, &terms, 1e-6, Smoothness(0.0));
        let mut waves = all.clone();
        prune(&problem, &mut waves, taken);
        (all, waves)
    }

    #[test]
    fn waves_of_small_amplitudes_go_and_whole_groups_where_they_save_more() {
        let each = Taken::new(|waves| waves.len() as f64 / 4.0);
        let grouped = Taken::new(|waves| {
            let pairs = waves.iter().any(|wave| wave.support.len() == 2);
            (waves.len() + if pairs { 4 } else { 0 }) as f64 / 5.0
        });
        for seed in 0..4 {
            let (all, waves) = left([1.0, 0.1, 0.9, 0.8, 0.2, 1.1], &each, seed);
            assert_eq!(waves, [&all[0], &all[2], &all[3], &all[5]].map(Clone::clone), "{seed}");
            // Both waves of two inputs matter more than the first two of one input, but take three times as much.
            let (all, waves) = left([0.5, 0.5, 0.9, 0.8, 0.6, 0.6], &grouped, seed);
            assert_eq!(waves, all[..4], "{seed}");
            let (all, waves) = left([0.0, 0.1, 0.1, 0.1, 0.1, 2.0], &grouped, seed);
            assert_eq!(waves, all[5..], "{seed}");
        }
    }

    #[test]
    fn a_loss_is_by_how_much_the_objective_rises() {
        for seed in 0..4 {
            let mut sampler = Sampler::new(seed);
            let a = DMatrix::from_fn(60, 8, |_, _| sampler.normal());
            let y = DMatrix::from_fn(60, 2, |_, _| sampler.normal());
            let mut equations = gram(&a);
            (0..8).for_each(|i| equations[(i, i)] += 0.3);
            // Pair j has the columns j and 4 + j; the third is not looked at.
            let columns = [0, 4, 1, 5, 3, 7];
            let losses = Losses::new(&equations, &transpose_product(&a, &y), &columns).unwrap();
            let objective = |columns: &[usize]| {
                let part = a.select_columns(columns);
                let c = ridge(&part, &y, 0.3).unwrap();
                (&part * &c - &y).norm_squared() + 0.3 * c.norm_squared()
            };
            let whole = objective(&columns);
            let exact = objective(&[0, 4, 3, 7]) - whole;
            assert!((losses.of(&[1]) - exact).abs() < 1e-9 * whole, "{seed}");
            let exact = objective(&[1, 5]) - whole;
            assert!((losses.of(&[0, 2]) - exact).abs() < 1e-9 * whole, "{seed}");
        }
    }
}
