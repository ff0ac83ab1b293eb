//! The measurement of the table of prices in the emulator.

mod fit;
mod functions;
mod history;
mod models;
mod operations;
mod program_runs;
mod programs;
mod windows;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;
use srfm_runtime::format::Number;
use srfm_testing::thorough;

use crate::cost::Core;
use crate::cost::instructions::{AT_MOST, LAGS, USUAL, WINDOWS};
use crate::cost::parts::{NAMES, Operations, Parts};
use crate::emulate::Emulator;

use models::{Sample, USUAL_ROWS, samples};

/// The models that are measured for each part of a path.
const PER_PART: usize = 12;

/// The random models that are drawn: enough for rare paths.
const DRAWN: usize = 200_000;

/// Prices on one target, by path and part.
type Prices = BTreeMap<(String, String), f64>;

/// Replaces `prices.csv`. The firmware is built from the sources.
#[test]
#[ignore = "replaces the table of prices, in some minutes"]
fn measure_prices() {
    let mut targets: Vec<Core> = Core::of_runtime();
    targets.dedup_by_key(|core| core.target());
    let samples = samples(DRAWN, PER_PART);
    let prices: Vec<Prices> = targets.par_iter().map(|&core| measured(core, &samples)).collect();
    let mut table = String::from("path,part");
    for core in &targets {
        write!(table, ",{}", core.target()).unwrap();
    }
    std::fs::write(TABLE, table + "\n" + &rows(&prices)).expect("the checkout can be written");
}

/// Replaces the prices of lags and windows in `prices.csv`.
#[test]
#[ignore = "replaces the prices of lags and windows, in a minute"]
fn measure_histories() {
    let mut targets: Vec<Core> = Core::of_runtime();
    targets.dedup_by_key(|core| core.target());
    let of_core = |&core: &Core| {
        let firmware = firmware();
        let host = Emulator::build(core.machine(), &firmware).expect("the program builds");
        let software = (!core.floating_point()).then(|| operations::measure(core, &firmware, &host));
        prices_of_histories(&host, software.map(|counts| counts.not_a_number))
    };
    let prices: Vec<Prices> = targets.par_iter().map(of_core).collect();
    let own = [LAGS, WINDOWS].map(|path| format!("{path},"));
    let table = std::fs::read_to_string(TABLE).expect("the table can be read");
    let is_other = |row: &&str| !own.iter().any(|path| row.starts_with(path.as_str()));
    let others: String = table.lines().filter(is_other).map(|row| row.to_owned() + "\n").collect();
    std::fs::write(TABLE, others + &rows(&prices)).expect("the checkout can be written");
}

/// Returns the prices of lags and windows.
fn prices_of_histories(host: &Emulator, not_a_number: Option<Operations>) -> Prices {
    let histories = history::measured(host, not_a_number);
    let histories: Vec<(&Parts, f64)> = histories.iter().map(|(parts, count)| (parts, *count)).collect();
    let mut prices = fitted(LAGS, &histories);
    prices.extend(windows::measured(host, not_a_number));
    prices
}

/// The table of prices.
const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/cost/prices.csv");

/// Returns the rows of prices on all targets.
fn rows(prices: &[Prices]) -> String {
    let mut rows = String::new();
    let keys: BTreeSet<_> = prices.iter().flat_map(|prices| prices.keys()).collect();
    for key @ (path, part) in keys {
        write!(rows, "{path},{part}").unwrap();
        for prices in prices {
            // Rounded up.
            let price = prices.get(key).map_or(String::new(), |price| format!("{}", (price * 100.0).ceil() / 100.0));
            write!(rows, ",{price}").unwrap();
        }
        rows.push('\n');
    }
    rows
}

/// Returns the folder of the firmware.
fn firmware() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "firmware-example"].iter().collect()
}

