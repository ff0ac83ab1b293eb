//! The C interface of `srfm-runtime`; `include/srfm.h` documents it.
//!
//! All `unsafe` code of the project that a device runs is here: pointers become slices, and a parsed model becomes
//! words that C can allocate.
#![cfg_attr(not(test), no_std)]
#![deny(missing_docs)]

mod adapt;
#[cfg(feature = "store")]
mod flash;
mod history;
mod slot;
mod status;
#[cfg(feature = "store")]
mod store;
#[cfg(feature = "store")]
mod update;

use core::mem::MaybeUninit;
use core::slice;

use srfm_runtime::Model;

use slot::{PARSED, Slot, call, parsed};
use status::Status;

/// Checks the model in `len` bytes and borrows it.
///
/// # Safety
/// `model` is null or points to a `srfm_model`; `bytes` is null or points to `len` bytes, which neither move nor change
/// as long as the model is used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_parse(model: *mut Slot, bytes: *const u8, len: usize) -> Status {
    if model.is_null() || bytes.is_null() {
        return Status::Null;
    }
    // SAFETY: `model` points to memory of this size; writing does not look at what was there.
    unsafe { (&raw mut (*model).state).write(0) };
    // No memory is larger, and no slice may be larger.
    let len = len.min(isize::MAX as usize);
    // SAFETY: the caller vouches for the bytes, for as long as the model is used.
    let bytes = unsafe { slice::from_raw_parts(bytes, len) };
    match Model::parse_only(bytes) {
        Ok(parsed) => {
            // SAFETY: as above.
            unsafe { model.write(Slot { state: PARSED, model: MaybeUninit::new(parsed) }) };
            Status::Ok
        }
        Err(error) => error.into(),
    }
}

/// Predicts every output from one row of readings.
///
/// # Safety
/// Each pointer is null or points to what its name says: a `srfm_model` that is zero or was given to [`srfm_parse`],
/// `inputs` readings, room for `outputs` values that overlaps nothing else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_predict(
    model: *const Slot,
    x: *const f32,
    inputs: usize,
    y: *mut f32,
    outputs: usize,
) -> Status {
    // SAFETY: the same demands.
    match unsafe { call(model, x, [inputs, srfm_inputs(model)], y, [outputs, srfm_outputs(model)]) } {
        Ok((model, x, y)) => model.predict(x, y).into(),
        Err(status) => status,
    }
}

/// Turns readings into the inputs of an integer model.
///
/// # Safety
/// As [`srfm_predict`], with `values` integers in place of the outputs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_prepare(
    model: *const Slot,
    x: *const f32,
    inputs: usize,
    z: *mut i16,
    values: usize,
) -> Status {
    // SAFETY: the same demands.
    match unsafe { call(model, x, [inputs, srfm_inputs(model)], z, [values, srfm_values(model)]) } {
        Ok((model, x, z)) => model.prepare(x, z).into(),
        // The integers are inputs.
        Err(Status::WrongOutputs) => Status::WrongInputs,
        Err(status) => status,
    }
}

/// Predicts every output of an integer model from its inputs, without floating point.
///
/// # Safety
/// As [`srfm_predict`], with integers in place of readings and outputs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_predict_integers(
    model: *const Slot,
    z: *const i16,
    values: usize,
    y: *mut i32,
    outputs: usize,
) -> Status {
    // SAFETY: the same demands.
    match unsafe { call(model, z, [values, srfm_values(model)], y, [outputs, srfm_outputs(model)]) } {
        Ok((model, z, y)) => model.predict_integers(z, y).into(),
        Err(status) => status,
    }
}

/// Gives the meaning of the integers of an output.
///
/// # Safety
/// `model` is null or points to a `srfm_model` that is zero or was given to [`srfm_parse`]; `step` and `offset` are
/// null or point to a `float` each that overlaps nothing else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_scale(model: *const Slot, output: usize, step: *mut f32, offset: *mut f32) -> Status {
    // SAFETY: the same demand.
    let model = match unsafe { parsed(model) } {
        Ok(model) => model,
        Err(status) => return status,
    };
    if step.is_null() || offset.is_null() {
        return Status::Null;
    }
    if model.scales().is_empty() {
        return Status::NotIntegers;
    }
    let Some(scale) = model.scales().get(output) else { return Status::WrongOutputs };
    // SAFETY: both point to a `float`.
    unsafe {
        step.write(scale.step);
        offset.write(scale.offset);
    }
    Status::Ok
}

