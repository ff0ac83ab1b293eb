//! Files of models, sound and damaged, and what the runtime makes of them.

use srfm_runtime::format::{Confidence, Kernel, Number, Place, hash_names};
use srfm_runtime::kernel::{Any, Cosine, Int, Polynomial, Relu, Rules, Sigmoid, Sincos, Square, Warped};
use srfm_runtime::{Error, Evaluator, History, Model};
use srfm_tests::{Blob, OwnedIntegers, OwnedModel, Rng, Shape};

/// The rows that every sound model predicts.
const ROWS: u32 = 3;

/// The slots of models with lags, which have at most as many inputs.
const SLOTS: u16 = 16;

/// The most slots and inputs of a model whose samples are predicted here.
const MOST: usize = 1 << 16;

/// What a reader is for.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    pub kernel: Kernel,
    pub integers: bool,
    pub rules: bool,
}

impl Reader {
    /// Returns the readers of every kernel, and two for rules as well.
    pub fn all() -> impl Iterator<Item = Self> {
        let with_rules = [Kernel::Cosine, Kernel::Relu].map(|kernel| (kernel, true));
        Kernel::ALL
            .iter()
            .map(|&kernel| (kernel, false))
            .chain(with_rules)
            .flat_map(|(kernel, rules)| [false, true].map(|integers| Self { kernel, integers, rules }))
    }
}

/// Returns sound models for a reader, of different sizes: in floating point, or in integers of both formats.
pub fn models(reader: Reader, count: usize, rng: &mut Rng) -> Vec<Blob> {
    (0..count).map(|i| if reader.integers { of_integers(reader, i, rng) } else { of_floats(reader, i, rng) }).collect()
}

/// Returns a shape of models with one kernel; every third time, of two or three outputs. Every fifth model of a reader
/// for rules has none.
fn shape(reader: Reader, number: Number, i: usize, rng: &mut Rng) -> Shape {
    let shape = if i.is_multiple_of(2) { Shape::random(rng) } else { Shape::of_any_size(number, rng) };
    let outputs = if i % 3 == 2 { [1, 3][i / 3 % 2] } else { shape.outputs };
    let trees = if reader.rules && i % 5 != 4 { 1 + rng.below(8) } else { 0 };
    Shape { kernel: reader.kernel, mixed: false, trees, outputs, ..shape }
}

/// Returns the names of the classes of model `i`, which are two for one output; none of two thirds of the models.
fn classes(i: usize, outputs: usize) -> Vec<String> {
    let count = [2, 0, 3].get(outputs - 1).filter(|_| i % 3 == 2).copied().unwrap_or(0);
    ["none", "überhitzt", ""].iter().take(count).map(|&name| name.to_owned()).collect()
}

/// Returns how sure of a class model `i` must be; none of half of the models.
fn confidence(i: usize, rng: &mut Rng) -> Option<Confidence> {
    i.is_multiple_of(2).then(|| Confidence { level: 0.9, margin: rng.float(2.0).abs() })
}

/// Returns the windows and the places of the inputs of model `i`; none of three quarters of the models.
fn lags(i: usize, inputs: u16) -> (Vec<u8>, Vec<Place>) {
    if i % 4 != 3 || inputs > SLOTS {
        return Default::default();
    }
    (vec![1, 0, 15], (0..inputs).map(|i| Place { slot: i.into(), difference: i < 15 }).collect())
}

fn of_floats(reader: Reader, i: usize, rng: &mut Rng) -> Blob {
    let mut model = OwnedModel::random(&shape(reader, Number::F32, i, rng), rng);
    let classes = classes(i, model.intercepts.len());
    if !classes.is_empty() {
        (model.classes, model.limits) = (classes, Vec::new());
        model.confidence = confidence(i, rng);
    }
    (model.windows, model.places) = lags(i, model.inputs);
    model.blob()
}

fn of_integers(reader: Reader, i: usize, rng: &mut Rng) -> Blob {
    let number = [Number::I32, Number::I16][i % 5 % 2];
    let shape = shape(reader, number, i, rng);
    let mut model = OwnedIntegers::random(number, &shape, rng);
    model.classes = classes(i, shape.outputs);
    model.confidence = confidence(i, rng);
    (model.windows, model.places) = lags(i, shape.inputs);
    for prepared in model.prepared.iter_mut().step_by(3) {
        prepared.exponent = [-126, -3, 12, 127][rng.below(4)];
    }
    model.blob()
}

/// Returns files made from a sound one: cut, with damaged bytes, and with damaged bytes below a checksum that matches.
pub fn damaged(sound: &Blob, count: usize, rng: &mut Rng) -> Vec<Blob> {
    let mut files = Vec::new();
    for i in 0..count {
        let mut file = Blob::new(sound);
        if i % 16 == 0 {
            file.resize(rng.below(sound.len() + 1));
            files.push(file);
            continue;
        }
        // Most bytes that decide lengths are in the header.
        let end = [sound.tensors().min(sound.len()), sound.len()][rng.below(2)];
        for _ in 0..1 + rng.below(3) {
            let at = rng.below(end);
            file[at] = [0, 1, 0x7f, 0x80, 0xff, file[at] ^ 1 << rng.below(8), rng.bits() as u8][rng.below(7)];
        }
        if i % 16 != 1 {
            file.mend_checksum();
        }
        files.push(file);
    }
    files
}

