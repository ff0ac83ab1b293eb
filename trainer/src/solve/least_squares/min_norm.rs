//! Least-squares solutions of minimum norm, the limit of ridge regression as λ goes to zero.

use nalgebra::DMatrix;

use crate::linalg::{
    PivotedQr, Svd, outer_gram, pivoted_qr, product, svd, symmetric_eigen, transpose_product, well_conditioned_solve,
};
use crate::solve::SolveError;

/// Singular values below this fraction of the largest count as zero.
const RCOND: f64 = 1e-15;

/// Diagonal entries of a QR decomposition above this share of the largest leave no singular value below [`RCOND`].
const REGULAR: f64 = 1e-12;

/// The number of iterative refinement steps of an interpolant.
const REFINEMENTS: usize = 2;

/// Eigenvalues of a Gram matrix below this fraction of the largest are rounding errors.
const GRAM_RCOND: f64 = 1e-14;

/// Returns the minimiser C (N×k) of `‖A C − Y‖` with the smallest norm, for A n×N and Y n×k.
///
/// The solution is backward stable. It comes from a QR decomposition with pivoting, and from the singular value
/// decomposition of the triangular factor where columns are nearly dependent. Normal equations would lose half of the
/// digits.
///
/// # Errors
/// [`SolveError::NotFinite`] if A or Y have values that are not finite.
pub fn min_norm(a: &DMatrix<f64>, y: &DMatrix<f64>) -> Result<DMatrix<f64>, SolveError> {
    stable_ridge(a, y, 0.0)
}

/// Returns the minimiser of `‖A C − Y‖² + λ‖C‖²` by orthogonal factorisations, backward stable for every λ ≥ 0.
///
/// With λ = 0 the solution has minimum norm.
///
/// # Errors
/// As [`min_norm`].
pub fn stable_ridge(a: &DMatrix<f64>, y: &DMatrix<f64>, lambda: f64) -> Result<DMatrix<f64>, SolveError> {
    if a.is_empty() {
        return Ok(DMatrix::zeros(a.ncols(), y.ncols()));
    }
    let finite = |m: &DMatrix<f64>| m.as_slice().iter().all(|v| v.is_finite());
    if !finite(a) || !finite(y) {
        return Err(SolveError::NotFinite);
    }
    let factors = Factors::new(a, lambda).ok_or(SolveError::NotFinite)?;
    let mut solution = factors.solve(y).ok_or(SolveError::NotFinite)?;
    if lambda == 0.0 && a.ncols() >= a.nrows() {
        for _ in 0..REFINEMENTS {
            solution += factors.solve(&(y - product(a, &solution))).ok_or(SolveError::NotFinite)?;
        }
    }
    if solution.iter().all(|v| v.is_finite()) { Ok(solution) } else { Err(SolveError::NotFinite) }
}

/// The QR decomposition of A or, where columns outnumber rows, of `Aᵀ`, and the solver of the square problem in R.
struct Factors {
    qr: PivotedQr,
    /// Whether `qr` decomposes `Aᵀ`.
    wide: bool,
    square: Square,
}

/// Solves `min ‖B W − Z‖² + λ‖W‖²` for a square B.
enum Square {
    /// By the QR decomposition of B above `√λ I`.
    Regular(PivotedQr),
    /// By the singular value decomposition of B, with the factors that replace `S⁻¹`.
    Singular(Svd, Vec<f64>),
}

impl Factors {
    fn new(a: &DMatrix<f64>, lambda: f64) -> Option<Factors> {
        let wide = a.ncols() > a.nrows();
        let qr = if wide { pivoted_qr(&a.transpose()) } else { pivoted_qr(a) };
        let square = Square::new(if wide { qr.r.transpose() } else { qr.r.clone() }, lambda)?;
        Some(Factors { qr, wide, square })
    }

    fn solve(&self, y: &DMatrix<f64>) -> Option<DMatrix<f64>> {
        if self.wide { Some(self.qr.expand(&self.square.solve(y)?)) } else { self.square.solve(&self.qr.rotate(y)) }
    }
}

impl Square {
    fn new(b: DMatrix<f64>, lambda: f64) -> Option<Square> {
        let side = b.nrows();
        let mut stacked = b.clone().resize_vertically(if lambda > 0.0 { 2 * side } else { side }, 0.0);
        stacked.view_range_mut(side.., ..).fill_diagonal(lambda.sqrt());
        let qr = pivoted_qr(&stacked);
        if qr.rank(REGULAR) == side {
            return Some(Square::Regular(qr));
        }
        let svd = svd(&b)?;
        let smallest = RCOND * svd.s.first().copied().unwrap_or(0.0);
        let filter = svd.s.iter().map(|&s| if s > smallest { s / (s * s + lambda) } else { 0.0 }).collect();
        Some(Square::Singular(svd, filter))
    }

    fn solve(&self, z: &DMatrix<f64>) -> Option<DMatrix<f64>> {
        match self {
            Square::Regular(qr) => qr.solve(&z.clone().resize_vertically(qr.rows(), 0.0)),
            Square::Singular(Svd { u, v, .. }, filter) => {
                let mut rotated = transpose_product(u, z);
                for (i, filter) in filter.iter().enumerate() {
                    rotated.row_mut(i).scale_mut(*filter);
                }
                Some(product(v, &rotated))
            }
        }
    }
}

