//! Writes a model in integers: inputs and amplitudes of 16 bits, weights of 32 or 16, one unit of every output in 2³¹
//! steps.
//!
//! - A phase is a number of 2⁻³² turns and wraps around with it. The argument of an activation must not wrap: its unit
//!   is the smallest power of two with room for the worst case over all inputs of 16 bits.
//! - The step of an output has room for the sum of all absolute amplitudes, so that sums of features cannot overflow,
//!   and for the linear terms over twice the range of the rows. Beyond that the output stays at its last value.
//! - The scores of several classes have one unit and no offset, so that the largest integer is the largest score. The
//!   unit is a power of two.
//! - The lower half of a feature's last word is its first amplitude, the upper half its bias. The amplitude changes the
//!   bias by less than a unit of the upper half, which is rounded accordingly.

use srfm_runtime::format::{ARGUMENT_BITS, Kernel, Number, Scale, Shifts, halves, pack, packs};

use crate::data::Dataset;
use crate::export::absorb::{Absorbed, AbsorbedModel, absorb};
use crate::export::encode::{Encoded, dense_pays, write};
use crate::export::float::check_range;
use crate::export::input_quantisation::Inputs;
use crate::export::{Blob, ExportError, trees};
use crate::features::{Activation, Feature};
use crate::model::{Model, Tree};
use crate::trees::largest_sum;

/// Part of the 32 bits of an output that is used.
const ROOM: f64 = 0.98 * 2_147_483_648.0;

/// Units of the largest input.
const LARGEST_INPUT: f64 = 32768.0;

/// The largest error of the device's cosine in integers.
const LARGEST_ERROR: f64 = 3.5e-4;

/// An integer model and its worst case.
pub(crate) struct Quantised {
    pub blob: Blob,
    /// Largest possible difference from the model on the workstation over inputs that do not leave their range, one per
    /// output, in units of the output.
    pub worst: Vec<f64>,
}

/// Writes `model` in integers for readings such as those of `data`.
///
/// # Errors
/// [`ExportError::TooMany`], [`ExportError::Range`] and [`ExportError::Steep`].
pub(crate) fn quantise(model: &Model, data: &Dataset, number: Number) -> Result<Quantised, ExportError> {
    let inputs = Inputs::new(model, data, number);
    let absorbed = absorbed(model, &inputs, number);
    check_range(model, &absorbed)?;
    let arithmetic = Arithmetic::new(model, &absorbed, &inputs, number)?;
    let position = |input: &usize| inputs.position(*input);
    let factor = f64::from(2.0_f32.powi(arithmetic.shifts.linear.into()));
    let steps = |(b, scale): (&f64, &Scale)| (b - f64::from(scale.offset)) / f64::from(scale.step);
    let limits = |(limits, scale): (&[f32; 2], &Scale)| {
        limits.map(|limit| steps((&limit.into(), scale)).round() as i32 as u32) // beyond 32 bits the last integer
    };
    let prepared = inputs.all_prepared();
    let encoded = Encoded {
        number,
        input_limits: inputs.limits(&prepared),
        replacements: inputs.replacements(&prepared),
        prepared,
        scales: arithmetic.scales.clone(),
        shifts: arithmetic.shifts,
        intercepts: absorbed
            .intercepts
            .iter()
            .zip(&arithmetic.scales)
            .map(|b| steps(b).round() as i32 as u32)
            .collect(),
        limits: model.limits.iter().zip(&arithmetic.scales).map(limits).collect(),
        linear_weights: arithmetic.linear(&absorbed, &inputs).map(|w| (w * factor).round() as i32 as u32).collect(),
        linear_inputs: absorbed.linear_inputs.iter().map(position).collect(),
        trees: trees::in_integers(model, &inputs, &arithmetic.steps())?,
        view: &inputs.view,
    };
    let blob =
        write(model, &absorbed, encoded, |feature, dense| arithmetic.record(&absorbed, feature, &inputs, dense))?;
    let of_trees = arithmetic.worst_of_trees(model, &blob);
    let worst = arithmetic.worst(&absorbed, &inputs).into_iter().zip(of_trees).map(|(a, b)| a + b).collect();
    Ok(Quantised { blob, worst })
}

