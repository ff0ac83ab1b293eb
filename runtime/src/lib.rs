//! Evaluates sparse random feature models on microcontrollers, straight from flash.
//!
//! A model computes, for every output,
//!
//! ```text
//! y = intercept + Σ_i l_i z_i + Σ_j a_j φ(⟨w_j, z⟩ + b_j)
//! ```
//!
//! with few features `j` and few inputs per feature; φ is a cosine, a sigmoid or a ramp, or a pair of sine and cosine with
//! an amplitude each. The scaling of inputs and outputs is folded into the parameters, so that raw readings go in and
//! physical units come out. `z` is the reading itself or, in a model that prepares its inputs, the reading or its
//! logarithm or square root less a stored centre. The outputs of a classifier are scores, which [`Model::classify`] compares.
//!
//! The crate has no heap and no `unsafe`; [`Model`] borrows the parameters where they lie and [`Model::predict`]
//! contains no check that can fail once its slices have the right length. Only `+`, `-`, `×`, comparisons and, in the
//! sigmoid, `÷` are used, in a fixed order, so that a workstation and every core give the same bits.
//!
//! ```
//! use srfm_runtime::{Model, include_model};
//!
//! # fn main() -> Result<(), srfm_runtime::Error> {
//! static BLOB: &[u8] = include_model!("../golden/plane-v1.srfm");
//!
//! let model = Model::parse(BLOB)?; // once: checks every length, index and value
//! let mut y = [0.0];
//! model.predict(&[0.25, 2.0], &mut y)?; // for ever
//! assert!((y[0] - 3.625).abs() < 1e-5);
//! # Ok(())
//! # }
//! ```
#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(target_endian = "big")]
compile_error!("tensors are read in place as little-endian words; big-endian targets are not supported");

mod error;
mod evaluate;
pub mod format;
pub mod kernel;
mod model;
mod store;

pub use error::Error;
pub use model::Model;
pub use store::ModelSlot;

/// Embeds a model file in the program, on the four-byte boundary that [`Model::parse`] needs.
///
/// The path is relative to the source file, as for [`include_bytes!`].
#[macro_export]
macro_rules! include_model {
    ($path:expr $(,)?) => {{
        #[repr(C, align(4))]
        struct Aligned<Bytes: ?Sized>(Bytes);
        static MODEL: &Aligned<[u8]> = &Aligned(*include_bytes!($path));
        &MODEL.0
    }};
}
