//! Signed updates: what a device with a key refuses.

use ed25519_dalek::{Signer, SigningKey};
use sha2::{Digest, Sha512};
use srfm_runtime::update::{Error, Event, Manifest, Offer, Policy, Receiver, Sender};
use srfm_testing::{Flash, Rng};

use super::{APPLICATION, FLASH, POLICY, in_use, model, offer, open, update};

const SECRET: [u8; 32] = [7; 32];

fn policy() -> Policy {
    POLICY.signed_by(SigningKey::from_bytes(&SECRET).verifying_key().to_bytes())
}

fn signed(model: &[u8], sequence: u32, secret: &[u8; 32]) -> Offer {
    Offer::signed(Manifest::new(model, sequence, APPLICATION).unwrap(), model, secret)
}

#[test]
fn a_device_with_a_key_takes_signed_updates_alone() {
    let (flash, rng) = (Flash::<4>::new(FLASH, true, 1), &mut Rng::new(1));
    let [model, other] = [5, 6].map(|features| model(features, rng));
    let mut store = open(&flash, policy());
    let steps = flash.steps();
    assert_eq!(store.begin(&offer(&model, 1)), Err(Error::Unsigned));
    assert_eq!(store.begin(&signed(&model, 1, &[8; 32])), Err(Error::Signature), "a stranger's signature");
    // The signature covers the sequence number, the application, the length and the checksum.
    let good = signed(&model, 1, &SECRET);
    for change in [
        |manifest: &mut Manifest| manifest.sequence += 1,
        |manifest: &mut Manifest| manifest.len -= 1,
        |manifest: &mut Manifest| manifest.checksum ^= 1,
    ] {
        let mut changed = good;
        change(&mut changed.manifest);
        assert_eq!(store.begin(&changed), Err(Error::Signature));
    }
    let exchanged = Offer { manifest: good.manifest, ..signed(&other, 1, &SECRET) };
    assert_eq!(store.begin(&exchanged), Err(Error::Signature));
    assert_eq!(flash.steps(), steps, "nothing was erased");
    // Another model behind a good signature.
    assert_eq!(update(&mut store, &good, &vec![0; model.len()], rng), Err(Error::Corrupt));
    assert_eq!(store.stored(), None);
    assert_eq!(update(&mut store, &good, &model, rng), Ok(()));
    assert_eq!(in_use(&mut open(&flash, policy()), &flash), Some((1, model.to_vec())));
    assert_eq!(store.begin(&good), Err(Error::OldSequence), "replayed");
    assert_eq!(store.begin(&offer(&other, 2)), Err(Error::Unsigned));
}

/// The offer as it is sent: manifest, digest and signature.
fn sent(offer: Offer, model: &[u8]) -> Vec<u8> {
    let mut frame = Sender::new(offer, model).frame().unwrap().as_bytes()[1..].to_vec();
    let len = cobs::decode_in_place(&mut frame).unwrap();
    // The kind in front, the checksum behind.
    frame[1..len - 4].to_vec()
}

#[test]
fn every_flipped_bit_of_an_offer_is_refused() {
    let (flash, rng) = (Flash::<4>::new(FLASH, true, 1), &mut Rng::new(4));
    let (mut store, model) = (open(&flash, policy()), model(5, rng));
    let bytes = sent(signed(&model, 1, &SECRET), &model);
    assert_eq!(bytes.len(), 16 + 32 + 64);
    for bit in 0..8 * bytes.len() {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let refused = store.begin(&Offer::from_bytes(&flipped).unwrap()).unwrap_err();
        let expected = match bit / 8 {
            4..8 => refused == Error::Foreign,
            8..12 => matches!(refused, Error::TooLarge | Error::Signature),
            _ => refused == Error::Signature,
        };
        assert!(expected, "bit {bit}: {refused}");
    }
    assert_eq!(flash.steps(), 0, "nothing was erased");
    assert_eq!(update(&mut store, &Offer::from_bytes(&bytes).unwrap(), &model, rng), Ok(()));
}

