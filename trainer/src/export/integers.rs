//! Writes a model in integers: inputs and amplitudes of 16 bits, weights of 32 or 16, one unit of every output in 2³¹ steps.
//!
//! - Readings that are whole numbers of 14 bits over all rows, as those of a converter, go in as they are, unless what follows
//!   could not tell them apart well. Others are prepared:
//!   the largest power of two that keeps their range over the rows within 15 bits leaves room for twice that range.
//! - Warps are of counts: nothing is subtracted from a reading first, and the largest is a count of 14 bits. What rounding small
//!   counts moves their logarithm by is the main error of a model that has one.
//! - A phase is a number of 2⁻³² turns and wraps around with it. The argument of an activation must not: its unit is the
//!   smallest power of two with room for the worst case over all inputs of 16 bits.
//! - The step of an output has room for the sum of all absolute amplitudes, so that sums of features cannot overflow, and for
//!   the linear terms over twice the range of the rows. Beyond that the output stays at its last value.
//! - The lower half of a feature's last word is its first amplitude, the upper half its bias: the amplitude disturbs the
//!   bias by less than a unit of the upper half, which is rounded accordingly.

use srfm_runtime::format::{self, Kernel, Number, Prepared, Scale, Shifts, halves, pack, packs};
use srfm_runtime::kernel::activation_int::ARGUMENT_BITS;

use super::encode::{Encoded, write};
use super::float::check_range;
use super::fold::{Folded, FoldedModel, active_inputs, fold};
use super::{Blob, ExportError};
use crate::data::Dataset;
use crate::features::Activation;
use crate::model::Model;
use crate::warp::Warp;

/// Largest size of readings that go in as they are: half of what fits, for readings beyond those of the rows.
const LARGEST_READING: f64 = 16384.0;

/// Least size of the largest reading of every input that goes in as it is, where an activation follows.
const FINE_READING: f64 = 4096.0;

/// Largest ratio of the sizes of inputs that go in as they are, with weights of 16 bits.
const UNLIKE_READINGS: f64 = 4.0;

/// Part of the 32 bits of an output that is used.
const ROOM: f64 = 0.98 * 2_147_483_648.0;

/// Units of the largest input.
const LARGEST_INPUT: f64 = 32768.0;

/// What [`cos`](srfm_runtime::kernel::cosine_int::cos) is off by at most.
const LARGEST_ERROR: f64 = 3.5e-4;

/// What [`log2`](srfm_runtime::kernel::warp_int::log2) is off by at most.
const OF_LOG2: f64 = 0.65;

/// An integer model and its worst case.
pub(super) struct Quantised {
    pub blob: Blob,
    /// Largest possible difference from the model on the workstation over inputs that do not leave their range, one per output,
    /// in units of the output.
    pub worst: Vec<f64>,
}

