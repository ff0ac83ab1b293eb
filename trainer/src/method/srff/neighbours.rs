//! Distances between neighbouring rows: the width of a kernel that sees some rows and not all.

use nalgebra::DMatrix;
use rayon::prelude::*;

use crate::linalg::product;
use crate::sampling::Sampler;
use crate::sums::row_tiles;

/// Neighbours of a row that are looked at.
const NEIGHBOURS: usize = 20;

/// Rows whose neighbours are looked for, among all rows.
const SAMPLE: usize = 500;

/// Squared distances below this share of the squared norms are rounding: copies of one row.
const COPY: f64 = 1e-13;

/// The median of the Euclidean distances between rows of `x` (n×d) and their 20 nearest neighbours. The rows are 500,
/// drawn at random, where there are more; their neighbours are looked for among all. Copies of a row do not count.
///
/// Where all neighbours are copies it is the root mean square of the distances between any rows. Zero where all rows
/// are one.
pub fn median_distance(x: &DMatrix<f64>, sampler: &mut Sampler) -> f64 {
    let chosen = sampler.choose(x.nrows(), SAMPLE);
    let sample = x.select_rows(&chosen);
    let squares = |m: &DMatrix<f64>| m.row_iter().map(|row| row.norm_squared()).collect::<Vec<f64>>();
    let of_sample = squares(&sample);
    let mut nearest: Vec<Vec<f64>> = vec![Vec::new(); chosen.len()];
    for (first, block) in row_tiles(x) {
        let of_block = squares(&block);
        let products = product(&block, &sample.transpose());
        nearest.par_iter_mut().enumerate().for_each(|(row, nearest)| {
            let products = products.column(row);
            let distances = products.iter().zip(&of_block).enumerate().map(|(other, (product, square))| {
                let norms = square + of_sample[row];
                let distance = norms - 2.0 * product;
                let copy = first + other == chosen[row] || distance <= COPY * norms;
                if copy { f64::INFINITY } else { distance }
            });
            nearest.extend(distances.filter(|distance| distance.is_finite()));
            if nearest.len() > NEIGHBOURS {
                nearest.select_nth_unstable_by(NEIGHBOURS - 1, f64::total_cmp);
                nearest.truncate(NEIGHBOURS);
            }
        });
    }
    let mut distances: Vec<f64> = nearest.into_iter().flatten().collect();
    if distances.is_empty() {
        return (2.0 * x.column_iter().map(|column| column.variance()).sum::<f64>()).sqrt();
    }
    let middle = distances.len() / 2;
    let (_, median, _) = distances.select_nth_unstable_by(middle, f64::total_cmp);
    median.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All distances, sorted.
    fn by_force(x: &DMatrix<f64>, rows: &[usize]) -> f64 {
        let mut all = Vec::new();
        for &i in rows {
            let mut of_row: Vec<f64> =
                (0..x.nrows()).filter(|&j| j != i).map(|j| (x.row(i) - x.row(j)).norm()).collect();
            of_row.sort_unstable_by(f64::total_cmp);
            all.extend_from_slice(&of_row[..NEIGHBOURS.min(of_row.len())]);
        }
        all.sort_unstable_by(f64::total_cmp);
        all[all.len() / 2]
    }

    #[test]
    fn the_median_of_all_pairs_by_force() {
        for (seed, rows) in [(1, 2), (2, 15), (3, 300), (4, 900)] {
            let x = {
                let mut sampler = Sampler::new(seed);
                DMatrix::from_fn(rows, 4, |_, _| 3.0 + sampler.normal())
            };
            let chosen = Sampler::new(9).choose(rows, SAMPLE);
            let ours = median_distance(&x, &mut Sampler::new(9));
            assert!((ours / by_force(&x, &chosen) - 1.0).abs() < 1e-9, "{rows} {ours}");
            // A sample is as good as all rows: the median of some thousand distances.
            let all: Vec<usize> = (0..rows).collect();
            assert!((ours / by_force(&x, &all) - 1.0).abs() < 0.03, "{rows} {ours}");
        }
    }

    #[test]
    fn neighbours_are_found_beyond_one_block() {
        let mut sampler = Sampler::new(5);
        let x = DMatrix::from_fn(9000, 2, |_, _| sampler.normal());
        let chosen = Sampler::new(1).choose(9000, SAMPLE);
        let ours = median_distance(&x, &mut Sampler::new(1));
        assert!((ours / by_force(&x, &chosen) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn copies_do_not_count() {
        let twice = DMatrix::from_fn(60, 1, |row, _| f64::from(row as u32 / 30) * 0.7);
        assert!((median_distance(&twice, &mut Sampler::new(1)) - 0.7).abs() < 1e-12);
        assert_eq!(median_distance(&DMatrix::from_element(30, 2, 1.5), &mut Sampler::new(1)), 0.0);
    }
}
