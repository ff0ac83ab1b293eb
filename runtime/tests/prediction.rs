//! Predictions: their distance from real numbers, and the documented sum, bit for bit.

use std::collections::HashMap;
use std::f64::consts::TAU;

use crate::plain::{self, Feature, all_features};
use srfm_runtime::format::Kernel;
use srfm_runtime::{Error, Model, include_model, static_model};
use srfm_testing::{OwnedModel, Rng, Shape};

#[test]
fn nan_stays_nan() {
    for &kernel in Kernel::ALL {
        let blob = OwnedModel::random(&Shape { kernel, ..shape(2, 1) }, &mut Rng::new(3)).blob();
        let used = (0..4).find(|&i| Model::parse(&blob).unwrap().uses_input(i)).unwrap();
        let mut x = [0.0; 4];
        x[used] = f32::NAN;
        assert!(predict(&blob, &x)[0].is_nan(), "{kernel:?}");
    }
}

/// Returns the shape of a model of four readings and a dozen features of the given order.
fn shape(order: u16, outputs: usize) -> Shape {
    Shape { inputs: 4, outputs, linear: 3, blocks: vec![(order, 12)], ..Shape::default() }
}

fn predict(blob: &[u8], x: &[f32]) -> Vec<f32> {
    let model = Model::parse(blob).unwrap();
    let mut y = vec![f32::NAN; model.outputs()];
    model.predict(x, &mut y).unwrap();
    y
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// Returns the values of a kernel's functions at `t`, their slopes and their largest errors.
fn values_exactly(kernel: Kernel, t: f64) -> Vec<(f64, f64, f64)> {
    match kernel {
        Kernel::Cosine | Kernel::Polynomial => vec![((TAU * t).cos(), TAU, 7.2e-7)],
        Kernel::Sincos => vec![((TAU * t).sin(), TAU, 7.4e-7), ((TAU * t).cos(), TAU, 1.7e-7)],
        Kernel::Sigmoid => vec![(1.0 / (1.0 + (-t).exp()), 0.25, 7.1e-7)],
        Kernel::Relu => vec![(t.max(0.0), 1.0, 0.0)],
        Kernel::Square => vec![(t * t, 2.0 * t.abs() + 1e-5, f64::powi(2.0, -24) * t * t)],
    }
}

/// Returns the formula in `f64`, and how far `f32` may be from it.
///
/// With the unit roundoff u = 2⁻²⁴, a sum of products in which no term meets more than n roundings is off by at most
/// γ_n = n u / (1 - n u) times the sum of the magnitudes of its terms. In an angle of q inputs a term meets the
/// subtraction of its centre, its product and q additions: γ_{q+2}. A value then carries that error times its slope,
/// and its own error. In an output of s summands a term meets a centre, a product and s additions: γ_{s+2}.
fn predict_exactly(model: &OwnedModel, x: &[f32]) -> Vec<(f64, f64)> {
    let gamma = |n: usize| {
        let nu = n as f64 * f64::powi(2.0, -24);
        nu / (1.0 - nu)
    };
    let z: Vec<f64> = match &*model.prepared {
        [] => x.iter().map(|&x| x.into()).collect(),
        prepared => prepared.iter().map(|p| f64::from(x[usize::from(p.input)]) - f64::from(p.centre)).collect(),
    };
    let features = all_features(model);
    let summands =
        model.linear_inputs.len() + features.iter().map(|feature| feature.kernel.scales().len()).sum::<usize>();
    let output = |o: usize| {
        let (mut y, mut inherited) = (f64::from(model.intercepts[o]), 0.0);
        let mut magnitude = y.abs();
        for (i, &input) in model.linear_inputs.iter().enumerate() {
            let term = f64::from(model.linear_weights[i * model.outputs() + o]) * z[usize::from(input)];
            y += term;
            magnitude += term.abs();
        }
        for Feature { kernel, bias, weights, amplitudes, support } in &features {
            let scales = kernel.scales();
            let mut t = f64::from(bias.unwrap_or(0.0));
            let mut t_magnitude = t.abs();
            for (&weight, &index) in weights.iter().zip(support) {
                let term = f64::from(weight) * z[usize::from(index)];
                t += term;
                t_magnitude += term.abs();
            }
            for (v, (value, slope, error)) in values_exactly(*kernel, t).into_iter().enumerate() {
                let amplitude = f64::from(amplitudes[o * scales.len() + v]) / scales[v];
                y += amplitude * value;
                inherited += amplitude.abs() * (slope * gamma(weights.len() + 2) * t_magnitude + error);
                magnitude += amplitude.abs() * value.abs().max(error);
            }
        }
        let [low, high] = model.output_limits().get(o).map_or([f64::MIN, f64::MAX], |limits| limits.map(f64::from));
        (y.clamp(low, high), inherited + gamma(summands + 2) * (magnitude + inherited))
    };
    (0..model.outputs()).map(output).collect()
}

#[test]
fn predictions_are_as_exact_as_single_precision_allows() {
    let mut closest = HashMap::new();
    for seed in 0..20_000 {
        let mut rng = Rng::new(seed);
        let model =
            OwnedModel::random(&Shape { warped: false, bounded: false, trees: 0, ..Shape::random(&mut rng) }, &mut rng);
        let (blob, x) = (model.blob(), rng.floats(model.inputs.into(), 2.0));
        for (y, (exact, margin)) in predict(&blob, &x).into_iter().zip(predict_exactly(&model, &x)) {
            let error = (f64::from(y) - exact).abs();
            assert!(error <= margin, "seed {seed}: {y} for {exact}, off by {error:e} of {margin:e}");
            let mut kernels: Vec<Kernel> = model.blocks.iter().map(|block| block.kernel).collect();
            kernels.dedup();
            let closest = closest.entry(kernels).or_insert(0.0f64);
            *closest = closest.max(error / margin);
        }
    }
    for &kernel in Kernel::ALL {
        assert!(closest[&vec![kernel]] > 0.3, "a margin that is never a third used finds nothing: {closest:?}");
    }
}

#[test]
fn predictions_are_the_documented_sum_bit_for_bit() {
    let mut mixed = 0;
    for seed in 0..5_000 {
        let mut rng = Rng::new(seed);
        let shape = Shape::random(&mut rng);
        mixed += usize::from(shape.mixed && shape.blocks.len() > 1);
        let model = OwnedModel::random(&shape, &mut rng);
        let (blob, x) = (model.blob(), rng.floats(model.inputs.into(), 2.0));
        assert_eq!(bits(&predict(&blob, &x)), bits(&plain::predict(&model, &x)), "seed {seed}");
    }
    assert!(mixed > 500, "{mixed} models of several kernels");
}

#[test]
fn every_path_up_to_its_limits_is_the_documented_sum_bit_for_bit() {
    let mut rng = Rng::new(0);
    let views = [15, 16, 17, 256, 257].into_iter().flat_map(|n| [0, 1, 15, 16].map(|prepared| (n, prepared)));
    for ((inputs, prepared), kernel) in views.flat_map(|view| Kernel::ALL.iter().map(move |&kernel| (view, kernel))) {
        for (order, outputs) in [1, 2, 3, 5, 9].into_iter().flat_map(|order| [1, 2, 3, 4, 5, 8].map(|k| (order, k))) {
            let blocks = vec![(order, 20), (2, 1), (order, 3)];
            let shape = Shape { kernel, inputs, prepared, outputs, linear: 3, blocks, ..Shape::default() };
            let mut model = OwnedModel::random(&shape, &mut rng);
            // The highest index, in a linear term and in either place of a pair; the last prepared reads the last.
            let last = if prepared > 0 { prepared as u16 - 1 } else { inputs - 1 };
            model.linear_inputs[2] = last;
            model.blocks[0].indices[0] = last;
            model.blocks[0].indices[3] = last;
            if let Some(prepared) = model.prepared.last_mut() {
                prepared.input = inputs - 1;
            }
            let blob = model.blob();
            for _ in 0..3 {
                let x = rng.floats(inputs.into(), 2.0);
                assert_eq!(bits(&predict(&blob, &x)), bits(&plain::predict(&model, &x)), "{shape:?}");
            }
        }
    }
}

#[test]
fn slices_of_the_wrong_width_are_named_and_left_alone() {
    for prepared in [0, 2] {
        let blob = OwnedModel::random(&Shape { prepared, ..shape(1, 2) }, &mut Rng::new(0)).blob();
        let model = Model::parse(&blob).unwrap();
        let (x, mut y) = ([0.0; 6], [7.0; 4]);
        for width in [0, 3, 5, 6] {
            let outcome = model.predict(&x[..width], &mut y[..2]);
            assert_eq!(outcome, Err(Error::WrongInputs { expected: 4 }));
        }
        for width in [0, 1, 3, 4] {
            let outcome = model.predict(&x[..4], &mut y[..width]);
            assert_eq!(outcome, Err(Error::WrongOutputs { expected: 2 }));
        }
        assert_eq!(y, [7.0; 4]);
        assert_eq!(model.predict(&x[..4], &mut y[..2]), Ok(()));
    }
}

#[test]
fn a_model_without_features_is_linear() {
    let constant = OwnedModel { inputs: 1, intercepts: vec![2.5, -1.0], ..OwnedModel::default() };
    assert_eq!(predict(&constant.blob(), &[9.0]), [2.5, -1.0]);
    let line = OwnedModel { linear_weights: vec![3.0, 0.5], linear_inputs: vec![0], ..constant };
    assert_eq!(predict(&line.blob(), &[2.0]), [8.5, 0.0]);
}

#[test]
fn a_model_that_the_compiler_read_gives_the_same_bits() {
    macro_rules! both {
        ($($path:literal)*) => { [$((include_model!($path), static_model!($path))),*] };
    }
    let models: [(&[u8], Model<'_>); 8] = both!(
        "../golden/everything.srfm" "../golden/wide.srfm" "../golden/classes.srfm"
        "../golden/warps.srfm" "../golden/warps-int.srfm" "../golden/int16.srfm"
        "../golden/trees.srfm" "../golden/trees-int.srfm"
    );
    for (bytes, fixed) in models {
        let parsed = Model::parse(bytes).unwrap();
        assert_eq!(format!("{fixed:?}"), format!("{parsed:?}"));
        let x: Vec<f32> = (0..fixed.inputs()).map(|i| 0.3 + 0.7 * i as f32).collect();
        let bits = |model: &Model<'_>| {
            let mut y = vec![0.0; model.outputs()];
            model.predict(&x, &mut y).unwrap();
            y.into_iter().map(f32::to_bits).collect::<Vec<u32>>()
        };
        assert_eq!(bits(&fixed), bits(&parsed));
    }
}
