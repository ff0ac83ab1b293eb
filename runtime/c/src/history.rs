//! Models that look at earlier samples.

use core::slice;

use srfm_runtime::history::take_sample;

use crate::slot::{Slot, call, parsed};
use crate::srfm_outputs;
use crate::status::Status;

/// `srfm_history`: the buffers that the program gives, and the number of samples taken.
#[repr(C)]
pub struct History {
    /// The earlier and present readings.
    pub slots: *mut f32,
    /// Their number.
    pub slots_len: usize,
    /// The inputs of the model.
    pub inputs: *mut f32,
    /// Their number.
    pub inputs_len: usize,
    /// The number of samples taken, at most 65,535; in windows, the number of samples in the slots.
    pub samples: u16,
}

/// Takes a sample and, once there are enough or a window is complete, predicts every output.
///
/// # Safety
/// As [`srfm_predict`](crate::srfm_predict); `history` is null or points to a `srfm_history` whose pointers are null or
/// point to as many initialised values as it says. None of the buffers overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_predict_sample(
    model: *const Slot,
    history: *mut History,
    sample: *const f32,
    channels: usize,
    y: *mut f32,
    outputs: usize,
) -> Status {
    // SAFETY: the same demands.
    let call = unsafe { call(model, sample, [channels, srfm_channels(model)], y, [outputs, srfm_outputs(model)]) };
    let (model, sample, y) = match call {
        Ok(call) => call,
        Err(status) => return status,
    };
    // SAFETY: null, or a `srfm_history`.
    let Some(history) = (unsafe { history.as_mut() }) else { return Status::Null };
    if history.slots.is_null() || history.inputs.is_null() {
        return Status::Null;
    }
    if history.slots_len < model.slots() || history.inputs_len < model.inputs() {
        return Status::TooLarge;
    }
    // SAFETY: the buffers have at least these lengths, and overlap nothing else.
    let (slots, x) = unsafe {
        (
            slice::from_raw_parts_mut(history.slots, model.slots()),
            slice::from_raw_parts_mut(history.inputs, model.inputs()),
        )
    };
    match take_sample(model.samples(), sample, slots, &mut history.samples, x) {
        Ok(true) => model.predict(x, y).into(),
        Ok(false) => Status::Waiting,
        Err(error) => error.into(),
    }
}

/// Returns the number of readings of a sample; 0 where there is no model.
///
/// # Safety
/// As [`srfm_inputs`](crate::srfm_inputs).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_channels(model: *const Slot) -> usize {
    // SAFETY: the same demand.
    unsafe { parsed(model) }.map_or(0, |model| model.channels())
}

/// Returns the number of slots that a history needs; 0 where there is no model.
///
/// # Safety
/// As [`srfm_inputs`](crate::srfm_inputs).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_slots(model: *const Slot) -> usize {
    // SAFETY: the same demand.
    unsafe { parsed(model) }.map_or(0, |model| model.slots())
}
