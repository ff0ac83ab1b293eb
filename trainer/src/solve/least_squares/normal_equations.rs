//! Normal equations of ridge regression as sums over blocks of rows, without the whole matrix in memory.

use nalgebra::DMatrix;

use crate::linalg::{
    add_lower_gram, gram, mirror_lower, product, subtract_product, symmetric_eigen, transpose_product, zeros,
};
use crate::solve::SolveError;
use crate::solve::least_squares::ridge::ridge_from_gram;

/// Eigenvalues of a Gram matrix below this fraction of the largest count as zero, since they are rounding errors.
const GRAM_RCOND: f64 = 1e-12;

/// The Gram matrix and the moments of the columns `[T | A]`; the first columns, T, have no penalty.
#[derive(Clone, Debug)]
pub struct NormalEquations {
    gram: DMatrix<f64>,
    moments: DMatrix<f64>,
    /// The sum of the squared targets.
    square: f64,
    unpenalised: usize,
}

impl NormalEquations {
    /// Creates the equations of no rows, with `unpenalised` and `penalised` columns and `outputs` targets.
    pub fn new(unpenalised: usize, penalised: usize, outputs: usize) -> NormalEquations {
        let columns = unpenalised + penalised;
        NormalEquations {
            gram: zeros(columns, columns),
            moments: DMatrix::zeros(columns, outputs),
            square: 0.0,
            unpenalised,
        }
    }

    /// Creates the equations of all rows at once, with a penalty on every column.
    pub fn from_values(values: &DMatrix<f64>, y: &DMatrix<f64>) -> NormalEquations {
        let gram = gram(values);
        let moments = transpose_product(values, y);
        NormalEquations { gram, moments, square: y.norm_squared(), unpenalised: 0 }
    }

    /// Creates the equations of sums of products: those of columns (p×p), on and below the diagonal, and those of
    /// columns and targets (p×k).
    pub fn from_products(mut gram: DMatrix<f64>, moments: DMatrix<f64>, unpenalised: usize) -> NormalEquations {
        mirror_lower(&mut gram);
        NormalEquations { gram, moments, square: 0.0, unpenalised }
    }

    /// Adds a block of rows with its values (r×columns) and targets (r×k).
    pub fn add(&mut self, values: &DMatrix<f64>, y: &DMatrix<f64>) {
        self.add_lower(values, y);
        mirror_lower(&mut self.gram);
    }

    /// Adds successive blocks of rows, each with its values and targets.
    ///
    /// The bits are those of [`NormalEquations::add`] block after block. The upper triangle of the Gram matrix is
    /// completed once.
    pub fn add_blocks(&mut self, blocks: impl Iterator<Item = (DMatrix<f64>, DMatrix<f64>)>) {
        blocks.for_each(|(values, y)| self.add_lower(&values, &y));
        mirror_lower(&mut self.gram);
    }

    /// Adds a block of rows, without the entries above the diagonal of the Gram matrix.
    fn add_lower(&mut self, values: &DMatrix<f64>, y: &DMatrix<f64>) {
        add_lower_gram(&mut self.gram, values);
        self.moments += transpose_product(values, y);
        self.square += y.norm_squared();
    }

    /// Adds the equations of other rows with the same columns and targets.
    pub fn merge(&mut self, other: &NormalEquations) {
        self.gram += &other.gram;
        self.moments += &other.moments;
        self.square += other.square;
    }

    /// Returns the sum of squared errors over the rows for coefficients of the unpenalised and the penalised columns.
    ///
    /// The rounding error is at least 1e-16 of the sum of the squared targets.
    pub fn squared_error(&self, (unpenalised, penalised): &(DMatrix<f64>, DMatrix<f64>)) -> f64 {
        let mut coefficients = unpenalised.clone().resize_vertically(self.gram.nrows(), 0.0);
        coefficients.rows_mut(self.unpenalised, penalised.nrows()).copy_from(penalised);
        let curved = product(&self.gram, &coefficients);
        (self.square + coefficients.dot(&(curved - &self.moments * 2.0))).max(0.0)
    }

    /// Adds equations that fit the imaginary part of complex amplitudes to zero.
    ///
    /// The penalised columns must be pairs `[C | S]`. The amplitude `a − i b` of `e^{iωx}` has the real part `C a + S
    /// b`, which fits the target, and the imaginary part `S a − C b`.
    pub fn add_quadrature(&mut self) {
        let first = self.unpenalised;
        let pairs = (self.gram.nrows() - self.unpenalised) / 2;
        let block = |row: usize, column: usize| self.gram.view((first + row, first + column), (pairs, pairs));
        let cc = block(0, 0);
        let cs = block(0, pairs);
        let sc = block(pairs, 0);
        let ss = block(pairs, pairs);
        let even = cc + ss;
        let odd = cs - sc;
        let mut place = |row, column, m: &DMatrix<f64>| {
            self.gram.view_mut((first + row, first + column), (pairs, pairs)).copy_from(m);
        };
        place(0, 0, &even);
        place(pairs, pairs, &even);
        place(pairs, 0, &-&odd);
        place(0, pairs, &odd);
    }

