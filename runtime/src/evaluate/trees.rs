//! Trees: a walk from every root downwards adds the amplitudes of the branches that it takes.

use super::inputs::Inputs;
use crate::format::{MISSING, NodeHead, Trees, key_of};

/// The outputs whose amplitudes are added in one walk, where there are several.
const AT_ONCE: usize = 4;

/// Adds the trees of a model in floating point; `x` are the readings.
#[inline(never)]
pub(super) fn add(trees: &Trees<'_>, x: &[f32], y: &mut [f32]) {
    let upper = |head: NodeHead, threshold: u16| {
        let Some(input) = trees.inputs.get(head.input()) else { return false };
        let x = x.get(usize::from(input.input)).copied().unwrap_or(0.0);
        // Comparisons of bits: those of numbers are calls where floating point is software.
        if x.to_bits() << 1 > f32::INFINITY.to_bits() << 1 {
            return head.has(NodeHead::MISSING_UPPER);
        }
        key_of(x) > input.key(threshold)
    };
    let in_units = |y: &mut f32, sum: i32, output: usize| {
        let step = trees.steps.get(output).map_or(0.0, |&word| f32::from_bits(word));
        *y += step * sum as f32;
    };
    add_with(trees, y, upper, in_units);
}

/// Adds the trees of an integer model. Counts are those before replacements, limits and warps.
#[inline(never)]
pub(super) fn add_integers(trees: &Trees<'_>, z: Inputs<'_>, y: &mut [i32]) {
    let upper = |head: NodeHead, threshold: u16| match z.count(head.input()) {
        MISSING => head.has(NodeHead::MISSING_UPPER),
        count => count > threshold as i16,
    };
    let shifted = |y: &mut i32, sum: i32, _| *y = y.wrapping_add(sum.wrapping_shl(trees.shift.into()));
    add_with(trees, y, upper, shifted);
}

/// Adds the sums of the trees to the outputs. `upper` says whether an input takes the upper branch, and `add` adds the
/// sum of an output to it.
#[inline(always)]
fn add_with<Y>(
    trees: &Trees<'_>,
    y: &mut [Y],
    upper: impl Fn(NodeHead, u16) -> bool,
    add: impl Fn(&mut Y, i32, usize),
) {
    if let [y] = y {
        let mut sums = [0];
        walk(trees.halves, 1, 0, &upper, &mut sums);
        return add(y, sums[0], 0);
    }
    let outputs = y.len();
    for (group, y) in y.chunks_mut(AT_ONCE).enumerate() {
        let (first, mut sums) = (AT_ONCE * group, [0; AT_ONCE]);
        walk(trees.halves, outputs, first, &upper, &mut sums);
        for (i, (y, sum)) in y.iter_mut().zip(sums).enumerate() {
            add(y, sum, first + i);
        }
    }
}

/// Walks down every tree and adds the amplitudes of the outputs from `first` on. Sums of outputs that do not exist hold
/// anything.
#[inline(always)]
fn walk<const O: usize>(
    mut trees: &[u16],
    outputs: usize,
    first: usize,
    upper: impl Fn(NodeHead, u16) -> bool,
    sums: &mut [i32; O],
) {
    while let [head, threshold, rest @ ..] = trees {
        let (mut head, mut threshold, mut rest) = (NodeHead(*head), *threshold, rest);
        let mut after: Option<&[u16]> = None;
        if head.has_nodes() {
            let [len, below @ ..] = rest else { return };
            (rest, after) = (below, below.get(usize::from(*len)..));
        }
        loop {
            let mut lower_len = 0;
            if head.skips() {
                let [len, below @ ..] = rest else { return };
                (lower_len, rest) = (usize::from(*len), below);
            }
            let [of_lower, of_both] = head.amplitudes(outputs);
            let (place, amplitudes, node, skipped) = if upper(head, threshold) {
                (of_lower, NodeHead::UPPER_AMPLITUDES, NodeHead::UPPER_NODE, lower_len)
            } else {
                (0, NodeHead::LOWER_AMPLITUDES, NodeHead::LOWER_NODE, 0)
            };
            if head.has(amplitudes) {
                for (sum, &amplitude) in sums.iter_mut().zip(rest.get(place + first..).unwrap_or_default()) {
                    *sum = sum.wrapping_add(i32::from(amplitude as i16));
                }
            }
            if !head.has(node) {
                after = after.or(rest.get(of_both..));
                break;
            }
            let Some([next, of_next, below @ ..]) = rest.get(of_both + skipped..) else { return };
            (head, threshold, rest) = (NodeHead(*next), *of_next, below);
        }
        trees = after.unwrap_or_default();
    }
}
