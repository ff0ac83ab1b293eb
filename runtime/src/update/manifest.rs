//! What an update says of its model, before the model itself.

/// CRC-32C, bit by bit. The CRC-32 of a model file is the same for all of them, since the file ends with its own.
pub(super) const CRC: crc::Crc<u32, crc::NoTable> = crc::Crc::<u32, crc::NoTable>::new(&crc::CRC_32_ISCSI);

/// The length in bytes of a digest of a model.
pub(super) const DIGEST: usize = 32;

/// The length in bytes of a signature.
pub(super) const SIGNATURE: usize = 64;

/// What an update says of its model. The record in flash and the offer on the link have the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The number of the update: a device takes only updates with a number above that of its model.
    pub sequence: u32,
    /// The application that the model is for, such as a product.
    pub application: u32,
    /// The length of the model file in bytes.
    pub len: u32,
    /// The CRC-32C of the model file.
    pub checksum: u32,
}

impl Manifest {
    /// The length in bytes.
    pub(super) const LEN: usize = 16;

    /// Describes the model file `model`.
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge) for 4 GiB and more.
    pub fn new(model: &[u8], sequence: u32, application: u32) -> Result<Self, crate::Error> {
        let len = u32::try_from(model.len()).map_err(|_| crate::Error::TooLarge)?;
        Ok(Manifest { sequence, application, len, checksum: CRC.checksum(model) })
    }

    pub(super) fn to_bytes(self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        let numbers = [self.sequence, self.application, self.len, self.checksum];
        for (to, number) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(numbers) {
            *to = number.to_le_bytes();
        }
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8; Self::LEN]) -> Self {
        let mut numbers = [0; 4];
        for (number, from) in numbers.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *number = u32::from_le_bytes(*from);
        }
        let [sequence, application, len, checksum] = numbers;
        Manifest { sequence, application, len, checksum }
    }
}

/// A manifest, and perhaps its signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The manifest.
    pub manifest: Manifest,
    /// The signature; `None` for an unsigned update.
    pub signed: Option<Signed>,
}

impl From<Manifest> for Offer {
    fn from(manifest: Manifest) -> Self {
        Offer { manifest, signed: None }
    }
}

/// A signature of a manifest and of the digest of its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signed {
    /// The first half of the SHA-512 of the model file.
    pub(super) digest: [u8; DIGEST],
    /// The Ed25519 signature.
    pub(super) signature: [u8; SIGNATURE],
}

/// The length in bytes of a signed offer.
pub(super) const OFFER: usize = Manifest::LEN + DIGEST + SIGNATURE;

impl Offer {
    /// Returns the bytes of the offer and how many of them count.
    pub(super) fn to_bytes(self) -> ([u8; OFFER], usize) {
        let mut bytes = [0; OFFER];
        let signed = self.signed.as_ref();
        let signed = signed.into_iter().flat_map(|signed| signed.digest.iter().chain(&signed.signature));
        for (to, from) in bytes.iter_mut().zip(self.manifest.to_bytes().iter().chain(signed)) {
            *to = *from;
        }
        (bytes, if self.signed.is_some() { OFFER } else { Manifest::LEN })
    }

    /// Reads an offer as it is sent: 16 bytes, or 112 with a signature; `None` for other lengths.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (manifest, rest) = bytes.split_first_chunk()?;
        let manifest = Manifest::from_bytes(manifest);
        if rest.is_empty() {
            return Some(manifest.into());
        }
        let (digest, signature) = rest.split_first_chunk()?;
        let signed = Signed { digest: *digest, signature: *signature.as_array()? };
        Some(Offer { manifest, signed: Some(signed) })
    }
}
