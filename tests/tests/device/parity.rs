//! Every core predicts the bits of the workstation.

use srfm_runtime::format::{ALL, BUFFERED, Kernel, Number, Place};
use srfm_runtime::{History, Model};
use srfm_tests::{Blob, OwnedIntegers, OwnedModel, OwnedWindows, Rng, Shape};
use srfm_trainer::cost::{Core, Machine};

use super::{assert_same_bits, emulator, predict_on_host, run, samples, usual};

/// Runs a random model of this shape on every core.
fn check_same_bits(shape: &Shape, rng: &mut Rng) {
    let blob = OwnedModel::random(shape, rng).blob();
    check_model(&blob, shape, rng);
}

/// Runs a model on every core.
fn check_model(blob: &Blob, shape: &Shape, rng: &mut Rng) {
    let samples = samples(shape.inputs.into(), rng);
    let expected = predict_on_host(blob, &samples);
    for core in Core::of_runtime() {
        let Some(run) = run(core, blob, &samples) else { return };
        let run = run.expect("the model runs");
        assert_eq!(run.outputs, shape.outputs);
        assert_same_bits(&run.predictions, &expected, &format!("{core}, {shape:?}"));
    }
}

#[test]
fn same_bits_for_every_order() {
    for order in 1..=5 {
        check_same_bits(&Shape { blocks: vec![(order, 40)], ..usual() }, &mut Rng::new(order.into()));
    }
}

#[test]
fn same_bits_for_a_usual_model() {
    check_same_bits(&usual(), &mut Rng::new(6));
}

#[test]
fn same_bits_for_several_outputs_prepared_inputs_and_a_linear_block() {
    let blocks = vec![(1, 5), (2, 7), (3, 6), (5, 4)];
    let plain = Shape { inputs: 9, linear: 4, blocks, ..Shape::default() };
    check_same_bits(&plain, &mut Rng::new(7));
    check_same_bits(&Shape { outputs: 3, ..plain.clone() }, &mut Rng::new(8));
    check_same_bits(&Shape { prepared: 6, ..plain.clone() }, &mut Rng::new(9));
    check_same_bits(&Shape { prepared: BUFFERED, outputs: 2, ..plain }, &mut Rng::new(10));
}

#[test]
fn same_bits_for_warped_inputs() {
    let blocks = vec![(1, 5), (2, 7), (3, 6)];
    let few = Shape { inputs: 9, prepared: 6, warped: true, linear: 4, blocks, ..Shape::default() };
    let any = Shape { prepared: BUFFERED, outputs: 5, blocks: vec![(2, 7), (5, 4), (ALL, 3)], ..few.clone() };
    check_same_bits(&few, &mut Rng::new(50));
    check_same_bits(&any, &mut Rng::new(51));
    let rng = &mut Rng::new(52);
    for number in [Number::I32, Number::I16] {
        for shape in [few.clone(), any.clone(), Shape { inputs: 300, prepared: 20, ..few.clone() }] {
            check_model(&OwnedIntegers::random(number, &shape, rng).blob(), &shape, rng);
        }
    }
}

/// Limits of outputs and readings, and replacements, with readings that meet them.
#[test]
fn same_bits_for_hostile_readings() {
    let rng = &mut Rng::new(60);
    let blocks = vec![(1, 5), (2, 7), (3, 6)];
    let few = Shape { inputs: 9, linear: 4, limited: true, bounded: true, blocks, ..Shape::default() };
    let warped = Shape { prepared: 6, warped: true, ..few.clone() };
    let any =
        Shape { prepared: BUFFERED, mixed: true, outputs: 3, blocks: vec![(2, 7), (5, 4), (ALL, 3)], ..warped.clone() };
    for kernel in Kernel::ALL.iter().copied() {
        for shape in [&few, &warped, &any].map(|shape| Shape { kernel, ..shape.clone() }) {
            let mut blobs = vec![OwnedModel::random(&shape, rng).blob()];
            blobs.extend([Number::I32, Number::I16].map(|number| OwnedIntegers::random(number, &shape, rng).blob()));
            for blob in blobs {
                let samples = rng.hostile(40 * usize::from(shape.inputs));
                let expected = predict_on_host(&blob, &samples);
                for core in [Core::CortexM0, Core::CortexM3, Core::CortexM4f] {
                    let Some(run) = run(core, &blob, &samples) else { return };
                    assert_same_bits(
                        &run.expect("the model runs").predictions,
                        &expected,
                        &format!("{core}, {shape:?}"),
                    );
                }
            }
        }
    }
}

#[test]
fn same_bits_for_indices_of_two_bytes() {
    check_same_bits(&Shape { inputs: 300, linear: 3, blocks: vec![(2, 20), (3, 10)], ..usual() }, &mut Rng::new(11));
}

#[test]
fn same_bits_for_every_kernel() {
    let blocks = vec![(1, 5), (2, 9), (3, 6), (5, 4), (ALL, 3)];
    for (seed, kernel) in (20..).zip(Kernel::ALL.iter().copied().skip(1)) {
        let few = Shape { kernel, inputs: 9, linear: 4, blocks: blocks[..3].to_vec(), ..Shape::default() };
        for outputs in 1..=5 {
            check_same_bits(&Shape { outputs, ..few.clone() }, &mut Rng::new(10 * seed + outputs as u64));
        }
        let any = Shape { outputs: 3, prepared: 6, blocks: blocks.clone(), ..few.clone() };
        check_same_bits(&any, &mut Rng::new(seed + 3));
        check_same_bits(&Shape { inputs: 300, prepared: 0, ..any }, &mut Rng::new(seed + 4));
    }
}

