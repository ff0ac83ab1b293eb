//! The kernels that a program has, as type parameters of a model.

use core::marker::PhantomData;

use super::KernelEvaluator;
use crate::format::Kernel;
use crate::warp::AllWarps;

/// Every kernel, number format and warp.
#[derive(Clone, Copy, Debug)]
pub struct Any;

/// The kernel `E` in integers; `E` itself is for models in floating point.
#[derive(Clone, Copy, Debug)]
pub struct Int<E>(PhantomData<E>);

/// The kernel `E` for all models: also for those that warp, limit or replace readings. `E` itself is for models without
/// these, and 480 to 800 bytes smaller.
#[derive(Clone, Copy, Debug)]
pub struct Warped<E>(PhantomData<E>);

/// Rules beside features of the kernel `E`, such as `Rules<Cosine>` or `Rules<Warped<Cosine>>`, and in integers
/// `Int<Rules<Cosine>>`. A model of rules alone takes any kernel.
#[derive(Clone, Copy, Debug)]
pub struct Rules<E>(PhantomData<E>);

impl<E: KernelEvaluator> KernelEvaluator for Warped<E> {
    const KERNEL: Kernel = E::KERNEL;
    const INSTRUCTIONS: usize = E::INSTRUCTIONS;
    const UNROLLED: bool = E::UNROLLED;
    type Warps = AllWarps;
    type Values = E::Values;
    type Integers = E::Integers;

    #[inline(always)]
    fn values(t: f32) -> E::Values {
        E::values(t)
    }

    #[inline(always)]
    fn integers(t: u32, shift: u8) -> E::Integers {
        E::integers(t, shift)
    }
}