/// Returns the number of an error in C.
fn status(error: Error) -> u32 {
    match error {
        Error::NotAModel => 4,
        Error::UnsupportedVersion(_) => 5,
        Error::UnsupportedNumber(_) => 6,
        Error::UnsupportedKernel(_) => 7,
        Error::UnsupportedWarp(_) => 8,
        Error::UnsupportedSection(_) => 9,
        Error::Truncated => 10,
        Error::Corrupt => 11,
        Error::Header => 12,
        Error::Layout => 13,
        Error::IndexOutOfRange => 14,
        Error::NotFinite => 15,
        Error::TooLarge => 16,
        Error::NoClasses => 19,
        Error::Limits => 22,
        other => unreachable!("{other}"),
    }
}

/// Returns reading `i` of a row, as the driver does.
fn reading(row: u32, i: u32) -> f32 {
    let hash = (i + 1).wrapping_mul(2_654_435_761).wrapping_add(row.wrapping_mul(2_246_822_519));
    match (row, i % 5 < 2) {
        (2, true) if i % 3 == 1 => f32::NAN,
        (2, true) => f32::INFINITY,
        _ => ((hash >> 20) as i32 - 2048) as f32 / 512.0,
    }
}

fn words_of<E: Evaluator>(file: &Blob) -> Vec<u32> {
    let model = match Model::<'_, E>::parse_only(file) {
        Ok(model) => model,
        Err(error) => return vec![status(error)],
    };
    let mut words = vec![0];
    for row in 0..ROWS {
        let (x, mut y) = (readings(row, model.inputs()), vec![0.0_f32; model.outputs()]);
        model.predict(&x, &mut y).expect("the lengths are those of the model");
        words.extend(y.iter().map(|&y| bits(y)));
        match model.classify(&x, &mut y) {
            Ok(Some(number)) => words.extend([0, number as u32]),
            Ok(None) if y.iter().all(|score| score.is_nan()) => words.extend([36, 0]),
            Ok(None) => words.extend([37, 0]),
            Err(error) => words.extend([status(error), 0]),
        }
    }
    words.push(model.classes().count() as u32);
    words.extend(model.classes().map(|name| hash_names([name])));
    words.push(0);
    words.extend(of_samples(&model));
    words
}

/// Returns what the driver writes of the samples of a model.
fn of_samples<E: Evaluator>(model: &Model<'_, E>) -> Vec<u32> {
    let (mut history, mut y) = (Box::new(History::<MOST, MOST>::new()), vec![0.0; model.outputs()]);
    let mut words = vec![model.channels() as u32, model.slots() as u32, 16, 16];
    for row in 0..u32::from(model.samples().depth()) + 2 {
        match history.predict(model, &readings(row, model.channels()), &mut y) {
            Ok(true) => words.extend([0].into_iter().chain(y.iter().map(|&y| bits(y)))),
            Ok(false) => words.push(23),
            Err(error) => words.push(status(error)),
        }
    }
    words
}

/// Returns the bits of an output; those of NaN are the same for every NaN.
fn bits(y: f32) -> u32 {
    if y.is_nan() { 0x7fc0_0000 } else { y.to_bits() }
}

/// Returns the readings of a row.
fn readings(row: u32, count: usize) -> Vec<f32> {
    (0..count as u32).map(|i| reading(row, i)).collect()
}

/// The section of windows, which readers in C do not know, and two that nothing knows.
const WINDOWS: u8 = 0x86;
const UNKNOWN: [u8; 2] = [0xfe, 0xff];

/// The status of a file with an unknown section.
const UNSUPPORTED_SECTION: u32 = 9;

/// Returns the status of a file in the program of a reader, and the bits of the predictions of a sound one.
pub fn expected(reader: Reader, file: &Blob) -> Vec<u32> {
    let is_tag = |place: usize| {
        UNKNOWN.into_iter().all(|tag| {
            let mut other = file.clone();
            other[place] = tag;
            other.mend_checksum();
            let refused = Model::<Any>::parse(&other).err() == Some(Error::UnsupportedSection(tag));
            refused && of_runtime(reader, &other) == [UNSUPPORTED_SECTION]
        })
    };
    let may_have_windows = match Model::<Any>::parse(file) {
        Ok(model) => model.samples().windows().is_some(),
        Err(error) => error == Error::Layout,
    };
    let mut places = (0..file.len()).filter(|&place| may_have_windows && file[place] == WINDOWS);
    // An unknown section in the place of windows is what a reader sees.
    match places.any(is_tag) {
        true => vec![UNSUPPORTED_SECTION],
        false => of_runtime(reader, file),
    }
}

/// Returns the status of a file in the runtime, and the bits of the predictions of a sound one.
fn of_runtime(reader: Reader, file: &Blob) -> Vec<u32> {
    match reader.kernel {
        Kernel::Cosine => of_kernel::<Cosine>(reader, file),
        Kernel::Sincos => of_kernel::<Sincos>(reader, file),
        Kernel::Sigmoid => of_kernel::<Sigmoid>(reader, file),
        Kernel::Relu => of_kernel::<Relu>(reader, file),
        Kernel::Square => of_kernel::<Square>(reader, file),
        Kernel::Polynomial => of_kernel::<Polynomial>(reader, file),
    }
}

fn of_kernel<E>(reader: Reader, file: &Blob) -> Vec<u32>
where
    Warped<E>: Evaluator,
    Int<Warped<E>>: Evaluator,
    Rules<Warped<E>>: Evaluator,
    Int<Rules<Warped<E>>>: Evaluator,
{
    match (reader.integers, reader.rules) {
        (false, false) => words_of::<Warped<E>>(file),
        (true, false) => words_of::<Int<Warped<E>>>(file),
        (false, true) => words_of::<Rules<Warped<E>>>(file),
        (true, true) => words_of::<Int<Rules<Warped<E>>>>(file),
    }
}