/// Returns the singular value decomposition `A = U S Vᵀ`: U n×r, V N×r with r = min(n, N).
pub(crate) fn decompose(a: &DMatrix<f64>) -> Option<Svd> {
    // A QR factorisation of A, or of Aᵀ if A is wide, comes first. With R = U S Vᵀ one factor is Q U and the other V.
    let wide = a.ncols() > a.nrows();
    let qr = if wide { pivoted_qr(&a.transpose()) } else { pivoted_qr(a) };
    let Svd { u, s, v } = svd(&qr.r)?;
    let long = qr.expand(&u);
    let short = v;
    let (u, v) = if wide { (short, long) } else { (long, short) };
    Some(Svd { u, s, v })
}

/// Pivots of a Gram matrix above this share of the largest leave no eigenvalue below [`GRAM_RCOND`]: the least
/// eigenvalue is some thousand times smaller than the least pivot.
const SAFE_PIVOT: f64 = 1e-8;

/// Minimum-norm solutions of a matrix from which columns are removed, by its Gram matrix `K = A Aᵀ` (n×n).
///
/// `C = Aᵀ K⁺ Y` takes one product with A, and K is updated as columns are removed. The Gram matrix squares the
/// condition number, and directions weaker than 1e-7 of the strongest are ignored. The solutions are accurate enough to
/// select columns, but not for a final fit.
pub struct ShrinkingGram {
    gram: DMatrix<f64>,
}

impl ShrinkingGram {
    /// Creates the Gram matrix of all columns of `a` (n×N).
    pub fn new(a: &DMatrix<f64>) -> ShrinkingGram {
        ShrinkingGram { gram: outer_gram(a) }
    }

    /// Removes columns (n×r).
    pub fn remove(&mut self, columns: &DMatrix<f64>) {
        self.gram -= outer_gram(columns);
    }

    /// Returns the solution for the remaining columns `a`, the targets `y` and the ridge parameter `lambda`.
    pub fn solve(&self, a: &DMatrix<f64>, y: &DMatrix<f64>, lambda: f64) -> Result<DMatrix<f64>, SolveError> {
        let mut shifted = self.gram.clone();
        for i in 0..shifted.nrows() {
            shifted[(i, i)] += lambda;
        }
        if let Some(weights) = well_conditioned_solve(&shifted, y, SAFE_PIVOT) {
            return Ok(transpose_product(a, &weights));
        }
        let (values, vectors) = symmetric_eigen(&self.gram).ok_or(SolveError::NotFinite)?;
        let largest = values.iter().copied().fold(0.0, f64::max);
        let mut rotated = transpose_product(&vectors, y);
        for (i, &value) in values.iter().enumerate() {
            rotated.row_mut(i).scale_mut(if value > GRAM_RCOND * largest { 1.0 / (value + lambda) } else { 0.0 });
        }
        Ok(transpose_product(a, &product(&vectors, &rotated)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;

    fn random(rows: usize, columns: usize, sampler: &mut Sampler) -> DMatrix<f64> {
        DMatrix::from_fn(rows, columns, |_, _| sampler.normal())
    }

    #[test]
    fn wide_square_and_tall_systems_are_solved_with_least_norm() {
        for seed in 0..5 {
            let mut sampler = Sampler::new(seed);
            for (rows, columns) in [(5, 40), (20, 25), (20, 20), (25, 20), (60, 7)] {
                let a = random(rows, columns, &mut sampler);
                let y = random(rows, 2, &mut sampler);
                let c = min_norm(&a, &y).unwrap();
                // The residual of a minimiser is orthogonal to the columns. A minimum-norm C lies in the row space.
                assert!((a.transpose() * (&a * &c - &y)).amax() < 1e-11);
                let w = (&a * a.transpose()).pseudo_inverse(1e-9).unwrap() * &a * &c;
                assert!((a.transpose() * w - &c).amax() < 1e-8);
            }
        }
    }

    #[test]
    fn an_ill_conditioned_system_is_solved_to_the_last_digits() {
        // Columns 1, t, t² … t¹¹ have a condition number of 1e9, with which normal equations lose all digits.
        let t: Vec<f64> = (0..40).map(|i| i as f64 / 39.0).collect();
        let a = DMatrix::from_fn(40, 12, |i, j| t[i].powi(j as i32));
        let y = DMatrix::from_fn(40, 1, |i, _| t[i].powi(3) - 2.0 * t[i]);
        let residual = &a * min_norm(&a, &y).unwrap() - &y;
        assert!(residual.amax() < 1e-14, "{}", residual.amax());
    }

    #[test]
    fn the_gram_path_agrees_with_the_stable_solution() {
        let mut sampler = Sampler::new(3);
        let a = random(20, 200, &mut sampler);
        let y = random(20, 1, &mut sampler);
        let mut gram = ShrinkingGram::new(&a);
        assert!((gram.solve(&a, &y, 0.0).unwrap() - min_norm(&a, &y).unwrap()).amax() < 1e-12);
        gram.remove(&a.columns(0, 120).into_owned());
        let left = a.columns(120, 80).into_owned();
        assert!((gram.solve(&left, &y, 0.0).unwrap() - min_norm(&left, &y).unwrap()).amax() < 1e-12);
    }

    #[test]
    fn degenerate_systems_have_solutions_or_errors() {
        let y = DMatrix::from_element(4, 1, 2.0);
        assert_eq!(min_norm(&DMatrix::zeros(4, 3), &y), Ok(DMatrix::zeros(3, 1)));
        let ones = min_norm(&DMatrix::from_element(4, 2, 1.0), &y).unwrap();
        assert!((ones[0] - 1.0).abs() < 1e-14 && (ones[1] - 1.0).abs() < 1e-14);
        assert_eq!(min_norm(&DMatrix::from_element(4, 3, f64::NAN), &y), Err(SolveError::NotFinite));
    }
}
