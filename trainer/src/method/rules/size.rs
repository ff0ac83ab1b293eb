//! The number of rules: that of the least error at rows that the rules were not selected by.

use nalgebra::DMatrix;

use super::bits::{Bits, common};
use crate::linalg::cholesky;

/// The ratio of successive numbers of rules that are tried.
const RATIO: f64 = 1.15;

/// Some rows: the rows of every selected rule, and the targets (n×k).
pub(super) struct Part<'a> {
    pub sets: &'a [&'a Bits],
    pub y: &'a DMatrix<f64>,
}

/// Ridge regression of all numbers of rules on some rows.
pub(super) struct Sizes<'a> {
    fitted: Part<'a>,
    validation: Part<'a>,
    /// The products of the rules, less those of their means where there is an intercept.
    gram: DMatrix<f64>,
    moments: DMatrix<f64>,
    /// The means of the targets, which an intercept takes; zeros without one.
    means: Vec<f64>,
    intercept: bool,
}

impl<'a> Sizes<'a> {
    /// Sums up the rows that are fitted. The rules are in the order of their selection.
    pub fn new(fitted: Part<'a>, validation: Part<'a>, intercept: bool) -> Sizes<'a> {
        let count = fitted.sets.len();
        let rows = if intercept { fitted.y.nrows() as f64 } else { f64::INFINITY };
        let counts: Vec<f64> = fitted.sets.iter().map(|set| set.count() as f64).collect();
        let mut gram = DMatrix::zeros(count, count);
        for (j, set) in fitted.sets.iter().enumerate() {
            for (i, product) in (j..).zip(common(set, &fitted.sets[j..])) {
                gram[(i, j)] = product - counts[i] * counts[j] / rows;
            }
        }
        let means: Vec<f64> =
            fitted.y.column_iter().map(|targets| if intercept { targets.mean() } else { 0.0 }).collect();
        let moment = |j: usize, output: usize| {
            let values = fitted.y.column(output);
            fitted.sets[j].rows().map(|row| values[row] - means[output]).sum::<f64>()
        };
        let moments = DMatrix::from_fn(count, fitted.y.ncols(), moment);
        Sizes { fitted, validation, gram, moments, means, intercept }
    }

    /// Returns the number of rules with the least squared error at the validation rows, for a ridge parameter per row;
    /// the smallest of equal ones. All of them where the equations cannot be solved.
    pub fn best(&self, lambda: f64) -> usize {
        let count = self.gram.nrows();
        let mut penalised = self.gram.clone();
        let penalty = lambda * self.fitted.y.nrows() as f64;
        (0..count).for_each(|j| penalised[(j, j)] += penalty);
        let Some(factor) = cholesky(&penalised) else { return count };
        // Leading parts of the factor and of this solution are those of fewer rules.
        let Some(half) = factor.solve_lower_triangular(&self.moments) else { return count };
        let mut best = (self.error(&DMatrix::zeros(0, self.means.len())), 0);
        for size in sizes(count) {
            let upper = factor.view((0, 0), (size, size)).transpose();
            let Some(amplitudes) = upper.solve_upper_triangular(&half.rows(0, size).into_owned()) else { continue };
            let error = self.error(&amplitudes);
            if error < best.0 {
                best = (error, size);
            }
        }
        best.1
    }

    /// Returns the squared error of the first rules with these amplitudes at the validation rows.
    fn error(&self, amplitudes: &DMatrix<f64>) -> f64 {
        let fitted_rows = self.fitted.y.nrows() as f64;
        let mut error = 0.0;
        for (output, targets) in self.validation.y.column_iter().enumerate() {
            let of_rules = amplitudes.column(output);
            let share = |(set, amplitude): (&&Bits, &f64)| set.count() as f64 / fitted_rows * amplitude;
            let of_means: f64 = self.fitted.sets.iter().zip(of_rules.iter()).map(share).sum();
            let start = if self.intercept { self.means[output] - of_means } else { 0.0 };
            let mut left: Vec<f64> = targets.iter().map(|target| target - start).collect();
            for (set, amplitude) in self.validation.sets.iter().zip(of_rules.iter()) {
                set.rows().for_each(|row| left[row] -= amplitude);
            }
            error += left.iter().map(|left| left * left).sum::<f64>();
        }
        error
    }
}

/// Returns the numbers of rules that are tried, ascending, the last of which is that of all.
fn sizes(count: usize) -> impl Iterator<Item = usize> {
    let next = move |&size: &usize| {
        let larger = ((size as f64 * RATIO) as usize).max(size + 1);
        (size < count).then_some(larger.min(count))
    };
    std::iter::successors((count > 0).then_some(1), next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;

    #[test]
    fn rules_of_noise_are_left_out() {
        let mut sampler = Sampler::new(5);
        let sets: Vec<Bits> = (0..30)
            .map(|_| {
                let inside: Vec<bool> = (0..400).map(|_| sampler.below(3) == 0).collect();
                Bits::new(400, |row| inside[row])
            })
            .collect();
        let sets: Vec<&Bits> = sets.iter().collect();
        let targets = |sampler: &mut Sampler| {
            let mut y = DMatrix::from_fn(400, 2, |_, _| 1.0 + 0.3 * sampler.normal());
            for (j, set) in sets[..4].iter().enumerate() {
                set.rows().for_each(|row| y[(row, j % 2)] += 2.0);
            }
            y
        };
        let [y, other] = [targets(&mut sampler), targets(&mut sampler)];
        let part = |y| Part { sets: &sets, y };
        let best = Sizes::new(part(&y), part(&other), true).best(1e-6);
        assert!((4..8).contains(&best), "{best}");
        assert!(sizes(30).eq([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 18, 20, 23, 26, 29, 30]));
    }
}
