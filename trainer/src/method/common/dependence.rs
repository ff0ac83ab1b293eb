//! Which inputs targets depend on, before there is a model.

use nalgebra::DMatrix;

/// The ranges that an input is divided into, each with as many rows where readings differ.
const RANGES: usize = 8;

/// Returns how much targets `y` (n×k) depend on every input of `x` (n×d): the share of the variance of a target, and of
/// its squared distance from its mean, that the ranges of an input explain beyond twice what chance does, summed over
/// the targets.
///
/// The share of the variance is the correlation ratio (K. Pearson, 1905). The squared distance finds an input that
/// turns the sign of another one's effect, which moves no mean.
pub fn dependence(x: &DMatrix<f64>, y: &DMatrix<f64>) -> Vec<f64> {
    let mut quantities: Vec<Vec<f64>> = Vec::with_capacity(2 * y.ncols());
    for target in y.column_iter() {
        let mean = target.mean();
        let centred: Vec<f64> = target.iter().map(|value| value - mean).collect();
        let variance = centred.iter().map(|value| value * value).sum::<f64>() / centred.len().max(1) as f64;
        quantities.push(centred.iter().map(|value| value * value - variance).collect());
        quantities.push(centred);
    }
    let of_input = |column: &[f64]| {
        let ranges = ranges(column);
        quantities.iter().map(|values| explained(values, &ranges)).sum()
    };
    x.as_slice().chunks_exact(x.nrows().max(1)).map(of_input).collect()
}

/// Returns the range of every reading.
fn ranges(readings: &[f64]) -> Vec<usize> {
    let mut sorted = readings.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let bounds: Vec<f64> = (1..RANGES).map(|range| sorted[range * sorted.len() / RANGES]).collect();
    readings.iter().map(|reading| bounds.partition_point(|bound| bound <= reading)).collect()
}

/// Returns the share of the sum of squares of centred values that the means of ranges explain, less twice that of
/// random values.
fn explained(values: &[f64], ranges: &[usize]) -> f64 {
    let (mut sums, mut counts) = ([0.0; RANGES], [0.0; RANGES]);
    for (value, &range) in values.iter().zip(ranges) {
        sums[range] += value;
        counts[range] += 1.0;
    }
    let total: f64 = values.iter().map(|value| value * value).sum();
    let used = counts.iter().filter(|&&count| count > 0.0).count();
    let between: f64 =
        sums.iter().zip(counts).map(|(sum, count)| if count > 0.0 { sum * sum / count } else { 0.0 }).sum();
    let by_chance = used.saturating_sub(1) as f64 / values.len() as f64;
    if total > 0.0 { (between / total - 2.0 * by_chance).max(0.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;

    #[test]
    fn levels_and_signs_are_found_among_inputs_without_effect() {
        for seed in 0..5 {
            let mut sampler = Sampler::new(seed);
            let x = DMatrix::from_fn(2000, 12, |_, _| sampler.uniform(-1.0, 1.0));
            // The mean of the first target depends on input 4, its variance on 7 and 9; the second one is noise.
            let y = DMatrix::from_fn(2000, 2, |row, target| match target {
                0 => 0.5 * x[(row, 4)] + x[(row, 7)] * x[(row, 9)] + 0.1 * sampler.normal(),
                _ => sampler.normal(),
            });
            let shares = dependence(&x, &y);
            let least = [4, 7, 9].into_iter().map(|input| shares[input]).fold(f64::INFINITY, f64::min);
            let others = (0..12).filter(|input| ![4, 7, 9].contains(input)).map(|input| shares[input]);
            assert!(least > 5.0 * others.fold(0.01, f64::max), "seed {seed}: {shares:?}");
        }
    }

    #[test]
    fn a_target_that_an_input_decides_is_explained_but_for_chance() {
        // Two values in halves: their ranges explain all, less twice (2 - 1) / 40.
        let x = DMatrix::from_fn(40, 1, |row, _| f64::from(u8::from(row % 2 == 0)));
        let shares = dependence(&x, &(&x * 3.0));
        assert!((shares[0] - 0.95).abs() < 1e-12, "{shares:?}");
        // A constant input, a constant target.
        assert_eq!(dependence(&DMatrix::from_element(40, 1, 2.0), &x), [0.0]);
        assert_eq!(dependence(&x, &DMatrix::from_element(40, 1, 2.0)), [0.0]);
    }
}
