//! Compaction: small models of the papers' tasks. No paper has this table; beside ours is a paper's figure with far
//! more features.
//!
//! - Friedman's functions, 200 rows with noise, 1000 noise-free test rows: HARFE, Table 2, which keeps 200 features.
//! - Noise-free functions in 10 inputs, 140 rows, reduced to 40 frequencies by backward elimination: SHRIMP, Table 2.
//! - Real data, with the folds and the scaling of GFC, Table 1, which has 100 frequencies.
//! - Airfoil noise, five splits of 90 and 10 %, logarithms of frequency and thickness; in dB.
//!
//! All models have an intercept and linear terms. The error on held-out rows chooses settings: five folds, or a fifth
//! of the rows if there is no noise or there are thousands of rows.

use crate::function::FUNCTIONS;
use crate::gfc::experiment::{figure, set};
use crate::settings::{named, with};
use crate::table::{Reproduction, Row, mean, median};
use srfm_trainer::FitError;
use srfm_trainer::Run;
use srfm_trainer::data::Dataset;
use srfm_trainer::data::Task;
use srfm_trainer::data::{Split, SplitError, Splitter};
use srfm_trainer::method::MethodConfig;
use srfm_trainer::model::{Expansion, Model};
use srfm_trainer::sampling::{Sampler, SpectralLaw};
use srfm_trainer::scaling::Scaling;
use srfm_trainer::validate::Metrics;

/// The random stream of the splits, apart from the streams of fits.
const SPLIT_STREAM: u64 = 5;

/// The number of rows from which one held-out fifth replaces five folds.
const MANY: usize = 1000;

pub fn rows(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    let mut rows = friedman(run)?;
    rows.extend(noise_free(run)?);
    rows.extend(real(run)?);
    rows.extend(airfoil(run)?);
    Ok(rows)
}

/// Settings to choose from, the smallest models first.
struct Menu {
    settings: Vec<MethodConfig>,
    lambdas: Vec<f64>,
}

/// The excess over the lowest error that a smaller model may have: the errors of equally good settings differ by
/// chance.
const ALIKE: f64 = 0.01;

impl Menu {
    /// Returns the fit to all rows with the first settings whose squared error over the splits, with the best λ, is
    /// close to the lowest.
    fn fit(&self, data: &Dataset, splits: &[Split], run: &Run<'_>) -> Result<Expansion, FitError> {
        let mut tried: Vec<(f64, MethodConfig)> = Vec::new();
        for settings in &self.settings {
            let mut errors = vec![0.0; self.lambdas.len()];
            for split in splits {
                let (train, test) = (data.select(&split.train), data.select(&split.test));
                let fits = settings.method().fit_path(&train, &self.lambdas, &run.quiet())?;
                for (error, fit) in errors.iter_mut().zip(fits) {
                    *error += (fit.predict(&test.x) - &test.y).norm_squared();
                }
            }
            let with_lambdas = errors.into_iter().zip(&self.lambdas);
            let (error, &lambda) = with_lambdas.min_by(|a, b| a.0.total_cmp(&b.0)).expect("a menu has a λ");
            tried.push((error, with!(settings, lambda)));
        }
        let least = tried.iter().map(|(error, _)| *error).fold(f64::INFINITY, f64::min);
        let chosen = tried.iter().find(|(error, _)| *error <= (1.0 + ALIKE) * least);
        chosen.expect("a menu has settings").1.method().fit_expansion(data, &run.quiet()).map_err(FitError::from)
    }
}

fn folds(data: &Dataset, seed: u64) -> Result<Vec<Split>, SplitError> {
    Splitter::Random.folds(data, 5, &mut Sampler::stream(seed, SPLIT_STREAM))
}

fn fifth(data: &Dataset, seed: u64) -> Result<[Split; 1], SplitError> {
    Ok([Splitter::Random.holdout(data, 0.2, &mut Sampler::stream(seed, SPLIT_STREAM))?])
}

