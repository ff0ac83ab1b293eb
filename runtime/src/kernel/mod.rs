//! The arithmetic of the features: one kernel a file, each with its range, its largest error and its cost.
//!
//! A program links the kernels that it asks for: all of them with [`Model::parse`](crate::Model::parse), a single one with
//! [`Model::parse_only`](crate::Model::parse_only).

pub mod cosine_f32;
pub mod relu_f32;
pub mod sigmoid_f32;
pub mod sincos_f32;

use core::fmt::Debug;

pub use cosine_f32::Cosine;
pub use relu_f32::Relu;
pub use sigmoid_f32::Sigmoid;
pub use sincos_f32::Sincos;

use crate::evaluate::evaluate;
use crate::format::{self, Contents};

/// A nonlinearity as the loops over features see it.
pub trait Nonlinearity: Copy + Debug {
    /// Its number in model files.
    const KERNEL: format::Kernel;

    /// Instructions of [`values`](Self::values) on a Cortex-M4F, counted by hand.
    const INSTRUCTIONS: usize;

    /// Whether the loops for one output are unrolled: a twelfth of the instructions less for four times their code.
    const UNROLLED: bool = false;

    /// What a feature adds to an output: one value or several, each times an amplitude of its own.
    type Values: Values;

    /// The values of a feature whose angle is `t`.
    fn values(t: f32) -> Self::Values;
}

/// The values of a feature.
pub trait Values: Copy + Sized {
    /// How many there are.
    const COUNT: usize;

    /// Divides the amplitudes of a feature by outputs.
    fn by_output(amplitudes: &[f32]) -> &[Self];

    /// Adds each value times its amplitude to the output `y`, one after the other.
    fn add_to(self, y: f32, amplitudes: &Self) -> f32;
}

impl Values for [f32; 1] {
    const COUNT: usize = 1;

    #[inline(always)]
    fn by_output(amplitudes: &[f32]) -> &[Self] {
        amplitudes.as_chunks().0
    }

    #[inline(always)]
    fn add_to(self, y: f32, [amplitude]: &Self) -> f32 {
        let [value] = self;
        y + amplitude * value
    }
}

impl Values for [f32; 2] {
    const COUNT: usize = 2;

    #[inline(always)]
    fn by_output(amplitudes: &[f32]) -> &[Self] {
        amplitudes.as_chunks().0
    }

    #[inline(always)]
    fn add_to(self, y: f32, [amplitude_0, amplitude_1]: &Self) -> f32 {
        let [value_0, value_1] = self;
        y + amplitude_0 * value_0 + amplitude_1 * value_1
    }
}

/// Instructions that a feature takes at least on a Cortex-M4F, counted by hand: one a load, an operation, a multiply-add.
///
/// An index is masked and takes an addition and a load for its input; two of them come in one load. The loops take about a
/// tenth more; they take 3 to 5 an input more where there are more than 3 a feature, or more than
/// [`BUFFERED`](format::BUFFERED) inputs.
pub const fn instructions(kernel: format::Kernel, order: usize, outputs: usize) -> usize {
    let (values, count) = match kernel {
        format::Kernel::Cosine => (Cosine::INSTRUCTIONS, 1),
        format::Kernel::Sincos => (Sincos::INSTRUCTIONS, 2),
        format::Kernel::Sigmoid => (Sigmoid::INSTRUCTIONS, 1),
        format::Kernel::Relu => (Relu::INSTRUCTIONS, 1),
    };
    let inputs = if order == 2 { 7 } else { 4 * order };
    kernel.words(order, 0) + inputs + order + values + 2 * count * outputs
}

/// The kernels that a program has: one of them, or [`Any`].
pub trait Kernels: Copy + Debug {
    /// Whether models with this kernel can be evaluated.
    fn have(kernel: format::Kernel) -> bool;

    /// Evaluates a model whose kernel is one of these; the slices have the right lengths.
    #[doc(hidden)]
    fn evaluate(model: &Contents<'_>, x: &[f32], y: &mut [f32]);
}

impl<N: Nonlinearity> Kernels for N {
    fn have(kernel: format::Kernel) -> bool {
        kernel == N::KERNEL
    }

    #[inline]
    fn evaluate(model: &Contents<'_>, x: &[f32], y: &mut [f32]) {
        evaluate::<N>(model, x, y);
    }
}

/// All kernels.
#[derive(Clone, Copy, Debug)]
pub struct Any;

impl Kernels for Any {
    fn have(_: format::Kernel) -> bool {
        true
    }

    #[inline]
    fn evaluate(model: &Contents<'_>, x: &[f32], y: &mut [f32]) {
        match model.header.kernel {
            format::Kernel::Cosine => evaluate::<Cosine>(model, x, y),
            format::Kernel::Sincos => evaluate::<Sincos>(model, x, y),
            format::Kernel::Sigmoid => evaluate::<Sigmoid>(model, x, y),
            format::Kernel::Relu => evaluate::<Relu>(model, x, y),
        }
    }
}
