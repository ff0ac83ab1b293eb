//! Power cuts at any byte of a write and any step of an erasure leave the old model or the new one.

use srfm_runtime::update::Error;
use srfm_testing::{Blob, Flash, PAGE, Rng};

use super::{FLASH, POLICY, in_use, model, offer, open, update};

/// Power cuts over all sizes of a write.
const CUTS: usize = 10_000;

/// The outcomes of power cuts.
#[derive(Debug, Default)]
struct Outcomes {
    old: usize,
    new: usize,
}

/// Cuts updates of one flash, whose state each cut leaves to the next.
fn cut_updates<const W: usize>(cuts: usize, corrects_errors: bool) -> Outcomes {
    let (mut rng, mut outcomes) = (Rng::new(W as u64), Outcomes::default());
    let models: Vec<Blob> = (0..12).map(|i| model(1 + 5 * i, &mut rng)).collect();
    let flash = Flash::<W>::new(FLASH, corrects_errors, rng.bits());
    let before = models[0].to_vec();
    update(&mut open(&flash, POLICY), &offer(&before, 1), &before, &mut rng).unwrap();
    let mut old = (1, before);
    for cut in 0..cuts {
        let (new, sequence) = (&models[rng.below(models.len())], old.0 + 1 + rng.below(2) as u32);
        let (pages, record) = ((64 + new.len()).div_ceil(PAGE), 24usize.next_multiple_of(W));
        let all = pages * PAGE / 32 + new.len().next_multiple_of(W) + record;
        // Every third cut is around the record; the last one is after the last step.
        let left = if cut % 3 == 0 { all - rng.below(4) } else { rng.below(all + 1) };
        flash.power_on(Some(left));
        let steps = flash.steps();
        let result = update(&mut open(&flash, POLICY), &offer(new, sequence), new, &mut rng);
        assert!(if result.is_ok() { left == all } else { flash.steps() - steps == left }, "cut {cut}: {result:?}");
        flash.power_on(None);
        let mut store = open(&flash, POLICY);
        let found = in_use(&mut store, &flash).expect("there was a model");
        let (is_old, is_new) = (found == old, found == (sequence, new.to_vec()));
        assert!(is_new || is_old, "cut {cut} after {left} steps, words of {W}: neither the old model nor the new one");
        assert!(is_new || result.is_err(), "cut {cut}: a model was taken into use and is gone");
        outcomes.old += usize::from(is_old);
        outcomes.new += usize::from(is_new);
        old = found;
        assert_eq!(flash.bytes(0, 256), [0xFF; 256], "what lies in front of the slots");
        assert_eq!(flash.bytes(FLASH as u32 - 256, 256), [0xFF; 256], "what lies behind the slots");
    }
    outcomes
}

#[test]
fn ten_thousand_power_cuts_leave_the_old_model_or_the_new_one() {
    let each = CUTS / 10;
    let outcomes = [false, true].map(|corrects_errors| {
        [
            cut_updates::<1>(each, corrects_errors),
            cut_updates::<4>(each, corrects_errors),
            cut_updates::<8>(each, corrects_errors),
            cut_updates::<16>(each, corrects_errors),
            cut_updates::<64>(each, corrects_errors),
        ]
    });
    println!("{outcomes:?}");
    for outcome in outcomes.as_flattened() {
        assert!(outcome.old > each / 2 && outcome.new > each / 20, "{outcome:?}");
    }
}

