//! The sizes and the instructions of the pieces of generated C, fitted to measured programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::iter::repeat;
use std::process::Command;

use nalgebra::{DMatrix, DVector};
use srfm_runtime::Model;
use srfm_runtime::format::{ALL, Block, Kernel, Number, Place, Prepared, REPLACED, Scale};
use srfm_testing::{OwnedIntegers, OwnedModel, OwnedWindows, Rng, Shape, report_skipped, thorough};

use super::fit::at_least;
use super::program_runs::{CORES, Measured, TOOLS, measure};
use crate::cost::deployment::CODE_MARGIN;
use crate::cost::programs::{Price, Programs, STACK};
use crate::cost::{Core, Deployment};
use crate::export::{Blob, Outline, outline};

/// The models that are measured.
const MODELS: usize = 1600;

/// The ridge that leaves the bytes of pieces apart that no model tells apart, in units of the largest diagonal entry.
const RIDGE: f64 = 1e-6;

/// The difference in bytes, and the relative one in instructions, up to which its square counts, and the steps after
/// which the weights no longer change.
const CLOSE: [f64; 2] = [20.0, 0.01];
const STEPS: usize = 30;

/// The share of the programs that a fit holds below the table. Prices are promises.
const KEPT: f64 = 0.8;

/// The share of the programs whose cycles a common factor then holds below the table.
const KEPT_CYCLES: f64 = 0.98;

/// The largest share by which the table may exceed a program: for half of the programs, and for nine in ten. Registers
/// are given to whole programs rather than to pieces, so that a few programs are further off.
const ABOVE: [f64; 2] = [0.04, 0.1];

/// Both for cycles, which are raised until nearly all programs keep them. Taken branches of walks down trees cost more
/// than others.
const ABOVE_CYCLES: [f64; 2] = [0.1, 0.25];

/// The largest share by which a program may exceed the table, and the share of the programs that do.
const BELOW: f64 = 0.05;
const BROKEN: f64 = 0.1;

/// The bytes, the instructions and the cycles that a small program may differ by.
const FEW: [f64; 3] = [40.0, 20.0, 40.0];

/// The table of programs.
const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/cost/programs.csv");

/// The start of the names of pieces of windows. The price of a value of an integer model with windows is an estimate.
const WINDOW: &str = "float window";

/// The start of the names of pieces before and after an integer model whose readings have to be prepared.
const READINGS: &str = "float ";

/// A model and readings.
struct Sample {
    blob: Blob,
    readings: Vec<f32>,
    outline: Outline,
}

