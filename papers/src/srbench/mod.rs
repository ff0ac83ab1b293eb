//! SRBench: the black-box regression sets, beside the published medians of 21 methods.
//!
//! The protocol is that of W. La Cava et al., *Contemporary symbolic regression methods and their relative
//! performance*, 2021, with the published divisions of the rows: three quarters are fitted, at most 10,000 rows, and
//! the figure of a set is the median over the divisions of R² on the other quarter. Each search has one thread.
//!
//! The folder of data sets, or `pmlb` in it, has `srbench_r2_test.csv`, a row a set and a column a method, and the sets
//! as `NAME.tsv.gz` with the column `target`. Sets without a file are left out.

mod division;
mod kept;
mod ranks;
mod set;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::srbench::division::{Division, SEEDS};
use crate::srbench::kept::{Kept, Key, Reached};
use crate::srbench::set::{Set, published};
use crate::table::{Reproduction, Row, median};
use srfm_trainer::Conditions;
use srfm_trainer::FitError;
use srfm_trainer::cost::{Budget, Core, instruction_bound};
use srfm_trainer::data::{Dataset, Source, Table, TargetKind};
use srfm_trainer::export;
use srfm_trainer::search::{SearchConfig, search};
use srfm_trainer::validate::{Metrics, coverage};

/// The least number of rows of sets whose stated errors and intervals are compared with those of the rows kept apart.
const ENOUGH_ROWS: usize = 200;

/// Bytes of a number: the sizes of published models count nodes and numbers.
const BYTES_OF_NUMBER: f64 = 4.0;

/// Within 512 bytes, in 5 seconds a search.
pub fn small(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    rows(run, 512, 5)
}

/// Within 2 KB, in 5 seconds a search.
pub fn medium(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    rows(run, 2048, 5)
}

/// Within 2 KB, in a second a search.
pub fn brief(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    rows(run, 2048, 1)
}

/// Returns the rows of all sets within a budget of flash and of seconds, and the ranks among all methods.
fn rows(run: &Reproduction<'_>, flash: usize, seconds: u64) -> Result<Vec<Row>, FitError> {
    let Some((methods, sets)) = run.data.and_then(published) else {
        return Ok(vec![Row::without_data("mean rank over the sets")]);
    };
    let seeds = SEEDS.get(..run.seeds()).ok_or_else(too_many)?;
    let kept = Kept::open(run.results)?;
    let reached = in_threads(sets.len() * seeds.len(), run, |piece| {
        let (set, seed) = (&sets[piece / seeds.len()], seeds[piece % seeds.len()]);
        let key = Key { flash, seconds, set: set.name.clone(), seed };
        if let Some(known) = kept.find(&key) {
            return Ok(known);
        }
        let reached = reach(set, &key, run)?;
        kept.keep(key, reached)?;
        Ok(reached)
    })?;
    let seeds = seeds.len();
    let reached: Vec<&[Reached]> = reached.chunks(seeds).collect();
    let mut rows = Vec::new();
    let (mut r2, mut sizes) = (Vec::new(), Vec::new());
    for (set, reached) in sets.iter().zip(&reached) {
        let of = |pick: fn(&Reached) -> f64| median(&reached.iter().map(pick).collect::<Vec<f64>>());
        let best = set.published.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        r2.push(of(|reached| reached.r2));
        rows.push(Row::new(format!("{}, R²", set.name), Some(best), of(|reached| reached.r2), "1", seeds));
        let bytes = of(|reached| reached.bytes);
        sizes.push(bytes / BYTES_OF_NUMBER);
        rows.push(Row::new(format!("{}, flash", set.name), None, bytes, "bytes", seeds).at_most(Some(flash as f64)));
        let instructions = of(|reached| reached.instructions);
        rows.push(Row::new(format!("{}, instructions on an M4F", set.name), None, instructions, "1", seeds));
    }
    rows.extend(ranks::rows(&methods, &sets, &r2, seeds));
    rows.extend(ranks::sizes(&methods, &sets, &sizes, seeds));
    rows.extend(honesty(&reached.concat(), seeds));
    Ok(rows)
}

