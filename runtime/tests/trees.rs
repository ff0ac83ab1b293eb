//! Trees: what a reader refuses, which branches missing readings take, and what a program without trees says.

use srfm_runtime::format::{Kernel, Number, TREES, TreeInput, key_of, reading_of};
use srfm_runtime::kernel::{Cosine, Int, Relu, Rules, Warped};
use srfm_runtime::{Error, Evaluator, Model};
use srfm_testing::{AWKWARD, Blob, OwnedBranch, OwnedIntegers, OwnedModel, OwnedNode, OwnedTrees, Rng, Shape};

use crate::plain;

fn branch(amplitudes: &[i16]) -> OwnedBranch {
    OwnedBranch { amplitudes: amplitudes.to_vec(), node: None }
}

fn node(threshold: u16, lower: OwnedBranch, upper: OwnedBranch) -> OwnedNode {
    OwnedNode { input: 0, threshold, missing_upper: false, lower, upper }
}

/// Returns a model of one reading and one tree of three nodes.
fn sound() -> OwnedModel {
    let with = |amplitudes: &[i16], node| OwnedBranch { node: Some(Box::new(node)), ..branch(amplitudes) };
    let lower = node(10, branch(&[-3]), branch(&[]));
    let upper = node(30, branch(&[4]), branch(&[5]));
    OwnedModel {
        method: "m".into(),
        inputs: 2,
        intercepts: vec![1.0],
        trees: OwnedTrees {
            inputs: vec![TreeInput { base: key_of(1.0), input: 1, shift: 16 }],
            steps: vec![0.5],
            shift: 0,
            roots: vec![node(20, with(&[], lower), with(&[7], upper))],
        },
        ..OwnedModel::default()
    }
}

fn refusal(change: impl FnOnce(&mut OwnedModel)) -> Option<Error> {
    let mut model = sound();
    change(&mut model);
    Model::parse(&model.blob()).err()
}

/// Returns why the sound model is refused after a change to the halves of its trees, which start at `halves`.
fn refusal_of_halves(change: impl FnOnce(&mut [u16])) -> Option<Error> {
    let mut blob = sound().blob();
    // Intercept, limits, the head of the block, an input and a step come first.
    let start = blob.tensors() + 4 + 8 + 4 + 8 + 4;
    let count = sound().trees.halves().len();
    let mut halves: Vec<u16> =
        blob[start..][..2 * count].chunks(2).map(|half| u16::from_le_bytes([half[0], half[1]])).collect();
    assert_eq!(halves, sound().trees.halves());
    change(&mut halves);
    for (bytes, half) in blob[start..].chunks_mut(2).zip(halves) {
        bytes.copy_from_slice(&half.to_le_bytes());
    }
    blob.mend();
    Model::parse(&blob).err()
}

#[test]
fn damaged_trees_are_refused() {
    assert_eq!(refusal(|_| ()), None);
    assert_eq!(refusal(|m| m.trees.inputs[0].input = 2), Some(Error::IndexOutOfRange));
    assert_eq!(refusal(|m| m.trees.inputs[0].shift = 32), Some(Error::Layout));
    assert_eq!(refusal(|m| m.trees.steps[0] = f32::NAN), Some(Error::NotFinite));
    assert_eq!(refusal(|m| m.trees.roots[0].input = 1), Some(Error::IndexOutOfRange));
    // Head, threshold, length of the tree, length of the lower subtree.
    assert_eq!(sound().trees.halves()[..4], [0xe000, 20, 9, 3]);
    for (at, off) in [(2, 1), (2, u16::MAX), (3, 1), (3, u16::MAX)] {
        assert_eq!(refusal_of_halves(|halves| halves[at] = halves[at].wrapping_add(off)), Some(Error::Layout));
    }
    // A flag more, or one less, in any node.
    for (at, flag) in [0, 5, 8].into_iter().flat_map(|at| (12..16).map(move |bit| (at, 1 << bit))) {
        assert_eq!(refusal_of_halves(|halves| halves[at] ^= flag), Some(Error::Layout), "half {at}, bit {flag}");
    }
}

