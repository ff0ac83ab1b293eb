//! Answers of a device, and what a sender makes of them.

use embedded_storage::nor_flash::NorFlashErrorKind;
use srfm_runtime::update::{Error, Event, Frame, Receiver, Sender};
use srfm_testing::{Flash, Rng};

use super::{FLASH, POLICY, ROOM, model, offer, open};

/// The reasons that end an update, and their texts.
const REASONS: [(Error, &str); 9] = [
    (Error::Flash(NorFlashErrorKind::Other), "the flash reports a failure"),
    (Error::Area, "the area of the slots does not fit the flash"),
    (Error::TooLarge, "the model does not fit"),
    (Error::OldSequence, "the sequence number is not above that of the model in use"),
    (Error::Foreign, "the update is for another application, or its model has other inputs, outputs or lags"),
    (Error::Unsigned, "the update is not signed, and the device has a key"),
    (Error::Signature, "the signature does not match the update"),
    (Error::Corrupt, "the model in flash is not the one that was sent"),
    (Error::Empty, "no model is stored"),
];

/// Hands an answer to a sender. Returns whether another frame is to be sent, or the reason of a refusal.
fn feed(sender: &mut Sender<'_>, answer: &Frame) -> Result<bool, String> {
    let mut ended = false;
    for &byte in answer.as_bytes() {
        ended |= sender.feed(byte).map_err(|reason| reason.to_string())?;
    }
    Ok(ended)
}

#[test]
fn a_sender_learns_the_reason_of_a_refusal() {
    let (store, model) = (open(&Flash::<8>::new(FLASH, true, 1), POLICY), model(5, &mut Rng::new(1)));
    let answered = |error| feed(&mut Sender::new(offer(&model, 1), &model), &Receiver::answer(Err(error), &store));
    for (error, text) in REASONS {
        assert_eq!(answered(error), Err(text.into()));
        assert_eq!(error.to_string(), text);
    }
    // The device says less about a model than its own program learns.
    let refused = Error::from(srfm_runtime::Error::UnsupportedKernel(9));
    assert_eq!(answered(refused), Err("the device does not evaluate the model, or the model is damaged".into()));
    assert_eq!(refused.to_string(), "kernel 9 is not supported");
    assert_eq!(Error::Incomplete.to_string(), "pieces of the model are missing");
}

#[test]
fn a_sender_goes_on_where_pieces_are_missing() {
    let model = model(30, &mut Rng::new(2));
    let mut store = open(&Flash::<8>::new(FLASH, true, 1), POLICY);
    let (first, rest) = model.split_at(200);
    store.begin(&offer(&model, 1)).unwrap();
    store.receive(first).unwrap();
    let mut sender = Sender::new(offer(&model, 1), &model);
    assert_eq!(sender.sent(), 0);
    while sender.sent() < model.len() {
        sender.advance();
    }
    assert_eq!(store.commit_in(&mut [0; ROOM / 4]), Err(Error::Incomplete));
    assert_eq!(feed(&mut sender, &Receiver::answer(Err(Error::Incomplete), &store)), Ok(true));
    assert_eq!(sender.sent(), first.len());
    store.receive(rest).unwrap();
    store.commit_in(&mut [0; ROOM / 4]).unwrap();
    assert_eq!(feed(&mut sender, &Receiver::answer(Ok(()), &store)), Ok(true));
    assert!(sender.frame().is_none());
    assert_eq!(sender.sent(), model.len());
}

#[test]
fn a_sender_offers_an_update_again_to_a_device_that_restarts_and_gives_up_in_the_end() {
    let (store, model) = (open(&Flash::<8>::new(FLASH, true, 1), POLICY), model(5, &mut Rng::new(3)));
    let mut sender = Sender::new(offer(&model, 1), &model);
    let restarted = Receiver::answer(Err(Error::NotStarted), &store);
    for _ in 0..8 {
        sender.advance();
        sender.advance();
        assert!(sender.sent() > 0);
        assert_eq!((feed(&mut sender, &restarted), sender.sent()), (Ok(true), 0));
    }
    assert_eq!(feed(&mut sender, &restarted), Err("no update was begun".into()));
}

#[test]
fn an_answer_about_another_update_changes_nothing() {
    let (mut store, model) = (open(&Flash::<8>::new(FLASH, true, 1), POLICY), model(5, &mut Rng::new(4)));
    store.begin(&offer(&model, 1)).unwrap();
    store.receive(&model).unwrap();
    store.commit_in(&mut [0; ROOM / 4]).unwrap();
    let mut sender = Sender::new(offer(&model, 2), &model);
    assert_eq!(feed(&mut sender, &Receiver::answer(Ok(()), &store)), Ok(false));
    assert!(sender.frame().is_some() && sender.sent() == 0);
}

#[test]
fn the_end_of_another_update_does_not_end_the_one_that_is_received() {
    let (mut store, model) = (open(&Flash::<8>::new(FLASH, true, 1), POLICY), model(5, &mut Rng::new(5)));
    store.begin(&offer(&model, 6)).unwrap();
    store.receive(&model).unwrap();
    let mut receiver = Receiver::new();
    let mut ended = |sequence| {
        let mut sender = Sender::new(offer(&model, sequence), &model);
        while sender.sent() < model.len() {
            sender.advance();
        }
        let frame = sender.frame().unwrap();
        frame.as_bytes().iter().map(|&byte| receiver.feed(byte, &mut store)).last().unwrap()
    };
    for other in [7, 5] {
        let Event::Answer(answer) = ended(other) else { panic!("update {other} was not received") };
        let not_started = Err("no update was begun".to_owned());
        let mut sender = Sender::new(offer(&model, other), &model);
        // The sender offers the update again eight times before it gives up.
        (0..8).for_each(|_| assert_eq!(feed(&mut sender, &answer), Ok(true)));
        assert_eq!(feed(&mut sender, &answer), not_started);
    }
    assert!(matches!(ended(6), Event::Received));
}

#[test]
fn an_update_that_is_discarded_leaves_the_model_in_use() {
    let flash = Flash::<8>::new(FLASH, true, 1);
    let (mut store, [first, second]) = (open(&flash, POLICY), [1, 2].map(|seed| model(5, &mut Rng::new(seed))));
    store.begin(&offer(&first, 1)).unwrap();
    store.receive(&first).unwrap();
    store.commit_in(&mut [0; ROOM / 4]).unwrap();
    store.begin(&offer(&second, 2)).unwrap();
    store.receive(&second).unwrap();
    store.discard();
    assert!(store.receiving().is_none());
    assert_eq!(store.receive(&second), Err(Error::NotStarted));
    assert_eq!(store.commit_in(&mut [0; ROOM / 4]), Err(Error::NotStarted));
    assert_eq!(super::in_use(&mut store, &flash), Some((1, first.to_vec())));
}
