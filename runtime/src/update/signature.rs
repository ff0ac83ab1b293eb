//! Signatures of updates: Ed25519 over the manifest and half of the SHA-512 of the model.

use ed25519_compact::{KeyPair, PublicKey, Seed, Signature, sha512};

use super::manifest::{DIGEST, Manifest, Offer, Signed};

/// The first bytes of every signed message, which no other use of the key has.
const CONTEXT: [u8; 16] = *b"srfm update v1\0\0";

const MESSAGE: usize = CONTEXT.len() + Manifest::LEN + DIGEST;

impl Offer {
    /// Signs the manifest of `model` with the 32 bytes of a secret key of Ed25519.
    #[must_use]
    pub fn signed(manifest: Manifest, model: &[u8], secret: &[u8; 32]) -> Self {
        let digest = digest(model);
        let signature = KeyPair::from_seed(Seed::new(*secret)).sk.sign(message(&manifest, &digest), None);
        Offer { manifest, signed: Some(Signed { digest, signature: *signature }) }
    }
}

/// Returns whether the owner of `key` has signed.
pub(super) fn is_signed_by(key: &[u8; 32], manifest: &Manifest, signed: &Signed) -> bool {
    let message = message(manifest, &signed.digest);
    PublicKey::new(*key).verify(message, &Signature::new(signed.signature)).is_ok()
}

/// Returns the digest of a model: the first half of its SHA-512.
pub(super) fn digest(model: &[u8]) -> [u8; DIGEST] {
    let hash = sha512::Hash::hash(model);
    let mut digest = [0; DIGEST];
    digest.iter_mut().zip(hash).for_each(|(to, from)| *to = from);
    digest
}

fn message(manifest: &Manifest, digest: &[u8; DIGEST]) -> [u8; MESSAGE] {
    let mut message = [0; MESSAGE];
    for (to, from) in message.iter_mut().zip(CONTEXT.iter().chain(&manifest.to_bytes()).chain(digest)) {
        *to = *from;
    }
    message
}
