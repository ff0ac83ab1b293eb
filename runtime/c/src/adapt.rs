//! Models that follow their sensor by references.

use core::mem::MaybeUninit;
use core::slice;

use srfm_runtime::adapt::Adaptation;

use crate::slot::{Slot, call, parsed};
use crate::srfm_inputs;
use crate::status::Status;

/// Coefficients of the first regressors: all of nine inputs but the products. Those that a model does not have stay 0.
#[cfg(not(feature = "products"))]
type Coefficients = Adaptation<11, 66>;

/// Coefficients of all regressors of nine inputs, with the products.
#[cfg(feature = "products")]
type Coefficients = Adaptation<21, 231>;

/// The contents of a `srfm_adaptation`. C sees its size alone: `SRFM_ADAPTATION_WORDS` words of 32 bits each.
#[repr(C)]
pub struct Adapted {
    /// [`STARTED`] where there is an adaptation.
    state: u32,
    adaptation: MaybeUninit<Coefficients>,
}

/// A value that words do not have by chance; words that were set to zero do not have it.
const STARTED: u32 = 0x5afe_ada9;

/// `SRFM_ADAPTATION_WORDS`.
pub const ADAPTATION_WORDS: usize = if cfg!(feature = "products") { 304 } else { 119 };

/// `SRFM_ADAPTATION_BYTES`.
pub const ADAPTATION_BYTES: usize = Coefficients::STATE_BYTES;

const _: () = assert!(size_of::<Adapted>() <= 4 * ADAPTATION_WORDS && align_of::<Adapted>() <= 4);

/// `srfm_drift`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drift {
    /// 1 where residuals are shifted or larger than those of the factory.
    pub alarmed: u32,
    /// The counted rows with readings outside of the range of the fitted rows.
    pub outside: u32,
    /// The counted rows.
    pub rows: u32,
}

/// Returns the adaptation behind a pointer, if it was started.
///
/// # Safety
/// `adapted` is null or points to a `srfm_adaptation` that is zero or was started; nothing writes to it as long as the
/// reference lives.
unsafe fn started<'a>(adapted: *const Adapted) -> Result<&'a Coefficients, Status> {
    // SAFETY: null, or a `srfm_adaptation`.
    match unsafe { adapted.as_ref() } {
        None => Err(Status::Null),
        // SAFETY: `srfm_adapt_start` alone writes this state, together with an adaptation.
        Some(adapted) if adapted.state == STARTED => Ok(unsafe { adapted.adaptation.assume_init_ref() }),
        Some(_) => Err(Status::Absent),
    }
}

/// As [`started`], to write to.
///
/// # Safety
/// As for [`started`]; nothing else reads the adaptation either.
unsafe fn started_mut<'a>(adapted: *mut Adapted) -> Result<&'a mut Coefficients, Status> {
    // SAFETY: null, or a `srfm_adaptation`.
    match unsafe { adapted.as_mut() } {
        None => Err(Status::Null),
        // SAFETY: as above.
        Some(adapted) if adapted.state == STARTED => Ok(unsafe { adapted.adaptation.assume_init_mut() }),
        Some(_) => Err(Status::Absent),
    }
}

/// Starts with the factory's model. The name tells which size of `srfm_adaptation` the library has, so that a program
/// with another one does not link.
///
/// # Safety
/// `model` is null or points to a `srfm_model` that is zero or was given to [`srfm_parse`](crate::srfm_parse);
/// `adapted` is null or points to a `srfm_adaptation`. They do not overlap.
#[cfg_attr(not(feature = "products"), unsafe(no_mangle))]
#[cfg_attr(feature = "products", unsafe(export_name = "srfm_adapt_start_with_products"))]
pub unsafe extern "C" fn srfm_adapt_start(model: *const Slot, adapted: *mut Adapted) -> Status {
    // SAFETY: the same demand.
    let model = match unsafe { parsed(model) } {
        Ok(model) => model,
        Err(status) => return status,
    };
    if adapted.is_null() {
        return Status::Null;
    }
    if model.outputs() != 1 || model.classes().count() > 0 {
        return Status::WrongOutputs;
    }
    // SAFETY: `adapted` points to memory of this size; writing does not look at what was there.
    unsafe { adapted.write(Adapted { state: STARTED, adaptation: MaybeUninit::new(Adaptation::new(model)) }) };
    Status::Ok
}

/// Predicts with the correction, and gives half the width of the interval.
///
/// # Safety
/// As [`srfm_predict`](crate::srfm_predict); `adapted` is null or points to a `srfm_adaptation` that is zero or was
/// started, and `half_width` is null or points to a `float` that overlaps nothing else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_adapt_predict(
    model: *const Slot,
    adapted: *const Adapted,
    x: *const f32,
    inputs: usize,
    y: *mut f32,
    half_width: *mut f32,
) -> Status {
    // SAFETY: the same demands; `y` is one value.
    let ((model, x, y), adapted) =
        match unsafe { (call(model, x, [inputs, srfm_inputs(model)], y, [1, 1]), started(adapted)) } {
            (Ok(call), Ok(adapted)) => (call, adapted),
            (Err(status), _) | (_, Err(status)) => return status,
        };
    if half_width.is_null() {
        return Status::Null;
    }
    match adapted.predict(model, x) {
        Ok(predicted) => {
            y.fill(predicted);
            // SAFETY: `half_width` points to a `float`.
            unsafe { half_width.write(adapted.interval.half_width()) };
            Status::Ok
        }
        Err(error) => error.into(),
    }
}

