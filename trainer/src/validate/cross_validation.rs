//! k-fold cross-validation of any list of methods, in the device's arithmetic.

use std::ops::Range;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use nalgebra::DMatrix;
use rayon::prelude::*;

use crate::data::classes::shortfalls;
use crate::data::split::{checked, is_forward};
use crate::data::{Dataset, Split, Splitter, weights};
use crate::error::FitError;
use crate::export::Encoding;
use crate::message::message;
use crate::message::setting::{FOLDS, LAMBDA, ORDER};
use crate::method::{MethodConfig, MethodError};
use crate::run::{Parts, Run};
use crate::sampling::Sampler;
use crate::scaling::{Preprocessing, Scaling};
use crate::validate::certainty::Certainty;
use crate::validate::conformal;
use crate::validate::fold::{Part, fold_errors};
use crate::validate::metric::{ClassLoss, ClassRows, Metric};
use crate::validate::score::{FoldError, Score, Validated};

/// Keeps the folds apart from what the methods draw.
const FOLD_STREAM: u64 = 1;

/// How rows are divided into folds, and how the models of the folds are preprocessed and encoded.
#[derive(Clone, Debug)]
pub(crate) struct Folds {
    /// Number of folds.
    pub count: usize,
    /// The number of folds that are fitted, the last ones; given folds are all fitted.
    pub fitted: usize,
    /// How rows are divided.
    pub split: Splitter,
    /// The folds themselves, where the caller has divided the rows.
    pub given: Option<Arc<[Split]>>,
    /// The scaling and the warps of the inputs.
    pub preprocessing: Preprocessing,
    /// How the device stores the models.
    pub encoding: Encoding,
    /// What candidates for classes are chosen by.
    pub metric: Metric,
}

impl Folds {
    /// Divides the rows of `data` into folds.
    ///
    /// # Errors
    /// The errors of [`Splitter::folds`], and those of given folds.
    pub fn splits(&self, data: &Dataset, seed: u64) -> Result<Vec<Split>, FitError> {
        if let Some(given) = &self.given {
            return Ok(checked(given, data.rows())?);
        }
        let mut splits = self.split.folds(data, self.count, &mut Sampler::stream(seed, FOLD_STREAM))?;
        splits.drain(..splits.len().saturating_sub(self.fitted));
        Ok(splits)
    }

    /// Returns whether the rows are drawn at random, by the seed.
    pub fn draws(&self) -> bool {
        self.given.is_none() && self.split == Splitter::Random
    }

    /// Checks that `rows` rows are enough for the number of folds; [`checked`] checks given folds.
    fn check(&self, rows: usize) -> Result<(), MethodError> {
        let folds = self.count;
        if self.given.is_some() {
            return Ok(());
        }
        if folds < 2 {
            return Err(MethodError::Setting { setting: "folds", range: "at least 2", value: folds as f64 });
        }
        let needed = folds + usize::from(self.split == Splitter::Forward);
        let choice = message!(LAMBDA, " and ", ORDER, ", which need no cross-validation");
        let advice = message!("add rows, lower ", FOLDS, " or set ", choice);
        match rows < needed {
            true => Err(MethodError::TooFewRows { rows, needed, purpose: "cross-validation", advice }),
            false => Ok(()),
        }
    }
}

/// Scores every candidate on the same folds of `data` (raw columns; each fold learns its own scaling).
///
/// # Errors
/// [`MethodError::TooFewRows`] where there are fewer rows than folds or fewer than two folds are asked for, what
/// [`Preprocessing::check`], [`Splitter::folds`] and the methods say.
pub(crate) fn cross_validate(
    candidates: &[MethodConfig],
    data: &Dataset,
    folds: &Folds,
    run: &Run<'_>,
) -> Result<Vec<Score>, FitError> {
    let validated = validate(candidates, data, folds, run)?;
    Ok(validated.into_iter().map(|validated| validated.score).collect())
}

/// As [`cross_validate`], with intervals around predictions or the slope of probabilities.
///
/// # Errors
/// As [`cross_validate`].
pub(crate) fn validate(
    candidates: &[MethodConfig],
    data: &Dataset,
    divided: &Folds,
    run: &Run<'_>,
) -> Result<Vec<Validated>, FitError> {
    let division = Division::new(data, divided, run.seed())?;
    let errors = division.errors(candidates, 0..division.folds(), run)?;
    Ok(errors.iter().map(|errors| division.validated(errors)).collect())
}

