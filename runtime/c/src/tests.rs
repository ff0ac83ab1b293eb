use core::mem::MaybeUninit;
use core::ptr::{null, null_mut};

use srfm_runtime::{MISSING, include_model};

use crate::history::{History, srfm_channels, srfm_predict_sample, srfm_slots};
use crate::slot::WORDS;

use super::*;

/// The model of a C program: words, of which C knows the number alone.
type Words = [usize; WORDS];

fn slot(words: &mut Words) -> *mut Slot {
    words.as_mut_ptr().cast()
}

fn parse(words: &mut Words, bytes: &[u8]) -> Status {
    // SAFETY: `words` has the size of a `srfm_model`, and the models here outlive it.
    unsafe { srfm_parse(slot(words), bytes.as_ptr(), bytes.len()) }
}

fn sizes(words: &mut Words) -> [usize; 3] {
    let model = slot(words);
    // SAFETY: zero or parsed.
    unsafe { [srfm_inputs(model), srfm_outputs(model), srfm_classes(model)] }
}

fn predict(words: &mut Words, x: &[f32], y: &mut [f32]) -> Status {
    // SAFETY: the lengths are those of the slices.
    unsafe { srfm_predict(slot(words), x.as_ptr(), x.len(), y.as_mut_ptr(), y.len()) }
}

fn classify(words: &mut Words, x: &[f32], y: &mut [f32], class: &mut usize) -> Status {
    // SAFETY: the lengths are those of the slices.
    unsafe { srfm_classify(slot(words), x.as_ptr(), x.len(), y.as_mut_ptr(), y.len(), class) }
}

static PLANE: &[u8] = include_model!("../../golden/plane.srfm");
static CLASSES: &[u8] = include_model!("../../golden/classes.srfm");

#[test]
fn predicts_the_bits_of_the_runtime() {
    let (mut words, mut y) = ([0; WORDS], [0.0]);
    assert_eq!(parse(&mut words, PLANE), Status::Ok);
    assert_eq!(sizes(&mut words), [2, 1, 0]);
    for x in [[0.25, 2.0], [-3.5, 1e6], [0.0, -0.0]] {
        let mut expected = [0.0];
        Model::parse(PLANE).unwrap().predict(&x, &mut expected).unwrap();
        assert_eq!(predict(&mut words, &x, &mut y), Status::Ok);
        assert_eq!(y[0].to_bits(), expected[0].to_bits());
    }
    // A copy is as good. It has the bytes between the fields of the model, which were never written.
    let mut copy = [0; WORDS];
    // SAFETY: two arrays of this length.
    unsafe { copy.as_mut_ptr().cast::<MaybeUninit<usize>>().copy_from_nonoverlapping(words.as_ptr().cast(), WORDS) };
    assert_eq!(predict(&mut copy, &[0.25, 2.0], &mut y), Status::Ok);
}

#[test]
#[cfg(not(feature = "cosine-only"))]
fn classifies_as_the_runtime() {
    let mut words = [0; WORDS];
    assert_eq!(parse(&mut words, CLASSES), Status::Ok);
    let model = Model::parse(CLASSES).unwrap();
    assert_eq!(sizes(&mut words), [model.inputs(), model.outputs(), model.classes().count()]);
    let mut answers = [false; 8];
    for reading in [-4.0, -1.0, -0.25, 0.0, 0.5, 2.0] {
        let x = vec![reading; model.inputs()];
        let (mut scores, mut class) = (vec![0.0; model.outputs()], 99);
        let expected = model.classify(&x, &mut vec![0.0; model.outputs()]).unwrap().unwrap();
        assert_eq!(classify(&mut words, &x, &mut scores, &mut class), Status::Ok);
        assert_eq!(class, expected);
        answers[class] = true;
    }
    assert!(answers.iter().filter(|&&given| given).count() > 1, "one answer to all shows nothing");
    let (x, mut scores, mut class) = (vec![f32::NAN; model.inputs()], vec![0.0; model.outputs()], 99);
    assert_eq!(classify(&mut words, &x, &mut scores, &mut class), Status::MissingReading);
    assert_eq!(class, 99, "no class");
}

