//! Integer models: their kernels, and the documented sums to the last bit.

use std::f64::consts::TAU;
use std::fs;
use std::path::Path;

use srfm_runtime::format::{ALL, Kernel, Number, Prepared, packs};
use srfm_runtime::kernel::{
    AllWarps, ONE, Warps,
    activation_int::{ARGUMENT_BITS, RELU_ONE, relu, sigmoid},
    cosine_int::{cos, sincos},
};
use srfm_runtime::{Error, Model};
use srfm_tests::{Blob, OwnedIntegers, Rng, Shape, crc32};

const KERNELS: [Kernel; 4] = [Kernel::Cosine, Kernel::Sincos, Kernel::Sigmoid, Kernel::Relu];

/// Every argument whose lower half is zero, as the kernels see it.
fn arguments() -> impl Iterator<Item = u32> {
    (0..=u16::MAX).map(|upper| u32::from(upper) << 16)
}

#[test]
fn the_largest_errors_over_all_arguments_are_the_documented_ones() {
    let value = |integer: i32| f64::from(integer) / f64::from(ONE);
    let largest = |error: &dyn Fn(u32) -> f64| arguments().map(error).fold(0.0, f64::max);
    // What the lower half adds to an argument is half of 2⁻¹⁶ on average: the middle is what a value stands for.
    let middle = |argument: u32| f64::from(argument) + 32768.0;
    let of_cosine = largest(&|t| (value(cos(t)) - (TAU * middle(t) / 4_294_967_296.0).cos()).abs());
    let of_sine = largest(&|t| (value(sincos(t)[0]) - (TAU * middle(t) / 4_294_967_296.0).sin()).abs());
    let argument = |t: u32| (f64::from(t as i32) + 32768.0) / 268_435_456.0;
    let of_sigmoid = largest(&|t| (value(sigmoid(t as i32 >> 8)) - 1.0 / (1.0 + (-argument(t)).exp())).abs());
    println!("largest errors: cosine {of_cosine:.2e}, sine {of_sine:.2e}, sigmoid {of_sigmoid:.2e}");
    for error in [of_cosine, of_sine, of_sigmoid] {
        assert!((2.6e-4..=2.9e-4).contains(&error), "{error}");
    }
    // The lower half changes nothing, and the mean error is none: sums of features are not pushed to one side.
    let mean =
        arguments().map(|t| value(cos(t | 0xffff)) - (TAU * middle(t) / 4_294_967_296.0).cos()).sum::<f64>() / 65536.0;
    assert!(mean.abs() < 1e-5, "{mean}");
    assert!(arguments().all(|t| cos(t) == cos(t | 0xffff)));
}

#[test]
fn the_bits_of_the_kernels_never_change() {
    let bytes = |value: &dyn Fn(u32) -> i32| arguments().flat_map(|t| value(t).to_le_bytes()).collect::<Vec<u8>>();
    let sums = [
        crc32(&bytes(&cos)),
        crc32(&bytes(&|t| sincos(t)[0])),
        crc32(&bytes(&|t| sigmoid(t as i32))),
        crc32(&bytes(&|t| relu(t as i32))),
    ];
    assert_eq!(sums, [0xcbcf_3cc3, 0x45be_1078, 0x0bfd_3427, 0x1b10_6cd1], "{sums:x?}");
}

#[test]
fn activations_stay_at_their_ends() {
    let end = 8 << ARGUMENT_BITS;
    assert_eq!(sigmoid(i32::MAX), sigmoid(end));
    assert_eq!(sigmoid(i32::MIN), sigmoid(-end));
    assert!((ONE - sigmoid(end)).abs() <= 2 && sigmoid(-end).abs() <= 2, "{} {}", sigmoid(end), sigmoid(-end));
    assert_eq!([relu(i32::MIN), relu(-1), relu(0), relu(i32::MAX)], [0, 0, 0, RELU_ONE - 1]);
    let rising: Vec<i32> = (-end..end).step_by(1 << 14).map(sigmoid).collect();
    assert!(rising.windows(2).all(|pair| pair[0] <= pair[1] + 1), "a sigmoid rises");
}

