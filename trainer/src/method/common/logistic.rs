//! Logistic and softmax regression on the features of a fit, which makes scores of classes log-odds.
//!
//! The features, the lines and the rules are those that a method chose by least squares. Their amplitudes minimise the
//! mean log loss and a penalty: `-1/n Σ log p(class of the row) + λ/8 |amplitudes|²`. Lines have a weak penalty of
//! their own. Near even odds, the sum is half of what ridge regression with λ minimises. So λ is that of the fit by
//! least squares. It follows from the amplitudes there: the product of a column and the residuals is n λ times the
//! amplitude.
//!
//! Scores are a quarter of the log-odds and one half, for two classes, or of the logarithm of a class's odds and its
//! share. About even odds they are then the scores of least squares, and [`decide`](crate::data::decide) and the device
//! decide by them as by those.

use std::borrow::Cow;
use std::ops::ControlFlow;

use nalgebra::DMatrix;

use crate::data::Dataset;
use crate::features::feature_matrix;
use crate::linalg::{cholesky, product, scale_rows, transpose_product};
use crate::model::{Expansion, Tree};
use crate::run::Run;
use crate::solve::optimise::lbfgs::{Bounds, Lbfgs};
use crate::trees::add_trees;

/// What a score is multiplied by to give log-odds.
pub(crate) const LOG_ODDS: f64 = 4.0;

/// The least ridge parameter. Without one, amplitudes of classes that do not overlap would grow without bound.
const LEAST_LAMBDA: f64 = 1e-5;

/// The standard deviation of the weight of a line before any row is seen: log-odds for an input one standard deviation
/// away (A. Gelman, A. Jakulin, M. Pittau, Y.-S. Su, 2008).
const DEVIATION: f64 = 2.5;

/// When the minimisation ends.
const LIMITS: Lbfgs = Lbfgs { memory: 10, iterations: 40, gradient: 1e-6, decrease: 1e-6 };

/// Returns the model of classes with amplitudes of least log loss on `data` (scaled columns).
pub(crate) fn refitted(model: Expansion, data: &Dataset, run: &Run<'_>) -> Expansion {
    let columns = Columns::of(&model, data);
    let lambda = columns.lambda(&model, data).max(LEAST_LAMBDA);
    let targets = Targets::of(data);
    let Some(factor) = columns.factor(data, lambda) else { return model };
    let classes = targets.shares.len();
    let rows = data.rows() as f64;
    let start = factor.tr_mul(&targets.log_odds(&columns.parameters(&model)));
    let objective = |point: &[f64], gradient: &mut [f64]| {
        let point = DMatrix::from_column_slice(columns.count(), classes, point);
        let Some(parameters) = factor.tr_solve_lower_triangular(&point) else { return f64::INFINITY };
        let mut odds = product(&columns.values, &parameters);
        let loss = targets.loss(&mut odds);
        let mut slope = transpose_product(&columns.values, &odds) / rows;
        let mut penalty = 0.0;
        for (mut slope, parameters) in slope.column_iter_mut().zip(parameters.column_iter()) {
            for (place, (slope, parameter)) in slope.iter_mut().zip(parameters.iter()).enumerate() {
                let weight = columns.penalty(place, lambda);
                penalty += 0.5 * weight * parameter * parameter;
                *slope += weight * parameter;
            }
        }
        let Some(slope) = factor.solve_lower_triangular(&slope) else { return f64::INFINITY };
        gradient.copy_from_slice(slope.as_slice());
        loss / rows + penalty
    };
    let interrupt = || if run.interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let mut point = start.as_slice().to_vec();
    let bounds = Bounds::none(point.len());
    LIMITS.minimise(&mut point, &bounds, objective, interrupt);
    let point = DMatrix::from_vec(columns.count(), classes, point);
    match factor.tr_solve_lower_triangular(&point) {
        Some(parameters) if parameters.iter().all(|value| value.is_finite()) => {
            columns.with_parameters(model, &targets.scores(&parameters))
        }
        _ => model,
    }
}

/// The columns of a model: an intercept, lines, features and rules.
struct Columns {
    /// The values at every row.
    values: DMatrix<f64>,
    /// The inputs of the lines.
    lines: Vec<usize>,
    features: usize,
}

impl Columns {
    fn of(model: &Expansion, data: &Dataset) -> Columns {
        let is_line = |input: &usize| model.linear.row(*input).amax() > 0.0;
        let lines: Vec<usize> = (0..data.inputs()).filter(is_line).collect();
        let features = feature_matrix(&data.x, &model.features, model.activation);
        let rules: usize = model.trees.iter().map(Tree::rules).sum();
        let count = 1 + lines.len() + features.ncols() + rules;
        let mut values = DMatrix::zeros(data.rows(), count);
        values.column_mut(0).fill(1.0);
        values.columns_mut(1, lines.len()).copy_from(&data.x.select_columns(&lines));
        values.columns_mut(1 + lines.len(), features.ncols()).copy_from(&features);
        let mut indicators = DMatrix::zeros(data.rows(), rules);
        add_trees(&numbered(&model.trees, rules), &data.x, &mut indicators);
        values.columns_mut(count - rules, rules).copy_from(&indicators);
        Columns { values, lines, features: features.ncols() }
    }

