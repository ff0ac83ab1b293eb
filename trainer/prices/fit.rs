//! Prices of parts from counts of instructions.

use nalgebra::{DMatrix, DVector};

/// The weight of a count above its bound, where a count below has a weight of one.
const ABOVE: f64 = 1000.0;

/// The margin for other models, in units of the mean relative difference of those that were measured.
const MARGIN: f64 = 1.5;

/// Steps after which the weights no longer change.
const STEPS: usize = 40;

/// The ridge that leaves parts apart that no sample tells apart, in units of the largest diagonal entry.
const RIDGE: f64 = 1e-11;

/// Returns prices `x` with `parts * x >= counts`, row for row, and small relative differences: least squares in which a
/// row below its count weighs more, and then a common factor, with a margin for models that were not measured.
pub fn upper_bound(parts: &DMatrix<f64>, counts: &DVector<f64>) -> Vec<f64> {
    let mut rows = parts.clone();
    for (mut row, count) in rows.row_iter_mut().zip(counts) {
        row /= *count;
    }
    let mut weights = DVector::from_element(counts.len(), 1.0);
    let mut prices = DVector::zeros(parts.ncols());
    for _ in 0..STEPS {
        let weighted = DMatrix::from_fn(rows.nrows(), rows.ncols(), |r, c| rows[(r, c)] * weights[r]);
        let mut gram = rows.tr_mul(&weighted);
        let ridge = RIDGE * gram.diagonal().max();
        gram += DMatrix::identity(gram.nrows(), gram.ncols()) * ridge;
        prices = gram.lu().solve(&rows.tr_mul(&weights)).expect("the ridge leaves no singular matrix");
        let relative = &rows * &prices;
        weights = relative.map(|relative| if relative < 1.0 { ABOVE } else { 1.0 });
    }
    let relative = &rows * &prices;
    let raised = (1.0 + MARGIN * (relative.mean() / relative.min() - 1.0)) / relative.min();
    prices.iter().map(|price| price * raised).collect()
}

/// The sweeps of a descent over all prices in turn.
const SWEEPS: usize = 2000;

/// Returns the `x ≥ least` that minimises `xᵀ gram x − 2 xᵀ target`, from a start, by descent along one coordinate
/// after the other.
pub fn at_least(least: &DVector<f64>, gram: &DMatrix<f64>, target: &DVector<f64>, mut x: DVector<f64>) -> DVector<f64> {
    for _ in 0..SWEEPS {
        for i in (0..x.len()).filter(|&i| gram[(i, i)] > 0.0) {
            let slope = target[i] - gram.column(i).dot(&x);
            x[i] = (x[i] + slope / gram[(i, i)]).max(least[i]);
        }
    }
    x
}

#[test]
fn bounded_prices_are_the_best_there_are() {
    // Without the bound, the second price is -1.
    let parts = DMatrix::from_row_slice(3, 2, &[1.0, 0.0, 1.0, 1.0, 0.0, 1.0]);
    let costs = DVector::from_vec(vec![4.0, 3.0, -1.0]);
    let least = at_least(&DVector::zeros(2), &parts.tr_mul(&parts), &parts.tr_mul(&costs), DVector::zeros(2));
    assert!((least - DVector::from_vec(vec![3.5, 0.0])).amax() < 1e-12);
    let costs = DVector::from_vec(vec![4.0, 7.0, 3.0]);
    let least = at_least(&DVector::zeros(2), &parts.tr_mul(&parts), &parts.tr_mul(&costs), DVector::zeros(2));
    assert!((least - DVector::from_vec(vec![4.0, 3.0])).amax() < 1e-12);
}

#[test]
fn prices_bound_all_counts_closely() {
    // Two parts of 10 and 3 instructions, and up to one more in some rows: a tenth, and as much again for the margin.
    let parts = DMatrix::from_fn(60, 2, |row, part| [1, row % 7 * (row % 5)][part] as f64);
    let counts = DVector::from_fn(60, |row, _| 10.0 + 3.0 * parts[(row, 1)] + (row % 3) as f64 * 0.5);
    let prices = upper_bound(&parts, &counts);
    let bounds = &parts * DVector::from_vec(prices.clone());
    assert!(bounds.iter().zip(&counts).all(|(bound, count)| (1.0..1.2).contains(&(bound / count))), "{prices:?}");
    assert!((11.0..12.0).contains(&prices[0]) && (3.0..3.3).contains(&prices[1]), "{prices:?}");
}