/// The integer that stands for a reading, in `f64`.
fn quantised(prepared: &Prepared, x: f32) -> i16 {
    let scaled = (f64::from(x - prepared.centre) * 2.0_f64.powi(prepared.exponent.into())) as f32;
    if scaled.is_nan() { 0 } else { scaled.round_ties_even().clamp(-32768.0, 32767.0) as i16 }
}

/// What the format description says, without a thought for speed.
fn predict_plainly(model: &OwnedIntegers, z: &[i16]) -> Vec<i32> {
    let warp = |i: usize| model.prepared.get(i).map_or(0, |prepared| prepared.warp);
    let z: Vec<i16> = z.iter().enumerate().map(|(i, &z)| AllWarps::count(warp(i), z)).collect();
    let (outputs, kernel, number) = (model.scales.len(), model.shape.kernel, model.number);
    let half = |words: &[u32], i: usize| i64::from((words[i / 2] >> (16 * (i % 2))) as i16);
    let mut sums = vec![0_i64; outputs];
    for (order, records, indices) in &model.blocks {
        let q = if *order == ALL { model.view() } else { usize::from(*order) };
        let weight_words = if number == Number::I16 { q.div_ceil(2) } else { q };
        let stride = weight_words + if kernel == Kernel::Sincos { outputs } else { 1 + outputs / 2 };
        for (j, record) in records.chunks(stride).enumerate() {
            let (weights, rest) = record.split_at(weight_words);
            let input = |k: usize| match *order {
                ALL => k,
                _ if packs(number, model.view()) => (weights[k] & 15) as usize,
                _ => indices[j * q + k].into(),
            };
            let weight = |k: usize| if number == Number::I16 { half(weights, k) } else { i64::from(weights[k] as i32) };
            // Everything modulo 2³².
            let sum: i64 = (0..q).map(|k| (weight(k) * i64::from(z[input(k)])) % (1 << 32)).sum();
            let sum = ((sum as u32) << model.shifts.weights) as i64;
            let bias = if kernel == Kernel::Sincos { 0 } else { i64::from(rest[0]) };
            let t = (sum + bias) as u32;
            for (o, y) in sums.iter_mut().enumerate() {
                *y += match kernel {
                    Kernel::Cosine => half(rest, if o == 0 { 0 } else { o + 1 }) * i64::from(cos(t)),
                    Kernel::Sigmoid => {
                        let value = sigmoid(t as i32 >> model.shifts.argument);
                        half(rest, if o == 0 { 0 } else { o + 1 }) * i64::from(value)
                    }
                    Kernel::Relu => half(rest, if o == 0 { 0 } else { o + 1 }) * i64::from(relu(t as i32)),
                    Kernel::Sincos => {
                        let [sine, cosine] = sincos(t);
                        half(rest, 2 * o) * i64::from(sine) + half(rest, 2 * o + 1) * i64::from(cosine)
                    }
                };
            }
        }
    }
    let total = |(o, features): (usize, &i64)| {
        let term = |(i, &input): (usize, &u16)| {
            i128::from(model.linear_weights[i * outputs + o] as i32) * i128::from(z[usize::from(input)])
        };
        let linear: i128 = model.linear_inputs.iter().enumerate().map(term).sum();
        let bounded = (*features + i64::from(model.intercepts[o])) as i32;
        ((linear >> model.shifts.linear) + i128::from(bounded)).clamp(i32::MIN.into(), i32::MAX.into()) as i32
    };
    sums.iter().enumerate().map(total).collect()
}

