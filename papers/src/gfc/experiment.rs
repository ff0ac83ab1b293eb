//! GFC, Section 3: data sets, folds and the methods' settings.
//!
//! Three of ten outer folds are tested on (`--seeds` changes the number). Outputs are scaled to a range of one, and
//! errors are times 100. Inputs are standardised. All methods have n = 100 frequencies, an intercept and no linear
//! terms. Methods that learn frequencies use at most 20,000 rows, and fewer rows of many inputs; the last fit uses all
//! rows.
//!
//! GFC chooses on a held-out fifth of the training rows: dense frequencies from five descents of 20 steps, as in the
//! paper, or from two of 50, or frequencies of four inputs. Dense frequencies overfit where most inputs are irrelevant
//! (pumadyn: 28 of 32), and the error on fitted rows does not show the overfitting. Random Fourier features choose the
//! scale of their distribution by five-fold cross-validation. All methods cross-validate the ridge parameter of the
//! last fit. Times include all choices.

use std::time::Instant;

use crate::settings::{named, with};
use crate::table::{Reproduction, Row};
use srfm_trainer::FitError;
use srfm_trainer::Run;
use srfm_trainer::data::{Dataset, Split, Splitter};
use srfm_trainer::method::{MethodConfig, Terms, fit_pairs};
use srfm_trainer::model::Expansion;
use srfm_trainer::model::Feature;
use srfm_trainer::sampling::{Sampler, SpectralLaw};
use srfm_trainer::scaling::Scaling;
use srfm_trainer::validate::Metrics;

const FEATURES: usize = 100;
const TERMS: Terms = Terms::Intercept;
const OUTER_FOLDS: usize = 10;
const INNER_FOLDS: usize = 5;
const MOST_CV_ROWS: usize = 20_000;
const MOST_VALUES: usize = 2_000_000;
const SPARSE: usize = 4;

/// A data set and the paper's figures for n = 100.
pub struct Set {
    pub name: &'static str,
    file: &'static str,
    pub gfc: f64,
    /// The largest allowed mean of GFC's errors.
    pub threshold: f64,
    pub a_la_carte: f64,
    /// The errors of random Fourier features with Gaussian, Cauchy and Laplace kernels.
    pub fourier: [f64; 3],
}

/// The data sets: name, file, GFC's error and threshold, the errors of à la carte and of random Fourier features.
#[rustfmt::skip]
pub static SETS: [Set; 9] = [
    set_of("parkinsons", "parkinsons_tm.csv", 2.73, 1.15 * 2.73, 0.78, [5.81, 5.79, 6.22]),
    set_of("ujindoorloc", "ujindoorloc_latitude.csv.gz", 3.17, 1.15 * 3.17, 6.19, [12.55, 12.36, 10.23]),
    set_of("delta-ailerons", "delta_ailerons.csv", 3.82, 1.15 * 3.82, 3.73, [3.84, 3.84, 3.86]),
    set_of("kinematics", "kinematics.csv", 5.18, 6.0, 5.03, [11.09, 11.01, 11.47]),
    set_of("pumadyn", "pumadyn32h.csv", 3.44, 1.15 * 3.44, 3.24, [15.19, 15.18, 15.20]),
    set_of("pole-telecom", "pole_telecom.csv", 7.34, 1.15 * 7.34, 7.16, [24.26, 22.62, 25.07]),
    set_of("elevators", "elevators.csv", 3.34, 3.45, 3.37, [4.11, 3.88, 4.09]),
    set_of("breiman", "breiman.csv", 4.01, 1.15 * 4.01, 4.06, [4.01, 4.01, 4.02]),
    set_of("friedman", "friedman.csv", 3.29, 3.55, 3.37, [5.15, 5.25, 5.06]),
];

const fn set_of(
    name: &'static str,
    file: &'static str,
    gfc: f64,
    threshold: f64,
    a_la_carte: f64,
    fourier: [f64; 3],
) -> Set {
    Set { name, file, gfc, threshold, a_la_carte, fourier }
}

/// Returns the data set of that name.
pub fn set(name: &str) -> &'static Set {
    SETS.iter().find(|set| set.name == name).expect("a name of the table")
}

/// A family of laws of frequencies, by their scale.
pub type Laws = fn(f64) -> SpectralLaw;

/// The laws of the frequencies of Gaussian kernels.
pub const GAUSSIAN: Laws = |scale| SpectralLaw::Normal { scale };

/// The number of outer folds that are tested on, unless `--seeds` says otherwise.
const TESTED_FOLDS: usize = 3;

/// Means of the error and of the time over the folds.
#[derive(Clone, Copy)]
pub struct Figure {
    pub error: f64,
    pub seconds: f64,
    pub folds: usize,
}

impl Set {
    /// Reads the data set and scales its outputs to a range of one. Returns `None` if the file is missing.
    pub fn read(&self, run: &Reproduction<'_>) -> Option<Dataset> {
        let mut data = Dataset::read(run.data?.join(self.file)).ok()?;
        let (least, range) = (data.y.min(), data.y.max() - data.y.min());
        data.y.apply(|y| *y = (*y - least) / range);
        Some(data)
    }