/// Returns the error of a run of more divisions than are published.
fn too_many() -> FitError {
    FitError::Data(format!("{} divisions of the rows are published; set --seeds to at most that", SEEDS.len()).into())
}

/// Returns how the stated errors and intervals compare with those of the rows kept apart, over sets of enough rows.
fn honesty(reached: &[Reached], seeds: usize) -> Vec<Row> {
    let enough: Vec<&Reached> = reached.iter().filter(|reached| reached.rows >= ENOUGH_ROWS).collect();
    let quantile = |pick: fn(&Reached) -> f64, share: f64| {
        let mut values: Vec<f64> = enough.iter().map(|reached| pick(reached)).filter(|v| v.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        let place = (share * values.len().saturating_sub(1) as f64).round() as usize;
        values.get(place).copied().unwrap_or(f64::NAN)
    };
    let stated = [(0.1, "10 % quantile"), (0.5, "median"), (0.9, "90 % quantile")].map(|(share, what)| {
        let value = quantile(|reached| reached.stated / reached.rmse, share);
        Row::new(format!("stated over reached RMSE, {what}"), None, value, "1", seeds)
    });
    let covered = [(0.1, "10 % quantile"), (0.5, "median")].map(|(share, what)| {
        let value = 100.0 * quantile(|reached| reached.coverage, share);
        Row::new(format!("rows within 90 % intervals, {what}"), None, value, "%", seeds)
    });
    stated.into_iter().chain(covered).collect()
}

/// Returns the results of all pieces of work, as many at a time as there are threads. A search has a pool of its own,
/// and a thread of the common pool would begin other searches while it waits for one.
fn in_threads<T: Send>(
    pieces: usize,
    run: &Reproduction<'_>,
    work: impl Fn(usize) -> Result<T, FitError> + Sync,
) -> Result<Vec<T>, FitError> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..rayon::current_num_threads() {
            scope.spawn(|| {
                loop {
                    let piece = next.fetch_add(1, Ordering::Relaxed);
                    if piece >= pieces || run.observer.interrupted() {
                        break;
                    }
                    run.observer.progress(piece, pieces);
                    let result = work(piece);
                    results.lock().unwrap_or_else(PoisonError::into_inner).push((piece, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    if results.len() < pieces {
        return Err(FitError::Interrupted);
    }
    results.sort_by_key(|(piece, _)| *piece);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Searches for a model of a set within the budgets of a key. Where a set cannot be read or fitted, the result is
/// that of the mean.
fn reach(set: &Set, key: &Key, run: &Reproduction<'_>) -> Result<Reached, FitError> {
    let Some(data) = read(&set.file) else { return Ok(Reached::NOTHING) };
    let division = Division::published(data.rows(), key.seed);
    let (train, test) = (data.select(&division.train), data.select(&division.test));
    let budget = Budget { flash: Some(key.flash), ..Budget::default() };
    let mut config = SearchConfig {
        time: Duration::from_secs(key.seconds),
        effort: None,
        ..SearchConfig::new(Conditions::default(), budget)
    };
    config.fit.grid.lambdas.clear();
    match search(&train, &config, &run.seeded(key.seed.into()).with_threads(1).quiet()) {
        Ok(found) => {
            let predicted = export::predict(&found.fit.blob, &test.x).cast();
            let metrics = Metrics::from_predictions(&predicted, &test.y);
            let residuals = (0..test.rows()).map(|row| predicted[(row, 0)] - test.y[(row, 0)]);
            let half_width = found.fit.blob.model().half_width(0);
            Ok(Reached {
                rows: data.rows(),
                r2: metrics.r2,
                rmse: metrics.rmse,
                stated: found.chosen.score.rmse,
                coverage: half_width.map_or(f64::NAN, |width| coverage(residuals, width.into())),
                bytes: found.fit.blob.bytes().len() as f64,
                instructions: f64::from(instruction_bound(&found.fit.blob.model(), Core::CortexM4f)),
            })
        }
        Err(FitError::Interrupted) => Err(FitError::Interrupted),
        Err(_) => Ok(Reached::NOTHING),
    }
}

fn read(file: &Path) -> Option<Dataset> {
    let table = Table::read(file).ok()?;
    Source::new(table, None, &["target".to_owned()]).dataset(TargetKind::Quantities).ok()
}
