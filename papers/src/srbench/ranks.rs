//! Ranks and sizes among the published methods.

use crate::srbench::set::Set;
use crate::table::{Row, mean, median};

/// The mark of the sets of Friedman's functions, which are most of the sets and much alike.
const FRIEDMAN: &str = "_fri_";

/// The methods that ours is compared with set by set.
const RIVALS: [&str; 2] = ["*Operon", "XGB"];

/// Returns the mean rank of every method beside ours, and the shares of the sets on which ours is ahead of two of them.
pub fn rows(methods: &[String], sets: &[Set], r2: &[f64], seeds: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let all = |_: &Set| true;
    let others = |set: &Set| !set.name.contains(FRIEDMAN);
    for (what, chosen) in [("sets", &all as &dyn Fn(&Set) -> bool), ("sets not by Friedman", &others)] {
        let of_sets: Vec<(&Set, f64)> = sets.iter().zip(r2.iter().copied()).filter(|(set, _)| chosen(set)).collect();
        if of_sets.is_empty() {
            continue;
        }
        let ranks = mean_ranks(&of_sets);
        for (method, rank) in methods.iter().zip(&ranks[1..]) {
            let row = format!("mean rank over {} {what}, {}", of_sets.len(), plain(method));
            rows.push(Row::new(row, Some(*rank), ranks[0], "1", seeds));
        }
        for name in RIVALS {
            let Some(method) = methods.iter().position(|method| method == name) else { continue };
            let ahead = of_sets.iter().filter(|(set, r2)| *r2 > set.published[method]).count();
            let share = 100.0 * ahead as f64 / of_sets.len() as f64;
            rows.push(Row::new(format!("{what} ahead of {}", plain(name)), None, share, "%", seeds));
        }
    }
    rows
}

/// Returns the median size of the models of every published method beside that of ours; nothing where sizes are not
/// published.
pub fn sizes(methods: &[String], sets: &[Set], ours: &[f64], seeds: usize) -> Vec<Row> {
    let row = |(place, method): (usize, &String)| {
        let published: Vec<f64> = sets.iter().filter_map(|set| set.sizes.get(place).copied()).collect();
        let size = (published.len() == sets.len()).then(|| median(&published));
        size.map(|size| Row::new(format!("median size, {}", plain(method)), Some(size), median(ours), "numbers", seeds))
    };
    methods.iter().enumerate().filter_map(row).collect()
}

/// Returns the name of a method; a star marks symbolic regression.
fn plain(method: &str) -> &str {
    method.trim_start_matches('*')
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
    use std::path::PathBuf;

    use super::*;

    fn set(published: &[f64], sizes: &[f64]) -> Set {
        let (published, sizes) = (published.to_vec(), sizes.to_vec());
        Set { name: String::new(), file: PathBuf::new(), published, sizes }
    }

    #[test]
    fn equal_values_share_their_rank() {
        let (first, second) = (set(&[0.9, 0.5, 0.5], &[]), set(&[0.1, 0.2, f64::NEG_INFINITY], &[]));
        assert_eq!(mean_ranks(&[(&first, 0.7)]), [2.0, 1.0, 3.5, 3.5]);
        assert_eq!(mean_ranks(&[(&first, 0.5), (&second, 0.3)]), [2.0, 2.0, 2.5, 3.5]);
    }

    #[test]
    fn sizes_are_medians_over_the_sets() {
        let methods = ["*A", "B"].map(str::to_owned);
        let sets = [set(&[], &[9.0, 30.0]), set(&[], &[5.0, 10.0]), set(&[], &[7.0, 20.0])];
        let rows = sizes(&methods, &sets, &[100.0, 300.0, 200.0], 5);
        let figures: Vec<_> = rows.iter().map(|row| (row.row.as_str(), row.paper, row.ours)).collect();
        assert_eq!(figures, [("median size, A", Some(7.0), 200.0), ("median size, B", Some(20.0), 200.0)]);
        assert!(sizes(&methods, &[set(&[], &[])], &[100.0], 5).is_empty());
    }
}
