//! The features of a model: blocks of one kernel, or of several.

use super::inputs::Inputs;
use super::{block_f32, block_integers, trees};
use crate::format::{Contents, Number, Sizes, kernels};
use crate::kernel::{KernelEvaluator, Rules, Warped, dispatch};
use crate::warp::{AllWarps, Warps};

/// The code that adds all features of a model to its outputs.
pub(super) trait Features {
    /// The warps of inputs that the program has.
    type Warps: Warps;

    /// Adds the features in floating point; `x` are the readings, `z` the inputs of features.
    fn add<I: block_f32::Index>(model: &Contents<'_>, x: &[f32], z: &[f32], y: &mut [f32]);

    /// Adds the features of an integer model.
    fn add_integers(model: &Contents<'_>, z: Inputs<'_>, y: &mut [i32]);
}

/// Every block has the kernel of `E`.
impl<E: KernelEvaluator> Features for E {
    type Warps = E::Warps;

    #[inline(always)]
    fn add<I: block_f32::Index>(model: &Contents<'_>, _: &[f32], z: &[f32], y: &mut [f32]) {
        let (mut blocks, sizes) = (model.blocks, Sizes { inputs: z.len(), outputs: y.len() });
        while let Some(block) = blocks.block(Number::F32, E::KERNEL, sizes) {
            block_f32::add_block::<E, I>(&block, z, y);
        }
    }

    #[inline(always)]
    fn add_integers(model: &Contents<'_>, z: Inputs<'_>, y: &mut [i32]) {
        let (mut blocks, sizes) = (model.blocks, model.sizes());
        while let Some(block) = blocks.block(model.header.number, E::KERNEL, sizes) {
            block_integers::add_block::<E>(model, &block, z, y);
        }
    }
}

/// Every block has the kernel of `E`, and there may be trees.
impl<E: KernelEvaluator> Features for Rules<E> {
    type Warps = E::Warps;

    fn add<I: block_f32::Index>(model: &Contents<'_>, x: &[f32], z: &[f32], y: &mut [f32]) {
        let mut blocks = model.blocks();
        blocks.by_ref().for_each(|block| block_f32::add_block::<E, I>(&block, z, y));
        if let Some(of_model) = blocks.trees_behind() {
            trees::add(&of_model, x, y);
        }
    }

    fn add_integers(model: &Contents<'_>, z: Inputs<'_>, y: &mut [i32]) {
        let mut blocks = model.blocks();
        blocks.by_ref().for_each(|block| block_integers::add_block::<E>(model, &block, z, y));
        if let Some(of_model) = blocks.trees_behind() {
            trees::add_integers(&of_model, z, y);
        }
    }
}

/// Blocks have different kernels, or there are trees.
pub(super) struct Several;

impl Features for Several {
    type Warps = AllWarps;

    fn add<I: block_f32::Index>(model: &Contents<'_>, x: &[f32], z: &[f32], y: &mut [f32]) {
        let mut blocks = model.blocks();
        for block in blocks.by_ref() {
            kernels!(dispatch, block.kernel, E => block_f32::add_block::<Warped<E>, I>(&block, z, y));
        }
        if let Some(of_model) = blocks.trees_behind() {
            trees::add(&of_model, x, y);
        }
    }

    fn add_integers(model: &Contents<'_>, z: Inputs<'_>, y: &mut [i32]) {
        let mut blocks = model.blocks();
        for block in blocks.by_ref() {
            kernels!(dispatch, block.kernel, E => block_integers::add_block::<Warped<E>>(model, &block, z, y));
        }
        if let Some(of_model) = blocks.trees_behind() {
            trees::add_integers(&of_model, z, y);
        }
    }
}
