//! Dense linear algebra: the only file that names the factorisation library.
//!
//! Every product is divided into tiles of a fixed size that are computed independently, so that the bits of a result do
//! not depend on the number of threads.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::solvers::{ColPivQr, Llt, SelfAdjointEigen, Solve};
use faer::{Accum, MatMut, MatRef, Par, Side};
use nalgebra::DMatrix;
use pulp::Arch;
use rayon::prelude::*;

/// Columns of a product that are computed together.
const TILE: usize = 128;

fn view(a: &DMatrix<f64>) -> MatRef<'_, f64> {
    MatRef::from_column_major_slice(a.as_slice(), a.nrows(), a.ncols())
}

fn owned(a: MatRef<'_, f64>) -> DMatrix<f64> {
    DMatrix::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)])
}

/// A matrix of zeros that the operating system clears page by page when it is first written to, which nalgebra's own
/// does once more.
pub fn zeros(rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_vec(rows, columns, vec![0.0; rows * columns])
}

/// Runs `work(first, tile)` on every tile of columns of `m`, in parallel; `first` is the tile's first column.
fn for_tiles(m: &mut DMatrix<f64>, work: impl Fn(usize, MatMut<'_, f64>) + Sync) {
    let rows = m.nrows();
    if m.is_empty() {
        return;
    }
    m.as_mut_slice().par_chunks_mut(rows * TILE).enumerate().for_each(|(tile, out)| {
        let width = out.len() / rows;
        work(tile * TILE, MatMut::from_column_major_slice_mut(out, rows, width));
    });
}

/// Computes `left · right`.
fn multiply(left: MatRef<'_, f64>, right: MatRef<'_, f64>) -> DMatrix<f64> {
    let mut result = zeros(left.nrows(), right.ncols());
    for_tiles(&mut result, |first, out| {
        let right = right.subcols(first, out.ncols());
        matmul(out, Accum::Replace, left, right, 1.0, Par::Seq);
    });
    result
}

/// Computes `left · leftᵀ`: what lies on the diagonal and below, then its mirror image.
fn multiply_by_own_transpose(left: MatRef<'_, f64>) -> DMatrix<f64> {
    let n = left.nrows();
    let mut result = zeros(n, n);
    for_tiles(&mut result, |first, out| {
        let width = out.ncols();
        let diagonal = left.subrows(first, width);
        let (square, below) = out.subrows_mut(first, n - first).split_at_row_mut(width);
        let (lower, full) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
        let transposed = diagonal.transpose();
        triangular::matmul(square, lower, Accum::Replace, diagonal, full, transposed, full, 1.0, Par::Seq);
        let under = left.subrows(first + width, n - first - width);
        matmul(below, Accum::Replace, under, transposed, 1.0, Par::Seq);
    });
    for column in 1..n {
        for row in 0..column {
            result[(row, column)] = result[(column, row)];
        }
    }
    result
}

/// `a · b`.
pub fn product(a: &DMatrix<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
    multiply(view(a), view(b))
}

/// `m − a · b`, in the place of `m`.
pub fn subtract_product(m: &mut DMatrix<f64>, a: &DMatrix<f64>, b: &DMatrix<f64>) {
    for_tiles(m, |first, out| {
        let right = view(b).subcols(first, out.ncols());
        matmul(out, Accum::Add, view(a), right, -1.0, Par::Seq);
    });
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
        Arch::new().dispatch(|| {
            for (out, a) in out.chunks_exact_mut(width).zip(a.chunks_exact(rows)) {
                for (out, b) in out.iter_mut().zip(b.as_slice().chunks_exact(rows)) {
                    *out = dot(a, b);
                }
            }
        });
    });
    transposed.transpose()
}

/// Scalar product in eight running sums, which the compiler turns into vector instructions.
#[inline(always)]
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

/// Scales every column to Euclidean norm one and returns the norms; a column of zeros stays, with norm one.
pub fn normalise_columns(a: &mut DMatrix<f64>) -> Vec<f64> {
    let (rows, columns) = a.shape();
    let mut norms = vec![1.0; columns];
    if rows == 0 {
        return norms;
    }
    a.as_mut_slice().par_chunks_mut(rows).zip(&mut norms).for_each(|(column, norm)| {
        Arch::new().dispatch(|| {
            let length = dot(column, column).sqrt();
            if length > 0.0 {
                column.iter_mut().for_each(|value| *value /= length);
                *norm = length;
            }
        });
    });
    norms
}

/// `aᵀ · a`, n×N to N×N.
pub fn gram(a: &DMatrix<f64>) -> DMatrix<f64> {
    multiply_by_own_transpose(view(a).transpose())
}

