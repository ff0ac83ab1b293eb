//! The evaluation of a model file on rows that come in blocks.

use nalgebra::DMatrix;

use crate::report::evaluated::Evaluated;
use crate::report::metrics::{ClassMetrics, Evaluation};
use srfm_trainer::data::Dataset;
use srfm_trainer::export::{self, Blob};
use srfm_trainer::validate::Metrics;

/// Sums over rows, which give the figures of [`Evaluated`].
#[derive(Default)]
pub struct Evaluating {
    rows: usize,
    /// What the rows count.
    mass: f64,
    /// Whether rows count by weights.
    weighted: bool,
    names: Vec<String>,
    /// The sums of each output of quantities.
    outputs: Vec<Sums>,
    classes: Option<ClassMetrics>,
    /// Rows with inputs outside of the fitted range.
    outside: Option<usize>,
}

impl Evaluated {
    /// Evaluates a model on the rows of `data`, which count by `weights`; alike where there are none.
    pub fn of(blob: &Blob, data: &Dataset, weights: &[f64]) -> Evaluated {
        let mut sums = Evaluating::default();
        sums.add(blob, data, weights);
        sums.evaluated(blob)
    }
}

/// Sums of one output.
#[derive(Clone, Copy, Default)]
struct Sums {
    /// Squared errors.
    squares: f64,
    /// The mean of the targets, and the squares of their distances from it.
    mean: f64,
    spread: f64,
    /// What the rows within the interval count.
    within: f64,
    /// Distances of the other rows from it.
    beyond: f64,
}

