//! Novelty from rows to decisions.

use std::f64::consts::TAU;

use nalgebra::DMatrix;
use srfm_testing::thorough;

use super::*;
use crate::data::NORMAL;
use crate::export::Encoding;
use crate::fit::{Fit, FitConfig, fit};
use crate::method::Compact;
use crate::run::Run;

/// Rows on a ring of radius 1 (normal).
fn ring(rows: usize, seed: u64) -> Dataset {
    let mut sampler = Sampler::new(seed);
    let mut x = DMatrix::zeros(rows, 2);
    for row in 0..rows {
        let angle = sampler.uniform(0.0, TAU);
        let radius = 1.0 + 0.1 * sampler.normal();
        x[(row, 0)] = radius * libm::cos(angle);
        x[(row, 1)] = radius * libm::sin(angle);
    }
    normal(x)
}

/// Rows in the middle of the ring, where their readings are the usual ones.
fn middle(rows: usize, seed: u64) -> DMatrix<f64> {
    let mut sampler = Sampler::new(seed);
    DMatrix::from_fn(rows, 2, |_, _| 0.25 * sampler.normal())
}

fn normal(x: DMatrix<f64>) -> Dataset {
    let y = DMatrix::<f64>::zeros(x.nrows(), 1);
    Dataset::new(x, y).unwrap().normal()
}

fn learned(data: &Dataset, level: f64, encoding: Encoding, run: &Run<'_>) -> Fit {
    let lesson = Lesson::of(data, level, Splitter::Random, run.seed()).unwrap();
    let method = Compact { features: 20, ..Compact::default() };
    let config = FitConfig { grid: vec![1e-4].into(), encoding, ..FitConfig::new(method) };
    lesson.finish(fit(&lesson.taught, &config, run).unwrap(), encoding).unwrap()
}

/// The probability that a row of `above` has a larger score than one of `below`.
fn area(above: &DMatrix<f64>, below: &DMatrix<f64>) -> f64 {
    let wins = |a: &f64| below.iter().filter(|b| a > b).count();
    above.iter().map(wins).sum::<usize>() as f64 / (above.len() * below.len()) as f64
}

#[test]
fn the_middle_of_a_ring_is_novel() {
    let fit = learned(&ring(600, 1), 0.05, Encoding::default(), &Run::new(1));
    let scores = |x: &DMatrix<f64>| fit.predict(x);
    // Distances from the centre of all rows give an area near 0.
    let found = area(&scores(&middle(300, 2)), &scores(&ring(300, 3).x));
    assert!(found > 0.97, "{found}");
    let classes = fit.predict_classes(&DMatrix::from_row_slice(3, 2, &[0.0, 0.0, 1.0, 0.0, f64::NAN, 0.0]));
    assert_eq!(classes, [Some(NOVEL), Some(NORMAL), None]);
}

#[test]
fn a_broken_sum_is_novel_however_exact_it_was() {
    // The third reading is the sum of the others, up to a share of noise.
    let rows = |noise: f64, seed: u64| {
        let mut sampler = Sampler::new(seed);
        let mut x = DMatrix::from_fn(500, 3, |_, _| sampler.normal());
        for mut row in x.row_iter_mut() {
            row[2] = row[0] + row[1] + noise * row[2];
        }
        x
    };
    for noise in [0.0, 1e-3, 0.02] {
        let fit = learned(&normal(rows(noise, 1)), 0.05, Encoding::default(), &Run::new(1));
        let mut broken = rows(noise, 2);
        broken.column_mut(2).add_scalar_mut(1.5);
        let found = area(&fit.predict(&broken), &fit.predict(&rows(noise, 3)));
        assert!(found > 0.98, "{noise}: {found}");
    }
}

#[test]
fn fresh_normal_rows_cause_few_false_alarms() {
    let encodings = [Encoding::default(), Encoding::from(crate::export::NumberFormat::Int)];
    let rounds = if thorough() { 12 } else { 6 };
    let mut alarms = 0;
    for (seed, encoding) in (0..rounds).zip(encodings.into_iter().cycle()) {
        let fit = learned(&ring(400, seed), 0.1, encoding, &Run::new(seed));
        let stated = fit.false_alarms.unwrap();
        // The rank is ⌈101 · 0.9⌉ = 91 of 100 rows.
        assert_eq!((stated.level, stated.rows), (0.1, 100));
        assert!(stated.found <= 9, "{stated:?}");
        alarms += fit.predict(&ring(1000, 100 + seed).x).iter().filter(|&&score| score > 0.5).count();
    }
    let share = alarms as f64 / (1000 * rounds) as f64;
    // At most 0.1. A threshold by 100 rows has a standard error of 0.03, six of them 0.012 and more of them less.
    assert!((0.05..0.1 + 0.036).contains(&share), "{share}");
}

#[test]
fn the_threads_change_no_byte() {
    let data = ring(300, 5);
    let fits = [1, 2].map(|threads| {
        let run = Run::new(3).with_threads(threads);
        run.install(|run| learned(&data, 0.1, Encoding::default(), run))
    });
    assert_eq!(fits[0].blob.bytes(), fits[1].blob.bytes());
}

#[test]
fn rows_that_teach_nothing_are_refused() {
    let lesson = |x: DMatrix<f64>| Lesson::of(&normal(x), 0.01, Splitter::Random, 1).map(|_| ());
    let few = |rows, needed| {
        let found = lesson(ring(rows, 1).x);
        let expected = matches!(found, Err(FitError::Method(MethodError::TooFewRows { needed: n, .. })) if n == needed);
        assert!(expected, "{found:?}");
    };
    few(1, 198);
    few(197, 198);
    assert_eq!(lesson(ring(198, 1).x), Ok(()));
    assert_eq!(lesson(DMatrix::from_element(300, 2, 7.0)), Err(MethodError::ConstantInputs.into()));
}

/// Rows of a few readings that repeat: most of them have ten others at distance 0.
#[test]
fn rows_may_repeat_each_other() {
    let mut sampler = Sampler::new(1);
    let data = normal(DMatrix::from_fn(500, 2, |_, _| sampler.below(3) as f64));
    let fit = learned(&data, 0.05, Encoding::default(), &Run::new(1));
    let classes = fit.predict_classes(&DMatrix::from_row_slice(2, 2, &[1.0, 1.0, 9.0, -9.0]));
    assert_eq!(classes[0], Some(NORMAL));
}

#[test]
fn the_tenth_neighbour_says_how_rare_a_row_is() {
    // Two inputs of different units that depend on each other: 100 rows in the first direction, and a little beside.
    let x = DMatrix::from_fn(100, 2, |row, input| {
        let along = row as f64;
        if input == 0 { along } else { 1000.0 * (along + if row % 2 == 0 { 1.0 } else { -1.0 }) }
    });
    let reference = Reference::new(&x).unwrap();
    // As far in both cases, but the second row leaves the line.
    let rarity = reference.rarity(&DMatrix::from_row_slice(2, 2, &[60.0, 60_000.0, 55.0, 65_000.0]));
    assert!(rarity[1] > rarity[0] + 1.0, "{rarity:?}");
    // A known row does not count as its own neighbour.
    let own = reference.own_rarity();
    assert!(own[0] > reference.rarity(&x.rows(0, 1).into_owned())[0]);
    assert!(Reference::new(&DMatrix::from_element(5, 2, 1.0)).is_none());
}