#[test]
#[cfg(not(feature = "cosine-only"))]
fn names_no_class_where_the_model_is_not_sure() {
    static CERTAIN: &[u8] = include_model!("../../golden/certain.srfm");
    let mut words = [0; WORDS];
    assert_eq!(parse(&mut words, CERTAIN), Status::Ok);
    let model = Model::parse(CERTAIN).unwrap();
    let mut named = 0;
    for step in 0..200 {
        let x: Vec<f32> = (0..model.inputs()).map(|i| ((step * 7 + i * 13) % 31) as f32 * 0.3 - 4.0).collect();
        let (mut scores, mut class) = (vec![0.0; model.outputs()], 99);
        let expected = model.classify(&x, &mut vec![0.0; model.outputs()]).unwrap();
        let status = if expected.is_some() { Status::Ok } else { Status::Uncertain };
        assert_eq!(classify(&mut words, &x, &mut scores, &mut class), status);
        assert_eq!(class, expected.unwrap_or(99));
        named += usize::from(expected.is_some());
    }
    assert!((20..180).contains(&named), "{named} of 200 rows have a class");
}

#[test]
#[cfg(not(feature = "cosine-only"))]
fn predicts_the_integers_of_the_runtime() {
    static INT: &[u8] = include_model!("../../golden/int.srfm");
    let (mut words, model) = ([0; WORDS], Model::parse(INT).unwrap());
    assert_eq!(parse(&mut words, INT), Status::Ok);
    let slot = slot(&mut words);
    let (x, mut z, mut expected) = ([0.5, -2.0, 7.0, 0.0, 3.0], [0_i16; 4], [0_i16; 4]);
    model.prepare(&x, &mut expected).unwrap();
    let (mut y, mut integers, mut step, mut offset) = ([0_i32], [0_i32], 0.0_f32, 0.0_f32);
    model.predict_integers(&expected, &mut integers).unwrap();
    // SAFETY: the slices have these lengths.
    unsafe {
        assert_eq!(srfm_values(slot), 4);
        assert_eq!(srfm_prepare(slot, x.as_ptr(), 5, z.as_mut_ptr(), 4), Status::Ok);
        assert_eq!(srfm_predict_integers(slot, z.as_ptr(), 4, y.as_mut_ptr(), 1), Status::Ok);
        assert_eq!(srfm_scale(slot, 0, &mut step, &mut offset), Status::Ok);
        assert_eq!(srfm_scale(slot, 1, &mut step, &mut offset), Status::WrongOutputs);
        assert_eq!(srfm_prepare(slot, x.as_ptr(), 5, z.as_mut_ptr(), 3), Status::WrongInputs);
        assert_eq!(srfm_predict_integers(slot, z.as_ptr(), 3, y.as_mut_ptr(), 1), Status::WrongInputs);
        assert_eq!(srfm_predict_integers(slot, z.as_ptr(), 4, y.as_mut_ptr(), 2), Status::WrongOutputs);
        let (missing, gap, mut untouched) = ([f32::NAN; 5], [MISSING; 4], [77]);
        let mut counts = [0; 4];
        assert_eq!(srfm_prepare(slot, missing.as_ptr(), 5, counts.as_mut_ptr(), 4), Status::Ok);
        assert_eq!(counts, gap);
        let status = srfm_predict_integers(slot, gap.as_ptr(), 4, untouched.as_mut_ptr(), 1);
        assert_eq!((status, untouched), (Status::MissingReading, [77]));
        let mut none = [0.0];
        assert_eq!(srfm_predict(slot, missing.as_ptr(), 5, none.as_mut_ptr(), 1), Status::Ok);
        assert!(none[0].is_nan());
    }
    assert_eq!((z, y, [step, offset]), (expected, integers, [model.scales()[0].step, model.scales()[0].offset]));
    assert_eq!(parse(&mut words, PLANE), Status::Ok);
    let slot = self::slot(&mut words);
    // SAFETY: as above.
    unsafe {
        assert_eq!(srfm_predict_integers(slot, z.as_ptr(), 2, y.as_mut_ptr(), 1), Status::NotIntegers);
        assert_eq!(srfm_scale(slot, 0, &mut step, &mut offset), Status::NotIntegers);
    }
}

