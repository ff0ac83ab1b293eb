//! Instructions, stack and memory of predictions stay within their limits.

use srfm_runtime::Model;
use srfm_runtime::format::{Kernel, Number};
use srfm_runtime::kernel::instructions;
use srfm_tests::{Blob, OwnedIntegers, OwnedModel, Rng, Shape, USUAL_ROWS, model_and_rows};
use srfm_trainer::cost::{Core, instruction_bound, instructions_mean};
use srfm_trainer::export::NumberFormat;

use super::{emulator, run, samples, usual};

#[test]
fn integers_take_the_same_instructions_for_every_input() {
    let rng = &mut Rng::new(41);
    for number in [Number::I32, Number::I16] {
        let blob = OwnedIntegers::random(number, &usual(), rng).blob();
        // Without a prediction, as after a missing reading, fewer instructions are executed.
        let samples: Vec<f32> = samples(10, rng).into_iter().map(|x| if x.is_nan() { 0.0 } else { x }).collect();
        for core in Core::of_runtime() {
            let Some(run) = run(core, &blob, &samples) else { return };
            let run = run.expect("the model runs");
            println!("{core}, {number:?}: {} instructions, {} bytes of stack", run.instructions_max(), run.stack_bytes);
            assert_eq!(run.instructions_mean(), f64::from(run.instructions_max()), "{core}, {number:?}");
            let limit = match (core, number) {
                (Core::CortexM4f, Number::I32) => 1600,
                (Core::CortexM3, Number::I32) => 2000,
                (Core::CortexM0, Number::I32) => 3850,
                _ => 4500,
            };
            assert!(run.instructions_max() <= limit, "{core}, {number:?}: {}", run.instructions_max());
        }
    }
}

/// The largest mean share by which bounds exceed the counts of random models, as the table of bounds in the documents
/// has it for 2,000 models.
const MEAN_EXCESS: f64 = 0.05;

/// The same of a Cortex-M0, whose divisions and logarithms in software depend on their numbers.
const MEAN_EXCESS_M0: f64 = 0.09;

/// The same of floating point in software, whose worst numbers are up to three times as expensive as usual ones.
const MEAN_EXCESS_SOFTWARE: f64 = 1.4;

/// The largest mean difference of the usual figures from the counts of usual rows, in hardware and in software.
const MEAN_USUAL: [f64; 2] = [0.04, 0.1];

/// No bound is below a count. Single models exceed their counts by up to a quarter where no row takes the dearest
/// branch, so the limits are for the means.
#[test]
fn bounds_of_instructions_hold_and_are_close() {
    let rng = &mut Rng::new(42);
    let cases: Vec<(Blob, Vec<f32>)> = (0..600).map(|i| model_and_rows(Number::ALL[i % 3], rng)).collect();
    let borrowed: Vec<(&[u8], &[f32])> = cases.iter().map(|(blob, rows)| (&**blob, &rows[..])).collect();
    for core in Core::of_runtime() {
        let Some(emulator) = emulator(core.machine()) else { return };
        let runs = emulator.run_all(&borrowed).expect("the models run");
        for number in Number::ALL {
            let (mut excess, mut usually, mut models) = (0.0, 0.0, 0.0);
            for ((blob, _), run) in cases.iter().zip(&runs) {
                let model = Model::parse(blob).unwrap();
                if model.header().number != *number {
                    continue;
                }
                let (most, bound) = (run.instructions_max(), instruction_bound(&model, core));
                let mean = instructions_mean(&model, core);
                assert!(bound >= most && mean <= bound, "{core}, {}: {most}, {mean}, {bound}", number.name());
                let usual = f64::from(run.instructions[..USUAL_ROWS].iter().sum::<u32>()) / USUAL_ROWS as f64;
                excess += f64::from(bound) / f64::from(most) - 1.0;
                usually += (f64::from(mean) / usual - 1.0).abs();
                models += 1.0;
            }
            let software = *number == Number::F32 && NumberFormat::from(core) != NumberFormat::F32;
            let largest = match core {
                _ if software => MEAN_EXCESS_SOFTWARE,
                Core::CortexM0 => MEAN_EXCESS_M0,
                _ => MEAN_EXCESS,
            };
            let (excess, usually) = (excess / models, usually / models);
            println!("{core}, {}: {excess:.3} above, usual figures off by {usually:.3}", number.name());
            assert!(excess <= largest, "{core}, {}: {excess}", number.name());
            assert!(usually <= MEAN_USUAL[usize::from(software)], "{core}, {}: {usually}", number.name());
        }
    }
}

/// Instructions that a feature of two of ten inputs takes beyond those of a model without features.
fn instructions_per_feature(kernel: Kernel, outputs: usize) -> Option<f64> {
    let count = |features| {
        let shape = Shape { kernel, outputs, blocks: vec![(2, features)], ..usual() };
        let rng = &mut Rng::new(31);
        let (blob, samples) = (OwnedModel::random(&shape, rng).blob(), rng.floats(5 * 10, 4.0));
        Some(f64::from(run(Core::CortexM4f, &blob, &samples)?.expect("the model runs").instructions_max()))
    };
    Some((count(200)? - count(100)?) / 100.0)
}

#[test]
fn a_feature_takes_little_more_instructions_than_by_hand() {
    for kernel in Kernel::ALL.iter().copied() {
        for outputs in 1..=4 {
            let Some(measured) = instructions_per_feature(kernel, outputs) else { return };
            let by_hand = instructions(kernel, 2, outputs) as f64;
            println!("{kernel:?}, {outputs} outputs: {measured} instructions a feature, {by_hand} by hand");
            // The count by hand has no loop.
            assert!((1.0..=1.2).contains(&(measured / by_hand)), "{kernel:?}, {outputs} outputs: {measured}");
        }
    }
}

#[test]
fn a_usual_model_keeps_its_budget() {
    let rng = &mut Rng::new(12);
    let blob = OwnedModel::random(&usual(), rng).blob();
    let samples = rng.floats(200 * 10, 4.0);
    let Some(first) = run(Core::CortexM4f, &blob, &samples) else { return };
    let first = first.expect("the model runs");
    let instructions = first.instructions_max();
    assert!(instructions <= 3000, "{instructions} instructions");
    assert!(first.instructions.iter().all(|&n| n == instructions), "the count depends on the readings");
    assert_eq!(first.instructions_mean(), f64::from(instructions));
    assert!(first.stack_bytes <= 256, "{} bytes of stack", first.stack_bytes);
    assert!((1..=128).contains(&first.ram_bytes), "{} bytes of RAM", first.ram_bytes);
    assert!(blob.len() <= 20 * 100, "{} bytes of flash", blob.len());

    let again = run(Core::CortexM4f, &blob, &samples).expect("the emulator is there").expect("the model runs");
    assert_eq!(first, again);
}
