//! The contents of a checkpoint file: what the fit depends on, the states by name, and a checksum of the file.

use std::collections::BTreeMap;
use std::fmt::Debug;

use crc::{CRC_32_ISO_HDLC, CRC_64_XZ, Crc, Table};
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};
use srfm_trainer::data::Dataset;

/// The first bytes of the file.
const MAGIC: &[u8] = b"srfm checkpoint 1\n";

static OF_FILE: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);
static OF_ROWS: Crc<u64, Table<16>> = Crc::<u64, Table<16>>::new(&CRC_64_XZ);

/// The release, data, settings and seed that the states depend on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    release: String,
    rows: u64,
    settings: String,
    seed: u64,
}

impl Origin {
    /// Describes the fit of the data with the settings and the seed.
    pub fn of(data: &Dataset, config: &impl Debug, seed: u64) -> Origin {
        let release = env!("CARGO_PKG_VERSION").to_owned();
        Origin { release, rows: checksum(data), settings: format!("{config:?}"), seed }
    }

    /// Describes the first difference to `other`.
    pub fn difference(&self, other: &Origin) -> Option<String> {
        let other_seed = format!("with seed {}", other.seed);
        let parts = [
            (self.release == other.release, "of another release of srfm"),
            (self.rows == other.rows, "to other data"),
            (self.settings == other.settings, "with other settings"),
            (self.seed == other.seed, &other_seed),
        ];
        parts.into_iter().find(|(same, _)| !same).map(|(_, what)| what.to_owned())
    }
}

/// Returns a checksum of names, shapes and values.
fn checksum(data: &Dataset) -> u64 {
    let mut digest = OF_ROWS.digest();
    for name in data.input_names.iter().chain(&data.output_names).chain(&data.classes) {
        digest.update(name.as_bytes());
        digest.update(b"\n");
    }
    let mut matrix = |m: &DMatrix<f64>| {
        digest.update(&m.nrows().to_le_bytes());
        digest.update(&m.ncols().to_le_bytes());
        digest.update(bytemuck::cast_slice(m.as_slice()));
    };
    matrix(&data.x);
    matrix(&data.y);
    digest.update(bytemuck::cast_slice(&data.weights));
    data.groups.iter().for_each(|group| digest.update(&group.to_le_bytes()));
    digest.finalize()
}

/// The contents of a checkpoint file.
#[derive(Serialize, Deserialize)]
pub struct Contents {
    pub origin: Origin,
    /// The states by name.
    pub states: BTreeMap<String, Vec<u8>>,
}

/// Encodes the contents, with a checksum at the end.
pub fn encode(contents: &Contents) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes = postcard::to_extend(contents, bytes).expect("writing to memory does not fail");
    let checksum = OF_FILE.checksum(&bytes);
    bytes.extend(checksum.to_le_bytes());
    bytes
}

/// Decodes a file.
pub fn decode(bytes: &[u8]) -> Result<Contents, &'static str> {
    if !bytes.starts_with(MAGIC) {
        return Err("is no srfm checkpoint of this release; name another file with --checkpoint");
    }
    let damaged = "the checkpoint is damaged; delete the file to start the fit again";
    let (content, checksum) = bytes.split_last_chunk::<4>().ok_or(damaged)?;
    if OF_FILE.checksum(content) != u32::from_le_bytes(*checksum) {
        return Err(damaged);
    }
    postcard::from_bytes(content.strip_prefix(MAGIC).ok_or(damaged)?).map_err(|_| damaged)
}

#[cfg(test)]
mod tests {
    use srfm_trainer::data::Task;

    use super::*;

    #[test]
    fn every_damaged_byte_and_every_cut_is_seen() {
        let origin = Origin::of(&Task::Pressure.generate(20, 0.5, 1), &"settings", 1);
        let good = encode(&Contents { origin, states: [("a".to_owned(), vec![1, 2, 3])].into() });
        assert!(decode(&good).is_ok());
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1;
            assert!(decode(&bad).is_err() && decode(&good[..at]).is_err(), "{at}");
        }
    }
}
