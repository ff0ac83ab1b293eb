//! How readings become the integers that an integer model takes.
//!
//! - Readings that are whole numbers of 14 bits over all rows, such as those of a converter, are used unchanged, unless
//!   their resolution is too coarse. Other readings are prepared: they are multiplied by the largest power of two that
//!   keeps their range over the rows within 15 bits, which leaves room for twice that range.
//! - Warps apply to counts: nothing is subtracted from a reading first, and the largest count has 14 bits. The rounding
//!   of small counts before the logarithm is the main error of a model with logarithms.

use srfm_runtime::format::{self, LIMITED, Number, Prepared, halves, through};

use crate::data::Dataset;
use crate::export::absorb::active_inputs;
use crate::export::view::{View, replacements};
use crate::features::Activation;
use crate::model::Model;
use crate::scaling::Scaling;
use crate::warp::Warp;

/// Largest size of readings that go in as they are: half of what fits, for readings beyond those of the rows.
const LARGEST_READING: f64 = 16384.0;

/// Least size of the largest reading of every input that goes in as it is, where an activation follows.
const FINE_READING: f64 = 4096.0;

/// Largest ratio of the sizes of inputs that go in as they are, with weights of 16 bits.
const UNLIKE_READINGS: f64 = 4.0;

/// The largest error of the device's logarithm in integers.
const OF_LOG2: f64 = 0.65;

/// Returns the integer that the device makes of a reading, which is a number.
fn count(prepared: &Prepared, reading: f32) -> i16 {
    let scaled = f64::from(reading - prepared.centre) * libm::exp2(f64::from(prepared.exponent));
    (scaled.round_ties_even() as i16).max(-i16::MAX)
}

/// How readings become integers.
pub(crate) struct Inputs<'a> {
    /// The inputs that the outputs depend on, ascending.
    pub active: Vec<usize>,
    /// Whether readings go in as they are.
    raw: bool,
    /// Whether the device prepares inputs.
    prepares: bool,
    /// Range of each active input over the rows.
    ranges: Vec<(f64, f64)>,
    /// The warps, limits and replacements of readings.
    scaling: &'a Scaling,
    /// The inputs that features refer to: those that are prepared, or all.
    pub view: View,
}

/// Returns whether the readings of inputs go into an integer model as they are: whole numbers over all rows of `data`,
/// fine enough for the model. `ranges` are those of the inputs. What holds for inputs holds for some of them.
pub(crate) fn are_counts(
    inputs: &[usize],
    ranges: &[(f64, f64)],
    data: &Dataset,
    scaling: &Scaling,
    (number, activation): (Number, Activation),
) -> bool {
    let whole = |&i: &usize| data.x.column(i).iter().all(|v| v.fract() == 0.0 && v.abs() <= LARGEST_READING);
    // Activations have room for any input of 16 bits, and weights of 16 bits have one unit for all inputs: whole
    // numbers of a small range would lose much. A warp gives large ones.
    let largest = |(&i, &(low, high)): (&usize, &(f64, f64))| {
        if scaling.warps[i].bends() { LARGEST_READING } else { low.abs().max(high.abs()) }
    };
    let sizes = inputs.iter().zip(ranges).map(largest);
    let (least, most) = sizes.fold((f64::INFINITY, 0.0_f64), |(a, b), v| (a.min(v), b.max(v)));
    let fine = (activation == Activation::Sine || least >= FINE_READING)
        && (number != Number::I16 || most <= UNLIKE_READINGS * least);
    fine && inputs.iter().all(whole)
}

