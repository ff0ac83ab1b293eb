//! Damaged models: parsing never panics, and accepted models can be used.
//!
//! Everything is seeded: a failing model is named by its number.

use std::collections::HashMap;
use std::panic::catch_unwind;

use srfm_runtime::format::Number;
use srfm_runtime::kernel::Any;
use srfm_runtime::{Error, Model, include_model};
use srfm_testing::{AWKWARD, Blob, CHECKSUM, OwnedIntegers, OwnedModel, PREAMBLE, Rng, Shape, exercise};

macro_rules! goldens {
    ($($name:literal)*) => { [$(include_model!(concat!("../golden/", $name, ".srfm"))),*] };
}
const GOLDENS: [&[u8]; 16] = goldens!(
    "plane" "everything" "wide" "importance" "classes" "sincos" "sigmoid" "relu" "mixed" "warps" "intervals" "int"
    "int16" "warps-int" "trees" "trees-int"
);

/// The number of models with damaged fields and a right checksum.
const MENDED: u64 = 100_000;

#[test]
fn every_truncation_is_refused() {
    for golden in GOLDENS {
        assert!(Model::parse(golden).is_ok());
        for len in 0..golden.len() {
            assert_eq!(Model::parse(&golden[..len]).err(), Some(Error::Truncated), "{len} of {} bytes", golden.len());
        }
    }
}

#[test]
fn every_flipped_bit_is_refused() {
    for golden in GOLDENS {
        for bit in 0..8 * golden.len() {
            let mut blob = Blob::new(golden);
            blob[bit / 8] ^= 1 << (bit % 8);
            let len = u32::from_le_bytes([blob[8], blob[9], blob[10], blob[11]]) as usize;
            let expected = match bit / 8 {
                0..4 => Error::NotAModel,
                4..6 => Error::UnsupportedVersion(u16::from_le_bytes([golden[4], golden[5]]) ^ (1 << (bit - 32))),
                8..12 if len > golden.len() => Error::Truncated,
                8..12 if len < CHECKSUM => Error::Layout,
                _ => Error::Corrupt,
            };
            assert_eq!(Model::parse(&blob).err(), Some(expected), "bit {bit}");
        }
    }
}

#[test]
fn flipped_runs_of_bits_are_refused() {
    // A CRC of 32 bits detects every burst of up to 32 bits.
    let mut rng = Rng::new(1);
    for _ in 0..20_000 {
        let mut blob = Blob::new(GOLDENS[rng.below(GOLDENS.len())]);
        let start = 8 * PREAMBLE + rng.below(8 * (blob.len() - PREAMBLE) - 32);
        let burst = (rng.bits() as u32) | 1; // at least its first bit
        (0..32).filter(|i| burst >> i & 1 == 1).map(|i| start + i).for_each(|bit| blob[bit / 8] ^= 1 << (bit % 8));
        assert_eq!(Model::parse(&blob).err(), Some(Error::Corrupt), "bits {burst:#b} from {start}");
    }
}

/// Returns a good model with a few fields replaced, and length and checksum corrected.
fn damaged(number: u64) -> Blob {
    let mut rng = Rng::new(number);
    let mut blob = match rng.below(8) {
        0 => Blob::new(GOLDENS[rng.below(GOLDENS.len())]),
        1 => OwnedIntegers::random(Number::I32, &Shape::random(&mut rng), &mut rng).blob(),
        2 => OwnedIntegers::random(Number::I16, &Shape::random(&mut rng), &mut rng).blob(),
        _ => OwnedModel::random(&Shape::random(&mut rng), &mut rng).blob(),
    };
    let (tensors, end) = (blob.tensors(), blob.len() - CHECKSUM);
    for _ in 0..1 + rng.below(3) {
        match rng.below(8) {
            // The header; small counts are more likely to be accepted.
            0 => blob[PREAMBLE + rng.below(tensors - PREAMBLE)] = rng.bits() as u8,
            1 | 2 => blob[PREAMBLE + rng.below(tensors - PREAMBLE)] = rng.below(8) as u8,
            // Any byte of the tensors: an index, or a part of a value or count.
            3 | 4 => blob[tensors + rng.below(end - tensors)] = rng.bits() as u8,
            // A word of the tensors: an awkward value, a small order and count, any bits.
            5 => {
                let word = tensors + 4 * rng.below((end - tensors) / 4);
                let awkward = AWKWARD[rng.below(AWKWARD.len())].to_bits();
                let head = (rng.below(4) << 16 | rng.below(6)) as u32;
                let value = [awkward, head, rng.bits() as u32][rng.below(3)];
                blob[word..word + 4].copy_from_slice(&value.to_le_bytes());
            }
            6 => {
                let header_len = [rng.below(40), rng.below(65_536)][rng.below(2)] as u16;
                blob[6..8].copy_from_slice(&header_len.to_le_bytes());
            }
            _ => blob
                .resize((end + CHECKSUM).saturating_add_signed(rng.below(65) as isize - 32).max(PREAMBLE + CHECKSUM)),
        }
        if blob.len() < end + CHECKSUM {
            break; // The offsets above are no longer valid.
        }
    }
    blob.mend();
    blob
}

#[test]
fn no_damaged_model_panics() {
    let mut outcomes = HashMap::new();
    for number in 0..MENDED {
        let blob = damaged(number);
        let outcome = catch_unwind(|| Model::parse(&blob).map(|model| exercise(&model)));
        let outcome = outcome.unwrap_or_else(|_| panic!("blob {number} panics"));
        if let Ok(words) = bytemuck::try_cast_slice(&blob) {
            assert_eq!(Model::<Any>::from_words(words).err(), outcome.err(), "blob {number} as words");
        }
        *outcomes.entry(outcome.err().map_or("accepted", |error| error.text())).or_insert(0) += 1;
    }
    // The damage must reach every check, and leave enough models intact to try predictions.
    for (outcome, at_least) in [
        ("accepted", 20_000),
        (Error::Header.text(), 5_000),
        (Error::Layout.text(), 10_000),
        (Error::IndexOutOfRange.text(), 1_000),
        (Error::NotFinite.text(), 500),
        (Error::Limits.text(), 500),
        (Error::TooLarge.text(), 100),
        (Error::UnsupportedNumber(0).text(), 1_000),
        (Error::UnsupportedKernel(0).text(), 1_000),
        (Error::UnsupportedWarp(0).text(), 100),
        (Error::UnsupportedSection(0).text(), 100),
    ] {
        let count = outcomes.remove(outcome);
        assert!(count.is_some_and(|count| count >= at_least), "{outcome} is too rare: {count:?}");
    }
    assert!(outcomes.is_empty(), "other outcomes: {outcomes:?}");
}

#[test]
fn bytes_that_are_no_model_are_refused() {
    assert_eq!(Model::parse(&[]).err(), Some(Error::Truncated));
    assert_eq!(Model::parse(&Blob::new(b"SRFM")).err(), Some(Error::Truncated));
    assert_eq!(Model::parse(&Blob::new(&[0; 64])).err(), Some(Error::NotAModel));
    assert_eq!(Model::parse(&Blob::new(&[0xff; 64])).err(), Some(Error::NotAModel), "erased flash");
    let mut rng = Rng::new(2);
    for _ in 0..20_000 {
        let mut noise = Blob::default();
        noise.resize(PREAMBLE + CHECKSUM + rng.below(200));
        noise.fill_with(|| rng.bits() as u8);
        noise.mend();
        Model::parse(&noise).map(|model| exercise(&model)).ok();
    }
}
