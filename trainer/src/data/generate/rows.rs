//! Data sets that are filled row by row.

use nalgebra::DMatrix;

use crate::data::Dataset;

/// Returns a data set of `rows` rows. `fill` writes the inputs and the targets of each row, first row first.
pub fn filled(rows: usize, inputs: &[&str], outputs: &[&str], mut fill: impl FnMut(&mut [f64], &mut [f64])) -> Dataset {
    let mut x = DMatrix::zeros(rows, inputs.len());
    let mut y = DMatrix::zeros(rows, outputs.len());
    let mut readings = vec![0.0; inputs.len()];
    let mut targets = vec![0.0; outputs.len()];
    for row in 0..rows {
        fill(&mut readings, &mut targets);
        x.row_mut(row).copy_from_slice(&readings);
        y.row_mut(row).copy_from_slice(&targets);
    }
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let classes = Vec::new();
    let weights = Vec::new();
    let groups = Vec::new();
    Dataset {
        x,
        y,
        input_names: names(inputs),
        output_names: names(outputs),
        classes,
        weights,
        groups,
        history: Default::default(),
    }
}

/// Returns the counts of a 12-bit converter for a share of its full scale, with `noise` counts of noise.
pub fn counts_of_12_bits(share: f64, noise: f64) -> f64 {
    const FULL_SCALE: f64 = 4095.0;
    (FULL_SCALE * share + noise).round().clamp(0.0, FULL_SCALE)
}
