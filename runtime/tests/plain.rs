//! An evaluation of models as `docs/format.md` describes it, independent of the runtime and without regard to speed.

use std::f64::consts::TAU;

use srfm_runtime::format::{ALL, Kernel, LIMITED, Number, Prepared, REPLACED, packs};
use srfm_testing::{IntegerBlock, OwnedBlock, OwnedIntegers, OwnedModel, OwnedNode, OwnedTrees};

/// Returns the values of a kernel, with the bits of the coefficients.
pub fn values(kernel: Kernel, t: f32) -> Vec<f32> {
    let [d0, d1, d2] = [0xbdb5_414c, 0x3f15_0f75, 0xbf92_a7f2].map(f32::from_bits);
    let [e0, e1, e2, e3] = [0x3c91_a7c0, 0xbeb3_b1d5, 0x3f93_c844, 0xbfc1_feeb].map(f32::from_bits);
    let [c0, c1, c2, c3] = [0x42d0_fbe8, 0x4290_d9fe, 0x41c8_d4e6, 0x40ba_f86c].map(f32::from_bits);
    match kernel {
        Kernel::Cosine | Kernel::Polynomial => {
            let r = t - ((t + 12_582_912.0) - 12_582_912.0);
            let s = 0.25 - r.abs();
            let u = s * s;
            vec![s * (d0 + u * (d1 + u * (d2 + u)))]
        }
        Kernel::Sincos => {
            let n = t + 6_291_456.0;
            let r = t - (n - 6_291_456.0);
            let u = r * r;
            let w = u * u;
            let sign = if n.to_bits() % 2 == 1 { -1.0 } else { 1.0 };
            vec![sign * (r * ((d0 + u * d1) + w * (d2 + u))), sign * ((e0 + u * e1) + w * ((e2 + u * e3) + w))]
        }
        Kernel::Sigmoid => {
            let p = (t * f32::from_bits(0xbfb8_aa3b)).clamp(-64.0, 64.0);
            let n = p + 12_583_039.0;
            let f = p - (n - 12_583_039.0);
            let power = f32::from_bits(n.to_bits() << 23);
            vec![1.0 / (f32::from_bits(0x42d0_fbf2) + (c0 + f * (c1 + f * (c2 + f * (c3 + f)))) * power)]
        }
        Kernel::Relu => vec![t + t.abs()],
        Kernel::Square => vec![t * t],
    }
}

/// Returns a warped reading.
pub fn warp(number: u8, x: f32) -> f32 {
    if number == 0 || x.is_nan() || x == f32::INFINITY {
        return x;
    }
    if number == 1 {
        let l = [0x3fb8_aa62, 0xbf38_ac17, 0x3ef5_ff83, 0xbeb7_c9d9, 0x3e98_32ce, 0xbe8b_9f14, 0x3e2e_bad4];
        let bits = x.max(f32::MIN_POSITIVE).to_bits() as i32;
        let n = (bits - 0x3f35_04f3) >> 23;
        let f = f32::from_bits((bits - (n << 23)) as u32) - 1.0;
        let polynomial = l.into_iter().rev().map(f32::from_bits).reduce(|sum, l| l + f * sum).unwrap();
        return n as f32 + f * polynomial;
    }
    let x = if x < f32::MIN_POSITIVE { 0.0 } else { x };
    let newton = |r: f32, _| r * (1.5 - 0.5 * ((x * r) * r));
    x * (0..3).fold(f32::from_bits(0x5f37_59df - (x.to_bits() >> 1)), newton)
}

/// Returns a warped count.
pub fn warp_count(number: u8, count: i16) -> i16 {
    match number {
        0 => count,
        1 => {
            let c = i32::from(count.max(1));
            let k = c.ilog2();
            let f = (c << (15 - k)) - 32768;
            let p = [-6348, 13624, -23237, 47249].into_iter().fold(1483, |p, q| ((p * f) >> 15) + q);
            ((((k as i32) - 8) << 12) + ((p * f + 131_072) >> 18)) as i16
        }
        _ => (32768.0 * f64::from(count.max(0))).sqrt().round() as i16,
    }
}

