//! Signatures of updates: Ed25519 over the manifest and the SHA-512/256 of the model.

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use sha2::{Digest, Sha512_256};

use super::manifest::{DIGEST, Manifest, Offer, Signed};

/// The first bytes of every signed message, which no other use of the key has.
const CONTEXT: [u8; 16] = *b"srfm update v1\0\0";

const MESSAGE: usize = CONTEXT.len() + Manifest::LEN + DIGEST;

impl Offer {
    /// Signs the manifest of `model` with the 32 bytes of a secret key of Ed25519.
    #[must_use]
    pub fn signed(manifest: Manifest, model: &[u8], secret: &[u8; 32]) -> Self {
        let digest = digest(model);
        let signature = SigningKey::from_bytes(secret).sign(&message(&manifest, &digest)).to_bytes();
        Offer { manifest, signed: Some(Signed { digest, signature }) }
    }
}

/// Returns whether the owner of `key` has signed.
pub(super) fn is_signed_by(key: &[u8; 32], manifest: &Manifest, signed: &Signed) -> bool {
    let signature = Signature::from_bytes(&signed.signature);
    let message = message(manifest, &signed.digest);
    VerifyingKey::from_bytes(key).is_ok_and(|key| key.verify_strict(&message, &signature).is_ok())
}

/// Returns the digest of a model.
pub(super) fn digest(model: &[u8]) -> [u8; DIGEST] {
    Sha512_256::digest(model).into()
}

fn message(manifest: &Manifest, digest: &[u8; DIGEST]) -> [u8; MESSAGE] {
    let mut message = [0; MESSAGE];
    for (to, from) in message.iter_mut().zip(CONTEXT.iter().chain(&manifest.to_bytes()).chain(digest)) {
        *to = *from;
    }
    message
}