impl Sample {
    /// Returns a random model of the kinds that fits give, with blocks of ascending order.
    ///
    /// Linear terms and the features of the last block often take all inputs in order, and every tenth model is a line.
    /// A third of those with prepared inputs replaces missing readings. With `any`, half of the models have warps,
    /// kernels are drawn, and a block can have a single feature. Otherwise all are cosines without warps. Every fourth
    /// model has rules, half of those nothing else. Walks down trees are the longest ones.
    fn random(outputs: usize, any: bool, rng: &mut Rng) -> Sample {
        let number = Number::ALL[rng.below(Number::ALL.len())];
        let inputs = some_inputs(rng);
        let prepared = [0, 1 + rng.below(8)][rng.below(2)];
        let view = if prepared == 0 { inputs } else { prepared };
        let first = 1 + rng.below(view.min(4));
        let usual = if number == Number::F32 { Kernel::Cosine } else { Kernel::Polynomial };
        let block = |i: usize, rng: &mut Rng| {
            let features = if any { [1, 2 + rng.below(40)][rng.below(8).min(1)] } else { 4 + rng.below(40) };
            ((first + i) as u16, features)
        };
        let mut blocks: Vec<_> = (0..1 + rng.below(3).min(view - first)).map(|i| block(i, rng)).collect();
        if view > 1 && rng.below(3) == 0 {
            blocks.last_mut().expect("at least one block").0 = ALL;
        }
        // Linear terms of all inputs, of some, or none.
        let mut linear = [view, view, 1 + rng.below(view), 0][rng.below(4)];
        if rng.below(10) == 0 {
            blocks.clear();
        }
        let trees = [1 + rng.below(40), 0, 0, 0][rng.below(4)];
        if trees > 0 && rng.below(2) == 0 {
            blocks.clear();
            linear = 0;
        }
        // The compiler drops the preparation and the history of inputs that nothing looks at. No export has them.
        let is_constant = linear == 0 && blocks.is_empty();
        let prepared = if is_constant { 0 } else { prepared };
        let lags = Lags::random(inputs, rng).filter(|_| !is_constant);
        let linear = if prepared > 0 || lags.is_some() { view } else { linear };
        let shape = Shape {
            kernel: [usual, Kernel::ALL[rng.below(Kernel::ALL.len())]][usize::from(any)],
            inputs: inputs as u16,
            prepared,
            warped: any && prepared > 0 && rng.below(2) == 0,
            outputs,
            linear,
            blocks,
            trees,
            limited: true,
            bounded: any && rng.below(3) == 0,
            ..Shape::default()
        };
        let replaced = if prepared > 0 && rng.below(3) == 0 { prepared } else { 0 };
        let classes = if lags.is_none() { some_classes(outputs, rng) } else { Vec::new() };
        let linear = (linear == view && linear > 0).then_some(view);
        let beside = Beside { linear, replaced, lags, counts: true, classes };
        let bytes =
            if number == Number::F32 { beside.float(&shape, rng) } else { beside.integers(number, &shape, rng) };
        let blob = Blob::new(&bytes).expect("a sound model");
        let reading = |x: f32| if shape.warped { x.abs() + 0.1 } else { x };
        let readings = rng.floats(beside.lags.map_or(inputs, |lags| lags.windows.len()), 4.0);
        let readings = readings.into_iter().map(reading).collect();
        let outline = outline(&blob.model());
        Sample { blob, readings, outline }
    }

    /// Returns a line of the statistics of random windows, in floating point.
    fn windowed(rng: &mut Rng) -> Sample {
        let inputs = 1 + rng.below(16);
        let samples = 2 + rng.below(80) as u16;
        let statistics = OwnedWindows::random(samples, inputs, rng);
        let readings = rng.floats(statistics.kept.len(), 4.0);
        let model = OwnedModel {
            inputs: inputs as u16,
            statistics: Some(statistics),
            intercepts: vec![0.5],
            limits: vec![[-3.0, 3.0]],
            linear_weights: rng.floats(inputs, 1.0),
            linear_inputs: (0..inputs as u16).collect(),
            ..OwnedModel::default()
        };
        let blob = Blob::new(&model.blob()).expect("a sound model");
        let outline = outline(&blob.model());
        Sample { blob, readings, outline }
    }

    /// Returns a line in integers, whose readings have to be prepared, of lags in a third of the samples, or rules in
    /// another third: these multiply nothing, so that the product is a part of the preparation.
    fn prepared(rng: &mut Rng) -> Sample {
        let inputs = 1 + rng.below(10);
        let number = [Number::I32, Number::I16][rng.below(2)];
        let outputs = [1, 1, 1, 2 + rng.below(3)][rng.below(4)];
        let kind = rng.below(3);
        let (has_lags, has_rules) = (kind == 0, kind == 1);
        let (linear, trees) = if has_rules { (0, 1 + rng.below(20)) } else { (inputs, 0) };
        let shape = Shape {
            inputs: inputs as u16,
            prepared: inputs,
            outputs,
            linear,
            blocks: Vec::new(),
            trees,
            ..Shape::default()
        };
        let lags = has_lags.then(|| Lags::new(inputs, rng));
        let linear = (linear > 0).then_some(linear);
        let beside = Beside { linear, replaced: 0, lags, counts: false, classes: Vec::new() };
        let bytes = beside.integers(number, &shape, rng);
        let blob = Blob::new(&bytes).expect("a sound model");
        let readings = rng.floats(beside.lags.map_or(inputs, |lags| lags.windows.len()), 4.0);
        let outline = outline(&blob.model());
        Sample { blob, readings, outline }
    }

