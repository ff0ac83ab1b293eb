//! Features and sums as bytes, for files and other machines.

use crc::{CRC_32_ISO_HDLC, Crc, Table};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::message::message_by_display;
use crate::refit::features::Features;
use crate::refit::sums::Sums;

/// The first bytes, the last of which counts versions.
const MAGIC: [u8; 8] = *b"srfmsum3";

/// The checksum; sixteen bytes at a time, as sums of thousands of features have hundreds of megabytes.
static CHECKSUM: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_ISO_HDLC);

/// The reason why bytes are not what they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// Other bytes, or those of another version.
    #[error("is no file of features or sums of this version; write it again")]
    Foreign,
    /// The checksum is wrong.
    #[error("is cut short or damaged; write it again")]
    Damaged,
    /// The sums belong to other features.
    #[error("holds the sums of other features; write them again with these")]
    OtherFeatures,
}

message_by_display!(StateError);

/// Returns a value as bytes: the magic bytes, a checksum, and the value.
fn to_bytes(kind: u8, value: &impl Serialize) -> Vec<u8> {
    let body = postcard::to_stdvec(&(kind, value)).expect("memory takes any length");
    let checksum = CHECKSUM.checksum(&body).to_le_bytes();
    [&MAGIC[..], &checksum, &body].concat()
}

fn from_bytes<T: DeserializeOwned>(kind: u8, bytes: &[u8]) -> Result<T, StateError> {
    let rest = bytes.strip_prefix(&MAGIC).ok_or(StateError::Foreign)?;
    let (checksum, body) = rest.split_first_chunk().ok_or(StateError::Damaged)?;
    if CHECKSUM.checksum(body) != u32::from_le_bytes(*checksum) {
        return Err(StateError::Damaged);
    }
    let (found, body) = body.split_first().ok_or(StateError::Damaged)?;
    if *found != kind {
        return Err(StateError::Foreign);
    }
    postcard::from_bytes(body).map_err(|_| StateError::Damaged)
}

impl Features {
    /// Returns the features as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        to_bytes(0, self)
    }

    /// Reads what [`Features::to_bytes`] wrote.
    ///
    /// # Errors
    /// [`StateError::Foreign`] and [`StateError::Damaged`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Features, StateError> {
        from_bytes(0, bytes).and_then(|it: Features| if it.is_consistent() { Ok(it) } else { Err(StateError::Damaged) })
    }

    /// Reads what [`Sums::to_bytes`] wrote.
    ///
    /// # Errors
    /// [`StateError`].
    pub fn sums_from_bytes(&self, bytes: &[u8]) -> Result<Sums, StateError> {
        let (features, sums): (u32, Sums) = from_bytes(1, bytes)?;
        if features != self.checksum() || !sums.belong_to(self) {
            Err(StateError::OtherFeatures)
        } else if !sums.is_possible() {
            Err(StateError::Damaged)
        } else {
            Ok(sums)
        }
    }

    /// Returns the number that tells these features from others.
    pub(crate) fn checksum(&self) -> u32 {
        CHECKSUM.checksum(&self.to_bytes())
    }
}

impl Sums {
    /// Returns the sums of `features` as bytes.
    pub fn to_bytes(&self, features: &Features) -> Vec<u8> {
        to_bytes(1, &(features.checksum(), self))
    }
}