/// Writes `model` in integers for readings such as those of `data`.
///
/// # Errors
/// [`ExportError::TooMany`], [`ExportError::Range`] and [`ExportError::Steep`].
pub(super) fn quantise(model: &Model, data: &Dataset, number: Number) -> Result<Quantised, ExportError> {
    let inputs = Inputs::of(model, data, number);
    let mean = &model.scaling.x.mean;
    let folded = fold(model, number, &inputs.active, |input| mean[input] - inputs.zero(input));
    check_range(model, &folded)?;
    let arithmetic = Arithmetic::of(model, &folded, &inputs, number)?;
    let view: Vec<usize> = if inputs.prepares() { inputs.active.clone() } else { (0..inputs.columns).collect() };
    let position = |input: &usize| view.binary_search(input).expect("supports are active") as u16;

    let (mut shifts, scales) = (arithmetic.shifts, &arithmetic.scales);
    let units = |input: usize, output: usize, weight: f64| weight * inputs.unit(input) / f64::from(scales[output].step);
    let k = scales.len();
    let terms = folded.linear_inputs.iter().zip(folded.linear_weights.chunks(k));
    let linear: Vec<f64> = terms
        .flat_map(|(&i, weights)| weights.iter().enumerate().map(move |(o, &w)| (i, o, w)))
        .map(|(i, o, w)| units(i, o, w))
        .collect();
    let largest = linear.iter().fold(0.0_f64, |largest, w| largest.max(w.abs()));
    // 64 bits hold 2¹⁶ terms of 31 and 15 bits.
    shifts.linear = (30.0 - largest.max(1e-300).log2().ceil()).clamp(0.0, 40.0) as u8;
    let factor = f64::from(2.0_f32.powi(shifts.linear.into()));
    let linear: Vec<u32> = linear.iter().map(|w| (w * factor).round() as i32 as u32).collect();
    let intercepts: Vec<u32> = folded
        .intercepts
        .iter()
        .zip(scales)
        .map(|(b, scale)| ((b - f64::from(scale.offset)) / f64::from(scale.step)).round() as i32 as u32)
        .collect();

    let record = |feature: &Folded, dense: bool| arithmetic.record(&folded, feature, &inputs, &view, dense);
    let encoded = Encoded {
        number,
        kernel: folded.kernel,
        prepared: if inputs.prepares() { inputs.active.iter().map(|&i| inputs.prepared(i)).collect() } else { vec![] },
        scales: scales.clone(),
        shifts,
        intercepts,
        linear_weights: linear,
        linear_inputs: folded.linear_inputs.iter().map(position).collect(),
        view: &view,
    };
    let blob = write(model, &folded, encoded, record)?;
    let worst = Arithmetic { shifts, ..arithmetic }.worst(&folded, &inputs);
    Ok(Quantised { blob, worst })
}

/// How readings become integers.
struct Inputs<'a> {
    /// The inputs that the outputs depend on, ascending.
    active: Vec<usize>,
    /// Whether readings go in as they are.
    raw: bool,
    /// Range of each active input over the rows.
    ranges: Vec<(f64, f64)>,
    /// The warp of each reading.
    warps: &'a [Warp],
    /// Number of readings.
    columns: usize,
}

