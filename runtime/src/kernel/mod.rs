//! The arithmetic of the features: one kernel a file, each with its range, its largest error and its cost.
//!
//! A program links the kernels that it asks for: all of them with [`Model::parse`](crate::Model::parse), a single one with
//! [`Model::parse_only`](crate::Model::parse_only). Models that warp inputs need [`Any`] or [`Warped`].

pub mod activation_int;
pub mod cosine_f32;
pub mod cosine_int;
pub mod relu_f32;
pub mod sigmoid_f32;
pub mod sincos_f32;
mod table;
pub mod warp_f32;
pub mod warp_int;
mod warped;

use core::fmt::Debug;
use core::marker::PhantomData;

pub use cosine_f32::Cosine;
pub use relu_f32::Relu;
pub use sigmoid_f32::Sigmoid;
pub use sincos_f32::Sincos;
pub use table::ONE;
pub use warped::{AllWarps, NoWarps, Warped, Warps};

use crate::evaluate::{evaluate, evaluate_integers, evaluate_readings};
use crate::format::{self, Contents, Number};

/// A nonlinearity as the loops over features see it.
pub trait Nonlinearity: Copy + Debug {
    /// Its number in model files.
    const KERNEL: format::Kernel;

    /// Instructions of [`values`](Self::values) on a Cortex-M4F, counted by hand.
    const INSTRUCTIONS: usize;

    /// Whether the loops for one output are unrolled: a twelfth of the instructions less for four times their code.
    const UNROLLED: bool = false;

    /// The warps of inputs that the program has with this kernel.
    type Warps: Warps;

    /// What a feature adds to an output: one value or several, each times an amplitude of its own.
    type Values: Values;

    /// The values of a feature whose angle is `t`.
    fn values(t: f32) -> Self::Values;

    /// As [`Values`](Self::Values), in units of `1 / `[`ONE`].
    type Integers: IntegerValues;

    /// The values of a feature in integers: `t` is a phase of 2³² a turn, or a number in two's complement that is to be
    /// shifted right by `shift` bits.
    fn integers(t: u32, shift: u8) -> Self::Integers;
}

/// The values of a feature in an integer model, and its amplitudes of 16 bits.
pub trait IntegerValues: Copy {
    /// Adds each value times its amplitude to the only output; `word` is the last one of a record.
    fn add_to(self, y: i32, word: u32) -> i32;

    /// Adds each value times its amplitude to every output; `words` follow the weights.
    fn add_to_all(self, y: &mut [i32], words: &[u32]);
}

/// The lower half of a word, a number in two's complement.
#[inline(always)]
fn lower(word: u32) -> i32 {
    i32::from(word as i16)
}

/// The upper half of a word.
#[inline(always)]
fn upper(word: u32) -> i32 {
    word as i32 >> 16
}

impl IntegerValues for [i32; 1] {
    #[inline(always)]
    fn add_to(self, y: i32, word: u32) -> i32 {
        let [value] = self;
        y.wrapping_add(lower(word) * value)
    }

    #[inline(always)]
    fn add_to_all(self, y: &mut [i32], words: &[u32]) {
        let (Some((&first, words)), Some((y_0, y))) = (words.split_first(), y.split_first_mut()) else { return };
        *y_0 = self.add_to(*y_0, first);
        let amplitudes: &[i16] = bytemuck::must_cast_slice(words);
        for (y, &amplitude) in y.iter_mut().zip(amplitudes) {
            *y = y.wrapping_add(i32::from(amplitude) * self[0]);
        }
    }
}

impl IntegerValues for [i32; 2] {
    #[inline(always)]
    fn add_to(self, y: i32, word: u32) -> i32 {
        let [first, second] = self;
        y.wrapping_add(lower(word) * first).wrapping_add(upper(word) * second)
    }

    #[inline(always)]
    fn add_to_all(self, y: &mut [i32], words: &[u32]) {
        for (y, &word) in y.iter_mut().zip(words) {
            *y = self.add_to(*y, word);
        }
    }
}

/// The values of a feature.
pub trait Values: Copy + Sized {
    /// Divides the amplitudes of a feature by outputs.
    fn by_output(amplitudes: &[f32]) -> &[Self];

    /// Adds each value times its amplitude to the output `y`, one after the other.
    fn add_to(self, y: f32, amplitudes: &Self) -> f32;
}

