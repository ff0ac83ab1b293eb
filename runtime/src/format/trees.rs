//! Trees: rules that share conditions, borrowed from the file.
//!
//! A rule is the path from the root of a tree to a branch that carries amplitudes. A prediction walks down every tree
//! and adds the amplitudes of the branches that it takes.

use bytemuck::must_cast_slice;

use super::Header;
use super::tensor::{Sizes, are_finite, take};
use crate::Error;

/// The number of the block of trees in the list of kernels.
pub const TREES: u8 = 128;

/// A reading that trees of a model in floating point look at.
///
/// The [`key`](key_of) of a threshold is `base + (count << shift)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct TreeInput {
    /// The key of the threshold with count 0.
    pub base: i32,
    /// The index of the reading.
    pub input: u16,
    /// Bits by which the count of a threshold is shifted left; below 32.
    pub shift: u16,
}

impl TreeInput {
    /// Returns the key of a threshold.
    #[inline(always)]
    pub const fn key(&self, threshold: u16) -> i32 {
        self.base.wrapping_add((threshold as i32).wrapping_shl(self.shift as u32))
    }
}

/// Returns the number of a reading in the order of all readings: integers compare as the readings do. Negative zero is
/// below zero.
#[inline(always)]
pub const fn key_of(x: f32) -> i32 {
    let bits = x.to_bits() as i32;
    bits ^ ((bits >> 31) as u32 >> 1) as i32
}

/// Returns the reading with this key.
pub const fn reading_of(key: i32) -> f32 {
    f32::from_bits((key ^ ((key >> 31) as u32 >> 1) as i32) as u32)
}

/// The first half of a node: an input, and which of its parts a node has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeHead(pub u16);

impl NodeHead {
    /// The number of inputs that heads can tell apart.
    pub const INPUTS: u16 = 1 << 11;

    /// A missing reading takes the upper branch.
    pub const MISSING_UPPER: u16 = 1 << 11;

    /// The lower branch has amplitudes.
    pub const LOWER_AMPLITUDES: u16 = 1 << 12;

    /// The upper branch has amplitudes.
    pub const UPPER_AMPLITUDES: u16 = 1 << 13;

    /// The lower branch has a node.
    pub const LOWER_NODE: u16 = 1 << 14;

    /// The upper branch has a node.
    pub const UPPER_NODE: u16 = 1 << 15;

    /// Both branches have a node.
    const BOTH: u16 = Self::LOWER_NODE | Self::UPPER_NODE;

    /// Returns whether any bit of `mask` is set.
    #[inline(always)]
    pub const fn has(self, mask: u16) -> bool {
        self.0 & mask != 0
    }

    /// Returns the input: in floating point an index into [`Trees::inputs`], in integers into the view.
    #[inline(always)]
    pub const fn input(self) -> usize {
        (self.0 % Self::INPUTS) as usize
    }

    /// Returns whether a branch has a node.
    #[inline(always)]
    pub const fn has_nodes(self) -> bool {
        self.has(Self::BOTH)
    }

    /// Returns whether both branches have a node, so that the node says how long the lower subtree is.
    #[inline(always)]
    pub const fn skips(self) -> bool {
        self.0 & Self::BOTH == Self::BOTH
    }

    /// Returns the halves of the amplitudes of the lower branch, and those of both branches.
    #[inline(always)]
    pub const fn amplitudes(self, outputs: usize) -> [usize; 2] {
        let lower = if self.has(Self::LOWER_AMPLITUDES) { outputs } else { 0 };
        [lower, lower + if self.has(Self::UPPER_AMPLITUDES) { outputs } else { 0 }]
    }
}

/// The trees of a model.
#[derive(Clone, Copy, Debug)]
pub struct Trees<'a> {
    /// The readings that the trees look at, in floating point; none in integers.
    pub inputs: &'a [TreeInput],
    /// The words of what one unit of the amplitudes is, for every output in floating point; none in integers.
    pub steps: &'a [u32],
    /// Bits by which sums of amplitudes are shifted left in integers; below 32.
    pub shift: u8,
    /// The nodes of all trees as halves of words, every tree from its root downwards: see `docs/format.md`.
    pub halves: &'a [u16],
    /// The number of outputs.
    pub outputs: u16,
}

impl<'a> Trees<'a> {
    /// Takes the block of trees off the front of the words.
    #[inline]
    pub(crate) const fn take(words: &mut &'a [u32], integers: bool, outputs: usize) -> Option<Self> {
        let Some(&[head]) = take(words, Some(1)) else { return None };
        let (halves, upper) = ((head as u16) as usize, (head >> 16) as u16);
        let (inputs, steps) = if integers { (0, 0) } else { (upper as usize, outputs) };
        let Some(inputs) = take(words, Some(2 * inputs)) else { return None };
        let Some(steps) = take(words, Some(steps)) else { return None };
        let Some(nodes) = take(words, Some(halves.div_ceil(2))) else { return None };
        let Some((halves, _)) = must_cast_slice::<u32, u16>(nodes).split_at_checked(halves) else { return None };
        let inputs = must_cast_slice(inputs.as_chunks::<2>().0);
        Some(Trees { inputs, steps, shift: if integers { upper as u8 } else { 0 }, halves, outputs: outputs as u16 })
    }