/// The features of `model` with the weights that the integers stand for in place of their own.
///
/// # Errors
/// [`ExportError::Steep`].
pub(crate) fn rounded(model: &Model, data: &Dataset, number: Number) -> Result<Vec<Feature>, ExportError> {
    let inputs = Inputs::new(model, data, number);
    let absorbed = absorbed(model, &inputs, number);
    let arithmetic = Arithmetic::new(model, &absorbed, &inputs, number)?;
    let turn = if model.expansion.activation == Activation::Sine { std::f64::consts::TAU } else { 1.0 };
    let feature = |feature: &Feature| {
        let varies = |input: &usize| inputs.active.binary_search(input).is_ok();
        let order = feature.support.iter().filter(|input| varies(input)).count();
        let dense = dense_pays(number, order, inputs.view.len());
        let weight = |(&input, &weight): (&usize, &f64)| {
            if !varies(&input) {
                return weight;
            }
            let unit = inputs.unit(input) / (turn * model.scaling.x.scale[input]);
            arithmetic.rounded(weight * unit, &inputs, input, dense) / unit
        };
        let weights = feature.support.iter().zip(&feature.weights).map(weight).collect();
        Feature { support: feature.support.clone(), weights, bias: feature.bias }
    };
    Ok(model.expansion.features.iter().map(feature).collect())
}

