//! The sizes and the instructions of the functions of generated C beside the one that budgets count.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use nalgebra::{DMatrix, DVector};
use srfm_runtime::format::{Number, Scale};
use srfm_testing::{OwnedIntegers, OwnedModel, Rng, Shape, report_skipped, thorough};

use super::program_runs::{Case, Measured, TOOLS, measure_calls};
use crate::cost::functions::{from_readings, function_costs, helpers, pieces};
use crate::cost::{Core, Deployment};
use crate::export::{Blob, Outline};

/// The models that are measured.
const MODELS: usize = 48;

/// The largest share by which a figure may differ from a program beyond a few bytes or instructions: of half of the
/// functions, and of nine in ten. Floating point in software takes more or less with the numbers.
const OFF: [f64; 2] = [0.1, 0.35];
const FEW: f64 = 24.0;

/// The cores of the table, one of each target.
const CORES: [Core; 4] = [Core::CortexM0, Core::CortexM3, Core::CortexM4f, Core::CortexM33];

/// A function of a model, and what it takes beside the prediction that it calls.
struct Sample {
    blob: Blob,
    readings: Vec<f32>,
    function: &'static str,
    call: String,
    outline: Outline,
}

/// Returns the statement that calls a function.
fn call(function: &str, outputs: usize) -> String {
    let single = outputs == 1;
    match function {
        "predict" | "predict prepared" if single => "scores[0] = model_predict(FLOATS)",
        "predict" | "predict prepared" => "model_predict(FLOATS, SCORES)",
        "prepare" => "model_prepare(FLOATS, (int16_t *)(uintptr_t)integers)",
        "outside" => "number = model_outside(FLOATS)",
        "outside_integers" => "number = model_outside_integers(VALUES)",
        "in_units" if single => "outputs[0] = model_in_units(outputs[0])",
        "in_units" => "outputs[0] = model_in_units_0(outputs[0])",
        "class_of" => "status = (int)model_class_of(scores[0], NUMBER)",
        "class_of several" => "status = (int)model_class_of(SCORES, NUMBER)",
        "probabilities" => "model_probabilities(scores[0], (float *)(uintptr_t)results)",
        "probabilities several" => "model_probabilities(SCORES, (float *)(uintptr_t)results)",
        "probabilities_of_integers" => "model_probabilities_of_integers(outputs[0], SHARES)",
        _ => "model_probabilities_of_integers(RESULTS, SHARES)",
    }
    .to_owned()
}