#[test]
fn tells_what_the_model_knows_of_its_limits() {
    static INTERVALS: &[u8] = include_model!("../../golden/intervals.srfm");
    let (mut words, mut count, mut half_width, mut level) = ([0; WORDS], 9, 0.0, 0.0);
    assert_eq!(parse(&mut words, INTERVALS), Status::Ok);
    let model = slot(&mut words);
    // SAFETY: the slices have these lengths, and null is allowed.
    unsafe {
        for (x, expected) in [([2.25, -1e9], 0), ([2.3, 0.0], 1), ([-1.6, f32::NAN], 2)] {
            assert_eq!(srfm_outside(model, x.as_ptr(), 2, &mut count), Status::Ok);
            assert_eq!(count, expected);
        }
        assert_eq!(srfm_half_width(model, 0, &mut half_width, &mut level), Status::Ok);
        assert_eq!([half_width, level], [0.75, 0.9]);
        assert_eq!(srfm_outside(model, [0.0].as_ptr(), 1, &mut count), Status::WrongInputs);
        assert_eq!(srfm_outside(model, [0.0; 2].as_ptr(), 2, null_mut()), Status::Null);
        assert_eq!(srfm_half_width(model, 1, &mut half_width, &mut level), Status::WrongOutputs);
        assert_eq!(srfm_half_width(model, 0, null_mut(), &mut level), Status::Null);
    }
    assert_eq!(parse(&mut words, PLANE), Status::Ok);
    let model = slot(&mut words);
    // SAFETY: as above.
    unsafe {
        assert_eq!(srfm_outside(model, [0.0; 2].as_ptr(), 2, &mut count), Status::Absent);
        assert_eq!(srfm_half_width(model, 0, &mut half_width, &mut level), Status::Absent);
    }
}

#[test]
fn predicts_from_samples_as_the_runtime() {
    static HISTORY: &[u8] = include_model!("../../golden/history.srfm");
    let (mut words, mut slots, mut inputs, mut y) = ([0; WORDS], [0.0; 2], [0.0; 2], [7.0]);
    assert_eq!(parse(&mut words, HISTORY), Status::Ok);
    let (model, mut expected) = (Model::parse(HISTORY).unwrap(), srfm_runtime::History::<2, 2>::new());
    let slot = slot(&mut words);
    let mut history =
        History { slots: slots.as_mut_ptr(), slots_len: 2, inputs: inputs.as_mut_ptr(), inputs_len: 2, samples: 0 };
    // SAFETY: the buffers have these lengths.
    unsafe {
        assert_eq!([srfm_channels(slot), srfm_slots(slot)], [1, 2]);
        for sample in [0.5_f32, 2.25, -1.0, f32::NAN, 3.0, 1e9] {
            let status = srfm_predict_sample(slot, &mut history, &sample, 1, y.as_mut_ptr(), 1);
            let mut bits = [7.0];
            let ready = expected.predict(&model, &[sample], &mut bits).unwrap();
            assert_eq!(status, if ready { Status::Ok } else { Status::Waiting });
            assert_eq!(y.map(f32::to_bits), bits.map(f32::to_bits));
        }
        let sample = 0.0;
        assert_eq!(srfm_predict_sample(slot, null_mut(), &sample, 1, y.as_mut_ptr(), 1), Status::Null);
        assert_eq!(srfm_predict_sample(slot, &mut history, &sample, 2, y.as_mut_ptr(), 1), Status::WrongInputs);
        assert_eq!(srfm_predict_sample(slot, &mut history, &sample, 1, y.as_mut_ptr(), 2), Status::WrongOutputs);
        history.slots_len = 1;
        assert_eq!(srfm_predict_sample(slot, &mut history, &sample, 1, y.as_mut_ptr(), 1), Status::TooLarge);
        history.slots = null_mut();
        assert_eq!(srfm_predict_sample(slot, &mut history, &sample, 1, y.as_mut_ptr(), 1), Status::Null);
    }
}

