//! Warps of inputs: the functions over their whole range, models that have them, and what exporting one loses.

use nalgebra::DMatrix;
use srfm_runtime::format::{BUFFERED, Number, Prepared};
use srfm_runtime::kernel::{AllWarps, Cosine, Int, Warped, Warps, warp_f32, warp_int};
use srfm_runtime::{Error, Model as DeviceModel};
use srfm_tests::{AWKWARD, OwnedIntegers, OwnedModel, Rng, Shape, crc32};
use srfm_trainer::data::Dataset;
use srfm_trainer::export::{self, Encoding, ExportError, NumberFormat};
use srfm_trainer::features::Activation;
use srfm_trainer::model::{Expansion, Model};
use srfm_trainer::sampling::{Sampler, SpectralLaw};
use srfm_trainer::scaling::{InputScaling, Scaling};
use srfm_trainer::warp::Warp;

/// Every so manieth normal number above zero.
fn normal(step: usize) -> impl Iterator<Item = f32> {
    (f32::MIN_POSITIVE.to_bits()..f32::INFINITY.to_bits()).step_by(step).map(f32::from_bits)
}

#[test]
fn the_largest_errors_in_floating_point_are_the_documented_ones() {
    let (mut of_log, mut of_root) = (0.0_f64, 0.0_f64);
    for x in normal(1009).chain((0..1 << 22).map(|k| 0.5 + k as f32 / (1 << 21) as f32)) {
        let (exact, log) = (f64::from(x).log2(), warp_f32::log2(x));
        let unit = f64::from(f32::from_bits(log.abs().to_bits() + 1)) - f64::from(log.abs());
        of_log = of_log.max((f64::from(log) - exact).abs() - unit / 2.0);
        of_root = of_root.max((f64::from(warp_f32::sqrt(x)) / f64::from(x).sqrt() - 1.0).abs());
    }
    println!("largest errors: logarithm {of_log:.2e} beyond half a unit, root {of_root:.2e}");
    assert!((3e-7..=4e-7).contains(&of_log), "{of_log:e}");
    assert!((1.7e-7..=1.9e-7).contains(&of_root), "{of_root:e}");
}

#[test]
fn every_reading_has_a_warp() {
    for warp in [warp_f32::log2, warp_f32::sqrt] {
        assert!(warp(f32::NAN).is_nan() && warp(-f32::NAN).is_nan());
        assert_eq!(warp(f32::INFINITY), f32::INFINITY);
        let least = warp(0.0);
        for x in [-0.0, -1.0, f32::MIN, f32::NEG_INFINITY, 1e-40, -1e-40, f32::from_bits(1)] {
            assert_eq!(warp(x).to_bits(), least.to_bits(), "{x:e}");
        }
        // Never a step down, not even by rounding.
        assert!(normal(50_021).map(warp).is_sorted());
    }
    assert!((-126..=127).all(|k| warp_f32::log2(2.0_f32.powi(k)) == k as f32), "powers of two are exact");
    assert!(AWKWARD.into_iter().all(|x| AllWarps::reading(0, x).to_bits() == x.to_bits()));
}

#[test]
fn integer_warps_are_near_or_exact_for_every_count() {
    let (mut largest, mut sum) = (0.0_f64, 0.0);
    for count in 1..=i16::MAX {
        let error = f64::from(warp_int::log2(count)) / 4096.0 + 8.0 - f64::from(count).log2();
        (largest, sum) = (largest.max(error.abs()), sum + error);
        assert_eq!(f64::from(warp_int::sqrt(count)), (32768.0 * f64::from(count)).sqrt().round(), "{count}");
        assert!(warp_int::log2(count) >= warp_int::log2(count - 1), "{count}");
    }
    println!("largest error of the logarithm {largest:.2e}, on average {:.1e}", sum / 32767.0);
    assert!((1.5e-4..=1.6e-4).contains(&largest) && (sum / 32767.0).abs() < 1e-5, "{largest}");
    for count in [i16::MIN, -1, 0] {
        assert_eq!((warp_int::log2(count), warp_int::sqrt(count)), (warp_int::log2(1), 0));
    }
}