/// Measures all prices on a target.
fn measured(core: Core, samples: &[Sample]) -> Prices {
    let firmware = firmware();
    let host = Emulator::build(core.machine(), &firmware).expect("the program builds");
    let software = !core.floating_point();
    let cases: Vec<(&[u8], &[f32])> = samples
        .iter()
        .map(|sample| {
            let few = software && operations::is_float(&sample.parts.path);
            (&*sample.blob, if few { &sample.few_rows[..] } else { &sample.rows[..] })
        })
        .collect();
    let runs = host.run_all(&cases).expect("the models run");
    let of_operations = software.then(|| operations::measure(core, &firmware, &host));
    let mut paths: BTreeMap<&str, Vec<(&Parts, f64)>> = BTreeMap::new();
    for (sample, run) in samples.iter().zip(&runs) {
        let count = match &of_operations {
            // Where readings are not numbers, each operation takes about the same.
            Some(counts) if operations::is_float(&sample.parts.path) => {
                f64::from(run.instructions[0]) - sample.parts.operations.priced(&counts.not_a_number)
            }
            _ => run.instructions[1..].iter().copied().max().unwrap_or(0).into(),
        };
        paths.entry(&sample.parts.path).or_default().push((&sample.parts, count));
    }
    let not_a_number = of_operations.as_ref().map(|counts| counts.not_a_number);
    let mut prices = prices_of_histories(&host, not_a_number);
    for (path, measured) in paths {
        prices.extend(fitted(path, &measured));
    }
    if let Some(counts) = of_operations {
        let usual = usual(samples, &runs, &prices, counts.usual);
        for (i, name) in NAMES.into_iter().enumerate() {
            prices.insert((AT_MOST.to_owned(), name.to_owned()), counts.at_most.0[i]);
            prices.insert((USUAL.to_owned(), name.to_owned()), usual.0[i]);
        }
    }
    prices
}

/// Returns the prices of the parts of a path.
fn fitted(path: &str, measured: &[(&Parts, f64)]) -> Prices {
    let parts: BTreeSet<&String> = measured.iter().flat_map(|(sample, _)| sample.counts.keys()).collect();
    let parts: Vec<&String> = parts.into_iter().collect();
    assert!(measured.len() > parts.len(), "{path}: {} samples of {} parts", measured.len(), parts.len());
    let count = |row: usize, column: usize| measured[row].0.counts.get(parts[column]).copied().unwrap_or(0) as f64;
    let matrix = DMatrix::from_fn(measured.len(), parts.len(), count);
    let prices = fit::upper_bound(&matrix, &DVector::from_fn(measured.len(), |row, _| measured[row].1));
    parts.into_iter().zip(prices).map(|(part, price)| ((path.to_owned(), part.clone()), price)).collect()
}

/// Returns the usual counts of operations. Those of additions and of multiplications come from models, where numbers
/// are not those of `single` operations.
fn usual(samples: &[Sample], runs: &[crate::emulate::Run], prices: &Prices, single: Operations) -> Operations {
    let mut gram = DMatrix::zeros(2, 2);
    let mut moment = DVector::zeros(2);
    for (sample, run) in samples.iter().zip(runs).filter(|(sample, _)| operations::is_float(&sample.parts.path)) {
        let parts = &sample.parts;
        let fixed: f64 =
            parts.counts.iter().map(|(part, &n)| n as f64 * prices[&(parts.path.clone(), part.clone())]).sum();
        let mut others = parts.operations;
        others.0[0] = 0.0;
        others.0[1] = 0.0;
        let rows = &run.instructions[1..=USUAL_ROWS];
        let mean = rows.iter().map(|&count| f64::from(count)).sum::<f64>() / USUAL_ROWS as f64;
        let row = DVector::from_column_slice(&parts.operations.0[..2]) / mean;
        moment += &row * ((mean - fixed - others.priced(&single)) / mean);
        gram += &row * row.transpose();
    }
    let solved = gram.lu().solve(&moment).expect("models have different shares of additions");
    let mut usual = single;
    usual.0[0] = solved[0];
    usual.0[1] = solved[1];
    usual
}

/// Every part of every path has a price, so that every model has a bound.
#[test]
fn every_part_has_a_price() {
    let prices = crate::cost::instructions::Prices::table();
    for Sample { parts, .. } in samples(if thorough() { DRAWN } else { DRAWN / 5 }, 1) {
        for core in Core::of_runtime() {
            let missing: Vec<_> =
                parts.counts.keys().filter(|part| prices.price(&parts.path, part, core).is_infinite()).collect();
            assert!(missing.is_empty(), "{core}, {}: {missing:?}", parts.path);
        }
    }
    assert!(Number::ALL.len() == 3, "a new number format has paths of its own");
}
