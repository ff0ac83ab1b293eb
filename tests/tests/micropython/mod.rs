//! Models as files for MicroPython: CPython and MicroPython give the integers of the runtime.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use srfm_runtime::format::Number;
use srfm_runtime::{History, Model};
use srfm_testing::{OwnedIntegers, Rng, Shape};
use srfm_trainer::export::{Blob, MicroPythonError, MicroPythonSource, Style};

use crate::c_source::models::{Case, MOST_SLOTS, add_lags};

/// Runs all models on their rows, under either Python.
const DRIVER: &str = include_str!("driver.py");

/// Runs the driver under MicroPython.
const RUN: &str = include_str!("run.mjs");

/// The package of MicroPython for WebAssembly, in the folder of what is built.
const PACKAGE: &str = "../target/npm/node_modules/@micropython/micropython-webassembly-pyscript";

/// The styles with the first letters of their names.
const STYLES: [(Style, &str); 2] = [(Style::Small, "s"), (Style::Fast, "f")];

/// Returns random integer models with rows.
fn cases(count: usize, rows: usize, stream: u64) -> Vec<Case> {
    let random = (0..).map(|seed| Case::random(seed + (stream << 32), rows));
    let is_written = |case: &Case| {
        let model = case.blob.model();
        !model.scales().is_empty() && model.samples().windows().is_none()
    };
    let mut cases: Vec<Case> = random.filter(is_written).take(count).collect();
    cases.extend((0..count as u64 / 4).flat_map(|seed| [Case::of_near_scores(seed), of_prepared_samples(seed)]));
    cases
}

/// Returns a model that looks back in time and whose readings are prepared; half of its rows are hostile.
fn of_prepared_samples(seed: u64) -> Case {
    let mut rng = Rng::new(seed);
    let shape = Shape { inputs: 4, prepared: 3, blocks: vec![(2, 3)], ..Shape::default() };
    let mut model = OwnedIntegers::random(Number::I32, &shape, &mut rng);
    add_lags(4, (&mut model.windows, &mut model.places), &mut rng);
    let row = |i: usize| if i.is_multiple_of(2) { rng.floats(4, 4.0) } else { rng.hostile(4) };
    let rows = (0..40).flat_map(row).collect();
    Case { blob: Blob::new(&model.blob()).expect("a sound model"), rows }
}

/// The samples of a model, as readings and as counts.
struct Histories {
    readings: History<MOST_SLOTS, MOST_SLOTS>,
    counts: History<MOST_SLOTS, MOST_SLOTS, i16>,
}

/// Returns the integers of readings, and the outputs; none where a reading is missing.
fn predicted(model: &Model<'_>, x: &[f32]) -> (Vec<i16>, Value) {
    let mut z = vec![0; if model.prepared().is_empty() { x.len() } else { model.prepared().len() }];
    model.prepare(x, &mut z).expect("an integer model");
    let outputs = outputs(model, &z);
    (z, outputs)
}

fn outputs(model: &Model<'_>, z: &[i16]) -> Value {
    let mut y = vec![0; model.outputs()];
    model.predict_integers(z, &mut y).map_or(Value::Null, |()| json!(y))
}

fn probabilities(model: &Model<'_>, y: &[Value]) -> Value {
    let scores: Vec<i32> = y.iter().map(|y| y.as_i64().expect("an integer") as i32).collect();
    let mut probabilities = vec![0; model.classes().count()];
    model.probabilities_of_integers(&scores, &mut probabilities).expect("a classifier");
    json!(probabilities)
}

/// Returns what the driver gives for a row: see `driver.py`.
fn results(model: &Model<'_>, x: &[f32], histories: &mut Histories) -> Value {
    let (z, y) = predicted(model, x);
    let mut results = vec![json!(z), y.clone()];
    if model.classes().count() > 0 {
        let mut scores = vec![0.0; model.outputs()];
        let class = model.classify(x, &mut scores).expect("a classifier");
        results.push(match class {
            _ if y.is_null() => Value::Null,
            Some(class) => json!(class),
            None => json!(-1),
        });
        results.push(y.as_array().map_or(Value::Null, |y| probabilities(model, y)));
    }
    if !model.samples().is_empty() {
        results.push(of_history(model, x, &z, histories));
    } else if model.ranges().len() > 0 && model.takes_counts() {
        let input = |value: usize| model.prepared().get(value).map_or(value, |prepared| prepared.input.into());
        let ranges: Vec<[f32; 2]> = model.ranges().collect();
        let within = |value: usize, z: i16| {
            let [low, high] = ranges[input(value)];
            z != i16::MIN && f32::from(z) >= low && f32::from(z) <= high
        };
        results.push(json!((0..z.len()).filter(|&value| !within(value, z[value])).count()));
    }
    Value::Array(results)
}