fn shapes(rng: &mut Rng) -> Vec<Shape> {
    let blocks = vec![(1, 3), (2, 4), (3, 2), (4, 2), (ALL, 2)];
    let few = Shape { inputs: 1 + rng.below(16) as u16, linear: rng.below(4), blocks, ..Shape::default() };
    let many = Shape { blocks: vec![(5, 2), (6, 2), (20, 1)], ..few.clone() };
    let listed = Shape { blocks: vec![(1 + rng.below(3) as u16, 5)], ..few.clone() };
    let mut shapes = Vec::new();
    for kernel in KERNELS {
        for outputs in 1..=4 {
            shapes.push(Shape { kernel, outputs, ..few.clone() });
            shapes.push(Shape {
                kernel,
                outputs,
                prepared: 1 + rng.below(16),
                warped: outputs % 2 == 1,
                ..listed.clone()
            });
            shapes.push(Shape { kernel, outputs, inputs: 17 + rng.below(3) as u16, ..few.clone() });
            shapes.push(Shape {
                kernel,
                outputs,
                inputs: 300,
                prepared: 20 * rng.below(2),
                warped: outputs > 2,
                ..few.clone()
            });
        }
        shapes.push(Shape { kernel, ..listed.clone() });
        shapes.push(Shape { kernel, ..many.clone() });
        shapes.push(Shape { kernel, prepared: 7, ..many.clone() });
        shapes.push(Shape { kernel, prepared: 16, warped: true, ..few.clone() });
        shapes.push(Shape { kernel, outputs: 2, ..many.clone() });
    }
    shapes
}

#[test]
fn predictions_are_the_documented_sum_bit_for_bit() {
    let mut rng = Rng::new(1);
    for round in 0..30 {
        for number in [Number::I32, Number::I16] {
            for shape in shapes(&mut rng) {
                let model = OwnedIntegers::random(number, &shape, &mut rng);
                let blob = model.blob();
                let parsed = Model::parse(&blob).unwrap();
                let extremes = [i16::MIN, -1, 0, 1, i16::MAX];
                let reading = |rng: &mut Rng| match rng.below(3) {
                    0 => extremes[rng.below(5)],
                    _ => rng.bits() as i16,
                };
                let z: Vec<i16> = (0..model.view()).map(|_| reading(&mut rng)).collect();
                let mut y = vec![1; shape.outputs];
                parsed.predict_integers(&z, &mut y).unwrap();
                assert_eq!(y, predict_plainly(&model, &z), "round {round}: {number:?}, {shape:?}");
            }
        }
    }
}

#[test]
fn physical_units_are_offset_and_step() {
    let mut rng = Rng::new(2);
    for number in [Number::I32, Number::I16] {
        for shape in shapes(&mut rng) {
            let model = OwnedIntegers::random(number, &shape, &mut rng);
            let blob = model.blob();
            let parsed = Model::parse(&blob).unwrap();
            let mut x = rng.floats(shape.inputs.into(), 5000.0);
            x[rng.below(usize::from(shape.inputs))] = [f32::NAN, f32::INFINITY, -1e30, 1e-40][rng.below(4)];
            let mut z = vec![7; model.view()];
            parsed.prepare(&x, &mut z).unwrap();
            let plain = |input: usize| Prepared { centre: 0.0, input: input as u16, warp: 0, exponent: 0 };
            let prepared = |i: usize| model.prepared.get(i).copied().unwrap_or(plain(i));
            let expected: Vec<i16> =
                (0..model.view()).map(|i| quantised(&prepared(i), x[usize::from(prepared(i).input)])).collect();
            assert_eq!(z, expected);
            let (mut integers, mut y) = (vec![0; shape.outputs], vec![0.0; shape.outputs]);
            parsed.predict_integers(&z, &mut integers).unwrap();
            parsed.predict(&x, &mut y).unwrap();
            let unit = |(i, scale): (&i32, &srfm_runtime::format::Scale)| scale.offset + scale.step * *i as f32;
            let expected: Vec<u32> = integers.iter().zip(&model.scales).map(|p| unit(p).to_bits()).collect();
            assert_eq!(y.iter().map(|v| v.to_bits()).collect::<Vec<_>>(), expected, "{number:?}, {shape:?}");
        }
    }
}

#[test]
fn preparing_rounds_to_the_nearest_and_ends_at_sixteen_bits() {
    let shape = Shape { prepared: 1, ..Shape::default() };
    let mut model = OwnedIntegers::random(Number::I32, &shape, &mut Rng::new(3));
    model.prepared[0] = Prepared { centre: 100.0, input: 0, warp: 0, exponent: 1 };
    let blob = model.blob();
    for (x, expected) in [
        (100.0, 0),
        (100.25, 0), // a half, to the even side
        (100.75, 2),
        (99.0, -2),
        (16_483.0, 32_766),
        (16_484.0, 32_767),
        (-16_284.0, -32_768),
        (f32::INFINITY, 32_767),
        (f32::NEG_INFINITY, -32_768),
        (f32::NAN, 0),
    ] {
        let mut z = [0];
        Model::parse(&blob).unwrap().prepare(&[x], &mut z).unwrap();
        assert_eq!(z, [expected], "{x}");
    }
}

