//! Models with steps: predictions, references of a sensor that drifts, resets and damaged states.

use srfm_runtime::format::Number;
use srfm_testing::{OwnedIntegers, OwnedModel, Rng, Shape};
use srfm_tests::real_data;
use srfm_trainer::data::Dataset;
use srfm_trainer::export::{Blob, NumberFormat, Regressors};
use srfm_trainer::{FitConfig, Grid, Run, fit};

use super::steps::words;

/// The numbers of inputs of random models. Seventeen have an offset and a gain alone.
const INPUTS: [usize; 6] = [1, 2, 3, 9, 16, 17];

/// A model and the steps of its driver.
pub struct Case {
    pub blob: Blob,
    pub regressors: Regressors,
    /// For each step what to do, a number for it, and the readings.
    pub steps: Vec<f32>,
}

impl Case {
    /// Returns models of all numbers of inputs, in every number format, with so many steps each.
    pub fn all(stream: u64, steps: usize) -> Vec<Case> {
        let numbers = [Number::F32, Number::I32, Number::I16];
        let both = INPUTS.iter().flat_map(|&inputs| [(inputs, Regressors::Inputs), (inputs, Regressors::Products)]);
        let case = |(i, (inputs, regressors)): (usize, (usize, Regressors))| {
            let mut rng = Rng::new(100 * stream + i as u64);
            let blob = random(numbers[i % 3], inputs, i % 5 != 4, &mut rng);
            let steps = drifting(&blob, steps, &mut rng);
            Case { blob, regressors, steps }
        };
        both.enumerate().map(case).collect()
    }

    /// Returns models of a gas turbine in floating point and in integers, with the rows of the two years after the
    /// fitted one; none without the data.
    pub fn of_gas_turbine() -> Option<Vec<Case>> {
        let years = ["2011", "2012", "2013"].map(|year| real_data(&format!("sensors/gas_turbine_{year}.csv")));
        let [first, second, third] = years.map(|path| path.map(|path| Dataset::read(path).expect("a table")));
        let (first, later) = (first?, [second?, third?]);
        // The carbon monoxide, the column before the last one, is another target.
        let inputs = first.x.ncols() - 1;
        let train = Dataset::new(first.x.columns(0, inputs).into_owned(), first.y.clone()).expect("a table");
        let case = |number: NumberFormat| {
            let mut config = FitConfig { grid: Grid::from([1e-3]), ..FitConfig::default() };
            config.encoding.number = number;
            config.method = config.method.tuned(|t| t.features = 40);
            let blob = fit(&train, &config, &Run::new(1)).expect("a fit").blob;
            let mut steps = Vec::new();
            for (row, (x, y)) in later.iter().flat_map(|year| year.x.row_iter().zip(year.y.iter())).enumerate() {
                let what = if row % 1000 == 999 { 2.0 } else { f32::from(u8::from(row % 10 == 0)) };
                steps.extend([what, *y as f32]);
                steps.extend(x.iter().take(inputs).map(|&x| x as f32));
            }
            Case { blob, regressors: Regressors::Products, steps }
        };
        Some([NumberFormat::F32, NumberFormat::Int].map(case).into())
    }

    /// Returns the number of readings of a step.
    pub fn inputs(&self) -> usize {
        self.blob.model().inputs()
    }

    /// Returns the words that the driver writes.
    pub fn expected(&self) -> Vec<u32> {
        let model = self.blob.model();
        let products = self.regressors == Regressors::Products;
        let of_model = match (model.ranges().len(), products) {
            (0, true) => words::<3, 6>,
            (1, false) => words::<3, 6>,
            (1, true) => words::<5, 15>,
            (2, false) => words::<4, 10>,
            (2, true) => words::<7, 28>,
            (3, false) => words::<5, 15>,
            (3, true) => words::<9, 45>,
            (9, false) => words::<11, 66>,
            (9, true) => words::<21, 231>,
            (16, false) => words::<18, 171>,
            (16, true) => words::<35, 630>,
            _ => words::<2, 3>,
        };
        of_model(&model, &self.steps)
    }
}

/// Returns a random model of one quantity, with the ranges of its inputs or without.
fn random(number: Number, inputs: usize, with_ranges: bool, rng: &mut Rng) -> Blob {
    let shape =
        Shape { inputs: inputs as u16, blocks: vec![(2.min(inputs as u16), 4)], limited: true, ..Shape::default() };
    let ranges: Vec<[f32; 2]> = match with_ranges {
        true => (0..inputs).map(|input| [-2.0 - input as f32, 3.0 + rng.float(1.0)]).collect(),
        false => Vec::new(),
    };
    let bytes = match number {
        Number::F32 => {
            let mut model = OwnedModel::random(&shape, rng);
            (model.ranges, model.limits) = (ranges, vec![[-3.0, 5.0]]);
            model.half_widths = if rng.below(2) == 0 { vec![0.4] } else { Vec::new() };
            model.blob()
        }
        number => {
            let mut model = OwnedIntegers::random(number, &shape, rng);
            model.ranges = ranges;
            model.blob()
        }
    };
    Blob::new(&bytes).expect("a sound model")
}

/// Returns a model of two outputs.
pub fn of_two_outputs() -> Blob {
    let shape = Shape { inputs: 2, outputs: 2, ..Shape::default() };
    Blob::new(&OwnedModel::random(&shape, &mut Rng::new(1)).blob()).expect("a sound model")
}

/// Returns the steps of a sensor that drifts, with a reference at every other row, and with resets, damaged states and
/// hostile numbers on the way.
fn drifting(blob: &Blob, count: usize, rng: &mut Rng) -> Vec<f32> {
    let model = blob.model();
    let inputs = model.inputs();
    let mut steps = Vec::new();
    for step in 0..count {
        let x = if rng.below(20) == 0 { rng.hostile(inputs) } else { rng.floats(inputs, 3.0) };
        let mut y = [0.0];
        model.predict(&x, &mut y).expect("one quantity");
        let drift = step as f32 / count as f32;
        let truth = (1.0 + 0.5 * drift) * y[0] + drift + rng.float(0.1);
        let (what, number) = match rng.below(24) {
            place @ 2..8 => (place as f32, rng.below(1 << 14) as f32),
            8 => (1.0, rng.hostile(1)[0]),
            9..18 => (1.0, truth),
            _ => (0.0, 0.0),
        };
        // Few damaged states, rollbacks and new starts: most of a series is learned.
        let what = if (4.0..7.0).contains(&what) && rng.below(8) > 0 { 1.0 } else { what };
        steps.extend([what, if what == 1.0 && number != truth && number >= 0.0 { truth } else { number }]);
        steps.extend(x);
    }
    steps
}
