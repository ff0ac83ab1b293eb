//! Integer models: the documented sums to the last bit.

use crate::plain::{predict_integers, quantised};
use srfm_runtime::format::{ALL, Kernel, Number, Prepared, Scale};
use srfm_runtime::{Error, Model};
use srfm_testing::{OwnedIntegers, Rng, Shape};

fn shapes(rng: &mut Rng) -> Vec<Shape> {
    let blocks = vec![(1, 3), (2, 4), (3, 2), (4, 2), (ALL, 2)];
    let few = Shape { inputs: 1 + rng.below(16) as u16, linear: rng.below(4), blocks, ..Shape::default() };
    let many = Shape { blocks: vec![(5, 2), (6, 2), (20, 1)], ..few.clone() };
    let listed = Shape { blocks: vec![(1 + rng.below(3) as u16, 5)], ..few.clone() };
    let mut shapes = Vec::new();
    for &kernel in Kernel::ALL {
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
        // An odd number of inputs, and a reading behind them.
        shapes.push(Shape { kernel, inputs: 8, prepared: 5, ..few.clone() });
        shapes.push(Shape { kernel, ..listed.clone() });
        shapes.push(Shape { kernel, ..many.clone() });
        shapes.push(Shape { kernel, prepared: 7, ..many.clone() });
        shapes.push(Shape { kernel, prepared: 16, warped: true, ..few.clone() });
        shapes.push(Shape { kernel, outputs: 2, ..many.clone() });
        shapes.push(Shape { kernel, mixed: true, ..few.clone() });
        shapes.push(Shape { kernel, mixed: true, outputs: 3, prepared: 20, warped: true, ..few.clone() });
        for outputs in [1, 2, 4, 5, 9] {
            let trees = 1 + rng.below(4);
            shapes.push(Shape { kernel, outputs, trees, ..few.clone() });
            shapes.push(Shape { kernel, outputs, trees, prepared: 20, warped: true, blocks: vec![], ..few.clone() });
        }
    }
    // Half of the outputs and of the prepared inputs have limits.
    shapes.iter_mut().for_each(|shape| (shape.limited, shape.bounded) = (rng.below(2) == 0, rng.below(2) == 0));
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
                let outcome = parsed.predict_integers(&z, &mut y);
                let expected = predict_integers(&model, &z);
                assert_eq!(outcome.is_ok(), expected.is_some(), "round {round}: {number:?}, {shape:?}");
                assert_eq!(y, expected.unwrap_or(vec![1; shape.outputs]), "round {round}: {number:?}, {shape:?}");
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
            let count = |i: usize| quantised(&prepared(i), x[usize::from(prepared(i).input)]);
            let expected: Vec<i16> = (0..model.view()).map(count).collect();
            assert_eq!(z, expected);
            let (mut integers, mut y) = (vec![0; shape.outputs], vec![0.0; shape.outputs]);
            parsed.predict(&x, &mut y).unwrap();
            if parsed.predict_integers(&z, &mut integers) == Err(Error::MissingReading) {
                assert!(y.iter().all(|y| y.is_nan()));
                continue;
            }
            let unit = |(i, scale): (&i32, &Scale)| scale.offset + scale.step * *i as f32;
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
        (-16_283.5, -32_767),
        (-16_284.0, -32_767),
        (f32::INFINITY, 32_767),
        (f32::NEG_INFINITY, -32_767),
        (f32::NAN, -32_768),
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
    assert_eq!(refused(&|m| m.blocks[0].records[0] |= 3), Some(Error::IndexOutOfRange));
    assert_eq!(
        refused(&|m| m.prepared = vec![Prepared { centre: 0.0, input: 0, warp: 0, exponent: -127 }; 3]),
        Some(Error::Header)
    );
    assert_eq!(refused(&|_| ()), None);
}