    /// Eliminates the unpenalised columns (Frisch, Waugh and Lovell). Collinear columns share their weight.
    ///
    /// # Errors
    /// [`SolveError::NotFinite`] if the sums are not finite.
    pub fn reduce(self) -> Result<Reduced, SolveError> {
        let NormalEquations { gram, moments, unpenalised, .. } = self;
        if !gram.iter().chain(moments.iter()).all(|v| v.is_finite()) {
            return Err(SolveError::NotFinite);
        }
        let (columns, outputs) = moments.shape();
        let penalised = columns - unpenalised;
        if unpenalised == 0 {
            let constant = DMatrix::zeros(0, outputs);
            let slope = DMatrix::zeros(0, penalised);
            return Ok(Reduced { gram, moments, constant, slope });
        }
        let cross = gram.view((0, unpenalised), (unpenalised, penalised)).into_owned();
        let inverse = PseudoInverse::new(&gram.view((0, 0), (unpenalised, unpenalised)).into_owned())?;
        let constant = inverse.times(&moments.rows(0, unpenalised).into_owned());
        let slope = inverse.times(&cross);
        let mut gram = gram.view((unpenalised, unpenalised), (penalised, penalised)).into_owned();
        let mut moments = moments.rows(unpenalised, penalised).into_owned();
        subtract_product(&mut gram, &cross.transpose(), &slope);
        subtract_product(&mut moments, &cross.transpose(), &constant);
        Ok(Reduced { gram, moments, constant, slope })
    }
}

/// Normal equations of the penalised columns, and the relation of the unpenalised coefficients to the others.
#[derive(Clone, Debug)]
pub struct Reduced {
    gram: DMatrix<f64>,
    moments: DMatrix<f64>,
    /// The coefficients of the unpenalised columns if all others are zero.
    constant: DMatrix<f64>,
    /// The decrease of these coefficients per coefficient of a penalised column.
    slope: DMatrix<f64>,
}

impl Reduced {
    /// Returns the equations with every penalised column multiplied by its scale.
    pub fn scaled(mut self, scales: &[f64]) -> Reduced {
        for (j, &scale) in scales.iter().enumerate() {
            self.gram.column_mut(j).scale_mut(scale);
            self.gram.row_mut(j).scale_mut(scale);
            self.moments.row_mut(j).scale_mut(scale);
            self.slope.column_mut(j).scale_mut(scale);
        }
        self
    }

    /// Returns the decrease of the penalised objective by the minimiser C, compared with the unpenalised columns alone.
    ///
    /// The decrease is `⟨M, C⟩` with the moments M.
    pub fn explained(&self, coefficients: &DMatrix<f64>) -> f64 {
        self.moments.dot(coefficients)
    }

    /// Returns the minimiser B, C of `‖T B + A C − Y‖² + λ‖C‖²`: coefficients of the unpenalised columns (p×k) and of
    /// the penalised ones.
    ///
    /// If λ is below 1e-12 of the largest diagonal entry, which is too small for the normal equations, directions
    /// weaker than 1e-6 of the strongest are ignored instead.
    ///
    /// # Errors
    /// [`SolveError::NotFinite`] if the factorisation does not converge.
    pub fn solve(&self, lambda: f64) -> Result<(DMatrix<f64>, DMatrix<f64>), SolveError> {
        let coefficients = if self.gram.is_empty() {
            self.moments.clone()
        } else {
            match ridge_from_gram(&self.gram, &self.moments, lambda) {
                Some(coefficients) => coefficients,
                None => PseudoInverse::new(&self.gram)?.times(&self.moments),
            }
        };
        let mut unpenalised = self.constant.clone();
        subtract_product(&mut unpenalised, &self.slope, &coefficients);
        Ok((unpenalised, coefficients))
    }
}

/// Returns the pseudo-inverse of a positive semidefinite matrix.
struct PseudoInverse {
    vectors: DMatrix<f64>,
    values: Vec<f64>,
}

impl PseudoInverse {
    fn new(gram: &DMatrix<f64>) -> Result<PseudoInverse, SolveError> {
        let (mut values, mut vectors) = symmetric_eigen(gram).ok_or(SolveError::NotFinite)?;
        // A column of zeros has no part in the range, not even by rounding.
        (0..gram.nrows()).filter(|&i| gram[(i, i)] == 0.0).for_each(|i| vectors.row_mut(i).fill(0.0));
        let smallest = GRAM_RCOND * values.iter().copied().fold(0.0, f64::max);
        values.iter_mut().for_each(|value| *value = if *value > smallest { 1.0 / *value } else { 0.0 });
        Ok(PseudoInverse { vectors, values })
    }

