//! Stochastic gradients: the gradient itself, laws of a fit, and what a fit reaches.

use nalgebra::DMatrix;
use srfm_testing::thorough;

use crate::data::Dataset;
use crate::features::{Activation, Feature, feature_matrix};
use crate::linalg::product;
use crate::method::common::linear_fit::Basis;
use crate::method::common::testing::{part, rows};
use crate::method::error::MethodError;
use crate::method::sgd::Sgd;
use crate::method::sgd::descent::Start;
use crate::method::sgd::gradient::{Gradient, ShuffledRows};
use crate::method::sgd::parameters::{Coefficients, Lane, Shape, ZERO, set_coefficients, set_weights};
use crate::method::{Method, Terms};
use crate::model::Expansion;
use crate::run::{Run, Stopping};
use crate::sampling::{Sampler, SpectralLaw};
use crate::solve::least_squares::ridge::{Unpenalised, ridge};
use crate::validate::score::Metrics;

/// Rows of 20 inputs, of which two directions matter.
fn two_directions(count: usize, seed: u64) -> Dataset {
    let mut sampler = Sampler::new(100 + seed);
    let directions: Vec<f64> = (0..40).map(|_| sampler.normal() / 20.0_f64.sqrt()).collect();
    rows(count, 20, seed, move |x| {
        let along = |first: usize| x.iter().zip(&directions[first..]).map(|(x, w)| x * w).sum::<f64>();
        (2.0 * along(0)).sin() + 0.5 * along(20) * along(20) + 0.3 * along(0) * along(20)
    })
}

/// A model of all its parts, as a fit would give it.
struct Parts {
    frequencies: Vec<Feature>,
    amplitudes: DMatrix<f64>,
    linear: DMatrix<f64>,
    intercept: DMatrix<f64>,
}

impl Parts {
    fn random(inputs: usize, frequencies: usize, outputs: usize, sampler: &mut Sampler) -> Parts {
        let law = SpectralLaw::Normal { scale: 0.5 };
        let mut matrix = |rows| DMatrix::from_fn(rows, outputs, |_, _| sampler.normal());
        let (amplitudes, linear, intercept) = (matrix(2 * frequencies), matrix(inputs), matrix(1));
        let all: Vec<usize> = (0..inputs).collect();
        Parts { frequencies: law.sample(frequencies, &all, inputs, sampler), amplitudes, linear, intercept }
    }

    fn parameters(&self, shape: Shape) -> Vec<Lane> {
        let Parts { frequencies, amplitudes, linear, intercept } = self;
        let mut parameters = vec![ZERO; shape.lanes()];
        set_weights(&mut parameters, shape, frequencies);
        set_coefficients(&mut parameters, shape, &Coefficients { amplitudes, linear, intercept });
        parameters
    }

    /// Half the sum of squared errors in double precision.
    fn loss(&self, data: &Dataset) -> f64 {
        let Parts { frequencies, amplitudes, linear, intercept } = self;
        let (features, activation) = (Basis::Pair.features(frequencies), Activation::Sine);
        let (coefficients, linear, intercept) = (amplitudes.clone(), linear.clone(), intercept.clone());
        let model = Expansion { activation, features, coefficients, intercept, linear, trees: Vec::new() };
        0.5 * (model.predict(&data.x) - &data.y).norm_squared()
    }

    /// Adds `step` to the parameter number `index` of a list of all.
    fn moved(&mut self, index: usize, step: f64) {
        let weights = self.frequencies.iter_mut().flat_map(|feature| feature.weights.iter_mut());
        let coefficients = [&mut self.amplitudes, &mut self.linear, &mut self.intercept];
        let all = weights.chain(coefficients.into_iter().flat_map(|matrix| matrix.iter_mut()));
        *all.into_iter().nth(index).unwrap() += step;
    }
}

