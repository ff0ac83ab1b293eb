//! Rows around known ones, which show a model where normal rows end.

use nalgebra::DMatrix;

use crate::sampling::Sampler;

/// The range of the widths of steps, in standard deviations of an input and in differences between rows. Their
/// logarithm is uniform, so that rows near and far are as many.
const WIDTHS: [f64; 2] = [0.1, 3.0];

/// Returns `count` rows around known ones (n×d).
///
/// A third of them takes some readings from other rows, which breaks dependences between inputs. A third is a known row
/// plus a multiple of the difference between two others, which keeps dependences and leaves the range (R. Storn, K.
/// Price, 1997). A third has noise on some readings.
pub fn rows(x: &DMatrix<f64>, count: usize, sampler: &mut Sampler) -> DMatrix<f64> {
    let deviations: Vec<f64> = x.column_iter().map(|column| column.variance().sqrt()).collect();
    let mut around = DMatrix::zeros(count, x.ncols());
    for row in 0..count {
        let first = sampler.below(x.nrows());
        around.row_mut(row).copy_from(&x.row(first));
        match row % 3 {
            0 => swap(x, &mut around, row, sampler),
            1 => step(x, &mut around, row, sampler),
            _ => shake(&deviations, &mut around, row, sampler),
        }
    }
    around
}

/// Takes some readings from other rows, each from one of its own.
fn swap(x: &DMatrix<f64>, around: &mut DMatrix<f64>, row: usize, sampler: &mut Sampler) {
    for input in some(x.ncols(), sampler) {
        let other = sampler.below(x.nrows());
        around[(row, input)] = x[(other, input)];
    }
}

/// Adds a multiple of the difference between two rows.
fn step(x: &DMatrix<f64>, around: &mut DMatrix<f64>, row: usize, sampler: &mut Sampler) {
    let width = width(sampler);
    let from = sampler.below(x.nrows());
    let to = sampler.below(x.nrows());
    for input in 0..x.ncols() {
        around[(row, input)] += width * (x[(to, input)] - x[(from, input)]);
    }
}

/// Adds noise to some readings.
fn shake(deviations: &[f64], around: &mut DMatrix<f64>, row: usize, sampler: &mut Sampler) {
    let width = width(sampler);
    for input in some(deviations.len(), sampler) {
        around[(row, input)] += width * deviations[input] * sampler.normal();
    }
}

/// Draws a width.
fn width(sampler: &mut Sampler) -> f64 {
    let [low, high] = WIDTHS.map(libm::log);
    libm::exp(sampler.uniform(low, high))
}

/// Draws some of the inputs; every number of inputs is equally likely.
fn some(inputs: usize, sampler: &mut Sampler) -> Vec<usize> {
    let size = 1 + sampler.below(inputs);
    sampler.choose(inputs, size)
}