    fn times(&self, m: &DMatrix<f64>) -> DMatrix<f64> {
        let mut rotated = transpose_product(&self.vectors, m);
        for (i, value) in self.values.iter().enumerate() {
            rotated.row_mut(i).scale_mut(*value);
        }
        product(&self.vectors, &rotated)
    }
}

/// Normal equations of cross-validation folds.
#[derive(Clone, Debug)]
pub struct ValidatedRidge {
    /// The equations of each fold and its number of rows; at least two folds.
    pub folds: Vec<(NormalEquations, usize)>,
}

/// A ridge parameter and its cross-validation error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Validated {
    /// The ridge parameter λ per row; a fit of n rows has the penalty n λ.
    pub lambda: f64,
    /// The sum of the squared errors of all rows, each predicted by a fit without its fold.
    pub squared_error: f64,
}

impl ValidatedRidge {
    /// Returns the equations of all rows and the number of rows.
    pub fn whole(&self) -> (NormalEquations, usize) {
        self.without(self.folds.len())
    }

    /// Returns the equations of all rows outside a fold and the number of these rows.
    fn without(&self, fold: usize) -> (NormalEquations, usize) {
        let others = self.folds.iter().enumerate().filter(|(other, _)| *other != fold).map(|(_, part)| part);
        let merged = others.cloned().reduce(|mut sum, (equations, rows)| {
            sum.0.merge(&equations);
            (sum.0, sum.1 + rows)
        });
        merged.expect("at least two folds")
    }

