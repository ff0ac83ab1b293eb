//! The reasons why an update is refused.

use core::fmt;

use embedded_storage::nor_flash::NorFlashErrorKind;

/// The reason why an update was refused, or flash could not be used. The model in use stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The flash reports a failure. Where [`Store::open`](super::Store::open) returns it, the program opens the store
    /// again later.
    Flash(NorFlashErrorKind),
    /// The area does not fit the flash: see [`Store::open`](super::Store::open).
    Area,
    /// The model does not fit a slot, or a buffer.
    TooLarge,
    /// The sequence number is not above that of the model in use: the update is old, or was sent before.
    OldSequence,
    /// The update is for another application, or its model has other numbers of inputs or outputs, or lags that the
    /// [policy](super::Policy::with_history) does not allow.
    Foreign,
    /// The device has a key, and the update is not signed.
    Unsigned,
    /// The signature does not match the update.
    Signature,
    /// No update was begun, or a failure ended it.
    NotStarted,
    /// Pieces of the model are missing.
    Incomplete,
    /// The bytes in flash do not have the checksum or the digest of the update.
    Corrupt,
    /// The model is refused.
    Model(crate::Error),
    /// No model is stored.
    Empty,
}

impl Error {
    /// Returns the number of the reason in answers to the sender.
    pub(super) const fn code(self) -> u8 {
        match self {
            Error::Flash(_) => 1,
            Error::Area => 2,
            Error::TooLarge => 3,
            Error::OldSequence => 4,
            Error::Foreign => 5,
            Error::Unsigned => 6,
            Error::Signature => 7,
            Error::NotStarted => 8,
            Error::Incomplete => 9,
            Error::Corrupt => 10,
            Error::Model(_) => 11,
            Error::Empty => 12,
        }
    }
}

impl From<crate::Error> for Error {
    fn from(error: crate::Error) -> Self {
        Error::Model(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Model(error) => error.fmt(f),
            other => Refusal(other.code()).fmt(f),
        }
    }
}

impl core::error::Error for Error {}

/// The reason of a device for refusing an update, as its sender learns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal(pub(super) u8);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            1 => "the flash reports a failure",
            2 => "the area of the slots does not fit the flash",
            3 => "the model does not fit",
            4 => "the sequence number is not above that of the model in use",
            5 => "the update is for another application, or its model has other inputs, outputs or lags",
            6 => "the update is not signed, and the device has a key",
            7 => "the signature does not match the update",
            8 => "no update was begun",
            9 => "pieces of the model are missing",
            10 => "the model in flash is not the one that was sent",
            11 => "the device does not evaluate the model, or the model is damaged",
            12 => "no model is stored",
            _ => "the device refuses the update for an unknown reason",
        })
    }
}
