//! Bounds of the instructions of a prediction and of a sample, known without an emulator, and the table of prices that
//! they come from.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use srfm_runtime::Model;
use srfm_runtime::format::{Lags, Samples, Statistic, Windows};

use crate::cost::Core;
use crate::cost::parts::{NAMES, Operations, Parts};

/// The factor between the sum of prices and the bound: counts of models that the prices were not fitted to were up to
/// 1.8 % above the sum.
const SAFETY: f64 = 1.02;

/// The same on a Cortex-M0, where up to 2.4 % and 30 instructions were missing: it divides numbers of features in
/// software.
const SAFETY_M0: f64 = 1.035;

/// What the bound of a Cortex-M0 has beside.
const BESIDE_M0: f64 = 40.0;

/// Returns the largest number of instructions that a prediction takes on `core`. An integer model is counted from
/// integers to integers.
///
/// Readings that make a result of `f32` no number are left out. Where floating point is software, every operation
/// counts as much as its most expensive numbers take, such as subnormal ones: about twice the instructions that usual
/// readings take. [`instructions_mean`] states these. On a core without the runtime the number is the largest there is.
pub fn instruction_bound(model: &Model<'_>, core: Core) -> u32 {
    // The conversion ends at the largest integer, which no budget allows.
    let is_m0 = matches!(core, Core::CortexM0 | Core::CortexM0Plus);
    let (factor, beside) = if is_m0 { (SAFETY_M0, BESIDE_M0) } else { (SAFETY, 0.0) };
    (factor * instructions(model, core, AT_MOST) + beside).ceil() as u32
}

/// Returns the number of instructions that a prediction of usual readings takes on `core`: the sum of prices without
/// the factor of safety and, where floating point is software, with the usual price of every operation.
pub fn instructions_mean(model: &Model<'_>, core: Core) -> u32 {
    instructions(model, core, USUAL).ceil() as u32
}

fn instructions(model: &Model<'_>, core: Core, which: &str) -> f64 {
    if !core.has_runtime() {
        return f64::INFINITY;
    }
    let prices = Prices::table();
    let parts = Parts::new(model);
    let operations = parts.operations.priced(&prices.operations(which, core));
    prices.parts(&parts, core) + operations
}

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

/// The paths of lags and of windows in the table of prices.
pub(crate) const LAGS: &str = "history";
pub(crate) const WINDOWS: &str = "windows";

/// The factor between the sum of prices and the bound.
const HISTORY_SAFETY: f64 = 1.02;

/// Returns the largest number of instructions that a history takes for a sample on `core`, before the prediction; 0 of
/// a model without lags and windows. In windows, the sample that completes one takes the most.
pub fn history_bound(model: &Model<'_>, core: Core) -> u32 {
    if model.samples().is_empty() {
        return 0;
    }
    if !core.has_runtime() {
        return u32::MAX;
    }
    let prices = Prices::table();
    let parts = parts(model);
    let operations = parts.operations.priced(&prices.operations(AT_MOST, core));
    (HISTORY_SAFETY * (prices.parts(&parts, core) + operations)).ceil() as u32
}

/// Returns the parts of the code that takes a sample.
pub(crate) fn parts(model: &Model<'_>) -> Parts {
    match model.samples() {
        Samples::Lags(lags) => of_lags(&lags, model.inputs()),
        Samples::Windows(windows) => of_windows(&windows, model.inputs()),
    }
}

fn of_lags(lags: &Lags<'_>, inputs: usize) -> Parts {
    let differences = lags.places().filter(|place| place.difference).count();
    let counts = [
        ("call", 1),
        ("channel", lags.channels()),
        ("slot", lags.slots()),
        ("input", inputs),
        ("difference", differences),
    ];
    Parts {
        path: LAGS.to_owned(),
        counts: BTreeMap::from(counts.map(|(part, count)| (part.to_owned(), count))),
        operations: Operations([1.0, 0.0, 0.0, 0.0, 0.0, 0.0]) * differences as f64,
    }
}

/// Returns the parts of the sample that completes a window.
fn of_windows(windows: &Windows<'_>, inputs: usize) -> Parts {
    let samples = usize::from(windows.samples());
    let channels = windows.kept_channels();
    let moved = samples - usize::from(windows.step());
    let mut counts = BTreeMap::new();
    let mut add = |part: &str, count: usize| *counts.entry(part.to_owned()).or_insert(0) += count;
    add("call", 1);
    add("channel", windows.channels());
    add("kept channel", channels);
    add("kept reading", channels * moved);
    add("input", inputs);
    let mut operations = Operations::default();
    let mut latest = None;
    for input in windows.inputs() {
        let Some((name, per_reading, at_the_end)) = priced(input.statistic) else { continue };
        if latest != Some(input.channel) {
            // The mean of a channel.
            add("mean", 1);
            add("mean reading", samples);
            operations += Operations([samples as f64, 0.0, 1.0, 0.0, 0.0, 0.0]);
            latest = Some(input.channel);
        }
        add(name, 1);
        add(&format!("{name} reading"), if per_reading == Operations::default() { 0 } else { samples });
        operations += per_reading * samples as f64;
        operations += at_the_end;
    }
    counts.retain(|_, &mut count| count > 0);
    Parts { path: WINDOWS.to_owned(), counts, operations }
}

/// Returns the name of a statistic in the table of prices, its operations for every reading, and those at the end; none
/// for an input that is not used.
fn priced(statistic: Statistic) -> Option<(&'static str, Operations, Operations)> {
    let none = Operations::default();
    Some(match statistic {
        Statistic::Unused => return None,
        Statistic::Mean => ("stored mean", none, none),
        Statistic::Deviation => {
            ("deviation", Operations([2.0, 1.0, 0.0, 0.0, 0.0, 0.0]), Operations([0.0, 0.0, 1.0, 0.0, 0.0, 1.0]))
        }
        Statistic::Minimum | Statistic::Maximum => ("extreme", Operations([0.0, 0.0, 0.0, 2.0, 0.0, 0.0]), none),
        Statistic::Crossings => {
            ("crossings", Operations([0.0, 0.0, 0.0, 1.0, 0.0, 0.0]), Operations([0.0, 0.0, 0.0, 1.0, 0.0, 0.0]))
        }
        Statistic::Band(_) => {
            ("band", Operations([3.0, 1.0, 0.0, 0.0, 0.0, 0.0]), Operations([2.0, 5.0, 1.0, 0.0, 0.0, 1.0]))
        }
    })
}
