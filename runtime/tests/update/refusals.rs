//! What a store refuses, with the model in use as it was.

use srfm_runtime::kernel::Sigmoid;
use srfm_runtime::update::{Error, Manifest, Policy, Store};
use srfm_testing::{Blob, Flash, OwnedModel, PAGE, Rng, Shape};

use super::{APPLICATION, AREA, FLASH, POLICY, ROOM, in_use, model, offer, open, update};

/// A store with a model of sequence number 5, its flash and the model.
fn stored() -> (Store<Flash<4>>, Flash<4>, Blob) {
    let (flash, model) = (Flash::new(FLASH, true, 1), model(4, &mut Rng::new(1)));
    let mut store = open(&flash, POLICY);
    assert_eq!((store.stored(), store.load(&mut []).err()), (None, Some(Error::Empty)));
    update(&mut store, &offer(&model, 5), &model, &mut Rng::new(2)).unwrap();
    (store, flash, model)
}

#[test]
fn an_old_update_and_a_replayed_one_are_refused() {
    let (mut store, flash, model) = stored();
    let steps = flash.steps();
    for sequence in [0, 4, 5] {
        assert_eq!(store.begin(&offer(&model, sequence)), Err(Error::OldSequence));
    }
    assert_eq!(store.receive(&model), Err(Error::NotStarted));
    assert_eq!(store.commit_in(&mut [0; ROOM / 4]), Err(Error::NotStarted));
    assert_eq!(flash.steps(), steps, "nothing was written or erased");
    // A restart knows the number, too.
    assert_eq!(open(&flash, POLICY).begin(&offer(&model, 5)), Err(Error::OldSequence));
    assert_eq!(open(&flash, POLICY).begin(&offer(&model, 6)), Ok(()));
    assert_eq!(in_use(&mut open(&flash, POLICY), &flash), Some((5, model.to_vec())));
}

#[test]
fn a_model_below_that_of_the_firmware_is_not_used() {
    let (_, flash, model) = stored();
    let mut store = open(&flash, POLICY.after(5));
    assert_eq!(store.stored(), None);
    assert_eq!(store.begin(&offer(&model, 5)), Err(Error::OldSequence));
    assert_eq!(store.begin(&offer(&model, 6)), Ok(()));
    assert_eq!(open(&flash, POLICY.after(4)).stored().map(|stored| stored.sequence), None, "its slot was erased");
}

#[test]
fn a_model_for_another_device_is_refused() {
    let (mut store, flash, model) = stored();
    let stranger = Manifest::new(&model, 6, APPLICATION + 1).unwrap().into();
    assert_eq!(store.begin(&stranger), Err(Error::Foreign));
    for (inputs, outputs) in [(3, 1), (2, 2)] {
        let shape = Shape { inputs, outputs, blocks: vec![(2, 3)], ..Shape::default() };
        let other = OwnedModel::random(&shape, &mut Rng::new(3)).blob();
        assert_eq!(update(&mut store, &offer(&other, 6), &other, &mut Rng::new(4)), Err(Error::Foreign));
    }
    assert_eq!(in_use(&mut store, &flash), Some((5, model.to_vec())));
    // To firmware with another number the stored model is a stranger.
    assert_eq!(open(&flash, Policy::new(APPLICATION + 1, 2, 1)).stored(), None);
}

#[test]
fn a_model_with_lags_is_refused_unless_the_program_has_a_history_for_it() {
    let (_, flash, plain) = stored();
    // Two inputs from two slots of one channel.
    let lagged = Blob::new(include_bytes!("../../golden/history.srfm"));
    for (sequence, policy, model, expected) in [
        (6, POLICY, &lagged, Err(Error::Foreign)),
        (6, POLICY.with_history(0, 2), &lagged, Err(Error::Foreign)),
        (6, POLICY.with_history(2, 2), &lagged, Err(Error::Foreign)),
        (6, POLICY.with_history(1, 1), &lagged, Err(Error::Foreign)),
        (6, POLICY.with_history(1, 2), &plain, Err(Error::Foreign)),
        (6, POLICY.with_history(2, 2), &plain, Ok(())),
        (7, POLICY.with_history(1, 2), &lagged, Ok(())),
        (8, POLICY.with_history(1, 9), &lagged, Ok(())),
        (9, POLICY, &plain, Ok(())),
        (10, POLICY.with_history(1, 2), &lagged, Ok(())),
    ] {
        let updated = update(&mut open(&flash, policy), &offer(model, sequence), model, &mut Rng::new(3));
        assert_eq!(updated, expected, "sequence {sequence}, {policy:?}");
    }
    let loaded = |policy| open(&flash, policy).load(&mut [0; ROOM / 4]).err();
    assert_eq!(loaded(POLICY.with_history(1, 2)), None);
    assert_eq!(loaded(POLICY), Some(Error::Foreign), "firmware that has lost its history");
}