#[test]
fn refuses_what_does_not_fit() {
    let (mut words, mut y, mut class) = ([0; WORDS], [7.0; 2], 99);
    assert_eq!(predict(&mut words, &[0.0; 2], &mut y[..1]), Status::NotParsed);
    assert_eq!(sizes(&mut words), [0; 3]);
    assert_eq!(parse(&mut words, PLANE), Status::Ok);
    assert_eq!(predict(&mut words, &[0.0; 1], &mut y[..1]), Status::WrongInputs);
    assert_eq!(predict(&mut words, &[0.0; 2], &mut y), Status::WrongOutputs);
    assert_eq!(classify(&mut words, &[0.0; 2], &mut y[..1], &mut class), Status::NoClasses);
    assert_eq!((y, class), ([7.0; 2], 99), "nothing is written");

    let mut damaged: [u32; 32] = [0; 32];
    // SAFETY: words are bytes.
    let damaged = unsafe { slice::from_raw_parts_mut(damaged.as_mut_ptr().cast::<u8>(), 128) };
    damaged[1..][..PLANE.len()].copy_from_slice(PLANE);
    assert_eq!(parse(&mut words, &damaged[1..]), Status::Misaligned);
    assert_eq!(sizes(&mut words), [0; 3], "the model that was there is gone");
    damaged[..PLANE.len()].copy_from_slice(PLANE);
    assert_eq!(parse(&mut words, &damaged[..PLANE.len() - 4]), Status::Truncated);
    damaged[PLANE.len() - 1] ^= 1;
    assert_eq!(parse(&mut words, damaged), Status::Corrupt);
    damaged[4] = 99;
    assert_eq!(parse(&mut words, damaged), Status::UnsupportedVersion);
    damaged[0] = 0;
    assert_eq!(parse(&mut words, damaged), Status::NotAModel);
}

#[test]
fn null_is_no_model_and_no_memory() {
    let (mut words, x, mut y) = ([0; WORDS], [0.0; 2], [0.0]);
    assert_eq!(parse(&mut words, PLANE), Status::Ok);
    let model = slot(&mut words);
    // SAFETY: null is allowed everywhere.
    unsafe {
        assert_eq!(srfm_parse(null_mut(), PLANE.as_ptr(), PLANE.len()), Status::Null);
        assert_eq!(srfm_predict(null(), x.as_ptr(), 2, y.as_mut_ptr(), 1), Status::Null);
        assert_eq!(srfm_predict(model, null(), 2, y.as_mut_ptr(), 1), Status::Null);
        assert_eq!(srfm_predict(model, x.as_ptr(), 2, null_mut(), 1), Status::Null);
        assert_eq!(srfm_classify(model, x.as_ptr(), 2, y.as_mut_ptr(), 1, null_mut()), Status::Null);
        assert_eq!([srfm_inputs(null()), srfm_outputs(null()), srfm_classes(null())], [0; 3]);
        assert_eq!(srfm_parse(model, null(), 0), Status::Null);
        // No length is too large to be refused.
        assert_eq!(srfm_parse(model, PLANE.as_ptr(), PLANE.len()), Status::Ok);
        assert_eq!(srfm_predict(model, x.as_ptr(), usize::MAX, y.as_mut_ptr(), 1), Status::WrongInputs);
        assert_eq!(srfm_predict(model, x.as_ptr(), 2, y.as_mut_ptr(), usize::MAX), Status::WrongOutputs);
    }
}

/// Compares the numbers of the header with the numbers of this crate.
#[test]
fn the_header_says_the_same() {
    let header = include_str!("../include/srfm.h");
    let mut codes = header.lines().filter_map(|line| line.trim().trim_end_matches(',').split_once(" = "));
    for number in 0..38 {
        // SAFETY: the numbers are those of the variants, without a gap.
        let status: Status = unsafe { core::mem::transmute::<i32, Status>(number) };
        let (name, value) = codes.find(|(name, _)| name.starts_with("SRFM_")).expect("a code for every status");
        assert_eq!(value, number.to_string(), "{name}");
        let camel: String = format!("{status:?}").to_uppercase();
        assert_eq!(name["SRFM_".len()..].replace('_', ""), camel);
    }
    assert!(!codes.any(|(name, _)| name.starts_with("SRFM_")));
    assert!(header.contains(&format!("#define SRFM_MODEL_WORDS {WORDS}\n")));
}
