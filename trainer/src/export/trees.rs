//! Trees on their way to the file: thresholds of readings, and nodes in halves of words.
//!
//! Scaling and warps are monotone, so that a threshold of the scaled input is one of the reading: the largest reading
//! in single precision that is not above it. The device stores thresholds as counts of 16 bits. [`snapped`] moves the
//! thresholds of a model to those that the device has, so that both take the same branches.

use std::collections::BTreeMap;

use srfm_runtime::format::{NodeHead, Number, Prepared, TreeInput, TreesSpec, key_of, reading_of};

use crate::data::Dataset;
use crate::export::ExportError;
use crate::export::input_quantisation::Inputs;
use crate::model::{Branch, Condition, Model, Tree};
use crate::scaling::Scaling;

/// The largest amplitude in steps.
pub(crate) const LARGEST_AMPLITUDE: f64 = 32767.0;

/// The trees of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct EncodedTrees {
    pub inputs: Vec<TreeInput>,
    pub steps: Vec<f32>,
    pub shift: u8,
    pub halves: Vec<u16>,
}

impl EncodedTrees {
    /// Returns the trees as the writer takes them.
    pub fn spec(&self) -> TreesSpec<'_> {
        TreesSpec { inputs: &self.inputs, steps: &self.steps, shift: self.shift, halves: &self.halves }
    }
}

/// Returns the model with the thresholds that the device has.
pub(crate) fn snapped(mut model: Model, data: &Dataset, number: Number) -> Model {
    if model.expansion.trees.is_empty() {
        return model;
    }
    let mut trees = model.expansion.trees.clone();
    let grid = Grid::new(&model, data, number);
    for condition in trees.iter_mut().flat_map(|tree| &mut tree.conditions) {
        let key = grid.on_device(condition.input, threshold_key(&model.scaling, condition));
        condition.threshold = model.scaling.input(condition.input, reading_of(key).into());
    }
    model.expansion.trees = trees;
    model
}

/// Returns the trees of a model in floating point, with amplitudes in units of the targets.
///
/// # Errors
/// [`ExportError::TooMany`].
pub(crate) fn in_floats(model: &Model) -> Result<EncodedTrees, ExportError> {
    let trees = &model.expansion.trees;
    if trees.is_empty() {
        return Ok(EncodedTrees::default());
    }
    let inputs = tree_inputs(model);
    let place = |input: usize| inputs.keys().position(|&used| used == input).unwrap_or_default();
    let outputs = model.scaling.y.scale.len();
    let largest = |output: usize| largest_amplitude(model, output) / LARGEST_AMPLITUDE;
    // The next number that single precision has, so that no amplitude is beyond the largest.
    let steps: Vec<f32> = (0..outputs).map(|output| (largest(output) * (1.0 + 1e-7)) as f32).collect();
    let writer = NodeWriter {
        model,
        place: &place,
        threshold: &|condition| {
            let input = &inputs[&condition.input];
            let key = nearest(input, threshold_key(&model.scaling, condition));
            (key.wrapping_sub(input.base) as u32 >> input.shift) as u16
        },
        steps: &steps.iter().map(|&step| f64::from(step)).collect::<Vec<_>>(),
    };
    let halves = writer.halves(trees, inputs.len())?;
    Ok(EncodedTrees { inputs: inputs.into_values().collect(), steps, shift: 0, halves })
}

/// Returns the trees of an integer model: `steps` are those of the outputs, and `inputs` how readings become integers.
///
/// # Errors
/// [`ExportError::TooMany`].
pub(crate) fn in_integers(model: &Model, inputs: &Inputs<'_>, steps: &[f64]) -> Result<EncodedTrees, ExportError> {
    let trees = &model.expansion.trees;
    if trees.is_empty() {
        return Ok(EncodedTrees::default());
    }
    let units = |(output, step): (usize, &f64)| largest_amplitude(model, output) / (LARGEST_AMPLITUDE * step);
    let largest = steps.iter().enumerate().map(units).fold(1.0, f64::max);
    let shift = libm::log2(largest).ceil().clamp(0.0, 31.0);
    let writer = NodeWriter {
        model,
        place: &|input| inputs.position(input).into(),
        threshold: &|condition| {
            let key = threshold_key(&model.scaling, condition);
            lower_count(&inputs.prepared(condition.input), reading_of(key)) as u16
        },
        steps: &steps.iter().map(|step| step * libm::exp2(shift)).collect::<Vec<_>>(),
    };
    let halves = writer.halves(trees, inputs.view.len())?;
    Ok(EncodedTrees { inputs: Vec::new(), steps: Vec::new(), shift: shift as u8, halves })
}

