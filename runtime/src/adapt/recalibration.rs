//! Ridge regression over the latest references, and a recent offset over the last few of them.
//!
//! The coefficients θ solve `(Σ λ^age φ φᵀ + α I) θ = Σ λ^age φ r`, with the regressors φ and the residual r of a
//! reference that is `age` references old. The ridge α does not fade with the references, so the matrix stays positive
//! definite, and coefficients that the latest references do not determine return to 0.
//!
//! The recent offset is half of an exponential mean of the errors that the regression leaves. Each reference has half
//! the weight of the next one, so the recent offset follows changes that are too fast for the regression.
//!
//! Each of these two corrections is multiplied by a weight of its own, its share.

use super::share::Share;

/// The settings of a recalibration. Residuals are in units of a usual error of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The weight of every earlier reference at a new one, λ, above 0 and below 1. Default: 0.96, about the latest 25.
    pub forgetting: f32,
    /// The ridge α, above 0. Default: 0.3.
    pub ridge: f32,
    /// What the share of a correction is computed with, beside the sum of squared corrections, in squared usual errors.
    /// A larger value delays corrections. Default: 5.
    pub caution: f32,
    /// The largest norm of the coefficients, and the largest recent offset, above 0 and at most 1e15. Default: 30; an
    /// [`Adaptation`](super::Adaptation) takes the range of the output where that is larger.
    pub bound: f32,
}

impl Settings {
    /// The default settings.
    pub const DEFAULT: Settings = Settings { forgetting: 0.96, ridge: 0.3, caution: 5.0, bound: 30.0 };
}

/// The largest surprise of a reference, as a multiple of the usual one: what is beyond counts as this. It limits what a
/// single wrong reference changes; a lasting change raises what is usual.
const LARGEST_SURPRISE: f32 = 10.0;

/// The references that the usual surprise goes back, and its least value in usual errors.
const MEMORY: f32 = 10.0;
const LEAST_USUAL: f32 = 1.0;

/// The factors of the old recent offset and of the new error: the mean halves old errors, and the offset is half of it.
const RECENT_KEEPS: f32 = 0.5;
const RECENT_TAKES: f32 = 0.5 * (1.0 - RECENT_KEEPS);

/// The coefficients of `N` regressors, with `T = N (N + 1) / 2` sums of products.
#[derive(Clone, Debug, PartialEq)]
pub struct Recalibration<const N: usize, const T: usize> {
    /// The lower triangle of the sums of products of regressors, row by row.
    products: [f32; T],
    /// The sums of products of regressors and residuals.
    targets: [f32; N],
    coefficients: [f32; N],
    /// The share of the regression.
    share: Share,
    /// The saved coefficients and their share.
    saved: [f32; N],
    saved_share: Share,
    /// The recent offset without its share, and its share.
    recent: f32,
    recent_share: Share,
    /// The mean magnitude of the latest differences between residuals and corrections.
    usual: f32,
    settings: Settings,
}

impl<const N: usize, const T: usize> Recalibration<N, T> {
    /// Starts with the factory's model.
    pub const fn new(settings: Settings) -> Self {
        const { assert!(2 * T == N * (N + 1), "T is N (N + 1) / 2") };
        Recalibration {
            products: [0.0; T],
            targets: [0.0; N],
            coefficients: [0.0; N],
            share: Share::NONE,
            saved: [0.0; N],
            saved_share: Share::NONE,
            recent: 0.0,
            recent_share: Share::NONE,
            usual: LEAST_USUAL,
            settings,
        }
    }

    /// Returns the coefficients; zeros are the factory's model.
    pub const fn coefficients(&self) -> &[f32; N] {
        &self.coefficients
    }

    /// Returns the share of the coefficients, from 0 to 1.
    pub const fn share(&self) -> f32 {
        self.share.value()
    }

    /// Returns the recent offset times its share, in usual errors.
    pub fn recent_offset(&self) -> f32 {
        self.recent_share.value() * self.recent
    }

    /// Returns whether corrections take effect at all.
    pub fn is_in_use(&self) -> bool {
        self.share.value() > 0.0 || self.recent_share.value() > 0.0
    }

    /// Returns the correction in usual errors.
    pub fn correction(&self, regressors: &[f32; N]) -> f32 {
        self.share() * self.whole(regressors) + self.recent_offset()
    }

    fn whole(&self, regressors: &[f32; N]) -> f32 {
        self.coefficients.iter().zip(regressors).fold(0.0, |sum, (c, x)| sum + c * x)
    }

