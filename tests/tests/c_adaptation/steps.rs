//! What the runtime gives for the steps of the driver.

use srfm_runtime::Model;
use srfm_runtime::adapt::{Adaptation, StateError};

/// The bits that stand for NaN.
const NAN: u32 = 0x7fc0_0000;

/// Returns the status in C of a restoration.
fn status(restored: Result<(), StateError>) -> u32 {
    match restored {
        Ok(()) => 0,
        Err(StateError::Version(_)) => 5,
        Err(StateError::Corrupt) => 11,
        Err(StateError::Coefficients(_)) => 13,
        Err(StateError::OtherModel) => 28,
        Err(StateError::Absent) => 33,
        Err(error) => unreachable!("{error}"),
    }
}

/// Returns the words of all steps, in `N` coefficients.
pub fn words<const N: usize, const T: usize>(model: &Model<'_>, steps: &[f32]) -> Vec<u32> {
    let mut adapted = Adaptation::<N, T>::new(model);
    let mut state = vec![0; Adaptation::<N, T>::STATE_BYTES];
    let mut words = Vec::new();
    for step in steps.chunks_exact(2 + model.inputs()) {
        let (what, number, x) = (step[0], step[1], &step[2..]);
        let predicted = adapted.predict(model, x).expect("one quantity");
        let half_width = adapted.interval.half_width();
        adapted.drift.count(if model.ranges().len() > 0 { model.outside(x).count() } else { 0 });
        let mut answer = 0;
        match what as u32 {
            1 => answer = adapted.learn(model, x, number).expect("one quantity").into(),
            2 => {
                adapted.store(model, &mut state).expect("the length is that of the state");
                adapted = Adaptation::new(model);
                answer = status(adapted.restore(model, &state));
            }
            3 => adapted.recalibration.save(),
            4 => adapted.recalibration.rollback(),
            5 => adapted.drift.clear(),
            6 => adapted.reset(model),
            7 => {
                adapted.store(model, &mut state).expect("the length is that of the state");
                let place = number as usize % state.len();
                state[place] ^= 0x10;
                answer = status(adapted.restore(model, &state));
            }
            _ => {}
        }
        adapted.store(model, &mut state).expect("the length is that of the state");
        let word = |at: usize| u32::from_le_bytes([state[at], state[at + 1], state[at + 2], state[at + 3]]);
        let (outside, rows) = adapted.drift.outside();
        let bits = if predicted.is_nan() { NAN } else { predicted.to_bits() };
        words.extend([bits, half_width.to_bits(), answer, adapted.drift.is_alarmed().into(), outside, rows]);
        words.extend([word(8), word(state.len() - 4), state.len() as u32]);
    }
    words
}