    /// Returns whether the table has programs of the model on a core.
    fn is_on(&self, core: Core) -> bool {
        core.floating_point() || self.blob.model().header().number != Number::F32
    }

    /// Returns whether the program has pieces whose prices are estimates: lags, or names of classes.
    fn has_estimates(&self) -> bool {
        self.outline
            .pieces
            .keys()
            .any(|piece| piece.contains("history") || piece.contains("class") || piece.starts_with(WINDOW))
    }
}

/// What a model has beside its shape.
struct Beside {
    /// The number of linear terms, where they are of all inputs in order.
    linear: Option<usize>,
    /// The number of prepared inputs, where replacements take the place of their missing readings, otherwise 0.
    replaced: usize,
    lags: Option<Lags>,
    /// Whether samples in integers go in as they are.
    counts: bool,
    classes: Vec<String>,
}

impl Beside {
    /// Returns a random model in floating point.
    fn float(&self, shape: &Shape, rng: &mut Rng) -> srfm_testing::Blob {
        let mut model = OwnedModel::random(shape, rng);
        model.limits.iter_mut().for_each(|limits| *limits = [-3.0, 3.0]);
        model.trees.lead_to(rng.below(2) == 0);
        if replace_missing(self.replaced, &mut model.prepared) {
            model.replacements = rng.floats(self.replaced, 2.0);
        }
        if let Some(view) = self.linear {
            model.linear_inputs = (0..view as u16).collect();
        }
        if !self.classes.is_empty() {
            (model.limits, model.classes) = (Vec::new(), self.classes.clone());
        }
        if let Some(lags) = &self.lags {
            (model.windows, model.places) = (lags.windows.clone(), lags.places.clone());
        }
        model.blob()
    }

    /// Returns a random integer model.
    fn integers(&self, number: Number, shape: &Shape, rng: &mut Rng) -> srfm_testing::Blob {
        let mut model = OwnedIntegers::random(number, shape, rng);
        model.shifts.linear = 8 + rng.below(24) as u8;
        model.trees.lead_to(rng.below(2) == 0);
        // A prediction that is always beyond its limits would be a constant.
        for (limits, &intercept) in model.limits.iter_mut().zip(&model.intercepts) {
            *limits = [-1_000, 1_000].map(|away| (intercept as i32).saturating_add(away));
        }
        if replace_missing(self.replaced, &mut model.prepared) {
            model.replacements = (0..self.replaced).map(|_| rng.below(4_000) as i16 - 2_000).collect();
        }
        if let Some(view) = self.linear {
            model.linear_inputs = (0..view as u16).collect();
        }
        model.classes.clone_from(&self.classes);
        if !self.classes.is_empty() {
            // Scores have one unit, as exports of fits give them, and either of two classes can be decided for.
            model.scales.iter_mut().for_each(|scale| *scale = Scale { step: libm::exp2f(-24.0), offset: 0.0 });
            model.intercepts.fill(1 << 23);
        }
        if shape.warped {
            // Logarithms and roots of counts up to zero return at once.
            model.prepared.iter_mut().for_each(|p| (p.centre, p.exponent) = (0.0, 8));
        }
        if let Some(lags) = &self.lags {
            (model.windows, model.places) = (lags.windows.clone(), lags.places.clone());
        }
        if self.lags.is_some() && self.counts {
            model.prepared.iter_mut().for_each(|p| (p.centre, p.exponent) = (0.0, 0));
        }
        model.blob()
    }
}

/// Returns a number of inputs: seldom more than a dozen.
fn some_inputs(rng: &mut Rng) -> usize {
    let most = [12, 60][rng.below(6) / 5];
    1 + rng.below(most)
}

