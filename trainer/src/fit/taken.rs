//! What waves take of a budget, by writing the model file with them.

use nalgebra::DMatrix;

use srfm_runtime::format::Confidence;

use crate::cost::Budget;
use crate::data::Dataset;
use crate::export::{self, Encoding};
use crate::features::Feature;
use crate::fit::FitConfig;
use crate::method::{Basis, MethodConfig, Taken};
use crate::model::{Expansion, Importance, Model};
use crate::scaling::Scaling;

/// The rows that stand for all others. Only lengths matter.
const ROWS: usize = 8;

/// The amplitude of waves, in standard deviations of the target.
const AMPLITUDE: f64 = 0.1;

/// Returns the method of the settings, which goes by what waves take of the budget where it can.
///
/// `intervals` says whether the model has intervals around its predictions.
pub(crate) fn within_budget(budget: &Budget, data: &Dataset, config: &FitConfig, intervals: bool) -> MethodConfig {
    let mut method = config.method.clone();
    if let Some(place) = method.taken().filter(|_| budget.flash.is_some() || budget.work.is_some()) {
        *place = taken(budget, data, config, intervals);
    }
    method
}

/// Returns what waves take of the room that the budget leaves them.
fn taken(budget: &Budget, data: &Dataset, config: &FitConfig, intervals: bool) -> Taken {
    let scaling = config.preprocessing.learn(data);
    let rows: Vec<usize> = (0..data.rows().min(ROWS)).collect();
    let file = File {
        budget: budget.clone(),
        config: config.clone(),
        varying: data.varying_inputs(),
        rows: data.select(&rows),
        scaling,
        intervals,
    };
    let empty = file.usage(&[]);
    Taken::new(move |waves| match empty < 1.0 {
        true => (file.usage(waves) - empty) / (1.0 - empty),
        false => 0.0,
    })
}

/// A model file without values that count.
struct File {
    budget: Budget,
    config: FitConfig,
    varying: Vec<usize>,
    rows: Dataset,
    scaling: Scaling,
    intervals: bool,
}

impl File {
    /// Returns the share of the budget that a model with waves takes; 0 where it cannot be written.
    fn usage(&self, waves: &[Feature]) -> f64 {
        let (inputs, outputs) = (self.rows.inputs(), self.rows.outputs());
        let mut linear = DMatrix::zeros(inputs, outputs);
        if self.config.method.tunable().terms.has_lines() {
            self.varying.iter().for_each(|&input| linear.row_mut(input).fill(AMPLITUDE));
        }
        let features = Basis::Pair.features(waves);
        let expansion = Expansion {
            activation: Basis::Pair.activation(),
            coefficients: DMatrix::from_element(features.len(), outputs, AMPLITUDE),
            features,
            intercept: DMatrix::zeros(1, outputs),
            linear,
            trees: Vec::new(),
        };
        let model = Model::new(self.config.method.name(), expansion, self.scaling.clone(), &self.rows);
        let of_classes = !self.rows.classes.is_empty();
        let Encoding { number, polynomial, confidence, output_margin, .. } = self.config.encoding;
        let mut model = Model {
            importance: vec![Importance { share: 0.0, occurrences: 0 }; inputs],
            half_widths: if self.intervals { vec![1.0; outputs] } else { Vec::new() },
            slope: of_classes.then_some(1.0),
            confidence: confidence.map(|_| Confidence { level: 0.0, margin: 0.0 }),
            flash: self.file_limit(),
            polynomial,
            ..model
        };
        let ranges = self.rows.y.column_iter().map(|targets| (targets.min(), targets.max()));
        model.limit(ranges, output_margin);
        let written = export::written(&model, &self.rows, number);
        written.map_or(0.0, |(blob, _)| self.budget.usage(self.budget.needs(&blob, None)))
    }

    /// Returns the limit of the file that decides whether it has ranges.
    fn file_limit(&self) -> Option<usize> {
        let reserves = self.budget.reserves_ranges(self.rows.inputs());
        self.budget.file_limit(self.config.encoding).map(|_| if reserves { usize::MAX } else { 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::{Core, Deployment, Unit, Work};
    use crate::data::Task;
    use crate::export::{Blob, NumberFormat};
    use crate::fit::{check_budget, fit, fit_within};
    use crate::method::{Linear, Path};
    use crate::run::Run;

    fn config(budget: &Budget, number: NumberFormat, features: usize) -> FitConfig {
        let encoding = budget.encoding(Encoding { number, max_error: 1.0, ..Encoding::default() });
        let config = FitConfig::new(Path { features, ..Path::default() });
        FitConfig { encoding, ..config }.with(Path { features, ..Path::default() }.into())
    }

    /// Returns rows whose readings an integer program takes as they are.
    fn in_counts(mut data: Dataset) -> Dataset {
        data.x.apply(|reading| *reading = libm::round(4095.0 * *reading));
        data
    }

    /// Against models that are fitted without a budget.
    #[test]
    fn waves_take_what_the_model_with_them_takes() {
        let readings = Task::Friedman1.generate(300, 1.0, 1);
        let counts = in_counts(readings.clone());
        let work = |core| Some(Work { at_most: 3000, unit: Unit::Instructions, core });
        let file = |work| Budget { flash: Some(700), work, ..Budget::default() };
        let c = |core| Budget { flash: Some(700), deployment: Deployment::C(core), ..Budget::default() };
        let cases = [
            (file(None), NumberFormat::F32),
            (file(work(Core::CortexM4f)), NumberFormat::F32),
            (file(work(Core::CortexM0)), NumberFormat::Int16),
            (c(Core::CortexM4f), NumberFormat::F32),
            (c(Core::CortexM0), NumberFormat::Int),
        ];
        for (budget, number) in cases {
            let data = if number == NumberFormat::Int { &counts } else { &readings };
            for features in [3, 8, 20] {
                let config = config(&budget, number, features);
                let fitted = fit(data, &config, &Run::new(1)).unwrap();
                let pairs = &fitted.model.expansion.features;
                let waves = &pairs[..pairs.len() / 2];
                let usage = |blob: &Blob| budget.usage(budget.needs(blob, None));
                let taken = taken(&budget, data, &config, false);
                let line = config.with(Linear::default().into());
                let empty = usage(&fit(data, &line, &Run::new(1)).unwrap().blob);
                let exact = (usage(&fitted.blob) - empty) / (1.0 - empty);
                let share = taken.by(waves);
                // Lines have other sections beside them.
                assert!((share - exact).abs() < 0.03 * exact.max(1.0), "{budget:?} {features}: {share}, {exact}");
            }
        }
    }

    #[test]
    fn waves_keep_and_use_small_budgets() {
        let data = in_counts(Task::Friedman1.generate(200, 1.0, 2));
        for (number, core) in [(NumberFormat::F32, Core::CortexM4f), (NumberFormat::Int16, Core::CortexM0)] {
            for flash in [450, 600] {
                let budget = Budget { flash: Some(flash), deployment: Deployment::C(core), ..Budget::default() };
                let fit = fit_within(&data, &config(&budget, number, 100), &budget, &Run::new(1)).unwrap();
                assert!(check_budget(&fit.blob, &budget).is_ok(), "{number:?} {flash}");
                let usage = budget.usage(budget.needs(&fit.blob, None));
                // A further wave takes at most a tenth.
                assert!(usage > 0.85, "{number:?} {flash}: {usage}");
            }
        }
    }
}
