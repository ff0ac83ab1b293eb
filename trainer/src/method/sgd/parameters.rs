//! The parameters of a model in single precision, in groups of lanes.

use std::ops::Range;

use nalgebra::DMatrix;

use crate::features::Feature;
use crate::trig::single::LANES;

/// Numbers that are worked on together: those of successive frequencies, or of successive inputs.
pub(super) type Lane = [f32; LANES];

/// A lane of zeros.
pub(super) const ZERO: Lane = [0.0; LANES];

/// The numbers of inputs, frequencies and outputs of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Inputs, d.
    pub inputs: usize,
    /// Frequencies, K.
    pub frequencies: usize,
    /// Outputs, k.
    pub outputs: usize,
}

impl Shape {
    /// Returns the number of lanes that hold a row of inputs; the numbers beyond the inputs are zero.
    pub fn input_lanes(self) -> usize {
        self.inputs.div_ceil(LANES)
    }

    /// Returns the number of inputs with those that fill the last lane.
    pub fn width(self) -> usize {
        self.input_lanes() * LANES
    }

    /// Returns the number of lanes that hold a number for each frequency.
    pub fn panels(self) -> usize {
        self.frequencies.div_ceil(LANES)
    }

    /// Returns the places of the weights: for each panel, a lane for each input of the width.
    pub fn weights(self) -> Range<usize> {
        0..self.panels() * self.width()
    }

    /// Returns the places of the amplitudes of the cosines: for each output, a lane for each panel.
    pub fn cosines(self) -> Range<usize> {
        let first = self.weights().end;
        first..first + self.outputs * self.panels()
    }

    /// Returns the places of the amplitudes of the sines, as those of the cosines.
    pub fn sines(self) -> Range<usize> {
        let first = self.cosines().end;
        first..first + self.outputs * self.panels()
    }

    /// Returns the places of the linear terms: for each output, the lanes of the inputs.
    pub fn linear(self) -> Range<usize> {
        let first = self.sines().end;
        first..first + self.outputs * self.input_lanes()
    }

    /// Returns the places of the intercepts: for each output a lane, of which the first number counts.
    pub fn intercepts(self) -> Range<usize> {
        let first = self.linear().end;
        first..first + self.outputs
    }

    /// Returns the number of lanes of all parameters.
    pub fn lanes(self) -> usize {
        self.intercepts().end
    }

    /// Returns the place of a weight: a lane, and a number in it.
    pub fn weight(self, frequency: usize, input: usize) -> (usize, usize) {
        (frequency / LANES * self.width() + input, frequency % LANES)
    }
}

/// Amplitudes of frequencies and coefficients of terms, as a fit gives them.
pub(super) struct Coefficients<'a> {
    /// Amplitudes of the cosines and then those of the sines, 2K×k.
    pub amplitudes: &'a DMatrix<f64>,
    /// Linear terms, d×k.
    pub linear: &'a DMatrix<f64>,
    /// Intercepts, 1×k.
    pub intercept: &'a DMatrix<f64>,
}

/// Writes the weights of frequencies to their places.
pub(super) fn set_weights(parameters: &mut [Lane], shape: Shape, frequencies: &[Feature]) {
    parameters[shape.weights()].fill(ZERO);
    for (frequency, feature) in frequencies.iter().enumerate() {
        for (&input, &weight) in feature.support.iter().zip(&feature.weights) {
            let (lane, place) = shape.weight(frequency, input);
            parameters[lane][place] = weight as f32;
        }
    }
}

/// Writes coefficients to their places.
pub(super) fn set_coefficients(parameters: &mut [Lane], shape: Shape, coefficients: &Coefficients<'_>) {
    let Coefficients { amplitudes, linear, intercept } = coefficients;
    for output in 0..shape.outputs {
        for frequency in 0..shape.frequencies {
            let (panel, place) = (output * shape.panels() + frequency / LANES, frequency % LANES);
            parameters[shape.cosines().start + panel][place] = amplitudes[(frequency, output)] as f32;
            parameters[shape.sines().start + panel][place] = amplitudes[(shape.frequencies + frequency, output)] as f32;
        }
        for input in 0..shape.inputs {
            let lane = shape.linear().start + output * shape.input_lanes() + input / LANES;
            parameters[lane][input % LANES] = linear[(input, output)] as f32;
        }
        parameters[shape.intercepts().start + output][0] = intercept[(0, output)] as f32;
    }
}

/// Returns the frequencies, of which `inputs` names the inputs. Weights of zero are left out.
pub(super) fn frequencies(parameters: &[Lane], shape: Shape, inputs: &[usize]) -> Vec<Feature> {
    let frequency = |frequency: usize| {
        let weight = |input: usize| {
            let (lane, place) = shape.weight(frequency, input);
            f64::from(parameters[lane][place])
        };
        let (support, weights) =
            (0..shape.inputs).map(|i| (inputs[i], weight(i))).filter(|(_, weight)| *weight != 0.0).unzip();
        Feature { support, weights, bias: 0.0 }
    };
    (0..shape.frequencies).map(frequency).collect()
}