/// `a · aᵀ`, n×N to n×n.
pub fn outer_gram(a: &DMatrix<f64>) -> DMatrix<f64> {
    multiply_by_own_transpose(view(a))
}

/// Removes columns (ascending) in place: a copy of a large matrix takes longer than a product with it.
pub fn remove_columns(a: DMatrix<f64>, removed: &[usize]) -> DMatrix<f64> {
    let (rows, columns) = a.shape();
    let mut values: Vec<f64> = a.data.into();
    let (mut place, mut removed) = (0, removed.iter().copied().peekable());
    for column in 0..columns {
        if removed.next_if_eq(&column).is_none() {
            values.copy_within(column * rows..(column + 1) * rows, place * rows);
            place += 1;
        }
    }
    values.truncate(place * rows);
    DMatrix::from_vec(rows, place, values)
}

/// Solves `g x = b` for a symmetric positive definite `g` by Cholesky's factorisation; `None` where it breaks down.
pub fn cholesky_solve(g: &DMatrix<f64>, b: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let factor = Llt::new(view(g), Side::Lower).ok()?;
    let solution = owned(factor.solve(view(b)).as_ref());
    solution.iter().all(|v| v.is_finite()).then_some(solution)
}

/// The lower triangular factor of a symmetric positive definite `g = l lᵀ` (Cholesky); `None` where it breaks down.
pub fn cholesky(g: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let factor = owned(Llt::new(view(g), Side::Lower).ok()?.L());
    factor.iter().all(|v| v.is_finite()).then(|| factor.lower_triangle())
}

/// As [`cholesky_solve`], and `None` too where a pivot is below `least` times the largest.
pub fn well_conditioned_solve(g: &DMatrix<f64>, b: &DMatrix<f64>, least: f64) -> Option<DMatrix<f64>> {
    let factor = Llt::new(view(g), Side::Lower).ok()?;
    let pivots = || (0..g.nrows()).map(|i| factor.L()[(i, i)] * factor.L()[(i, i)]);
    let (smallest, largest) = (pivots().fold(f64::INFINITY, f64::min), pivots().fold(0.0, f64::max));
    (smallest > least * largest).then(|| owned(factor.solve(view(b)).as_ref()))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;

    #[test]
    fn products_are_those_of_the_definition() {
        // Sizes on either side of one tile and of one vector.
        for (seed, (rows, columns)) in [(1, 1), (3, 130), (130, 3), (40, 300), (300, 40)].into_iter().enumerate() {
            let mut sampler = Sampler::new(seed as u64);
            let mut random = |rows, columns| DMatrix::from_fn(rows, columns, |_, _| sampler.normal());
            // Sums of at most 300 products of size 10 with an error of 1e-16 each.
            let same = |ours: DMatrix<f64>, plain: DMatrix<f64>| assert!((ours - plain).amax() < 1e-11);
            let a = random(rows, columns);
            same(gram(&a), a.transpose() * &a);
            same(outer_gram(&a), &a * a.transpose());
            assert_eq!(gram(&a), gram(&a).transpose());
            for width in [1, 3, 9, 140] {
                let (right, left) = (random(columns, width), random(rows, width));
                same(product(&a, &right), &a * &right);
                same(transpose_product(&a, &left), a.transpose() * &left);
                let mut rest = left.clone();
                subtract_product(&mut rest, &a, &right);
                same(rest, left - &a * right);
            }
        }
    }

    #[test]
    fn the_factor_of_cholesky_multiplies_back() {
        let mut sampler = Sampler::new(8);
        let a = DMatrix::from_fn(9, 5, |_, _| sampler.normal());
        let factor = cholesky(&gram(&a)).unwrap();
        assert!((&factor * factor.transpose() - gram(&a)).amax() < 1e-13);
        assert_eq!(factor, factor.lower_triangle());
        assert!(cholesky(&DMatrix::from_element(2, 2, -1.0)).is_none());
    }

    #[test]
    fn the_columns_that_are_left_keep_their_order() {
        let a = DMatrix::from_fn(3, 6, |i, j| (10 * i + j) as f64);
        assert_eq!(remove_columns(a.clone(), &[0, 3, 5]), a.select_columns(&[1, 2, 4]));
        assert_eq!(remove_columns(a.clone(), &[]), a);
        assert_eq!(remove_columns(a, &[0, 1, 2, 3, 4, 5]).shape(), (3, 0));
    }

    #[test]
    fn columns_get_norm_one_and_zeros_stay() {
        let mut a = DMatrix::from_column_slice(2, 3, &[3.0, 4.0, 0.0, 0.0, 0.0, -2.0]);
        assert_eq!(normalise_columns(&mut a), [5.0, 1.0, 2.0]);
        assert_eq!(a.as_slice(), [0.6, 0.8, 0.0, 0.0, 0.0, -1.0]);
    }
}