#[test]
fn the_bits_of_the_warps_never_change() {
    let checksum = |warp: fn(f32) -> f32| crc32(&normal(9973).flat_map(|x| warp(x).to_le_bytes()).collect::<Vec<_>>());
    let of_counts =
        |warp: fn(i16) -> i16| crc32(&(0..i16::MAX).flat_map(|c| warp(c).to_le_bytes()).collect::<Vec<_>>());
    let checksums =
        [checksum(warp_f32::log2), checksum(warp_f32::sqrt), of_counts(warp_int::log2), of_counts(warp_int::sqrt)];
    assert_eq!(checksums, [0x8190_99fb, 0xa5ae_4b1c, 0x759f_1b26, 0xf462_95a2], "{checksums:#010x?}");
}

/// Shapes of models with warped inputs: those of the quick loops and all others.
fn shapes() -> [Shape; 3] {
    let few =
        Shape { inputs: 5, prepared: 4, warped: true, linear: 2, blocks: vec![(1, 3), (2, 5)], ..Shape::default() };
    let any = Shape { outputs: 5, prepared: BUFFERED, blocks: vec![(4, 3)], ..few.clone() };
    [few.clone(), Shape { outputs: 2, ..few }, any]
}

#[test]
fn a_warped_model_is_the_plain_one_of_warped_inputs() {
    for seed in 0..100 {
        let mut rng = Rng::new(seed);
        for shape in shapes() {
            let plain = Shape { warped: false, ..shape.clone() };
            let x: Vec<f32> = rng.floats(5, 9.0);

            // Readings of their own for every prepared input.
            let mut model = OwnedModel::random(&shape, &mut rng);
            model.inputs = shape.prepared as u16;
            let readings: Vec<f32> = model.prepared.iter().map(|p| x[usize::from(p.input)]).collect();
            (0..).zip(&mut model.prepared).for_each(|(i, p)| p.input = i);
            let warped = model.prepared.iter().zip(&readings).map(|(p, &x)| AllWarps::reading(p.warp, x)).collect();
            let direct: OwnedModel = {
                let prepared = model.prepared.iter().map(|&p| Prepared { warp: 0, ..p }).collect();
                OwnedModel { prepared, ..model.clone() }
            };
            let predict = |model: &OwnedModel, x: Vec<f32>| {
                let mut y = vec![0.0; shape.outputs];
                DeviceModel::parse(&model.blob()).unwrap().predict(&x, &mut y).unwrap();
                y.iter().map(|y| y.to_bits()).collect::<Vec<_>>()
            };
            assert_eq!(predict(&model, readings), predict(&direct, warped), "seed {seed}, {shape:?}");

            for (number, prepared) in [(Number::I32, shape.prepared), (Number::I16, 20)] {
                let shape = Shape { prepared, ..shape.clone() };
                let model = OwnedIntegers::random(number, &shape, &mut Rng::new(seed));
                let direct = OwnedIntegers::random(number, &Shape { prepared, ..plain.clone() }, &mut Rng::new(seed));
                let (blob, direct) = (model.blob(), direct.blob());
                let (parsed, direct) = (DeviceModel::parse(&blob).unwrap(), DeviceModel::parse(&direct).unwrap());
                let mut counts = vec![0; prepared];
                parsed.prepare(&x, &mut counts).unwrap();
                let warped: Vec<i16> =
                    model.prepared.iter().zip(&counts).map(|(p, &count)| AllWarps::count(p.warp, count)).collect();
                let (mut y, mut expected, mut units) =
                    (vec![0; shape.outputs], vec![1; shape.outputs], vec![0.0; shape.outputs]);
                parsed.predict_integers(&counts, &mut y).unwrap();
                direct.predict_integers(&warped, &mut expected).unwrap();
                assert_eq!(y, expected, "seed {seed}, {number:?}, {shape:?}");
                parsed.predict(&x, &mut units).unwrap();
                for ((y, units), scale) in y.into_iter().zip(units).zip(&model.scales) {
                    assert_eq!(units.to_bits(), (scale.offset + scale.step * y as f32).to_bits());
                }
            }
        }
    }
}

