//! What a model file says beside the parameters.

use srfm_runtime::Error;
use srfm_runtime::format::{ModelSpec, encoded_len};

use crate::compact::importance::Importance;

/// Bytes of a file for each byte that the importance of its inputs may take.
const IMPORTANCE_FROM: usize = 16;

/// Shares in 255ths, as the file holds them.
pub(super) fn rounded(importance: &[Importance]) -> Vec<u8> {
    importance.iter().map(|i| (255.0 * i.share).round() as u8).collect()
}

/// The model with the importance of its inputs, unless that takes more than a sixteenth of the file: flash is scarce.
///
/// The more bytes a model takes without, the more it takes with its importance.
pub(super) fn with_importance<'a>(spec: ModelSpec<'a>, importance: &'a [u8]) -> Result<ModelSpec<'a>, Error> {
    let worth = IMPORTANCE_FROM * importance.len() <= encoded_len(&spec)?;
    Ok(ModelSpec { importance: if worth { importance } else { &[] }, ..spec })
}
