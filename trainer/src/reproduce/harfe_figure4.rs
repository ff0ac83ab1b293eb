//! HARFE, Figure 4: the inputs that matter to Friedman's first function in 20 inputs are the first five.
//!
//! 200 rows with noise 1, q = 2, s = 200 of N = 10,000. The paper counts how often an input occurs among the features that are
//! kept; weighting every feature by its energy finds the five in nearly every seed.

use super::{Row, Run, mean};
use crate::compact::importance::{Importance, input_importance};
use crate::data::generate::Task;
use crate::method::{FitError, Harfe, Method, Terms};
use crate::sampling::{Sampler, SpectralLaw};

pub fn rows(run: &Run<'_>) -> Result<Vec<Row>, FitError> {
    let results = run.over_seeds(&[()], 10, |(), seed| {
        let mut data = Task::Friedman1.generate(200, 1.0, 4000 + seed);
        let mut sampler = Sampler::new(5000 + seed);
        data.x = data.x.resize_horizontally(20, 0.0);
        data.x.columns_mut(10, 10).apply(|v| *v = sampler.uniform(0.0, 1.0));
        data.input_names.resize(20, String::new());
        let harfe = Harfe {
            features: 200,
            candidates: 10_000,
            law: SpectralLaw::Uniform { scale: 1.0 },
            positive_only: false,
            terms: Terms::Intercept,
            ..Harfe::default()
        };
        let importance = input_importance(&harfe.fit(&data, seed, run.observer)?, &data.x);
        Ok((found(&importance, |i| i.share), found(&importance, |i| i.occurrences as f64)))
    })?;
    let row = |name: &str, values: Vec<f64>| {
        Row::new("harfe-figure4", name.to_owned(), Some(5.0), mean(&values), "of 5", values.len())
    };
    let weighted = results[0].iter().map(|r| r.0).collect();
    let counted = results[0].iter().map(|r| r.1).collect();
    Ok(vec![row("right inputs among the top five, by energy", weighted), row("the same, by counting", counted)])
}

/// How many of the first five inputs are among the five largest.
fn found(importance: &[Importance], measure: fn(&Importance) -> f64) -> f64 {
    let mut order: Vec<usize> = (0..importance.len()).collect();
    order.sort_by(|&i, &j| measure(&importance[j]).total_cmp(&measure(&importance[i])));
    order[..5].iter().filter(|&&input| input < 5).count() as f64
}
