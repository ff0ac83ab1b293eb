//! Models that tell novel rows from normal ones, learned from normal rows alone.
//!
//! A [`Reference`] of any size measures how rare a row is among the normal ones: by the distance to its tenth nearest
//! neighbour. The reference scores the normal rows, each without itself, and rows [around](surroundings) them. The
//! usual regression learns the scores within the budget of the device (distillation: G. Hinton, O. Vinyals, J. Dean,
//! 2015). Normal rows that neither the reference nor the regression saw give the [threshold](threshold), so that a
//! fresh normal row exceeds the threshold with at most the stated probability (conformal prediction: V. Vovk, A.
//! Gammerman, G. Shafer, 2005).

mod reference;
mod surroundings;
mod threshold;

#[cfg(test)]
mod tests;

use nalgebra::DMatrix;

use crate::data::{Dataset, NOVEL, Splitter};
use crate::error::FitError;
use crate::message::message;
use crate::message::setting::FALSE_ALARMS;
use crate::method::MethodError;
use crate::novelty::reference::{NEIGHBOURS, Reference};
use crate::sampling::Sampler;

/// The random stream of the division, the reference and the rows around, apart from those of methods and folds.
const STREAM: u64 = 5;

/// The least share of the rows that the threshold is set on, and the largest one.
const HELD_OUT: f64 = 0.25;
const MOST_HELD_OUT: f64 = 0.5;

/// The largest number of rows of a reference, which compares all pairs of rows.
const MOST_ROWS: usize = 4000;

/// The number of rows around the normal ones.
const AROUND: usize = 6000;

/// The rows of a regression of novelty, and the normal rows that set the threshold of its model.
pub(crate) struct Lesson {
    /// Normal rows and rows around them, with their novelty as the target.
    pub taught: Dataset,
    /// Normal rows that the regression does not see.
    held_out: Dataset,
    /// The largest and the smallest reading of every input of all normal rows.
    ranges: Vec<(f64, f64)>,
    /// The largest share of fresh normal rows that are found novel.
    level: f64,
    /// Whether the held-out rows were drawn one by one.
    alike: bool,
}

impl Lesson {
    /// Divides normal rows as `split` says, and scores a part of them and rows around them.
    ///
    /// # Errors
    /// [`FitError`]: too few rows for the level, groups that cannot be divided, constant inputs.
    pub fn of(data: &Dataset, level: f64, split: Splitter, seed: u64) -> Result<Lesson, FitError> {
        let needed = rows_for(level);
        let all = ((needed as f64 / MOST_HELD_OUT).ceil() as usize).max(2 * NEIGHBOURS);
        let rows = data.rows();
        check_rows(rows, all)?;
        if data.varying_inputs().is_empty() {
            return Err(MethodError::ConstantInputs.into());
        }
        let mut sampler = Sampler::stream(seed, STREAM);
        let share = HELD_OUT.max(needed as f64 / rows as f64);
        let parts = split.holdout(data, share, &mut sampler)?;
        if parts.test.len() < needed || parts.train.len() < NEIGHBOURS {
            // Groups and gaps of time leave other numbers of rows than the share says.
            check_rows(parts.test.len().min(parts.train.len()), needed.max(NEIGHBOURS))?;
        }
        let chosen = sampler.choose(parts.train.len(), MOST_ROWS);
        let known: Vec<usize> = chosen.into_iter().map(|place| parts.train[place]).collect();
        let taught = taught(&data.select(&known), &mut sampler)?;
        let held_out = data.select(&parts.test);
        let ranges = data.x.column_iter().map(|column| (column.min(), column.max())).collect();
        let alike = split == Splitter::Random && data.groups.is_empty() && data.history.is_empty();
        Ok(Lesson { taught, held_out, ranges, level, alike })
    }
}

/// Returns the least number of held-out rows, the largest score of which keeps the level.
fn rows_for(level: f64) -> usize {
    ((1.0 - level) / level * (1.0 - 1e-12)).ceil().max(1.0) as usize
}

/// Checks that there are enough rows.
fn check_rows(rows: usize, needed: usize) -> Result<(), MethodError> {
    if rows >= needed {
        return Ok(());
    }
    let advice = message!("add rows, or raise ", FALSE_ALARMS);
    let purpose = "a model of novelty and its share of false alarms";
    Err(MethodError::TooFewRows { rows, needed, purpose, advice })
}

/// Returns normal rows and rows around them with their novelty. Normal rows together count as much as the others.
fn taught(known: &Dataset, sampler: &mut Sampler) -> Result<Dataset, FitError> {
    let Some(reference) = Reference::new(&known.x) else { return Err(MethodError::ConstantInputs.into()) };
    let around = surroundings::rows(&known.x, AROUND, sampler);
    let (normal, rows) = (known.rows(), known.rows() + around.nrows());
    let own = reference.own_rarity();
    let scale = Scale::of(&own);
    let scores: Vec<f64> = own.into_iter().chain(reference.rarity(&around)).map(|r| scale.novelty(r)).collect();
    let mut x = DMatrix::zeros(rows, known.inputs());
    x.rows_mut(0, normal).copy_from(&known.x);
    x.rows_mut(normal, around.nrows()).copy_from(&around);
    let weight = (around.nrows() as f64 / normal as f64).max(1.0);
    Ok(Dataset {
        x,
        y: DMatrix::from_vec(rows, 1, scores),
        input_names: known.input_names.clone(),
        output_names: vec![NOVEL.to_owned()],
        classes: Vec::new(),
        weights: (0..rows).map(|row| if row < normal { weight } else { 1.0 }).collect(),
        groups: Vec::new(),
        history: known.history.clone(),
    })
}

/// What rarity a novelty of zero stands for, and the spread of the rarity of normal rows.
struct Scale {
    zero: f64,
    unit: f64,
}

impl Scale {
    /// The share of the normal rows whose novelty is below zero.
    const USUAL: f64 = 0.95;

    /// Measures the rarity of normal rows.
    fn of(rarity: &[f64]) -> Scale {
        let mut sorted = rarity.to_vec();
        sorted.sort_by(f64::total_cmp);
        let quantile = |share: f64| sorted[((sorted.len() - 1) as f64 * share) as usize];
        let zero = quantile(Scale::USUAL);
        let spread = zero - quantile(0.5);
        // Where nearly all rows repeat each other, a unit is a factor of e between distances.
        Scale { zero, unit: if spread > 0.0 { spread } else { 1.0 } }
    }

    /// Returns the novelty, from −½ to ½ and steep where normal rows end: features are spent on the boundary, not on
    /// differences between far rows.
    fn novelty(&self, rarity: f64) -> f64 {
        0.5 * libm::tanh((rarity - self.zero) / self.unit)
    }
}
