//! Trees that own their nodes.

use srfm_runtime::format::{Number, TreeInput, TreesSpec, key_of};

use crate::Rng;

/// The trees of a model.
#[derive(Clone, Debug, Default)]
pub struct OwnedTrees {
    /// The readings that trees look at, in floating point; none in integers.
    pub inputs: Vec<TreeInput>,
    /// What one unit of the amplitudes is, in floating point; none in integers.
    pub steps: Vec<f32>,
    /// Bits by which sums of amplitudes are shifted left in integers.
    pub shift: u8,
    /// The roots.
    pub roots: Vec<OwnedNode>,
}

/// A condition and its two branches.
#[derive(Clone, Debug)]
pub struct OwnedNode {
    pub input: u16,
    /// The count of the threshold.
    pub threshold: u16,
    pub missing_upper: bool,
    pub lower: OwnedBranch,
    pub upper: OwnedBranch,
}

/// What follows on one side of a threshold.
#[derive(Clone, Debug, Default)]
pub struct OwnedBranch {
    /// One amplitude for every output, or none.
    pub amplitudes: Vec<i16>,
    pub node: Option<Box<OwnedNode>>,
}

impl OwnedTrees {
    /// Returns `count` random trees of a model of `inputs` readings, `view` of which features refer to.
    pub fn random(number: Number, [inputs, view]: [usize; 2], outputs: usize, count: usize, rng: &mut Rng) -> Self {
        if count == 0 {
            return OwnedTrees::default();
        }
        let integers = number != Number::F32;
        let of_trees = if integers { 0 } else { 1 + rng.below(4) };
        let known = if integers { view } else { of_trees };
        OwnedTrees {
            inputs: (0..of_trees).map(|_| tree_input(inputs, rng)).collect(),
            steps: if integers { vec![] } else { rng.floats(outputs, 1e-3) },
            shift: if integers { rng.below(18) as u8 } else { 0 },
            roots: (0..count).map(|_| node([known, outputs], 4, rng)).collect(),
        }
    }

    /// Makes every walk the longest one: usual readings take the same branch everywhere, and the other one leads to at
    /// most a single condition.
    pub fn lead_to(&mut self, upper: bool) {
        for input in &mut self.inputs {
            (input.base, input.shift) = (key_of(if upper { -1e9 } else { 1e9 }), 0);
        }
        // No condition follows from those before it, and counts can be beyond all thresholds, so that no compiler
        // leaves a comparison out.
        let mut threshold: i16 = if upper { -32_000 } else { 32_000 };
        let mut next = || {
            threshold += if upper { 1 } else { -1 };
            threshold as u16
        };
        for root in &mut self.roots {
            root.lead_to(upper, &mut next);
        }
    }

    /// Returns the nodes as the format lays them out.
    pub fn halves(&self) -> Vec<u16> {
        self.roots.iter().flat_map(|root| root.halves(true)).collect()
    }

    /// Returns the trees as the writer takes them; `halves` are those of [`halves`](Self::halves).
    pub fn spec<'a>(&'a self, halves: &'a [u16]) -> TreesSpec<'a> {
        TreesSpec { inputs: &self.inputs, steps: &self.steps, shift: self.shift, halves }
    }
}

impl OwnedNode {
    fn lead_to(&mut self, upper: bool, threshold: &mut impl FnMut() -> u16) {
        (self.threshold, self.missing_upper) = (threshold(), upper);
        let [taken, other] =
            if upper { [&mut self.upper, &mut self.lower] } else { [&mut self.lower, &mut self.upper] };
        other.amplitudes.truncate(taken.amplitudes.len());
        let has_room = taken.node.is_some() && !other.amplitudes.is_empty();
        other.node = other.node.take().filter(|_| has_room);
        if let Some(node) = &mut other.node {
            node.threshold = threshold();
            node.lower = OwnedBranch { amplitudes: std::mem::take(&mut other.amplitudes), node: None };
            node.upper = OwnedBranch::default();
        }
        if let Some(node) = &mut taken.node {
            node.lead_to(upper, threshold);
        }
    }

    fn halves(&self, root: bool) -> Vec<u16> {
        let [lower, upper] = [&self.lower, &self.upper];
        let [below_lower, below_upper] =
            [lower, upper].map(|branch| branch.node.as_ref().map_or(vec![], |node| node.halves(false)));
        let flags = [
            self.missing_upper,
            !lower.amplitudes.is_empty(),
            !upper.amplitudes.is_empty(),
            lower.node.is_some(),
            upper.node.is_some(),
        ];
        let head = flags.iter().rev().fold(0, |bits, &flag| bits << 1 | u16::from(flag)) << 11 | self.input;
        let mut rest = vec![];
        if lower.node.is_some() && upper.node.is_some() {
            rest.push(below_lower.len() as u16);
        }
        rest.extend(lower.amplitudes.iter().chain(&upper.amplitudes).map(|&amplitude| amplitude as u16));
        rest.extend(below_lower);
        rest.extend(below_upper);
        let mut halves = vec![head, self.threshold];
        if root && (lower.node.is_some() || upper.node.is_some()) {
            halves.push(rest.len() as u16);
        }
        halves.extend(rest);
        halves
    }
}

/// Returns a reading with thresholds around those of ordinary readings.
fn tree_input(inputs: usize, rng: &mut Rng) -> TreeInput {
    let shift = rng.below(16) as u16;
    let base = key_of(rng.float(4.0)).wrapping_sub(32_768 << shift);
    TreeInput { base, input: rng.below(inputs) as u16, shift }
}

/// Returns a random node with at most `depth` nodes on a path.
fn node([inputs, outputs]: [usize; 2], depth: usize, rng: &mut Rng) -> OwnedNode {
    OwnedNode {
        input: rng.below(inputs.min(1 << 11)) as u16,
        threshold: [rng.below(1 << 16), 32_768][rng.below(2)] as u16,
        missing_upper: rng.below(2) == 0,
        lower: branch([inputs, outputs], depth - 1, rng),
        upper: branch([inputs, outputs], depth - 1, rng),
    }
}

fn branch([inputs, outputs]: [usize; 2], depth: usize, rng: &mut Rng) -> OwnedBranch {
    let amplitudes = if rng.below(3) == 0 { 0 } else { outputs };
    OwnedBranch {
        amplitudes: (0..amplitudes).map(|_| rng.bits() as i16).collect(),
        node: (depth > 0 && rng.below(2) == 0).then(|| Box::new(node([inputs, outputs], depth, rng))),
    }
}