/// Counts the readings outside of the range of the rows that were fitted.
///
/// # Safety
/// `model` is null or points to a `srfm_model` that is zero or was given to [`srfm_parse`]; `x` is null or points to
/// `inputs` values, and `count` is null or points to a `size_t` that overlaps nothing else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_outside(model: *const Slot, x: *const f32, inputs: usize, count: *mut usize) -> Status {
    // SAFETY: the same demands; `count` is one value.
    let call = unsafe { call(model, x, [inputs, srfm_inputs(model)], count, [1, 1]) };
    let (model, x, count) = match call {
        Ok(call) => call,
        Err(status) => return status,
    };
    if model.ranges().len() == 0 {
        return Status::Absent;
    }
    count.fill(model.outside(x).count());
    Status::Ok
}

/// Gives half the width of the interval around a prediction, and the level of the interval.
///
/// # Safety
/// `model` is null or points to a `srfm_model` that is zero or was given to [`srfm_parse`]; `half_width` and `level`
/// are null or point to a `float` each that overlaps nothing else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_half_width(
    model: *const Slot,
    output: usize,
    half_width: *mut f32,
    level: *mut f32,
) -> Status {
    // SAFETY: the same demand.
    let model = match unsafe { parsed(model) } {
        Ok(model) => model,
        Err(status) => return status,
    };
    if half_width.is_null() || level.is_null() {
        return Status::Null;
    }
    let Some(of_all) = model.level() else { return Status::Absent };
    let Some(of_output) = model.half_width(output) else { return Status::WrongOutputs };
    // SAFETY: both point to a `float`.
    unsafe {
        half_width.write(of_output);
        level.write(of_all);
    }
    Status::Ok
}

/// Predicts the class of one row of readings.
///
/// # Safety
/// As [`srfm_predict`]; `class` is null or points to a `size_t` that overlaps nothing else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_classify(
    model: *const Slot,
    x: *const f32,
    inputs: usize,
    scores: *mut f32,
    outputs: usize,
    class: *mut usize,
) -> Status {
    // SAFETY: the same demands.
    let call = unsafe { call(model, x, [inputs, srfm_inputs(model)], scores, [outputs, srfm_outputs(model)]) };
    let (model, x, scores) = match call {
        Ok(call) => call,
        Err(status) => return status,
    };
    if class.is_null() {
        return Status::Null;
    }
    match model.classify(x, scores) {
        Ok(Some(decided)) => {
            // SAFETY: `class` points to a `size_t`, which is a `usize`.
            unsafe { class.write(decided) };
            Status::Ok
        }
        Ok(None) if scores.iter().all(|score| score.is_nan()) => Status::MissingReading,
        Ok(None) => Status::Uncertain,
        Err(error) => error.into(),
    }
}

/// Returns the number of readings that a prediction takes; 0 where there is no model.
///
/// # Safety
/// `model` is null or points to a `srfm_model` that is zero or was given to [`srfm_parse`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_inputs(model: *const Slot) -> usize {
    // SAFETY: the same demand.
    unsafe { parsed(model) }.map_or(0, |model| model.inputs())
}

/// Returns the number of integers that [`srfm_predict_integers`] takes; 0 where there is no model.
///
/// # Safety
/// As [`srfm_inputs`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_values(model: *const Slot) -> usize {
    // SAFETY: the same demand.
    let Ok(model) = (unsafe { parsed(model) }) else { return 0 };
    if model.prepared().is_empty() { model.inputs() } else { model.prepared().len() }
}

/// Returns the number of values that a prediction gives; 0 where there is no model.
///
/// # Safety
/// As [`srfm_inputs`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_outputs(model: *const Slot) -> usize {
    // SAFETY: the same demand.
    unsafe { parsed(model) }.map_or(0, |model| model.outputs())
}

/// Returns the number of classes; 0 where the model predicts quantities, or there is no model.
///
/// # Safety
/// As [`srfm_inputs`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_classes(model: *const Slot) -> usize {
    // SAFETY: the same demand.
    unsafe { parsed(model) }.map_or(0, |model| model.classes().count())
}

/// Waits for a watchdog: the crate that checks signatures has bounds checks that the compiler does not remove.
#[cfg(all(not(test), feature = "signature"))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

/// A panic handler that cannot be linked: a program with this library links only if no panic can be reached in it.
#[cfg(not(any(test, feature = "signature")))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unsafe extern "C" {
        /// Defined nowhere.
        fn srfm_a_panic_can_be_reached() -> !;
    }
    // SAFETY: never linked, never called.
    unsafe { srfm_a_panic_can_be_reached() }
}

#[cfg(test)]
mod adapt_tests;
#[cfg(all(test, feature = "store"))]
mod store_tests;
#[cfg(test)]
mod tests;
