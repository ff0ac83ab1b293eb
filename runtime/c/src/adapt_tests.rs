use core::ptr::{null, null_mut};

use srfm_runtime::adapt::Adaptation;
use srfm_runtime::{Model, include_model};

use crate::adapt::*;
use crate::slot::{Slot, WORDS};
use crate::srfm_parse;
use crate::status::Status;

static INTERVALS: &[u8] = include_model!("../../golden/intervals.srfm");

fn parse(words: &mut [usize; WORDS], bytes: &[u8]) -> *mut Slot {
    let model = words.as_mut_ptr().cast();
    // SAFETY: `words` has the size of a `srfm_model`, and the models here outlive it.
    assert_eq!(unsafe { srfm_parse(model, bytes.as_ptr(), bytes.len()) }, Status::Ok);
    model
}

/// The model has two inputs. Rust keeps seven coefficients, C eleven or 21, of which the others have no regressor.
#[test]
fn follows_references_with_the_bits_of_the_runtime() {
    let (mut words, mut adapted) = ([0; WORDS], [0_u32; ADAPTATION_WORDS]);
    let (slot, adapted) = (parse(&mut words, INTERVALS), adapted.as_mut_ptr().cast::<Adapted>());
    let model = Model::parse(INTERVALS).unwrap();
    let mut expected = Adaptation::<7, 28>::new(&model);
    let (mut y, mut half_width, mut used, mut drift) = (0.0_f32, 0.0_f32, 9, Drift::default());
    // SAFETY: the arrays have these lengths.
    unsafe {
        assert_eq!(srfm_adapt_start(slot, adapted), Status::Ok);
        let mut corrected = 0;
        for row in 0..400_u16 {
            let angle = f32::from(row);
            let mut x = [2.0 * (0.37 * angle).sin(), 2.0 * (0.91 * angle).cos()];
            if row % 50 == 49 {
                x[1] = [f32::NAN, f32::INFINITY, -1e30][usize::from(row) % 3];
            }
            assert_eq!(srfm_adapt_predict(slot, adapted, x.as_ptr(), 2, &mut y, &mut half_width), Status::Ok);
            assert_eq!(y.to_bits(), expected.predict(&model, &x).unwrap().to_bits(), "{row}");
            assert_eq!(half_width.to_bits(), expected.interval.half_width().to_bits(), "{row}");
            expected.drift.count(model.outside(&x).count());
            assert_eq!(srfm_adapt_count(slot, adapted, x.as_ptr(), 2, &mut drift), Status::Ok);
            let (outside, rows) = expected.drift.outside();
            assert_eq!(drift, Drift { alarmed: expected.drift.is_alarmed().into(), outside, rows });

            let mut factory = [0.0];
            model.predict(&x, &mut factory).unwrap();
            corrected += i32::from(factory[0].to_bits() != y.to_bits());
            let reference = if row % 40 == 39 { f32::NAN } else { 0.8 * factory[0] + 0.5 };
            let learned = expected.learn(&model, &x, reference).unwrap();
            assert_eq!(srfm_adapt_learn(slot, adapted, x.as_ptr(), 2, reference, &mut used), Status::Ok);
            assert_eq!(used, learned.into());
            if row == 200 {
                expected.recalibration.save();
                assert_eq!(srfm_adapt_save(adapted), Status::Ok);
            } else if row == 300 {
                expected.recalibration.rollback();
                assert_eq!(srfm_adapt_rollback(adapted), Status::Ok);
            } else if row == 350 {
                assert_eq!((drift.alarmed, drift.rows), (1, 351));
                expected.drift.clear();
                assert_eq!(srfm_adapt_clear_drift(adapted), Status::Ok);
            }
        }
        assert!(corrected > 200, "{corrected}: a correction that is never in use shows nothing");
        assert_eq!(srfm_adapt_start(slot, adapted), Status::Ok);
        assert_eq!(srfm_adapt_predict(slot, adapted, [0.5, 1.5].as_ptr(), 2, &mut y, &mut half_width), Status::Ok);
        let mut factory = [0.0];
        model.predict(&[0.5, 1.5], &mut factory).unwrap();
        assert_eq!(y.to_bits(), factory[0].to_bits(), "starting anew is the factory's model");
    }
}