#[test]
fn a_model_with_the_checksum_of_the_signed_one_is_refused() {
    // Four bytes at the end of a file give any checksum: only the digest tells.
    let (flash, rng) = (Flash::<4>::new(FLASH, true, 1), &mut Rng::new(2));
    let [model, other] = [5, 5].map(|features| model(features, rng).to_vec());
    let offer = signed(&model, 1, &SECRET);
    let forged = forged(&other, offer.manifest.checksum);
    assert_ne!(forged, model);
    assert_eq!(Manifest::new(&forged, 1, APPLICATION).unwrap().checksum, offer.manifest.checksum);
    let mut longer = model.clone();
    longer.resize(forged.len(), 0);
    let offer = Offer { manifest: Manifest { len: forged.len() as u32, ..offer.manifest }, ..offer };
    assert_eq!(open(&flash, policy()).begin(&offer), Err(Error::Signature), "the length is signed");
    let offer = signed(&longer, 1, &SECRET);
    let same = self::forged(&other, offer.manifest.checksum);
    assert_eq!(update(&mut open(&flash, policy()), &offer, &same, rng), Err(Error::Corrupt));
    // A device without a key has the checksum alone.
    assert_eq!(update(&mut open(&flash, POLICY), &offer.manifest.into(), &same, rng), Ok(()));
}

/// The register of CRC-32C after one more byte.
fn next(register: u32, byte: u8) -> u32 {
    (0..8).fold(register ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0x82f6_3b78 & (crc & 1).wrapping_neg()))
}

/// CRC-32C by its definition.
fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |register, &byte| next(register, byte))
}

/// Appends four bytes so that the CRC-32C of all is `wanted`.
fn forged(bytes: &[u8], wanted: u32) -> Vec<u8> {
    let state = bytes.iter().fold(!0, |state, &byte| next(state, byte));
    // The map of the four bytes to the checksum is affine: solve it bit by bit.
    let of = |tail: u32| !tail.to_le_bytes().into_iter().fold(state, next);
    let (zero, mut rows) = (of(0), Vec::new());
    for bit in 0..32 {
        let (mut value, mut from) = (of(1 << bit) ^ zero, 1u32 << bit);
        for &(pivot, pivot_from) in &rows {
            if value & (1u32 << (31 - u32::leading_zeros(pivot))) != 0 {
                (value, from) = (value ^ pivot, from ^ pivot_from);
            }
        }
        rows.push((value, from));
    }
    let (mut rest, mut tail) = (wanted ^ zero, 0);
    for &(pivot, from) in &rows {
        if rest & (1 << (31 - u32::leading_zeros(pivot))) != 0 {
            (rest, tail) = (rest ^ pivot, tail ^ from);
        }
    }
    assert_eq!(rest, 0);
    [bytes, &tail.to_le_bytes()].concat()
}

#[test]
fn the_signature_is_that_of_the_document() {
    assert_eq!(crc32c(b"123456789"), 0xe306_9283, "the check value of its catalogue");
    // docs/updates.md: context, sequence, application, length, checksum, digest.
    let (flash, rng) = (Flash::<8>::new(FLASH, true, 1), &mut Rng::new(3));
    let model = model(2, rng);
    let mut message = b"srfm update v1\0\0".to_vec();
    for number in [9, APPLICATION, model.len() as u32, crc32c(&model)] {
        message.extend(number.to_le_bytes());
    }
    let digest = Sha512::digest(&model[..])[..32].to_vec();
    message.extend(&digest);
    let signature = SigningKey::from_bytes(&SECRET).sign(&message).to_bytes();
    // The frame of the offer holds the digest and the signature after the manifest.
    let frame = Sender::new(signed(&model, 9, &SECRET), &model).frame().unwrap();
    let mut decoded = frame.as_bytes()[1..].to_vec();
    let len = cobs::decode_in_place(&mut decoded).unwrap();
    assert_eq!((decoded[0], len), (1, 1 + 16 + 32 + 64 + 4));
    assert_eq!(decoded[1..17], message[16..32]);
    assert_eq!((&decoded[17..49], &decoded[49..113]), (&digest[..], &signature[..]));
    assert_eq!(decoded[113..117], crc32c(&decoded[..113]).to_le_bytes());
    let (mut store, mut receiver) = (open(&flash, policy()), Receiver::new());
    let answered = frame.as_bytes().iter().filter(|&&b| matches!(receiver.feed(b, &mut store), Event::Answer(_)));
    assert_eq!(answered.count(), 1);
    assert_eq!(store.receiving().map(|(manifest, _)| manifest.sequence), Some(9));
}