/// The samples that the inputs of a model come from.
struct Lags {
    windows: Vec<u8>,
    places: Vec<Place>,
}

impl Lags {
    /// Returns lags for every sixth model of few inputs.
    fn random(inputs: usize, rng: &mut Rng) -> Option<Lags> {
        (inputs <= 16 && rng.below(6) == 0).then(|| Lags::new(inputs, rng))
    }

    fn new(inputs: usize, rng: &mut Rng) -> Lags {
        let windows: Vec<u8> = (0..1 + rng.below(4)).map(|_| 1 + rng.below(6) as u8).collect();
        let slots: usize = windows.iter().map(|&window| usize::from(window)).sum();
        let place = |_| {
            let slot = rng.below(slots);
            Place { slot, difference: slot + 1 < slots && rng.below(3) == 0 }
        };
        Lags { places: (0..inputs).map(place).collect(), windows }
    }
}

/// Returns the names of classes of every sixth model, where there are as many as its outputs stand for.
fn some_classes(outputs: usize, rng: &mut Rng) -> Vec<String> {
    let count = match outputs {
        1 => 2,
        2 => 0,
        more => more,
    };
    if rng.below(6) > 0 { Vec::new() } else { (0..count).map(|class| class.to_string()).collect() }
}

/// Lets replacements take the place of missing readings of all prepared inputs, if `replaced` is not zero. Returns
/// whether it is not.
fn replace_missing(replaced: usize, prepared: &mut [Prepared]) -> bool {
    if replaced > 0 {
        prepared.iter_mut().for_each(|prepared| prepared.warp |= REPLACED);
    }
    replaced > 0
}

/// Measures the programs of samples.
fn measured(samples: &[&Sample], core: Core) -> Vec<Measured> {
    let models: Vec<(&Blob, &[f32])> = samples.iter().map(|sample| (&sample.blob, &sample.readings[..])).collect();
    measure(&models, core)
}

/// Replaces `programs.csv`.
#[test]
#[ignore = "replaces the table of programs, in some minutes"]
fn measure_programs() {
    let rng = &mut Rng::new(31);
    let samples = (0..MODELS).map(|i| {
        let outputs = if i % 8 == 0 { 2 + rng.below(5) } else { 1 };
        Sample::random(outputs, i % 2 == 1, rng)
    });
    let samples: Vec<Sample> = samples.collect();
    let pieces: BTreeSet<&String> = samples.iter().flat_map(|sample| sample.outline.pieces.keys()).collect();
    let pieces: Vec<&String> = pieces.into_iter().collect();
    let mut columns: Vec<(String, Vec<Option<f64>>)> = Vec::new();
    let mut stacks = Vec::new();
    for core in CORES {
        let samples: Vec<&Sample> = samples.iter().filter(|sample| sample.is_on(core)).collect();
        let measured = measured(&samples, core);
        let largest = |(m, sample): (&Measured, &&Sample)| m.stack.saturating_sub(sample.outline.arrays);
        let stack = measured.iter().zip(&samples).map(largest).max().unwrap_or(0);
        for figure in Figure::ALL {
            let name = figure.column(core);
            let is_measured = figure.measured(&measured[0]).is_finite();
            if is_measured && columns.iter().all(|(other, _)| *other != name) {
                columns.push((name, fitted(&pieces, &samples, &measured, figure)));
                stacks.push(if figure == Figure::Bytes { stack } else { 0 });
            }
        }
    }
    let mut table = String::from("piece");
    columns.iter().for_each(|(name, _)| write!(table, ",{name}").unwrap());
    for (row, piece) in pieces.iter().enumerate() {
        write!(table, "\n{piece}").unwrap();
        for price in columns.iter().map(|(_, prices)| prices[row]) {
            write!(table, ",{}", price.map_or(String::new(), |price| format!("{price:.2}"))).unwrap();
        }
    }
    write!(table, "\n{STACK}").unwrap();
    stacks.iter().for_each(|stack| write!(table, ",{stack}").unwrap());
    std::fs::write(PATH, table + "\n").expect("the checkout can be written");
}