/// Returns the line of a function of 256 segments at `t`; `function` takes the signed number of a segment's start.
fn line(function: impl Fn(i32) -> f64, t: u32) -> i64 {
    let i = i32::from((t >> 24) as i8);
    let [a, b] = [i, i + 1].map(|i| function(i) * 268_435_456.0);
    let slope = ((b - a) / 256.0).round();
    let lower = i64::from(slope as i32 as u16);
    let upper = ((a + b) / 2.0 + 32768.0 - slope * (256.0 * f64::from(i) + 127.5) - lower as f64) / 65536.0;
    let word = (upper.round() as i64) << 16 | lower;
    i64::from((word + slope as i64 * i64::from(t as i32 >> 16)) as i32 >> 16)
}

/// Returns the values of a kernel in integers.
pub fn integer_values(kernel: Kernel, t: u32, shift_argument: u8) -> Vec<i64> {
    let wider = 1.0 + (TAU / 256.0).powi(2) / 16.0;
    let cosine = |t| line(|i| wider * (TAU * f64::from(i) / 256.0).cos(), t);
    match kernel {
        Kernel::Cosine => vec![cosine(t)],
        Kernel::Sincos => vec![cosine(t.wrapping_sub(1 << 30)), cosine(t)],
        Kernel::Sigmoid => {
            let argument = (t as i32 >> shift_argument).clamp(-(1 << 23), (1 << 23) - 1);
            // The function of the table ends where its argument wraps around.
            vec![line(|i| 1.0 / (1.0 + (-f64::from(i) / 16.0).exp()), (argument as u32) << 8)]
        }
        Kernel::Relu => vec![i64::from((t as i32).max(0) >> 17)],
        Kernel::Square => {
            let t = i64::from(t as i32 >> shift_argument).clamp(-32_768, 32_767);
            vec![(t * t).div_euclid(32_768)]
        }
        Kernel::Polynomial => {
            let t = i64::from(t as i32);
            let s = (0x3fff_ffff - if t < 0 { -t - 1 } else { t }).div_euclid(32_768);
            let u = (s * s).div_euclid(65_536);
            let inner = 10_523 - (1180 * u).div_euclid(16_384);
            let p = 25_728 - (u * inner).div_euclid(16_384);
            vec![(s * p + 65_536).div_euclid(131_072)]
        }
    }
}

/// Returns a reading, or what replaces it where it is NaN.
pub fn replaced(replacements: &[f32], i: usize, prepared: &Prepared, x: f32) -> f32 {
    if x.is_nan() && prepared.warp & REPLACED != 0 { replacements[i] } else { x }
}

/// Returns the inputs of features.
pub fn prepare(model: &OwnedModel, x: &[f32]) -> Vec<f32> {
    match &*model.prepared {
        [] => x.to_vec(),
        prepared => {
            let reading = |(i, p): (usize, &Prepared)| {
                let x = replaced(&model.replacements, i, p, x[usize::from(p.input)]);
                let limits =
                    if p.warp & LIMITED == 0 { [f32::NEG_INFINITY, f32::INFINITY] } else { model.input_limits[i] };
                let x = if x.is_nan() { x } else { x.max(limits[0]).min(limits[1]) };
                warp(p.warp_number(), x) - p.centre
            };
            prepared.iter().enumerate().map(reading).collect()
        }
    }
}

/// A feature, its indices written out.
#[derive(Clone)]
pub struct Feature {
    pub kernel: Kernel,
    /// None for a kernel without bias.
    pub bias: Option<f32>,
    pub weights: Vec<f32>,
    /// The amplitudes of each output together.
    pub amplitudes: Vec<f32>,
    pub support: Vec<u16>,
}

impl Feature {
    /// Returns the record of the feature.
    pub fn record(&self) -> Vec<f32> {
        self.bias.iter().chain(&self.weights).chain(&self.amplitudes).copied().collect()
    }
}

