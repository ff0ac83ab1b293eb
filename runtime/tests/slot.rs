//! Receiving a model at run time: pieces of any length, and never a worse model than the one in use.

use srfm_runtime::{Error, Model, ModelSlot, include_model};
use srfm_testing::{Blob, OwnedModel, Rng, Shape};

const PLANE: &[u8] = include_model!("../golden/plane.srfm");
const WIDE: &[u8] = include_model!("../golden/wide.srfm");

/// The words of the larger of the two.
const WORDS: usize = 24;

fn method<const N: usize>(slot: &ModelSlot<N>) -> Option<&str> {
    slot.model().map(|model| model.header().method)
}

/// A slot with the plane in use.
fn slot() -> ModelSlot<WORDS> {
    let mut slot = ModelSlot::new();
    assert_eq!(method(&slot), None, "a new slot is empty");
    slot.receive(PLANE).unwrap();
    assert_eq!(method(&slot), None, "not before it is checked");
    slot.commit().unwrap();
    assert_eq!(method(&slot), Some("plane"));
    slot
}

#[test]
fn pieces_of_any_length_make_the_same_model() {
    for seed in 0..2_000 {
        let mut rng = Rng::new(seed);
        let written = OwnedModel::random(&Shape { inputs: 4, ..Shape::random(&mut rng) }, &mut rng);
        let blob = written.blob();
        let longest = [1, 2, 3, 5, 100][rng.below(5)];
        let mut slot = ModelSlot::<512>::new();
        let mut rest = &*blob;
        while !rest.is_empty() {
            let (piece, later) = rest.split_at(rng.below(longest + 1).min(rest.len())); // some are empty
            slot.receive(piece).unwrap();
            rest = later;
        }
        slot.commit().unwrap();
        let x = rng.floats(4, 2.0);
        let mut y = vec![[0.0; 2]; written.outputs()].concat();
        let (received, original) = y.split_at_mut(written.outputs());
        slot.model().unwrap().predict(&x, received).unwrap();
        Model::parse(&blob).unwrap().predict(&x, original).unwrap();
        assert_eq!(received, original, "seed {seed}");
        assert_eq!(slot.model().unwrap().flash_bytes(), blob.len(), "seed {seed}");
    }
}

#[test]
fn a_good_model_replaces_the_one_in_use() {
    let mut slot = slot();
    for (model, name) in [(WIDE, "wide"), (PLANE, "plane"), (PLANE, "plane"), (WIDE, "wide")] {
        let before = method(&slot).map(str::to_owned);
        slot.receive(model).unwrap();
        assert_eq!(method(&slot), before.as_deref(), "receiving alone changes nothing");
        slot.commit().unwrap();
        assert_eq!(method(&slot), Some(name));
    }
}

#[test]
fn a_bad_model_leaves_the_one_in_use() {
    for byte in 0..WIDE.len() {
        let mut slot = slot();
        let mut bad = Blob::new(WIDE);
        bad[byte] ^= 0x10;
        slot.receive(&bad).unwrap();
        let expected = Model::parse(&bad).err();
        assert!(expected.is_some());
        assert_eq!(slot.commit().err(), expected, "byte {byte}");
        assert_eq!(method(&slot), Some("plane"));
        // Nothing of the bad model is left in front of the next.
        slot.receive(WIDE).unwrap();
        slot.commit().unwrap();
        assert_eq!(method(&slot), Some("wide"));
    }
}

#[test]
fn a_model_cut_short_leaves_the_one_in_use() {
    for len in 0..WIDE.len() {
        let mut slot = slot();
        slot.receive(&WIDE[..len]).unwrap();
        assert_eq!(slot.commit(), Err(Error::Truncated), "{len} bytes");
        assert_eq!(method(&slot), Some("plane"));
    }
}

#[test]
fn a_slot_takes_what_fits_to_the_byte() {
    assert_eq!((PLANE.len(), WIDE.len()), (4 * (WORDS - 4), 4 * WORDS));
    let mut exact = slot();
    WIDE.chunks(5).for_each(|piece| exact.receive(piece).unwrap());
    assert_eq!(exact.receive(&[]), Ok(()));
    exact.commit().unwrap();
    assert_eq!(method(&exact), Some("wide"));

    let mut full = slot();
    full.receive(WIDE).unwrap();
    assert_eq!(full.receive(&[0]), Err(Error::TooLarge));
    assert_eq!(full.commit(), Err(Error::Truncated), "what was received is dropped");
    assert_eq!(full.receive(&[0; 4 * WORDS + 1]), Err(Error::TooLarge));
    assert_eq!(method(&full), Some("plane"));
    full.receive(WIDE).unwrap();
    full.commit().unwrap();
    assert_eq!(method(&full), Some("wide"));
}

#[test]
fn what_was_received_can_be_dropped() {
    let mut slot = slot();
    slot.receive(&WIDE[..40]).unwrap();
    slot.discard();
    slot.receive(WIDE).unwrap();
    slot.commit().unwrap();
    assert_eq!(method(&slot), Some("wide"));
}

#[test]
fn a_model_predicts_while_the_next_one_is_received() {
    let (mut slot, x) = (slot(), [0.25, 2.0]);
    let mut expected = [0.0];
    Model::parse(PLANE).unwrap().predict(&x, &mut expected).unwrap();
    let (model, mut receiver) = slot.split();
    let model = model.expect("the plane is in use");
    receiver.receive(&WIDE[..40]).unwrap();
    receiver.discard();
    for piece in WIDE.chunks(5) {
        receiver.receive(piece).unwrap();
        let mut y = [0.0];
        model.predict(&x, &mut y).unwrap();
        assert_eq!(y[0].to_bits(), expected[0].to_bits());
    }
    assert_eq!(receiver.receive(&[]), Ok(()));
    slot.commit().unwrap();
    assert_eq!(method(&slot), Some("wide"));

    let mut empty = ModelSlot::<WORDS>::new();
    let (model, mut receiver) = empty.split();
    assert!(model.is_none());
    assert_eq!(receiver.receive(&[0; 4 * WORDS + 1]), Err(Error::TooLarge));
    receiver.receive(PLANE).unwrap();
    assert_eq!(receiver.receive(&[0; 4 * WORDS]), Err(Error::TooLarge), "what was received is dropped");
    receiver.receive(PLANE).unwrap();
    empty.commit().unwrap();
    assert_eq!(method(&empty), Some("plane"));
}