/// `model` with its scaling in its parameters, for inputs as they are prepared.
fn absorbed(model: &Model, inputs: &Inputs<'_>, number: Number) -> AbsorbedModel {
    let mean = &model.scaling.x.mean;
    absorb(model, number, &inputs.active, |input| mean[input] - inputs.zero(input))
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
    fn new(
        model: &Model,
        absorbed: &AbsorbedModel,
        inputs: &Inputs,
        number: Number,
    ) -> Result<Arithmetic, ExportError> {
        let features = &absorbed.features;
        let k = absorbed.intercepts.len();
        let mut shifts = Shifts::default();
        let one = f64::from(absorbed.kernel.one());
        let (argument, largest_value) = binary_points(absorbed, inputs, &mut shifts)?;
        if number == Number::I16 {
            let weights = features.iter().flat_map(|f| f.support.iter().zip(&f.weights));
            let wrapped = |w: f64| if argument == libm::exp2(32.0) { w - w.round() } else { w };
            let largest = weights.map(|(&i, w)| (wrapped(w * inputs.unit(i)) * argument).abs()).fold(1.0, f64::max);
            shifts.weights = libm::log2(largest / 32767.0).ceil().clamp(0.0, 31.0) as u8;
        }
        let values = absorbed.kernel.scales().len();
        let decides = k > 1 && !model.classes.is_empty();
        let scale = |output: usize| {
            let amplitudes =
                || features.iter().flat_map(move |f| &f.amplitudes[output * values..(output + 1) * values]);
            let largest = amplitudes().fold(0.0_f64, |largest, a| largest.max(a.abs())) * largest_value;
            let of_trees: f64 = model.expansion.trees.iter().map(|tree| largest_sum(tree, output)).sum();
            let total = amplitudes().map(|a| a.abs()).sum::<f64>() * largest_value;
            let total = total + of_trees * model.scaling.y.scale[output];
            let offset = if decides { 0.0 } else { model.scaling.y.mean[output] as f32 };
            let terms = absorbed.linear_inputs.iter().zip(absorbed.linear_weights.chunks(k));
            // Twice the range of the rows.
            let linear: f64 = terms.map(|(&i, w)| w[output].abs() * inputs.unit(i) * 2.0 * inputs.largest(i)).sum();
            let intercept = (absorbed.intercepts[output] - f64::from(offset)).abs();
            // The roundings of the amplitudes and of their values.
            let rules: usize = model.expansion.trees.iter().map(Tree::rules).sum();
            let room = ROOM - features.len() as f64 * one * values as f64 - rules as f64 * LARGEST_INPUT;
            let step = ((total + linear + intercept) / room.max(1.0)).max(largest / (32767.0 * one));
            // The next number that f32 has, so that nothing is beyond its room; a constant has any step.
            let step = if step > 0.0 { (step * (1.0 + 1e-6)) as f32 } else { 1.0 };
            Scale { step: step.max(f32::MIN_POSITIVE), offset }
        };
        let own: Vec<Scale> = (0..k).map(scale).collect();
        let scales = if decides { in_one_unit(&own) } else { own };
        let arithmetic = Arithmetic { number, shifts, scales, argument, one, largest_value };
        let largest = arithmetic.linear(absorbed, inputs).fold(0.0_f64, |largest, w| largest.max(w.abs()));
        // 64 bits hold 2¹⁶ terms of 31 and 15 bits.
        let linear = (30.0 - libm::log2(largest.max(1e-300)).ceil()).clamp(0.0, 40.0) as u8;
        Ok(Arithmetic { shifts: Shifts { linear, ..shifts }, ..arithmetic })
    }

    /// The steps of the outputs.
    fn steps(&self) -> Vec<f64> {
        self.scales.iter().map(|scale| scale.step.into()).collect()
    }

    /// What the rounding of amplitudes of rules adds to the worst case, one per output: half a unit for every rule.
    fn worst_of_trees(&self, model: &Model, blob: &Blob) -> Vec<f64> {
        let rules: usize = model.expansion.trees.iter().map(Tree::rules).sum();
        let unit = libm::exp2(blob.model().trees().map_or(0.0, |trees| trees.shift.into()));
        self.steps().iter().map(|step| 0.5 * step * unit * rules as f64).collect()
    }

    /// The linear weights in steps of their outputs.
    fn linear<'a>(&'a self, absorbed: &'a AbsorbedModel, inputs: &'a Inputs<'_>) -> impl Iterator<Item = f64> + 'a {
        let terms = absorbed.linear_inputs.iter().zip(absorbed.linear_weights.chunks(self.scales.len()));
        let steps = |(&input, weights): (&usize, &'a [f64])| {
            let unit = inputs.unit(input);
            weights.iter().zip(&self.scales).map(move |(weight, scale)| weight * unit / f64::from(scale.step))
        };
        terms.flat_map(steps)
    }

    /// The integers of a feature: weights, and in the last words bias and amplitudes.
    fn record(&self, absorbed: &AbsorbedModel, feature: &Absorbed, inputs: &Inputs<'_>, dense: bool) -> Vec<u32> {
        let weight = |input: usize, weight: f64| self.weight(weight * inputs.unit(input), inputs, input, dense);
        let weights: Vec<u32> = if dense {
            let own = |i: &usize| feature.support.binary_search(i).map_or(0.0, |at| feature.weights[at]);
            inputs.view.inputs.iter().map(|i| weight(*i, own(i))).collect()
        } else {
            feature.support.iter().zip(&feature.weights).map(|(&i, &w)| weight(i, w)).collect()
        };
        let mut record = match self.number {
            Number::I16 => in_halves(&weights.iter().map(|&weight| weight as u16).collect::<Vec<_>>()),
            _ => weights,
        };
        let values = absorbed.kernel.scales().len();
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
    fn weight(&self, weight: f64, inputs: &Inputs<'_>, input: usize, dense: bool) -> u32 {
        let integer = self.scaled(weight).round().rem_euclid(self.weights()) as u32;
        let packed = !dense && packs(self.number, inputs.view.len());
        if packed { pack(integer, inputs.position(input)) } else { integer }
    }

    /// The weight per unit of the prepared input that the integer for `weight` stands for.
    fn rounded(&self, weight: f64, inputs: &Inputs<'_>, input: usize, dense: bool) -> f64 {
        let integer = f64::from(self.weight(weight, inputs, input, dense));
        let turns = ((self.scaled(weight) - integer) / self.weights()).round();
        (integer + turns * self.weights()) * self.unit_of_weights() / self.argument
    }

    /// A weight per unit of the prepared input in units of the integer weights.
    fn scaled(&self, weight: f64) -> f64 {
        weight * self.argument / self.unit_of_weights()
    }

    fn unit_of_weights(&self) -> f64 {
        f64::from(2.0_f32.powi(self.shifts.weights.into()))
    }

    /// Number of integers that a weight can be.
    fn weights(&self) -> f64 {
        if self.number == Number::I16 { 65536.0 } else { 4294967296.0 }
    }

    /// The worst case over all inputs in the range of the rows, one per output.
    fn worst(&self, absorbed: &AbsorbedModel, inputs: &Inputs) -> Vec<f64> {
        let values = absorbed.kernel.scales().len();
        // The largest slope of the kernel at arguments up to `largest`.
        let slope = |largest: f64| match absorbed.kernel {
            Kernel::Cosine | Kernel::Sincos | Kernel::Polynomial => std::f64::consts::TAU,
            Kernel::Sigmoid => 0.25,
            Kernel::Relu => 1.0,
            Kernel::Square => 2.0 * largest,
        };
        let of_linear_weight = 0.5 / f64::from(2.0_f32.powi(self.shifts.linear.into()));
        let k = self.scales.len();
        let of_output = |output: usize| {
            let step = f64::from(self.scales[output].step);
            let offset = f64::from(self.scales[output].offset);
            let features = absorbed.features.iter().map(|f| {
                let weights = f.support.iter().zip(&f.weights);
                let of_inputs: f64 = weights.map(|(&i, w)| w.abs() * inputs.unit(i) * inputs.largest_error(i)).sum();
                let dense = dense_pays(self.number, f.support.len(), inputs.view.len());
                let of_weight = |(&i, w): (&usize, &f64)| {
                    let weight = w * inputs.unit(i);
                    let off = self.rounded(weight, inputs, i, dense) - weight;
                    off.abs() * (inputs.largest(i) + inputs.largest_error(i))
                };
                let of_weights: f64 = f.support.iter().zip(&f.weights).map(of_weight).sum();
                let argument = of_inputs + of_weights + 32768.0 / self.argument;
                let values_off =
                    LARGEST_ERROR * self.largest_value + slope(largest_argument(f, inputs) + argument) * argument;
                let amplitudes = &f.amplitudes[output * values..(output + 1) * values];
                amplitudes.iter().map(|a| a.abs() * values_off + 0.5 * step * self.one).sum::<f64>()
            });
            let terms = absorbed.linear_inputs.iter().zip(absorbed.linear_weights.chunks(k));
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

/// Returns what one is in integers of the argument, and the largest value of the kernel. Chooses the shift of
/// arguments.
///
/// # Errors
/// [`ExportError::Steep`].
fn binary_points(absorbed: &AbsorbedModel, inputs: &Inputs, shifts: &mut Shifts) -> Result<(f64, f64), ExportError> {
    let features = &absorbed.features;
    let room = features.iter().map(|f| room_for(f, inputs)).fold(40.0, f64::min);
    let argument = libm::exp2(room);
    match absorbed.kernel {
        Kernel::Cosine | Kernel::Sincos | Kernel::Polynomial => Ok((libm::exp2(32.0), 1.0)),
        Kernel::Sigmoid => {
            let bits = f64::from(ARGUMENT_BITS);
            if room < bits {
                return Err(ExportError::Steep);
            }
            shifts.argument = (room - bits) as u8;
            Ok((argument, 1.0))
        }
        Kernel::Relu => Ok((argument, libm::exp2(31.0) / argument)),
        Kernel::Square => {
            // The largest argument of the rows uses all 16 bits; beyond it the square is constant.
            let largest = features.iter().map(|f| largest_argument(f, inputs)).fold(0.0, f64::max);
            let ends = f64::from(absorbed.kernel.one());
            let shift = libm::log2(largest * argument / ends).ceil().clamp(0.0, 31.0);
            shifts.argument = shift as u8;
            Ok((argument, (ends * libm::exp2(shift) / argument).powi(2)))
        }
    }
}

/// Returns scales of one unit, the next power of two, so that integers tell which score is the largest.
fn in_one_unit(scales: &[Scale]) -> Vec<Scale> {
    let step = scales.iter().map(|scale| scale.step).fold(f32::MIN_POSITIVE, f32::max);
    let step = libm::exp2(libm::log2(step.into()).ceil()) as f32;
    vec![Scale { step, offset: 0.0 }; scales.len()]
}

/// Bits behind the binary point that leave room for the argument of a feature over all inputs of 16 bits.
fn room_for(feature: &Absorbed, inputs: &Inputs) -> f64 {
    let weights = feature.support.iter().zip(&feature.weights);
    let largest: f64 = weights.map(|(&i, w)| w.abs() * inputs.unit(i) * LARGEST_INPUT).sum();
    libm::log2(ROOM / (largest + feature.bias.unwrap_or(0.0).abs() + 1e-9)).floor()
}

/// Returns the largest argument of a feature over all readings in the ranges of the rows.
fn largest_argument(feature: &Absorbed, inputs: &Inputs) -> f64 {
    let of_input = |(&i, w): (&usize, &f64)| w.abs() * inputs.unit(i) * (inputs.largest(i) + inputs.largest_error(i));
    feature.support.iter().zip(&feature.weights).map(of_input).sum::<f64>() + feature.bias.unwrap_or(0.0).abs()
}

/// Words of numbers of 16 bits, two a word.
fn in_halves(numbers: &[u16]) -> Vec<u32> {
    numbers.chunks(2).map(|pair| halves(pair[0], pair.get(1).copied().unwrap_or(0))).collect()
}
