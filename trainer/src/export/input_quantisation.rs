//! How readings become the integers that an integer model takes.
//!
//! - Readings that are whole numbers of 14 bits over all rows, such as those of a converter, are used unchanged, unless
//!   their resolution is too coarse. Other readings are prepared: they are multiplied by the largest power of two that
//!   keeps their range over the rows within 15 bits, which leaves room for twice that range.
//! - Warps apply to counts: nothing is subtracted from a reading first, and the largest count has 14 bits. The rounding
//!   of small counts before the logarithm is the main error of a model with logarithms.

use srfm_runtime::format::{self, Number, Prepared};

use crate::data::Dataset;
use crate::export::absorb::active_inputs;
use crate::features::Activation;
use crate::model::Model;
use crate::warp::Warp;

/// Largest size of readings that go in as they are: half of what fits, for readings beyond those of the rows.
const LARGEST_READING: f64 = 16384.0;

/// Least size of the largest reading of every input that goes in as it is, where an activation follows.
const FINE_READING: f64 = 4096.0;

/// Largest ratio of the sizes of inputs that go in as they are, with weights of 16 bits.
const UNLIKE_READINGS: f64 = 4.0;

/// The largest error of the device's logarithm in integers.
const OF_LOG2: f64 = 0.65;

/// How readings become integers.
pub(crate) struct Inputs<'a> {
    /// The inputs that the outputs depend on, ascending.
    pub active: Vec<usize>,
    /// Whether readings go in as they are.
    raw: bool,
    /// Range of each active input over the rows.
    ranges: Vec<(f64, f64)>,
    /// The warp of each reading.
    warps: &'a [Warp],
    /// The inputs that features refer to, ascending: those that are prepared, or all.
    pub view: Vec<usize>,
}

impl Inputs<'_> {
    pub fn of<'a>(model: &'a Model, data: &Dataset, number: Number) -> Inputs<'a> {
        let (active, warps) = (active_inputs(model), &model.scaling.warps[..]);
        let column = |i: usize| data.x.column(i);
        let ranges: Vec<(f64, f64)> = active.iter().map(|&i| (column(i).min(), column(i).max())).collect();
        let whole = |i: usize| column(i).iter().all(|v| v.fract() == 0.0 && v.abs() <= LARGEST_READING);
        // Activations have room for any input of 16 bits, and weights of 16 bits have one unit for all inputs: whole
        // numbers of a small range would lose much. A warp gives large ones.
        let largest = |(&i, &(low, high)): (&usize, &(f64, f64))| {
            if warps[i].bends() { LARGEST_READING } else { low.abs().max(high.abs()) }
        };
        let sizes = active.iter().zip(&ranges).map(largest);
        let (least, most) = sizes.fold((f64::INFINITY, 0.0_f64), |(a, b), v| (a.min(v), b.max(v)));
        let fine = (model.expansion.activation == Activation::Sine || least >= FINE_READING)
            && (number != Number::I16 || most <= UNLIKE_READINGS * least);
        let raw = fine && active.iter().all(|&i| whole(i));
        let mut inputs = Inputs { view: Vec::new(), raw, active, ranges, warps };
        inputs.view = if inputs.prepares() { inputs.active.clone() } else { (0..data.inputs()).collect() };
        inputs
    }

    /// The place of an active input in the view.
    pub fn position(&self, input: usize) -> u16 {
        self.view.binary_search(&input).expect("active inputs are in the view") as u16
    }

    /// Whether the device prepares inputs.
    pub fn prepares(&self) -> bool {
        !self.raw || self.active.iter().any(|&i| self.warps[i].bends())
    }

    /// The range of an input over the rows.
    fn range(&self, input: usize) -> (f64, f64) {
        self.active.binary_search(&input).map_or((0.0, 0.0), |i| self.ranges[i])
    }

    /// How the device prepares an input.
    pub fn prepared(&self, input: usize) -> Prepared {
        let ((low, high), warp) = (self.range(input), self.warps[input]);
        let (centre, largest) = match warp {
            _ if self.raw => (0.0, LARGEST_READING),
            Warp::Identity => (low.midpoint(high) as f32, (high - low) / 2.0),
            Warp::Log | Warp::Sqrt => (0.0, high),
        };
        let exponent = libm::log2(LARGEST_READING / largest).floor().clamp(-126.0, 127.0);
        let warp = format::Warp::from(warp).number();
        Prepared { centre, input: input as u16, warp, exponent: exponent as i8 }
    }

    /// Units of the warped reading that one stands for.
    pub fn unit(&self, input: usize) -> f64 {
        let exponent = f64::from(self.prepared(input).exponent);
        match self.warps[input] {
            Warp::Identity => libm::exp2(-exponent),
            Warp::Log => 1.0 / 4096.0,
            Warp::Sqrt => libm::exp2(-(15.0 + exponent) / 2.0),
        }
    }

    /// The warped reading that zero stands for.
    pub fn zero(&self, input: usize) -> f64 {
        let Prepared { centre, exponent, .. } = self.prepared(input);
        match self.warps[input] {
            Warp::Identity => f64::from(centre),
            Warp::Log => 8.0 - f64::from(exponent),
            Warp::Sqrt => 0.0,
        }
    }

    /// The largest integer that stands for a reading of the rows.
    pub fn largest(&self, input: usize) -> f64 {
        let ((low, high), warp) = (self.range(input), self.warps[input]);
        let size = |reading: f64| (warp.apply(reading) - self.zero(input)).abs();
        size(low).max(size(high)) / self.unit(input)
    }

    /// What the integer for a reading in the range of the rows is off by at most.
    pub fn largest_error(&self, input: usize) -> f64 {
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
