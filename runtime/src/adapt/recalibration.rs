//! A Kalman filter of the coefficients, and a recent offset over the last few references.
//!
//! The coefficients θ are those of a linear function of the regressors φ, which is added to the factory's model. They
//! follow a random walk that returns to the factory's model, where all of them are 0: `θ ← A θ + w`. Without references
//! every coefficient has the mean 0 and the variance V; hence w has the variance `Q = (1 − A²) V`. A reference has the
//! residual `r = φᵀθ + e`, and e has the variance of a usual error, 1. The filter is that of R. E. Kalman, "A new
//! approach to linear filtering and prediction problems", 1960.
//!
//! The covariance P of the coefficients says what the references have determined. A reference changes the coefficients
//! in the directions that its regressors excite, by the gain `P φ / (φᵀ P φ + 1)`. Coefficients in other directions
//! return to 0 slowly, by the factor A for each reference. The eigenvalues of P stay between Q and V.
//!
//! The fields hold `R = V I − P`, the variance that the references have removed. R starts at 0. Its update
//! `R ← A² (R + g gᵀ / (φᵀ g + 1))`, with `g = P φ`, subtracts nothing, and the factor A² makes rounding errors fade.
//!
//! The recent offset is half of an exponential mean of the errors that the filter leaves. Each reference has half the
//! weight of the next one, so the recent offset follows changes that are too fast for the filter.
//!
//! Each of these two corrections is multiplied by a weight of its own, its share.

use super::share::Share;

/// The settings of a recalibration. Residuals are in units of a usual error of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The factor A by which coefficients return to those of the factory at every reference, above 0 and at most 0.999.
    /// Default: 0.995, so that a coefficient that no reference excites is halved in 138 references.
    pub keeps: f32,
    /// The variance V of a coefficient without references, in squared usual errors, above 0 and at most 100. A larger
    /// value follows each reference further. Default: 1 / 0.3, a standard deviation of 1.8 usual errors.
    pub variance: f32,
    /// The number of mean squares of what a correction leaves of the errors that its share is shrunk by. A larger value
    /// delays corrections. At least 0. Default: 5.
    pub caution: f32,
    /// The largest norm of the coefficients, and the largest recent offset, above 0 and at most 1e15. Default: 30; an
    /// [`Adaptation`](super::Adaptation) takes the range of the output where that is larger.
    pub bound: f32,
}

impl Settings {
    /// The default settings.
    pub const DEFAULT: Settings = Settings { keeps: 0.995, variance: 1.0 / 0.3, caution: 5.0, bound: 30.0 };
}

/// The largest surprise of a reference, as a multiple of the usual one: what is beyond counts as this. It limits what a
/// single wrong reference changes; a lasting change raises what is usual.
const LARGEST_SURPRISE: f32 = 5.0;

/// The references that the usual surprise goes back, and its least value in usual errors.
const MEMORY: f32 = 10.0;
const LEAST_USUAL: f32 = 1.0;

/// The factors of the old recent offset and of the new error: the mean halves old errors, and the offset is half of it.
const RECENT_KEEPS: f32 = 0.5;
const RECENT_TAKES: f32 = 0.5 * (1.0 - RECENT_KEEPS);

/// The coefficients of `N` regressors, with `T = N (N + 1) / 2` entries of their covariance.
#[derive(Clone, Debug, PartialEq)]
pub struct Recalibration<const N: usize, const T: usize> {
    /// The lower triangle of `V I − P`, row by row.
    removed: [f32; T],
    coefficients: [f32; N],
    /// The share of the coefficients.
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
            removed: [0.0; T],
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

    /// Returns the settings.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the state, in the order of a saved one.
    pub(super) fn floats(&self) -> impl Iterator<Item = f32> {
        let removed = self.removed.iter().chain(&self.coefficients).copied().chain(self.share.floats());
        let saved = self.saved.into_iter().chain(self.saved_share.floats());
        removed.chain(saved).chain([self.recent]).chain(self.recent_share.floats()).chain([self.usual])
    }

