//! Saved states: what follows a restoration has the same bits, and damaged states are refused.

use srfm_runtime::Model;
use srfm_runtime::adapt::{Adaptation, StateError};
use srfm_testing::crc32;

use super::{Random, ranged};

type Adapted = Adaptation<7, 28>;

/// Learns some references of a sensor whose gain differs, and counts the rows.
fn learn(adapted: &mut Adapted, model: &Model<'_>, random: &mut Random, references: usize) {
    for _ in 0..references {
        let x = [3.0 * random.share(), 3.0 * random.share()];
        let mut y = [0.0];
        model.predict(&x, &mut y).unwrap();
        adapted.drift.count(model.outside(&x).count());
        assert!(adapted.learn(model, &x, 1.3 * y[0] + 0.4 + 0.05 * random.normal()).unwrap());
    }
}

/// Returns the saved state of an adaptation.
fn stored(adapted: &Adapted, model: &Model<'_>) -> Vec<u8> {
    let mut bytes = vec![0; Adapted::STATE_BYTES];
    adapted.store(model, &mut bytes).unwrap();
    bytes
}

/// Writes the checksum of a changed state.
fn mend(bytes: &mut [u8]) {
    let end = bytes.len() - 4;
    let checksum = crc32(&bytes[..end]);
    bytes[end..].copy_from_slice(&checksum.to_le_bytes());
}

#[test]
fn a_reset_changes_no_bit_of_what_follows() {
    let bytes = ranged(1).blob();
    let model = Model::parse(&bytes).unwrap();
    for before in [0, 1, 5, 200] {
        let mut random = Random(before as u64);
        let mut adapted = Adapted::new(&model);
        learn(&mut adapted, &model, &mut random, before);
        adapted.recalibration.save();
        learn(&mut adapted, &model, &mut random, before / 2);
        let state = stored(&adapted, &model);
        let mut restored = Adapted::new(&model);
        assert_eq!(restored.restore(&model, &state), Ok(()));
        assert_eq!(restored.drift.outside(), adapted.drift.outside());
        let mut same = Random(random.0);
        learn(&mut adapted, &model, &mut random, 100);
        learn(&mut restored, &model, &mut same, 100);
        assert_eq!(stored(&adapted, &model), stored(&restored, &model), "{before}");
        adapted.recalibration.rollback();
        restored.recalibration.rollback();
        assert_eq!(stored(&adapted, &model), stored(&restored, &model), "{before}");
    }
}

#[test]
fn every_damaged_bit_is_refused_and_the_adaptation_stays_as_it_is() {
    let bytes = ranged(2).blob();
    let model = Model::parse(&bytes).unwrap();
    let mut adapted = Adapted::new(&model);
    learn(&mut adapted, &model, &mut Random(3), 50);
    let state = stored(&adapted, &model);
    let mut other = Adapted::new(&model);
    let before = stored(&other, &model);
    for bit in 0..8 * state.len() {
        let mut damaged = state.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let expected = match bit / 8 {
            0..4 => StateError::Absent,
            4..6 => StateError::Version(1 ^ 1 << (bit - 32)),
            6..8 => StateError::Coefficients(7 ^ 1 << (bit - 48)),
            _ => StateError::Corrupt,
        };
        assert_eq!(other.restore(&model, &damaged), Err(expected), "{bit}");
    }
    assert_eq!(stored(&other, &model), before);
    assert_eq!(other.restore(&model, &vec![0xff; state.len()]), Err(StateError::Absent));
    assert_eq!(other.restore(&model, &state[1..]), Err(StateError::Length));
    assert_eq!(other.store(&model, &mut [0; 8]), Err(StateError::Length));
}

#[test]
fn states_of_other_models_and_numbers_that_are_not_finite_are_refused() {
    let all = [ranged(4), ranged(5), {
        // The same parameters with another range of an input, to which coefficients belong.
        let mut model = ranged(4);
        model.ranges[1] = [-2.0, 4.5];
        model
    }];
    let all = all.map(|model| model.blob());
    let [model, others @ ..] = all.each_ref().map(|bytes| Model::parse(bytes).unwrap());
    let mut adapted = Adapted::new(&model);
    learn(&mut adapted, &model, &mut Random(6), 50);
    let state = stored(&adapted, &model);
    for other in &others {
        assert_eq!(Adapted::new(other).restore(other, &state), Err(StateError::OtherModel));
    }
    for number in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for word in [3, 31, state.len() / 4 - 4] {
            let mut damaged = state.clone();
            damaged[4 * word..4 * word + 4].copy_from_slice(&number.to_le_bytes());
            mend(&mut damaged);
            assert_eq!(adapted.restore(&model, &damaged), Err(StateError::Corrupt), "{number} {word}");
        }
    }
    assert_eq!(stored(&adapted, &model), state);
}

/// The layout is that of version 1: a change of it needs another version.
#[test]
fn the_layout_is_that_of_the_documents() {
    let bytes = ranged(7).blob();
    let model = Model::parse(&bytes).unwrap();
    let mut adapted = Adapted::new(&model);
    learn(&mut adapted, &model, &mut Random(8), 20);
    adapted.drift.count(1);
    let state = stored(&adapted, &model);
    assert_eq!(state.len(), 4 * (28 + 28 + 2 * 7));
    let word = |place: usize| u32::from_le_bytes(state[4 * place..4 * place + 4].try_into().unwrap());
    let float = |place: usize| f32::from_bits(word(place));
    assert_eq!((&state[..4], word(1)), (&b"SRFA"[..], 1 | 7 << 16));
    let coefficients: Vec<f32> = (31..38).map(float).collect();
    assert_eq!(coefficients, adapted.recalibration.coefficients());
    assert_eq!(float(42), adapted.recalibration.share());
    let last = state.len() / 4 - 1;
    let (outside, rows) = adapted.drift.outside();
    assert_eq!((word(last - 2), word(last - 1)), (outside, rows));
    assert_eq!(word(last), crc32(&state[..4 * last]));
    assert_eq!(float(last - 7) * float(last - 6), adapted.interval.half_width());
}
