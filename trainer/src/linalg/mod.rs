//! Dense linear algebra with the same bits on every processor and any number of threads.
//!
//! Every sum is taken in an order that this module fixes: products are divided into tiles of a fixed size, scalar
//! products into eight running sums, and no multiplication is fused with an addition. [`pulp::Arch`] compiles the loops
//! for the vector instructions of the processor that is found at run time; as the compiler keeps the order of all
//! operations, the instructions change the speed and not the result. Fast libraries of factorisations choose the order
//! by the instructions and the caches of the processor. nalgebra's factorisations are plain loops; the modules of our
//! own say what nalgebra's lack.

/// Evaluates an expression that is compiled for the vector instructions of the processor.
///
/// The compiler applies them only to what it inlines. A closure that can be called more than once is called through a
/// function of the compiler's own, which is not inlined where it is long; a closure that consumes a value is called
/// directly.
macro_rules! vectorised {
    ($work:expr) => {{
        let once = crate::linalg::Once;
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || {
                let _consumed: crate::linalg::Once = once;
                $work
            },
        )
    }};
}

pub(crate) use vectorised;

mod cholesky;
mod narrow;
mod product;
mod qr;
mod slices;
mod spectral;

pub use cholesky::{Factor, cholesky, cholesky_solve, well_conditioned_solve};
pub use product::{
    add_gram, add_lower_gram, gram, mirror_lower, outer_gram, product, subtract_product, transpose_product,
};
pub use qr::{PivotedQr, pivoted_qr};
pub use slices::zeros;
pub use slices::{add_scaled, dot};
pub use slices::{normalise_columns, remove_columns, scale_rows};
pub use spectral::symmetric_eigen;
pub use spectral::{Svd, svd};

/// The value that a closure of `vectorised!` consumes.
pub(crate) struct Once;