    /// Returns the row of a missing data set.
    pub fn skipped(&self) -> Row {
        Row::skipped(self.name, self.gfc)
    }
}

/// Fits and tests on the outer folds. Folds run one after the other, so that times are comparable.
pub fn figure(
    fit: impl Fn(&Dataset, &Run<'_>) -> Result<Expansion, FitError>,
    data: &Dataset,
    run: &Reproduction<'_>,
) -> Result<Figure, FitError> {
    let folds = run.seeds_or(TESTED_FOLDS).min(OUTER_FOLDS);
    let splits = Splitter::Random.folds(data, OUTER_FOLDS, &mut Sampler::new(0))?;
    let mut figure = Figure { error: 0.0, seconds: 0.0, folds };
    for (seed, split) in splits.iter().take(folds).enumerate() {
        let (error, seconds) = fold(&fit, data, split, &run.seeded(seed as u64))?;
        figure.error += error / folds as f64;
        figure.seconds += seconds / folds as f64;
    }
    Ok(figure)
}

/// Returns the error, times 100, and the seconds of a fit.
fn fold(
    fit: impl Fn(&Dataset, &Run<'_>) -> Result<Expansion, FitError>,
    data: &Dataset,
    split: &Split,
    run: &Run<'_>,
) -> Result<(f64, f64), FitError> {
    let (train, test) = (data.select(&split.train), data.select(&split.test));
    let scaling = Scaling::fit(&train);
    let (train, test) = (scaling.apply(&train), scaling.apply(&test));
    let begun = Instant::now();
    let expansion = fit(&train, run)?;
    let seconds = begun.elapsed().as_secs_f64();
    let rmse = Metrics::from_predictions(&expansion.predict(&test.x), &test.y).rmse;
    Ok((100.0 * rmse * scaling.y.scale[0], seconds))
}

/// Returns the number of rows that a method learns from.
fn batch(train: &Dataset) -> Option<usize> {
    Some(MOST_CV_ROWS.min(MOST_VALUES / train.inputs()))
}

/// The frequencies that a method finds, whose waves come in pairs: all cosines before all sines.
fn frequencies(method: &MethodConfig, data: &Dataset, run: &Run<'_>) -> Result<Vec<Feature>, FitError> {
    let mut features = method.method().fit_expansion(data, run)?.features;
    Ok(features.split_off(features.len() / 2))
}

/// Fits by GFC.
pub fn greedy(train: &Dataset, run: &Run<'_>) -> Result<Expansion, FitError> {
    let run = &run.quiet();
    let dense = train.inputs();
    let gfc = with!(named("gfc"), features: FEATURES, order: dense, terms: TERMS, batch: batch(train));
    let sampler = &mut Sampler::stream(run.seed(), 1);
    let split = Splitter::Random.holdout(train, 1.0 / INNER_FOLDS as f64, sampler)?;
    let (seen, unseen) = (train.select(&split.train), train.select(&split.test));
    let fit = |gfc: &MethodConfig, data: &Dataset| -> Result<Expansion, FitError> {
        let frequencies = frequencies(gfc, data, run)?;
        Ok(fit_pairs(data, &frequencies, TERMS, INNER_FOLDS, &mut Sampler::stream(run.seed(), 2))?.0)
    };
    let mut best = (f64::INFINITY, gfc.clone());
    for (order, steps) in [(dense, 20), (dense, 50), (SPARSE.min(dense), 20)] {
        let gfc = with!(gfc, order, steps);
        let error = Metrics::from_predictions(&fit(&gfc, &seen)?.predict(&unseen.x), &unseen.y).mse;
        if error < best.0 {
            best = (error, gfc);
        }
    }
    fit(&best.1, train)
}

/// Fits by à la carte.
pub fn a_la_carte(train: &Dataset, run: &Run<'_>) -> Result<Expansion, FitError> {
    let (features, order, batch) = (FEATURES, train.inputs(), batch(train));
    let mixture = with!(named("a-la-carte"), features, order, terms: TERMS, batch);
    let frequencies = frequencies(&mixture, train, &run.quiet())?;
    Ok(fit_pairs(train, &frequencies, TERMS, INNER_FOLDS, &mut Sampler::stream(run.seed(), 1))?.0)
}

/// Fits random Fourier features, with the scale of the least error in a cross-validation.
pub fn fourier(laws: Laws, train: &Dataset, run: &Run<'_>) -> Result<Expansion, FitError> {
    let inputs = train.varying_inputs();
    let mut best: Option<(f64, Expansion)> = None;
    for step in 0..10 {
        if run.interrupted() {
            return Err(FitError::Interrupted);
        }
        // Ten scales from 10⁻³ to 10².
        let law = laws(libm::pow(10.0, -3.0 + 5.0 * f64::from(step) / 9.0));
        let frequencies = law.sample(FEATURES, &inputs, inputs.len(), &mut Sampler::new(run.seed()));
        let folds = &mut Sampler::stream(run.seed(), 1);
        let (fit, mse) = fit_pairs(train, &frequencies, TERMS, INNER_FOLDS, folds)?;
        if best.as_ref().is_none_or(|(least, _)| mse < *least) {
            best = Some((mse, fit));
        }
    }
    Ok(best.expect("ten scales").1)
}