/// Returns the features of one block.
pub fn features(model: &OwnedModel, block: &OwnedBlock) -> Vec<Feature> {
    let view = if model.prepared.is_empty() { model.inputs } else { model.prepared.len() as u16 };
    let order = usize::from(if block.order == ALL { view } else { block.order });
    let (biased, values) = if block.kernel == Kernel::Sincos { (0, 2) } else { (1, 1) };
    let feature = |(j, record): (usize, &[f32])| Feature {
        kernel: block.kernel,
        bias: (biased == 1).then(|| record[0]),
        weights: record[biased..][..order].to_vec(),
        amplitudes: record[biased + order..].to_vec(),
        support: match block.order {
            ALL => (0..view).collect(),
            _ => block.indices[j * order..][..order].to_vec(),
        },
    };
    block.records.chunks_exact(biased + order + values * model.outputs()).enumerate().map(feature).collect()
}

/// Returns the features of all blocks.
pub fn all_features(model: &OwnedModel) -> Vec<Feature> {
    model.blocks.iter().flat_map(|block| features(model, block)).collect()
}

/// Returns the outputs, in the documented order of summation.
pub fn predict(model: &OwnedModel, x: &[f32]) -> Vec<f32> {
    let z = prepare(model, x);
    let mut y = model.intercepts.clone();
    for (o, y) in y.iter_mut().enumerate() {
        for (i, &input) in model.linear_inputs.iter().enumerate() {
            *y += model.linear_weights[i * model.outputs() + o] * z[usize::from(input)];
        }
        for feature in all_features(model) {
            let mut t = feature.bias.unwrap_or(-0.0);
            for (weight, &input) in feature.weights.iter().zip(&feature.support) {
                t += weight * z[usize::from(input)];
            }
            let values = values(feature.kernel, t);
            for (v, value) in values.iter().enumerate() {
                *y += feature.amplitudes[o * values.len() + v] * value;
            }
        }
    }
    let upper = |node: &OwnedNode| {
        let input = &model.trees.inputs[usize::from(node.input)];
        let key = (i64::from(input.base) + (i64::from(node.threshold) << input.shift)) as i32;
        let threshold = f32::from_bits(if key < 0 { key as u32 ^ 0x7fff_ffff } else { key as u32 });
        let x = x[usize::from(input.input)];
        if x.is_nan() { node.missing_upper } else { x.total_cmp(&threshold).is_gt() }
    };
    for (o, (y, step)) in y.iter_mut().zip(&model.trees.steps).enumerate() {
        *y += step * (sum_of_trees(&model.trees, o, &upper) as i32 as f32);
    }
    let unknown = z.iter().any(|z| z.is_nan());
    for (y, [low, high]) in y.iter_mut().zip(model.output_limits()) {
        *y = match *y {
            y if y > high => high,
            y if y >= low || y.is_nan() && unknown => y,
            _ => low,
        };
    }
    y
}

/// Returns the sum of an output's amplitudes of the branches that `upper` says.
fn sum_of_trees(trees: &OwnedTrees, output: usize, upper: &impl Fn(&OwnedNode) -> bool) -> i64 {
    let of_root = |root: &OwnedNode| {
        let (mut node, mut sum) = (Some(root), 0);
        while let Some(condition) = node {
            let branch = if upper(condition) { &condition.upper } else { &condition.lower };
            sum += branch.amplitudes.get(output).map_or(0, |&amplitude| i64::from(amplitude));
            node = branch.node.as_deref();
        }
        sum
    };
    trees.roots.iter().map(of_root).sum()
}

/// Returns the integer that stands for a reading, before any warp.
pub fn quantised(prepared: &Prepared, x: f32) -> i16 {
    let scaled = (f64::from(x - prepared.centre) * 2.0_f64.powi(prepared.exponent.into())) as f32;
    if scaled.is_nan() { i16::MIN } else { scaled.round_ties_even().clamp(-32767.0, 32767.0) as i16 }
}

/// Returns whether a linear term or a feature of an integer model refers to an input.
fn refers(model: &OwnedIntegers, input: usize) -> bool {
    let packed = packs(model.number, model.view());
    let in_block = |block: &IntegerBlock| {
        let stride = model.stride(block);
        let q = usize::from(block.order);
        let in_record = |record: &[u32]| match block.order {
            ALL => true,
            _ if packed => record[..q].iter().any(|word| (word & 15) as usize == input),
            _ => false,
        };
        block.records.chunks(stride).any(in_record) || block.indices.iter().any(|&i| usize::from(i) == input)
    };
    model.linear_inputs.iter().any(|&i| usize::from(i) == input) || model.blocks.iter().any(in_block)
}