impl Inputs<'_> {
    fn of<'a>(model: &'a Model, data: &Dataset, number: Number) -> Inputs<'a> {
        let (active, warps) = (active_inputs(model), &model.scaling.warps[..]);
        let column = |i: usize| data.x.column(i);
        let ranges: Vec<(f64, f64)> = active.iter().map(|&i| (column(i).min(), column(i).max())).collect();
        let whole = |i: usize| column(i).iter().all(|v| v.fract() == 0.0 && v.abs() <= LARGEST_READING);
        // Activations have room for any input of 16 bits, and weights of 16 bits have one unit for all inputs: whole numbers
        // of a small range would lose much. A warp gives large ones.
        let largest = |(&i, &(low, high)): (&usize, &(f64, f64))| {
            if warps[i].bends() { LARGEST_READING } else { low.abs().max(high.abs()) }
        };
        let sizes = active.iter().zip(&ranges).map(largest);
        let (least, most) = sizes.fold((f64::INFINITY, 0.0_f64), |(a, b), v| (a.min(v), b.max(v)));
        let fine = (model.expansion.activation == Activation::Sine || least >= FINE_READING)
            && (number != Number::I16 || most <= UNLIKE_READINGS * least);
        Inputs { raw: fine && active.iter().all(|&i| whole(i)), active, ranges, warps, columns: data.inputs() }
    }

    /// Whether the device prepares inputs.
    fn prepares(&self) -> bool {
        !self.raw || self.active.iter().any(|&i| self.warps[i].bends())
    }

    /// The range of an input over the rows.
    fn range(&self, input: usize) -> (f64, f64) {
        self.active.binary_search(&input).map_or((0.0, 0.0), |i| self.ranges[i])
    }

    /// How the device prepares an input.
    fn prepared(&self, input: usize) -> Prepared {
        let ((low, high), warp) = (self.range(input), self.warps[input]);
        let (centre, largest) = match warp {
            _ if self.raw => (0.0, LARGEST_READING),
            Warp::Identity => (low.midpoint(high) as f32, (high - low) / 2.0),
            Warp::Log | Warp::Sqrt => (0.0, high),
        };
        let exponent = (LARGEST_READING / largest).log2().floor().clamp(-126.0, 127.0);
        let warp = format::Warp::from(warp).number();
        Prepared { centre, input: input as u16, warp, exponent: exponent as i8 }
    }

    /// Units of the warped reading that one stands for.
    fn unit(&self, input: usize) -> f64 {
        let exponent = f64::from(self.prepared(input).exponent);
        match self.warps[input] {
            Warp::Identity => libm::exp2(-exponent),
            Warp::Log => 1.0 / 4096.0,
            Warp::Sqrt => libm::exp2(-(15.0 + exponent) / 2.0),
        }
    }

    /// The warped reading that zero stands for.
    fn zero(&self, input: usize) -> f64 {
        let Prepared { centre, exponent, .. } = self.prepared(input);
        match self.warps[input] {
            Warp::Identity => f64::from(centre),
            Warp::Log => 8.0 - f64::from(exponent),
            Warp::Sqrt => 0.0,
        }
    }

    /// The largest integer that stands for a reading of the rows.
    fn largest(&self, input: usize) -> f64 {
        let ((low, high), warp) = (self.range(input), self.warps[input]);
        let size = |reading: f64| (warp.apply(reading) - self.zero(input)).abs();
        size(low).max(size(high)) / self.unit(input)
    }

    /// What the integer for a reading in the range of the rows is off by at most.
    fn largest_error(&self, input: usize) -> f64 {
        let count = self.range(input).0 * libm::exp2(f64::from(self.prepared(input).exponent));
        let rounding = if self.raw { 0.0 } else { 0.5 };
        match self.warps[input] {
            // Half a unit, and what single precision loses in preparing.
            Warp::Identity => 1.02 * rounding,
            // A least count below one counts as one.
            Warp::Log if count < 1.0 => 4096.0 * (-libm::log2(count)).max(1.0) + OF_LOG2,
            Warp::Log => -4096.0 * libm::log2(1.0 - rounding / count) + OF_LOG2,
            Warp::Sqrt => {
                let roots = libm::sqrt((count - rounding).max(0.0)) + libm::sqrt(count.max(rounding));
                let of_count = if rounding > 0.0 { rounding / roots } else { 0.0 };
                libm::sqrt(32768.0) * of_count + 0.5
            }
        }
    }
}

/// Units of everything in an integer model.
struct Arithmetic {
    number: Number,
    shifts: Shifts,
    scales: Vec<Scale>,
    /// What one turn, or one unit of an activation's argument, is in integers.
    argument: f64,
    /// The integer that stands for the largest value of the kernel.
    one: f64,
    /// What amplitudes are multiplied by because the largest value of a kernel is not one.
    largest_value: f64,
}