    /// Takes the residual of the factory's model at a reference, in usual errors. Both are to be finite.
    pub fn learn(&mut self, regressors: &[f32; N], residual: f32) {
        let correction = self.whole(regressors);
        let largest = LARGEST_SURPRISE * self.usual;
        let limited = |surprise: f32| surprise.max(-largest).min(largest);
        let left = limited(residual - self.share() * correction);
        let surprise = limited(residual - correction);
        let usual = self.usual + (surprise.abs() - self.usual) / MEMORY;
        // `clamp` would contain a panic, for limits that cross.
        self.usual = usual.min(self.settings.bound).max(LEAST_USUAL);
        let target = correction + surprise;
        self.share.learn(target, correction, self.settings.caution);
        self.recent_share.learn(left, self.recent, self.settings.caution);
        let recent = RECENT_KEEPS * self.recent + RECENT_TAKES * left;
        self.recent = recent.max(-self.settings.bound).min(self.settings.bound);
        let forgetting = self.settings.forgetting;
        let mut products = self.products.iter_mut();
        for (row, x) in regressors.iter().enumerate() {
            // The shorter iterator comes first, so that no product is skipped.
            for (other, product) in regressors.iter().take(row + 1).zip(products.by_ref()) {
                *product = forgetting * *product + x * other;
            }
        }
        for (sum, x) in self.targets.iter_mut().zip(regressors) {
            *sum = forgetting * *sum + x * target;
        }
        self.solve();
    }

    /// Solves the normal equations. Coefficients that are not finite do not replace the present ones.
    fn solve(&mut self) {
        let mut solution = self.targets;
        solve(&mut self.products.clone(), &mut solution, self.settings.ridge);
        let norm2 = solution.iter().fold(0.0, |sum, c| sum + c * c);
        let most = self.settings.bound * self.settings.bound;
        // The factor is at most that of the bound, and needs no square root.
        let factor = if norm2 > most { most / norm2 } else { 1.0 };
        if norm2.is_finite() {
            self.coefficients = solution.map(|c| factor * c);
        }
    }

    /// Keeps the coefficients and their share for [`rollback`](Self::rollback).
    pub fn save(&mut self) {
        self.saved = self.coefficients;
        self.saved_share = self.share;
    }

    /// Returns to the saved coefficients and their share, at first those of the factory, without a recent offset. Later
    /// references are learned on from there; earlier ones no longer count.
    pub fn rollback(&mut self) {
        self.coefficients = self.saved;
        self.share = self.saved_share;
        self.recent = 0.0;
        self.recent_share = Share::NONE;
        self.usual = LEAST_USUAL;
        self.products = [0.0; T];
        self.targets = self.saved.map(|c| self.settings.ridge * c);
    }

    /// Returns to the factory's model, bit for bit.
    pub fn reset(&mut self) {
        *self = Recalibration::new(self.settings);
    }
}

/// Solves for `solution` in place, by the factors `L D Lᵀ`, which need no square root. `factors` holds the lower
/// triangle of the matrix row by row, to whose diagonal the ridge is added.
fn solve<const N: usize>(factors: &mut [f32], solution: &mut [f32; N], ridge: f32) {
    let mut diagonal = [1.0; N];
    for row in 0..N {
        let Some((before, own)) = factors.split_at_mut_checked(row * (row + 1) / 2) else { return };
        for (column, scale) in diagonal.iter().enumerate().take(row) {
            let first = column * (column + 1) / 2;
            let (Some(earlier), Some((done, [value, ..]))) =
                (before.get(first..first + column), own.split_at_mut_checked(column))
            else {
                return;
            };
            *value = (*value - weighted(done, earlier, &diagonal)) / scale;
        }
        let Some((done, [value, ..])) = own.split_at_mut_checked(row) else { return };
        let known = done.iter().zip(&*solution).fold(0.0, |sum, (l, s)| sum + l * s);
        // In exact arithmetic every entry of the diagonal is at least the ridge.
        let pivot = (*value + ridge - weighted(done, done, &diagonal)).max(0.5 * ridge);
        if let (Some(entry), Some(sum)) = (diagonal.get_mut(row), solution.get_mut(row)) {
            *entry = pivot;
            *sum -= known;
        }
    }
    solution.iter_mut().zip(diagonal).for_each(|(sum, pivot)| *sum /= pivot);
    for row in (0..N).rev() {
        let first = row * (row + 1) / 2;
        let (Some((others, [own, ..])), Some(factors)) = (solution.split_at_mut_checked(row), factors.get(first..))
        else {
            return;
        };
        others.iter_mut().zip(factors).for_each(|(other, factor)| *other -= factor * *own);
    }
}

/// Returns `Σ a b d`, over the length of `a`.
fn weighted(a: &[f32], b: &[f32], d: &[f32]) -> f32 {
    a.iter().zip(b).zip(d).fold(0.0, |sum, ((a, b), d)| sum + a * b * d)
}