/// Takes the true value of a row, and says whether it was used.
///
/// # Safety
/// As [`srfm_adapt_predict`]; `used` is null or points to an `int32_t` that overlaps nothing else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_adapt_learn(
    model: *const Slot,
    adapted: *mut Adapted,
    x: *const f32,
    inputs: usize,
    reference: f32,
    used: *mut i32,
) -> Status {
    // SAFETY: the same demands; `used` is one value.
    let ((model, x, used), adapted) =
        match unsafe { (call(model, x, [inputs, srfm_inputs(model)], used, [1, 1]), started_mut(adapted)) } {
            (Ok(call), Ok(adapted)) => (call, adapted),
            (Err(status), _) | (_, Err(status)) => return status,
        };
    match adapted.learn(model, x, reference) {
        Ok(was_used) => {
            used.fill(was_used.into());
            Status::Ok
        }
        Err(error) => error.into(),
    }
}

/// Counts a row and whether readings of it are outside, and gives the state of the alarms.
///
/// # Safety
/// As [`srfm_adapt_predict`]; `drift` is null or points to a `srfm_drift` that overlaps nothing else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_adapt_count(
    model: *const Slot,
    adapted: *mut Adapted,
    x: *const f32,
    inputs: usize,
    drift: *mut Drift,
) -> Status {
    // SAFETY: the same demands; `drift` is one value.
    let ((model, x, drift), adapted) =
        match unsafe { (call(model, x, [inputs, srfm_inputs(model)], drift, [1, 1]), started_mut(adapted)) } {
            (Ok(call), Ok(adapted)) => (call, adapted),
            (Err(status), _) | (_, Err(status)) => return status,
        };
    adapted.drift.count(model.outside(x).count());
    let (outside, rows) = adapted.drift.outside();
    drift.fill(Drift { alarmed: adapted.drift.is_alarmed().into(), outside, rows });
    Status::Ok
}

/// Clears the alarms and the counts of rows.
///
/// # Safety
/// `adapted` is null or points to a `srfm_adaptation` that is zero or was started.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_adapt_clear_drift(adapted: *mut Adapted) -> Status {
    // SAFETY: the same demand.
    match unsafe { started_mut(adapted) } {
        Ok(adapted) => {
            adapted.drift.clear();
            Status::Ok
        }
        Err(status) => status,
    }
}

/// Keeps the coefficients and their share for [`srfm_adapt_rollback`].
///
/// # Safety
/// `adapted` is null or points to a `srfm_adaptation` that is zero or was started.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_adapt_save(adapted: *mut Adapted) -> Status {
    // SAFETY: the same demand.
    match unsafe { started_mut(adapted) } {
        Ok(adapted) => {
            adapted.recalibration.save();
            Status::Ok
        }
        Err(status) => status,
    }
}

/// Returns to the saved coefficients and their share, at first those of the factory, without a recent offset.
///
/// # Safety
/// As [`srfm_adapt_save`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_adapt_rollback(adapted: *mut Adapted) -> Status {
    // SAFETY: the same demand.
    match unsafe { started_mut(adapted) } {
        Ok(adapted) => {
            adapted.recalibration.rollback();
            Status::Ok
        }
        Err(status) => status,
    }
}

/// Writes the whole state to `len` bytes, from which [`srfm_adapt_restore`] goes on with the same bits.
///
/// # Safety
/// `model` is as for [`srfm_predict`](crate::srfm_predict), `adapted` is null or points to a `srfm_adaptation` that is
/// zero or was started, and `bytes` is null or points to `len` bytes that overlap nothing else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_adapt_store(
    model: *const Slot,
    adapted: *const Adapted,
    bytes: *mut u8,
    len: usize,
) -> Status {
    // SAFETY: the same demands.
    let (model, adapted) = match unsafe { (parsed(model), started(adapted)) } {
        (Ok(model), Ok(adapted)) => (model, adapted),
        (Err(status), _) | (_, Err(status)) => return status,
    };
    if let Some(status) = unsuited(bytes, len) {
        return status;
    }
    // SAFETY: `bytes` points to `len` bytes that overlap nothing else.
    adapted.store(model, unsafe { slice::from_raw_parts_mut(bytes, len) }).into()
}

/// Returns why bytes have no room for a saved state, before there is a slice, whose length has a limit.
fn unsuited(bytes: *const u8, len: usize) -> Option<Status> {
    match len {
        _ if bytes.is_null() => Some(Status::Null),
        ADAPTATION_BYTES => None,
        _ => Some(Status::Layout),
    }
}

/// Goes on with the state that [`srfm_adapt_store`] wrote. Without one, the adaptation stays as it is.
///
/// # Safety
/// As [`srfm_adapt_store`]; the bytes are only read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_adapt_restore(
    model: *const Slot,
    adapted: *mut Adapted,
    bytes: *const u8,
    len: usize,
) -> Status {
    // SAFETY: the same demands.
    let (model, adapted) = match unsafe { (parsed(model), started_mut(adapted)) } {
        (Ok(model), Ok(adapted)) => (model, adapted),
        (Err(status), _) | (_, Err(status)) => return status,
    };
    if let Some(status) = unsuited(bytes, len) {
        return status;
    }
    // SAFETY: `bytes` points to `len` bytes.
    adapted.restore(model, unsafe { slice::from_raw_parts(bytes, len) }).into()
}
