//! Instructions, stack and memory of predictions stay within their limits.

use srfm_runtime::Model;
use srfm_runtime::format::{ALL, Kernel, Number};
use srfm_runtime::kernel::instructions;
use srfm_tests::{OwnedIntegers, OwnedModel, Rng, Shape};
use srfm_trainer::cost::{Core, instruction_bound};

use super::{run, samples, usual};

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

#[test]
fn bounds_of_instructions_hold_and_are_close() {
    let (rng, mut wrong) = (&mut Rng::new(42), Vec::new());
    for round in 0..8 {
        let inputs = 1 + rng.below(16) as u16;
        let prepared = [0, 1 + rng.below(16)][rng.below(2)];
        // Small models as well.
        let mut blocks: Vec<_> = (1..=3).map(|q| (q, rng.below(60))).collect();
        blocks.retain(|&(_, features)| if round % 2 == 0 { features > 30 } else { (4..20).contains(&features) });
        let (warped, linear) = (rng.below(2) == 0, [0, rng.below(6)][rng.below(2)]);
        let view = if prepared > 0 { prepared } else { usize::from(inputs) };
        for number in [Number::F32, Number::I32, Number::I16] {
            let mut blocks = blocks.clone();
            if number != Number::F32 {
                blocks.extend([4, 5, 6 + rng.below(8) as u16].map(|q| (q, 4 + rng.below(50))));
            }
            // No file has lists of so few inputs that are all there are.
            if number != Number::F32 && view > 3 {
                blocks.push((ALL, 4 + rng.below(50)));
            }
            let shape = Shape { inputs, prepared, warped, linear, blocks, ..Shape::default() };
            let blob = match number {
                Number::F32 => OwnedModel::random(&shape, rng).blob(),
                _ => OwnedIntegers::random(number, &shape, rng).blob(),
            };
            let (model, samples) = (Model::parse(&blob).unwrap(), rng.floats(3 * usize::from(inputs), 4.0));
            for core in Core::ALL {
                let Some(bound) = instruction_bound(&model, core) else {
                    assert!(number == Number::F32 && !core.floating_point(), "{core}, {shape:?}");
                    continue;
                };
                let Some(run) = run(core, &blob, &samples) else { return };
                let most = run.expect("the model runs").instructions_max();
                // A block of a Cortex-M0 takes a division or none.
                let slack = if core == Core::CortexM0 { 300 * (1 + shape.blocks.len() as u32) } else { 60 };
                if most > bound || bound > most + most / 20 + slack {
                    wrong.push(format!("{core}, {number:?}, {shape:?}: {most}, bound {bound}"));
                }
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
    for kernel in [Kernel::Cosine, Kernel::Sincos, Kernel::Sigmoid, Kernel::Relu] {
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