/// Returns the root mean squared error on `test` of a fit to `train`; both data sets are unscaled.
fn rmse(
    train: &Dataset,
    test: &Dataset,
    fit: impl Fn(&Dataset) -> Result<Expansion, FitError>,
) -> Result<f64, FitError> {
    let scaling = Scaling::fit(train);
    let expansion = fit(&scaling.apply(train))?;
    let model = Model::new("reproduction", expansion, scaling, train);
    Ok(Metrics::from_predictions(&model.predict(&test.x), &test.y).rmse)
}

/// One of Friedman's functions with its usual noise.
struct Noisy {
    task: Task,
    rows: usize,
    order: usize,
    sizes: &'static [usize],
    scales: &'static [f64],
    paper: Option<f64>,
    unit: &'static str,
    scale: f64,
    threshold: f64,
}

const NOISY: [Noisy; 3] = [
    Noisy {
        task: Task::Friedman1,
        rows: 200,
        order: 2,
        sizes: &[4, 6, 8],
        scales: &[1.0],
        paper: Some(1.52),
        unit: "1",
        scale: 1.0,
        threshold: 0.55,
    },
    Noisy {
        task: Task::Friedman1,
        rows: 2000,
        order: 3,
        sizes: &[8],
        scales: &[1.0],
        paper: None,
        unit: "1",
        scale: 1.0,
        threshold: 0.31 * 0.31,
    },
    Noisy {
        task: Task::Friedman2,
        rows: 200,
        order: 2,
        sizes: &[2, 3, 5, 8],
        scales: &[0.2, 0.5],
        paper: Some(1.31),
        unit: "10^3",
        scale: 1e3,
        threshold: 1.156,
    },
];

fn friedman(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    let error = |case: &Noisy, seed: u64| {
        let train = case.task.generate(case.rows, case.task.usual_noise(), 2 * seed);
        let test = case.task.generate(1000, 0.0, 2 * seed + 1);
        let menu = case.menu();
        let splits = if case.rows < MANY { folds(&train, seed)? } else { fifth(&train, seed)?.to_vec() };
        let fit = |data: &Dataset| menu.fit(data, &splits, &run.seeded(seed));
        rmse(&train, &test, fit).map(|rmse| rmse * rmse / case.scale)
    };
    let errors = run.over_seeds(&NOISY, error)?;
    let row = |(case, errors): (&Noisy, Vec<f64>)| {
        let most = case.sizes.last().copied().unwrap_or_default();
        let name = format!("{}, {} rows, at most {most} features, mean MSE", case.task.name(), case.rows);
        Row::new(name, case.paper, mean(&errors), case.unit, errors.len()).at_most(Some(case.threshold))
    };
    Ok(NOISY.iter().zip(errors).map(row).collect())
}

impl Noisy {
    fn menu(&self) -> Menu {
        let mut settings = Vec::new();
        for &features in self.sizes {
            for &scale in self.scales {
                let law = SpectralLaw::Normal { scale };
                for (refine, sparsify) in [(0, None), (30, Some(0.05))] {
                    let order = self.order;
                    settings.push(with!(named("compact"), features, order, law, refine, sparsify));
                }
            }
        }
        Menu { settings, lambdas: vec![1e-4, 1e-3, 3e-3, 1e-2, 3e-2] }
    }
}

/// Indices into [`FUNCTIONS`], the paper's figures, and thresholds of the medians.
const NOISE_FREE: [(usize, f64, Option<f64>); 3] =
    [(2, 4.98e-12, Some(1e-9)), (5, 2.58e-2, Some(0.05)), (6, 2.83e-5, None)];

/// Scales of the paper's frequencies in units of inputs that are uniform on [−1, 1] and on [−π, π].
const SCALES: [f64; 2] = [0.6, 1.8];

