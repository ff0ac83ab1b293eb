//! SRBench: the black-box regression sets, beside the published medians of 21 methods.
//!
//! The protocol is that of W. La Cava et al., *Contemporary symbolic regression methods and their relative
//! performance*, 2021: three quarters of the rows are fitted, at most 10,000 of them, and the figure of a set is the
//! median over the seeds of R² on the other quarter. The divisions are our own. Each search has one thread.
//!
//! The folder of data sets, or `pmlb` in it, has `srbench_r2_test.csv`, a row a set and a column a method, and the sets
//! as `NAME.tsv.gz` with the column `target`. Sets without a file are left out.

mod kept;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::reproduce::srbench::kept::{Kept, Key, Reached};
use crate::reproduce::table::{Reproduction, Row, mean, median};
use srfm_trainer::FitConfig;
use srfm_trainer::FitError;
use srfm_trainer::cost::{Core, instruction_bound};
use srfm_trainer::data::{Dataset, Source, Splitter, Table, TargetKind};
use srfm_trainer::export;
use srfm_trainer::sampling::Sampler;
use srfm_trainer::search::{Budget, SearchConfig, search};
use srfm_trainer::validate::{Metrics, coverage};

/// The published medians.
const MEDIANS: &str = "srbench_r2_test.csv";

/// The share of the rows that are tested on, and the largest number of rows that are fitted.
const TEST: f64 = 0.25;
const MOST_ROWS: usize = 10_000;

/// Separates the division of the rows and the choice of the fitted rows from the random numbers of the search.
const DIVISION_STREAM: u64 = 20;
const ROWS_STREAM: u64 = 21;

/// The least number of rows of sets whose stated errors and intervals are compared with those of the rows kept apart.
const ENOUGH_ROWS: usize = 200;

/// The mark of the sets of Friedman's functions, which are most of the sets and much alike.
const FRIEDMAN: &str = "_fri_";

/// The time of a search.
const TIME: Duration = Duration::from_secs(20);

/// A set, and the median R² of every published method.
struct Set {
    name: String,
    file: PathBuf,
    published: Vec<f64>,
}

pub fn small(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    rows(run, 512)
}

pub fn medium(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    rows(run, 2048)
}

/// Returns the rows of all sets within a budget of flash, and the ranks among all methods.
fn rows(run: &Reproduction<'_>, flash: usize) -> Result<Vec<Row>, FitError> {
    let Some((methods, sets)) = run.data.and_then(published) else {
        return Ok(vec![Row::without_data("mean rank over the sets")]);
    };
    let seeds = run.seeds();
    let kept = Kept::open(run.results)?;
    let reached = in_threads(sets.len() * seeds, run, |piece| {
        let (set, seed) = (&sets[piece / seeds], (piece % seeds) as u64);
        let key = Key { flash, set: set.name.clone(), seed };
        if let Some(known) = kept.find(&key) {
            return Ok(known);
        }
        let reached = reach(set, flash, seed, run)?;
        kept.keep(key, reached)?;
        Ok(reached)
    })?;
    let reached: Vec<&[Reached]> = reached.chunks(seeds).collect();
    let mut rows = Vec::new();
    let mut r2 = Vec::new();
    for (set, reached) in sets.iter().zip(&reached) {
        let of = |pick: fn(&Reached) -> f64| median(&reached.iter().map(pick).collect::<Vec<f64>>());
        let best = set.published.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        r2.push(of(|reached| reached.r2));
        rows.push(Row::new(format!("{}, R²", set.name), Some(best), of(|reached| reached.r2), "1", seeds));
        let bytes = of(|reached| reached.bytes);
        rows.push(Row::new(format!("{}, flash", set.name), None, bytes, "bytes", seeds).at_most(Some(flash as f64)));
        let instructions = of(|reached| reached.instructions);
        rows.push(Row::new(format!("{}, instructions on an M4F", set.name), None, instructions, "1", seeds));
    }
    rows.extend(ranks(&methods, &sets, &r2, seeds));
    rows.extend(honesty(&reached.concat(), seeds));
    Ok(rows)
}