#[test]
fn a_program_without_warps_refuses_them() {
    let [shape, ..] = shapes();
    let (warped, x) = (OwnedModel::random(&shape, &mut Rng::new(1)), [0.5, 2.0, 0.0, -1.0, 3e7]);
    let (plain, blob) =
        (OwnedModel::random(&Shape { warped: false, ..shape.clone() }, &mut Rng::new(1)).blob(), warped.blob());
    assert_eq!(DeviceModel::<Cosine>::parse_only(&blob).err(), Some(Error::Header));
    assert!(DeviceModel::<Cosine>::parse_only(&plain).is_ok());
    let (mut one, mut any) = ([0.0], [1.0]);
    DeviceModel::<Warped<Cosine>>::parse_only(&blob).unwrap().predict(&x, &mut one).unwrap();
    DeviceModel::parse(&blob).unwrap().predict(&x, &mut any).unwrap();
    assert_eq!(one[0].to_bits(), any[0].to_bits());
    let integers = OwnedIntegers::random(Number::I32, &shape, &mut Rng::new(2)).blob();
    assert_eq!(DeviceModel::<Int<Cosine>>::parse_only(&integers).err(), Some(Error::Header));
    let (mut one, mut any) = ([0], [1]);
    DeviceModel::<Int<Warped<Cosine>>>::parse_only(&integers).unwrap().predict_integers(&[7; 4], &mut one).unwrap();
    DeviceModel::parse(&integers).unwrap().predict_integers(&[7; 4], &mut any).unwrap();
    assert_eq!(one, any);
}

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
    let data = Dataset { x, y, input_names: names("x", 4), output_names: names("y", 1), classes: vec![] };
    let mut features = SpectralLaw::Normal { scale: 1.0 }.sample(30, &[0, 1, 2, 3], 2, &mut sampler);
    features.iter_mut().for_each(|f| f.bias = sampler.uniform(-3.0, 3.0));
    let expansion = Expansion {
        activation,
        coefficients: DMatrix::from_fn(features.len(), 1, |_, _| 0.2 * sampler.normal()),
        features,
        intercept: DMatrix::zeros(1, 1),
        linear: DMatrix::from_fn(4, 1, |_, _| 0.5 * sampler.normal()),
    };
    let scaling =
        Scaling::learn(&data, InputScaling::Standard, &[Warp::Log, Warp::Sqrt, Warp::Identity, Warp::Identity]);
    (Model::new("by hand", expansion, scaling, &data), data)
}

#[test]
fn an_exported_model_warps_as_the_workstation_does() {
    for seed in 0..5 {
        for activation in [Activation::Sine, Activation::Sigmoid, Activation::Relu] {
            for whole in [false, true] {
                let (model, data) = random(activation, 100.0, whole, seed);
                let y = model.predict(&data.x);
                for (number, limit) in
                    [(NumberFormat::F32, 2e-5), (NumberFormat::Int, 2e-2), (NumberFormat::Int16, 2e-2)]
                {
                    let encoding = Encoding { number, max_error: limit };
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
            let (blob, agreement) = export::verified(&model, &data, Encoding { number, max_error: 100.0 }).unwrap();
            let (least, worst) = (9000.0 / span, agreement.worst.unwrap()[0]);
            let x = DMatrix::from_fn(4000, 4, |row, i| {
                let (low, high) = (data.x.column(i).min(), data.x.column(i).max());
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