#[test]
fn a_model_whose_kernel_the_program_does_not_have_is_refused() {
    let (_, flash, old) = stored();
    let mut store = Store::<_, Sigmoid>::open(flash.clone(), AREA, POLICY).unwrap();
    store.begin(&offer(&old, 6)).unwrap();
    store.receive(&old).unwrap();
    let unsupported = Error::Model(srfm_runtime::Error::UnsupportedKernel(0));
    assert_eq!(store.commit_in(&mut [0; ROOM / 4]), Err(unsupported));
    assert_eq!(store.load(&mut [0; ROOM / 4]).err(), Some(unsupported), "the model of a firmware with another kernel");
    assert_eq!(in_use(&mut open(&flash, POLICY), &flash), Some((5, old.to_vec())));
}

#[test]
fn a_truncated_model_is_refused_and_can_be_completed() {
    let (mut store, flash, old) = stored();
    let new = model(9, &mut Rng::new(5));
    store.begin(&offer(&new, 6)).unwrap();
    for (i, byte) in new.iter().enumerate() {
        assert_eq!(store.commit_in(&mut [0; ROOM / 4]), Err(Error::Incomplete), "{i} bytes");
        assert_eq!(store.receiving().unwrap().1 as usize, i);
        store.receive(&[*byte]).unwrap();
    }
    assert_eq!(in_use(&mut open(&flash, POLICY), &flash), Some((5, old.to_vec())), "it was not committed");
    assert_eq!(store.receive(&[0]), Err(Error::TooLarge));
    assert_eq!(store.commit_in(&mut [0; ROOM / 4]), Err(Error::NotStarted), "a surplus byte ends the update");
    // A file that is cut short before it is described is not a model.
    let short = &new[..new.len() - 4];
    let truncated = Err(Error::Model(srfm_runtime::Error::Truncated));
    assert_eq!(update(&mut store, &offer(short, 6), short, &mut Rng::new(6)), truncated);
    assert_eq!(in_use(&mut store, &flash), Some((5, old.to_vec())));
    update(&mut store, &offer(&new, 6), &new, &mut Rng::new(6)).unwrap();
    assert_eq!(in_use(&mut store, &flash), Some((6, new.to_vec())));
}

#[test]
fn every_damaged_byte_is_noticed() {
    let (mut store, flash, old) = stored();
    let new = model(3, &mut Rng::new(7));
    for byte in 0..new.len() {
        let mut damaged = new.clone();
        damaged[byte] ^= 0x10;
        let on_the_way = update(&mut store, &offer(&new, 6), &damaged, &mut Rng::new(byte as u64));
        assert_eq!(on_the_way, Err(Error::Corrupt), "byte {byte}");
        let before = update(&mut store, &offer(&damaged, 6), &damaged, &mut Rng::new(byte as u64));
        assert!(matches!(before, Err(Error::Model(_))), "byte {byte}: {before:?}");
        // Flash that loses a bit between the write and the check.
        store.begin(&offer(&new, 6)).unwrap();
        store.receive(&new).unwrap();
        let mut seen = Blob::default();
        let in_flash = store.commit(|place| {
            flash.flip(place.offset + byte as u32, 1);
            seen = Blob::new(&flash.bytes(place.offset, place.len));
            &seen
        });
        assert_eq!(in_flash, Err(Error::Corrupt), "byte {byte}");
    }
    assert_eq!(in_use(&mut open(&flash, POLICY), &flash), Some((5, old.to_vec())));
}

#[test]
fn a_slot_takes_what_fits_to_the_byte() {
    let (mut store, _, _) = stored();
    let mut full = model(4, &mut Rng::new(8)).to_vec();
    full.resize(ROOM, 0xAB);
    // Bytes behind a model count as its own.
    assert_eq!(update(&mut store, &offer(&full, 6), &full, &mut Rng::new(9)), Ok(()));
    assert_eq!(store.stored().map(|stored| stored.len), Some(ROOM));
    assert_eq!(store.load(&mut [0; ROOM / 4 - 1]).err(), Some(Error::TooLarge));
    full.push(0);
    assert_eq!(store.begin(&offer(&full, 7)), Err(Error::TooLarge));
}

#[test]
fn an_area_that_does_not_fit_is_refused() {
    let page = PAGE as u32;
    let opened =
        |area, length| Store::<_>::open_with_pages(Flash::<4>::new(FLASH, true, 1), area, length, POLICY).err();
    for (area, length) in [
        (page..page, page),
        (page..2 * page, page),
        (0..FLASH as u32 + page, page),
        (1..8 * page, page),
        (page..9 * page, 2 * page),
        (0..9 * page, 0),
        (0..9 * page, page / 2),
        (2 * page..page, page),
        (0..u32::MAX, page),
    ] {
        assert_eq!(opened(area.clone(), length), Some(Error::Area), "{area:?} in pages of {length}");
    }
    assert_eq!(opened(2 * page..9 * page, 2 * page), None, "a rest of less than two pages stays free");
}

#[test]
fn longer_pages_are_erased_as_a_whole() {
    let (flash, mut rng) = (Flash::<8>::new(FLASH, true, 1), Rng::new(12));
    let area = 0..12 * PAGE as u32;
    for sequence in 1..6 {
        let mut store = Store::open_with_pages(flash.clone(), area.clone(), 2 * PAGE as u32, POLICY).unwrap();
        let model = model(10 * sequence as usize, &mut rng);
        update(&mut store, &offer(&model, sequence), &model, &mut rng).unwrap();
        assert_eq!(in_use(&mut store, &flash), Some((sequence, model.to_vec())));
    }
}
