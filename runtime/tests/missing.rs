//! A missing reading never becomes a number: every number format, kernel and path, with lags and without.

use srfm_runtime::format::{Kernel, Number, Place, Prepared, REPLACED};
use srfm_runtime::{Error, History, MISSING, Model};
use srfm_testing::{Blob, OwnedIntegers, OwnedModel, Rng, Shape};

/// The inputs that features refer to. Models have one more, which nothing refers to.
const USED: u16 = 3;

/// What takes the place of a missing reading of the first input, where anything does.
const REPLACEMENT: f32 = 2.5;

/// How a model treats its readings.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Preparation {
    Raw,
    Centred,
    Replaced,
    Warped,
}

const PREPARATIONS: [Preparation; 4] =
    [Preparation::Raw, Preparation::Centred, Preparation::Replaced, Preparation::Warped];

/// The lags of a model: its first input is a reading, the second the one before, the third their difference.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lags {
    None,
    Two,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
struct Row {
    number: Number,
    kernel: Kernel,
    /// Models of one output take other loops than models of several.
    outputs: usize,
    mixed: bool,
    preparation: Preparation,
    lags: Lags,
}

impl Row {
    /// Returns every row of the table.
    fn all() -> Vec<Row> {
        let mut rows = Vec::new();
        for &number in Number::ALL {
            for &kernel in Kernel::ALL {
                for (outputs, mixed) in [(1, false), (5, false), (1, true)] {
                    for preparation in PREPARATIONS {
                        for lags in [Lags::None, Lags::Two] {
                            rows.push(Row { number, kernel, outputs, mixed, preparation, lags });
                        }
                    }
                }
            }
        }
        rows
    }

    /// Returns the prepared inputs: all, of which the first is replaced where the row says so.
    fn prepared(&self) -> Vec<Prepared> {
        let prepare = |input: u16| {
            let flag = if self.preparation == Preparation::Replaced && input == 0 { REPLACED } else { 0 };
            let warp = if self.preparation == Preparation::Warped { 1 } else { 0 };
            Prepared { centre: 0.5, input, warp: warp | flag, exponent: 4 }
        };
        if self.preparation == Preparation::Raw { Vec::new() } else { (0..USED).map(prepare).collect() }
    }

    /// Returns the model of the row, with or without classes.
    fn model(&self, classes: bool) -> Blob {
        let rng = &mut Rng::new(7);
        let &Row { kernel, outputs, mixed, .. } = self;
        let shape = Shape { kernel, outputs, mixed, inputs: USED, linear: 3, blocks: blocks(), ..Shape::default() };
        let count = if outputs == 1 { 2 } else { outputs };
        let classes: Vec<String> = if classes { (0..count).map(|i| i.to_string()).collect() } else { Vec::new() };
        let place = |(slot, difference): (usize, bool)| Place { slot, difference };
        let places = [(0, false), (1, false), (0, true), (0, false)].map(place).to_vec();
        let (windows, places) = if self.lags == Lags::Two { (vec![2], places) } else { Default::default() };
        let prepared = self.prepared();
        let replaced = self.preparation == Preparation::Replaced;
        if self.number == Number::F32 {
            let mut model = OwnedModel::random(&shape, rng);
            (model.inputs, model.linear_inputs) = (USED + 1, vec![0, 1, 2]);
            (model.prepared, model.windows, model.places) = (prepared, windows, places);
            model.replacements = if replaced { vec![REPLACEMENT] } else { Vec::new() };
            model.limits = if classes.is_empty() { vec![[-10.0, 10.0]; outputs] } else { Vec::new() };
            return OwnedModel { classes, ..model }.blob();
        }
        let mut model = OwnedIntegers::random(self.number, &shape, rng);
        (model.shape.inputs, model.linear_inputs, model.shifts.linear) = (USED + 1, vec![0, 1, 2], 20);
        (model.prepared, model.windows, model.places) = (prepared, windows, places);
        model.replacements = if replaced { vec![32] } else { Vec::new() };
        OwnedIntegers { classes, ..model }.blob()
    }
}

/// Returns blocks whose features refer to one and to two inputs.
fn blocks() -> Vec<(u16, usize)> {
    vec![(1, 3), (2, 4)]
}

/// Returns the bits of a prediction from readings; none where every output is missing. No output may be missing alone.
fn predict(model: &Model<'_>, x: &[f32]) -> Option<Vec<u32>> {
    let mut y = vec![7.0; model.outputs()];
    model.predict(x, &mut y).unwrap();
    let missing = y.iter().filter(|y| y.is_nan()).count();
    assert!([0, y.len()].contains(&missing), "{y:?}");
    (missing == 0).then(|| y.iter().map(|y| y.to_bits()).collect())
}