    fn count(&self) -> usize {
        self.values.ncols()
    }

    /// Returns the weight of half the square of a parameter; the intercept has none.
    fn penalty(&self, place: usize, lambda: f64) -> f64 {
        match place {
            0 => 0.0,
            _ if place <= self.lines.len() => 1.0 / (DEVIATION * DEVIATION * self.values.nrows() as f64),
            _ => lambda / LOG_ODDS,
        }
    }

    /// Returns the Cholesky factor of a bound of the curvature, in whose coordinates the loss is nearly round.
    fn factor(&self, data: &Dataset, lambda: f64) -> Option<DMatrix<f64>> {
        let mut values = Cow::Borrowed(&self.values);
        if !data.weights.is_empty() {
            scale_rows(values.to_mut(), &data.root_weights());
        }
        let mut curvature = transpose_product(&values, &values) / (LOG_ODDS * self.values.nrows() as f64);
        for place in 0..self.count() {
            curvature[(place, place)] += self.penalty(place, lambda) + 1e-9;
        }
        cholesky(&curvature).map(|factor| factor.lower_triangle())
    }

    /// Returns the ridge parameter that a fit by least squares had.
    fn lambda(&self, model: &Expansion, data: &Dataset) -> f64 {
        let penalised = 1 + self.lines.len()..self.count();
        let parameters = self.parameters(model);
        let mut residuals = &data.y - product(&self.values, &parameters);
        scale_rows(&mut residuals, &data.row_weights());
        let products = transpose_product(&self.values, &residuals);
        let of_rows = |matrix: &DMatrix<f64>| matrix.rows(penalised.start, penalised.len()).into_owned();
        let amplitudes = of_rows(&parameters);
        let squares = amplitudes.norm_squared() * data.rows() as f64;
        if squares > 0.0 { of_rows(&products).dot(&amplitudes) / squares } else { 0.0 }
    }

    /// Returns the parameters of the columns (p×k) of a model.
    fn parameters(&self, model: &Expansion) -> DMatrix<f64> {
        let outputs = model.intercept.ncols();
        let mut parameters = DMatrix::zeros(self.count(), outputs);
        parameters.rows_mut(0, 1).copy_from(&model.intercept);
        parameters.rows_mut(1, self.lines.len()).copy_from(&model.linear.select_rows(&self.lines));
        parameters.rows_mut(1 + self.lines.len(), self.features).copy_from(&model.coefficients);
        let first = 1 + self.lines.len() + self.features;
        for (rule, amplitudes) in model.trees.iter().flat_map(Tree::amplitudes).enumerate() {
            amplitudes.iter().enumerate().for_each(|(output, a)| parameters[(first + rule, output)] = *a);
        }
        parameters
    }

    /// Returns the model with other parameters.
    fn with_parameters(&self, mut model: Expansion, parameters: &DMatrix<f64>) -> Expansion {
        model.intercept.copy_from(&parameters.rows(0, 1));
        for (place, &input) in self.lines.iter().enumerate() {
            model.linear.set_row(input, &parameters.row(1 + place));
        }
        model.coefficients.copy_from(&parameters.rows(1 + self.lines.len(), self.features));
        let first = 1 + self.lines.len() + self.features;
        for (rule, amplitudes) in model.trees.iter_mut().flat_map(Tree::amplitudes_mut).enumerate() {
            let row = parameters.row(first + rule);
            amplitudes.iter_mut().zip(row.iter()).for_each(|(amplitude, parameter)| *amplitude = *parameter);
        }
        model
    }
}

/// Returns the trees with outputs that say which rule applies.
fn numbered(trees: &[Tree], rules: usize) -> Vec<Tree> {
    let mut trees = trees.to_vec();
    for (rule, amplitudes) in trees.iter_mut().flat_map(Tree::amplitudes_mut).enumerate() {
        *amplitudes = (0..rules).map(|place| f64::from(u8::from(place == rule))).collect();
    }
    trees
}

/// The classes of rows, and how their indicators are scaled.
struct Targets {
    /// The indicators, n×k.
    indicators: DMatrix<f64>,
    /// The mean of every indicator.
    shares: Vec<f64>,
    /// What scaled indicators are multiplied by.
    scales: Vec<f64>,
    /// What every row counts; empty where all count alike.
    weights: Vec<f64>,
}

