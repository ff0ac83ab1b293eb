//! Bounds of instructions against exact counts, on random models and hostile rows.
//!
//! `cargo bench -p srfm-tests --bench bounds -- 2000` measures so many models on every core.

use std::env;
use std::error::Error;

use srfm_runtime::Model;
use srfm_runtime::format::Number;
use srfm_tests::{Blob, Rng, USUAL_ROWS, model_and_rows};
use srfm_trainer::cost::{Core, instruction_bound, instructions_mean};
use srfm_trainer::emulate::{Emulator, Run, require};

/// Models where no number is given.
const MODELS: usize = 200;

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo hands `--bench` to every benchmark.
    let models = match env::args().skip(1).find(|argument| argument != "--bench") {
        Some(number) => number.parse().map_err(|_| format!("{number} is no number of models"))?,
        None => MODELS,
    };
    require(&Core::of_runtime())?;
    let rng = &mut Rng::new(99);
    let cases: Vec<(Blob, Vec<f32>)> =
        (0..models).map(|i| model_and_rows(Number::ALL[i % Number::ALL.len()], rng)).collect();
    let borrowed: Vec<(&[u8], &[f32])> = cases.iter().map(|(blob, rows)| (&**blob, &rows[..])).collect();
    let columns = [
        "below the count",
        "at most 5 % above",
        "excess in %, least",
        "mean",
        "largest",
        "usual figure off by %, mean",
    ];
    println!("| core | number | models | {} |", columns.join(" | "));
    println!("|---|---|---|---|---|---|---|---|---|");
    for core in Core::of_runtime() {
        let runs = Emulator::new(core)?.run_all(&borrowed)?;
        for &number in Number::ALL {
            let mut excess = Excess { least: f64::INFINITY, ..Excess::default() };
            for ((blob, _), run) in cases.iter().zip(&runs) {
                let model = Model::parse(blob).map_err(|error| error.to_string())?;
                if model.header().number == number {
                    excess.add(&model, core, run);
                }
            }
            let Excess { models, below, near, least, largest, sum, usual } = excess;
            let (mean, usual) = (sum / models as f64, usual / models as f64);
            println!(
                "| {core} | {} | {models} | {below} | {near} | {least:.1} | {mean:.1} | {largest:.1} | {usual:.1} |",
                number.name()
            );
        }
    }
    Ok(())
}

/// Shares by which bounds exceed counts, in percent.
#[derive(Default)]
struct Excess {
    models: usize,
    /// Models whose bound is below a count.
    below: usize,
    /// Models whose bound is at most 5 % above the largest count.
    near: usize,
    least: f64,
    largest: f64,
    sum: f64,
    /// The sum of the differences of the usual figures, up or down.
    usual: f64,
}

impl Excess {
    fn add(&mut self, model: &Model<'_>, core: Core, run: &Run) {
        let percent = |figure: u32, count: f64| 100.0 * (f64::from(figure) / count - 1.0);
        let excess = percent(instruction_bound(model, core), run.instructions_max().into());
        let usual = run.instructions.iter().take(USUAL_ROWS).map(|&count| f64::from(count)).sum::<f64>();
        self.models += 1;
        self.below += usize::from(excess < 0.0);
        self.near += usize::from((0.0..=5.0).contains(&excess));
        self.least = self.least.min(excess);
        self.largest = self.largest.max(excess);
        self.sum += excess;
        self.usual += percent(instructions_mean(model, core), usual / USUAL_ROWS as f64).abs();
    }
}
