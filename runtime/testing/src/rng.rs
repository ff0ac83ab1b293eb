//! Seeded random numbers.

use crate::AWKWARD;

/// SplitMix64: the same seed gives the same test in every run.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// Returns the generator of a seed.
    pub fn new(seed: u64) -> Self {
        Rng(seed)
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a whole number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    /// Returns a number, uniformly distributed on `-scale..scale`.
    pub fn float(&mut self, scale: f32) -> f32 {
        ((self.bits() >> 40) as f32 / (1 << 23) as f32 - 1.0) * scale
    }

    /// Returns `count` numbers on `-scale..scale`.
    pub fn floats(&mut self, count: usize, scale: f32) -> Vec<f32> {
        (0..count).map(|_| self.float(scale)).collect()
    }

    /// Returns `count` readings that are hard on arithmetic: awkward ones, random bits, and ordinary ones.
    pub fn hostile(&mut self, count: usize) -> Vec<f32> {
        let reading = |_| match self.below(4) {
            0 => AWKWARD[self.below(AWKWARD.len())],
            1 => f32::from_bits(self.bits() as u32),
            2 => [1e38, -1e38, f32::INFINITY, f32::NEG_INFINITY][self.below(4)],
            _ => self.float(4.0),
        };
        (0..count).map(reading).collect()
    }

    /// Returns `count` indices below `end`.
    pub fn indices(&mut self, count: usize, end: usize) -> Vec<u16> {
        (0..count).map(|_| self.below(end) as u16).collect()
    }
}