impl Targets {
    /// Reads indicators back from scaled columns, which have two values each.
    fn of(data: &Dataset) -> Targets {
        let mut indicators = data.y.clone();
        let mut shares = Vec::new();
        let mut scales = Vec::new();
        for mut column in indicators.column_iter_mut() {
            let (low, high) = (column.min(), column.max());
            let scale = if high > low { 1.0 / (high - low) } else { 1.0 };
            column.iter_mut().for_each(|value| *value = f64::from(u8::from(*value > 0.5 * (low + high))));
            shares.push(-low * scale);
            scales.push(scale);
        }
        let weights = data.row_weights();
        Targets { indicators, shares, scales, weights }
    }

    /// Returns the score of even odds.
    fn middle(&self) -> f64 {
        if self.shares.len() == 1 { 0.5 } else { 1.0 / self.shares.len() as f64 }
    }

    /// Returns parameters of log-odds from those of scaled scores.
    fn log_odds(&self, scaled: &DMatrix<f64>) -> DMatrix<f64> {
        let mut parameters = scaled.clone();
        for (output, mut column) in parameters.column_iter_mut().enumerate() {
            column *= LOG_ODDS * self.scales[output];
            column[0] += LOG_ODDS * (self.shares[output] - self.middle());
        }
        parameters
    }

    /// Returns parameters of scaled scores from those of log-odds.
    fn scores(&self, odds: &DMatrix<f64>) -> DMatrix<f64> {
        let mut parameters = odds.clone();
        for (output, mut column) in parameters.column_iter_mut().enumerate() {
            column[0] += LOG_ODDS * (self.middle() - self.shares[output]);
            column /= LOG_ODDS * self.scales[output];
        }
        parameters
    }

    /// Replaces log-odds (n×k) by the derivatives of the log loss, and returns the sum of the losses. Each row counts
    /// by its weight.
    fn loss(&self, odds: &mut DMatrix<f64>) -> f64 {
        let mut sum = 0.0;
        for row in 0..odds.nrows() {
            let loss = if odds.ncols() == 1 { self.loss_of_two(odds, row) } else { self.loss_of_more(odds, row) };
            let weight = self.weights.get(row).copied().unwrap_or(1.0);
            sum += weight * loss;
            odds.row_mut(row).apply(|slope| *slope *= weight);
        }
        sum
    }

    /// The loss of a row of one of two classes.
    fn loss_of_two(&self, odds: &mut DMatrix<f64>, row: usize) -> f64 {
        let value = odds[(row, 0)];
        let indicator = self.indicators[(row, 0)];
        let signed = if indicator > 0.5 { -value } else { value };
        odds[(row, 0)] = 1.0 / (1.0 + libm::exp(-value)) - indicator;
        signed.max(0.0) + libm::log1p(libm::exp(-signed.abs()))
    }