#[test]
fn a_missing_reading_is_replaced_or_leaves_no_prediction() {
    for row in Row::all() {
        let blob = row.model(false);
        let model = Model::parse(&blob).unwrap();
        let usual = [1.5, 3.0, 2.0, 1.0];
        let expected = predict(&model, &usual).expect("a number");
        for input in 0..usual.len() {
            let mut x = usual;
            x[input] = f32::NAN;
            let found = predict(&model, &x);
            match (input, row.preparation) {
                (0, Preparation::Replaced) => {
                    x[input] = REPLACEMENT;
                    assert_eq!(found, predict(&model, &x), "{row:?}");
                }
                (3, _) => assert_eq!(found.as_ref(), Some(&expected), "{row:?}: an unused reading"),
                _ => assert_eq!(found, None, "{row:?}, input {input}"),
            }
        }
    }
}

#[test]
fn a_missing_integer_is_replaced_or_an_error() {
    for row in Row::all().into_iter().filter(|row| row.number != Number::F32) {
        let blob = row.model(false);
        let model = Model::parse(&blob).unwrap();
        let values = if row.preparation == Preparation::Raw { USED + 1 } else { USED };
        for value in 0..usize::from(values) {
            let mut z = vec![100; values.into()];
            z[value] = MISSING;
            let mut y = vec![77; row.outputs];
            let found = model.predict_integers(&z, &mut y);
            match (value, row.preparation) {
                (0, Preparation::Replaced) => {
                    let mut replaced = vec![0; row.outputs];
                    z[0] = 32;
                    assert_eq!((found, model.predict_integers(&z, &mut replaced)), (Ok(()), Ok(())), "{row:?}");
                    assert_eq!(y, replaced, "{row:?}");
                }
                (3, _) => assert_eq!(found, Ok(()), "{row:?}: an unused reading"),
                _ => {
                    assert_eq!(found, Err(Error::MissingReading), "{row:?}, value {value}");
                    assert_eq!(y, vec![77; row.outputs], "{row:?}");
                }
            }
        }
    }
}

#[test]
fn a_missing_reading_has_no_class() {
    for row in Row::all() {
        let blob = row.model(true);
        let model = Model::parse(&blob).unwrap();
        let mut scores = vec![0.0; row.outputs];
        for (x, known) in [([1.5, 3.0, 2.0, 1.0], true), ([1.5, f32::NAN, 2.0, 1.0], false)] {
            let class = model.classify(&x, &mut scores).unwrap();
            assert_eq!(class.is_some(), known, "{row:?}");
        }
    }
}

#[test]
fn a_missing_reading_leaves_the_window_of_a_history() {
    for row in Row::all().into_iter().filter(|row| row.lags == Lags::Two) {
        let blob = row.model(false);
        let model = Model::parse(&blob).unwrap();
        let mut history = History::<2, 4>::new();
        let mut known = Vec::new();
        for reading in [1.0, 2.0, f32::NAN, 3.0, 4.0, 5.0] {
            let mut y = vec![0.0; row.outputs];
            if history.predict(&model, &[reading], &mut y).unwrap() {
                known.push(y.iter().all(|y| !y.is_nan()));
            }
        }
        // A replacement of the present reading alone is not enough: the difference is missing, too.
        assert_eq!(known, [true, false, false, true, true], "{row:?}");
    }
}

#[test]
fn a_history_of_counts_is_that_of_readings() {
    for row in Row::all().into_iter().filter(|row| row.lags == Lags::Two && row.number != Number::F32) {
        let blob = row.model(false);
        let model = Model::parse(&blob).unwrap();
        let mut counts = History::<2, 4, i16>::new();
        let mut readings = History::<2, 4>::new();
        for count in [100, -200, MISSING, 32_767, -32_767, 5] {
            let mut integers = vec![77; row.outputs];
            let found = counts.predict_integers(&model, &[count], &mut integers);
            if row.preparation != Preparation::Raw {
                assert_eq!(found, Err(Error::NotIntegers), "{row:?}: the unit of readings is another");
                continue;
            }
            let reading = if count == MISSING { f32::NAN } else { count.into() };
            let mut y = vec![0.0; row.outputs];
            let ready = readings.predict(&model, &[reading], &mut y).unwrap();
            match found {
                Ok(found) => assert_eq!(found, ready, "{row:?}"),
                Err(error) => {
                    assert_eq!(error, Error::MissingReading);
                    assert!(ready && y.iter().all(|y| y.is_nan()), "{row:?}");
                    continue;
                }
            }
            let in_units =
                |(scale, &integer): (&srfm_runtime::format::Scale, &i32)| scale.offset + scale.step * integer as f32;
            let expected: Vec<f32> = model.scales().iter().zip(&integers).map(in_units).collect();
            assert!(!ready || y == expected, "{row:?}: {y:?} {expected:?}");
        }
    }
}
