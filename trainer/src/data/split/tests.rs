//! Properties of all splits.

use std::collections::BTreeSet;

use nalgebra::DMatrix;

use super::*;
use crate::data::{Dataset, Task};

/// Returns rows without any values, in the given groups.
fn rows_of(rows: usize, groups: Vec<usize>) -> Dataset {
    let x = DMatrix::zeros(rows, 1);
    let y = DMatrix::zeros(rows, 1);
    Dataset {
        x,
        y,
        input_names: vec!["x".into()],
        output_names: vec!["y".into()],
        classes: Vec::new(),
        weights: Vec::new(),
        groups,
        history: Default::default(),
    }
}

/// Returns groups that follow each other, of 1 to `most` rows each.
fn successive(rows: usize, most: usize, sampler: &mut Sampler) -> Vec<usize> {
    let mut groups = Vec::new();
    for group in 0.. {
        groups.extend(vec![group; 1 + sampler.below(most)]);
        if groups.len() >= rows {
            break;
        }
    }
    groups.truncate(rows);
    groups
}

/// Returns the groups of some rows.
fn groups_of(data: &Dataset, rows: &[usize]) -> BTreeSet<usize> {
    rows.iter().map(|&row| data.groups[row]).collect()
}

#[test]
fn folds_partition_the_rows_and_forward_folds_test_later_rows() {
    for seed in 0..200 {
        let mut sampler = Sampler::new(seed);
        let rows = 40 + sampler.below(200);
        let folds = 2 + sampler.below(6);
        let groups = if seed % 2 == 0 { Vec::new() } else { successive(rows, 5, &mut sampler) };
        let data = rows_of(rows, groups);
        for splitter in [Splitter::Random, Splitter::Blocked, Splitter::Forward] {
            let splits = splitter.folds(&data, folds, &mut sampler).unwrap();
            assert_eq!(splits.len(), folds);
            let tested: Vec<usize> = splits.iter().flat_map(|split| split.test.clone()).collect();
            for Split { train, test } in &splits {
                assert!(train.is_sorted() && test.is_sorted() && !train.is_empty() && !test.is_empty());
                if !data.groups.is_empty() {
                    assert!(groups_of(&data, train).is_disjoint(&groups_of(&data, test)));
                }
                let all: BTreeSet<usize> = train.iter().chain(test).copied().collect();
                assert_eq!(all.len(), train.len() + test.len(), "a row is on both sides");
                match splitter {
                    Splitter::Forward => assert_eq!(*all.last().unwrap(), all.len() - 1, "all rows before, none after"),
                    _ => assert_eq!(all.len(), rows),
                }
                if splitter != Splitter::Random {
                    assert_eq!(test[test.len() - 1] - test[0], test.len() - 1, "a block");
                }
                // Groups have up to 5 rows: two ends are off by 2 each, and greedy parts by less than a group.
                let parts = folds + usize::from(splitter == Splitter::Forward);
                assert!(test.len().abs_diff(rows / parts) <= if data.groups.is_empty() { 1 } else { 5 });
            }
            let first = if splitter == Splitter::Forward { splits[0].train.len() } else { 0 };
            let sorted: BTreeSet<usize> = tested.iter().copied().collect();
            assert_eq!((tested.len(), sorted), (rows - first, (first..rows).collect()), "every row is tested once");
            assert!(splitter != Splitter::Forward || splits.iter().all(|s| s.train.last() < s.test.first()));
        }
    }
}

#[test]
fn held_out_rows_keep_groups_and_order() {
    for seed in 0..100 {
        let mut sampler = Sampler::new(seed);
        let rows = 30 + sampler.below(100);
        let share = sampler.uniform(0.1, 0.9);
        let successive = rows_of(rows, successive(rows, 4, &mut sampler));
        let scattered = rows_of(rows, (0..rows).map(|_| sampler.below(12)).collect());
        for (splitter, data) in [
            (Splitter::Random, &successive),
            (Splitter::Random, &scattered),
            (Splitter::Blocked, &successive),
            (Splitter::Forward, &successive),
        ] {
            let Split { train, test } = splitter.holdout(data, share, &mut sampler).unwrap();
            assert_eq!(train.len() + test.len(), rows);
            assert!(groups_of(data, &train).is_disjoint(&groups_of(data, &test)));
            let largest = (0..rows).map(|g| data.groups.iter().filter(|&&group| group == g).count()).max().unwrap();
            assert!((test.len() as f64 - share * rows as f64).abs() <= largest as f64);
            assert!(splitter == Splitter::Random || train.last() < test.first());
        }
    }
    let forward = Splitter::Forward.holdout(&rows_of(100, Vec::new()), 0.4, &mut Sampler::new(1)).unwrap();
    assert_eq!((forward.train, forward.test), ((0..60).collect(), (60..100).collect()));
}