impl Inputs<'_> {
    pub fn new<'a>(model: &'a Model, data: &Dataset, number: Number) -> Inputs<'a> {
        let active = active_inputs(model);
        let scaling = &model.scaling;
        let column = |i: usize| data.x.column(i);
        // The model may have been fitted to more rows than those of `data`.
        let of_all = |i: usize| model.ranges[i];
        let range = |&i: &usize| (column(i).min().min(of_all(i).0), column(i).max().max(of_all(i).1));
        let ranges: Vec<(f64, f64)> = active.iter().map(range).collect();
        let raw = are_counts(&active, &ranges, data, scaling, (number, model.expansion.activation));
        let prepares = !raw || active.iter().any(|&i| scaling.warps[i].bends() || scaling.flags(i) > 0);
        let view = if prepares { View::prepared(&active, scaling) } else { View::readings(data.inputs()) };
        Inputs { view, raw, prepares, active, ranges, scaling }
    }

    /// The place of an active input in the view.
    pub fn position(&self, input: usize) -> u16 {
        self.view.position(input)
    }

    /// The inputs that the device prepares; empty where features read the readings directly.
    pub fn all_prepared(&self) -> Vec<Prepared> {
        if self.prepares { self.view.inputs.iter().map(|&i| self.prepared(i)).collect() } else { Vec::new() }
    }

    /// The words of the limits of prepared inputs: counts.
    pub fn limits(&self, prepared: &[Prepared]) -> Vec<u32> {
        let word = |p: &Prepared| {
            let limits = self.scaling.limits[usize::from(p.input)];
            limits.map_or(0, |[low, high]| halves(count(p, low) as u16, count(p, high) as u16))
        };
        prepared[..through(prepared, LIMITED)].iter().map(word).collect()
    }

    /// The words of what replaces missing readings of prepared inputs: counts.
    pub fn replacements(&self, prepared: &[Prepared]) -> Vec<u32> {
        replacements(prepared, self.scaling, |p, reading| halves(count(p, reading) as u16, 0))
    }

    /// The range of an input over the rows.
    fn range(&self, input: usize) -> (f64, f64) {
        self.active.binary_search(&input).map_or((0.0, 0.0), |i| self.ranges[i])
    }

    /// How the device prepares an input.
    pub fn prepared(&self, input: usize) -> Prepared {
        let (low, high) = self.range(input);
        let warp = self.scaling.warps[input];
        let (centre, largest) = match warp {
            _ if self.raw => (0.0, LARGEST_READING),
            Warp::Identity => (low.midpoint(high) as f32, (high - low) / 2.0),
            Warp::Log | Warp::Sqrt => (0.0, high),
        };
        let exponent = libm::log2(LARGEST_READING / largest).floor().clamp(-126.0, 127.0);
        let warp = format::Warp::from(warp).number() | self.scaling.flags(input);
        Prepared { centre, input: input as u16, warp, exponent: exponent as i8 }
    }

    /// Units of the warped reading that one stands for.
    pub fn unit(&self, input: usize) -> f64 {
        let exponent = f64::from(self.prepared(input).exponent);
        match self.scaling.warps[input] {
            Warp::Identity => libm::exp2(-exponent),
            Warp::Log => 1.0 / 4096.0,
            Warp::Sqrt => libm::exp2(-(15.0 + exponent) / 2.0),
        }
    }

    /// The warped reading that zero stands for.
    pub fn zero(&self, input: usize) -> f64 {
        let Prepared { centre, exponent, .. } = self.prepared(input);
        match self.scaling.warps[input] {
            Warp::Identity => f64::from(centre),
            Warp::Log => 8.0 - f64::from(exponent),
            Warp::Sqrt => 0.0,
        }
    }

    /// The largest integer that stands for a reading of the rows.
    pub fn largest(&self, input: usize) -> f64 {
        let (low, high) = self.range(input);
        let warp = self.scaling.warps[input];
        let size = |reading: f64| (warp.apply(reading) - self.zero(input)).abs();
        size(low).max(size(high)) / self.unit(input)
    }

    /// What the integer for a reading in the range of the rows is off by at most.
    pub fn largest_error(&self, input: usize) -> f64 {
        let count = self.range(input).0 * libm::exp2(f64::from(self.prepared(input).exponent));
        let rounding = if self.raw { 0.0 } else { 0.5 };
        match self.scaling.warps[input] {
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
