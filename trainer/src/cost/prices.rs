//! The table of prices: instructions of every part of a prediction on every core.
//!
//! `cargo test --release -p srfm-trainer --lib measure_prices -- --ignored` measures the table anew.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::cost::Core;
use crate::cost::operations::{NAMES, Operations};
use crate::cost::parts::Parts;

/// The table: path, part, and the price on every target.
const TABLE: &str = include_str!("prices.csv");

/// Paths of the table that stand for single operations in floating point: their largest and their usual counts.
pub(crate) const AT_MOST: &str = "operation at most";
pub(crate) const USUAL: &str = "operation usually";

/// The prices of all parts on every target.
pub(crate) struct Prices {
    targets: Vec<&'static str>,
    rows: HashMap<(&'static str, &'static str), Vec<f64>>,
}

impl Prices {
    /// Returns the table.
    pub fn table() -> &'static Prices {
        static PRICES: LazyLock<Prices> = LazyLock::new(|| Prices::read(TABLE));
        &PRICES
    }

    fn read(table: &'static str) -> Prices {
        let mut lines = table.lines().map(|line| line.split(','));
        let targets = lines.next().into_iter().flat_map(|head| head.skip(2)).collect();
        let row = |mut line: std::str::Split<'static, char>| {
            let key = (line.next()?, line.next()?);
            // A price that is absent makes the bound infinite.
            Some((key, line.map(|price| price.parse().unwrap_or(f64::INFINITY)).collect()))
        };
        Prices { targets, rows: lines.filter_map(row).collect() }
    }

    /// Returns the price of a part; infinite for a part that the table lacks.
    pub fn price(&self, path: &str, part: &str, core: Core) -> f64 {
        let column = self.targets.iter().position(|&target| target == core.target());
        let row = self.rows.get(&(path, part));
        column.and_then(|column| row?.get(column)).copied().unwrap_or(f64::INFINITY)
    }

    /// Returns the instructions of a prediction beside its operations in floating point.
    pub fn parts(&self, parts: &Parts, core: Core) -> f64 {
        parts.counts.iter().map(|(part, &count)| count as f64 * self.price(&parts.path, part, core)).sum()
    }

    /// Returns the prices of operations in floating point, [`AT_MOST`] or [`USUAL`]. Where they are instructions, they
    /// are in the prices of parts, and these are zero.
    pub fn operations(&self, which: &str, core: Core) -> Operations {
        if core.floating_point() {
            return Operations::default();
        }
        Operations(NAMES.map(|name| self.price(which, name, core)))
    }
}
