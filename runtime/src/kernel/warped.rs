//! Kernels for models whose inputs are warped.

use super::{Nonlinearity, warp_f32, warp_int};
use crate::format::{self, Warp};

/// The warps that a program has.
pub trait Warps {
    /// Whether there are any but the identity.
    const ANY: bool;

    /// A reading, warped.
    fn reading(warp: u8, x: f32) -> f32;

    /// A count, warped.
    fn count(warp: u8, count: i16) -> i16;
}

/// No warp but the identity.
#[derive(Clone, Copy, Debug)]
pub struct NoWarps;

impl Warps for NoWarps {
    const ANY: bool = false;

    #[inline(always)]
    fn reading(_: u8, x: f32) -> f32 {
        x
    }

    #[inline(always)]
    fn count(_: u8, count: i16) -> i16 {
        count
    }
}

/// Every warp.
#[derive(Clone, Copy, Debug)]
pub struct AllWarps;

impl Warps for AllWarps {
    const ANY: bool = true;

    #[inline(always)]
    fn reading(warp: u8, x: f32) -> f32 {
        match Warp::of(warp) {
            Some(Warp::Log) => warp_f32::log2(x),
            Some(Warp::Sqrt) => warp_f32::sqrt(x),
            Some(Warp::Identity) | None => x,
        }
    }

    #[inline(always)]
    fn count(warp: u8, count: i16) -> i16 {
        match Warp::of(warp) {
            Some(Warp::Log) => warp_int::log2(count),
            Some(Warp::Sqrt) => warp_int::sqrt(count),
            Some(Warp::Identity) | None => count,
        }
    }
}

/// The kernel `N` for models with warped inputs and without; `N` itself is for those without, and 480 to
/// 800 bytes smaller.
#[derive(Clone, Copy, Debug)]
pub struct Warped<N>(core::marker::PhantomData<N>);

impl<N: Nonlinearity> Nonlinearity for Warped<N> {
    const KERNEL: format::Kernel = N::KERNEL;
    const INSTRUCTIONS: usize = N::INSTRUCTIONS;
    const UNROLLED: bool = N::UNROLLED;
    type Warps = AllWarps;
    type Values = N::Values;
    type Integers = N::Integers;

    #[inline(always)]
    fn values(t: f32) -> N::Values {
        N::values(t)
    }

    #[inline(always)]
    fn integers(t: u32, shift: u8) -> N::Integers {
        N::integers(t, shift)
    }
}
