//! A row of weight k counts as k rows, in every method that chooses its features without regard to the rows.

use nalgebra::DMatrix;

use crate::data::Dataset;
use crate::method::{Arff, Fourier, Harfe, Linear, MethodConfig, Terms};
use crate::model::Expansion;
use crate::run::Run;
use crate::sampling::Sampler;

/// Rows of three inputs, what each counts, and the same rows as copies. Copies are not in the order of the rows.
fn rows(count: usize, outputs: usize, seed: u64) -> (Dataset, Dataset) {
    let mut sampler = Sampler::new(seed);
    let x = DMatrix::from_fn(count, 3, |_, _| sampler.normal());
    let y = DMatrix::from_fn(count, outputs, |row, output| {
        libm::sin(2.0 * x[(row, output)]) + x[(row, 2)] + 0.5 * sampler.normal()
    });
    let data = Dataset::new(x, y).unwrap();
    let weights: Vec<f64> = (0..count).map(|row| ((row * 7) % 5) as f64).collect();
    let mut copies: Vec<usize> = (0..count).flat_map(|row| vec![row; weights[row] as usize]).collect();
    copies.reverse();
    let copied = data.select(&copies);
    (data.with_weights(weights).unwrap(), copied)
}

/// Returns the largest difference of predictions.
fn difference(a: &Expansion, b: &Expansion, x: &DMatrix<f64>) -> f64 {
    (a.predict(x) - b.predict(x)).amax()
}

#[test]
fn weights_are_copies_where_features_do_not_depend_on_rows() {
    for seed in 0..3 {
        let (weighted, copied) = rows(120, 1 + seed as usize % 2, seed);
        let methods: [MethodConfig; 6] = [
            Linear { lambda: 0.1, ..Linear::default() }.into(),
            Linear::default().into(),
            Linear { lambda: 0.1, huber: Some(1.345), ..Linear::default() }.into(),
            MethodConfig::named("linear").unwrap().tuned(|t| t.terms = Terms::Intercept),
            Fourier { features: 12, lambda: None, ..Fourier::default() }.into(),
            Arff { features: 6, steps: 0, ..Arff::default() }.into(),
        ];
        for method in methods {
            let fit = |data: &Dataset| method.fit_expansion(data, &Run::new(1)).unwrap();
            let apart = difference(&fit(&weighted), &fit(&copied), &copied.x);
            // Clipped targets settle to a millionth of the clip.
            assert!(apart < 1e-5, "{}, seed {seed}: {apart:e}", method.name());
            let alike = Dataset { weights: Vec::new(), ..weighted.clone() };
            let without = difference(&fit(&alike), &fit(&copied), &copied.x);
            assert!(without > 1e-2, "{}: {without}", method.name());
        }
    }
}

/// The penalty of these methods does not grow with the rows, and weights have a mean of 1: the penalty beside copies
/// is as many times as large as there are copies of a row.
#[test]
fn weights_are_copies_with_a_penalty_of_its_own() {
    let (weighted, copied) = rows(90, 1, 5);
    let ratio = copied.rows() as f64 / weighted.rows() as f64;
    let of_lambda: [fn(f64) -> MethodConfig; 2] = [
        |lambda| Fourier { features: 12, lambda: Some(lambda), ..Fourier::default() }.into(),
        |lambda| Harfe { features: 12, candidates: 12, lambda, ..Harfe::default() }.into(),
    ];
    for method in of_lambda {
        let own = method(0.3).fit_expansion(&weighted, &Run::new(1)).unwrap();
        let name = method(0.3).name();
        // Columns of norm 1 take the penalty as it is.
        let lambda = if name == "harfe" { 0.3 } else { 0.3 * ratio };
        let other = method(lambda).fit_expansion(&copied, &Run::new(1)).unwrap();
        let apart = difference(&own, &other, &copied.x);
        assert!(apart < 1e-9, "{name}: {apart:e}");
    }
}

/// Rows of weight 0 are left out before anything else, so that every method gives the same model without them.
#[test]
fn rows_without_weight_are_left_out() {
    let (data, _) = rows(200, 1, 3);
    let full = Dataset { weights: Vec::new(), ..data };
    let weights = (0..full.rows()).map(|row| if row % 3 == 0 { 0.0 } else { 1.0 });
    let kept: Vec<usize> = (0..full.rows()).filter(|row| row % 3 != 0).collect();
    assert_eq!(full.clone().with_weights(weights).unwrap(), full.select(&kept));
}

/// Where weights are large, models follow the rows that have them.
#[test]
fn every_method_follows_the_rows_that_count() {
    let mut sampler = Sampler::new(4);
    let x = DMatrix::from_fn(300, 2, |_, _| sampler.normal());
    // Rows of both halves contradict each other.
    let sign = |row: usize| if row < 150 { 1.0 } else { -1.0 };
    let shape = |a: f64, b: f64| libm::sin(1.5 * a) + if b > 0.2 { 1.0 } else { -1.0 };
    let y = DMatrix::from_fn(300, 1, |row, _| sign(row) * shape(x[(row, 0)], x[(row, 1)]));
    let alike = Dataset::new(x, y).unwrap();
    let first: Vec<usize> = (0..150).collect();
    for name in crate::method::METHODS.iter().map(|method| method.name) {
        let error = |heavy: f64| {
            let weights = (0..300).map(|row| if row < 150 { heavy } else { 1.0 });
            let data = alike.clone().with_weights(weights).unwrap();
            let method = MethodConfig::named(name).unwrap().tuned(|t| t.features = 20);
            let model = method.fit_expansion(&data, &Run::new(1)).unwrap();
            let own = alike.select(&first);
            (model.predict(&own.x) - &own.y).norm_squared() / own.y.norm_squared()
        };
        // With equal weights the halves cancel. With 50, the model is 0.96 of the first half, or the line of it.
        let (equal, heavy) = (error(1.0), error(50.0));
        assert!(heavy < 0.75 * equal, "{name}: {heavy} {equal}");
    }
}