#[test]
fn refuses_what_was_not_started_and_what_does_not_fit() {
    let (mut words, mut adapted, mut y, mut half) = ([0; WORDS], [0_u32; ADAPTATION_WORDS], 7.0, 7.0);
    let (mut used, mut drift, x) = (9, Drift::default(), [0.0; 2].as_ptr());
    let adapted = adapted.as_mut_ptr().cast::<Adapted>();
    // SAFETY: zeros and null are allowed, and the arrays have these lengths.
    unsafe {
        assert_eq!(srfm_adapt_start(words.as_ptr().cast(), adapted), Status::NotParsed);
        let slot = parse(&mut words, INTERVALS);
        assert_eq!(srfm_adapt_start(slot, null_mut()), Status::Null);
        assert_eq!(srfm_adapt_predict(slot, adapted, x, 2, &mut y, &mut half), Status::Absent);
        assert_eq!(srfm_adapt_learn(slot, adapted, x, 2, 1.0, &mut used), Status::Absent);
        assert_eq!(srfm_adapt_count(slot, adapted, x, 2, &mut drift), Status::Absent);
        assert_eq!([srfm_adapt_save(adapted), srfm_adapt_rollback(adapted)], [Status::Absent; 2]);
        assert_eq!([srfm_adapt_save(null_mut()), srfm_adapt_rollback(null_mut())], [Status::Null; 2]);
        assert_eq!(
            [srfm_adapt_clear_drift(adapted), srfm_adapt_clear_drift(null_mut())],
            [Status::Absent, Status::Null]
        );

        assert_eq!(srfm_adapt_start(slot, adapted), Status::Ok);
        assert_eq!(srfm_adapt_predict(slot, adapted, x, 1, &mut y, &mut half), Status::WrongInputs);
        assert_eq!(srfm_adapt_predict(slot, null(), x, 2, &mut y, &mut half), Status::Null);
        assert_eq!(srfm_adapt_predict(slot, adapted, null(), 2, &mut y, &mut half), Status::Null);
        assert_eq!(srfm_adapt_predict(slot, adapted, x, 2, null_mut(), &mut half), Status::Null);
        assert_eq!(srfm_adapt_predict(slot, adapted, x, 2, &mut y, null_mut()), Status::Null);
        assert_eq!(srfm_adapt_learn(slot, adapted, x, 3, 1.0, &mut used), Status::WrongInputs);
        assert_eq!(srfm_adapt_learn(slot, adapted, x, 2, 1.0, null_mut()), Status::Null);
        assert_eq!(srfm_adapt_count(slot, adapted, x, 2, null_mut()), Status::Null);
    }
    assert_eq!((y, half, used), (7.0, 7.0, 9), "nothing is written");
}

#[test]
#[cfg(not(feature = "cosine-only"))]
fn refuses_models_of_classes() {
    static CLASSES: &[u8] = include_model!("../../golden/classes.srfm");
    let (mut words, mut adapted) = ([0; WORDS], [0_u32; ADAPTATION_WORDS]);
    let slot = parse(&mut words, CLASSES);
    // SAFETY: `adapted` has the size of a `srfm_adaptation`.
    assert_eq!(unsafe { srfm_adapt_start(slot, adapted.as_mut_ptr().cast()) }, Status::WrongOutputs);
}

#[test]
fn the_header_has_the_size() {
    let (_, sizes) = include_str!("../include/srfm.h").split_once("#ifdef SRFM_PRODUCTS\n").unwrap();
    let (with, without) = sizes.split_once("#else\n").unwrap();
    let of_feature = if cfg!(feature = "products") { with } else { without };
    assert!(of_feature.starts_with(&format!("#define SRFM_ADAPTATION_WORDS {ADAPTATION_WORDS}\n")));
    assert!(of_feature.contains(&format!("#define SRFM_ADAPTATION_BYTES {ADAPTATION_BYTES}\n")));
}

/// A state of the library is that of the runtime, and a damaged one is refused.
#[test]
fn a_saved_state_goes_on_with_the_same_bits() {
    let (mut words, mut adapted, mut other) = ([0; WORDS], [0_u32; ADAPTATION_WORDS], [0_u32; ADAPTATION_WORDS]);
    let slot = parse(&mut words, INTERVALS);
    let [adapted, other] = [&mut adapted, &mut other].map(|words| words.as_mut_ptr().cast::<Adapted>());
    let (mut state, mut again, mut used) = ([0_u8; ADAPTATION_BYTES], [0_u8; ADAPTATION_BYTES], 0);
    let len = ADAPTATION_BYTES;
    // SAFETY: the arrays have these lengths.
    unsafe {
        assert_eq!(srfm_adapt_store(slot, adapted, state.as_mut_ptr(), len), Status::Absent);
        assert_eq!([srfm_adapt_start(slot, adapted), srfm_adapt_start(slot, other)], [Status::Ok; 2]);
        assert_eq!(srfm_adapt_restore(slot, other, state.as_ptr(), len), Status::Empty);
        for row in 0..60_u16 {
            let x = [f32::from(row % 7) * 0.3, 1.0 - f32::from(row % 5) * 0.4];
            assert_eq!(srfm_adapt_learn(slot, adapted, x.as_ptr(), 2, 1.0 + x[0], &mut used), Status::Ok);
        }
        assert_eq!(srfm_adapt_store(slot, adapted, state.as_mut_ptr(), len - 4), Status::Layout);
        assert_eq!(srfm_adapt_store(slot, adapted, null_mut(), len), Status::Null);
        assert_eq!(srfm_adapt_store(slot, adapted, state.as_mut_ptr(), len), Status::Ok);
        for (place, status) in [(0, Status::Empty), (4, Status::UnsupportedVersion), (6, Status::Layout)] {
            state[place] ^= 1;
            assert_eq!(srfm_adapt_restore(slot, other, state.as_ptr(), len), status);
            state[place] ^= 1;
        }
        state[100] ^= 1;
        assert_eq!(srfm_adapt_restore(slot, other, state.as_ptr(), len), Status::Corrupt);
        state[100] ^= 1;
        assert_eq!(srfm_adapt_restore(slot, other, null(), len), Status::Null);
        assert_eq!(srfm_adapt_restore(slot, other, state.as_ptr(), len), Status::Ok);
        for adapted in [adapted, other] {
            assert_eq!(srfm_adapt_learn(slot, adapted, [0.5, 0.25].as_ptr(), 2, 1.5, &mut used), Status::Ok);
        }
        assert_eq!(srfm_adapt_store(slot, adapted, state.as_mut_ptr(), len), Status::Ok);
        assert_eq!(srfm_adapt_store(slot, other, again.as_mut_ptr(), len), Status::Ok);
    }
    assert_eq!(state, again);
}