#[test]
fn random_groups_are_drawn_anew_and_balanced() {
    let data = rows_of(120, (0..120).map(|row| row % 24).collect());
    let of = |seed| Splitter::Random.folds(&data, 4, &mut Sampler::new(seed)).unwrap();
    assert!(of(1).iter().all(|split| split.test.len() == 30));
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
}

#[test]
fn groups_that_do_not_fit_are_refused() {
    let scattered = rows_of(6, vec![0, 0, 1, 1, 0, 2]);
    for splitter in [Splitter::Blocked, Splitter::Forward] {
        let error = splitter.folds(&scattered, 2, &mut Sampler::new(1)).unwrap_err();
        assert_eq!(error, SplitError::ScatteredGroup { row: 5 });
    }
    let two = rows_of(6, vec![0, 0, 0, 1, 1, 1]);
    let too_few = |splitter: Splitter, folds| splitter.folds(&two, folds, &mut Sampler::new(1)).unwrap_err();
    assert_eq!(too_few(Splitter::Random, 3), SplitError::TooFewGroups { groups: 2, needed: 3 });
    assert_eq!(too_few(Splitter::Blocked, 3), SplitError::TooFewGroups { groups: 2, needed: 3 });
    assert_eq!(too_few(Splitter::Forward, 2), SplitError::TooFewGroups { groups: 2, needed: 3 });
    let one = rows_of(3, vec![7; 3]);
    let error = Splitter::Random.holdout(&one, 0.5, &mut Sampler::new(1)).unwrap_err();
    assert_eq!(error, SplitError::TooFewGroups { groups: 1, needed: 2 });
}

#[test]
fn every_row_is_tested_exactly_once() {
    let folds = k_fold(103, 5, &mut Sampler::new(7));
    let mut tested: Vec<usize> = folds.iter().flat_map(|f| f.test.clone()).collect();
    tested.sort_unstable();
    assert_eq!(tested, (0..103).collect::<Vec<_>>());
    for Split { train, test } in folds {
        assert!((20..=21).contains(&test.len()));
        assert_eq!(train.len() + test.len(), 103);
        assert!(test.iter().all(|row| !train.contains(row)));
    }
}

#[test]
fn a_holdout_has_the_given_share_and_both_parts_have_rows() {
    assert_eq!(holdout(1503, 0.25, &mut Sampler::new(1)).test.len(), 376);
    assert_eq!(holdout(2, 0.01, &mut Sampler::new(1)).test.len(), 1);
    assert_eq!(holdout(2, 0.99, &mut Sampler::new(1)).test.len(), 1);
    assert_ne!(holdout(100, 0.5, &mut Sampler::new(1)), holdout(100, 0.5, &mut Sampler::new(2)));
}

/// Returns the number of rows of each class in a part.
fn counts(rows: &[usize], members: &[usize]) -> Vec<usize> {
    let count = |class| rows.iter().filter(|&&row| members[row] == class).count();
    (0..=*members.iter().max().unwrap()).map(count).collect()
}

#[test]
fn stratified_folds_have_their_share_of_every_class() {
    let members: Vec<usize> = (0..103).map(|row| usize::from(row % 9 == 0) + usize::from(row == 50)).collect();
    for seed in 0..5 {
        let folds = stratified_k_fold(&members, 5, &mut Sampler::new(seed));
        let mut tested: Vec<usize> = folds.iter().flat_map(|f| f.test.clone()).collect();
        tested.sort_unstable();
        assert_eq!(tested, (0..103).collect::<Vec<_>>());
        for Split { train, test } in folds {
            assert_eq!(train.len() + test.len(), 103);
            let counts = counts(&test, &members);
            let shares = [18..=19, 2..=3, 0..=1];
            assert!(shares.iter().zip(&counts).all(|(share, count)| share.contains(count)), "{counts:?}");
        }
    }
}

