//! Random numbers, spectral laws and sparse supports.
//!
//! The generators are a few lines over xoshiro256++ and libm, so that a seed means the same on every machine and in
//! every later release.

use std::f64::consts::{PI, TAU};

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use crate::features::Feature;

/// A stream of random numbers that a seed determines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sampler(Xoshiro256PlusPlus);

impl Sampler {
    /// The stream of `seed`.
    pub fn new(seed: u64) -> Sampler {
        Sampler(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// Another stream of the same seed: the draws for one purpose do not shift those for another.
    pub fn stream(seed: u64, purpose: u64) -> Sampler {
        let mut sampler = Sampler::new(seed ^ purpose.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        sampler.0.jump();
        sampler
    }

    /// Uniform on `[low, high)`.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.0.next_u64() >> 11) as f64 * f64::EPSILON / 2.0; // 53 bits
        low + (high - low) * unit
    }

    /// Standard normal (Box and Muller 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.uniform(0.0, 1.0)));
        radius * libm::cos(self.uniform(0.0, TAU))
    }

    /// Uniform on `0..n`, without bias (Lemire 2019). `n` must not be 0.
    pub fn below(&mut self, n: usize) -> usize {
        let n = n as u64;
        let threshold = n.wrapping_neg() % n;
        loop {
            let product = u128::from(self.0.next_u64()) * u128::from(n);
            if product as u64 >= threshold {
                return (product >> 64) as usize;
            }
        }
    }

    /// The numbers `0..n` in random order (Fisher and Yates).
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }

    /// `size` different numbers below `n`, ascending, every set of them equally likely; all of them, and nothing is
    /// drawn, where there are not more.
    pub fn choose(&mut self, n: usize, size: usize) -> Vec<usize> {
        if size >= n {
            return (0..n).collect();
        }
        // Floyd's algorithm as in `subset`, which is for a few members: here a look-up takes the place of a search.
        let mut chosen = vec![false; n];
        for last in n - size..n {
            let candidate = self.below(last + 1);
            let candidate = if chosen[candidate] { last } else { candidate };
            chosen[candidate] = true;
        }
        (0..n).filter(|&i| chosen[i]).collect()
    }

    /// `size` different members of `set`, ascending; every subset is equally likely (Floyd's algorithm).
    pub(crate) fn subset(&mut self, set: &[usize], size: usize) -> Vec<usize> {
        let mut positions: Vec<usize> = Vec::with_capacity(size);
        for last in set.len() - size..set.len() {
            let candidate = self.below(last + 1);
            positions.push(if positions.contains(&candidate) { last } else { candidate });
        }
        positions.sort_unstable();
        positions.into_iter().map(|p| set[p]).collect()
    }
}

/// How the non-zero weights and the bias of a random feature are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "law")]
pub enum SpectralLaw {
    /// Weights N(0, `scale`²), bias uniform on `[0, 2π)`.
    Normal {
        /// Standard deviation of a weight, in radians per unit of the input.
        scale: f64,
    },
    /// Weights Cauchy with half width `scale` (the spectral law of the Laplace kernel), bias uniform on `[0, 2π)`.
    Cauchy {
        /// Half width at half maximum, in radians per unit of the input.
        scale: f64,
    },
    /// Weights Laplace with mean magnitude `scale` (the spectral law of the Cauchy kernel), bias uniform on `[0, 2π)`.
    Laplace {
        /// Mean magnitude, in radians per unit of the input.
        scale: f64,
    },
    /// Weights and bias uniform on `[-scale, scale)`.
    Uniform {
        /// Half width, in radians per unit of the input.
        scale: f64,
    },
}

impl SpectralLaw {
    /// The scale of the weights.
    pub(crate) fn scale(self) -> f64 {
        match self {
            SpectralLaw::Normal { scale }
            | SpectralLaw::Cauchy { scale }
            | SpectralLaw::Laplace { scale }
            | SpectralLaw::Uniform { scale } => scale,
        }
    }

    /// The same law with another scale.
    pub(crate) fn with_scale(self, scale: f64) -> SpectralLaw {
        match self {
            SpectralLaw::Normal { .. } => SpectralLaw::Normal { scale },
            SpectralLaw::Cauchy { .. } => SpectralLaw::Cauchy { scale },
            SpectralLaw::Laplace { .. } => SpectralLaw::Laplace { scale },
            SpectralLaw::Uniform { .. } => SpectralLaw::Uniform { scale },
        }
    }