/// Cross-validates methods on some divisions of the rows into folds, as `of_division` does for each. It takes the
/// number of the division, and the run with the seed of its folds. Returns the means over the divisions.
///
/// # Errors
/// Those of `of_division`.
pub(crate) fn mean_over_divisions(
    divisions: u64,
    run: &Run<'_>,
    of_division: impl Fn(u64, &Run<'_>) -> Result<Vec<Validated>, FitError> + Sync,
) -> Result<Vec<Validated>, FitError> {
    let seeded = |&number: &u64| of_division(number, &run.with_seed(run.seed().wrapping_add(number)));
    let divided = run.try_map(&(0..divisions).collect::<Vec<_>>(), seeded)?;
    let of_method = |place: usize| Validated::mean(&divided.iter().map(|of_all| &of_all[place]).collect::<Vec<_>>());
    Ok((0..divided.first().map_or(0, Vec::len)).map(of_method).collect())
}

/// Rows that are divided into folds.
pub(crate) struct Division<'a> {
    data: &'a Dataset,
    divided: &'a Folds,
    splits: Vec<Split>,
    /// The scaling of all rows.
    whole: Scaling,
}

impl<'a> Division<'a> {
    /// Divides the rows of `data` (raw columns) into folds.
    ///
    /// # Errors
    /// Those of [`cross_validate`] that do not come from the methods.
    pub fn new(data: &'a Dataset, divided: &'a Folds, seed: u64) -> Result<Division<'a>, FitError> {
        divided.check(data.rows())?;
        divided.preprocessing.check(data)?;
        let splits = divided.splits(data, seed)?;
        Ok(Division { data, divided, splits, whole: divided.preprocessing.learn(data) })
    }

    /// Returns the number of folds.
    pub fn folds(&self) -> usize {
        self.splits.len()
    }

    /// Returns the errors of every candidate in some of the folds.
    ///
    /// # Errors
    /// Those of the methods.
    pub fn errors(
        &self,
        candidates: &[MethodConfig],
        folds: Range<usize>,
        run: &Run<'_>,
    ) -> Result<Vec<Vec<FoldError>>, FitError> {
        let Division { data, divided, splits, whole } = self;
        let preprocessing = &divided.preprocessing;
        let encoding = divided.encoding;
        // Candidates that follow each other may share most of a fit.
        let paths: Vec<&[MethodConfig]> = candidates.chunk_by(MethodConfig::shares_a_fit).collect();
        let count = folds.len();
        let all = splits.len();
        if count == 0 {
            return Ok(vec![Vec::new(); candidates.len()]);
        }
        let work: Vec<(&[MethodConfig], &Split)> =
            paths.iter().flat_map(|&path| splits[folds.clone()].iter().map(move |split| (path, split))).collect();
        let pieces = Parts::new(run, work.iter().map(|(path, _)| path.len()).collect());
        // One fold whose models the device cannot hold rules out a path; the other folds are then skipped.
        let failed = AtomicUsize::new(usize::MAX);
        let lost: Vec<AtomicBool> = paths.iter().map(|_| AtomicBool::new(false)).collect();
        let brought = fold_errors(&work, data, (preprocessing, encoding), run)?;
        let errors = |(piece, (path, split)): (usize, &(&[MethodConfig], &Split))| -> Result<Vec<FoldError>, FitError> {
            if let Some(errors) = pieces.result(piece).or_else(|| brought[piece].clone()) {
                return Ok(errors);
            }
            // What comes after a piece that failed is of no use.
            if run.interrupted() || piece > failed.load(Ordering::Relaxed) {
                return Err(FitError::Interrupted);
            }
            let lost = &lost[piece / count];
            let errors = if lost.load(Ordering::Relaxed) {
                vec![FoldError::INFINITE; path.len()]
            } else {
                // The rows are copied only now: all folds together are many times the data.
                let errors = Part::of(data, split, preprocessing, whole).errors(path, encoding, &pieces.part(piece));
                errors.map_err(|error| {
                    failed.fetch_min(piece, Ordering::Relaxed);
                    name_the_fold(error, data.rows(), all)
                })?
            };
            lost.fetch_or(errors.iter().all(|error| error.standardised_mse.is_infinite()), Ordering::Relaxed);
            pieces.finish(piece, &errors);
            Ok(errors)
        };
        // The first error, whichever thread ends first.
        let errors: Vec<_> = work.par_iter().enumerate().map(errors).collect();
        let errors: Vec<Vec<FoldError>> = errors.into_iter().collect::<Result<_, _>>()?;
        let of_path = |folds: &[Vec<FoldError>]| -> Vec<Vec<FoldError>> {
            let of_candidate = |candidate: usize| folds.iter().map(|errors| errors[candidate].clone()).collect();
            (0..folds[0].len()).map(of_candidate).collect()
        };
        Ok(errors.chunks_exact(count).flat_map(of_path).collect())
    }

    /// Returns the number of rows that a fold tests.
    pub fn tested(&self, fold: usize) -> usize {
        self.splits[fold].test.len()
    }

    /// Returns whether the rows have losses that the paired test compares. Classes that are chosen by shares of errors
    /// have none.
    pub fn pairs_rows(&self) -> bool {
        self.data.classes.is_empty() || !self.divided.metric.counts_errors()
    }

    /// Returns the losses of the rows that a fold tests, as in [`Validated`]; empty where rows are not compared.
    pub fn losses(&self, fold: usize, errors: &FoldError) -> Vec<f64> {
        if !self.pairs_rows() {
            return Vec::new();
        }
        let splits = slice::from_ref(&self.splits[fold]);
        let residuals = in_order_of_rows(splits, slice::from_ref(errors)).unwrap_or_default();
        match self.data.classes.is_empty() {
            true => standardised_squares(&residuals, &self.data.y, &self.weights_of(splits)),
            false => {
                let rows = self.class_rows(splits, &residuals).filter(|rows| rows.slope.is_some());
                rows.map_or_else(Vec::new, |rows| self.divided.metric.losses(&rows))
            }
        }
    }

    /// Returns what the errors of a candidate in all folds say.
    pub fn validated(&self, errors: &[FoldError]) -> Validated {
        let Division { data, divided, splits, .. } = self;
        let mut score = Score::over_folds(errors, splits.iter().map(|split| split.test.len()).sum());
        let mut residuals = in_order_of_rows(splits, errors).unwrap_or_default();
        if !data.classes.is_empty() {
            return self.validated_classes(score, &residuals);
        }
        if divided.draws() && data.groups.is_empty() {
            score.residual_autocorrelation =
                residuals.iter().map(|of_output| autocorrelation(of_output)).reduce(f64::max);
        }
        let weights = self.weights_of(splits);
        let losses = standardised_squares(&residuals, &data.y, &weights);
        residuals.iter_mut().flatten().for_each(|residual| *residual = residual.abs());
        let later = is_forward(splits);
        let rows = tested_rows(splits);
        let half_width = |residuals: Vec<f64>| match later {
            true => conformal::half_width_of_later_rows(&residuals, &weights, rows),
            false => conformal::half_width(residuals, &weights, rows),
        };
        let half_widths = residuals.into_iter().map(half_width).collect::<Option<_>>().unwrap_or_default();
        Validated { score, certainty: Certainty { half_widths, ..Certainty::default() }, losses }
    }

    /// Returns what the rows count that some folds test, in the order of the rows; empty where all count alike.
    fn weights_of(&self, splits: &[Split]) -> Vec<f64> {
        let mut rows: Vec<usize> = splits.iter().flat_map(|split| &split.test).copied().collect();
        rows.sort_unstable();
        weights::select(&self.data.row_weights(), &rows)
    }

    /// Returns the rows of classes that some folds test, by scores less indicators in the order of the rows; none
    /// without scores.
    fn class_rows(&self, splits: &[Split], residuals: &[Vec<f64>]) -> Option<ClassRows> {
        let mut rows: Vec<usize> = splits.iter().flat_map(|split| &split.test).copied().collect();
        rows.sort_unstable();
        let members = self.data.members()?;
        let score = |place: usize, output: usize| residuals[output][place] + self.data.y[(rows[place], output)];
        let known = residuals.first().map_or(0, Vec::len);
        let scores = DMatrix::from_fn(known, residuals.len(), score);
        let members: Vec<usize> = rows.iter().map(|&row| members[row]).take(known).collect();
        Some(ClassRows::new(scores, members, weights::select(&self.data.row_weights(), &rows)))
    }

    /// Returns what the errors in all folds say of classes, by scores less indicators in the order of the rows.
    fn validated_classes(&self, mut score: Score, residuals: &[Vec<f64>]) -> Validated {
        let Some(rows) = self.class_rows(&self.splits, residuals) else {
            return Validated { score, certainty: Certainty::default(), losses: Vec::new() };
        };
        let metric = self.divided.metric;
        let mut losses = Vec::new();
        if metric != Metric::Accuracy && score.standardised_mse.is_finite() && rows.slope.is_some() {
            losses = metric.losses(&rows);
            score.class_loss = Some(ClassLoss::of_rows(metric, &losses, score.standardised_mse));
        }
        if !self.pairs_rows() {
            losses.clear();
        }
        let margin = self.divided.encoding.confidence.and_then(|level| {
            let shortfalls = shortfalls(&rows.scores, &rows.members);
            let tested = tested_rows(&self.splits);
            match is_forward(&self.splits) {
                true => conformal::margin_of_later_rows(&shortfalls, &rows.weights, tested, level),
                false => conformal::margin(shortfalls, &rows.weights, tested, level),
            }
        });
        Validated { score, certainty: Certainty { half_widths: Vec::new(), slope: rows.slope, margin }, losses }
    }
}

