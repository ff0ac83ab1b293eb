//! Warped inputs: the loss of exporting a model that has them.

use crate::data::Dataset;
use crate::export::{self, Encoding, ExportError, NumberFormat};
use crate::model::Activation;
use crate::model::{Expansion, Model};
use crate::sampling::{Sampler, SpectralLaw};
use crate::scaling::Warp;
use crate::scaling::{InputScaling, Scaling};
use nalgebra::DMatrix;

/// A model of random features of four inputs, of which the first two are warped, and rows for it. The least reading is
/// the largest over `span`.
fn random(activation: Activation, span: f64, whole: bool, seed: u64) -> (Model, Dataset) {
    let mut sampler = Sampler::new(seed);
    let x = DMatrix::from_fn(600, 4, |_, i| {
        let reading = match i {
            0 | 1 => 9000.0 * span.powf(-sampler.uniform(0.0, 1.0)),
            _ => sampler.uniform(-8000.0, 8000.0),
        };
        if whole { reading.round() } else { reading }
    });
    let y = DMatrix::from_fn(600, 1, |_, _| 5.0 + sampler.normal());
    let names = |letter: &str, n: usize| (0..n).map(|i| format!("{letter}{i}")).collect();
    let data = Dataset {
        x,
        y,
        input_names: names("x", 4),
        output_names: names("y", 1),
        classes: vec![],
        weights: Vec::new(),
        groups: vec![],
        history: Default::default(),
    };
    let mut features = SpectralLaw::Normal { scale: 1.0 }.sample(30, &[0, 1, 2, 3], 2, &mut sampler);
    features.iter_mut().for_each(|f| f.bias = sampler.uniform(-3.0, 3.0));
    let expansion = Expansion {
        activation,
        coefficients: DMatrix::from_fn(features.len(), 1, |_, _| 0.2 * sampler.normal()),
        features,
        intercept: DMatrix::zeros(1, 1),
        linear: DMatrix::from_fn(4, 1, |_, _| 0.5 * sampler.normal()),
        trees: Vec::new(),
    };
    let scaling =
        Scaling::learn(&data, InputScaling::Standard, &[Warp::Log, Warp::Sqrt, Warp::Identity, Warp::Identity]);
    (Model::new("by hand", expansion, scaling, &data), data)
}

#[test]
fn an_exported_model_warps_as_the_workstation_does() {
    for seed in 0..5 {
        for activation in [Activation::Sine, Activation::Sigmoid, Activation::Relu, Activation::Square] {
            for whole in [false, true] {
                let (model, data) = random(activation, 100.0, whole, seed);
                let y = model.predict(&data.x);
                for (number, limit) in
                    [(NumberFormat::F32, 2e-5), (NumberFormat::Int, 2e-2), (NumberFormat::Int16, 2e-2)]
                {
                    // A square multiplies the error of a small count's logarithm by its argument.
                    let limit = if activation == Activation::Square { 5.0 * limit } else { limit };
                    let encoding = Encoding { number, max_error: limit, ..Encoding::default() };
                    let (blob, agreement) = export::verified(&model, &data, encoding).unwrap();
                    let device: DMatrix<f64> = export::predict(&blob, &data.x).cast();
                    let error = (device - &y).amax();
                    println!("{activation:?}, whole {whole}, {number:?}: {error:.1e}, worst {:?}", agreement.worst);
                    assert!(agreement.worst.is_none_or(|worst| error <= worst[0]), "{error:e}");
                }
            }
        }
    }
}

#[test]
fn the_worst_case_holds_for_every_reading_in_the_range() {
    // Small counts: the range spans all that a count can.
    for (seed, span) in [(1, 30.0), (2, 1000.0), (3, 8000.0), (4, 60_000.0)] {
        let (model, data) = random(Activation::Sine, span, false, seed);
        for number in [NumberFormat::Int, NumberFormat::Int16] {
            let (blob, agreement) =
                export::verified(&model, &data, Encoding { number, max_error: 100.0, ..Encoding::default() }).unwrap();
            let least = 9000.0 / span;
            let worst = agreement.worst.unwrap()[0];
            let x = DMatrix::from_fn(4000, 4, |row, i| {
                let low = data.x.column(i).min();
                let high = data.x.column(i).max();
                let share = ((row * (2 * i + 1) * 617) % 4001) as f64 / 4000.0;
                let reading = if i < 2 { low * (high / low).powf(share) } else { low + share * (high - low) };
                f64::from((reading as f32).clamp(low as f32, high as f32))
            });
            let device: DMatrix<f64> = export::predict(&blob, &x).cast();
            let error = (device - model.predict(&x)).amax();
            println!("from {least:.2}, {number:?}: {error:.1e}, at worst {worst:.1e}");
            assert!(error <= worst && worst < 60.0 * error, "{error:e}, {worst:e}");
        }
    }
}

#[test]
fn what_a_device_cannot_tell_apart_is_refused() {
    // The least readings are below half a count.
    let (model, data) = random(Activation::Sine, 60_000.0, false, 1);
    let encoding = Encoding { number: NumberFormat::Int, ..Encoding::default() };
    assert!(matches!(export::verified(&model, &data, encoding), Err(ExportError::Precision { .. })));
    assert!(export::verified(&model, &data, Encoding::default()).is_ok());
}