    /// Returns the best of `lambdas`; ties go to the first.
    ///
    /// # Errors
    /// [`SolveError::NotFinite`] if the sums are not finite.
    pub fn best(&self, lambdas: &[f64]) -> Result<Validated, SolveError> {
        let mut errors = vec![0.0; lambdas.len()];
        for (fold, (validation, _)) in self.folds.iter().enumerate() {
            let (training, rows) = self.without(fold);
            let reduced: Reduced = training.reduce()?;
            for (error, lambda) in errors.iter_mut().zip(lambdas) {
                *error += validation.squared_error(&reduced.solve(lambda * rows as f64)?);
            }
        }
        let best = lambdas.iter().zip(errors).min_by(|a, b| a.1.total_cmp(&b.1));
        let (&lambda, squared_error) = best.ok_or(SolveError::NotFinite)?;
        Ok(Validated { lambda, squared_error })
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::*;
    use crate::sampling::Sampler;
    use crate::solve::least_squares::ridge::{Unpenalised, ridge};

    fn random(rows: usize, columns: usize, sampler: &mut Sampler) -> DMatrix<f64> {
        DMatrix::from_fn(rows, columns, |_, _| sampler.normal())
    }

    fn side_by_side(left: &DMatrix<f64>, right: &DMatrix<f64>) -> DMatrix<f64> {
        let mut both = left.clone().resize_horizontally(left.ncols() + right.ncols(), 0.0);
        both.columns_mut(left.ncols(), right.ncols()).copy_from(right);
        both
    }

    #[test]
    fn blocks_of_rows_give_the_minimum_of_the_whole() {
        for seed in 0..5 {
            let mut sampler = Sampler::new(seed);
            let mut t = random(90, 4, &mut sampler);
            let a = random(90, 12, &mut sampler);
            let y = random(90, 3, &mut sampler);
            // A constant column, and a collinear and a zero column, as from a constant input.
            t.column_mut(0).fill(1.0);
            t.column_mut(3).fill(0.0);
            let t = side_by_side(&t, &t.columns(1, 1).into_owned());
            let mut equations = NormalEquations::new(5, 12, 3);
            let mut at_once = equations.clone();
            let blocks = [0, 40, 80].map(|first| {
                let rows = |m: &DMatrix<f64>| m.rows(first, 40.min(90 - first)).into_owned();
                (side_by_side(&rows(&t), &rows(&a)), rows(&y))
            });
            blocks.iter().for_each(|(values, y)| equations.add(values, y));
            at_once.add_blocks(blocks.into_iter());
            assert!(at_once.gram == equations.gram && at_once.moments == equations.moments);
            assert_eq!(equations.gram, equations.gram.transpose());
            let reduced = equations.reduce().unwrap();
            for lambda in [1e-2, 1.0, 100.0] {
                let (b, c) = reduced.solve(lambda).unwrap();
                // The gradient is zero at a minimum. The tolerance allows for sums of 90 terms of size 10.
                let residual = &t * &b + &a * &c - &y;
                assert!((a.transpose() * &residual + &c * lambda).amax() < 1e-10);
                assert!((t.transpose() * &residual).amax() < 1e-10);
                assert!((b[(1, 0)] - b[(4, 0)]).abs() < 1e-10 && b[(3, 0)] == 0.0);
            }
            // Orthogonal factorisations of all rows at once give the same solution.
            let block = Unpenalised::new(&t);
            let mut a_left = a.clone();
            let mut y_left = y.clone();
            block.project_out(&mut a_left);
            block.project_out(&mut y_left);
            let difference = ridge(&a_left, &y_left, 0.5).unwrap() - reduced.solve(0.5).unwrap().1;
            assert!(difference.amax() < 1e-12);
        }
    }

    #[test]
    fn errors_follow_from_the_sums() {
        let mut sampler = Sampler::new(8);
        let t = random(50, 2, &mut sampler);
        let a = random(50, 6, &mut sampler);
        let y = random(50, 3, &mut sampler);
        let mut equations = NormalEquations::new(2, 6, 3);
        for first in [0, 20] {
            let rows = |m: &DMatrix<f64>| m.rows(first, 20 + first / 2).into_owned();
            let mut part = NormalEquations::new(2, 6, 3);
            part.add(&side_by_side(&rows(&t), &rows(&a)), &rows(&y));
            equations.merge(&part);
        }
        let solution = equations.clone().reduce().unwrap().solve(0.3).unwrap();
        let direct = (&t * &solution.0 + &a * &solution.1 - &y).norm_squared();
        assert!((equations.squared_error(&solution) - direct).abs() < 1e-12 * y.norm_squared());
    }

    #[test]
    fn without_penalty_collinear_columns_have_a_solution_of_least_norm() {
        let mut sampler = Sampler::new(3);
        let a = random(20, 3, &mut sampler);
        let twice = side_by_side(&a, &a);
        let y = random(20, 1, &mut sampler);
        let c = NormalEquations::from_values(&twice, &y).reduce().unwrap().solve(0.0).unwrap().1;
        assert!((twice.transpose() * (&twice * &c - &y)).amax() < 1e-12);
        assert!((c.rows(0, 3) - c.rows(3, 3)).amax() < 1e-12);
    }

    #[test]
    fn values_that_are_not_finite_are_an_error() {
        let nan = DMatrix::from_element(2, 1, f64::NAN);
        let y = DMatrix::from_element(2, 1, 1.0);
        let equations = NormalEquations::from_values(&nan, &y);
        assert!(matches!(equations.reduce(), Err(SolveError::NotFinite)));
    }

    #[test]
    fn the_best_is_that_of_fits_to_the_rows_left() {
        const LAMBDAS: [f64; 6] = [1e-6, 1e-3, 1e-2, 1e-1, 1.0, 10.0];
        let mut chosen = Vec::new();
        for seed in 0..8 {
            let mut sampler = Sampler::new(seed);
            let a = DMatrix::from_fn(60, 20, |_, _| sampler.normal());
            let noise = 10_f64.powi(seed as i32 % 4 - 1);
            let y = DMatrix::from_fn(60, 2, |i, k| a[(i, k)] + noise * sampler.normal());
            let bounds = [0, 13, 25, 41, 60];
            let part = |m: &DMatrix<f64>, from: usize, to: usize| m.rows(from, to - from).into_owned();
            let folds = bounds
                .windows(2)
                .map(|w| (NormalEquations::from_values(&part(&a, w[0], w[1]), &part(&y, w[0], w[1])), w[1] - w[0]));
            let best = ValidatedRidge { folds: folds.collect() }.best(&LAMBDAS).unwrap();
            let direct = LAMBDAS.map(|lambda| {
                let error = |w: &[usize]| {
                    let (a_left, y_left) = ((w[0]..w[1]).rev())
                        .fold((a.clone(), y.clone()), |(a, y), row| (a.remove_row(row), y.remove_row(row)));
                    let c = ridge(&a_left, &y_left, lambda * a_left.nrows() as f64).unwrap();
                    (part(&a, w[0], w[1]) * c - part(&y, w[0], w[1])).norm_squared()
                };
                bounds.windows(2).map(error).sum::<f64>()
            });
            let least = direct.iter().copied().fold(f64::INFINITY, f64::min);
            assert!((best.squared_error - least).abs() < 1e-9 * least);
            assert_eq!(best.lambda, LAMBDAS[direct.iter().position(|&e| e == least).unwrap()]);
            chosen.push(best.lambda);
        }
        assert!(chosen.iter().any(|&lambda| lambda < 0.1) && chosen.iter().any(|&lambda| lambda > 0.1), "{chosen:?}");
    }
}
