//! Random frequencies, on inputs in proportion to their importance.

use crate::features::Feature;
use crate::sampling::{Sampler, SpectralLaw};

/// Share of the inputs' chances that is spread evenly, so that an input which the features so far missed can still be
/// found.
const EVEN: f64 = 0.1;

/// How frequencies are drawn.
#[derive(Clone, Copy, Debug)]
pub struct Dictionary<'a> {
    /// Inputs to look at.
    pub inputs: &'a [usize],
    /// Inputs per frequency.
    pub order: usize,
    /// Law of the weights, which are divided by the root of their number: the angle has its scale whatever the order.
    pub law: SpectralLaw,
}

impl Dictionary<'_> {
    /// Draws `count` frequencies. Inputs are taken one after the other, each in proportion to its importance (one entry
    /// an input of the data, none negative) and a tenth evenly; evenly altogether where no importance is given.
    pub fn draw(&self, count: usize, importance: Option<&[f64]>, sampler: &mut Sampler) -> Vec<Feature> {
        let order = self.order.min(self.inputs.len());
        let chances = self.chances(importance);
        let root = (order as f64).sqrt();
        let one = |_| {
            let support = self.support(order, &chances, sampler);
            let weights = support.iter().map(|_| self.law.weight(sampler) / root).collect();
            Feature { support, weights, bias: 0.0 }
        };
        (0..count).map(one).collect()
    }

    /// The chance of every input to be the first that a frequency looks at.
    fn chances(&self, importance: Option<&[f64]>) -> Vec<f64> {
        let even = 1.0 / self.inputs.len() as f64;
        let share = |&input: &usize| importance.map_or(0.0, |importance| importance[input]);
        let total: f64 = self.inputs.iter().map(share).sum();
        let chance = |input: &usize| if total > 0.0 { (1.0 - EVEN) * share(input) / total + EVEN * even } else { even };
        self.inputs.iter().map(chance).collect()
    }

    /// Different inputs, ascending, drawn one after the other by the chances of those that are left.
    fn support(&self, order: usize, chances: &[f64], sampler: &mut Sampler) -> Vec<usize> {
        let mut left: Vec<usize> = (0..self.inputs.len()).collect();
        if order < left.len() {
            let mut chosen = Vec::with_capacity(order);
            for _ in 0..order {
                let mut rest = sampler.uniform(0.0, left.iter().map(|&place| chances[place]).sum());
                let hit = left.iter().position(|&place| {
                    rest -= chances[place];
                    rest < 0.0
                });
                chosen.push(left.remove(hit.unwrap_or(left.len() - 1)));
            }
            chosen.sort_unstable();
            left = chosen;
        }
        left.into_iter().map(|place| self.inputs[place]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_drawn_by_importance() {
        let law = SpectralLaw::Normal { scale: 2.0 };
        let dictionary = Dictionary { inputs: &[0, 1, 3, 4], order: 2, law };
        let importance = [3.0, 1.0, 100.0, 0.0, 0.0];
        let drawn = dictionary.draw(40_000, Some(&importance), &mut Sampler::new(5));
        let share = |support: &[usize]| drawn.iter().filter(|f| f.support == support).count() as f64 / 40_000.0;
        // First draws 0.7, 0.25, 0.025, 0.025; the second without the first. Standard error 0.002.
        let pair = |p: f64, q: f64| p * q / (1.0 - p) + q * p / (1.0 - q);
        for (support, chance) in [([0, 1], pair(0.7, 0.25)), ([1, 3], pair(0.25, 0.025)), ([3, 4], pair(0.025, 0.025))]
        {
            assert!((share(&support) - chance).abs() < 0.01, "{support:?}");
        }
        let square: f64 = drawn.iter().flat_map(|f| &f.weights).map(|w| w * w).sum::<f64>() / 80_000.0;
        assert!((square - 2.0).abs() < 0.05); // scale² / order
        let even = dictionary.draw(40_000, None, &mut Sampler::new(5));
        let count = |input| even.iter().filter(|f| f.support.contains(&input)).count() as f64 / 40_000.0;
        assert!([0, 1, 3, 4].iter().all(|&input| (count(input) - 0.5).abs() < 0.015));
    }

    #[test]
    fn all_inputs_where_there_are_no_more() {
        let dictionary = Dictionary { inputs: &[1, 2], order: 5, law: SpectralLaw::Normal { scale: 1.0 } };
        assert!(
            dictionary.draw(3, None, &mut Sampler::new(1)).iter().all(|f| f.support == [1, 2] && f.weights.len() == 2)
        );
    }
}