/// Returns the mean ranks among all methods, and the shares of the sets on which ours is ahead of two of them.
fn ranks(methods: &[String], sets: &[Set], r2: &[f64], seeds: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let all = |_: &Set| true;
    let others = |set: &Set| !set.name.contains(FRIEDMAN);
    for (what, chosen) in [("sets", &all as &dyn Fn(&Set) -> bool), ("sets not by Friedman", &others)] {
        let of_sets: Vec<(&Set, f64)> = sets.iter().zip(r2.iter().copied()).filter(|(set, _)| chosen(set)).collect();
        if of_sets.is_empty() {
            continue;
        }
        let ranks = mean_ranks(&of_sets);
        let other = ranks[1..].iter().copied().fold(f64::INFINITY, f64::min);
        rows.push(Row::new(format!("mean rank over {} {what}", of_sets.len()), Some(other), ranks[0], "1", seeds));
        for name in ["*Operon", "XGB"] {
            let Some(method) = methods.iter().position(|method| method == name) else { continue };
            let ahead = of_sets.iter().filter(|(set, r2)| *r2 > set.published[method]).count();
            let share = 100.0 * ahead as f64 / of_sets.len() as f64;
            let row = format!("{what} ahead of {}", name.trim_start_matches('*'));
            rows.push(Row::new(row, None, share, "%", seeds));
        }
    }
    rows
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

/// Returns the names of the published methods and the sets whose file is there; nothing without published medians.
fn published(folder: &Path) -> Option<(Vec<String>, Vec<Set>)> {
    let folders = [folder.to_owned(), folder.join("pmlb")];
    let (folder, text) = folders.iter().find_map(|f| Some((f, fs::read_to_string(f.join(MEDIANS)).ok()?)))?;
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let methods = reader.headers().ok()?.iter().skip(1).map(str::to_owned).collect();
    let set = |record: csv::StringRecord| {
        let published = record.iter().skip(1).map(|field| field.parse().unwrap_or(f64::NEG_INFINITY)).collect();
        let name = record.get(0)?.to_owned();
        let file = folder.join(format!("{name}.tsv.gz"));
        file.exists().then_some(Set { name, file, published })
    };
    Some((methods, reader.records().filter_map(Result::ok).filter_map(set).collect()))
}

/// Searches for a model of a set within a budget of flash. A set that cannot be read or fitted has the R² of the mean.
fn reach(set: &Set, flash: usize, seed: u64, run: &Reproduction<'_>) -> Result<Reached, FitError> {
    let Some(data) = read(&set.file) else { return Ok(Reached::NOTHING) };
    let split = Splitter::Random.holdout(&data, TEST, &mut Sampler::stream(seed, DIVISION_STREAM))?;
    let (train, test) = (data.select(&split.train), data.select(&split.test));
    let train = train.select(&Sampler::stream(seed, ROWS_STREAM).choose(train.rows(), MOST_ROWS));
    let budget = Budget { flash: Some(flash), ..Budget::default() };
    let mut config = SearchConfig { time: TIME, effort: None, ..SearchConfig::new(FitConfig::default(), budget) };
    config.fit.grid.lambdas.clear();
    match search(&train, &config, &run.seeded(seed).with_threads(1).quiet()) {
        Ok(found) => {
            let predicted = export::predict(&found.fit.blob, &test.x).cast();
            let metrics = Metrics::of(&predicted, &test.y);
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

/// Returns the mean rank of our R², and that of every published method, over sets. Equal values share their mean rank.
fn mean_ranks(sets: &[(&Set, f64)]) -> Vec<f64> {
    let of_set = |(set, ours): &(&Set, f64)| -> Vec<f64> {
        let values: Vec<f64> = [*ours].into_iter().chain(set.published.iter().copied()).collect();
        let rank = |value: &f64| {
            let (better, equal) = (values.iter().filter(|v| *v > value), values.iter().filter(|v| *v == value));
            better.count() as f64 + 0.5 * (equal.count() + 1) as f64
        };
        values.iter().map(rank).collect()
    };
    let ranks: Vec<Vec<f64>> = sets.iter().map(of_set).collect();
    (0..ranks[0].len()).map(|method| mean(&ranks.iter().map(|ranks| ranks[method]).collect::<Vec<f64>>())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_their_rank() {
        let set = |published: &[f64]| Set { name: String::new(), file: PathBuf::new(), published: published.to_vec() };
        let (first, second) = (set(&[0.9, 0.5, 0.5]), set(&[0.1, 0.2, f64::NEG_INFINITY]));
        assert_eq!(mean_ranks(&[(&first, 0.7)]), [2.0, 1.0, 3.5, 3.5]);
        assert_eq!(mean_ranks(&[(&first, 0.5), (&second, 0.3)]), [2.0, 2.0, 2.5, 3.5]);
    }
}
