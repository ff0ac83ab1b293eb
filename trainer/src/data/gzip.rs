//! Gzip files, whatever is in them.

use std::io::Read;

use flate2::bufread::MultiGzDecoder;

use crate::data::DataError;

/// What a file may hold, in MiB: a few kilobytes can be made to expand to terabytes.
const MOST_MIB: usize = 1024;

/// The decompressed content of a gzip file, or the bytes as they are where it is none.
pub fn decompressed(path: &str, bytes: Vec<u8>) -> Result<Vec<u8>, DataError> {
    if bytes.starts_with(&[0x1f, 0x8b]) { inflate(path, &bytes, MOST_MIB << 20) } else { Ok(bytes) }
}

fn inflate(path: &str, bytes: &[u8], most: usize) -> Result<Vec<u8>, DataError> {
    let mut content = Vec::new();
    let read = MultiGzDecoder::new(bytes).take(most as u64 + 1).read_to_end(&mut content);
    read.map_err(|source| DataError::Compressed { path: path.to_owned(), source })?;
    if content.len() > most {
        return Err(DataError::Inflated { path: path.to_owned(), mib: most >> 20 });
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn compressed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn members_follow_each_other_and_damage_is_noticed() {
        let parts = [compressed(b"a,b\n"), compressed(b"1,2\n")];
        assert_eq!(decompressed("f", parts.concat()).unwrap(), b"a,b\n1,2\n");
        assert_eq!(decompressed("f", b"a,b\n".to_vec()).unwrap(), b"a,b\n");
        let mut flipped = parts[0].clone();
        *flipped.last_mut().unwrap() ^= 1; // the length
        for bytes in [&flipped[..], &parts[0][..parts[0].len() - 9], &parts[0][..3]] {
            assert!(matches!(decompressed("f", bytes.to_vec()), Err(DataError::Compressed { .. })));
        }
    }

    #[test]
    fn what_expands_beyond_the_limit_is_refused() {
        let zeros = compressed(&vec![0; (1 << 20) + 1]);
        assert!(zeros.len() < 2000);
        assert!(matches!(inflate("f", &zeros, 1 << 20), Err(DataError::Inflated { mib: 1, .. })));
        assert_eq!(inflate("f", &zeros, (1 << 20) + 1).unwrap().len(), (1 << 20) + 1);
    }
}
