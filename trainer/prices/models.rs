//! Random models of every path, and rows that take many instructions.

use std::collections::BTreeMap;

use srfm_runtime::Model;
use srfm_runtime::format::{Number, REPLACED};
use srfm_testing::{Blob, OwnedIntegers, OwnedModel, Rng, Shape};

use crate::cost::parts::Parts;

/// Rows of usual readings, after a first row of readings that are not a number.
pub const USUAL_ROWS: usize = 2;

/// Readings that take branches which usual ones do not. Results are numbers.
const EXTREME: [f32; 5] = [0.0, 2.0, 100.0, 1e6, -1e6];

/// A random model.
pub struct Sample {
    pub parts: Parts,
    pub blob: Blob,
    /// A row that is not a number, and [`USUAL_ROWS`].
    pub few_rows: Vec<f32>,
    /// These and extreme readings.
    pub rows: Vec<f32>,
}

/// Returns some of `drawn` random models: on every path at least `per_part` models of every part, and some more.
///
/// Walks down trees are the longest ones. In half of the models all features of a block are the same and take the same
/// branches, and outputs are beyond their limits: their rows come near the largest count.
pub fn samples(drawn: usize, per_part: usize) -> Vec<Sample> {
    let rng = &mut Rng::new(21);
    let mut paths: BTreeMap<String, (usize, BTreeMap<String, usize>)> = BTreeMap::new();
    let mut wanted = |sample: &Sample| {
        let (samples, parts) = paths.entry(sample.parts.path.clone()).or_default();
        let is_rare = sample.parts.counts.keys().any(|part| parts.get(part).is_none_or(|&seen| seen < per_part));
        if !is_rare && *samples >= per_part * parts.len() + 40 {
            return false;
        }
        *samples += 1;
        sample.parts.counts.keys().for_each(|part| *parts.entry(part.clone()).or_default() += 1);
        true
    };
    (0..drawn).map(|i| sample(Number::ALL[i % Number::ALL.len()], rng)).filter(|sample| wanted(sample)).collect()
}

fn sample(number: Number, rng: &mut Rng) -> Sample {
    let mut shape = Shape::of_any_size(number, rng);
    if rng.below(3) == 0 {
        shape.trees = 1 + rng.below(20);
        // Rules are often alone, with one output.
        if rng.below(2) == 0 {
            (shape.outputs, shape.blocks) = (1, Vec::new());
        }
    }
    let same = rng.below(2) == 0;
    let blob = match number {
        Number::F32 => {
            let mut model = OwnedModel::random(&shape, rng);
            for (block, &(_, features)) in model.blocks.iter_mut().zip(&shape.blocks).filter(|_| same) {
                repeat_first(&mut block.records, features);
            }
            model.limits.iter_mut().filter(|_| same).for_each(|limits| *limits = [-1e-9, 1e-9]);
            model.trees.lead_to(rng.below(2) == 0);
            // The first row is to stay no number.
            model.replacements.clear();
            model.prepared.iter_mut().for_each(|prepared| prepared.warp &= !REPLACED);
            model.blob()
        }
        Number::I32 | Number::I16 => {
            let mut model = OwnedIntegers::random(number, &shape, rng);
            for (block, &(_, features)) in model.blocks.iter_mut().zip(&shape.blocks).filter(|_| same) {
                repeat_first(&mut block.records, features);
            }
            model.trees.lead_to(rng.below(2) == 0);
            for prepared in model.prepared.iter_mut().filter(|_| same) {
                prepared.centre = 0.0;
                prepared.exponent = 0;
            }
            model.limits.iter_mut().filter(|_| same).for_each(|limits| *limits = [0, 0]);
            model.blob()
        }
    };
    let inputs = usize::from(shape.inputs);
    let mut few_rows = vec![f32::NAN; inputs];
    let usual = rng.floats(USUAL_ROWS * inputs, 4.0);
    few_rows.extend(usual.into_iter().map(|x| if shape.warped { x.abs() + 0.01 } else { x }));
    let mut rows = few_rows.clone();
    rows.extend(EXTREME.into_iter().flat_map(|x| vec![x; inputs]));
    rows.extend((0..inputs).map(|_| EXTREME[rng.below(EXTREME.len())]));
    let parts = Parts::new(&Model::parse(&blob).expect("a model that was just written"));
    Sample { parts, blob, few_rows, rows }
}

/// Gives all `features` of a block the record of the first.
fn repeat_first<T: Copy>(records: &mut [T], features: usize) {
    let stride = records.len() / features.max(1);
    for feature in 1..features {
        records.copy_within(..stride, feature * stride);
    }
}