impl Evaluating {
    /// Adds rows, which count by `weights`; alike where there are none.
    pub fn add(&mut self, blob: &Blob, data: &Dataset, weights: &[f64]) {
        let outputs = export::predict(blob, &data.x);
        let predictions: DMatrix<f64> = outputs.clone().cast();
        if let Some(outside) = export::outside(blob, &data.x) {
            *self.outside.get_or_insert(0) += outside.into_iter().filter(|&count| count > 0).count();
        }
        self.names.clone_from(&data.output_names);
        if let Evaluation::Classes(mut metrics) = Evaluation::of(&predictions, data, weights) {
            metrics.judge(blob, &outputs, &data.y, weights);
            match &mut self.classes {
                Some(all) => *all += &metrics,
                None => self.classes = Some(*metrics),
            }
        } else {
            self.outputs.resize(data.outputs(), Sums::default());
            for (output, sums) in self.outputs.iter_mut().enumerate() {
                let half_width = blob.model().half_width(output).map_or(f64::INFINITY, f64::from);
                let pairs = predictions.column(output).into_owned();
                sums.add(self.mass, pairs.iter().zip(data.y.column(output).iter()), weights, half_width);
            }
        }
        self.rows += data.rows();
        self.mass += if weights.is_empty() { data.rows() as f64 } else { weights.iter().sum() };
        self.weighted |= !weights.is_empty();
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the figures of all rows.
    pub fn evaluated(self, blob: &Blob) -> Evaluated {
        let model = blob.model();
        let half_widths: Vec<f32> = (0..model.outputs()).filter_map(|output| model.half_width(output)).collect();
        let intervals = || self.outputs.iter().zip(&half_widths);
        let score = |level: f32| {
            let share = 2.0 / (1.0 - f64::from(level)) / self.mass;
            intervals().map(|(sums, &half)| 2.0 * f64::from(half) + share * sums.beyond).collect()
        };
        Evaluated {
            coverage: intervals().map(|(sums, _)| sums.within / self.mass).collect(),
            interval_score: model.level().map(score).unwrap_or_default(),
            level: model.level(),
            outside: self.outside,
            weighted: self.weighted,
            evaluation: self.evaluation(),
            half_widths,
        }
    }

    fn evaluation(&self) -> Evaluation {
        if let Some(metrics) = &self.classes {
            return Evaluation::Classes(Box::new(metrics.clone()));
        }
        let metrics = |sums: &[Sums]| {
            let mse = sums.iter().map(|sums| sums.squares).sum::<f64>() / (self.mass * sums.len() as f64);
            let r2 = sums.iter().map(|sums| 1.0 - sums.squares / sums.spread).sum::<f64>() / sums.len() as f64;
            Metrics { rows: self.rows, rmse: mse.sqrt(), mse, r2: if r2.is_finite() { r2 } else { f64::NAN } }
        };
        let several = self.outputs.len() > 1;
        let of_output = |(name, sums): (&String, &Sums)| (name.clone(), metrics(&[*sums]));
        let outputs = self.names.iter().zip(&self.outputs).filter(|_| several).map(of_output).collect();
        Evaluation::Quantities { total: metrics(&self.outputs), outputs }
    }
}

impl Sums {
    /// Adds predictions and targets of rows that count by `weights` to the sums over rows that count `mass`.
    fn add<'a>(
        &mut self,
        mut mass: f64,
        pairs: impl Iterator<Item = (&'a f64, &'a f64)>,
        weights: &[f64],
        half_width: f64,
    ) {
        for (place, (prediction, target)) in pairs.enumerate() {
            let weight = weights.get(place).copied().unwrap_or(1.0);
            mass += weight;
            let error = prediction - target;
            self.squares += weight * (error * error);
            let from_mean = target - self.mean;
            self.mean += weight * from_mean / mass;
            self.spread += weight * (from_mean * (target - self.mean));
            self.within += if error.abs() <= half_width { weight } else { 0.0 };
            self.beyond += weight * (error.abs() - half_width).max(0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use srfm_trainer::data::Task;
    use srfm_trainer::export::Encoding;
    use srfm_trainer::sampling::Sampler;
    use srfm_trainer::validate::coverage;
    use srfm_trainer::{FitConfig, Run, fit};

    use super::*;

    /// Returns the mean interval score of residuals from the centre of intervals of this half-width: the width, and
    /// 2 / (1 - level) times the distance of the residuals beyond the interval (R. Winkler, 1972). Less is better.
    fn interval_score(residuals: &[f64], half_width: f64, level: f64) -> f64 {
        let beyond: f64 = residuals.iter().map(|residual| (residual.abs() - half_width).max(0.0)).sum();
        2.0 * half_width + 2.0 / (1.0 - level) * beyond / residuals.len() as f64
    }

    #[test]
    fn the_interval_score_is_that_by_hand() {
        // A width of 2; one residual is 0.5 beyond, and the level is one half.
        assert_eq!(interval_score(&[0.5, -1.5, 1.0, 0.0], 1.0, 0.5), 2.0 + 4.0 * 0.5 / 4.0);
        // The quantile of the level has the least score.
        let normal: Vec<f64> = (0..20_000).scan(Sampler::new(1), |sampler, _| Some(sampler.normal())).collect();
        let of = |half_width| interval_score(&normal, half_width, 0.9);
        assert!(of(1.645) < of(1.4) && of(1.645) < of(1.9));
    }

    /// Compares figures of blocks with those of all rows at once.
    fn compare(blob: &Blob, data: &Dataset) {
        let mut sums = Evaluating::default();
        for rows in (0..data.rows()).collect::<Vec<_>>().chunks(37) {
            sums.add(blob, &data.select(rows), &[]);
        }
        let found = sums.evaluated(blob);
        let predictions: DMatrix<f64> = export::predict(blob, &data.x).cast();
        let outside = export::outside(blob, &data.x).map(|rows| rows.into_iter().filter(|&count| count > 0).count());
        assert_eq!(found.outside, outside);
        let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-10, "{a} {b}");
        for (output, &half_width) in found.half_widths.iter().enumerate() {
            let residuals: Vec<f64> =
                predictions.column(output).iter().zip(data.y.column(output).iter()).map(|(p, y)| p - y).collect();
            assert_eq!(found.coverage[output], coverage(residuals.iter().copied(), half_width.into()));
            let score = interval_score(&residuals, half_width.into(), found.level.unwrap().into());
            close(found.interval_score[output], score);
        }
        match (&found.evaluation, &Evaluation::of(&predictions, data, &[])) {
            (Evaluation::Quantities { total: a, outputs: c }, Evaluation::Quantities { total: b, outputs: d }) => {
                let same = |a: &Metrics, b: &Metrics| {
                    close(a.rmse, b.rmse);
                    close(a.mse, b.mse);
                    close(1.0 - a.r2, 1.0 - b.r2);
                    assert_eq!(a.rows, b.rows);
                };
                same(a, b);
                assert_eq!(c.len(), d.len());
                c.iter().zip(d).for_each(|(c, d)| same(&c.1, &d.1));
            }
            (Evaluation::Classes(a), Evaluation::Classes(b)) => {
                let mut b = b.clone();
                b.judge(blob, &export::predict(blob, &data.x), &data.y, &[]);
                close(a.log_loss.unwrap(), b.log_loss.unwrap());
                close(a.brier.unwrap(), b.brier.unwrap());
                assert_eq!((a.rows, &a.confusion), (b.rows, &b.confusion));
            }
            (a, b) => assert_eq!(a, b),
        }
    }

    /// A row of weight k counts as k rows, in every figure.
    #[test]
    fn weights_are_copies() {
        let quantities = Task::Friedman1.generate(300, 1.0, 1);
        let mut classes = quantities.clone();
        classes.y = quantities.y.map(|y| f64::from(y > 14.0));
        classes.classes = vec!["low".to_owned(), "high".to_owned()];
        for data in [quantities, classes] {
            let train = data.select(&(0..200).collect::<Vec<_>>());
            let test = data.select(&(200..300).collect::<Vec<_>>());
            let confidence = (!data.classes.is_empty()).then_some(0.9);
            let encoding = Encoding { confidence, ..Encoding::default() };
            let config = FitConfig { encoding, ..FitConfig::default() };
            let blob = fit(&train, &config, &Run::new(1)).unwrap().blob;
            let weights: Vec<f64> = (0..100).map(|row| f64::from(1 + row % 3)).collect();
            let copies: Vec<usize> = (0..100).flat_map(|row| vec![row; 1 + row % 3]).collect();
            let found = serde_json::to_value(Evaluated::of(&blob, &test, &weights)).unwrap();
            let expected = serde_json::to_value(Evaluated::of(&blob, &test.select(&copies), &[])).unwrap();
            assert_eq!(found["weighted"], true);
            let figures = ["rmse", "r2", "coverage", "interval_score", "accuracy", "balanced_accuracy", "log_loss"];
            for name in figures.into_iter().chain(["brier", "auc", "confidence", "recall", "precision"]) {
                let numbers = |value: &serde_json::Value| numbers(&value[name]);
                assert_eq!(numbers(&found).len(), numbers(&expected).len(), "{name}");
                for (own, other) in numbers(&found).into_iter().zip(numbers(&expected)) {
                    assert!((own - other).abs() < 1e-12 * other.abs().max(1.0), "{name}: {own} {other}");
                }
            }
        }
    }

    /// Returns the numbers of a value.
    fn numbers(value: &serde_json::Value) -> Vec<f64> {
        match value {
            serde_json::Value::Number(number) => vec![number.as_f64().unwrap()],
            serde_json::Value::Array(all) => all.iter().flat_map(numbers).collect(),
            serde_json::Value::Object(all) => all.values().flat_map(numbers).collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn blocks_give_the_figures_of_all_rows() {
        let data = Task::Friedman1.generate(300, 1.0, 1);
        let mut two = data.clone();
        two.y = two.y.insert_column(1, 1e3);
        two.y.column_mut(1).iter_mut().zip(data.x.column(3).iter()).for_each(|(y, x)| *y += x);
        two.output_names.push("offset".to_owned());
        let mut classes = data.clone();
        classes.y = data.y.map(|y| f64::from(y > 14.0));
        classes.classes = vec!["low".to_owned(), "high".to_owned()];
        for data in [data, two, classes] {
            let train = data.select(&(0..200).collect::<Vec<_>>());
            let test = data.select(&(200..300).collect::<Vec<_>>());
            let blob = fit(&train, &FitConfig::default(), &Run::new(1)).unwrap().blob;
            compare(&blob, &test);
        }
    }
}
