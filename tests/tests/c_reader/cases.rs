//! Files of models, sound and damaged, and what the runtime makes of them.

use srfm_runtime::format::{Kernel, Number, Place};
use srfm_runtime::kernel::{Cosine, Polynomial, Relu, Sigmoid, Sincos, Warped};
use srfm_runtime::{Error, Evaluator, Model};
use srfm_tests::{Blob, OwnedModel, Rng, Shape};

/// The rows that every sound model predicts.
const ROWS: u32 = 3;

/// The most inputs of which a model is predicted with lags.
const SLOTS: u16 = 16;

/// Returns sound models of a kernel, of different sizes.
pub fn models(kernel: Kernel, count: usize, rng: &mut Rng) -> Vec<Blob> {
    let model = |i: usize| {
        let shape = if i.is_multiple_of(2) { Shape::random(rng) } else { Shape::of_any_size(Number::F32, rng) };
        let mut model = OwnedModel::random(&Shape { kernel, mixed: false, ..shape }, rng);
        if i % 4 == 3 && model.inputs <= SLOTS {
            model.windows = vec![1, 15];
            model.places = (0..model.inputs).map(|i| Place { slot: i.into(), difference: i < 15 }).collect();
        }
        model.blob()
    };
    (0..count).map(model).collect()
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
        let x: Vec<f32> = (0..model.inputs() as u32).map(|i| reading(row, i)).collect();
        let mut y = vec![0.0_f32; model.outputs()];
        model.predict(&x, &mut y).expect("the lengths are those of the model");
        words.extend(y.iter().map(|y| if y.is_nan() { 0x7fc0_0000 } else { y.to_bits() }));
    }
    words
}

/// Returns the status of a file in a program for one kernel, and the bits of the predictions of a sound one.
pub fn expected(kernel: Kernel, file: &Blob) -> Vec<u32> {
    match kernel {
        Kernel::Cosine => words_of::<Warped<Cosine>>(file),
        Kernel::Sincos => words_of::<Warped<Sincos>>(file),
        Kernel::Sigmoid => words_of::<Warped<Sigmoid>>(file),
        Kernel::Relu => words_of::<Warped<Relu>>(file),
        Kernel::Polynomial => words_of::<Warped<Polynomial>>(file),
    }
}