/// The models with windows that are measured.
const WINDOWED: usize = 120;

/// Replaces the rows of windows in `programs.csv`, on cores with a floating-point unit.
///
/// The other cores have estimates for integer models, from programs of 5 and of 30 statistics of 64 samples: a sum or
/// product of libgcc takes 100 instructions on a Cortex-M0, 59 on a Cortex-M3 and 148 cycles on an AVR, to which the
/// estimates add a sixth.
#[test]
#[ignore = "replaces the rows of windows in the table of programs, in some minutes"]
fn measure_window_programs() {
    let rng = &mut Rng::new(34);
    let all: Vec<Sample> = (0..WINDOWED).map(|_| Sample::windowed(rng)).collect();
    let samples: Vec<&Sample> = all.iter().collect();
    let all_pieces: BTreeSet<&String> = all.iter().flat_map(|sample| sample.outline.pieces.keys()).collect();
    let pieces: Vec<&String> = all_pieces.into_iter().filter(|piece| piece.starts_with(WINDOW)).collect();
    let mut prices: BTreeMap<String, Vec<Option<f64>>> = BTreeMap::new();
    for core in CORES.into_iter().filter(|core| core.floating_point()) {
        let mut measured = measured(&samples, core);
        for (measured, sample) in measured.iter_mut().zip(&samples) {
            let mut others = sample.outline.clone();
            others.pieces.retain(|piece, _| !piece.starts_with(WINDOW));
            let price = Programs::table().code(&others, core);
            subtract(measured, price);
            let said = sample.outline.arrays + Programs::table().price(STACK, core).bytes as usize;
            assert!(measured.stack <= said, "{core}: a stack of {} bytes, {said} are said", measured.stack);
        }
        for figure in Figure::ALL.into_iter().filter(|figure| figure.measured(&measured[0]).is_finite()) {
            prices.entry(figure.column(core)).or_insert_with(|| fitted(&pieces, &samples, &measured, figure));
        }
    }
    replace_prices(&pieces, &prices);
}

/// The models in integers from readings that have to be prepared.
const PREPARED: usize = 240;

/// Replaces the rows of values in floating point before an integer model in `programs.csv`, and those of histories in
/// floating point on cores without a floating-point unit.
#[test]
#[ignore = "replaces the rows of prepared readings in the table of programs, in some minutes"]
fn measure_prepared_programs() {
    let rng = &mut Rng::new(35);
    let all: Vec<Sample> = (0..PREPARED).map(|_| Sample::prepared(rng)).collect();
    let samples: Vec<&Sample> = all.iter().collect();
    let mut prices = BTreeMap::new();
    let all_pieces: BTreeSet<&String> = all.iter().flat_map(|sample| sample.outline.pieces.keys()).collect();
    let of_readings: Vec<&String> = all_pieces.into_iter().filter(|piece| piece.starts_with(READINGS)).collect();
    for core in CORES {
        // With a floating-point unit, models in `f32` have histories as well, and tell their prices.
        let is_fitted = |piece: &str| piece.starts_with(READINGS) && !(core.floating_point() && is_history(piece));
        let pieces: Vec<&String> = of_readings.iter().copied().filter(|piece| is_fitted(piece)).collect();
        let mut measured = measured(&samples, core);
        for (measured, sample) in measured.iter_mut().zip(&samples) {
            let mut others = sample.outline.clone();
            others.pieces.retain(|piece, _| !is_fitted(piece));
            subtract(measured, Programs::table().code(&others, core));
            let said = sample.outline.arrays + Programs::table().price(STACK, core).bytes as usize;
            assert!(measured.stack <= said, "{core}: a stack of {} bytes, {said} are said", measured.stack);
        }
        for figure in Figure::ALL.into_iter().filter(|figure| figure.measured(&measured[0]).is_finite()) {
            // The work of rules is a bound, which may be far above what a walk takes.
            let tells = |sample: &Sample| figure == Figure::Bytes || sample.blob.model().trees().is_none();
            let told: Vec<usize> = (0..samples.len()).filter(|&place| tells(samples[place])).collect();
            let of_told: Vec<&Sample> = told.iter().map(|&place| samples[place]).collect();
            let figures: Vec<Measured> = told.iter().map(|&place| measured[place]).collect();
            let fitted = fitted(&pieces, &of_told, &figures, figure);
            let of_piece = |piece: &&String| pieces.iter().position(|other| other == piece).and_then(|i| fitted[i]);
            prices.entry(figure.column(core)).or_insert_with(|| of_readings.iter().map(of_piece).collect());
        }
    }
    replace_prices(&of_readings, &prices);
}