#[test]
fn the_writer_checks_the_parts_of_trees() {
    let refused = |change: fn(&mut OwnedTrees)| {
        let mut model = sound();
        change(&mut model.trees);
        model.write().err()
    };
    assert_eq!(refused(|trees| trees.steps.clear()), Some(Error::Layout));
    assert_eq!(refused(|trees| trees.roots.clear()), Some(Error::Layout));
    assert_eq!(refused(|trees| trees.roots = vec![trees.roots[0].clone(); 6000]), Some(Error::TooLarge));
}

#[test]
fn programs_of_one_kernel_refuse_trees() {
    let blob = sound().blob();
    assert_eq!(Model::<Cosine>::parse_only(&blob).err(), Some(Error::UnsupportedKernel(TREES)));
}

/// Returns the status of a file in programs for one kernel and for all, and compares the bits of a prediction.
fn with_rules<E: Evaluator>(blob: &Blob, x: &[f32]) -> Result<(), Error> {
    let model = Model::<E>::parse_only(blob)?;
    let any = Model::parse(blob).unwrap();
    let (mut y, mut expected) = (vec![0.0; any.outputs()], vec![0.0; any.outputs()]);
    model.predict(x, &mut y).unwrap();
    any.predict(x, &mut expected).unwrap();
    let bits = |y: &[f32]| y.iter().map(|y| if y.is_nan() { 0 } else { y.to_bits() }).collect::<Vec<_>>();
    assert_eq!(bits(&y), bits(&expected));
    if any.header().number != Number::F32 {
        let view = if any.prepared().is_empty() { any.inputs() } else { any.prepared().len() };
        let (mut z, mut y) = (vec![0; view], vec![0; any.outputs()]);
        let mut expected = y.clone();
        any.prepare(x, &mut z).unwrap();
        let outcome = model.predict_integers(&z, &mut y);
        assert_eq!((outcome, y), (any.predict_integers(&z, &mut expected), expected));
    }
    Ok(())
}

#[test]
fn programs_of_one_kernel_and_rules_predict_the_bits_of_all_kernels() {
    let mut rng = Rng::new(9);
    let mut sound = 0;
    for round in 0..600 {
        let kernel = [Kernel::Cosine, Kernel::Relu][round % 2];
        let shape = Shape { kernel, mixed: false, trees: rng.below(5), ..Shape::random(&mut rng) };
        let blob = OwnedModel::random(&shape, &mut rng).blob();
        let x = rng.floats(shape.inputs.into(), 4.0);
        let has_features = Model::parse(&blob).unwrap().blocks().next().is_some();
        let found = with_rules::<Rules<Warped<Cosine>>>(&blob, &x);
        let refused = has_features && kernel == Kernel::Relu;
        assert_eq!(found, if refused { Err(Error::UnsupportedKernel(kernel.number())) } else { Ok(()) });
        sound += usize::from(found.is_ok());
        assert_eq!(with_rules::<Int<Rules<Cosine>>>(&blob, &x), Err(Error::UnsupportedNumber(0)));
        let blob = OwnedIntegers::random([Number::I32, Number::I16][round / 2 % 2], &shape, &mut rng).blob();
        if kernel == Kernel::Cosine {
            assert_eq!(with_rules::<Int<Rules<Warped<Cosine>>>>(&blob, &x), Ok(()));
        } else {
            assert_eq!(with_rules::<Int<Rules<Warped<Relu>>>>(&blob, &x), Ok(()));
        }
    }
    assert!(sound >= 300);
}

#[test]
fn trees_come_last() {
    let mut blob = crate::models::trees().blob();
    let kernels = [2, 0, TREES]; // their number, a cosine, trees
    let at = blob.windows(3).position(|bytes| bytes == kernels).expect("the header has the kernels");
    blob[at + 1..at + 3].copy_from_slice(&[TREES, 0]);
    blob.mend();
    assert!(Model::parse(&blob).is_err());
}

