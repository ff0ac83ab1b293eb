//! The emulated device computes the bits of the workstation within its budget, and the firmware links no panic.
//!
//! Without the emulator or the Rust targets these tests are skipped, loudly; where `CI` or `SRFM_REQUIRE_DEVICE` is set
//! they fail.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::Mutex;

use object::{Object, ObjectSection, SectionKind};
use srfm_runtime::Model;
use srfm_runtime::format::{ALL, BUFFERED, Kernel, Number};
use srfm_runtime::kernel::instructions;
use srfm_tests::{AWKWARD, Blob, OwnedIntegers, OwnedModel, Rng, Shape, skip};
use srfm_trainer::cost::{Board, Core, instruction_bound};
use srfm_trainer::emulate::{DeviceError, Emulator, Run, default_firmware_dir};

/// The firmware for a board, built once for all tests; `None` where something is missing.
fn emulator(board: Board) -> Option<Emulator> {
    static BUILT: Mutex<Vec<(Board, Option<Emulator>)>> = Mutex::new(Vec::new());
    let mut built = BUILT.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some((_, emulator)) = built.iter().find(|(other, _)| *other == board) {
        return emulator.clone();
    }
    let emulator = match Emulator::build_for(board, &default_firmware_dir()) {
        Err(missing @ DeviceError::Missing(_)) => {
            skip(&missing.to_string());
            None
        }
        outcome => Some(outcome.expect("the firmware builds")),
    };
    built.push((board, emulator.clone()));
    emulator
}

/// Runs a model in the emulator; `None` where there is none.
fn run(core: Core, model: &[u8], samples: &[f32]) -> Option<Result<Run, DeviceError>> {
    Some(emulator(core.board())?.run(model, samples))
}

/// Rows of ordinary readings, then rows with awkward ones.
fn samples(inputs: usize, rng: &mut Rng) -> Vec<f32> {
    const ROWS: usize = 50;
    let mut samples = rng.floats(ROWS * inputs, 4.0);
    for awkward in AWKWARD.into_iter().chain([1e6, -1e6, f32::from_bits(1)]) {
        let mut row = rng.floats(inputs, 4.0);
        row[rng.below(inputs)] = awkward;
        samples.extend(row);
        samples.extend(vec![awkward; inputs]);
    }
    samples
}

fn predict_on_host(blob: &Blob, samples: &[f32]) -> Vec<f32> {
    let model = Model::parse(blob).expect("a model that was just written");
    let mut predictions = vec![];
    for x in samples.chunks(model.inputs()) {
        let mut y = vec![0.0; model.outputs()];
        model.predict(x, &mut y).expect("rows of the right length");
        predictions.extend(y);
    }
    predictions
}

/// What is not a number must be so on both sides, whatever its bits.
fn assert_same_bits(device: &[f32], host: &[f32], context: &str) {
    assert_eq!(device.len(), host.len(), "{context}");
    for (i, (&device, &host)) in device.iter().zip(host).enumerate() {
        let same = device.to_bits() == host.to_bits() || device.is_nan() && host.is_nan();
        assert!(same, "{context}, value {i}: device {device:e}, host {host:e}");
    }
}

/// Runs a random model of this shape on every core.
fn check_same_bits(shape: &Shape, rng: &mut Rng) {
    let blob = OwnedModel::random(shape, rng).blob();
    check_model(&blob, shape, rng);
}

/// Runs a model on every core.
fn check_model(blob: &Blob, shape: &Shape, rng: &mut Rng) {
    let samples = samples(shape.inputs.into(), rng);
    let expected = predict_on_host(blob, &samples);
    for core in Core::ALL {
        let Some(run) = run(core, blob, &samples) else { return };
        let run = run.expect("the model runs");
        assert_eq!(run.outputs, shape.outputs);
        assert_same_bits(&run.predictions, &expected, &format!("{core}, {shape:?}"));
    }
}