fn is_history(piece: &str) -> bool {
    piece.starts_with("float history")
}

/// Takes the price of other code away from what a program takes.
fn subtract(measured: &mut Measured, price: Price) {
    measured.bytes -= price.bytes;
    measured.instructions = measured.instructions.map(|counted| counted - price.instructions);
    measured.cycles = measured.cycles.map(|counted| counted - price.cycles);
}

/// Replaces the prices of pieces in `programs.csv`, given for each column; where there is none, the old one stays.
fn replace_prices(pieces: &[&String], prices: &BTreeMap<String, Vec<Option<f64>>>) {
    let table = std::fs::read_to_string(PATH).expect("the table can be read");
    let head = table.lines().next().expect("the table has a head");
    let is_replaced = |row: &&str| pieces.iter().any(|piece| row.split(',').next() == Some(piece.as_str()));
    let mut rows: Vec<String> = table.lines().skip(1).filter(|row| !is_replaced(row)).map(str::to_owned).collect();
    for (place, piece) in pieces.iter().enumerate() {
        let before = table.lines().find(|row| row.split(',').next() == Some(piece.as_str())).unwrap_or_default();
        let figures = head.split(',').zip(before.split(',').chain(repeat(""))).skip(1).map(|(column, before)| {
            let price = prices.get(column).and_then(|prices| prices[place]);
            price.map_or(before.to_owned(), |price| format!("{price:.2}"))
        });
        rows.push(format!("{piece},{}", figures.collect::<Vec<_>>().join(",")));
    }
    // The bytes of the stack come last.
    rows.sort_by_key(|row| (row.starts_with(STACK), row.split(',').next().unwrap_or_default().to_owned()));
    std::fs::write(PATH, format!("{head}\n{}\n", rows.join("\n"))).expect("the checkout can be written");
}

/// A figure of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Figure {
    Bytes,
    Instructions,
    Cycles,
}

impl Figure {
    const ALL: [Figure; 3] = [Figure::Bytes, Figure::Instructions, Figure::Cycles];

    /// Returns the name of the column: cores of one target share those of bytes and of instructions.
    fn column(self, core: Core) -> String {
        match self {
            Figure::Bytes => format!("{} bytes", core.target()),
            Figure::Instructions => format!("{} instructions", core.target()),
            Figure::Cycles => format!("{} cycles", core.name()),
        }
    }

    /// Returns the figure of a program; not a number where it is not known.
    fn measured(self, measured: &Measured) -> f64 {
        match self {
            Figure::Bytes => measured.bytes,
            Figure::Instructions => measured.instructions.unwrap_or(f64::NAN),
            Figure::Cycles => measured.cycles.unwrap_or(f64::NAN),
        }
    }
}

