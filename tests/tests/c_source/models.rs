//! Random models, rows for them, and what the runtime computes.

use srfm_runtime::format::{Confidence, Number, Place, Scale};
use srfm_runtime::{Error, History, MISSING, Model};
use srfm_testing::{OwnedIntegers, OwnedModel, OwnedWindows, Rng, Shape};
use srfm_trainer::Blob;
use srfm_trainer::export::{CSource, Style};

/// The bits that stand for NaN.
pub const NAN: u32 = 0x7fc0_0000;

/// The largest number of slots and inputs of a random model with lags.
pub const MOST_SLOTS: usize = 64;

/// A model with rows of readings.
pub struct Case {
    pub blob: Blob,
    /// One row after the other.
    pub rows: Vec<f32>,
}

impl Case {
    /// Returns a random model of a seed and its rows, half of which are hostile.
    pub fn random(seed: u64, rows: usize) -> Case {
        let mut rng = Rng::new(seed);
        let number = [Number::F32, Number::F32, Number::I32, Number::I16][rng.below(4)];
        let shape = if rng.below(4) == 0 { Shape::of_any_size(number, &mut rng) } else { Shape::random(&mut rng) };
        let bytes = match number {
            Number::F32 => {
                let mut model = OwnedModel::random(&shape, &mut rng);
                model.slope = Some(rng.float(9.0).abs());
                model.confidence = confidence(&mut rng);
                if rng.below(4) == 0 && model.inputs <= 16 {
                    add_lags(model.inputs, (&mut model.windows, &mut model.places), &mut rng);
                    model.statistics = windows(model.inputs, seed);
                }
                model.blob()
            }
            Number::I32 | Number::I16 => {
                let mut model = OwnedIntegers::random(number, &shape, &mut rng);
                model.confidence = confidence(&mut rng);
                if rng.below(4) == 0 && shape.inputs <= 16 {
                    let inputs = shape.inputs;
                    add_lags(inputs, (&mut model.windows, &mut model.places), &mut rng);
                    model.statistics = windows(inputs, seed);
                    // Whole numbers go in as they are.
                    model.prepared.iter_mut().for_each(|p| (p.centre, p.exponent) = (0.0, 0));
                }
                model.blob()
            }
        };
        let inputs = usize::from(shape.inputs);
        let row = |i: usize| if i.is_multiple_of(2) { rng.floats(inputs, 4.0) } else { rng.hostile(inputs) };
        Case { blob: Blob::new(&bytes).expect("a sound model"), rows: (0..rows).flat_map(row).collect() }
    }

    /// Returns a classifier in integers whose scores have one unit and differ by little: some are equal in single
    /// precision, in which the runtime decides.
    pub fn of_near_scores(seed: u64) -> Case {
        let mut rng = Rng::new(seed);
        let outputs = 3 + rng.below(4);
        let shape = Shape { inputs: 1, outputs, ..Shape::default() };
        let mut model = OwnedIntegers::random(Number::I16, &shape, &mut rng);
        let near = (rng.bits() as i32) >> rng.below(16);
        let intercept = |_| near.wrapping_add(rng.below(300) as i32 - 150).cast_unsigned();
        model.intercepts = (0..outputs).map(intercept).collect();
        model.scales = vec![Scale { step: libm::exp2f(-20.0), offset: 0.0 }; outputs];
        model.classes = (0..outputs).map(|class| class.to_string()).collect();
        model.confidence =
            (rng.below(2) == 0).then(|| Confidence { level: 0.9, margin: 1e-6 * rng.float(100.0).abs() });
        Case { blob: Blob::new(&model.blob()).expect("a sound model"), rows: vec![1.0, f32::NAN] }
    }

    /// Returns the source of the model.
    pub fn source(&self, name: &str, style: Style) -> String {
        CSource::new(&self.blob, name).expect("a C identifier").with_style(style).text()
    }

    /// Returns the words that the driver writes for all rows.
    pub fn expected(&self) -> Vec<u32> {
        let model = self.blob.model();
        let mut histories = Histories { readings: History::new(), counts: History::new() };
        let rows = self.rows.chunks_exact(model.inputs());
        let unit = CSource::new(&self.blob, "m").expect("a C identifier").unit().is_some();
        rows.flat_map(|x| words_of(&model, x, &mut histories, unit)).collect()
    }
}

/// Returns how sure of a class a model must be; none of two thirds of the models.
fn confidence(rng: &mut Rng) -> Option<Confidence> {
    let margin = rng.float(3.0).abs() * libm::exp2f(-(rng.below(8) as f32));
    (rng.below(3) == 0).then_some(Confidence { level: 0.9, margin })
}