/// Returns the mean over the outputs of the squared residuals, in units of the targets' variances over all rows, times
/// what each row counts.
fn standardised_squares(residuals: &[Vec<f64>], y: &DMatrix<f64>, weights: &[f64]) -> Vec<f64> {
    let rows = residuals.iter().map(Vec::len).min().unwrap_or(0);
    let variances: Vec<f64> = y.column_iter().map(|column| column.variance()).collect();
    let of_row =
        |row: usize| residuals.iter().zip(&variances).map(|(of_output, v)| of_output[row].powi(2) / v).sum::<f64>();
    let weight = |row: usize| weights.get(row).copied().unwrap_or(1.0);
    (0..rows).map(|row| weight(row) * (of_row(row) / residuals.len() as f64)).collect()
}

/// Returns the number of rows that are tested at least once.
fn tested_rows(splits: &[Split]) -> usize {
    let mut rows: Vec<usize> = splits.iter().flat_map(|split| &split.test).copied().collect();
    rows.sort_unstable();
    rows.dedup();
    rows.len()
}

/// Restates the lack of rows in a fold in terms of all rows.
fn name_the_fold(error: FitError, rows: usize, folds: usize) -> FitError {
    match error {
        FitError::Method(MethodError::TooFewRows { rows: left, needed, purpose, .. }) => {
            FitError::TooFewRowsInFold { rows, folds, left, needed, purpose }
        }
        error => error,
    }
}

