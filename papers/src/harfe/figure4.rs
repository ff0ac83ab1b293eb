//! HARFE, Figure 4: five of 20 inputs matter to Friedman's first function.
//!
//! q = 2, s = 200 of N = 10,000. The figure states neither rows nor λ; here 500 rows have no noise, and λ = 0.1. The
//! paper counts the occurrences of an input in the kept features. The change of the predictions when the readings of an
//! input are permuted is a second measure.

use crate::settings::{named, with};
use crate::table::{Outcome, Reproduction, Row, mean};
use srfm_cli::report::chart::{Axis, Chart, Extras, Mark, Series};
use srfm_trainer::FitError;
use srfm_trainer::data::Task;
use srfm_trainer::method::Terms;
use srfm_trainer::model::Importance;
use srfm_trainer::sampling::{Sampler, SpectralLaw};

const ROWS: usize = 500;
const INPUTS: usize = 20;

/// A measure of importance.
type Measure = fn(&Importance) -> f64;

pub fn compute(run: &Reproduction<'_>) -> Result<Outcome, FitError> {
    let results = run.over_seeds(&[()], |(), seed| {
        let mut data = Task::Friedman1.generate(ROWS, 0.0, 4000 + seed);
        let mut sampler = Sampler::new(5000 + seed);
        data.x = data.x.resize_horizontally(INPUTS, 0.0);
        data.x.columns_mut(10, 10).apply(|v| *v = sampler.uniform(0.0, 1.0));
        data.input_names.resize(INPUTS, String::new());
        let harfe = with!(
            named("harfe"),
            features: 200,
            candidates: 10_000,
            law: SpectralLaw::Uniform { scale: 1.0 },
            lambda: 0.1,
            terms: Terms::Intercept,
        );
        Ok(harfe.method().fit_expansion(&data, &run.seeded(seed))?.input_importance(&data.x))
    })?;
    let results = &results[0];
    let measures: [Measure; 2] = [|i| i.share, |i| i.occurrences as f64];
    let (mut rows, mut series) = (Vec::new(), Vec::new());
    for (name, measure) in ["permutation", "occurrences"].into_iter().zip(measures) {
        let right: Vec<f64> = results.iter().map(|importance| found(importance, measure)).collect();
        let row = format!("right inputs among the top five, by {name}");
        rows.push(Row::new(row, Some(5.0), mean(&right), "of 5", right.len()));
        let percent = |importance: &[Importance], input: usize| {
            100.0 * measure(&importance[input]) / importance.iter().map(measure).sum::<f64>()
        };
        let share = |input| mean(&results.iter().map(|importance| percent(importance, input)).collect::<Vec<_>>());
        let points = (0..INPUTS).map(|input| (1.0 + input as f64, share(input))).collect();
        series.push(Series { name: format!("by {name}"), points });
    }
    let chart = Chart {
        name: "harfe-figure4".to_owned(),
        title: "Inputs of Friedman's first function, of which five matter".to_owned(),
        x: Axis::new("input", false),
        y: Axis::new("importance, %", false),
        mark: Mark::Bars,
        extras: Extras::default(),
        series,
    };
    Ok(Outcome { rows, charts: vec![chart] })
}

/// Returns how many of the first five inputs are among the five most important.
fn found(importance: &[Importance], measure: Measure) -> f64 {
    let mut order: Vec<usize> = (0..importance.len()).collect();
    order.sort_by(|&i, &j| measure(&importance[j]).total_cmp(&measure(&importance[i])));
    order[..5].iter().filter(|&&input| input < 5).count() as f64
}