/// Lets the inputs of a model come from several samples.
pub fn add_lags(inputs: u16, (of_channels, of_inputs): (&mut Vec<u8>, &mut Vec<Place>), rng: &mut Rng) {
    let windows: Vec<u8> = (0..1 + rng.below(3)).map(|_| 1 + rng.below(4) as u8).collect();
    let slots: usize = windows.iter().map(|&window| usize::from(window)).sum();
    let place = |_| {
        let slot = rng.below(slots);
        Place { slot, difference: slot + 1 < slots && rng.below(2) == 0 }
    };
    *of_inputs = (0..inputs).map(place).collect();
    *of_channels = windows;
}

/// Returns windows in place of the lags of every second model; a model of a seed has the same parameters with both.
fn windows(inputs: u16, seed: u64) -> Option<OwnedWindows> {
    let rng = &mut Rng::new(seed + (1 << 50));
    let samples = 2 + rng.below(12) as u16;
    (rng.below(2) == 0).then(|| OwnedWindows::random(samples, inputs.into(), rng))
}

/// The samples of a model, as readings and as counts.
struct Histories {
    readings: History<MOST_SLOTS, MOST_SLOTS>,
    counts: History<MOST_SLOTS, MOST_SLOTS, i16>,
}

/// Returns the status of a prediction in C.
fn status(prediction: Result<bool, Error>) -> u32 {
    match prediction {
        Ok(true) => 0,
        Ok(false) => 23,
        Err(Error::MissingReading) => 36,
        Err(error) => unreachable!("{error}"),
    }
}

/// Returns what the driver writes for a row: see `driver::calls`.
fn words_of(model: &Model<'_>, x: &[f32], histories: &mut Histories, unit: bool) -> Vec<u32> {
    let (outputs, mut words) = (model.outputs(), Vec::new());
    let mut z = Vec::new();
    let mut integers = vec![0; outputs];
    let mut y = vec![0.0; outputs];
    model.predict(x, &mut y).expect("the lengths are those of the model");
    words.extend(y.iter().map(bits));
    if model.header().number != Number::F32 {
        z = vec![0; if model.prepared().is_empty() { x.len() } else { model.prepared().len() }];
        model.prepare(x, &mut z).expect("an integer model");
        words.push(status(model.predict_integers(&z, &mut integers).map(|()| true)));
        words.extend(z.iter().map(|&z| i32::from(z) as u32));
        words.extend(integers.iter().map(|&y| y as u32));
        words.extend(vec![0; if unit { outputs } else { 0 }]);
    }
    if model.classes().count() > 0 {
        let answer = match model.classify(x, &mut y).expect("a classifier") {
            Some(number) => [0, number as u32],
            None if y.iter().all(|score| score.is_nan()) => [36, 77],
            None => [37, 77],
        };
        words.extend(answer);
        let mut shares = vec![0.0; model.classes().count()];
        model.probabilities(&y, &mut shares).expect("a classifier");
        words.extend(shares.iter().map(bits));
        if !z.is_empty() {
            words.extend(answer);
            let mut shares = vec![0; model.classes().count()];
            model.probabilities_of_integers(&integers, &mut shares).expect("a classifier in integers");
            words.extend(shares.into_iter().map(u32::from));
        }
    }
    if model.ranges().len() > 0 {
        words.push(model.outside(x).count() as u32);
        if model.takes_counts() && model.samples().is_empty() {
            let count = |value: usize| model.prepared().get(value).map_or(value, |prepared| prepared.input.into());
            let readings: Vec<f32> = z.iter().map(|&z| if z == MISSING { f32::NAN } else { z.into() }).collect();
            let mut counted = vec![0.0; x.len()];
            (0..z.len()).for_each(|value| counted[count(value)] = readings[value]);
            let used: Vec<usize> = (0..z.len()).map(count).collect();
            words.push(model.outside(&counted).filter(|input| used.contains(input)).count() as u32);
        }
    }
    words.extend((0..outputs).filter_map(|output| model.half_width(output)).map(f32::to_bits));
    if !model.samples().is_empty() {
        let sample: Vec<f32> = (0..model.channels()).map(|channel| x[channel % x.len()]).collect();
        y.fill(0.0);
        words.push(status(histories.readings.predict(model, &sample, &mut y)));
        words.extend(y.iter().map(bits));
        if model.takes_counts() {
            let sample: Vec<i16> = (0..model.channels()).map(|channel| z[channel % z.len()]).collect();
            let mut integers = vec![0; outputs];
            words.push(status(histories.counts.predict_integers(model, &sample, &mut integers)));
            words.extend(integers.iter().map(|&y| y as u32));
        }
    }
    // No row of the self test differs.
    words.push(0);
    words
}

fn bits(value: &f32) -> u32 {
    if value.is_nan() { NAN } else { value.to_bits() }
}