    /// Returns the places of the state, in the same order.
    pub(super) fn floats_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        let removed = self.removed.iter_mut().chain(&mut self.coefficients).chain(self.share.floats_mut());
        let saved = self.saved.iter_mut().chain(self.saved_share.floats_mut());
        let recent = [&mut self.recent].into_iter().chain(self.recent_share.floats_mut());
        removed.chain(saved).chain(recent).chain([&mut self.usual])
    }

    /// Returns whether corrections take effect at all.
    pub fn is_in_use(&self) -> bool {
        self.share.value() > 0.0 || self.recent_share.value() > 0.0
    }

    /// Returns the correction in usual errors.
    pub fn correction(&self, regressors: &[f32; N]) -> f32 {
        self.share() * product(&self.coefficients, regressors) + self.recent_offset()
    }

    /// Returns the variance of the correction before its share, `φᵀ P φ`, in squared usual errors. Without references
    /// it is V times the sum of squares of the regressors.
    pub fn variance(&self, regressors: &[f32; N]) -> f32 {
        product(regressors, &self.gains(regressors))
    }

    /// Takes the residual of the factory's model at a reference, in usual errors. Both are to be finite.
    pub fn learn(&mut self, regressors: &[f32; N], residual: f32) {
        let correction = product(&self.coefficients, regressors);
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
        self.filter(regressors, surprise);
    }

    /// Moves the coefficients and their covariance by a reference, and on to the next one.
    fn filter(&mut self, regressors: &[f32; N], surprise: f32) {
        let gains = self.gains(regressors);
        let variance = product(regressors, &gains) + 1.0;
        if !variance.is_finite() {
            return;
        }
        // In exact arithmetic the variance of a reference is at least 1.
        let variance = variance.max(1.0);
        let (keeps, step) = (self.settings.keeps, surprise / variance);
        let mut coefficients = self.coefficients;
        for (coefficient, gain) in coefficients.iter_mut().zip(&gains) {
            *coefficient = keeps * (*coefficient + gain * step);
        }
        let norm2 = product(&coefficients, &coefficients);
        let most = self.settings.bound * self.settings.bound;
        // The factor is at most that of the bound, and needs no square root.
        let factor = if norm2 > most { most / norm2 } else { 1.0 };
        if norm2.is_finite() {
            self.coefficients = coefficients.map(|c| factor * c);
        }
        let kept = keeps * keeps;
        let mut entries = self.removed.iter_mut();
        for (row, gain) in gains.iter().enumerate() {
            let scaled = gain / variance;
            // The shorter iterator comes first, so that no entry is skipped.
            for (other, entry) in gains.iter().take(row + 1).zip(entries.by_ref()) {
                *entry = kept * (*entry + scaled * other);
            }
        }
    }

    /// Returns `P φ`.
    fn gains(&self, regressors: &[f32; N]) -> [f32; N] {
        let mut gains = [0.0; N];
        let mut entries = self.removed.iter();
        for (row, x) in regressors.iter().enumerate() {
            let Some((before, [own, ..])) = gains.split_at_mut_checked(row) else { break };
            for ((sum, other), entry) in before.iter_mut().zip(regressors).zip(entries.by_ref()) {
                *sum += entry * x;
                *own += entry * other;
            }
            *own += entries.next().map_or(0.0, |entry| entry * x);
        }
        for (gain, x) in gains.iter_mut().zip(regressors) {
            *gain = self.settings.variance * x - *gain;
        }
        gains
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
        self.removed = [0.0; T];
    }

    /// Returns to the factory's model, bit for bit.
    pub fn reset(&mut self) {
        *self = Recalibration::new(self.settings);
    }
}

/// Returns `aᵀ b`.
fn product<const N: usize>(a: &[f32; N], b: &[f32; N]) -> f32 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b)
}