#[test]
fn gradients_agree_with_finite_differences() {
    // Rows and frequencies that fill neither tiles nor lanes.
    for (inputs, count, outputs, size) in [(11, 10, 2, 300), (1, 1, 1, 1), (8, 27, 3, 128)] {
        let mut sampler = Sampler::new(5);
        let mut data = rows(size, inputs, 2, |x| x[0]);
        data.y = DMatrix::from_fn(size, outputs, |_, _| sampler.normal());
        data.output_names = vec!["y".into(); outputs];
        let mut parts = Parts::random(inputs, count, outputs, &mut sampler);
        let shape = Shape { inputs, frequencies: count, outputs };
        let order: Vec<usize> = (0..size).collect();
        let shuffled = ShuffledRows::new(&data, &order, &(0..inputs).collect::<Vec<_>>());
        let mut gradient = Gradient::new(shape, size);
        let (squared_error, slopes) = gradient.of(&parts.parameters(shape), shuffled.batch(0, size));
        let slopes = slopes.to_vec();
        assert!((squared_error / (2.0 * parts.loss(&data)) - 1.0).abs() < 1e-5);

        // The gradient at the place of every parameter: a marker of its own shows the place.
        let total = inputs * count + outputs * (2 * count + inputs + 1);
        let unit = slopes.as_flattened().iter().fold(0.0_f64, |most, &slope| most.max(f64::from(slope).abs()));
        for index in 0..total {
            let before = parts.parameters(shape);
            parts.moved(index, 1.0);
            let after = parts.parameters(shape);
            let place = before.as_flattened().iter().zip(after.as_flattened()).position(|(a, b)| a != b).unwrap();
            parts.moved(index, -1.0 + 1e-5);
            let above = parts.loss(&data);
            parts.moved(index, -2e-5);
            let below = parts.loss(&data);
            parts.moved(index, 1e-5);
            let (exact, slope) = ((above - below) / 2e-5, f64::from(slopes.as_flattened()[place]));
            // Sums of 300 rows in single precision.
            assert!((slope - exact).abs() < 1e-5 * unit, "{index}: {slope} {exact}");
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_model() {
    let data = two_directions(3000, 1);
    let sgd = Sgd { features: 9, steps: 200, ..Sgd::default() };
    let fits = [1, 2, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| sgd.fit_expansion(&data, &Run::new(4)).unwrap())
    });
    assert!(fits[0] == fits[1] && fits[0] == fits[2]);
    assert_ne!(fits[0], sgd.fit_expansion(&data, &Run::new(5)).unwrap());
}

#[test]
fn hidden_directions_are_found() {
    for seed in 0..if thorough() { 5 } else { 3 } {
        let all = two_directions(6000, seed);
        let (train, test) = (part(&all, 0..5000), part(&all, 5000..6000));
        let sgd = Sgd { features: 8, ..Sgd::default() };
        let expansion = sgd.fit_expansion(&train, &Run::new(seed)).unwrap();
        let r2 = Metrics::from_predictions(&expansion.predict(&test.x), &test.y).r2;
        assert!(r2 > 0.97, "{seed}: {r2}");
        let random = Sgd { start: Start::Random, ..sgd.clone() }.fit_expansion(&train, &Run::new(seed)).unwrap();
        let r2 = Metrics::from_predictions(&random.predict(&test.x), &test.y).r2;
        assert!(r2 > 0.97, "{seed}: {r2}");
        // Frequencies that stay as they are drawn explain little.
        let drawn = Sgd { steps: 0, start: Start::Random, ..sgd }.fit_expansion(&train, &Run::new(seed)).unwrap();
        let r2 = Metrics::from_predictions(&drawn.predict(&test.x), &test.y).r2;
        assert!(r2 < 0.7, "{seed}: {r2}");
    }
}

#[test]
fn pruned_frequencies_keep_the_inputs_that_matter() {
    for seed in 0..3 {
        let data = rows(4000, 30, seed, |x| (x[3] + 1.5 * x[7]).sin() + x[20] * x[21]);
        let sgd = Sgd { features: 6, order: Some(2), steps: 6000, ..Sgd::default() };
        let expansion = sgd.fit_expansion(&data, &Run::new(seed)).unwrap();
        let supports: Vec<_> = expansion.features.iter().map(|feature| feature.support.as_slice()).collect();
        assert!(supports.iter().all(|support| support.len() <= 2));
        assert!(supports.contains(&[3, 7].as_slice()) && supports.contains(&[20, 21].as_slice()), "{supports:?}");
        let r2 = Metrics::from_predictions(&expansion.predict(&data.x), &data.y).r2;
        assert!(r2 > 0.9, "{seed}: {r2}");
    }
}

#[test]
fn the_last_fit_is_ridge_regression_over_all_rows() {
    let data = two_directions(5000, 2);
    let lambdas = [1e-5, 1e-2];
    let sgd = Sgd { features: 5, order: Some(3), steps: 100, ..Sgd::default() };
    for (lambda, expansion) in lambdas.iter().zip(sgd.fit_path(&data, &lambdas, &Run::new(1)).unwrap()) {
        assert!(expansion.features.iter().all(|feature| feature.support.len() == 3));
        let mut a = feature_matrix(&data.x, &expansion.features, expansion.activation);
        let (block, mut y) = (Unpenalised::new(&Terms::Linear.columns(&data.x)), data.y.clone());
        block.project_out(&mut a);
        block.project_out(&mut y);
        let direct = ridge(&a, &y, lambda * data.rows() as f64).unwrap();
        // Normal equations of condition number 1e6 at most.
        assert!((&expansion.coefficients - &direct).amax() < 1e-8 * direct.amax());
        let rest = &data.y - product(&feature_matrix(&data.x, &expansion.features, expansion.activation), &direct);
        let terms = block.coefficients(&rest).unwrap();
        assert!((expansion.linear - terms.rows(1, 20)).amax() < 1e-8);
    }
}

#[test]
fn settings_out_of_range_are_refused_and_fits_can_be_stopped() {
    let data = two_directions(300, 1);
    let refused = |sgd: Sgd| sgd.fit_expansion(&data, &Run::new(1)).unwrap_err();
    let out_of_range = |setting, range, value| MethodError::Setting { setting, range, value };
    assert_eq!(refused(Sgd { batch: 0, ..Sgd::default() }), out_of_range("batch", "at least 1", 0.0));
    let length = Sgd { step_length: -1.0, ..Sgd::default() };
    assert_eq!(refused(length), out_of_range("step_length", "more than 0", -1.0));
    let order = Sgd { order: Some(21), ..Sgd::default() };
    assert_eq!(refused(order), MethodError::OrderBeyondInputs { order: 21, inputs: 20 });
    let wide = Sgd { features: 30_000, ..Sgd::default() };
    assert!(matches!(refused(wide), MethodError::GramMemory { features: 30_000, .. }));

    let stopping = Stopping { after: 3, ..Stopping::default() };
    assert_eq!(Sgd::default().fit_expansion(&data, &stopping.run(1)), Err(MethodError::Interrupted));
    assert_eq!(stopping.steps.lock().unwrap().len(), 3);
}

#[test]
fn a_descent_of_few_steps_keeps_the_order() {
    let data = rows(200, 18, 1, |x| x[3] + x[7]);
    for steps in [0, 1, 10, 25] {
        let sgd = Sgd { features: 6, order: Some(2), steps, ..Sgd::default() };
        let expansion = sgd.fit_expansion(&data, &Run::new(1)).unwrap();
        assert!(expansion.features.iter().all(|feature| feature.support.len() <= 2), "{steps}");
    }
}