/// 100 features of two out of ten inputs, one output.
fn usual() -> Shape {
    Shape { inputs: 10, blocks: vec![(2, 100)], ..Shape::default() }
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

#[test]
fn same_bits_for_indices_of_two_bytes() {
    check_same_bits(&Shape { inputs: 300, linear: 3, blocks: vec![(2, 20), (3, 10)], ..usual() }, &mut Rng::new(11));
}

#[test]
fn same_bits_for_every_kernel() {
    let blocks = vec![(1, 5), (2, 9), (3, 6), (5, 4), (ALL, 3)];
    for (seed, kernel) in (20..).zip([Kernel::Sincos, Kernel::Sigmoid, Kernel::Relu]) {
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
    for kernel in [Kernel::Cosine, Kernel::Sincos, Kernel::Sigmoid, Kernel::Relu] {
        for number in [Number::I32, Number::I16] {
            let few = Shape { kernel, inputs: 9, linear: 4, blocks: blocks.clone(), ..Shape::default() };
            let wide = Shape { outputs: 3, inputs: 300, prepared: 20, blocks: blocks[..4].to_vec(), ..few.clone() };
            for shape in [Shape { prepared: 6, ..few.clone() }, Shape { outputs: 2, ..few.clone() }, wide] {
                check_model(&OwnedIntegers::random(number, &shape, rng).blob(), &shape, rng);
            }
        }
    }
}

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

/// The Cortex-M0 of a micro:bit faults where a load is not aligned, which the board that stands for it elsewhere does not.
#[test]
fn a_microbit_loads_nothing_unaligned_and_counts_as_the_larger_board() {
    let mixed = Shape { inputs: 9, linear: 3, blocks: vec![(1, 5), (3, 7), (5, 4)], prepared: 6, ..Shape::default() };
    for (seed, shape) in (40..).zip([usual(), Shape { outputs: 3, kernel: Kernel::Sincos, ..mixed.clone() }, mixed]) {
        let rng = &mut Rng::new(seed);
        let blob = OwnedModel::random(&shape, rng).blob();
        let samples = rng.floats(20 * usize::from(shape.inputs), 4.0);
        let Some(microbit) = emulator(Board::MICROBIT) else { return };
        let microbit = microbit.run(&blob, &samples).expect("the model runs");
        assert_same_bits(&microbit.predictions, &predict_on_host(&blob, &samples), &format!("{shape:?}"));
        let larger = run(Core::CortexM0, &blob, &samples).expect("the emulator is there").expect("the model runs");
        assert_eq!(microbit, larger);
    }
}

#[test]
fn the_firmware_says_what_it_refuses() {
    let mut blob = OwnedModel::random(&usual(), &mut Rng::new(13)).blob();
    let Some(part) = run(Core::CortexM4f, &blob, &[0.5; 15]) else { return };
    assert!(part.expect_err("half a row is left over").to_string().contains("samples.f32 ends within a row"));
    let none = run(Core::CortexM4f, &blob, &[]).expect("the emulator is there").expect("no row is no error");
    assert_eq!((none.predictions.len(), none.instructions_max()), (0, 0));
    let last = blob.len() - 1;
    blob[last] ^= 1;
    let large = OwnedModel::random(&Shape { blocks: vec![(2, 300)], ..usual() }, &mut Rng::new(14)).blob();
    let large = emulator(Board::MICROBIT).expect("the emulator is there").run(&large, &[0.5; 10]);
    assert!(large.expect_err("more than the RAM of a micro:bit").to_string().contains("4096 bytes or more"));
    let corrupt = run(Core::CortexM4f, &blob, &[0.5; 10]).expect("the emulator is there");
    assert!(corrupt.expect_err("the checksum does not fit").to_string().contains("the model is corrupt"));
}

#[test]
fn cores_have_names() {
    for core in Core::ALL {
        assert_eq!(core.to_string().parse::<Core>().expect("its own name"), core);
    }
    assert_eq!("riscv32".parse::<Core>().expect("the family"), Core::Riscv32imac);
    assert!("cortex-m4".parse::<Core>().expect_err("without the f").to_string().contains("cortex-m4f"));
}

#[test]
fn firmware_without_sources_is_reported() {
    let nowhere = Emulator::build(Core::CortexM3, "/nonexistent".as_ref());
    assert!(matches!(nowhere, Err(DeviceError::FirmwareMissing(_))), "{nowhere:?}");
}

/// Builds a release in `folder` for `target`, or runs it in the emulator; `None` where the target is not installed.
fn cargo(command: &str, folder: &Path, target: &str, arguments: &[&str]) -> Option<Output> {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(folder).args([command, "--release", "--target", target]).args(arguments);
    let of_the_host =
        ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_INCREMENTAL", "RUSTC_WORKSPACE_WRAPPER", "SRFM_MODEL"];
    for host in of_the_host {
        cargo.env_remove(host);
    }
    let output = cargo.output().expect("these tests were started by cargo");
    if String::from_utf8_lossy(&output.stderr).contains("target may not be installed") {
        skip(&format!("Rust for {target} is not installed: run `rustup target add {target}`"));
        return None;
    }
    Some(output)
}

fn assert_success(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Bytes that a program occupies of flash: its code, constants and initial values.
fn flash_bytes(program: &Path) -> u64 {
    let elf = std::fs::read(program).expect("the program was built");
    let elf = object::File::parse(&*elf).expect("an ELF file");
    let in_flash = |kind| matches!(kind, SectionKind::Text | SectionKind::ReadOnlyData | SectionKind::Data);
    elf.sections().filter(|section| in_flash(section.kind())).map(|section| section.size()).sum()
}

#[test]
fn the_runtime_links_no_panic_and_little_code() {
    let firmware = default_firmware_dir();
    let build = |core: Core, arguments: &[&str]| {
        // Beside the firmware itself, with which it shares all that it depends on.
        cargo("build", &firmware, core.target(), &[arguments, &["--target-dir", "target"]].concat())
    };
    for core in Core::ALL {
        let programs = ["--bin", "footprint", "--bin", "fixed", "--bin", "everything", "--bin", "empty"];
        let Some(sound) = build(core, &[&["--features", "footprint"], &programs[..]].concat()) else { return };
        assert_success(&sound);
        let programs = firmware.join("target").join(core.target()).join("release");
        let model = std::fs::metadata(firmware.join("models/pressure.srfm")).expect("the model is there").len();
        let code = |program: &str| flash_bytes(&programs.join(program)) - flash_bytes(&programs.join("empty")) - model;
        let (parsed, fixed) = (code("footprint"), code("fixed"));
        println!("{core}: parsing and predicting take {parsed} bytes of flash, predicting with a fixed model {fixed}");
        // Without a floating-point unit, a kilobyte or two of it are arithmetic.
        let (most_parsed, most_fixed) = if core.floating_point() { (8704, 1024) } else { (10_240, 2048) };
        assert!(parsed <= most_parsed, "parsing and predicting take {parsed} bytes of flash on a {core}");
        assert!(fixed <= most_fixed, "predicting with a fixed model takes {fixed} bytes of flash on a {core}");
    }
    let panics = build(Core::CortexM4f, &["--features", "deliberate-panic", "--bin", "footprint"]);
    let panics = panics.expect("the target is there");
    let log = String::from_utf8_lossy(&panics.stderr);
    assert!(!panics.status.success(), "the check would find nothing");
    assert!(log.contains("a_panic_can_be_reached"), "{log}");
}

#[test]
fn a_model_that_is_compiled_in_takes_fewer_instructions() {
    let (firmware, core) = (default_firmware_dir(), Core::CortexM4f);
    let model = std::fs::read(firmware.join("models/pressure.srfm")).expect("the model is there");
    let Some(run) = run(core, &model, &[0.0; 2]) else { return };
    let received = run.unwrap().instructions_max();
    let arguments = ["--features", "footprint", "--bin", "counted", "--target-dir", "target"];
    let output = cargo("run", &firmware, core.target(), &arguments).expect("the target is there");
    assert_success(&output);
    let said = String::from_utf8_lossy(&output.stdout);
    let counted: u32 = said.split(' ').next().and_then(|count| count.parse().ok()).expect("a count");
    println!("{core}: {counted} instructions, {received} of a model that is received");
    // Its 16 features take 15 each besides all loads: less than that in all would be a part of a prediction.
    assert!(counted < received && counted > 27 * 11, "{counted}, {received}");
}