#[test]
fn keys_have_the_order_of_readings() {
    let mut rng = Rng::new(1);
    for _ in 0..100_000 {
        let [a, b] = [(); 2].map(|()| match rng.below(3) {
            0 => AWKWARD[rng.below(AWKWARD.len() - 1)],
            1 => rng.float(3.0),
            _ => f32::from_bits(rng.bits() as u32),
        });
        assert_eq!(reading_of(key_of(a)).to_bits(), a.to_bits());
        assert_eq!(key_of(a).cmp(&key_of(b)), a.total_cmp(&b), "{a}, {b}");
    }
}

#[test]
fn a_condition_says_where_missing_readings_go() {
    let mut model = sound();
    // The first reading is not looked at.
    for (missing_upper, expected) in [(false, 1.0 - 0.5 * 3.0), (true, 1.0 + 0.5 * (7.0 + 4.0))] {
        model.trees.roots[0].missing_upper = missing_upper;
        let blob = model.blob();
        for first in [f32::NAN, 2.0] {
            let mut y = [0.0];
            Model::parse(&blob).unwrap().predict(&[first, -f32::NAN], &mut y).unwrap();
            assert_eq!(y, [expected]);
        }
    }
}

#[test]
fn trees_are_the_documented_sum_bit_for_bit() {
    let mut rng = Rng::new(7);
    let mut taken = 0;
    for round in 0..3_000 {
        let shape = Shape { trees: 1 + rng.below(6), outputs: 1 + rng.below(9), ..Shape::random(&mut rng) };
        let model = OwnedModel::random(&Shape { sections: false, ..shape.clone() }, &mut rng);
        let blob = model.blob();
        let parsed = Model::parse(&blob).unwrap();
        let x = if round % 2 == 0 { rng.floats(model.inputs.into(), 4.0) } else { rng.hostile(model.inputs.into()) };
        let mut y = vec![0.0; model.outputs()];
        parsed.predict(&x, &mut y).unwrap();
        let bits = |y: &[f32]| y.iter().map(|y| if y.is_nan() { 0 } else { y.to_bits() }).collect::<Vec<_>>();
        assert_eq!(bits(&y), bits(&plain::predict(&model, &x)), "round {round}");
        let without = OwnedModel { trees: OwnedTrees::default(), ..model };
        taken += usize::from(bits(&y) != bits(&plain::predict(&without, &x)));
    }
    assert!(taken > 1_000, "{taken} of the predictions depend on trees");
}

#[test]
fn integer_models_predict_trees_from_readings_and_from_counts() {
    let mut rng = Rng::new(8);
    for number in [Number::I32, Number::I16] {
        for round in 0..300 {
            let shape = Shape { trees: 1 + rng.below(6), sections: false, ..Shape::random(&mut rng) };
            let model = OwnedIntegers::random(number, &shape, &mut rng);
            let blob = model.blob();
            let parsed = Model::parse(&blob).unwrap();
            let mut x = rng.floats(parsed.inputs(), 40.0);
            if round % 2 == 0 {
                let missing = rng.below(x.len());
                x[missing] = f32::NAN;
            }
            let (mut z, mut integers) = (vec![0; model.view()], vec![0; parsed.outputs()]);
            parsed.prepare(&x, &mut z).unwrap();
            let outcome = parsed.predict_integers(&z, &mut integers);
            let Some(expected) = plain::predict_integers(&model, &z) else {
                assert_eq!(outcome, Err(Error::MissingReading));
                continue;
            };
            assert_eq!((outcome, &integers), (Ok(()), &expected));
            let mut y = vec![0.0; parsed.outputs()];
            parsed.predict(&x, &mut y).unwrap();
            let expected = integers.iter().zip(&model.scales).map(|(&y, scale)| scale.offset + scale.step * y as f32);
            assert!(y.iter().zip(expected).all(|(&y, expected)| y.to_bits() == expected.to_bits()));
        }
    }
}
