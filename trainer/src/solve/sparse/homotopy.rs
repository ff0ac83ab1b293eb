//! Homotopy along the Pareto curve of ‖c‖₁ against ‖A c − y‖₂.
//!
//! M. R. Osborne, B. Presnell and B. A. Turlach, *A new approach to variable selection in least squares problems*,
//! 2000. The parameter of the curve is λ = ‖Aᵀr‖∞ for the residual r, and the curve starts at c = 0. Columns with
//! non-zero coefficients have the scalar product ±λ with r, and all others a smaller one. A column joins or leaves at
//! each breakpoint. Between two breakpoints, the coefficients and the residual are linear in λ.

use nalgebra::DMatrix;

use crate::linalg::{dot, transpose_product};
use crate::solve::sparse::qr::{Qr, add};

/// Breakpoints below this fraction of the first λ are rounding errors.
const NEGLIGIBLE: f64 = 1e-12;

/// The relative decrease of λ after which a column that has left may join again.
const GRACE: f64 = 1e-7;

/// A point of the curve: λ and the columns whose scalar product with the residual is ±λ.
pub struct Path<'a> {
    /// A, n×N.
    pub a: &'a DMatrix<f64>,
    /// y, n×1.
    pub y: &'a DMatrix<f64>,
    /// The present λ.
    pub lambda: f64,
    /// Breakpoints below this λ are rounding errors.
    floor: f64,
    /// Columns with non-zero coefficients, in the order in which they joined.
    pub support: Vec<usize>,
    /// Signs of the coefficients of the support.
    signs: Vec<f64>,
    qr: Qr,
    /// Columns that cannot join: columns of the support, and columns that depend linearly on it.
    closed: Vec<bool>,
    /// The column that has just left.
    left: Option<usize>,
}

/// A segment between two breakpoints. `fit` is the least-squares fit on the support, which λ shrinks.
pub struct Segment {
    fit: Vec<f64>,
    /// Change of the coefficients with −λ, `(A_Sᵀ A_S)⁻¹ s` for the signs s.
    slope: Vec<f64>,
    /// Residual of the least-squares fit.
    rest: Vec<f64>,
    /// Change of the residual with λ, `A_S (A_Sᵀ A_S)⁻¹ s`.
    pub drift: Vec<f64>,
}

impl Segment {
    /// Returns the coefficients of the support at a λ of this segment.
    pub fn coefficients(&self, lambda: f64) -> impl Iterator<Item = f64> {
        self.fit.iter().zip(&self.slope).map(move |(fit, slope)| fit - lambda * slope)
    }

    /// Returns the residual y − A c at a λ of this segment, n values.
    pub fn residual(&self, lambda: f64) -> Vec<f64> {
        let mut residual = self.rest.clone();
        add(&mut residual, lambda, &self.drift);
        residual
    }
}

/// The end of a segment.
pub struct Breakpoint {
    /// Its λ.
    pub lambda: f64,
    /// The event at the end.
    pub event: Event,
}

/// The event at the end of a segment.
pub enum Event {
    /// The norm of the residual is σ, or λ is 0.
    Root,
    /// A column joins with this sign.
    Joins(usize, f64),
    /// The coefficient at this position of the support becomes zero.
    Leaves(usize),
}

impl<'a> Path<'a> {
    /// Creates the start of the curve, c = 0.
    pub fn new(a: &'a DMatrix<f64>, y: &'a DMatrix<f64>) -> Self {
        let lambda = if a.is_empty() { 0.0 } else { transpose_product(a, y).amax() };
        let closed = vec![false; a.ncols()];
        Path {
            a,
            y,
            lambda,
            floor: NEGLIGIBLE * lambda,
            support: Vec::new(),
            signs: Vec::new(),
            qr: Qr::default(),
            closed,
            left: None,
        }
    }

    /// Returns the values of column j.
    pub fn column(&self, j: usize) -> &'a [f64] {
        &self.a.as_slice()[j * self.a.nrows()..][..self.a.nrows()]
    }

    /// Returns the segment below the present λ, computed afresh so that rounding errors do not accumulate.
    pub fn segment(&self) -> Segment {
        let rotated = self.qr.rotate(self.y.as_slice());
        let shrunk = self.qr.solve_transposed(&self.signs);
        let drift = self.qr.combine(&shrunk, self.y.len());
        let mut rest = self.y.as_slice().to_vec();
        add(&mut rest, -1.0, &self.qr.combine(&rotated, self.y.len()));
        Segment { fit: self.qr.solve(rotated), slope: self.qr.solve(shrunk), rest, drift }
    }

    /// Returns the first breakpoint below the present λ. Ties go to the lower column.
    pub fn next(&self, segment: &Segment, sigma: f64) -> Breakpoint {
        // `rest` and `drift` are orthogonal: ‖r‖² = ‖rest‖² + λ²‖drift‖².
        let excess = sigma * sigma - dot(&segment.rest, &segment.rest);
        let root = if excess > 0.0 { (excess / dot(&segment.drift, &segment.drift)).sqrt() } else { 0.0 };
        // The decrease of λ to the nearest event. Rounding must not put an event above the present λ.
        let mut way = (self.lambda - root).clamp(0.0, self.lambda);
        let mut event = Event::Root;
        let products = transpose_product(self.a, &columns([&segment.residual(self.lambda), &segment.drift]));
        for (j, closed) in self.closed.iter().enumerate() {
            if *closed {
                continue;
            }
            // A column that has just left is on the border, where rounding could let it join and leave endlessly.
            let least = if self.left == Some(j) { GRACE * self.lambda } else { 0.0 };
            for sign in [1.0, -1.0] {
                let distance = (self.lambda - sign * products[(j, 0)]).max(least);
                let speed = 1.0 - sign * products[(j, 1)];
                if distance < way * speed {
                    way = distance / speed;
                    event = Event::Joins(j, sign);
                }
            }
        }
        for (place, (c, slope)) in segment.coefficients(self.lambda).zip(&segment.slope).enumerate() {
            let until_zero = (-c / slope).max(0.0);
            if slope * self.signs[place] < 0.0 && until_zero < way {
                way = until_zero;
                event = Event::Leaves(place);
            }
        }
        match self.lambda - way {
            lambda if lambda > self.floor => Breakpoint { lambda, event },
            _ => Breakpoint { lambda: root.min(self.lambda), event: Event::Root },
        }
    }

    /// Moves to a breakpoint and lets its column join or leave.
    pub fn pass(&mut self, next: Breakpoint) {
        self.lambda = next.lambda;
        self.left = None;
        match next.event {
            Event::Root => {}
            Event::Joins(j, sign) => {
                self.closed[j] = true;
                if self.qr.push(self.column(j)) {
                    self.support.push(j);
                    self.signs.push(sign);
                }
            }
            Event::Leaves(place) => {
                self.qr.remove(place);
                self.signs.remove(place);
                self.left = Some(self.support.remove(place));
                // Columns that depended on this one may be independent now.
                self.closed.fill(false);
                self.support.iter().for_each(|&j| self.closed[j] = true);
            }
        }
    }
}

/// Returns two vectors as the columns of a matrix, so that one pass over A multiplies both.
pub fn columns(vectors: [&[f64]; 2]) -> DMatrix<f64> {
    DMatrix::from_column_slice(vectors[0].len(), 2, &vectors.concat())
}
