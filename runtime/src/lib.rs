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
//! use srfm_runtime::{Model, static_model};
//!
//! # fn main() -> Result<(), srfm_runtime::Error> {
//! static MODEL: Model = static_model!("../golden/plane-v1.srfm"); // the compiler checks every length, index and value
//!
//! let mut y = [0.0; MODEL.outputs()];
//! MODEL.predict(&[0.25, 2.0], &mut y)?;
//! assert!((y[0] - 3.625).abs() < 1e-5);
//! # Ok(())
//! # }
//! ```
//!
//! A model that is not known when the program is compiled is checked by [`Model::parse`], and received in pieces by a
//! [`ModelSlot`].
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
        static MODEL: &Aligned<[u8]> = &Aligned(*::core::include_bytes!($path));
        &MODEL.0
    }};
}

/// The model of a file, read when the program is compiled.
///
/// A file that is damaged, or that the kernels of the [`Model`] cannot evaluate, is an error of the compiler. An optimised program
/// has no code that reads files, and of the code that evaluates models what this one needs: the compiler knows the model where
/// it is a `static` of its own that predictions are asked of directly. Where it is passed on as a reference, or where there are
/// several, a type such as [`Model<Cosine>`](kernel::Cosine) keeps the other kernels out.
///
/// The path is relative to the source file, as for [`include_bytes!`]. The type must be stated. A model of more than 150 KB takes
/// the compiler long, which it warns of: `#[allow(long_running_const_eval)]`.
///
/// ```
/// use srfm_runtime::{Model, static_model};
///
/// static PLANE: Model = static_model!("../golden/plane-v1.srfm");
///
/// let mut y = [0.0; PLANE.outputs()];
/// assert!(PLANE.predict(&[0.25, 2.0], &mut y).is_ok());
/// assert!((y[0] - 3.625).abs() < 1e-5);
/// ```
///
/// ```compile_fail
/// use srfm_runtime::kernel::Sigmoid;
/// use srfm_runtime::{Model, static_model};
///
/// static PLANE: Model<Sigmoid> = static_model!("../golden/plane-v1.srfm"); // its features are cosines
/// ```
#[macro_export]
macro_rules! static_model {
    ($path:expr $(,)?) => {
        const {
            const BYTES: &[u8] = ::core::include_bytes!($path);
            const WORDS: &[u32; BYTES.len() / 4] = &$crate::format::words_of(BYTES);
            match $crate::Model::from_words(WORDS) {
                ::core::result::Result::Ok(model) => model,
                ::core::result::Result::Err(error) => ::core::panic!("{}", error.text()),
            }
        }
    };
}