/// Returns counts with replacements in the place of missing ones, where the model has them.
fn replaced_counts(model: &OwnedIntegers, z: &[i16]) -> Vec<i16> {
    let replaced = |(i, &z): (usize, &i16)| {
        let is_replaced = model.prepared.get(i).is_some_and(|prepared| prepared.warp & REPLACED != 0);
        if z == i16::MIN && is_replaced { model.replacements[i] } else { z }
    };
    z.iter().enumerate().map(replaced).collect()
}

/// Returns the outputs of an integer model; none where an input is missing that they depend on.
pub fn predict_integers(model: &OwnedIntegers, z: &[i16]) -> Option<Vec<i32>> {
    let counts = z;
    let z = replaced_counts(model, z);
    if z.iter().enumerate().any(|(i, &z)| z == i16::MIN && refers(model, i)) {
        return None;
    }
    let prepared = |(i, &z): (usize, &i16)| {
        let Some(prepared) = model.prepared.get(i) else { return z };
        let limited = prepared.warp & LIMITED != 0;
        let word = if limited { model.input_limits[i] } else { 0x7fff_8000 };
        warp_count(prepared.warp_number(), z.max(word as i16).min((word >> 16) as i16))
    };
    let upper = |node: &OwnedNode| match counts[usize::from(node.input)] {
        i16::MIN => node.missing_upper,
        count => count > node.threshold as i16,
    };
    let of_trees: Vec<i64> = (0..model.scales.len()).map(|o| sum_of_trees(&model.trees, o, &upper)).collect();
    let z: Vec<i16> = z.iter().enumerate().map(prepared).collect();
    let (outputs, number) = (model.scales.len(), model.number);
    let half = |words: &[u32], i: usize| i64::from((words[i / 2] >> (16 * (i % 2))) as i16);
    let mut sums: Vec<i64> = of_trees.iter().map(|sum| sum << model.trees.shift).collect();
    for block in &model.blocks {
        let q = if block.order == ALL { model.view() } else { usize::from(block.order) };
        let weight_words = if number == Number::I16 { q.div_ceil(2) } else { q };
        let pairs = block.kernel == Kernel::Sincos;
        let stride = model.stride(block);
        for (j, record) in block.records.chunks(stride).enumerate() {
            let (weights, rest) = record.split_at(weight_words);
            let input = |k: usize| match block.order {
                ALL => k,
                _ if packs(number, model.view()) => (weights[k] & 15) as usize,
                _ => block.indices[j * q + k].into(),
            };
            let weight = |k: usize| if number == Number::I16 { half(weights, k) } else { i64::from(weights[k] as i32) };
            // Everything modulo 2³².
            let sum: i64 = (0..q).map(|k| (weight(k) * i64::from(z[input(k)])) % (1 << 32)).sum();
            let sum = ((sum as u32) << model.shifts.weights) as i64;
            let t = (sum + if pairs { 0 } else { i64::from(rest[0]) }) as u32;
            let values = integer_values(block.kernel, t, model.shifts.argument);
            for (o, y) in sums.iter_mut().enumerate() {
                *y += match *values {
                    [sine, cosine] => half(rest, 2 * o) * sine + half(rest, 2 * o + 1) * cosine,
                    _ => half(rest, if o == 0 { 0 } else { o + 1 }) * values[0],
                };
            }
        }
    }
    let total = |(o, features): (usize, &i64)| {
        let term = |(i, &input): (usize, &u16)| {
            i128::from(model.linear_weights[i * outputs + o] as i32) * i128::from(z[usize::from(input)])
        };
        let linear: i128 = model.linear_inputs.iter().enumerate().map(term).sum();
        let bounded = (*features + i64::from(model.intercepts[o] as i32)) as i32;
        let [low, high] = model.limits[o].map(i128::from);
        ((linear >> model.shifts.linear) + i128::from(bounded)).clamp(low, high) as i32
    };
    Some(sums.iter().enumerate().map(total).collect())
}
