//! The model as C allocates it, and the arguments of a call as Rust takes them.

use core::mem::MaybeUninit;
use core::slice;

use srfm_runtime::Model;

use crate::status::Status;

#[cfg(not(any(feature = "cosine-only", feature = "int-cosine-only")))]
pub type Evaluator = srfm_runtime::kernel::Any;
#[cfg(feature = "cosine-only")]
pub type Evaluator = srfm_runtime::kernel::Cosine;
#[cfg(all(feature = "int-cosine-only", not(feature = "cosine-only")))]
pub type Evaluator = srfm_runtime::kernel::Int<srfm_runtime::kernel::Cosine>;

/// The contents of a `srfm_model`. C sees its size alone: `SRFM_MODEL_WORDS` words of a pointer's size each.
#[repr(C)]
pub struct Slot {
    /// [`PARSED`] where there is a model. Other words are not a model.
    pub state: usize,
    /// The model.
    pub model: MaybeUninit<Model<'static, Evaluator>>,
}

/// A value that words do not have by chance; words that were set to zero do not have it.
pub const PARSED: usize = 0x5afe_30de;

/// `SRFM_MODEL_WORDS`.
pub const WORDS: usize = 40;

const _: () = assert!(size_of::<Slot>() <= WORDS * size_of::<usize>() && align_of::<Slot>() <= align_of::<usize>());

/// Returns the model behind a pointer, if there is one.
///
/// # Safety
/// `model` is null or points to a `srfm_model` that is zero or was parsed; nothing writes to the model as long as the
/// reference lives.
pub unsafe fn parsed<'a>(model: *const Slot) -> Result<&'a Model<'static, Evaluator>, Status> {
    if model.is_null() {
        return Err(Status::Null);
    }
    // SAFETY: `model` points to a `srfm_model`, and any bits are a `usize`.
    if unsafe { (*model).state } != PARSED {
        return Err(Status::NotParsed);
    }
    // SAFETY: `srfm_parse` alone writes this state, together with a model.
    Ok(unsafe { (*model).model.assume_init_ref() })
}

/// A model with its inputs and results.
pub type Call<'a, X, Y> = (&'a Model<'static, Evaluator>, &'a [X], &'a mut [Y]);

/// Returns the arguments of C as Rust takes them. `inputs` and `outputs` each hold the number that C states, and the
/// number of the model.
///
/// # Safety
/// Each pointer is null or points to as many values as stated, and `y` overlaps nothing else, as long as the references
/// live. `model` is as for [`parsed`].
pub unsafe fn call<'a, X, Y>(
    model: *const Slot,
    x: *const X,
    [inputs, inputs_of_model]: [usize; 2],
    y: *mut Y,
    [outputs, outputs_of_model]: [usize; 2],
) -> Result<Call<'a, X, Y>, Status> {
    // SAFETY: the same demand.
    let model = unsafe { parsed(model) }?;
    if x.is_null() || y.is_null() {
        return Err(Status::Null);
    }
    // Before there is a slice, whose length has a limit.
    if inputs != inputs_of_model {
        return Err(Status::WrongInputs);
    }
    if outputs != outputs_of_model {
        return Err(Status::WrongOutputs);
    }
    // SAFETY: the caller vouches for `inputs` values and room for `outputs` values that overlaps nothing else.
    Ok(unsafe { (model, slice::from_raw_parts(x, inputs), slice::from_raw_parts_mut(y, outputs)) })
}
