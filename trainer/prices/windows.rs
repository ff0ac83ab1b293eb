//! Counts of the samples that complete windows.

use srfm_runtime::Model;
use srfm_runtime::format::Statistic;
use srfm_testing::{Blob, OwnedModel, OwnedWindows, Rng};

use super::history::{first_input, most};
use super::{Prices, fitted};
use crate::cost::instructions::{WINDOWS, parts};
use crate::cost::parts::{Operations, Parts};
use crate::emulate::Emulator;

/// The models that are measured.
const MODELS: usize = 160;

/// The instructions of the crossings of the mean beside those of every reading, where floating point is software: the
/// number of crossings becomes one in floating point. The crossings of readings that are no number are not counted, so
/// that their loop takes the price of the loop for extremes.
const CROSSINGS: f64 = 120.0;

/// Returns the prices of the parts of windows; where floating point is software, from readings that are no number,
/// whose operations take the instructions `not_a_number`.
pub fn measured(host: &Emulator, not_a_number: Option<Operations>) -> Prices {
    let rng = &mut Rng::new(19);
    let models: Vec<Blob> = (0..MODELS).map(|_| model(not_a_number.is_none(), rng).blob()).collect();
    let parsed = || models.iter().map(|blob| Model::parse(blob).expect("a model that was just written"));
    let signals: Vec<Vec<f32>> = parsed()
        .map(|model| match not_a_number {
            Some(_) => vec![f32::NAN; model.channels() * usize::from(model.samples().depth())],
            None => signal(&model, rng),
        })
        .collect();
    let cases: Vec<(&[u8], &[f32])> = models.iter().zip(&signals).map(|(model, x)| (&**model, &x[..])).collect();
    let runs = host.run_all(&cases).expect("the models run");
    let counted: Vec<(Parts, f64)> = parsed()
        .zip(&runs)
        .map(|(model, run)| {
            let parts = parts(&model);
            let operations = not_a_number.map_or(0.0, |counts| parts.operations.priced(&counts));
            (parts, most(run) - operations)
        })
        .collect();
    let measured: Vec<(&Parts, f64)> = counted.iter().map(|(parts, count)| (parts, *count)).collect();
    let mut prices = fitted(WINDOWS, &measured);
    if not_a_number.is_some() {
        let key = |part: &str| (WINDOWS.to_owned(), part.to_owned());
        prices.insert(key("crossings"), CROSSINGS);
        prices.insert(key("crossings reading"), prices[&key("extreme reading")]);
    }
    prices
}

/// Returns samples of three windows: random ones, readings on both sides of the mean in turn, and missing ones.
fn signal(model: &Model<'_>, rng: &mut Rng) -> Vec<f32> {
    let window = model.channels() * usize::from(model.samples().depth());
    let mut signal = rng.floats(window, 4.0);
    let side = |i: usize| if (i / model.channels()).is_multiple_of(2) { 1.0 } else { -1.0 };
    signal.extend((0..window).map(side));
    signal.extend(vec![f32::NAN; window]);
    signal
}

/// Returns a model with random windows, with crossings of the mean or without.
pub fn model(crossings: bool, rng: &mut Rng) -> OwnedModel {
    let samples = 2 + rng.below(80) as u16;
    let inputs = 1 + rng.below(20);
    let mut statistics = OwnedWindows::random(samples, inputs, rng);
    let is_counted = |statistic: &Statistic| crossings || *statistic != Statistic::Crossings;
    statistics.inputs.iter_mut().filter(|input| !is_counted(&input.statistic)).for_each(|input| {
        input.statistic = Statistic::Deviation;
    });
    // Models of real signals use few of their inputs.
    let unused = rng.below(3);
    statistics.inputs.iter_mut().filter(|_| rng.below(3) < unused).for_each(|input| {
        input.statistic = Statistic::Unused;
    });
    OwnedModel { statistics: Some(statistics), ..first_input(inputs) }
}

/// The prices bound the counts of other models closely.
#[test]
fn bounds_of_windows_hold_and_are_close() {
    use crate::cost::{Core, history_bound};
    use crate::emulate::require;

    if require(&Core::of_runtime()).is_err() {
        return;
    }
    let rng = &mut Rng::new(20);
    for core in Core::of_runtime() {
        let host = Emulator::new(core).expect("the core runs model files");
        for round in 0..8 {
            let blob = model(true, rng).blob();
            let parsed = Model::parse(&blob).unwrap();
            let mut samples = signal(&parsed, rng);
            let more = rng.hostile(parsed.channels() * usize::from(parsed.samples().depth()));
            samples.extend(more);
            let most = most(&host.run(&blob, &samples).unwrap());
            let bound = f64::from(history_bound(&parsed, core));
            let close = if core.floating_point() { 1.25 } else { 4.0 };
            assert!(most <= bound && bound <= close * most + 10.0, "{core}, {round}: {most}, bound {bound}");
        }
    }
}