/// Returns the figures of pieces; none for a piece that no sample has.
///
/// Bytes have the least sum of absolute differences, and of squared ones below [`CLOSE`]; instructions and cycles that
/// of relative differences; cycles have a factor then. Programs above their price weigh more, so that four in five are
/// not (R. Koenker and G. Bassett, *Regression quantiles*, 1978). A few programs that the compiler treats in another
/// way do not change the prices of all others. Pieces share code, so that the bytes of a piece can be negative.
/// Instructions cannot: where few samples have two pieces, these must not balance each other.
fn fitted(pieces: &[&String], samples: &[&Sample], measured: &[Measured], figure: Figure) -> Vec<Option<f64>> {
    let is_bytes = figure == Figure::Bytes;
    let count = |row: usize, piece: usize| {
        let counts = samples[row].outline.pieces.get(pieces[piece]);
        counts.map_or(0, |[copies, runs]| if is_bytes { *copies } else { *runs })
    };
    let tables = |row: usize| (samples[row].outline.parameters + samples[row].outline.constants) as f64;
    let of_row = |row: usize| figure.measured(&measured[row]);
    let [total, unit]: [&dyn Fn(usize) -> f64; 2] = match is_bytes {
        true => [&|row| of_row(row) - tables(row), &|_| 1.0],
        false => [&of_row, &of_row],
    };
    let close = if is_bytes { CLOSE[0] } else { CLOSE[1] };
    let parts = DMatrix::from_fn(samples.len(), pieces.len(), |row, piece| count(row, piece) as f64 / unit(row));
    let rest = DVector::from_fn(samples.len(), |row, _| total(row) / unit(row));
    let least = DVector::from_iterator(pieces.len(), pieces.iter().map(|piece| least_instructions(piece)));
    let mut weights = DVector::from_element(samples.len(), 1.0);
    let mut prices = least.clone();
    for _ in 0..STEPS {
        let weighted = DMatrix::from_fn(samples.len(), pieces.len(), |r, c| parts[(r, c)] * weights[r]);
        let mut gram = parts.tr_mul(&weighted);
        let target = weighted.tr_mul(&rest);
        if is_bytes {
            let ridge = RIDGE * gram.diagonal().max();
            gram += DMatrix::identity(pieces.len(), pieces.len()) * ridge;
            prices = gram.lu().solve(&target).expect("the ridge leaves no singular matrix");
        } else {
            prices = at_least(&least, &gram, &target, prices);
        }
        weights = (&parts * &prices - &rest).map(|off| {
            let side = if off < 0.0 { KEPT / (1.0 - KEPT) } else { 1.0 };
            side / (off.abs() / close).max(1.0)
        });
    }
    if figure == Figure::Cycles {
        let mut short: Vec<f64> = (&parts * &prices).iter().map(|said| 1.0 / said).collect();
        short.sort_by(f64::total_cmp);
        prices *= short[(KEPT_CYCLES * short.len() as f64) as usize].max(1.0);
    }
    let seen = |piece: &&String| samples.iter().any(|sample| sample.outline.pieces.contains_key(piece.as_str()));
    prices.iter().zip(pieces).map(|(&price, piece)| seen(piece).then_some(price)).collect()
}

/// The least instructions of pieces by the ends of their names: those of every product, and of the loads, stores and
/// branches without which no compiler does.
const LEAST: [(&str, f64); 10] = [
    (" reading", 3.0),
    (" input", 1.0),
    ("linear loop counted", 1.0),
    ("linear loop listed", 1.0),
    ("linear term", 1.0),
    ("preparation straight", 2.0),
    ("preparation in a loop", 4.0),
    (" condition", 8.0),
    (" condition outputs", 8.0),
    (" rule", 2.0),
];

/// Returns the least instructions of a piece.
fn least_instructions(piece: &str) -> f64 {
    LEAST.iter().find(|(end, _)| piece.ends_with(end)).map_or(0.0, |&(_, least)| least)
}

/// Returns the multiplications of a prediction beside those of kernels: each takes at least one instruction.
fn products(model: &Model<'_>) -> usize {
    let of_block = |block: Block<'_>| block.features() * usize::from(block.order);
    model.linear().inputs.iter().count() + model.blocks().map(of_block).sum::<usize>()
}

