//! Data for the methods' tests.

use std::ops::Range;

use nalgebra::DMatrix;

use crate::data::Dataset;
use crate::data::generate::Task;
use crate::sampling::Sampler;
use crate::scaling::Scaling;

/// Returns rows of a task in standard scores.
pub fn scaled(task: Task, rows: usize, seed: u64) -> Dataset {
    let data = task.generate(rows, task.usual_noise(), seed);
    Scaling::fit(&data).apply(&data)
}

/// Returns the rows of a range.
pub fn part(data: &Dataset, rows: Range<usize>) -> Dataset {
    data.select(&rows.collect::<Vec<_>>())
}

/// Returns rows of normal inputs with a target.
pub fn rows(count: usize, inputs: usize, seed: u64, target: impl Fn(&[f64]) -> f64) -> Dataset {
    let mut sampler = Sampler::new(seed);
    let x = DMatrix::from_fn(count, inputs, |_, _| sampler.normal());
    let y = DMatrix::from_fn(count, 1, |i, _| target(x.row(i).transpose().as_slice()));
    Dataset::new(x, y).unwrap()
}