/// Returns the largest absolute amplitude of an output, in units of the target.
fn largest_amplitude(model: &Model, output: usize) -> f64 {
    let amplitudes = model.expansion.trees.iter().flat_map(Tree::amplitudes);
    amplitudes.fold(0.0_f64, |largest, of_rule| largest.max(of_rule[output].abs())) * model.scaling.y.scale[output]
}

/// The thresholds that the device has.
enum Grid<'a> {
    /// The tree inputs of a model in floating point.
    Floats(BTreeMap<usize, TreeInput>),
    /// How readings become integers.
    Integers(Inputs<'a>),
}

impl Grid<'_> {
    fn new<'a>(model: &'a Model, data: &Dataset, number: Number) -> Grid<'a> {
        match number {
            Number::F32 => Grid::Floats(tree_inputs(model)),
            Number::I32 | Number::I16 => Grid::Integers(Inputs::new(model, data, number)),
        }
    }

    /// Returns the key of the largest reading that takes the lower branch on the device.
    fn on_device(&self, input: usize, key: i32) -> i32 {
        match self {
            Grid::Floats(inputs) => nearest(&inputs[&input], key),
            Grid::Integers(inputs) => {
                let prepared = inputs.prepared(input);
                let lower = lower_count(&prepared, reading_of(key));
                last_key(|x| count(&prepared, x) <= lower)
            }
        }
    }
}

/// Returns the tree input of every input that trees look at: thresholds of 16 bits, as fine as their range allows.
fn tree_inputs(model: &Model) -> BTreeMap<usize, TreeInput> {
    let mut keys: BTreeMap<usize, Vec<i32>> = BTreeMap::new();
    for condition in model.expansion.trees.iter().flat_map(|tree| &tree.conditions) {
        keys.entry(condition.input).or_default().push(threshold_key(&model.scaling, condition));
    }
    keys.into_iter().map(|(input, keys)| (input, tree_input(input, &keys))).collect()
}

/// Returns the finest tree input whose counts reach from the smallest to the largest of the keys.
fn tree_input(input: usize, keys: &[i32]) -> TreeInput {
    let candidate = |shift: u16| {
        let rounded = |&key: &i32| round_to(key, shift);
        let least = keys.iter().map(rounded).min().unwrap_or(0);
        let most = keys.iter().map(rounded).max().unwrap_or(0);
        let fits = (i64::from(most) - i64::from(least)) >> shift <= i64::from(u16::MAX);
        fits.then_some(TreeInput { base: least, input: input as u16, shift })
    };
    (0..16).find_map(candidate).unwrap_or(TreeInput { base: i32::MIN, input: input as u16, shift: 16 })
}

/// Returns the multiple of a power of two that is nearest to a key. The key of -0, which lies below 0 on the device
/// alone, becomes that of 0.
fn round_to(key: i32, shift: u16) -> i32 {
    if shift == 0 {
        return if key == -1 { 0 } else { key };
    }
    let half = 1_i64 << (shift - 1);
    let rounded = ((i64::from(key) + half) >> shift) << shift;
    rounded.clamp(i32::MIN.into(), (i64::from(i32::MAX) >> shift) << shift) as i32
}

/// Returns the key of the threshold of a tree input that is nearest to a key.
fn nearest(input: &TreeInput, key: i32) -> i32 {
    round_to(key, input.shift).max(input.base)
}

/// Returns the key of the largest finite reading that takes the lower branch of a condition; the key of minus infinity
/// where none does.
fn threshold_key(scaling: &Scaling, condition: &Condition) -> i32 {
    last_key(|x| scaling.input(condition.input, x.into()) <= condition.threshold)
}

/// Returns the key of the largest finite reading for which a monotone condition holds; the key of minus infinity where
/// it holds for none.
fn last_key(holds: impl Fn(f32) -> bool) -> i32 {
    // Invariant: the condition holds at `last`, or `last` is minus infinity; it does not hold at `first`, or `first` is
    // plus infinity.
    let mut last = key_of(f32::NEG_INFINITY);
    let mut first = key_of(f32::INFINITY);
    while first.wrapping_sub(last) as u32 > 1 {
        let middle = last.midpoint(first);
        if holds(reading_of(middle)) {
            last = middle;
        } else {
            first = middle;
        }
    }
    last
}

