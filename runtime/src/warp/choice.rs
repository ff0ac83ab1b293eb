//! The warps that a program has.

use super::{float, integer};
use crate::format::Warp;

/// The code that warps inputs.
pub trait Warps {
    /// Whether there are warps other than the identity.
    const ANY: bool;

    /// Returns a warped reading; `warp` is a number in model files.
    fn reading(warp: u8, x: f32) -> f32;

    /// Returns a warped count; `warp` is a number in model files.
    fn count(warp: u8, count: i16) -> i16;
}

/// No warp other than the identity.
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
            Some(Warp::Log) => float::log2(x),
            Some(Warp::Sqrt) => float::sqrt(x),
            Some(Warp::Identity) | None => x,
        }
    }

    #[inline(always)]
    fn count(warp: u8, count: i16) -> i16 {
        match Warp::of(warp) {
            Some(Warp::Log) => integer::log2(count),
            Some(Warp::Sqrt) => integer::sqrt(count),
            Some(Warp::Identity) | None => count,
        }
    }
}