#[test]
fn a_stratified_holdout_trains_on_every_class() {
    // 60 rows of one class, 30 of another, 9 of a third, one of a fourth.
    let members: Vec<usize> =
        (0..100).map(|row| usize::from(row >= 60) + usize::from(row >= 90) + usize::from(row == 99)).collect();
    for seed in 0..5 {
        let Split { train, test } = stratified_holdout(&members, 0.25, &mut Sampler::new(seed));
        assert_eq!((train.len(), test.len()), (75, 25));
        let counts = counts(&test, &members);
        assert!((15..=16).contains(&counts[0]) && (7..=8).contains(&counts[1]) && (2..=3).contains(&counts[2]));
        assert_eq!(counts.get(3).copied().unwrap_or(0), 0);
        assert!(test.iter().all(|row| !train.contains(row)));
    }
    let all = stratified_holdout(&members, 0.999, &mut Sampler::new(1));
    assert_eq!(counts(&all.train, &members), [1, 1, 1, 1]);
    assert_eq!(stratified_holdout(&members, 1e-9, &mut Sampler::new(1)).test.len(), 1);
    assert!(stratified_holdout(&[0, 1, 2], 0.5, &mut Sampler::new(1)).test.is_empty());
}

fn fold(train: &[usize], test: &[usize]) -> Split {
    Split { train: train.to_vec(), test: test.to_vec() }
}

#[test]
fn folds_are_sorted_and_faults_are_named() {
    assert_eq!(checked(&[fold(&[3, 0, 3], &[2, 1])], 4).unwrap(), [fold(&[0, 3], &[1, 2])]);
    let said =
        |train: &[usize], test: &[usize]| checked(&[fold(&[0], &[1]), fold(train, test)], 4).unwrap_err().to_string();
    assert!(said(&[0, 1], &[]).contains("fold 1 has no test rows"));
    assert!(said(&[], &[1]).contains("fold 1 has no training rows"));
    assert!(said(&[0], &[4]).contains("fold 1 has row 4 among its test rows, but the last row is 3"));
    assert!(said(&[0, 2], &[1, 2]).contains("fold 1 has row 2 among its training rows and among its test rows"));
}

#[test]
fn chosen_rows_keep_their_folds() {
    let folds = [fold(&[0, 1, 2], &[3, 4]), fold(&[3, 4], &[0, 1, 2]), fold(&[0, 3], &[1])];
    // Rows 4, 0 and 2 become 0, 1 and 2; the last fold has lost its test row.
    let expected = [fold(&[1, 2], &[0]), fold(&[0], &[1, 2])];
    assert_eq!(selected(&folds, &[4, 0, 2]).unwrap(), expected);
    assert_eq!(selected(&folds[2..], &[4, 0, 2]), Err(SplitError::NoFoldLeft { rows: 3 }));
    assert!(is_forward(&[fold(&[0, 1], &[2]), fold(&[1], &[4, 3])]));
    assert!(!is_forward(&folds));
}

#[test]
fn groups_stay_together_where_there_are_enough() {
    let mut data = Task::Friedman1.generate(60, 0.0, 1);
    assert_eq!(inner_folds(&data, 5, &mut Sampler::new(1)), k_fold(60, 5, &mut Sampler::new(1)));
    data.groups = (0..60).map(|row| row / 10).collect();
    let group = |rows: &[usize]| rows.iter().map(|row| row / 10).collect::<std::collections::BTreeSet<_>>();
    let splits = inner_folds(&data, 5, &mut Sampler::new(1));
    let held_out = inner_holdout(&data, 0.1, &mut Sampler::new(1));
    assert!(splits.iter().chain([&held_out]).all(|split| group(&split.train).is_disjoint(&group(&split.test))));
    // Six groups are too few for seven folds.
    assert_eq!(inner_folds(&data, 7, &mut Sampler::new(1)), k_fold(60, 7, &mut Sampler::new(1)));
}
