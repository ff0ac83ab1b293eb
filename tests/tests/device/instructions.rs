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
        let samples = samples(10, rng);
        for core in Core::ALL {
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

/// The largest share by which a bound exceeds the count, where instructions depend on the model alone: the prices of
/// parts are off by several percent in models that are mostly of one part.
const LARGEST_EXCESS: f64 = 0.1;

/// The same of a Cortex-M0, whose divisions and logarithms in software depend on their numbers.
const LARGEST_EXCESS_M0: f64 = 0.13;

/// The same of floating point in software, whose worst numbers are up to three times as expensive as usual ones.
const LARGEST_EXCESS_SOFTWARE: f64 = 2.0;

#[test]
fn bounds_of_instructions_hold_and_are_close() {
    let (rng, mut wrong) = (&mut Rng::new(42), Vec::new());
    let cases: Vec<(Blob, Vec<f32>)> = (0..90).map(|i| model_and_rows(Number::ALL[i % 3], rng)).collect();
    let borrowed: Vec<(&[u8], &[f32])> = cases.iter().map(|(blob, rows)| (&**blob, &rows[..])).collect();
    for core in Core::ALL {
        let Some(emulator) = emulator(core.board()) else { return };
        let runs = emulator.run_all(&borrowed).expect("the models run");
        for ((blob, _), run) in cases.iter().zip(&runs) {
            let model = Model::parse(blob).unwrap();
            let (most, bound) = (run.instructions_max(), instruction_bound(&model, core));
            let (mean, software) = (instructions_mean(&model, core), NumberFormat::from(core) != NumberFormat::F32);
            let usual = run.instructions[..USUAL_ROWS].iter().sum::<u32>() / USUAL_ROWS as u32;
            let largest = match (core, model.header().number) {
                (_, Number::F32) if software => LARGEST_EXCESS_SOFTWARE,
                (Core::CortexM0, _) => LARGEST_EXCESS_M0,
                _ => LARGEST_EXCESS,
            };
            // Branches that no row takes matter in a model of few features; a Cortex-M0 divides in software.
            let each = if core == Core::CortexM0 { 40 } else { 10 };
            let slack = f64::from(each * (1 + model.blocks().count() as u32));
            let close = f64::from(bound) <= f64::from(most) * (1.0 + largest) + slack;
            let usually = mean <= bound
                && f64::from(mean.abs_diff(usual))
                    <= 0.25 * f64::from(usual) + 40.0 * f64::from(model.header().outputs);
            if bound < most || !close || !usually {
                let orders: Vec<_> =
                    model.blocks().map(|block| (block.kernel, block.order, block.features())).collect();
                let (inputs, outputs) = (model.inputs(), model.outputs());
                wrong.push(format!(
                    "{core}, {}, {inputs} inputs, {outputs} outputs, {orders:?}: {most}, bound {bound}; usually \
                     {usual}, stated {mean}",
                    model.header().number.name()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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
    for kernel in [Kernel::Cosine, Kernel::Sincos, Kernel::Sigmoid, Kernel::Relu, Kernel::Polynomial] {
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
