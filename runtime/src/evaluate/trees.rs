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
    let above = |count: i16, head: NodeHead, threshold: u16| match count {
        MISSING => head.has(NodeHead::MISSING_UPPER),
        count => count > threshold as i16,
    };
    let shifted = |y: &mut i32, sum: i32, _| *y = y.wrapping_add(sum.wrapping_shl(trees.shift.into()));
    match z {
        Inputs::Ready(z) | Inputs::Counts(z, _) => {
            let count = |head: NodeHead| z.get(head.input()).copied().unwrap_or(0);
            add_with(trees, y, |head, threshold| above(count(head), head, threshold), shifted);
        }
        z => add_groups(trees, y, |head, threshold| above(z.count(head.input()), head, threshold), shifted),
    }
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
    add_groups(trees, y, upper, add);
}

/// [`add_with`] for any number of outputs.
#[inline(always)]
fn add_groups<Y>(
    trees: &Trees<'_>,
    y: &mut [Y],
    upper: impl Fn(NodeHead, u16) -> bool,
    add: impl Fn(&mut Y, i32, usize),
) {
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
/// anything. Places only grow, and behind the last half the walk ends.
#[inline(always)]
fn walk<const O: usize>(
    halves: &[u16],
    outputs: usize,
    first: usize,
    upper: impl Fn(NodeHead, u16) -> bool,
    sums: &mut [i32; O],
) {
    let half = |place: usize| halves.get(place).copied().unwrap_or(0);
    let mut tree = 0;
    while let Some(&head) = halves.get(tree) {
        let (mut head, mut threshold, mut place) = (NodeHead(head), half(tree + 1), tree + 2);
        if head.has_nodes() {
            place += 1;
            tree = place + usize::from(half(place - 1));
        } else {
            tree = place + head.amplitudes(outputs)[1];
        }
        loop {
            let mut lower = 0;
            if head.skips() {
                lower = usize::from(half(place));
                place += 1;
            }
            let [of_lower, of_both] = head.amplitudes(outputs);
            let (own, amplitudes, node) = if upper(head, threshold) {
                (of_lower, NodeHead::UPPER_AMPLITUDES, NodeHead::UPPER_NODE)
            } else {
                lower = 0;
                (0, NodeHead::LOWER_AMPLITUDES, NodeHead::LOWER_NODE)
            };
            if head.has(amplitudes) {
                for (o, sum) in sums.iter_mut().enumerate() {
                    *sum = sum.wrapping_add(i32::from(half(place + own + first + o) as i16));
                }
            }
            if !head.has(node) {
                break;
            }
            place += of_both + lower;
            (head, threshold, place) = (NodeHead(half(place)), half(place + 1), place + 2);
        }
    }
}