impl Arithmetic {
    fn of(model: &Model, folded: &FoldedModel, inputs: &Inputs, number: Number) -> Result<Arithmetic, ExportError> {
        let features = &folded.features;
        let k = folded.intercepts.len();
        let mut shifts = Shifts::default();
        let one = f64::from(folded.kernel.one());
        let (argument, largest_value) = match folded.kernel {
            Kernel::Cosine | Kernel::Sincos => (libm::exp2(32.0), 1.0),
            Kernel::Sigmoid | Kernel::Relu => {
                let exponent = features.iter().map(|f| room_for(f, inputs)).fold(40.0, f64::min);
                let bits = f64::from(ARGUMENT_BITS);
                if folded.kernel == Kernel::Sigmoid && exponent < bits {
                    return Err(ExportError::Steep);
                }
                shifts.argument = if folded.kernel == Kernel::Sigmoid { (exponent - bits) as u8 } else { 0 };
                let largest_value = if folded.kernel == Kernel::Sigmoid { 1.0 } else { libm::exp2(31.0 - exponent) };
                (libm::exp2(exponent), largest_value)
            }
        };
        if number == Number::I16 {
            let weights = features.iter().flat_map(|f| f.support.iter().zip(&f.weights));
            let wrapped = |w: f64| if argument == libm::exp2(32.0) { w - w.round() } else { w };
            let largest = weights.map(|(&i, w)| (wrapped(w * inputs.unit(i)) * argument).abs()).fold(1.0, f64::max);
            shifts.weights = (largest / 32767.0).log2().ceil().clamp(0.0, 31.0) as u8;
        }
        let values = folded.kernel.scales().len();
        let scale = |output: usize| {
            let amplitudes =
                || features.iter().flat_map(move |f| &f.amplitudes[output * values..(output + 1) * values]);
            let largest = amplitudes().fold(0.0_f64, |largest, a| largest.max(a.abs())) * largest_value;
            let total = amplitudes().map(|a| a.abs()).sum::<f64>() * largest_value;
            let offset = model.scaling.y.mean[output] as f32;
            let terms = folded.linear_inputs.iter().zip(folded.linear_weights.chunks(k));
            // Twice the range of the rows.
            let linear: f64 = terms.map(|(&i, w)| w[output].abs() * inputs.unit(i) * 2.0 * inputs.largest(i)).sum();
            let intercept = (folded.intercepts[output] - f64::from(offset)).abs();
            // The roundings of the amplitudes and of their values.
            let room = ROOM - features.len() as f64 * one * values as f64;
            let step = ((total + linear + intercept) / room.max(1.0)).max(largest / (32767.0 * one));
            // The next number that f32 has, so that nothing is beyond its room; a constant has any step.
            let step = if step > 0.0 { (step * (1.0 + 1e-6)) as f32 } else { 1.0 };
            Scale { step: step.max(f32::MIN_POSITIVE), offset }
        };
        Ok(Arithmetic { number, shifts, scales: (0..k).map(scale).collect(), argument, one, largest_value })
    }

    /// The integers of a feature: weights, and in the last words bias and amplitudes.
    fn record(&self, folded: &FoldedModel, feature: &Folded, inputs: &Inputs, view: &[usize], dense: bool) -> Vec<u32> {
        let weight = |input: usize, weight: f64| self.integer_weight(weight * inputs.unit(input));
        let weights: Vec<u32> = if dense {
            let own = |i: &usize| feature.support.binary_search(i).map_or(0.0, |at| feature.weights[at]);
            view.iter().map(|i| weight(*i, own(i))).collect()
        } else if packs(self.number, view.len()) {
            let position = |i: &usize| view.binary_search(i).expect("supports are in the view") as u16;
            let packed = |(i, &w): (&usize, &f64)| pack(weight(*i, w), position(i));
            feature.support.iter().zip(&feature.weights).map(packed).collect()
        } else {
            feature.support.iter().zip(&feature.weights).map(|(&i, &w)| weight(i, w)).collect()
        };
        let mut record = match self.number {
            Number::I16 => in_halves(&weights.iter().map(|&weight| weight as u16).collect::<Vec<_>>()),
            _ => weights,
        };
        let values = folded.kernel.scales().len();
        let amplitude = |(i, a): (usize, &f64)| {
            let step = f64::from(self.scales[i / values].step) * self.one;
            (a * self.largest_value / step).round().clamp(-32767.0, 32767.0) as i16 as u16
        };
        let amplitudes: Vec<u16> = feature.amplitudes.iter().enumerate().map(amplitude).collect();
        match feature.bias {
            None => record.extend(in_halves(&amplitudes)),
            Some(bias) => {
                // Modulo 2³², as phases are; the argument of an activation is far from its ends.
                let upper = ((bias * self.argument - f64::from(amplitudes[0])) / 65536.0).round() as i64 as u16;
                record.push(halves(amplitudes[0], upper));
                record.extend(in_halves(&amplitudes[1..]));
            }
        }
        record
    }