    /// The loss of a row of one of three classes or more.
    fn loss_of_more(&self, odds: &mut DMatrix<f64>, row: usize) -> f64 {
        let classes = odds.ncols();
        let largest = odds.row(row).max();
        let mut total = 0.0;
        let mut loss = 0.0;
        for class in 0..classes {
            let value = odds[(row, class)] - largest;
            loss -= self.indicators[(row, class)] * value;
            let power = libm::exp(value);
            total += power;
            odds[(row, class)] = power;
        }
        for class in 0..classes {
            odds[(row, class)] = odds[(row, class)] / total - self.indicators[(row, class)];
        }
        loss + libm::log(total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::{Fourier, Harfe, Method, MethodConfig};
    use crate::sampling::Sampler;
    use crate::scaling::Preprocessing;

    /// Rows of classes that are drawn with the probabilities of smooth log-odds, scaled.
    fn rows(classes: usize, seed: u64) -> Dataset {
        let mut sampler = Sampler::new(seed);
        let x = DMatrix::from_fn(400, 2, |_, _| sampler.normal());
        let labels: Vec<String> = (0..400)
            .map(|row| {
                let odds = |class: usize| libm::sin(2.0 * x[(row, 0)] + class as f64) + x[(row, 1)] * class as f64;
                let gumbel = |sampler: &mut Sampler| -libm::log(-libm::log(sampler.uniform(1e-9, 1.0 - 1e-9)));
                let drawn: Vec<f64> = (0..classes).map(|class| odds(class) + gumbel(&mut sampler)).collect();
                (0..classes).max_by(|&a, &b| drawn[a].total_cmp(&drawn[b])).unwrap().to_string()
            })
            .collect();
        let data = Dataset::from_labels(x, &labels).unwrap();
        Preprocessing::default().learn(&data).apply(&data)
    }

    /// Returns the penalised mean log loss of a model whose scores are scaled, written from the definition.
    fn loss(model: &Expansion, data: &Dataset, lambda: f64) -> f64 {
        let predicted = model.predict(&data.x);
        let rows = data.rows() as f64;
        let mut sum = 0.0;
        let mut weights = 0.0;
        let outputs = data.outputs();
        let range = |output: usize| data.y.column(output).max() - data.y.column(output).min();
        let middle = if outputs == 1 { 0.5 } else { 1.0 / outputs as f64 };
        for row in 0..data.rows() {
            let odds = |output: usize| {
                let score = (predicted[(row, output)] - data.y.column(output).min()) / range(output);
                4.0 * (score - middle)
            };
            let all: Vec<f64> = match outputs {
                1 => vec![0.0, odds(0)],
                _ => (0..outputs).map(odds).collect(),
            };
            let class = match outputs {
                1 => usize::from(data.y[(row, 0)] > 0.0),
                _ => (0..outputs).find(|&output| data.y[(row, output)] > 0.0).unwrap(),
            };
            let weight = data.weights.get(row).unwrap_or(&1.0);
            weights += weight;
            sum += weight * (libm::log(all.iter().map(|odds| libm::exp(*odds)).sum::<f64>()) - all[class]);
        }
        let squares = |m: &DMatrix<f64>| -> f64 {
            (0..outputs).map(|output| (m.column(output) * (4.0 / range(output))).norm_squared()).sum()
        };
        sum / weights + lambda / 8.0 * squares(&model.coefficients) + squares(&model.linear) / (2.0 * 2.5 * 2.5 * rows)
    }

    #[test]
    fn no_step_lowers_the_loss() {
        for (classes, seed) in [(2, 1), (2, 2), (3, 3), (5, 4)] {
            let weights = if seed % 2 == 0 { (0..400).map(|row| 1.0 + (row % 3) as f64).collect() } else { vec![] };
            let data = Dataset { weights, ..rows(classes, seed) };
            // Of this method, λ is not multiplied by the 400 rows.
            let fourier = Fourier { features: 12, lambda: Some(0.8), ..Fourier::default() };
            let squares = fourier.fit_expansion(&data, &Run::new(seed)).unwrap();
            let lambda = 0.8 / 400.0;
            let found = Columns::of(&squares, &data).lambda(&squares, &data);
            assert!((found / lambda - 1.0).abs() < 1e-6, "{found}");
            let model = refitted(squares.clone(), &data, &Run::new(seed));
            let least = loss(&model, &data, lambda);
            assert!(least < loss(&squares, &data, lambda) - 0.002, "{classes} classes");
            let mut sampler = Sampler::new(seed);
            for _ in 0..20 {
                let mut other = model.clone();
                other.coefficients.apply(|value| *value += 0.01 * sampler.normal());
                other.linear.apply(|value| *value += 0.01 * sampler.normal());
                other.intercept.apply(|value| *value += 0.01 * sampler.normal());
                let higher = loss(&other, &data, lambda);
                assert!(higher > least - 1e-5, "{classes} classes: {higher} below {least}");
            }
        }
    }

    #[test]
    fn every_fit_of_classes_has_the_least_loss() {
        let data = rows(3, 7);
        let harfe = MethodConfig::from(Harfe { features: 12, lambda: 1e-3, ..Harfe::default() });
        let model = harfe.fit_expansion(&data, &Run::new(1)).unwrap();
        let alone = harfe.method().fit_expansion(&data, &Run::new(1)).unwrap();
        assert_eq!(model, refitted(alone, &data, &Run::new(1)));
        let together = MethodConfig::fit_together(std::slice::from_ref(&harfe), &data, &Run::new(1)).unwrap();
        assert_eq!(together, [model]);
    }

    #[test]
    fn rules_get_amplitudes_too() {
        let mut sampler = Sampler::new(5);
        let x = DMatrix::from_fn(300, 1, |_, _| sampler.normal());
        let label = |x: &f64| if (*x > 0.2) != (sampler.uniform(0.0, 1.0) < 0.1) { "yes" } else { "no" };
        let labels: Vec<&str> = x.clone().iter().map(label).collect();
        let data = Dataset::from_labels(x, &labels).unwrap();
        let data = Preprocessing::default().learn(&data).apply(&data);
        let rules = MethodConfig::named("rules").unwrap().tuned(|t| t.features = 3);
        let model = rules.fit_expansion(&data, &Run::new(1)).unwrap();
        assert!(!model.trees.is_empty());
        let predicted = model.predict(&DMatrix::from_column_slice(2, 1, &[1.0, -1.0]));
        let odds = 4.0 * (predicted[0] - predicted[1]) / (data.y.max() - data.y.min());
        // A tenth of either side is of the other class: log-odds differ by twice the logarithm of 9.
        assert!((odds - 2.0 * libm::log(9.0)).abs() < 0.8, "{odds}");
    }
}
