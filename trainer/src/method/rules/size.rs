//! The number of rules: that of the least error at rows that the rules were not selected by.

use nalgebra::DMatrix;

use super::bits::Bits;
use super::mass::Masses;
use crate::linalg::cholesky;

/// The ratio of successive numbers of rules that are tried.
const RATIO: f64 = 1.15;

/// Some rows: the rows of every selected rule, the targets (n×k), and what rows count.
pub(super) struct Part<'a> {
    pub sets: &'a [&'a Bits],
    pub y: &'a DMatrix<f64>,
    pub masses: &'a Masses,
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
        let counts: Vec<f64> = fitted.sets.iter().map(|set| fitted.masses.of(set)).collect();
        let mut gram = DMatrix::zeros(count, count);
        for (j, set) in fitted.sets.iter().enumerate() {
            for (i, product) in (j..).zip(fitted.masses.common(set, &fitted.sets[j..])) {
                gram[(i, j)] = product - counts[i] * counts[j] / rows;
            }
        }
        let means = fitted.masses.means(fitted.y, intercept);
        let moment = |j: usize, output: usize| {
            let values = fitted.y.column(output);
            let of_row = |row: usize| fitted.masses.weight(row) * (values[row] - means[output]);
            fitted.sets[j].rows().map(of_row).sum::<f64>()
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
            let mass = |set: &Bits| self.fitted.masses.of(set);
            let share = |(set, amplitude): (&&Bits, &f64)| mass(set) / fitted_rows * amplitude;
            let of_means: f64 = self.fitted.sets.iter().zip(of_rules.iter()).map(share).sum();
            let start = if self.intercept { self.means[output] - of_means } else { 0.0 };
            let mut left: Vec<f64> = targets.iter().map(|target| target - start).collect();
            for (set, amplitude) in self.validation.sets.iter().zip(of_rules.iter()) {
                set.rows().for_each(|row| left[row] -= amplitude);
            }
            let weight = |row: usize| self.validation.masses.weight(row);
            error += left.iter().enumerate().map(|(row, left)| weight(row) * (left * left)).sum::<f64>();
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

    /// Returns 30 sets of 400 rows and targets of two outputs that four of them decide, with noise.
    fn random(sampler: &mut Sampler) -> (Vec<Bits>, DMatrix<f64>) {
        let set = |_| {
            let inside: Vec<bool> = (0..400).map(|_| sampler.below(3) == 0).collect();
            Bits::new(400, |row| inside[row])
        };
        let sets: Vec<Bits> = (0..30).map(set).collect();
        let mut y = DMatrix::from_fn(400, 2, |_, _| 1.0 + 0.3 * sampler.normal());
        for (j, set) in sets[..4].iter().enumerate() {
            set.rows().for_each(|row| y[(row, j % 2)] += 2.0);
        }
        (sets, y)
    }

    /// Returns the squared error of the first rules at other rows, by normal equations with a column for the intercept.
    fn error(size: usize, lambda: f64, fitted: &Part<'_>, validation: &Part<'_>) -> f64 {
        let columns = |part: &Part<'_>| {
            let mut columns = DMatrix::from_element(part.y.nrows(), 1 + size, 1.0);
            for (j, set) in part.sets[..size].iter().enumerate() {
                columns.column_mut(1 + j).fill(0.0);
                set.rows().for_each(|row| columns[(row, 1 + j)] = 1.0);
            }
            columns
        };
        let a = columns(fitted);
        let mut gram = a.tr_mul(&a);
        (1..=size).for_each(|j| gram[(j, j)] += lambda * fitted.y.nrows() as f64);
        let coefficients = gram.lu().solve(&a.tr_mul(fitted.y)).unwrap();
        (columns(validation) * coefficients - validation.y).norm_squared()
    }

    #[test]
    fn the_size_is_that_of_the_least_error() {
        for (seed, lambda) in (0..6).zip([1e-9, 1e-4, 1e-3, 1e-2, 0.1, 1.0]) {
            let mut sampler = Sampler::new(seed);
            let (sets, y) = random(&mut sampler);
            let (other_sets, other) = random(&mut sampler);
            let [sets, other_sets] = [&sets, &other_sets].map(|sets| sets.iter().collect::<Vec<&Bits>>());
            let masses = &Masses::default();
            let part = || (Part { sets: &sets, y: &y, masses }, Part { sets: &other_sets, y: &other, masses });
            let (fitted, validation) = part();
            let best = Sizes::new(fitted, validation, true).best(lambda);
            let (fitted, validation) = part();
            let own = error(best, lambda, &fitted, &validation);
            let tried = std::iter::once(0).chain(sizes(30));
            assert!(best >= 4 && tried.into_iter().all(|size| error(size, lambda, &fitted, &validation) >= own - 1e-9));
        }
        assert!(sizes(30).eq([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 18, 20, 23, 26, 29, 30]));
    }
}