/// Returns the residuals of every output in the order of the rows; none where a fold has none.
pub(crate) fn in_order_of_rows(splits: &[Split], errors: &[FoldError]) -> Option<Vec<Vec<f64>>> {
    let outputs = errors.iter().map(|error| error.residuals.len()).min().filter(|&outputs| outputs > 0)?;
    let of_output = |output: usize| {
        let rows = splits.iter().flat_map(|split| &split.test);
        let residuals = errors.iter().flat_map(|error| &error.residuals[output]);
        let mut ordered: Vec<(usize, f64)> = rows.copied().zip(residuals.copied()).collect();
        ordered.sort_unstable_by_key(|&(row, _)| row);
        ordered.into_iter().map(|(_, residual)| residual).collect()
    };
    Some((0..outputs).map(of_output).collect())
}

/// Returns the correlation of successive residuals about their mean; 0 for residuals that do not vary.
pub(crate) fn autocorrelation(residuals: &[f64]) -> f64 {
    let mean = residuals.iter().sum::<f64>() / residuals.len() as f64;
    let products: f64 = residuals.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    let squares: f64 = residuals.iter().map(|residual| (residual - mean) * (residual - mean)).sum();
    if squares > 0.0 { products / squares } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::generate::Task;
    use crate::run::Run;
    use crate::sampling::Sampler;
    use crate::validate::Score;

    #[test]
    fn candidates_score_together_as_they_do_alone() {
        let data = Task::Friedman2.generate(300, 125.0, 1);
        let small = MethodConfig::named("harfe").unwrap().tuned(|t| t.features = 20);
        let tuned = |(order, lambda)| small.clone().tuned(|t| (t.order, t.lambda) = (Some(order), Some(lambda)));
        let candidates = [(1, 1e-2), (1, 1e-1), (1, 1.0), (2, 1e-2), (2, 1e-1)].map(tuned);
        let split = Splitter::Random;
        let preprocessing = Preprocessing::default();
        let encoding = Encoding::default();
        let folds =
            Folds { count: 3, fitted: 3, split, given: None, preprocessing, encoding, metric: Metric::default() };
        for seed in 0..3 {
            let together = cross_validate(&candidates, &data, &folds, &Run::new(seed)).unwrap();
            for (candidate, score) in candidates.iter().zip(together) {
                let alone = cross_validate(slice::from_ref(candidate), &data, &folds, &Run::new(seed)).unwrap()[0];
                // Other products in between, the same model but for rounding, which f32 on the device enlarges to 1e-7.
                // Both may be infinite: too large coefficients for f32.
                let error = score.standardised_mse;
                let other = alone.standardised_mse;
                let same = error == other || (error / other - 1.0).abs() < 1e-5;
                assert!(same, "{seed} {candidate:?} {score:?} {alone:?}");
            }
        }
    }

    #[test]
    fn residuals_return_to_the_order_of_the_rows() {
        let split = |test: &[usize]| Split { train: Vec::new(), test: test.to_vec() };
        let error = |residuals: Vec<Vec<f64>>| FoldError { residuals, ..FoldError::INFINITE };
        let splits = [split(&[1, 4]), split(&[0, 2, 3])];
        let errors =
            [error(vec![vec![0.1, 0.4], vec![1.1, 1.4]]), error(vec![vec![0.0, 0.2, 0.3], vec![1.0, 1.2, 1.3]])];
        let ordered = in_order_of_rows(&splits, &errors).unwrap();
        assert_eq!(ordered, [[0.0, 0.1, 0.2, 0.3, 0.4], [1.0, 1.1, 1.2, 1.3, 1.4]]);
        assert_eq!(in_order_of_rows(&splits, &[errors[0].clone(), FoldError::INFINITE]), None);
    }

    #[test]
    fn the_autocorrelation_is_that_by_hand() {
        // About the mean 2: -1, 1, 2, -2 with products -1, 2, -4 and squares 1, 1, 4, 4.
        assert_eq!(autocorrelation(&[1.0, 3.0, 4.0, 0.0]), -0.3);
        assert_eq!(autocorrelation(&[2.0; 5]), 0.0);
    }

    /// Returns whether residuals with this correlation of neighbours and this distribution of innovations get a remark.
    fn remarked(correlation: f64, rows: usize, innovation: impl FnMut() -> f64) -> bool {
        let innovations: Vec<f64> = std::iter::repeat_with(innovation).take(rows).collect();
        let residuals: Vec<f64> = innovations
            .iter()
            .scan(0.0, |last, innovation| {
                *last = correlation * *last + innovation;
                Some(*last)
            })
            .collect();
        let score = Score::over_folds(&[FoldError::INFINITE, FoldError::INFINITE], rows);
        Score { residual_autocorrelation: Some(autocorrelation(&residuals)), ..score }.neighbours_correlate()
    }

    #[test]
    fn correlated_neighbours_are_told_from_independent_ones() {
        const SERIES: u64 = 2000;
        for rows in [50, 400, 1500] {
            let count = |correlation: f64, power: i32| {
                let series = |seed: &u64| {
                    let mut sampler = Sampler::new(*seed);
                    remarked(correlation, rows, || sampler.normal().powi(power))
                };
                (0..SERIES).filter(series).count()
            };
            // 3 in 100,000 independent series exceed four standard deviations, whatever the innovations.
            assert!(count(0.0, 1) <= 2 && count(0.0, 3) <= 2, "{rows} rows");
            // With 50 rows the threshold is 0.57, and a correlation of 0.85 is found as 0.76 on average, with a
            // standard deviation of 0.1: 19 of 20 series exceed the threshold.
            assert!(count(0.85, 1) > (0.92 * SERIES as f64) as usize, "{rows} rows");
        }
    }
}
