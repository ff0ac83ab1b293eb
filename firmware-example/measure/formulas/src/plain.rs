//! Polynomials and piecewise linear tables.

/// Returns the sum of all monomials of the scaled readings up to the degree that TERMS says, times their coefficients.
///
/// The monomials of each degree are those of the degree before, times a reading. `scaling` has the mean and the inverse
/// of the deviation of each reading.
pub fn polynomial<const INPUTS: usize, const TERMS: usize>(
    x: &[f32; INPUTS],
    scaling: &[[f32; 2]; INPUTS],
    coefficients: &[f32; TERMS],
) -> f32 {
    let mut z = [0.0; INPUTS];
    for ((z, x), [mean, inverse]) in z.iter_mut().zip(x).zip(scaling) {
        *z = (x - mean) * inverse;
    }
    let mut monomials = [1.0; TERMS];
    let mut y = coefficients[0];
    let (mut starts, mut end) = ([0; INPUTS], 1);
    loop {
        let last = end;
        for (z, start) in z.iter().zip(&mut starts) {
            let first = core::mem::replace(start, end);
            for place in first..last {
                let Some(&monomial) = monomials.get(place) else { return y };
                let (Some(next), Some(coefficient)) = (monomials.get_mut(end), coefficients.get(end)) else { return y };
                *next = monomial * z;
                y += *next * coefficient;
                end += 1;
            }
        }
    }
}

/// Returns the knot below a reading, and the share of the knot above.
fn place<const KNOTS: usize>(x: f32, [first, per_knot]: [f32; 2]) -> (usize, f32) {
    let along = ((x - first) * per_knot).clamp(0.0, (KNOTS - 1) as f32);
    let knot = (along as usize).min(KNOTS - 2);
    (knot, along - knot as f32)
}

/// Interpolates in a table of one reading. `axis` has the reading of the first knot and the knots per unit.
pub fn table_1<const KNOTS: usize>(x: f32, axis: [f32; 2], values: &[f32; KNOTS]) -> f32 {
    let (knot, above) = place::<KNOTS>(x, axis);
    match values.get(knot..knot + 2) {
        Some([a, b]) => a + above * (b - a),
        _ => 0.0,
    }
}

/// Interpolates in a table of two readings.
pub fn table_2<const KNOTS: usize>(x: [f32; 2], axes: [[f32; 2]; 2], values: &[[f32; KNOTS]; KNOTS]) -> f32 {
    let ((row, below), (column, right)) = (place::<KNOTS>(x[0], axes[0]), place::<KNOTS>(x[1], axes[1]));
    let Some([upper, lower]) = values.get(row..row + 2) else { return 0.0 };
    let (Some([a, b]), Some([c, d])) = (upper.get(column..column + 2), lower.get(column..column + 2)) else {
        return 0.0;
    };
    let (first, second) = (a + right * (b - a), c + right * (d - c));
    first + below * (second - first)
}
