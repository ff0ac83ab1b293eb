//! The evaluator of a model: which loops a prediction takes.

use core::fmt::Debug;

use bytemuck::must_cast_slice_mut;

use super::features::{Features, Several};
use super::inputs::{Inputs, buffered, complete, prepare};
use super::{general, small_f32, small_integers};
use crate::format::{BUFFERED, Contents, Number, Support, Supports, kernels};
use crate::kernel::{Any, Int, KernelEvaluator, Rules, Warped, dispatch};
use crate::warp::Warps;

/// The kernels that a program has: [`Any`], or one of them, in floating point such as
/// [`Cosine`](crate::kernel::Cosine), in integers such as [`Int<Cosine>`](Int), for models with warped inputs such as
/// [`Warped<Cosine>`](Warped) or `Int<Warped<Cosine>>`, for models with rules such as [`Rules<Cosine>`](Rules).
///
/// The types in [`kernel`](crate::kernel) implement the trait; other crates cannot.
pub trait Evaluator: Copy + Debug + sealed::Evaluate {}

impl<E: Copy + Debug + sealed::Evaluate> Evaluator for E {}

mod sealed {
    use crate::format::{Contents, Supports};

    /// The code of an [`Evaluator`](super::Evaluator).
    pub trait Evaluate: Supports {
        /// Evaluates a model that is supported; the slices have the right lengths.
        fn evaluate(model: &Contents<'_>, x: &[f32], y: &mut [f32]);

        /// Evaluates an integer model that is supported on its prepared inputs. Returns whether there is a prediction:
        /// no input is missing that the outputs depend on. Without one, the outputs are left as they were.
        fn evaluate_integers(model: &Contents<'_>, z: &[i16], y: &mut [i32]) -> bool;
    }
}
use sealed::Evaluate;

impl<E: KernelEvaluator> Supports for E {
    const SUPPORT: Support =
        Support { kernel: Some(E::KERNEL), float: true, integers: false, warps: E::Warps::ANY, trees: false };
}

impl<E: KernelEvaluator> Evaluate for E {
    #[inline]
    fn evaluate(model: &Contents<'_>, x: &[f32], y: &mut [f32]) {
        evaluate::<E>(model, x, y);
    }

    fn evaluate_integers(_: &Contents<'_>, _: &[i16], _: &mut [i32]) -> bool {
        true
    }
}

impl<E: KernelEvaluator> Supports for Int<E> {
    const SUPPORT: Support =
        Support { kernel: Some(E::KERNEL), float: false, integers: true, warps: E::Warps::ANY, trees: false };
}

impl<E: KernelEvaluator> Evaluate for Int<E> {
    #[inline]
    fn evaluate(model: &Contents<'_>, x: &[f32], y: &mut [f32]) {
        evaluate_readings::<E>(model, x, y);
    }

    #[inline]
    fn evaluate_integers(model: &Contents<'_>, z: &[i16], y: &mut [i32]) -> bool {
        evaluate_integers::<E>(model, z, y)
    }
}

impl<E: KernelEvaluator> Supports for Rules<E> {
    const SUPPORT: Support =
        Support { kernel: Some(E::KERNEL), float: true, integers: false, warps: E::Warps::ANY, trees: true };
}

impl<E: KernelEvaluator> Evaluate for Rules<E> {
    #[inline]
    fn evaluate(model: &Contents<'_>, x: &[f32], y: &mut [f32]) {
        general::evaluate::<Self>(model, x, y);
    }

    fn evaluate_integers(_: &Contents<'_>, _: &[i16], _: &mut [i32]) -> bool {
        true
    }
}

impl<E: KernelEvaluator> Supports for Int<Rules<E>> {
    const SUPPORT: Support =
        Support { kernel: Some(E::KERNEL), float: false, integers: true, warps: E::Warps::ANY, trees: true };
}

impl<E: KernelEvaluator> Evaluate for Int<Rules<E>> {
    #[inline]
    fn evaluate(model: &Contents<'_>, x: &[f32], y: &mut [f32]) {
        let predicted = general_readings::<Rules<E>>(model, x, as_integers(y));
        to_units(model, y, predicted);
    }

    #[inline]
    fn evaluate_integers(model: &Contents<'_>, z: &[i16], y: &mut [i32]) -> bool {
        general_integers::<Rules<E>>(model, z, y)
    }
}

impl Supports for Any {
    const SUPPORT: Support = Support { kernel: None, float: true, integers: true, warps: true, trees: true };
}

impl Evaluate for Any {
    #[inline(always)]
    fn evaluate(model: &Contents<'_>, x: &[f32], y: &mut [f32]) {
        if model.header.number == Number::F32 {
            kernels!(dispatch, model.kernel, E => evaluate::<Warped<E>>(model, x, y),
                else several(model, x, y));
        } else {
            kernels!(dispatch, model.kernel, E => evaluate_readings::<Warped<E>>(model, x, y),
                else several_readings(model, x, y));
        }
    }