#[test]
fn what_does_not_fit_is_named() {
    let shape = Shape { inputs: 3, outputs: 2, blocks: vec![(2, 3)], ..Shape::default() };
    let model = OwnedIntegers::random(Number::I32, &shape, &mut Rng::new(4));
    let blob = model.blob();
    let parsed = Model::parse(&blob).unwrap();
    assert_eq!(parsed.predict_integers(&[0; 2], &mut [0; 2]), Err(Error::WrongInputs { expected: 3 }));
    assert_eq!(parsed.predict_integers(&[0; 3], &mut [0; 3]), Err(Error::WrongOutputs { expected: 2 }));
    assert_eq!(parsed.prepare(&[0.0; 4], &mut [0; 3]), Err(Error::WrongInputs { expected: 3 }));
    assert_eq!(parsed.prepare(&[0.0; 3], &mut [0; 4]), Err(Error::WrongInputs { expected: 3 }));

    let refused = |change: &dyn Fn(&mut OwnedIntegers)| {
        let mut changed = model.clone();
        change(&mut changed);
        Model::parse(&changed.blob()).err()
    };
    assert_eq!(refused(&|m| m.shifts.weights = 3), Some(Error::Header));
    assert_eq!(refused(&|m| m.shifts.argument = 32), Some(Error::Header));
    assert_eq!(refused(&|m| m.shifts.linear = 64), Some(Error::Header));
    assert_eq!(refused(&|m| m.scales[1].step = f32::NAN), Some(Error::NotFinite));
    assert_eq!(refused(&|m| m.scales[0].offset = f32::INFINITY), Some(Error::NotFinite));
    assert_eq!(refused(&|m| m.blocks[0].1[0] |= 3), Some(Error::IndexOutOfRange));
    assert_eq!(
        refused(&|m| m.prepared = vec![Prepared { centre: 0.0, input: 0, warp: 0, exponent: -127 }; 3]),
        Some(Error::Header)
    );
    assert_eq!(refused(&|_| ()), None);
}

/// A file of each number format and one with warps, pinned for ever, and the checksum of what it predicts. `SRFM_BLESS=1` writes
/// those anew that are not there.
const GOLDENS: [(&str, Number, bool, u32); 3] = [
    ("int-v2", Number::I32, false, 0x5e724c4f),
    ("int16-v2", Number::I16, false, 0x2851372c),
    ("warps-int-v2", Number::I32, true, 0xbc03_d70e),
];

#[test]
fn goldens_are_read_and_predict_the_same_bits_for_ever() {
    for (name, number, warped, sum) in GOLDENS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../runtime/golden/{name}.srfm"));
        let blocks = vec![(1, 2), (2, 5), (3, 2)];
        let shape = Shape { inputs: 5, prepared: 4, warped, linear: 2, blocks, ..Shape::default() };
        let model = OwnedIntegers::random(number, &shape, &mut Rng::new(5));
        if !path.exists() && std::env::var_os("SRFM_BLESS").is_some_and(|bless| bless == "1") {
            fs::write(&path, &*model.blob()).unwrap();
        }
        let file = Blob::new(&fs::read(&path).unwrap());
        assert_eq!(*file, *model.blob(), "{name} is written byte for byte");
        let parsed = Model::parse(&file).unwrap();
        let predicted = (0..500_i32).flat_map(|row| {
            let z: Vec<i16> = (0..4).map(|i| (row * 7919 * (i + 1)) as i16).collect();
            let mut y = [0];
            parsed.predict_integers(&z, &mut y).unwrap();
            y[0].to_le_bytes()
        });
        assert_eq!(crc32(&predicted.collect::<Vec<u8>>()), sum, "{name}");
    }
}