/// Returns the integer that the device takes for a reading.
fn count(prepared: &Prepared, x: f32) -> i16 {
    let factor = libm::exp2(f64::from(prepared.exponent));
    (f64::from(x - prepared.centre) * factor).round_ties_even() as i16
}

/// Returns the integer whose upper end is nearest to a reading.
fn lower_count(prepared: &Prepared, x: f32) -> i16 {
    let factor = libm::exp2(f64::from(prepared.exponent));
    ((f64::from(x) - f64::from(prepared.centre)) * factor).floor().clamp(-32767.0, 32767.0) as i16
}

/// Writes the nodes of trees.
struct NodeWriter<'a> {
    model: &'a Model,
    /// The number of an input in heads.
    place: &'a dyn Fn(usize) -> usize,
    /// The count of a threshold.
    threshold: &'a dyn Fn(&Condition) -> u16,
    /// What one unit of the amplitudes is, for every output.
    steps: &'a [f64],
}

impl NodeWriter<'_> {
    /// Returns the halves of all trees, whose heads tell `inputs` inputs apart.
    fn halves(&self, trees: &[Tree], inputs: usize) -> Result<Vec<u16>, ExportError> {
        let limit = usize::from(NodeHead::INPUTS);
        if inputs > limit {
            return Err(ExportError::TooMany { what: "inputs of rules", count: inputs, limit });
        }
        let halves: Vec<u16> = trees.iter().flat_map(|tree| self.subtree(tree, 0, true)).collect();
        let limit = usize::from(u16::MAX);
        if halves.len() > limit {
            return Err(ExportError::TooMany { what: "words of 16 bits in rules", count: halves.len(), limit });
        }
        Ok(halves)
    }

    /// Returns the halves of a condition and of all below it.
    fn subtree(&self, tree: &Tree, place: usize, root: bool) -> Vec<u16> {
        let condition = &tree.conditions[place];
        let branches = condition.branches();
        let [lower, upper] = branches.map(|branch| branch.next.map(|next| self.subtree(tree, next, false)));
        let mut rest = Vec::new();
        if let (Some(lower), Some(_)) = (&lower, &upper) {
            rest.push(lower.len() as u16);
        }
        rest.extend(branches.iter().flat_map(|branch| self.amplitudes(branch)));
        rest.extend(lower.iter().flatten());
        rest.extend(upper.iter().flatten());
        let mut halves = vec![self.head(condition), (self.threshold)(condition)];
        if root && (lower.is_some() || upper.is_some()) {
            halves.push(rest.len() as u16);
        }
        halves.extend(rest);
        halves
    }

    /// Returns the head of a node.
    fn head(&self, condition: &Condition) -> u16 {
        let replacement = self.model.scaling.replacements[condition.input];
        let missing_upper = match replacement {
            Some(reading) => self.model.scaling.input(condition.input, reading.into()) > condition.threshold,
            None => condition.missing_upper,
        };
        let Condition { lower, upper, .. } = condition;
        let flags = [
            (missing_upper, NodeHead::MISSING_UPPER),
            (lower.amplitudes.is_some(), NodeHead::LOWER_AMPLITUDES),
            (upper.amplitudes.is_some(), NodeHead::UPPER_AMPLITUDES),
            (lower.next.is_some(), NodeHead::LOWER_NODE),
            (upper.next.is_some(), NodeHead::UPPER_NODE),
        ];
        let set = flags.iter().filter(|(is_set, _)| *is_set);
        set.fold((self.place)(condition.input) as u16, |head, (_, flag)| head | flag)
    }

    /// Returns the amplitudes of a branch in steps.
    fn amplitudes(&self, branch: &Branch) -> Vec<u16> {
        let in_steps = |(output, amplitude): (usize, &f64)| {
            let scaled = amplitude * self.model.scaling.y.scale[output] / self.steps[output].max(f64::MIN_POSITIVE);
            scaled.round().clamp(-LARGEST_AMPLITUDE, LARGEST_AMPLITUDE) as i16 as u16
        };
        branch.amplitudes.iter().flatten().enumerate().map(in_steps).collect()
    }
}
