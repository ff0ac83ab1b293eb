//! Kernels: one function φ a file, each with its range, its largest error and its cost in floating point and in
//! integers.
//!
//! A program links the kernels that its [`Model`](crate::Model) names: all of them with [`Any`], a single one with a
//! type such as [`Cosine`], [`Int<Cosine>`](Int), [`Warped<Cosine>`](Warped) or [`Rules<Cosine>`](Rules).

mod choice;
mod cosine;
mod evaluator;
mod instructions;
mod lines;
mod polynomial;
mod relu;
mod segments;
mod sigmoid;
mod sincos;
mod square;
#[cfg(test)]
mod tests;
mod values;

pub use choice::{Any, Int, Rules, Warped};
pub use cosine::Cosine;
pub(crate) use evaluator::KernelEvaluator;
pub use instructions::instructions;
pub use lines::lines;
pub use polynomial::Polynomial;
pub use relu::Relu;
pub use sigmoid::Sigmoid;
pub(crate) use sigmoid::{logistic, scaled_power};
pub use sincos::Sincos;
pub use square::Square;
pub(crate) use values::{IntegerValues, Values};

/// Runs an expression with a type as the evaluator of a kernel, which is found in the table of kernels:
/// `kernels!(dispatch, kernel, E => f::<E>(x))`. With `else`, the kernel is an `Option`.
macro_rules! dispatch {
    ([$(
        $(#[$doc:meta])*
        $kernel:ident = $number:literal, $name:literal, $bias:literal, $one:literal, [$($scale:literal),*];
    )*] $value:expr, $evaluator:ident => $code:expr) => {
        match $value {
            $($crate::format::Kernel::$kernel => {
                type $evaluator = $crate::kernel::$kernel;
                $code
            })*
        }
    };
    ([$(
        $(#[$doc:meta])*
        $kernel:ident = $number:literal, $name:literal, $bias:literal, $one:literal, [$($scale:literal),*];
    )*] $value:expr, $evaluator:ident => $code:expr, else $several:expr) => {
        match $value {
            $(Some($crate::format::Kernel::$kernel) => {
                type $evaluator = $crate::kernel::$kernel;
                $code
            })*
            None => $several,
        }
    };
}
pub(crate) use dispatch;
