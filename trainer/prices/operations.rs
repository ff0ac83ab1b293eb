//! Counts of single operations in floating point, where it is software.

use std::path::Path;
use std::time::Duration;

use srfm_runtime::format::{Number, Warp};
use srfm_testing::{OwnedModel, Rng, Shape};

use crate::cost::Core;
use crate::cost::parts::{NAMES, Operations};
use crate::emulate::Emulator;

/// Pairs of numbers that are measured, and readings that are warped.
const PAIRS: usize = 300_000;
const READINGS: usize = 30_000;

/// The operations of pairs of numbers. Warps follow in [`NAMES`].
const OF_PAIRS: usize = 4;

/// The instructions of operations.
#[derive(Clone, Copy, Debug)]
pub struct Counts {
    /// The largest count.
    pub at_most: Operations,
    /// The mean for numbers of about one.
    pub usual: Operations,
    /// The least count where an operand is not a number.
    pub not_a_number: Operations,
}

/// Measures all operations; `host` runs models on the same core.
pub fn measure(core: Core, firmware: &Path, host: &Emulator) -> Counts {
    let program = Emulator::with_program(core.machine(), firmware, "operations").expect("the program builds");
    let rng = &mut Rng::new(3);
    let hostile: Vec<[f32; 2]> = (0..PAIRS).map(|_| hostile_pair(rng)).collect();
    let usual: Vec<[f32; 2]> = (0..2000).map(|_| [rng.float(2.0), rng.float(2.0)]).collect();
    let nans = [[f32::NAN, 1.5], [1.5, f32::NAN], [f32::NAN, f32::NAN]];
    let [hostile, usual, nans] = [&hostile[..], &usual[..], &nans[..]].map(|pairs| counts_of_pairs(&program, pairs));
    let most = |counts: &[[u32; OF_PAIRS]], i: usize| counts.iter().map(|count| count[i]).max().unwrap_or(0);
    let mean = |counts: &[[u32; OF_PAIRS]], i: usize| {
        counts.iter().map(|count| f64::from(count[i])).sum::<f64>() / counts.len() as f64
    };
    let mut counts = [[0.0; NAMES.len()]; 3];
    for i in 0..OF_PAIRS {
        counts[0][i] = most(&hostile, i).into();
        counts[1][i] = mean(&usual, i);
        counts[2][i] = nans.iter().map(|count| count[i]).min().unwrap_or(0).into();
    }
    for (i, warp) in (OF_PAIRS..).zip([Warp::Log, Warp::Sqrt]) {
        [counts[0][i], counts[1][i]] = counts_of_warp(host, warp, rng);
    }
    let [at_most, usual, not_a_number] = counts.map(Operations);
    Counts { at_most, usual, not_a_number }
}

/// Returns the counts of the operations on each pair.
fn counts_of_pairs(program: &Emulator, pairs: &[[f32; 2]]) -> Vec<[u32; OF_PAIRS]> {
    let files = [("samples.f32", bytemuck::cast_slice(pairs))];
    let words = program.execute(&files, Duration::from_mins(10)).expect("the program runs");
    words.as_chunks().0.to_vec()
}

/// Returns the largest and the mean number of instructions that a warp takes beyond those for a reading that is not a
/// number.
fn counts_of_warp(host: &Emulator, warp: Warp, rng: &mut Rng) -> [f64; 2] {
    let shape = Shape { prepared: 1, ..Shape::default() };
    let mut model = OwnedModel::random(&shape, rng);
    model.prepared[0].warp = warp.number();
    model.prepared[0].centre = 0.0;
    let usual = (0..READINGS / 10).map(|_| rng.float(4.0).abs()).collect::<Vec<f32>>();
    let mut readings = vec![f32::NAN];
    readings.extend(&usual);
    readings.extend((0..READINGS).map(|_| hostile(rng)));
    let run = host.run(&model.blob(), &readings).expect("the model runs");
    let first = f64::from(run.instructions[0]);
    let counts = &run.instructions[1..];
    let mean = counts[..usual.len()].iter().map(|&count| f64::from(count)).sum::<f64>() / usual.len() as f64;
    [counts.iter().max().map_or(0.0, |&most| f64::from(most)) - first, mean - first]
}

/// Returns two numbers, often of nearly the same size.
fn hostile_pair(rng: &mut Rng) -> [f32; 2] {
    let a = hostile(rng);
    if rng.below(2) == 0 {
        return [a, hostile(rng)];
    }
    let away = match rng.below(4) {
        0 => rng.below(3) as u32,
        1 => 1 << rng.below(24),
        2 => (1_u32 << rng.below(24)).wrapping_neg(),
        _ => (rng.below(31) as u32).wrapping_sub(15) << 23,
    };
    let sign = (rng.below(2) as u32) << 31;
    [a, f32::from_bits(a.to_bits().wrapping_add(away) ^ sign)]
}

/// Returns a number of any size: often zero, subnormal or near the largest, often with a special mantissa.
fn hostile(rng: &mut Rng) -> f32 {
    let exponent = match rng.below(6) {
        0 => rng.below(3),
        1 => 253 + rng.below(3),
        2 => 0,
        _ => rng.below(256),
    } as u32;
    let mantissa = match rng.below(6) {
        0 => 0,
        1 => 1 << rng.below(23),
        2 => 0x7f_ffff,
        3 => 0x7f_ffff << rng.below(23),
        _ => rng.bits() as u32,
    };
    f32::from_bits((rng.below(2) as u32) << 31 | exponent << 23 | mantissa & 0x7f_ffff)
}

/// Whether a model computes in floating point.
pub fn is_float(path: &str) -> bool {
    path.starts_with(Number::F32.name())
}
