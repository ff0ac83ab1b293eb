//! Householder's reflections.

use super::product::{add_scaled, dot};

/// The reflection `I − factor · v vᵀ`, which turns a vector to the direction of the first axis.
pub(super) struct Reflector {
    /// The direction v; its first entry is one.
    v: Vec<f64>,
    factor: f64,
}

impl Reflector {
    /// The reflection that turns `x`, which is not empty, to the first axis, and the first entry of the result.
    #[inline(always)]
    pub fn of(x: &[f64]) -> (Reflector, f64) {
        let mut v = x.to_vec();
        let rest = dot(&x[1..], &x[1..]);
        v[0] = 1.0;
        if rest == 0.0 {
            return (Reflector { v, factor: 0.0 }, x[0]);
        }
        // The sign that adds, so that nothing cancels.
        let image = -(x[0] * x[0] + rest).sqrt().copysign(x[0]);
        let scale = x[0] - image;
        v[1..].iter_mut().for_each(|value| *value /= scale);
        (Reflector { v, factor: -scale / image }, image)
    }

    /// Replaces `x`, as long as v, by its reflection.
    #[inline(always)]
    pub fn apply(&self, x: &mut [f64]) {
        add_scaled(x, -self.factor * dot(&self.v, x), &self.v);
    }

    /// The direction v.
    pub fn direction(&self) -> &[f64] {
        &self.v
    }

    /// The factor of `v vᵀ`.
    pub fn factor(&self) -> f64 {
        self.factor
    }
}