    #[inline(always)]
    fn evaluate_integers(model: &Contents<'_>, z: &[i16], y: &mut [i32]) -> bool {
        kernels!(dispatch, model.kernel, E => evaluate_integers::<Warped<E>>(model, z, y),
            else several_integers(model, z, y))
    }
}

/// Evaluates a model with kernel `E`.
#[inline]
fn evaluate<E: KernelEvaluator>(model: &Contents<'_>, x: &[f32], y: &mut [f32]) {
    if model.small {
        if let Some(y) = y.as_mut_array() {
            return small_f32::evaluate::<E, 1>(model, x, y);
        } else if let Some(y) = y.as_mut_array() {
            return small_f32::evaluate::<E, 2>(model, x, y);
        } else if let Some(y) = y.as_mut_array() {
            return small_f32::evaluate::<E, 3>(model, x, y);
        } else if let Some(y) = y.as_mut_array() {
            return small_f32::evaluate::<E, 4>(model, x, y);
        }
    }
    general::evaluate::<E>(model, x, y);
}

/// Evaluates an integer model with kernel `E` on its prepared inputs.
#[inline]
fn evaluate_integers<E: KernelEvaluator>(model: &Contents<'_>, z: &[i16], y: &mut [i32]) -> bool {
    match y {
        [y] if model.small => {
            let (mut z, missing) = buffered(z);
            if !complete::<E::Warps>(model, &mut z, missing) {
                return false;
            }
            *y = small_integers::evaluate::<E>(model, &z);
            true
        }
        _ => general_integers::<E>(model, z, y),
    }
}

/// Evaluates an integer model by the general loops.
#[inline(always)]
fn general_integers<F: Features>(model: &Contents<'_>, z: &[i16], y: &mut [i32]) -> bool {
    if F::Warps::ANY && model.preparation.special {
        general::evaluate_integers::<F>(model, Inputs::Counts(z, &model.preparation), y)
    } else {
        general::evaluate_integers::<F>(model, Inputs::Ready(z), y)
    }
}

/// Evaluates an integer model with kernel `E` on readings, in physical units.
///
/// Not inlined: otherwise a program with all kernels would reserve this function's stack for models in floating point.
#[inline(never)]
fn evaluate_readings<E: KernelEvaluator>(model: &Contents<'_>, x: &[f32], y: &mut [f32]) {
    let predicted = match as_integers(y) {
        [y] if model.small => {
            let mut z = [0; BUFFERED];
            let missing = prepare(x, &model.preparation, &mut z);
            let complete = complete::<E::Warps>(model, &mut z, missing);
            if complete {
                *y = small_integers::evaluate::<E>(model, &z);
            }
            complete
        }
        y => general_readings::<E>(model, x, y),
    };
    to_units(model, y, predicted);
}

/// Evaluates an integer model by the general loops on readings, of which up to [`BUFFERED`] are prepared once.
#[inline(always)]
fn general_readings<F: Features>(model: &Contents<'_>, x: &[f32], y: &mut [i32]) -> bool {
    let mut z = [0; BUFFERED];
    match z.get_mut(..model.view.into()) {
        Some(z) => {
            prepare(x, &model.preparation, z);
            general::evaluate_integers::<F>(model, Inputs::Counts(z, &model.preparation), y)
        }
        None => general::evaluate_integers::<F>(model, Inputs::Readings(x, &model.preparation), y),
    }
}

/// [`evaluate`] for several kernels and for trees.
#[inline(never)]
fn several(model: &Contents<'_>, x: &[f32], y: &mut [f32]) {
    general::evaluate::<Several>(model, x, y);
}

/// [`evaluate_readings`] for several kernels and for trees.
#[inline(never)]
fn several_readings(model: &Contents<'_>, x: &[f32], y: &mut [f32]) {
    let predicted = general_readings::<Several>(model, x, as_integers(y));
    to_units(model, y, predicted);
}

/// [`evaluate_integers`] for several kernels and for trees.
#[inline(never)]
fn several_integers(model: &Contents<'_>, z: &[i16], y: &mut [i32]) -> bool {
    general_integers::<Several>(model, z, y)
}

/// Returns the words of outputs as integers.
fn as_integers(y: &mut [f32]) -> &mut [i32] {
    must_cast_slice_mut(y)
}

/// Turns integers in the words of outputs into physical units; NaN where there is no prediction.
#[inline(always)]
fn to_units(model: &Contents<'_>, y: &mut [f32], predicted: bool) {
    if !predicted {
        return y.fill(f32::NAN);
    }
    for (y, scale) in y.iter_mut().zip(model.scales) {
        *y = scale.of(y.to_bits() as i32);
    }
}