/// Cuts one update after each of its steps.
fn cut_everywhere<const W: usize>() -> usize {
    let mut rng = Rng::new(7);
    let [first, second, third] = [3, 20, 14].map(|features| model(features, &mut rng));
    let mut step = 0;
    loop {
        let flash = Flash::<W>::new(FLASH, step % 2 == 0, step as u64);
        for (model, sequence) in [(&first, 1), (&second, 2)] {
            update(&mut open(&flash, POLICY), &offer(model, sequence), model, &mut rng).unwrap();
        }
        flash.power_on(Some(step));
        let result = update(&mut open(&flash, POLICY), &offer(&third, 3), &third, &mut rng);
        flash.power_on(None);
        let mut store = open(&flash, POLICY);
        let found = in_use(&mut store, &flash).expect("there was a model");
        let expected = if result.is_ok() { (3, &third) } else { (2, &second) };
        // Power that fails in the last word of the record may leave all of its bits.
        assert!(found == (expected.0, expected.1.to_vec()) || found == (3, third.to_vec()), "step {step}");
        // The next attempt needs no help.
        if found.0 == 2 {
            update(&mut store, &offer(&third, 3), &third, &mut rng).unwrap();
        }
        assert_eq!(in_use(&mut open(&flash, POLICY), &flash), Some((3, third.to_vec())), "step {step}");
        if result.is_ok() {
            return step;
        }
        step += 1;
    }
}

#[test]
fn a_cut_after_each_step_leaves_the_old_model_or_the_new_one() {
    for steps in [cut_everywhere::<1>(), cut_everywhere::<4>(), cut_everywhere::<8>(), cut_everywhere::<32>()] {
        assert!(steps > 300, "{steps} steps");
    }
}

#[test]
fn a_first_update_that_is_cut_leaves_nothing() {
    let mut rng = Rng::new(3);
    let model = model(5, &mut rng);
    for step in 0..200 {
        let flash = Flash::<8>::new(FLASH, step % 2 == 0, step as u64);
        flash.power_on(Some(step));
        let result = update(&mut open(&flash, POLICY), &offer(&model, 1), &model, &mut rng);
        flash.power_on(None);
        let found = in_use(&mut open(&flash, POLICY), &flash);
        assert_eq!(found, result.is_ok().then(|| (1, model.to_vec())), "step {step}");
    }
}

#[test]
fn worn_flash_falls_back_to_the_other_model_and_takes_no_older_update() {
    let mut rng = Rng::new(11);
    let [old, new] = [4, 6].map(|features| model(features, &mut rng));
    let flash = Flash::<4>::new(FLASH, true, 1);
    for (model, sequence) in [(&old, 7), (&new, 9)] {
        update(&mut open(&flash, POLICY), &offer(model, sequence), model, &mut rng).unwrap();
    }
    let stored = open(&flash, POLICY).stored().unwrap();
    flash.flip(stored.offset + 40, 4);
    let mut store = open(&flash, POLICY);
    assert_eq!(in_use(&mut store, &flash), Some((7, old.to_vec())));
    let refused = update(&mut store, &offer(&old, 9), &old, &mut rng);
    assert_eq!(refused, Err(Error::OldSequence), "the record is still known");
    update(&mut store, &offer(&new, 10), &new, &mut rng).unwrap();
    assert_eq!(in_use(&mut open(&flash, POLICY), &flash), Some((10, new.to_vec())));
}

#[test]
fn an_update_of_two_worn_models_keeps_the_record_of_the_newest() {
    let (mut rng, flash) = (Rng::new(12), Flash::<4>::new(FLASH, true, 1));
    let model = model(4, &mut rng);
    // The newest of two worn models lies in the second slot, in the first one and in the second one.
    for (sequences, newest) in [(&[7, 9][..], 9), (&[10], 10), (&[11], 11)] {
        let mut store = open(&flash, POLICY);
        for &sequence in sequences {
            update(&mut store, &offer(&model, sequence), &model, &mut rng).unwrap();
            flash.flip(store.stored().unwrap().offset + 40, 4);
        }
        let mut store = open(&flash, POLICY);
        assert_eq!(store.stored(), None);
        store.begin(&offer(&model, newest + 1)).unwrap();
        // Power fails.
        assert_eq!(open(&flash, POLICY).begin(&offer(&model, newest)), Err(Error::OldSequence));
    }
}
