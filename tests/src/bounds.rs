//! Random models for bounds of instructions.

use srfm_runtime::format::Number;
use srfm_testing::{AWKWARD, Blob, OwnedIntegers, OwnedModel, Rng, Shape};

/// Rows of usual readings, before hostile ones.
pub const USUAL_ROWS: usize = 4;

/// Returns a random model of any size in a number format, and rows for it: usual ones, then
/// hostile ones. Every result is a number, most of which are beyond the limits of their outputs.
pub fn model_and_rows(number: Number, rng: &mut Rng) -> (Blob, Vec<f32>) {
    let shape = Shape::of_any_size(number, rng);
    let blob = match number {
        Number::F32 => {
            let mut model = OwnedModel::random(&shape, rng);
            model.limits.fill([-1e-9, 1e-9]);
            model.blob()
        }
        Number::I32 | Number::I16 => {
            let mut model = OwnedIntegers::random(number, &shape, rng);
            model.limits.fill([0, 0]);
            model.blob()
        }
    };
    let inputs = usize::from(shape.inputs);
    // Beyond the range of the cosine, results are not numbers.
    let hostile: Vec<f32> = AWKWARD.into_iter().filter(|x| x.abs() <= 1.0).chain([100.0, 1e5, -1e5]).collect();
    let mut rows = rng.floats(USUAL_ROWS * inputs, 4.0);
    rows.extend(hostile.iter().flat_map(|&x| vec![x; inputs]));
    rows.extend((0..inputs).map(|_| hostile[rng.below(hostile.len())]));
    (blob, rows)
}