#[test]
fn same_bits_in_integers() {
    // The firmware compares `predict` with `predict_integers` as well.
    let rng = &mut Rng::new(40);
    let blocks = vec![(1, 5), (2, 9), (3, 6), (5, 4), (7, 2), (ALL, 3)];
    for kernel in Kernel::ALL.iter().copied() {
        for number in [Number::I32, Number::I16] {
            let few = Shape { kernel, inputs: 9, linear: 4, blocks: blocks.clone(), ..Shape::default() };
            let wide = Shape { outputs: 3, inputs: 300, prepared: 20, blocks: blocks[..4].to_vec(), ..few.clone() };
            for shape in [Shape { prepared: 6, ..few.clone() }, Shape { outputs: 2, ..few.clone() }, wide] {
                check_model(&OwnedIntegers::random(number, &shape, rng).blob(), &shape, rng);
            }
        }
    }
}

/// The Cortex-M0 of a micro:bit faults where a load is not aligned, which the board that stands for it elsewhere does
/// not.
#[test]
fn a_microbit_loads_nothing_unaligned_and_counts_as_the_larger_board() {
    let mixed = Shape { inputs: 9, linear: 3, blocks: vec![(1, 5), (3, 7), (5, 4)], prepared: 6, ..Shape::default() };
    for (seed, shape) in (40..).zip([usual(), Shape { outputs: 3, kernel: Kernel::Sincos, ..mixed.clone() }, mixed]) {
        let rng = &mut Rng::new(seed);
        let blob = OwnedModel::random(&shape, rng).blob();
        let samples = rng.floats(20 * usize::from(shape.inputs), 4.0);
        let Some(microbit) = emulator(Machine::MICROBIT) else { return };
        let microbit = microbit.run(&blob, &samples).expect("the model runs");
        assert_same_bits(&microbit.predictions, &predict_on_host(&blob, &samples), &format!("{shape:?}"));
        let larger = run(Core::CortexM0, &blob, &samples).expect("the emulator is there").expect("the model runs");
        assert_eq!(microbit, larger);
    }
}

/// Models that look back in time, with readings that are hard on subtractions.
#[test]
fn same_bits_with_a_history() {
    let rng = &mut Rng::new(70);
    for windows in [vec![5], vec![1, 3, 2], vec![4, 0, 2, 1]] {
        let slots: usize = windows.iter().map(|&window| usize::from(window)).sum();
        let shape = Shape { inputs: 9, linear: 4, blocks: vec![(1, 5), (2, 7)], ..Shape::default() };
        let place = |input: usize| Place {
            slot: input % slots,
            difference: input % slots + 1 < slots && input.is_multiple_of(2),
        };
        let places = (0..9).map(place).collect();
        let blob = OwnedModel { windows: windows.clone(), places, ..OwnedModel::random(&shape, rng) }.blob();
        let samples = samples(windows.len(), rng);
        let (model, mut history, mut expected) = (Model::parse(&blob).unwrap(), History::<16, 9>::new(), Vec::new());
        for sample in samples.chunks(windows.len()) {
            let mut y = [0.0];
            expected.extend(history.predict(&model, sample, &mut y).unwrap().then_some(y[0]));
        }
        assert_eq!(expected.len(), samples.len() / windows.len() + 1 - usize::from(model.samples().depth()));
        for core in Core::of_runtime() {
            let Some(run) = run(core, &blob, &samples) else { return };
            assert_same_bits(&run.expect("the model runs").predictions, &expected, &format!("{core}, {windows:?}"));
        }
    }
}

/// Models of windows, with readings that are hard on sums.
#[test]
fn same_bits_with_windows() {
    let rng = &mut Rng::new(71);
    for samples in [2, 7, 16] {
        let shape = Shape { inputs: 9, linear: 4, blocks: vec![(1, 5), (2, 7)], ..Shape::default() };
        let windows = OwnedWindows::random(samples, 9, rng);
        let channels = windows.kept.len();
        let integers =
            OwnedIntegers { statistics: Some(windows.clone()), ..OwnedIntegers::random(Number::I16, &shape, rng) };
        let floats = OwnedModel { statistics: Some(windows), ..OwnedModel::random(&shape, rng) };
        for blob in [floats.blob(), integers.blob()] {
            let mut signal = rng.floats(40 * channels, 3.0);
            signal.extend(rng.hostile(40 * channels));
            let (model, mut history) = (Model::parse(&blob).unwrap(), History::<64, 9>::new());
            let mut expected = Vec::new();
            for sample in signal.chunks(channels) {
                let mut y = [0.0];
                expected.extend(history.predict(&model, sample, &mut y).unwrap().then_some(y[0]));
            }
            assert_eq!(expected.len(), model.samples().predictions(80));
            for core in Core::of_runtime() {
                let Some(run) = run(core, &blob, &signal) else { return };
                assert_same_bits(&run.expect("the model runs").predictions, &expected, &format!("{core}, {samples}"));
            }
        }
    }
}
