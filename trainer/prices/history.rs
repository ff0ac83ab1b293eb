//! Counts of the samples of models that look back in time.

use srfm_runtime::Model;
use srfm_runtime::format::Place;
use srfm_testing::{Blob, OwnedModel, Rng};

use crate::cost::instructions::parts;
use crate::cost::parts::{Operations, Parts};
use crate::emulate::{Emulator, Run};

/// The models that are measured.
const MODELS: usize = 60;

/// The samples of a model after the first prediction.
const SAMPLES: usize = 4;

/// Returns the parts of random models and the instructions that a sample takes; where floating point is software,
/// without the subtractions, which take the instructions `not_a_number` of readings that are no number.
pub fn measured(host: &Emulator, not_a_number: Option<Operations>) -> Vec<(Parts, f64)> {
    let rng = &mut Rng::new(17);
    let models: Vec<Blob> = (0..MODELS).map(|_| model(rng).blob()).collect();
    let parsed = || models.iter().map(|blob| Model::parse(blob).expect("a model that was just written"));
    let samples = |model: Model<'_>| {
        let readings = model.channels() * (usize::from(model.samples().depth()) + SAMPLES);
        if not_a_number.is_some() { vec![f32::NAN; readings] } else { rng.floats(readings, 4.0) }
    };
    let samples: Vec<Vec<f32>> = parsed().map(samples).collect();
    let cases: Vec<(&[u8], &[f32])> = models.iter().zip(&samples).map(|(model, x)| (&**model, &x[..])).collect();
    let runs = host.run_all(&cases).expect("the models run");
    let counted = parsed().zip(&runs).map(|(model, run)| {
        let parts = parts(&model);
        let subtractions = not_a_number.map_or(0.0, |counts| parts.operations.priced(&counts));
        let count = most(run) - subtractions;
        (parts, count)
    });
    counted.collect()
}

/// Returns the largest number of instructions that the history took.
pub fn most(run: &Run) -> f64 {
    run.history_instructions.iter().copied().max().unwrap_or(0).into()
}

/// Returns a model with a random history.
pub fn model(rng: &mut Rng) -> OwnedModel {
    let windows: Vec<u8> = (0..1 + rng.below(8)).map(|_| 1 + rng.below(12) as u8).collect();
    let slots: usize = windows.iter().map(|&window| usize::from(window)).sum();
    let share = rng.below(3);
    let inputs = 1 + rng.below(30);
    let place = |_| {
        let slot = rng.below(slots);
        Place { slot, difference: slot + 1 < slots && rng.below(2) < share }
    };
    let places: Vec<Place> = (0..inputs).map(place).collect();
    OwnedModel { windows, places, ..first_input(inputs) }
}

/// Returns a model whose output is the first of its inputs, so that it takes few instructions itself.
pub fn first_input(inputs: usize) -> OwnedModel {
    OwnedModel {
        inputs: inputs as u16,
        intercepts: vec![0.0],
        limits: vec![[-1e30, 1e30]],
        linear_weights: vec![1.0],
        linear_inputs: vec![0],
        ..OwnedModel::default()
    }
}

/// The prices bound the counts of other models closely, on the core with the cheapest and the dearest subtraction.
#[test]
fn bounds_of_histories_hold_and_are_close() {
    use crate::cost::{Core, history_bound};
    use crate::emulate::require;

    if require(&Core::of_runtime()).is_err() {
        return;
    }
    let rng = &mut Rng::new(18);
    for core in Core::of_runtime() {
        let host = Emulator::new(core).expect("the core runs model files");
        for _ in 0..6 {
            let blob = model(rng).blob();
            let parsed = Model::parse(&blob).unwrap();
            let samples = rng.hostile(parsed.channels() * (usize::from(parsed.samples().depth()) + 40));
            let most = most(&host.run(&blob, &samples).unwrap());
            let bound = f64::from(history_bound(&parsed, core));
            let close = if core.floating_point() { 1.1 } else { 2.5 };
            assert!(most <= bound && bound <= close * most + 10.0, "{core}: {most}, bound {bound}");
        }
    }
}
