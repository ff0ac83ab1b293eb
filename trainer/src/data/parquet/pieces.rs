//! A file, or its bytes, that several threads read at once. The package `parquet` shares the position of a `File`
//! between threads.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use parquet::errors::Result;
use parquet::file::reader::{ChunkReader, Length};

/// Bytes that a reader of unknown length takes at once.
const BLOCK: usize = 1 << 13;

/// A file, read at any place.
#[derive(Clone)]
pub struct Pieces {
    held: Held,
    length: u64,
}

#[derive(Clone)]
enum Held {
    File(Arc<Mutex<File>>),
    Bytes(Bytes),
}

impl From<Vec<u8>> for Pieces {
    fn from(bytes: Vec<u8>) -> Pieces {
        Pieces { length: bytes.len() as u64, held: Held::Bytes(bytes.into()) }
    }
}

impl Pieces {
    /// The pieces of an open file.
    pub fn new(file: File) -> io::Result<Pieces> {
        let length = file.metadata()?.len();
        Ok(Pieces { held: Held::File(Arc::new(Mutex::new(file))), length })
    }

    /// Returns the number of bytes of the file.
    pub fn bytes(&self) -> u64 {
        self.length
    }

    /// Returns the bytes from a place on.
    pub fn onwards(&self, start: u64) -> Onwards {
        Onwards { pieces: self.clone(), next: start }
    }

    /// Fills the start of `to` with the bytes from `start` on; returns how many there are.
    fn read(&self, start: u64, to: &mut [u8]) -> io::Result<usize> {
        let file = match &self.held {
            Held::File(file) => file,
            Held::Bytes(bytes) => {
                let rest = usize::try_from(start).ok().and_then(|start| bytes.get(start..)).unwrap_or_default();
                return (&rest[..]).read(to);
            }
        };
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(start))?;
        let mut read = 0;
        while read < to.len() {
            match file.read(&mut to[read..])? {
                0 => break,
                more => read += more,
            }
        }
        Ok(read)
    }
}

impl Length for Pieces {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Pieces {
    type T = io::BufReader<Onwards>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(io::BufReader::with_capacity(BLOCK, self.onwards(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        // A damaged length must not take memory that the file does not have.
        let within = self.length.saturating_sub(start).min(length as u64) as usize;
        if let (Held::Bytes(bytes), true) = (&self.held, within == length) {
            return Ok(bytes.slice(start as usize..start as usize + length));
        }
        let mut bytes = vec![0; within];
        let read = self.read(start, &mut bytes)?;
        if read < length {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        Ok(bytes.into())
    }
}

/// The bytes of a file from a place on.
pub struct Onwards {
    pieces: Pieces,
    next: u64,
}

impl Read for Onwards {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.pieces.read(self.next, to)?;
        self.next += read as u64;
        Ok(read)
    }
}
