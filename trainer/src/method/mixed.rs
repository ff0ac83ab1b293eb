//! Waves and rules in one model: the smooth part first, then rules for what it leaves.

use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::method::common::check::{check_features, check_lambdas, not_negative, share};
use crate::method::common::taken::Taken;
use crate::method::error::MethodError;
use crate::method::path::{Path, bytes};
use crate::method::rules::Rules;
use crate::method::rules::bytes::of_one_condition;
use crate::method::terms::Terms;
use crate::method::traits::{Method, Tunable};
use crate::model::Expansion;
use crate::run::Run;

/// Waves and rules in one model.
///
/// [`Path`] fits the waves, [`Rules`] what they leave over. Then the amplitudes of the waves are fitted to what the
/// rules leave.
///
/// | setting | default | meaning |
/// |---|---|---|
/// | `features` | 300 | room, in rules of one condition |
/// | `lambda` | 1e-4 | λ of waves and of rules |
/// | `share` | 0.5 | the share of the room that waves take, between 0 and 1 |
/// | `inputs` | any | inputs of every wave; without the setting from one to all, side by side |
/// | `smoothness` | 1 | s, from 0 to 10; λ of a frequency ω is multiplied by (1 + ‖ω‖²)ˢ |
/// | `refine` | 20 | most steps of the refinement of 50 waves or more; fewer take up to 20 times as many |
/// | `terms` | linear | intercept and linear terms beside them, unpenalised |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mixed {
    /// Room, in rules of one condition.
    pub features: usize,
    /// Ridge parameter λ.
    pub lambda: f64,
    /// The share of the room that waves take.
    pub share: f64,
    /// Inputs of every wave; none for waves of one to all inputs side by side.
    pub inputs: Option<usize>,
    /// Exponent s of the factor `(1 + ‖ω‖²)^s` of λ, from 0 to 10.
    pub smoothness: f64,
    /// Most steps of the refinement of 50 waves or more; fewer take up to 20 times as many.
    pub refine: usize,
    /// Terms beside waves and rules.
    pub terms: Terms,
    /// What waves take of the budget of the fit.
    #[serde(skip)]
    pub taken: Taken,
}

impl Default for Mixed {
    fn default() -> Self {
        let Path { inputs, smoothness, refine, .. } = Path::default();
        let (terms, taken) = (Terms::Linear, Taken::default());
        Mixed { features: 300, lambda: 1e-4, share: 0.5, inputs, smoothness, refine, terms, taken }
    }
}

impl Mixed {
    /// Returns the methods of the waves and of the rules, each with its share of the room.
    fn parts(&self, outputs: usize) -> (Path, Rules) {
        let room_of_waves = self.share * self.features as f64;
        let waves_of_one_rule = of_one_condition(outputs) as f64 / bytes(self.inputs.unwrap_or(1), outputs) as f64;
        let waves = Path {
            features: ((room_of_waves * waves_of_one_rule) as usize).max(1),
            inputs: self.inputs,
            lambda: self.lambda,
            smoothness: self.smoothness,
            refine: self.refine,
            terms: self.terms,
            taken: self.taken.of_part(self.share),
            ..Path::default()
        };
        let rules = Rules {
            features: ((self.features as f64 - room_of_waves) as usize).max(1),
            lambda: self.lambda,
            terms: if self.terms == Terms::None { Terms::None } else { Terms::Intercept },
            ..Rules::default()
        };
        (waves, rules)
    }
}

impl Method for Mixed {
    fn name(&self) -> &'static str {
        "mixed"
    }

    fn fit_path(&self, data: &Dataset, lambdas: &[f64], run: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        self.check()?;
        check_lambdas(lambdas)?;
        let (waves, rules) = self.parts(data.outputs());
        let fit = |&lambda: &f64| {
            let frequencies = waves.grow(data, &data.y, lambda, run)?.pop().map_or_else(Vec::new, |last| last.waves);
            let smooth = waves.last_fit(data, &data.y, lambda, &frequencies)?;
            let residuals = Dataset { y: &data.y - smooth.predict(&data.x), ..data.clone() };
            let steps = rules.fit_path(&residuals, &[lambda], run)?.swap_remove(0);
            let left = &data.y - steps.predict(&data.x);
            let mut model = waves.last_fit(data, &left, lambda, &frequencies)?;
            model.intercept += &steps.intercept;
            model.trees = steps.trees;
            Ok(model)
        };
        lambdas.iter().map(fit).collect()
    }

    fn check(&self) -> Result<(), MethodError> {
        check_features(self.features)?;
        not_negative("lambda", self.lambda)?;
        share("share", self.share)?;
        self.parts(1).0.check()
    }

    fn has_rules(&self) -> bool {
        true
    }

    fn room(&self) -> Option<&'static str> {
        Some("rules of one condition")
    }

    fn taken(&mut self) -> Option<&mut Taken> {
        Some(&mut self.taken)
    }

    fn operations(&self, rows: usize, inputs: usize) -> (f64, f64) {
        let (waves, rules) = self.parts(1);
        let (trees, amplitudes) = rules.operations(rows, inputs);
        (0.0, waves.operations(rows, inputs).1 + trees + amplitudes)
    }

    fn tunable(&self) -> Tunable {
        let lambda = Some(self.lambda);
        Tunable { features: self.features, order: None, lambda, scale: None, terms: self.terms }
    }

    fn tune(&mut self, Tunable { features, lambda, terms, .. }: Tunable) {
        self.features = features;
        self.terms = terms;
        self.lambda = lambda.unwrap_or(self.lambda);
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::*;
    use crate::sampling::Sampler;

    /// A wave of one input and a step of another, with a little noise.
    fn wave_and_step(rows: usize, seed: u64) -> Dataset {
        let mut sampler = Sampler::new(seed);
        let x = DMatrix::from_fn(rows, 3, |_, _| sampler.normal());
        let y = DMatrix::from_fn(rows, 1, |row, _| {
            let step = if x[(row, 1)] > 0.3 { 1.5 } else { 0.0 };
            libm::sin(2.0 * x[(row, 0)]) + step + 0.05 * sampler.normal()
        });
        Dataset::new(x, y).unwrap()
    }

    #[test]
    fn without_terms_there_is_no_intercept() {
        let mixed = Mixed { features: 20, terms: Terms::None, ..Mixed::default() };
        let model = mixed.fit_expansion(&wave_and_step(300, 1), &Run::new(1)).unwrap();
        assert!(model.intercept.amax() == 0.0 && !model.trees.is_empty());
    }

    #[test]
    fn waves_and_rules_are_better_than_either() {
        for seed in 0..4 {
            let (train, test) = (wave_and_step(1000, seed), wave_and_step(2000, seed + 50));
            let error = |method: &dyn Method| {
                let model = method.fit_expansion(&train, &Run::new(seed)).unwrap();
                (model.predict(&test.x) - &test.y).norm_squared() / 2000.0
            };
            // All have room for 360 bytes.
            let mixed = error(&Mixed { features: 60, ..Mixed::default() });
            let waves = error(&Path { features: 28, ..Path::default() });
            let rules = error(&Rules { features: 60, ..Rules::default() });
            assert!(mixed < 0.7 * waves.min(rules), "seed {seed}: {mixed} {waves} {rules}");
        }
    }
}