    /// Takes the block of trees off the front of the words and checks it.
    #[inline(never)]
    pub(super) const fn checked(words: &mut &'a [u32], header: &Header<'_>, sizes: Sizes) -> Result<(), Error> {
        let integers = !header.number.is_float();
        let upper = if let Some(&head) = words.first() { head >> 16 } else { 0 };
        let Some(trees) = Self::take(words, integers, sizes.outputs) else { return Err(Error::Layout) };
        let mut inputs = trees.inputs;
        while let Some((input, rest)) = inputs.split_first() {
            inputs = rest;
            if input.input >= header.inputs {
                return Err(Error::IndexOutOfRange);
            }
            if input.shift >= 32 {
                return Err(Error::Layout);
            }
        }
        if integers && upper >= 32 {
            return Err(Error::Layout);
        }
        if !are_finite(trees.steps) {
            return Err(Error::NotFinite);
        }
        check_nodes(trees.halves, sizes.outputs, if integers { sizes.inputs } else { trees.inputs.len() })
    }

    /// Returns the nodes one after the other, every tree from its root downwards.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'a>> + use<'a> {
        let (mut rest, mut pending, outputs) = (self.halves, 0, usize::from(self.outputs));
        core::iter::from_fn(move || {
            let node = Node::read(rest, pending == 0, outputs)?;
            pending = pending.max(1) - 1 + node.children();
            rest = rest.get(node.len..)?;
            Some(node)
        })
    }

    /// Returns the number of trees.
    pub fn count(&self) -> usize {
        self.nodes().filter(|node| node.root).count()
    }

    /// Returns the number of rules: branches with amplitudes.
    pub fn rules(&self) -> usize {
        let rules = |node: Node<'_>| usize::from(!node.lower.is_empty()) + usize::from(!node.upper.is_empty());
        self.nodes().map(rules).sum()
    }

    /// Returns the threshold of a node of a model in floating point: a reading above it takes the upper branch.
    pub fn threshold(&self, node: &Node<'_>) -> Option<f32> {
        self.inputs.get(node.head.input()).map(|input| reading_of(input.key(node.threshold)))
    }
}

/// A node: one condition, with its two branches.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    /// The input and the parts of the node.
    pub head: NodeHead,
    /// The count of the threshold, in integers in two's complement: an input above it takes the upper branch.
    pub threshold: u16,
    /// Whether the node is the root of a tree.
    pub root: bool,
    /// The halves that the node says a part of its tree takes: of a root with nodes below it, all of them; otherwise of
    /// a node with two, the lower ones.
    pub links: [Option<u16>; 2],
    /// The amplitudes of the lower branch, one for every output; empty where it has none.
    pub lower: &'a [i16],
    /// The amplitudes of the upper branch, one for every output; empty where it has none.
    pub upper: &'a [i16],
    /// The halves of the node itself.
    len: usize,
}

impl<'a> Node<'a> {
    /// Reads the node at the front of `halves`.
    #[inline(never)]
    const fn read(halves: &'a [u16], root: bool, outputs: usize) -> Option<Self> {
        let [head, threshold, rest @ ..] = halves else { return None };
        let (head, threshold) = (NodeHead(*head), *threshold);
        let mut rest = rest;
        let mut links = [None, None];
        if root && head.has_nodes() {
            let Some((&link, after)) = rest.split_first() else { return None };
            (links[0], rest) = (Some(link), after);
        }
        if head.skips() {
            let Some((&link, after)) = rest.split_first() else { return None };
            (links[1], rest) = (Some(link), after);
        }
        let [lower, both] = head.amplitudes(outputs);
        let Some((amplitudes, after)) = must_cast_slice::<u16, i16>(rest).split_at_checked(both) else { return None };
        let Some((lower, upper)) = amplitudes.split_at_checked(lower) else { return None };
        let len = halves.len() - after.len();
        Some(Node { head, threshold, root, links, lower, upper, len })
    }

    /// Returns the number of nodes that follow the node directly.
    const fn children(&self) -> usize {
        self.head.has(NodeHead::LOWER_NODE) as usize + self.head.has(NodeHead::UPPER_NODE) as usize
    }
}

/// Returns the halves of the first `subtrees` subtrees of `halves`; none where these end before.
#[inline(never)]
const fn subtree_len(mut halves: &[u16], mut subtrees: usize, outputs: usize) -> Option<usize> {
    let all = halves.len();
    while subtrees > 0 {
        let Some(node) = Node::read(halves, false, outputs) else { return None };
        let Some((_, rest)) = halves.split_at_checked(node.len) else { return None };
        halves = rest;
        subtrees = subtrees - 1 + node.children();
    }
    Some(all - halves.len())
}

/// Checks all trees: every node is complete, its input exists, and what it says about the lengths of its subtrees is
/// right. Nodes follow their parents, hence every walk ends.
const fn check_nodes(mut halves: &[u16], outputs: usize, inputs: usize) -> Result<(), Error> {
    let mut pending: usize = 0;
    while !halves.is_empty() || pending > 0 {
        let Some(node) = Node::read(halves, pending == 0, outputs) else { return Err(Error::Layout) };
        let Some((_, rest)) = halves.split_at_checked(node.len) else { return Err(Error::Layout) };
        if node.head.input() >= inputs {
            return Err(Error::IndexOutOfRange);
        }
        let below = if let Some(tree) = node.links[0] {
            // The halves behind the link itself.
            let own = node.lower.len() + node.upper.len() + node.head.skips() as usize;
            match subtree_len(rest, node.children(), outputs) {
                Some(len) => own + len == tree as usize,
                None => false,
            }
        } else {
            true
        };
        let lower = match (node.links[1], subtree_len(rest, node.head.skips() as usize, outputs)) {
            (Some(lower), Some(len)) => lower as usize == len,
            (None, _) => true,
            (Some(_), None) => false,
        };
        if !below || !lower {
            return Err(Error::Layout);
        }
        pending = pending.saturating_sub(1) + node.children();
        halves = rest;
    }
    Ok(())
}