/// Models of any shape have a price on every core of the table, which is at least that of their multiplications.
#[test]
fn every_piece_has_a_price() {
    let rng = &mut Rng::new(33);
    let check = |bytes: &[u8]| {
        let blob = Blob::new(bytes).expect("a sound model");
        for core in CORES {
            let footprint = Deployment::C(core).footprint(&blob.model());
            let known = core.floating_point() || blob.model().header().number != Number::F32;
            assert_eq!(footprint.is_some(), known, "{core}: {:?}", outline(&blob.model()));
            let least = products(&blob.model());
            let work = footprint.and_then(|footprint| footprint.instructions.or(footprint.cycles));
            let enough = work.is_none_or(|work| work as usize >= least);
            assert!(enough, "{core}: {least} {:?}", outline(&blob.model()));
        }
    };
    for _ in 0..400 {
        let shape = Shape::of_any_size(Number::I32, rng);
        for number in [Number::I32, Number::I16] {
            check(&OwnedIntegers::random(number, &shape, rng).blob());
        }
        check(&OwnedModel::random(&Shape::of_any_size(Number::F32, rng), rng).blob());
        check(Sample::windowed(rng).blob.bytes());
    }
}

/// Programs of other models than those that the table was fitted to take what it says, with rules and replacements of
/// missing readings among them. Prices of lags and of classes are estimates, which are not compared.
#[test]
fn programs_take_what_the_table_says() {
    let missing = TOOLS.iter().find(|tool| Command::new(tool).arg("--version").output().is_err());
    if let Some(tool) = missing {
        return report_skipped(&format!("{tool} is not installed"));
    }
    let rng = &mut Rng::new(32);
    let count = if thorough() { 80 } else { 60 };
    let samples: Vec<Sample> = (0..count).map(|_| Sample::random(1, false, rng)).collect();
    for core in CORES {
        let compared = |sample: &&Sample| sample.is_on(core) && !sample.has_estimates();
        let samples: Vec<&Sample> = samples.iter().filter(compared).collect();
        let mut off = Figure::ALL.map(|_| Vec::new());
        for (sample, measured) in samples.iter().zip(measured(&samples, core)) {
            let said = Deployment::C(core).footprint(&sample.blob.model()).expect("every piece has a price");
            assert!(said.stack_bytes >= measured.stack, "{core}: {said:?} {measured:?} {:?}", sample.outline);
            let figures = [Some(said.flash_bytes as f64), said.instructions.map(f64::from), said.cycles.map(f64::from)];
            for (place, said) in figures.into_iter().enumerate() {
                let measured = Figure::ALL[place].measured(&measured);
                let Some(said) = said.filter(|_| measured.is_finite()) else { continue };
                let is_close = (said - measured).abs() < FEW[place];
                off[place].push((if is_close { 0.0 } else { said / measured - 1.0 }, sample));
            }
        }
        assert!(off[0].len() >= 30, "models of every number format");
        for (what, mut off) in ["bytes", "instructions", "cycles"].into_iter().zip(off) {
            off.sort_by(|a, b| a.0.total_cmp(&b.0));
            let Some(last) = off.len().checked_sub(1) else { continue };
            let [least, half, most] = [0, last / 2, last * 9 / 10].map(|place| off[place].0);
            let below = off.iter().filter(|(share, _)| *share < 0.0).count() as f64 / off.len() as f64;
            println!("{core}: {what} {least:.3} to {half:.3}, {most:.3}; {below:.3} of {} are below", off.len());
            let worst = &off[0].1.outline;
            assert!(least >= -BELOW && below <= BROKEN, "{core}: {what} {least} {below} {worst:?}");
            let above = match what {
                "bytes" => ABOVE.map(|above| above + CODE_MARGIN - 1.0),
                "instructions" => ABOVE,
                _ => ABOVE_CYCLES,
            };
            assert!(half <= above[0] && most <= above[1], "{core}: {what} {half} {most}");
        }
    }
}