impl Values for [f32; 1] {
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
/// tenth more. With more than 3 inputs a feature, or more than [`BUFFERED`](format::BUFFERED) inputs, they take about 27 a
/// feature and 3 an input more.
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

/// The kernels that a program has: one of them in floating point, such as [`Cosine`], or in integers, such as
/// [`Int<Cosine>`](Int), for models with warped inputs [`Warped<Cosine>`](Warped) or `Int<Warped<Cosine>>`, or [`Any`].
pub trait Kernels: Copy + Debug {
    /// Whether models with warped inputs can be evaluated.
    const WARPS: bool;

    /// Whether models in floating point can be evaluated.
    const FLOATING_POINT: bool;

    /// Whether models in integers can be evaluated.
    const INTEGERS: bool;

    /// The only kernel of models that can be evaluated; none for every kernel.
    const ONLY: Option<format::Kernel>;

    /// Evaluates a model whose kernel is one of these; the slices have the right lengths.
    #[doc(hidden)]
    fn evaluate(model: &Contents<'_>, x: &[f32], y: &mut [f32]);

    /// The same for an integer model and its inputs as features see them.
    #[doc(hidden)]
    fn evaluate_integers(model: &Contents<'_>, z: &[i16], y: &mut [i32]);
}

impl<N: Nonlinearity> Kernels for N {
    const WARPS: bool = N::Warps::ANY;
    const FLOATING_POINT: bool = true;
    const INTEGERS: bool = false;
    const ONLY: Option<format::Kernel> = Some(N::KERNEL);

    #[inline]
    fn evaluate(model: &Contents<'_>, x: &[f32], y: &mut [f32]) {
        evaluate::<N>(model, x, y);
    }

    fn evaluate_integers(_: &Contents<'_>, _: &[i16], _: &mut [i32]) {}
}

/// Whether models with this number format and kernel can be evaluated with `K`.
pub(crate) const fn have<K: Kernels>(number: Number, kernel: format::Kernel) -> bool {
    let numbers = if number.floating_point() { K::FLOATING_POINT } else { K::INTEGERS };
    let kernels = match K::ONLY {
        Some(only) => kernel as u8 == only as u8,
        None => true,
    };
    numbers && kernels
}

/// A kernel in integers.
#[derive(Clone, Copy, Debug)]
pub struct Int<N> {
    kernel: PhantomData<N>,
}

impl<N: Nonlinearity> Kernels for Int<N> {
    const WARPS: bool = N::Warps::ANY;
    const FLOATING_POINT: bool = false;
    const INTEGERS: bool = true;
    const ONLY: Option<format::Kernel> = Some(N::KERNEL);

    #[inline]
    fn evaluate(model: &Contents<'_>, x: &[f32], y: &mut [f32]) {
        evaluate_readings::<N>(model, x, y);
    }

    #[inline]
    fn evaluate_integers(model: &Contents<'_>, z: &[i16], y: &mut [i32]) {
        evaluate_integers::<N>(model, z, y);
    }
}

/// All kernels.
#[derive(Clone, Copy, Debug)]
pub struct Any;

impl Kernels for Any {
    const WARPS: bool = true;
    const FLOATING_POINT: bool = true;
    const INTEGERS: bool = true;
    const ONLY: Option<format::Kernel> = None;

    #[inline]
    fn evaluate(model: &Contents<'_>, x: &[f32], y: &mut [f32]) {
        match (model.header.number, model.header.kernel) {
            (Number::F32, format::Kernel::Cosine) => evaluate::<Warped<Cosine>>(model, x, y),
            (Number::F32, format::Kernel::Sincos) => evaluate::<Warped<Sincos>>(model, x, y),
            (Number::F32, format::Kernel::Sigmoid) => evaluate::<Warped<Sigmoid>>(model, x, y),
            (Number::F32, format::Kernel::Relu) => evaluate::<Warped<Relu>>(model, x, y),
            (_, format::Kernel::Cosine) => evaluate_readings::<Warped<Cosine>>(model, x, y),
            (_, format::Kernel::Sincos) => evaluate_readings::<Warped<Sincos>>(model, x, y),
            (_, format::Kernel::Sigmoid) => evaluate_readings::<Warped<Sigmoid>>(model, x, y),
            (_, format::Kernel::Relu) => evaluate_readings::<Warped<Relu>>(model, x, y),
        }
    }

    #[inline]
    fn evaluate_integers(model: &Contents<'_>, z: &[i16], y: &mut [i32]) {
        match model.header.kernel {
            format::Kernel::Cosine => evaluate_integers::<Warped<Cosine>>(model, z, y),
            format::Kernel::Sincos => evaluate_integers::<Warped<Sincos>>(model, z, y),
            format::Kernel::Sigmoid => evaluate_integers::<Warped<Sigmoid>>(model, z, y),
            format::Kernel::Relu => evaluate_integers::<Warped<Relu>>(model, z, y),
        }
    }
}