/// Returns the functions of a random model.
fn samples(rng: &mut Rng) -> Vec<Sample> {
    let number = [Number::I32, Number::I16, Number::F32][rng.below(3)];
    let inputs = 1 + rng.below(12);
    let classes = [0, 0, 2, 3 + rng.below(8)][rng.below(4)];
    let outputs =
        if classes > 2 { classes } else { [1, 1, 1 + rng.below(3)][if classes > 0 { 0 } else { rng.below(3) }] };
    let prepared = if number == Number::F32 { 0 } else { [0, inputs][rng.below(2)] };
    let shape = Shape {
        inputs: inputs as u16,
        prepared,
        outputs,
        linear: inputs,
        blocks: Vec::new(),
        limited: true,
        ..Shape::default()
    };
    let names: Vec<String> = (0..classes).map(|class| class.to_string()).collect();
    let ranges = vec![[-2.0, 2.0]; inputs];
    let bytes = match number {
        Number::F32 => {
            let mut model = OwnedModel::random(&shape, rng);
            model.limits = if classes > 0 { Vec::new() } else { vec![[-3.0, 3.0]; outputs] };
            (model.classes, model.ranges) = (names, ranges);
            model.slope = (classes > 0).then_some(4.0);
            model.blob()
        }
        number => {
            let mut model = OwnedIntegers::random(number, &shape, rng);
            model.scales.iter_mut().for_each(|scale| *scale = Scale { step: libm::exp2f(-24.0), offset: 0.0 });
            (model.classes, model.ranges) = (names, ranges);
            model.slope = (classes > 0).then_some(4.0);
            model.blob()
        }
    };
    let blob = Blob::new(&bytes).expect("a sound model");
    let readings = rng.floats(inputs, 1.5);
    let model = blob.model();
    let mut functions: Vec<(&'static str, Outline)> =
        helpers(&model).into_iter().map(|(function, values)| (function, pieces(function, values))).collect();
    if number != Number::F32 && classes == 0 {
        functions.push(from_readings(&model));
    }
    let sample = |(function, outline): (&'static str, Outline)| Sample {
        blob: blob.clone(),
        readings: readings.clone(),
        function,
        call: call(function, outputs),
        outline,
    };
    functions.into_iter().map(sample).collect()
}

/// Measures the functions of samples; of a prediction what it takes beside that from integers to integers.
fn measured(samples: &[&Sample], core: Core) -> Vec<[f64; 2]> {
    let cases: Vec<Case> = samples
        .iter()
        .map(|sample| Case { blob: &sample.blob, readings: &sample.readings, call: Some(&sample.call) })
        .collect();
    let of_integers: Vec<Case> = cases.iter().map(|case| Case { call: None, ..*case }).collect();
    let before = measure_calls(&of_integers, core);
    let figures = |measured: Measured| [measured.bytes, measured.instructions.unwrap_or(f64::NAN)];
    let rest = |((sample, all), before): ((&&Sample, Measured), Measured)| match sample.function {
        "predict" | "predict prepared" => [0, 1].map(|figure| figures(all)[figure] - figures(before)[figure]),
        _ => figures(all),
    };
    samples.iter().zip(measure_calls(&cases, core)).zip(before).map(rest).collect()
}

/// Returns whether the table has the function on a core: floating point in software has no prices of models in `f32`.
fn is_on(sample: &Sample, core: Core) -> bool {
    Deployment::C(core).footprint(&sample.blob.model()).is_some()
}

/// Replaces `functions.csv`.
#[test]
#[ignore = "replaces the table of functions, in some minutes"]
fn measure_functions() {
    let rng = &mut Rng::new(41);
    let samples: Vec<Sample> = (0..MODELS).flat_map(|_| samples(rng)).collect();
    let mut rows: BTreeMap<String, Vec<[f64; 2]>> = BTreeMap::new();
    for (place, core) in CORES.into_iter().enumerate() {
        let known: Vec<&Sample> = samples.iter().filter(|sample| is_on(sample, core)).collect();
        let figures = measured(&known, core);
        let functions: BTreeMap<&str, Vec<usize>> =
            known.iter().enumerate().fold(BTreeMap::new(), |mut all, (i, sample)| {
                all.entry(sample.function).or_insert_with(Vec::new).push(i);
                all
            });
        for of_function in functions.values() {
            let pieces: Vec<&String> = known[of_function[0]].outline.pieces.keys().collect();
            let count = |row: usize, piece: usize, figure: usize| {
                known[of_function[row]].outline.pieces.get(pieces[piece]).map_or(0, |counts| counts[figure]) as f64
            };
            let prices = [0, 1].map(|figure| {
                let parts = DMatrix::from_fn(of_function.len(), pieces.len(), |row, piece| count(row, piece, figure));
                let costs = DVector::from_fn(of_function.len(), |row, _| figures[of_function[row]][figure]);
                let gram = parts.tr_mul(&parts) + DMatrix::identity(pieces.len(), pieces.len()) * 1e-6;
                gram.lu().solve(&parts.tr_mul(&costs)).expect("the ridge leaves no singular matrix")
            });
            for (piece, name) in pieces.iter().enumerate() {
                let row = rows.entry((*name).clone()).or_insert_with(|| vec![[f64::INFINITY; 2]; CORES.len()]);
                row[place] = [prices[0][piece], prices[1][piece]];
            }
        }
    }
    let mut table = String::from("piece");
    CORES.iter().for_each(|core| write!(table, ",{0} bytes,{0} instructions", core.target()).unwrap());
    for (piece, prices) in rows {
        write!(table, "\n{piece}").unwrap();
        for price in prices.as_flattened() {
            write!(table, ",{}", if price.is_finite() { format!("{price:.2}") } else { String::new() }).unwrap();
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cost/functions.csv");
    std::fs::write(path, table + "\n").expect("the checkout can be written");
}

/// Functions of other models than those that the table was fitted to take what it says.
#[test]
fn functions_take_what_the_table_says() {
    let missing = TOOLS.iter().find(|tool| Command::new(tool).arg("--version").output().is_err());
    if let Some(tool) = missing {
        return report_skipped(&format!("{tool} is not installed"));
    }
    let rng = &mut Rng::new(42);
    let compared = if thorough() { 8 } else { 4 };
    let samples: Vec<Sample> = (0..compared).flat_map(|_| samples(rng)).collect();
    for core in CORES {
        let known: Vec<&Sample> = samples.iter().filter(|sample| is_on(sample, core)).collect();
        let mut off = Vec::new();
        for (sample, figures) in known.iter().zip(measured(&known, core)) {
            let costs = function_costs(&sample.blob, core);
            let name = sample.function.trim_end_matches(" several").trim_end_matches(" prepared");
            let said = costs.iter().find(|cost| cost.function == name).expect("every function has a price");
            let before = Deployment::C(core).footprint(&sample.blob.model()).expect("it is on the core");
            let before = [before.flash_bytes as f64, before.instructions.map_or(f64::NAN, f64::from)];
            let before = if name == "predict" { before } else { [0.0; 2] };
            for (said, figure) in [said.flash_bytes, said.instructions].into_iter().zip([0, 1]) {
                let (said, measured) = (said as f64 - before[figure], figures[figure]);
                let close = (said - measured).abs() <= FEW;
                off.push((if close { 0.0 } else { (said / measured - 1.0).abs() }, name));
            }
        }
        off.sort_by(|a, b| a.0.total_cmp(&b.0));
        let shares = [off.len() / 2, off.len() * 9 / 10].map(|place| off[place].0);
        println!("{core}: off by {shares:.3?} of {} figures, at worst {:?}", off.len(), off.last());
        assert!(off.len() > 20 && shares.iter().zip(OFF).all(|(share, most)| *share <= most), "{core}: {shares:?}");
    }
}