/// Returns the outputs of a sample: of counts where the model takes them, otherwise of readings.
fn of_history(model: &Model<'_>, x: &[f32], z: &[i16], histories: &mut Histories) -> Value {
    if model.takes_counts() {
        let sample: Vec<i16> = (0..model.channels()).map(|channel| z[channel % z.len()]).collect();
        let mut y = vec![0; model.outputs()];
        return match histories.counts.predict_integers(model, &sample, &mut y) {
            Ok(true) => json!(y),
            _ => Value::Null,
        };
    }
    let sample: Vec<f32> = (0..model.channels()).map(|channel| x[channel % x.len()]).collect();
    let inputs = histories.readings.push(model, &sample).expect("a sample of the model");
    inputs.map_or(Value::Null, |x| predicted(model, x).1)
}

/// Writes the files of all models in both styles and the rows; returns the expected results.
fn write(folder: &Path, cases: &[Case]) -> Vec<Value> {
    let (mut all, mut expected) = (Vec::new(), Vec::new());
    for (i, case) in cases.iter().enumerate() {
        let model = case.blob.model();
        let rows: Vec<&[f32]> = case.rows.chunks_exact(model.inputs()).collect();
        let mut histories = Histories { readings: History::new(), counts: History::new() };
        let results: Vec<Value> = rows.iter().map(|x| results(&model, x, &mut histories)).collect();
        let bits: Vec<Vec<u32>> = rows.iter().map(|x| x.iter().map(|x| x.to_bits()).collect()).collect();
        for (style, letter) in STYLES {
            let name = format!("{letter}{i}");
            let source = MicroPythonSource::new(&case.blob, &name).expect("an integer model").with_style(style);
            std::fs::write(folder.join(format!("{name}.py")), source.text()).expect("the folder can be written");
            let counts: Vec<&Value> = results.iter().map(|results| &results[0]).collect();
            let counts = model.takes_counts().then_some(counts);
            all.push(json!({ "module": name, "rows": bits, "counts": counts }));
            expected.push(Value::Array(results.clone()));
        }
    }
    std::fs::write(folder.join("cases.json"), Value::Array(all).to_string()).expect("the folder can be written");
    std::fs::write(folder.join("driver.py"), DRIVER).expect("the folder can be written");
    expected
}

/// Compares what a driver wrote with the expected results.
fn compare(folder: &Path, expected: &[Value]) {
    let found = std::fs::read_to_string(folder.join("results.json")).expect("the driver has written its results");
    let found: Vec<Value> = serde_json::from_str(&found).expect("results in JSON");
    assert_eq!(found.len(), expected.len());
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        for row in 0..expected.as_array().map_or(0, Vec::len) {
            assert_eq!(found[row], expected[row], "model {}, {}, row {row}", i / 2, STYLES[i % 2].1);
        }
    }
}

/// Runs a command that must succeed.
fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{command:?}: {}", said.chars().take(3000).collect::<String>());
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

#[test]
fn cpython_gives_the_integers_of_the_runtime() {
    if !is_installed("python3") {
        return srfm_testing::skip("python3 cannot be started: run `apt-get install python3`");
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let expected = write(folder.path(), &cases(60, 16, 20));
    run(Command::new("python3").args(["-B", "driver.py"]).current_dir(folder.path()));
    compare(folder.path(), &expected);
}

#[test]
fn micropython_gives_the_integers_of_the_runtime() {
    let package = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(PACKAGE);
    if !is_installed("node") || !package.exists() {
        return srfm_testing::report_skipped(
            "MicroPython for WebAssembly is not installed: run `npm install --prefix target/npm \
             @micropython/micropython-webassembly-pyscript`",
        );
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut models = cases(16, 16, 21);
    models.extend(cases(4, 1000, 22));
    let expected = write(folder.path(), &models);
    std::fs::write(folder.path().join("run.mjs"), RUN).expect("the folder can be written");
    run(Command::new("node").arg("run.mjs").arg(package.join("micropython.mjs")).current_dir(folder.path()));
    compare(folder.path(), &expected);
}

#[test]
fn lines_have_at_most_120_columns_and_no_model_in_floating_point_is_written() {
    for seed in 0..40 {
        let case = Case::random(seed, 1);
        let is_float = case.blob.model().scales().is_empty();
        match MicroPythonSource::new(&case.blob, "m") {
            Err(MicroPythonError::Float) => assert!(is_float),
            Err(MicroPythonError::Windows) => assert!(case.blob.model().samples().windows().is_some()),
            Err(error) => panic!("{error}"),
            Ok(source) => {
                assert!(!is_float);
                for (style, _) in STYLES {
                    let text = source.clone().with_style(style).text();
                    let longest = text.lines().max_by_key(|line| line.chars().count()).unwrap_or_default();
                    assert!(longest.chars().count() <= 120, "{longest}");
                }
            }
        }
    }
}
