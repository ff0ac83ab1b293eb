//! Dense linear algebra: the only file that names the factorisation library.
//!
//! Every product is divided into tiles of a fixed size that are computed independently, so that the bits of a result do
//! not depend on the number of threads.

use faer::linalg::matmul::matmul;
use faer::linalg::solvers::{ColPivQr, Llt, SelfAdjointEigen, Solve};
use faer::{Accum, MatMut, MatRef, Par, Side};
use nalgebra::DMatrix;
use rayon::prelude::*;

/// Columns of a product that are computed together.
const TILE: usize = 128;

fn view(a: &DMatrix<f64>) -> MatRef<'_, f64> {
    MatRef::from_column_major_slice(a.as_slice(), a.nrows(), a.ncols())
}

fn owned(a: MatRef<'_, f64>) -> DMatrix<f64> {
    DMatrix::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)])
}

/// Computes `left · right`, tiles of columns in parallel.
fn multiply(left: MatRef<'_, f64>, right: MatRef<'_, f64>) -> DMatrix<f64> {
    let (rows, columns) = (left.nrows(), right.ncols());
    let mut product = DMatrix::zeros(rows, columns);
    if product.is_empty() {
        return product;
    }
    product.as_mut_slice().par_chunks_mut(rows * TILE).enumerate().for_each(|(tile, out)| {
        let width = out.len() / rows;
        let out = MatMut::from_column_major_slice_mut(out, rows, width);
        matmul(out, Accum::Replace, left, right.subcols(tile * TILE, width), 1.0, Par::Seq);
    });
    product
}

/// `a · b`.
pub fn product(a: &DMatrix<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
    multiply(view(a), view(b))
}

/// `aᵀ · b`.
pub fn transpose_product(a: &DMatrix<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
    if b.ncols() <= 8 {
        return tall_products(a, b);
    }
    multiply(view(a).transpose(), view(b))
}

/// `aᵀ · b` for few columns of `b`: one scalar product an entry, bound by reading `a` once.
fn tall_products(a: &DMatrix<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
    let (rows, width) = (a.nrows(), b.ncols());
    let mut transposed = DMatrix::zeros(width, a.ncols());
    if transposed.is_empty() || rows == 0 {
        return transposed.transpose();
    }
    let tiles = transposed.as_mut_slice().par_chunks_mut(width * TILE).zip(a.as_slice().par_chunks(rows * TILE));
    tiles.for_each(|(out, a)| {
        for (out, a) in out.chunks_exact_mut(width).zip(a.chunks_exact(rows)) {
            for (out, b) in out.iter_mut().zip(b.as_slice().chunks_exact(rows)) {
                *out = dot(a, b);
            }
        }
    });
    transposed.transpose()
}

/// Scalar product in eight running sums, which the compiler turns into vector instructions.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a_lanes, a_rest) = a.as_chunks::<8>();
    let (b_lanes, b_rest) = b.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (a, b) in a_lanes.iter().zip(b_lanes) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

/// `aᵀ · a`, n×N to N×N.
pub fn gram(a: &DMatrix<f64>) -> DMatrix<f64> {
    multiply(view(a).transpose(), view(a))
}

/// `a · aᵀ`, n×N to n×n.
pub fn outer_gram(a: &DMatrix<f64>) -> DMatrix<f64> {
    multiply(view(a), view(a).transpose())
}

/// Solves `g x = b` for a symmetric positive definite `g` by Cholesky's factorisation; `None` where it breaks down.
pub fn cholesky_solve(g: &DMatrix<f64>, b: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let factor = Llt::new(view(g), Side::Lower).ok()?;
    let solution = owned(factor.solve(view(b)).as_ref());
    solution.iter().all(|v| v.is_finite()).then_some(solution)
}

/// Thin QR decomposition with column pivoting: `a = q · r` with `q` n×r of orthonormal columns, r = min(n, N), and `r` the
/// triangular factor with its columns put back in the order of `a`.
pub struct PivotedQr {
    /// Orthonormal columns, n×r.
    pub q: DMatrix<f64>,
    /// The triangular factor, r×N; column j belongs to column j of `a`.
    pub r: DMatrix<f64>,
    /// Column of `a` that each pivot step took: with columns in this order `r` is upper triangular.
    pub order: Vec<usize>,
}

/// Decomposes `a` (n×N).
///
/// Always with pivoting: without, the library's factors of nearly dependent columns reproduce the matrix to eleven digits
/// only, which interpolation to the last digits cannot bear.
pub fn pivoted_qr(a: &DMatrix<f64>) -> PivotedQr {
    if a.iter().all(|&v| v == 0.0) {
        // The library divides by the norm of the first column.
        let rank = a.nrows().min(a.ncols());
        let (q, r) = (DMatrix::identity(a.nrows(), rank), DMatrix::zeros(rank, a.ncols()));
        return PivotedQr { q, r, order: (0..a.ncols()).collect() };
    }
    let qr = ColPivQr::new(view(a));
    let order: Vec<usize> = qr.P().arrays().0.to_vec();
    let sorted = qr.thin_R();
    let mut r = DMatrix::zeros(sorted.nrows(), sorted.ncols());
    for (j, &column) in order.iter().enumerate() {
        for i in 0..=j.min(sorted.nrows().saturating_sub(1)) {
            r[(i, column)] = sorted[(i, j)];
        }
    }
    PivotedQr { q: owned(qr.compute_thin_Q().as_ref()), r, order }
}

impl PivotedQr {
    /// Number of diagonal entries above `tolerance` times the first and largest.
    pub fn rank(&self, tolerance: f64) -> usize {
        let diagonal = |i: usize| self.r[(i, self.order[i])].abs();
        let largest = if self.r.is_empty() { 0.0 } else { diagonal(0) };
        (0..self.r.nrows()).take_while(|&i| diagonal(i) > tolerance * largest).count()
    }
}

/// Eigenvalues, ascending, and eigenvectors (columns) of a symmetric matrix; `None` where the iteration does not converge.
pub fn symmetric_eigen(a: &DMatrix<f64>) -> Option<(Vec<f64>, DMatrix<f64>)> {
    let eigen = SelfAdjointEigen::new(view(a), Side::Lower).ok()?;
    let values: Vec<f64> = eigen.S().column_vector().iter().copied().collect();
    values.iter().all(|v| v.is_finite()).then(|| (values, owned(eigen.U())))
}

/// Singular value decomposition of a square matrix, `a = u diag(s) vᵀ`, singular values descending.
pub struct Svd {
    /// Left singular vectors.
    pub u: DMatrix<f64>,
    /// Singular values.
    pub s: Vec<f64>,
    /// Right singular vectors.
    pub v: DMatrix<f64>,
}

/// Decomposes a square matrix; `None` where the iteration does not converge. Others go through [`pivoted_qr`] first.
pub fn svd(a: &DMatrix<f64>) -> Option<Svd> {
    let svd = faer::linalg::solvers::Svd::new(view(a)).ok()?;
    let s: Vec<f64> = svd.S().column_vector().iter().copied().collect();
    s.iter().all(|v| v.is_finite()).then(|| Svd { u: owned(svd.U()), s, v: owned(svd.V()) })
}