    /// The integer of a weight per unit of the prepared input, in two's complement. Phases wrap around.
    fn integer_weight(&self, weight: f64) -> u32 {
        let scaled = (weight * self.argument / f64::from(2.0_f32.powi(self.shifts.weights.into()))).round();
        if self.number == Number::I16 {
            scaled.rem_euclid(65536.0) as u32
        } else {
            (scaled.rem_euclid(4294967296.0)) as u32
        }
    }

    /// The worst case over all inputs in the range of the rows, one per output.
    fn worst(&self, folded: &FoldedModel, inputs: &Inputs) -> Vec<f64> {
        let values = folded.kernel.scales().len();
        let turn = if matches!(folded.kernel, Kernel::Cosine | Kernel::Sincos) { std::f64::consts::TAU } else { 1.0 };
        let slope = if folded.kernel == Kernel::Sigmoid { 0.25 } else { turn };
        // Half a unit, or what makes room for the number of the input.
        let view = if inputs.prepares() { inputs.active.len() } else { inputs.columns };
        let of_weight = match packs(self.number, view) {
            true => 8.5,
            false => 0.5 * f64::from(2.0_f32.powi(self.shifts.weights.into())),
        };
        let of_linear_weight = 0.5 / f64::from(2.0_f32.powi(self.shifts.linear.into()));
        let k = self.scales.len();
        let of_output = |output: usize| {
            let (step, offset) = (f64::from(self.scales[output].step), f64::from(self.scales[output].offset));
            let features = folded.features.iter().map(|f| {
                let weights = f.support.iter().zip(&f.weights);
                let of_inputs: f64 = weights.map(|(&i, w)| w.abs() * inputs.unit(i) * inputs.largest_error(i)).sum();
                let of_weights: f64 = f.support.iter().map(|&i| of_weight * inputs.largest(i)).sum();
                let argument = of_inputs + (of_weights + 32768.0) / self.argument;
                let values_off = LARGEST_ERROR * self.largest_value + slope * argument;
                let amplitudes = &f.amplitudes[output * values..(output + 1) * values];
                amplitudes.iter().map(|a| a.abs() * values_off + 0.5 * step * self.one).sum::<f64>()
            });
            let terms = folded.linear_inputs.iter().zip(folded.linear_weights.chunks(k));
            let of_term = |(&i, w): (&usize, &[f64])| {
                w[output].abs() * inputs.unit(i) * inputs.largest_error(i) + of_linear_weight * inputs.largest(i) * step
            };
            // The intercept and the shift of the linear terms, and product and sum in single precision.
            let of_units = 2.0 * step + f64::from(f32::EPSILON) * (offset.abs() + 2.0 * step * ROOM);
            features.sum::<f64>() + terms.map(of_term).sum::<f64>() + of_units
        };
        (0..k).map(of_output).collect()
    }
}

/// Bits behind the binary point that leave room for the argument of a feature over all inputs of 16 bits.
fn room_for(feature: &Folded, inputs: &Inputs) -> f64 {
    let weights = feature.support.iter().zip(&feature.weights);
    let largest: f64 = weights.map(|(&i, w)| w.abs() * inputs.unit(i) * LARGEST_INPUT).sum();
    (ROOM / (largest + feature.bias.unwrap_or(0.0).abs() + 1e-9)).log2().floor()
}

/// Words of numbers of 16 bits, two a word.
fn in_halves(numbers: &[u16]) -> Vec<u32> {
    numbers.chunks(2).map(|pair| halves(pair[0], pair.get(1).copied().unwrap_or(0))).collect()
}
