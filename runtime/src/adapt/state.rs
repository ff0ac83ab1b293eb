//! Saved states: the bytes that an adaptation is kept in while the board has no power.
//!
//! All numbers are words of four bytes, the lowest first:
//!
//! | word | content |
//! |---|---|
//! | 0 | the letters `SRFA` |
//! | 1 | the version of the layout, 1, in the lower half; the number of coefficients N in the upper one |
//! | 2 | the [fingerprint](fingerprint) of the model |
//! | T | the variance that the references have removed: the lower triangle, row by row |
//! | N | the coefficients |
//! | 5 | their share: gain, power, what is left, references, value |
//! | N + 5 | the coefficients and their share that [`Recalibration::save`](super::Recalibration::save) kept |
//! | 1 + 5 | the recent offset and its share |
//! | 1 | the mean magnitude of surprises |
//! | 2 | the mean magnitude of errors, and the factor of the interval |
//! | 3 | the sums of the alarms |
//! | 2 | the counted rows outside of the fitted ranges, and all counted rows |
//! | last | the CRC-32/ISO-HDLC of the bytes before |

use core::fmt;

use bytemuck::must_cast_slice;

use super::Adaptation;
use crate::Model;
use crate::evaluate::Evaluator;
use crate::format::CRC;

/// The first word.
const MAGIC: u32 = u32::from_le_bytes(*b"SRFA");

/// The version of the layout.
const VERSION: u32 = 1;

/// The words besides those that depend on the number of coefficients: three at the start, three shares, the recent
/// offset, the mean surprise, two of the interval, five of the alarms, and the checksum.
const WORDS: usize = 3 + 3 * 5 + 2 + 2 + 5 + 1;

/// The reason why a saved state is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StateError {
    /// The slice does not have [`Adaptation::STATE_BYTES`] bytes.
    Length,
    /// The bytes do not begin as a saved state, as in flash that was never written.
    Absent,
    /// This crate does not read this version of the layout.
    Version(u16),
    /// The state has another number of coefficients.
    Coefficients(u16),
    /// The checksum does not match the bytes, or a number is infinite or NaN.
    Corrupt,
    /// The state belongs to another model.
    OtherModel,
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StateError::Length => "the saved adaptation has another length",
            StateError::Absent => "there is no saved adaptation",
            StateError::Version(version) => {
                return write!(f, "version {version} of saved adaptations is not supported");
            }
            StateError::Coefficients(count) => return write!(f, "the saved adaptation has {count} coefficients"),
            StateError::Corrupt => "the saved adaptation is corrupt",
            StateError::OtherModel => "the saved adaptation belongs to another model",
        })
    }
}

impl core::error::Error for StateError {}

impl<const N: usize, const T: usize> Adaptation<N, T> {
    /// The length of a saved state in bytes.
    pub const STATE_BYTES: usize = 4 * (WORDS + T + 2 * N);

    /// Writes the whole state, from which [`restore`](Self::restore) goes on with the same bits.
    ///
    /// The [settings](super::Settings) are not part of it. The bytes are a layout of their own: the documentation of
    /// adaptation in the repository has it, and the C file of an adaptation reads and writes the same.
    ///
    /// # Errors
    /// [`StateError::Length`] unless `bytes` has [`STATE_BYTES`](Self::STATE_BYTES) bytes.
    pub fn store<E: Evaluator>(&self, model: &Model<'_, E>, bytes: &mut [u8]) -> Result<(), StateError> {
        if bytes.len() != Self::STATE_BYTES {
            return Err(StateError::Length);
        }
        let Some((content, checksum)) = bytes.split_last_chunk_mut() else { return Err(StateError::Length) };
        let head = [MAGIC, VERSION | (N as u32) << 16, fingerprint(model)];
        let floats = self.recalibration.floats().chain(self.interval.floats()).chain(self.drift.floats());
        let (outside, rows) = self.drift.outside();
        let words = head.into_iter().chain(floats.map(f32::to_bits)).chain([outside, rows]);
        for (to, word) in content.as_chunks_mut().0.iter_mut().zip(words) {
            *to = word.to_le_bytes();
        }
        *checksum = CRC.checksum(content).to_le_bytes();
        Ok(())
    }

    /// Goes on with the state that [`store`](Self::store) wrote. Without one, the adaptation stays as it is.
    ///
    /// # Errors
    /// All of [`StateError`].
    pub fn restore<E: Evaluator>(&mut self, model: &Model<'_, E>, bytes: &[u8]) -> Result<(), StateError> {
        if bytes.len() != Self::STATE_BYTES {
            return Err(StateError::Length);
        }
        let Some((content, checksum)) = bytes.split_last_chunk::<4>() else { return Err(StateError::Length) };
        let mut words = content.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word));
        if words.next() != Some(MAGIC) {
            return Err(StateError::Absent);
        }
        let head = words.next().unwrap_or(0);
        let (version, count) = (head as u16, (head >> 16) as u16);
        if u32::from(version) != VERSION {
            return Err(StateError::Version(version));
        }
        if usize::from(count) != N {
            return Err(StateError::Coefficients(count));
        }
        if CRC.checksum(content) != u32::from_le_bytes(*checksum) {
            return Err(StateError::Corrupt);
        }
        if words.next() != Some(fingerprint(model)) {
            return Err(StateError::OtherModel);
        }
        if !words.clone().take(Self::FLOATS).all(is_finite) {
            return Err(StateError::Corrupt);
        }
        let Adaptation { recalibration, interval, drift, .. } = self;
        let places = recalibration.floats_mut().chain(interval.floats_mut()).chain(drift.floats_mut());
        for (place, word) in places.zip(words.by_ref()) {
            *place = f32::from_bits(word);
        }
        let mut count = || words.next().unwrap_or(0);
        let outside = count();
        drift.set_counts(outside, count());
        Ok(())
    }

    /// The number of numbers in floating point.
    const FLOATS: usize = T + 2 * N + 3 * 5 + 2 + 2 + 3;
}

/// Returns whether a word is the bits of a finite number.
fn is_finite(word: u32) -> bool {
    f32::from_bits(word).is_finite()
}

/// Returns the number that tells a model from others: the CRC-32/ISO-HDLC of its intercepts, limits, linear weights,
/// records of features, nodes of trees and ranges.
pub fn fingerprint<E: Evaluator>(model: &Model<'_, E>) -> u32 {
    let mut digest = CRC.digest();
    digest.update(must_cast_slice(model.intercepts()));
    digest.update(must_cast_slice(model.limit_words()));
    digest.update(must_cast_slice(model.linear().weights));
    for block in model.blocks() {
        digest.update(must_cast_slice(block.records));
    }
    if let Some(trees) = model.trees() {
        digest.update(must_cast_slice(trees.halves));
    }
    for [low, high] in model.ranges() {
        digest.update(&low.to_le_bytes());
        digest.update(&high.to_le_bytes());
    }
    digest.finalize()
}
