//! The kernels, number formats and warps that a program has.

use crate::plain;
use srfm_runtime::format::{BUFFERED, Kernel, Number, Prepared};
use srfm_runtime::kernel::{Cosine, Int, Polynomial, Relu, Sigmoid, Sincos, Square, Warped};
use srfm_runtime::{Error, MISSING, Model};
use srfm_testing::{OwnedIntegers, OwnedModel, Rng, Shape};

#[test]
fn a_program_refuses_kernels_that_it_does_not_have() {
    for &kernel in Kernel::ALL {
        let shape = Shape { kernel, inputs: 2, blocks: vec![(2, 3)], ..Shape::default() };
        let blob = OwnedModel::random(&shape, &mut Rng::new(0)).blob();
        let (mut any, mut y) = ([0.0], [0.0]);
        Model::parse(&blob).unwrap().predict(&[0.5, -0.25], &mut any).unwrap();
        let refusals = [
            Model::<Cosine>::parse_only(&blob).and_then(|model| model.predict(&[0.5, -0.25], &mut y)),
            Model::<Sincos>::parse_only(&blob).and_then(|model| model.predict(&[0.5, -0.25], &mut y)),
            Model::<Sigmoid>::parse_only(&blob).and_then(|model| model.predict(&[0.5, -0.25], &mut y)),
            Model::<Relu>::parse_only(&blob).and_then(|model| model.predict(&[0.5, -0.25], &mut y)),
            Model::<Polynomial>::parse_only(&blob).and_then(|model| model.predict(&[0.5, -0.25], &mut y)),
            Model::<Square>::parse_only(&blob).and_then(|model| model.predict(&[0.5, -0.25], &mut y)),
        ];
        let refused = Error::UnsupportedKernel(kernel.number());
        let expected = [0, 1, 2, 3, 4, 5].map(|k| if k == kernel as usize { Ok(()) } else { Err(refused) });
        assert_eq!(refusals, expected);
        assert_eq!(any.map(f32::to_bits), y.map(f32::to_bits));
    }
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
            let warped = model.prepared.iter().zip(&readings).map(|(p, &x)| plain::warp(p.warp, x)).collect();
            let direct: OwnedModel = {
                let prepared = model.prepared.iter().map(|&p| Prepared { warp: 0, ..p }).collect();
                OwnedModel { prepared, ..model.clone() }
            };
            let predict = |model: &OwnedModel, x: Vec<f32>| {
                let mut y = vec![0.0; shape.outputs];
                Model::parse(&model.blob()).unwrap().predict(&x, &mut y).unwrap();
                y.iter().map(|y| y.to_bits()).collect::<Vec<_>>()
            };
            assert_eq!(predict(&model, readings), predict(&direct, warped), "seed {seed}, {shape:?}");

            for (number, prepared) in [(Number::I32, shape.prepared), (Number::I16, 20)] {
                let shape = Shape { prepared, ..shape.clone() };
                let model = OwnedIntegers::random(number, &shape, &mut Rng::new(seed));
                let direct = OwnedIntegers::random(number, &Shape { prepared, ..plain.clone() }, &mut Rng::new(seed));
                let (blob, direct) = (model.blob(), direct.blob());
                let (parsed, direct) = (Model::parse(&blob).unwrap(), Model::parse(&direct).unwrap());
                let mut counts = vec![0; prepared];
                parsed.prepare(&x, &mut counts).unwrap();
                let warped = |(p, &count): (&Prepared, &i16)| match count {
                    MISSING => MISSING,
                    count => plain::warp_count(p.warp, count),
                };
                let warped: Vec<i16> = model.prepared.iter().zip(&counts).map(warped).collect();
                // A warp may reach the integer that stands for a missing count in the model without warps.
                if warped.iter().zip(&counts).any(|(&warped, &count)| warped == MISSING && count != MISSING) {
                    continue;
                }
                let (mut y, mut expected, mut units) =
                    (vec![0; shape.outputs], vec![1; shape.outputs], vec![0.0; shape.outputs]);
                let outcome = parsed.predict_integers(&counts, &mut y);
                assert_eq!(outcome, direct.predict_integers(&warped, &mut expected), "seed {seed}, {shape:?}");
                parsed.predict(&x, &mut units).unwrap();
                if outcome.is_err() {
                    assert!(units.iter().all(|units| units.is_nan()));
                    continue;
                }
                assert_eq!(y, expected, "seed {seed}, {number:?}, {shape:?}");
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
    assert_eq!(Model::<Cosine>::parse_only(&blob).err(), Some(Error::UnsupportedWarp(1)));
    assert!(Model::<Cosine>::parse_only(&plain).is_ok());
    let (mut one, mut any) = ([0.0], [1.0]);
    Model::<Warped<Cosine>>::parse_only(&blob).unwrap().predict(&x, &mut one).unwrap();
    Model::parse(&blob).unwrap().predict(&x, &mut any).unwrap();
    assert_eq!(one[0].to_bits(), any[0].to_bits());
    let integers = OwnedIntegers::random(Number::I32, &shape, &mut Rng::new(2)).blob();
    assert_eq!(Model::<Int<Cosine>>::parse_only(&integers).err(), Some(Error::UnsupportedWarp(1)));
    let (mut one, mut any) = ([0], [1]);
    Model::<Int<Warped<Cosine>>>::parse_only(&integers).unwrap().predict_integers(&[7; 4], &mut one).unwrap();
    Model::parse(&integers).unwrap().predict_integers(&[7; 4], &mut any).unwrap();
    assert_eq!(one, any);
}

#[test]
fn a_program_refuses_other_number_formats() {
    let (shape, rng) = (Shape { blocks: vec![(1, 2)], ..Shape::default() }, &mut Rng::new(1));
    let float = OwnedModel::random(&shape, rng).blob();
    assert_eq!(Model::<Int<Cosine>>::parse_only(&float).err(), Some(Error::UnsupportedNumber(0)));
    for number in [Number::I32, Number::I16] {
        let integers = OwnedIntegers::random(number, &shape, rng).blob();
        let refused = Error::UnsupportedNumber(number.number());
        assert_eq!(Model::<Cosine>::parse_only(&integers).err(), Some(refused));
        assert!(Model::<Int<Cosine>>::parse_only(&integers).is_ok());
    }
}

#[test]
fn a_program_with_one_kernel_refuses_a_model_of_several() {
    let blocks = vec![(2, 3), (1, 2), (2, 1)];
    for &kernel in Kernel::ALL {
        let mixed = Shape { kernel, mixed: true, inputs: 3, blocks: blocks.clone(), ..Shape::default() };
        let blob = OwnedModel::random(&mixed, &mut Rng::new(2)).blob();
        // The first block with another kernel than the program's.
        let other = |own: Kernel| (0..3).map(|i| mixed.kernel_of(i)).find(|&kernel| kernel != own).unwrap().number();
        let refused = |own: Kernel| Some(Error::UnsupportedKernel(other(own)));
        assert_eq!(Model::<Cosine>::parse_only(&blob).err(), refused(Kernel::Cosine));
        assert_eq!(Model::<Sincos>::parse_only(&blob).err(), refused(Kernel::Sincos));
        assert_eq!(Model::<Warped<Sigmoid>>::parse_only(&blob).err(), refused(Kernel::Sigmoid));
        assert_eq!(Model::<Relu>::parse_only(&blob).err(), refused(Kernel::Relu));
        let integers = OwnedIntegers::random(Number::I16, &mixed, &mut Rng::new(3)).blob();
        assert_eq!(Model::<Int<Cosine>>::parse_only(&integers).err(), refused(Kernel::Cosine));
        assert!(Model::parse(&blob).is_ok() && Model::parse(&integers).is_ok());
    }
}

#[test]
fn any_program_evaluates_a_model_without_features() {
    let blob = OwnedModel { inputs: 1, intercepts: vec![2.5], ..OwnedModel::default() }.blob();
    let mut y = [0.0; 2];
    Model::<Sincos>::parse_only(&blob).unwrap().predict(&[9.0], &mut y[..1]).unwrap();
    Model::parse(&blob).unwrap().predict(&[9.0], &mut y[1..]).unwrap();
    assert_eq!(y, [2.5; 2]);
}

#[test]
fn blocks_of_other_kernels_add_up() {
    // The outputs of a mixed model are sums of the outputs of its blocks; integers add without rounding.
    let mixed =
        Shape { mixed: true, inputs: 5, outputs: 2, blocks: vec![(1, 3), (2, 4), (3, 2), (5, 1)], ..Shape::default() };
    for number in [Number::I32, Number::I16] {
        let model = OwnedIntegers::random(number, &mixed, &mut Rng::new(4));
        let predict = |model: &OwnedIntegers| {
            let mut y = [0; 2];
            Model::parse(&model.blob()).unwrap().predict_integers(&[7, -300, 20_000, -1, 0], &mut y).unwrap();
            y
        };
        let parts = model.blocks.iter().enumerate().map(|(i, block)| {
            let intercepts = if i == 0 { model.intercepts.clone() } else { vec![0; 2] };
            predict(&OwnedIntegers { blocks: vec![block.clone()], intercepts, ..model.clone() })
        });
        let sum = parts.fold([0_i32; 2], |sum, y| [0, 1].map(|o| sum[o].wrapping_add(y[o])));
        assert_eq!(predict(&model), sum, "{number:?}");
    }
}
