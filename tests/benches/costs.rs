//! Prints the cost of a prediction on every core, as the tables of `docs/costs.md`.
//!
//! `docs/measure costs costs-memory` writes them to `docs/data`. The counts are exact: only a change of the code or of
//! the compiler changes them.

use std::error::Error;
use std::fmt::Write;

use srfm_runtime::format::{ALL, Number};
use srfm_tests::{Blob, OwnedIntegers, OwnedModel, Rng, Shape};
use srfm_trainer::cost::Core;
use srfm_trainer::emulate::{Emulator, Run, require};

/// Inputs of every model.
const INPUTS: u16 = 10;

/// Rows whose costs are averaged: where floating point is software, instructions differ from row to row.
const ROWS: usize = 20;

const FEATURES: [usize; 3] = [20, 100, 500];
const ORDERS: [u16; 4] = [1, 2, 3, ALL];

/// A number format: its name, and how to write a random model in it.
type NumberFormat = (&'static str, fn(&Shape, &mut Rng) -> Blob);

const NUMBERS: [NumberFormat; 3] = [
    ("f32", |shape, rng| OwnedModel::random(shape, rng).blob()),
    ("int", |shape, rng| OwnedIntegers::random(Number::I32, shape, rng).blob()),
    ("int16", |shape, rng| OwnedIntegers::random(Number::I16, shape, rng).blob()),
];

/// A kind of memory: its name, and how many bytes a run took of it.
type Memory = (&'static str, fn(&Run) -> u32);

const MEMORY: [Memory; 2] = [("RAM", |run| run.ram_bytes), ("stack, at most", |run| run.stack_bytes)];

/// One model on every core.
struct Costs {
    number: &'static str,
    features: usize,
    order: u16,
    flash_bytes: usize,
    runs: Vec<Run>,
}

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", tables(&measure()?)?);
    Ok(())
}

fn measure() -> Result<Vec<Costs>, Box<dyn Error>> {
    let cores = Core::of_runtime();
    require(&cores)?;
    let emulators: Vec<Emulator> = cores.into_iter().map(Emulator::new).collect::<Result<_, _>>()?;
    let mut all = Vec::new();
    for (number, write_model) in NUMBERS {
        for (features, order) in FEATURES.into_iter().flat_map(|features| ORDERS.map(|order| (features, order))) {
            let shape = Shape { inputs: INPUTS, blocks: vec![(order, features)], ..Shape::default() };
            let rng = &mut Rng::new(1);
            let model = write_model(&shape, rng);
            let samples = rng.floats(ROWS * usize::from(INPUTS), 4.0);
            let runs = emulators.iter().map(|emulator| emulator.run(&model, &samples));
            let runs = runs.collect::<Result<_, _>>()?;
            all.push(Costs { number, features, order, flash_bytes: model.len(), runs });
        }
    }
    Ok(all)
}

/// A table of instructions and one of memory.
fn tables(all: &[Costs]) -> Result<String, std::fmt::Error> {
    let cores = Core::of_runtime();
    let names: Vec<&str> = cores.iter().map(|core| core.name()).collect();
    let names = names.join(" | ");
    let lines = "|---".repeat(cores.len());
    let mut text = String::new();
    writeln!(text, "| number | features | inputs per feature, of {INPUTS} | flash of the model | {names} |")?;
    writeln!(text, "|---|---|---|---{lines}|")?;
    for Costs { number, features, order, flash_bytes, runs } in all {
        let inputs = if *order == ALL { "all".to_owned() } else { order.to_string() };
        write!(text, "| {number} | {features} | {inputs} | {} |", grouped(*flash_bytes as f64))?;
        for run in runs {
            write!(text, " {} |", grouped(run.instructions_mean()))?;
        }
        writeln!(text)?;
    }
    writeln!(text, "\n| bytes | {names} |")?;
    writeln!(text, "|---{lines}|")?;
    for (number, _) in NUMBERS {
        for (what, bytes) in MEMORY {
            write!(text, "| {what}, {number} |")?;
            for core in 0..cores.len() {
                let runs = all.iter().filter(|costs| costs.number == number).map(|costs| &costs.runs[core]);
                write!(text, " {} |", runs.map(bytes).max().unwrap_or(0))?;
            }
            writeln!(text)?;
        }
    }
    Ok(text)
}

/// A whole number with commas between its thousands.
fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}