fn noise_free(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    let few = with!(named("compact"), features: 40, order: 2, candidates: 4000, selection: "backward", refine: 0);
    let settings = SCALES.map(|scale| with!(few, law: SpectralLaw::Normal { scale }));
    let menu = Menu { settings: settings.to_vec(), lambdas: vec![0.0, 1e-11, 1e-9] };
    let errors = run.over_seeds_of(&NOISE_FREE, run.seeds_or(10), |&(function, _, _), seed| {
        let mut sampler = Sampler::new(1000 + seed);
        let [train, test] = [140, 60].map(|rows| FUNCTIONS[function].data(rows, 10, &mut sampler));
        let rmse = rmse(&train, &test, |data| menu.fit(data, &fifth(data, seed)?, &run.seeded(seed)))?;
        Ok(rmse * rmse)
    })?;
    let row = |((function, paper, threshold), errors): (&(usize, f64, Option<f64>), Vec<f64>)| {
        let name = format!("s_l {} at 40 features, median MSE", FUNCTIONS[*function].name);
        Row::new(name, Some(*paper), median(&errors), "1", errors.len()).at_most(*threshold)
    };
    Ok(NOISE_FREE.iter().zip(errors).map(row).collect())
}

/// Data sets of GFC, numbers of frequencies, and thresholds of the mean errors.
const REAL: [(&str, usize, f64); 4] =
    [("friedman", 8, 3.30), ("kinematics", 16, 5.4), ("elevators", 16, 3.20), ("pumadyn", 8, 3.7)];

fn real(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    let mut rows = Vec::new();
    for (done, (name, features, threshold)) in REAL.into_iter().enumerate() {
        let set = set(name);
        let name = format!("{name} at {features} features");
        let Some(data) = set.read(run) else {
            rows.push(Row::skipped(&name, set.gfc));
            continue;
        };
        let figure = figure(|train, run| few(features, train, run), &data, run)?;
        run.observer.progress(done + 1, REAL.len());
        rows.push(Row::new(name, Some(set.gfc), figure.error, "%", figure.folds).at_most(Some(threshold)));
    }
    Ok(rows)
}

/// Fits a few dense frequencies to thousands of rows.
fn few(features: usize, train: &Dataset, run: &Run<'_>) -> Result<Expansion, FitError> {
    let settings = [1.0, 1.25].map(|excess| with!(named("compact"), features, excess, refine: 200, batch: 10_000));
    let menu = Menu { settings: settings.to_vec(), lambdas: vec![1e-6, 1e-5, 1e-4, 1e-3] };
    menu.fit(train, &fifth(train, run.seed())?, run)
}

/// Numbers of features, and thresholds of the mean errors.
const AIRFOIL: [(usize, f64); 3] = [(32, 1.6), (48, 1.45), (64, 1.35)];

fn airfoil(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    const LOGARITHMS: [usize; 2] = [0, 4];
    let read = || Dataset::read(run.data?.join("airfoil.csv")).ok();
    let name = |features| format!("airfoil at {features} features, mean RMSE");
    let Some(mut data) = read() else {
        return Ok(AIRFOIL.iter().map(|(features, _)| Row::skipped(&name(*features), f64::NAN)).collect());
    };
    for input in LOGARITHMS {
        data.x.column_mut(input).apply(|x| *x = libm::log(*x));
    }
    let errors = run.over_seeds_of(&AIRFOIL, run.seeds_or(5), |&(features, _), seed| {
        let split = Splitter::Random.holdout(&data, 0.1, &mut Sampler::new(seed))?;
        let settings = [1.0, 1.5].map(|excess| with!(named("compact"), features, excess, refine: 200));
        let menu = Menu { settings: settings.to_vec(), lambdas: vec![1e-5, 1e-4] };
        let fit = |train: &Dataset| menu.fit(train, &fifth(train, seed)?, &run.seeded(seed));
        rmse(&data.select(&split.train), &data.select(&split.test), fit)
    })?;
    let row = |(&(features, threshold), errors): (&(usize, f64), Vec<f64>)| {
        Row::new(name(features), None, mean(&errors), "dB", errors.len()).at_most(Some(threshold))
    };
    Ok(AIRFOIL.iter().zip(errors).map(row).collect())
}
