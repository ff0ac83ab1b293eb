//! Evaluates sparse random feature models on microcontrollers, straight from flash.
//!
//! A model computes, for every output,
//!
//! ```text
//! y = intercept + Σ_i l_i z_i + Σ_j a_j φ_j(⟨w_j, z⟩ + b_j)
//! ```
//!
//! with few features `j` and few inputs per feature. The kernel φ is a cosine, a sigmoid or a ramp, or a pair of sine
//! and cosine with an amplitude each. The parameters include the scaling of inputs and outputs: raw readings go in, and
//! physical units come out. `z` is the reading itself. In a model that prepares its inputs, `z` is the reading, its
//! logarithm or its square root, less a stored centre. The outputs of a classifier are scores, which
//! [`Model::classify`] compares.
//!
//! The crate has no heap and no `unsafe`. [`Model`] borrows the parameters where they lie, and [`Model::predict`]
//! contains no check that can fail once its slices have the right length. Evaluation uses only `+`, `-`, `×`,
//! comparisons and, in the sigmoid, `÷`, in a fixed order: a workstation and every core give the same bits.
//!
//! ```
//! use srfm_runtime::{Model, static_model};
//!
//! # fn main() -> Result<(), srfm_runtime::Error> {
//! static MODEL: Model = static_model!("../golden/plane.srfm"); // the compiler checks every length, index and value
//!
//! let mut y = [0.0; MODEL.outputs()];
//! MODEL.predict(&[0.25, 2.0], &mut y)?;
//! assert!((y[0] - 3.625).abs() < 1e-5);
//! # Ok(())
//! # }
//! ```
//!
//! [`Model::parse`] checks a model that is not known when the program is compiled. A `ModelSlot` receives a model in
//! pieces.
//!
//! # Features
//!
//! | feature | default | what it adds | packages |
//! |---|---|---|---|
//! | `history` | no | `History`, which keeps earlier samples for models that look at them | `heapless` |
//! | `slot` | no | `ModelSlot`, which receives models at run time | `heapless` |
//! | `store` | no | `update`: models in flash, which are updated over a link | `cobs`, `embedded-storage` |
//! | `signature` | no | updates that are signed | `ed25519-compact` |
//! | `write` | no | writing model files, as the trainer does | `postcard`, `serde` |
//!
//! Without features the crate depends on `bytemuck` and `crc` alone: that is all that predicting needs.
//!
//! # Modules
//!
//! Dependencies run one way: [`format`] (bytes) → `warp` → [`kernel`] → `evaluate` → [`Model`] → `ModelSlot`, `update`.
//! The file `docs/format.md` in the repository describes the model file byte by byte.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(target_endian = "big")]
compile_error!("tensors are read in place as little-endian words; big-endian targets are not supported");

#[cfg(feature = "adapt")]
pub mod adapt;
mod error;
mod evaluate;
pub mod format;
#[cfg(feature = "history")]
pub mod history;
pub mod kernel;
mod model;
mod probability;
#[cfg(feature = "slot")]
mod slot;
#[cfg(feature = "history")]
mod statistics;
#[cfg(feature = "store")]
pub mod update;
mod warp;

pub use error::Error;
pub use evaluate::Evaluator;
pub use format::MISSING;
#[cfg(feature = "history")]
pub use history::History;
pub use model::Model;
pub use probability::Odds;
#[cfg(feature = "slot")]
pub use slot::{ModelSlot, Receiver};

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

/// Reads the model of a file when the program is compiled.
///
/// A file that is damaged, or that the kernels of the [`Model`] cannot evaluate, is an error of the compiler. An
/// optimised program has no code that reads files. Of the code that evaluates models it has only the part that this
/// model needs: the compiler specialises the code for calls on the `static` itself, not through a reference. Where a
/// program passes the model as a reference, or has several models, a type such as [`Model<Cosine>`](kernel::Cosine)
/// keeps the other kernels out.
///
/// The path is relative to the source file, as for [`include_bytes!`]. The type must be stated. A model of more than
/// 150 KB takes the compiler long, and the compiler warns; `#[allow(long_running_const_eval)]` accepts that.
///
/// ```
/// use srfm_runtime::{Model, static_model};
///
/// static PLANE: Model = static_model!("../golden/plane.srfm");
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
/// static PLANE: Model<Sigmoid> = static_model!("../golden/plane.srfm"); // its features are cosines
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
