//! Random shapes of models.

use srfm_runtime::format::{ALL, Kernel, Number};

use crate::{Rng, Shape};

impl Shape {
    /// Returns a small shape: any of the paths that a prediction can take.
    pub fn random(rng: &mut Rng) -> Self {
        // Up to 16 inputs fit the buffer; above 256 an index takes two bytes.
        let inputs = [1 + rng.below(6), 15 + rng.below(3), 256, 257 + rng.below(100)];
        let inputs = inputs[rng.below(8).saturating_sub(4)] as u16;
        let prepared = [0, 1 + rng.below(6), 15 + rng.below(2)][rng.below(8).saturating_sub(5)];
        let block = |rng: &mut Rng| ([ALL, 1, 2, 3, 4, 5][rng.below(6)], rng.below(6));
        Shape {
            kernel: Kernel::ALL[rng.below(Kernel::ALL.len())],
            mixed: rng.below(3) == 0,
            inputs,
            prepared,
            warped: rng.below(2) == 0,
            outputs: 1 + rng.below(8).saturating_sub(5),
            linear: rng.below(5),
            blocks: (0..rng.below(4)).map(|_| block(rng)).collect(),
            trees: rng.below(8).saturating_sub(5),
            sections: rng.below(4) == 0,
            limited: rng.below(2) == 0,
            bounded: rng.below(2) == 0,
        }
    }

    /// Returns a shape of any path that a prediction in this number format can take, with up to sixty features a block.
    pub fn of_any_size(number: Number, rng: &mut Rng) -> Self {
        let (float, small) = (number == Number::F32, rng.below(2) == 0);
        let some = 1 + rng.below(16);
        let inputs = if small { some } else { [some, 1 + rng.below(60), 257 + rng.below(60)][rng.below(3)] };
        // In floating point a buffer limits the prepared inputs.
        let prepared = [0, 1 + rng.below(if small || float { 16 } else { 30 })][rng.below(2)];
        let view = if prepared > 0 { prepared } else { inputs };
        let most_features = [6, 20, 60][rng.below(3)];
        let most_outputs = if !small {
            [4, 12, 30][rng.below(3)]
        } else if float {
            4
        } else {
            1
        };
        let block = |rng: &mut Rng| {
            let order = match rng.below(if small && float { 3 } else { 7 }) {
                listed @ 0..5 => 1 + listed,
                5 => 6 + rng.below(8),
                // No file has a list of few inputs that are all there are.
                _ if view > 1 => ALL.into(),
                _ => 1,
            };
            (order as u16, rng.below(most_features))
        };
        let blocks: Vec<_> = (0..rng.below(5)).map(|_| block(rng)).collect();
        let linear = [0, rng.below(20)][rng.below(2)];
        Shape {
            kernel: Kernel::ALL[rng.below(Kernel::ALL.len())],
            mixed: !small && rng.below(2) == 0,
            inputs: inputs as u16,
            prepared,
            warped: rng.below(3) == 0,
            outputs: 1 + rng.below(most_outputs),
            // No model is a constant.
            linear: if blocks.is_empty() { linear + 1 } else { linear },
            blocks,
            trees: 0,
            limited: true,
            bounded: rng.below(3) == 0,
            sections: false,
        }
    }
}