    /// Draws one weight.
    pub(crate) fn weight(self, sampler: &mut Sampler) -> f64 {
        match self {
            SpectralLaw::Normal { scale } => scale * sampler.normal(),
            SpectralLaw::Cauchy { scale } => scale * libm::tan(PI * (sampler.uniform(0.0, 1.0) - 0.5)),
            SpectralLaw::Laplace { scale } => {
                let unit = sampler.uniform(-1.0, 1.0);
                -scale * libm::log1p(-unit.abs()) * unit.signum()
            }
            SpectralLaw::Uniform { scale } => sampler.uniform(-scale, scale),
        }
    }

    fn bias(self, sampler: &mut Sampler) -> f64 {
        match self {
            SpectralLaw::Normal { .. } | SpectralLaw::Cauchy { .. } | SpectralLaw::Laplace { .. } => {
                sampler.uniform(0.0, TAU)
            }
            SpectralLaw::Uniform { scale } => sampler.uniform(-scale, scale),
        }
    }

    /// Draws `count` features, each on `order` of the given inputs (on all where there are fewer).
    pub fn sample(self, count: usize, inputs: &[usize], order: usize, sampler: &mut Sampler) -> Vec<Feature> {
        let order = order.min(inputs.len());
        let draw = |_| Feature {
            support: sampler.subset(inputs, order),
            weights: (0..order).map(|_| self.weight(sampler)).collect(),
            bias: self.bias(sampler),
        };
        (0..count).map(draw).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_means_the_same_for_ever() {
        // splitmix64 of 1 fills the state of xoshiro256++; its first draws are cfc5d07f6f03c29b and bf424132963fe08d.
        let mut sampler = Sampler::new(1);
        assert_eq!(sampler.uniform(0.0, 1.0), 0.8116121588818848);
        assert_eq!(sampler.uniform(0.0, 1.0), 0.7471047161582187);
    }

    #[test]
    fn normal_has_unit_variance_and_the_tails_of_a_normal() {
        let mut sampler = Sampler::new(3);
        let n = 200_000;
        let draws: Vec<f64> = (0..n).map(|_| sampler.normal()).collect();
        let mean = draws.iter().sum::<f64>() / n as f64;
        let variance = draws.iter().map(|v| v * v).sum::<f64>() / n as f64;
        let beyond_two = draws.iter().filter(|v| v.abs() > 2.0).count() as f64 / n as f64;
        // Four standard errors: 1/√n, √(2/n), √(p(1−p)/n).
        assert!(mean.abs() < 4.0 / (n as f64).sqrt());
        assert!((variance - 1.0).abs() < 4.0 * (2.0 / n as f64).sqrt());
        assert!((beyond_two - 0.045_500).abs() < 4.0 * (0.0455_f64 * 0.9545 / n as f64).sqrt());
    }

    #[test]
    fn quartiles_are_those_of_the_laws() {
        let n = 100_000;
        let upper_quartile = |law: SpectralLaw| {
            let mut sampler = Sampler::new(9);
            let mut draws: Vec<f64> = (0..n).map(|_| law.weight(&mut sampler)).collect();
            draws.sort_unstable_by(f64::total_cmp);
            draws[3 * n / 4]
        };
        // Quantile functions at 3/4; four standard errors, √(p(1−p)/n) over the density there (0.15 or more): 0.04.
        assert!((upper_quartile(SpectralLaw::Normal { scale: 1.0 }) - 0.674_49).abs() < 0.04);
        assert!((upper_quartile(SpectralLaw::Cauchy { scale: 1.0 }) - 1.0).abs() < 0.04);
        assert!((upper_quartile(SpectralLaw::Laplace { scale: 1.0 }) - std::f64::consts::LN_2).abs() < 0.04);
        assert!((upper_quartile(SpectralLaw::Uniform { scale: 1.0 }) - 0.5).abs() < 0.04);
    }

    #[test]
    fn every_subset_is_equally_likely() {
        let mut sampler = Sampler::new(5);
        let set = [2, 3, 5, 7, 11];
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..10_000 {
            *counts.entry(sampler.subset(&set, 2)).or_insert(0_u32) += 1;
        }
        assert_eq!(counts.len(), 10);
        // Each count is binomial(10⁴, 1/10): standard deviation 30.
        assert!(counts.values().all(|&c| c.abs_diff(1000) < 130), "{counts:?}");
        assert_eq!(sampler.subset(&set, 5), set);
        let members: Vec<usize> = (0..5).collect();
        for seed in 0..20 {
            assert_eq!(Sampler::new(seed).choose(5, 2), Sampler::new(seed).subset(&members, 2));
        }
        assert_eq!(sampler.choose(3, 9), [0, 1, 2]);
    }
}
