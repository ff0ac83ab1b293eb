//! A flash in a file of the workstation, since the emulated board has none that outlives the emulator.
//!
//! The file behaves as NOR flash does: a write clears bits, an erasure sets them. Words are written byte by byte, and
//! pages are erased in parts, so that the end of the emulator cuts both. A board has its own driver in place of this.

use embedded_storage::nor_flash::{
    ErrorType, NorFlash, NorFlashErrorKind, ReadNorFlash, check_erase, check_read, check_write,
};
use semihosting::fs::File;
use semihosting::io::{Read, Seek, SeekFrom, Write};

/// The length in bytes: two slots of four pages.
pub const CAPACITY: u32 = 8 * PAGE;

const PAGE: u32 = 1024;

/// The bytes of a page that are erased together.
const ERASED_AT_ONCE: u32 = 128;

/// A flash in the file `flash.bin` of the emulator's folder.
pub struct FileFlash {
    file: File,
}

impl FileFlash {
    /// Opens the file; makes an erased one where there is none.
    pub fn open() -> Result<Self, NorFlashErrorKind> {
        let opened = File::options().read(true).write(true).open(c"flash.bin");
        let file =
            opened.or_else(|_| File::options().read(true).write(true).create(true).truncate(true).open(c"flash.bin"));
        let mut flash = FileFlash { file: file.map_err(|_| NorFlashErrorKind::Other)? };
        let len = flash.file.metadata().map_err(|_| NorFlashErrorKind::Other)?.len() as u32;
        for from in (len..CAPACITY).step_by(ERASED_AT_ONCE as usize) {
            flash.put(from, &[0xFF; ERASED_AT_ONCE as usize])?;
        }
        Ok(flash)
    }

    fn put(&mut self, offset: u32, bytes: &[u8]) -> Result<(), NorFlashErrorKind> {
        let seek = self.file.seek(SeekFrom::Start(offset.into()));
        seek.and_then(|_| self.file.write_all(bytes)).map_err(|_| NorFlashErrorKind::Other)
    }
}

impl ErrorType for FileFlash {
    type Error = NorFlashErrorKind;
}

impl ReadNorFlash for FileFlash {
    const READ_SIZE: usize = 1;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), NorFlashErrorKind> {
        check_read(self, offset, bytes.len())?;
        let seek = self.file.seek(SeekFrom::Start(offset.into()));
        seek.and_then(|_| self.file.read_exact(bytes)).map_err(|_| NorFlashErrorKind::Other)
    }

    fn capacity(&self) -> usize {
        CAPACITY as usize
    }
}

impl NorFlash for FileFlash {
    const WRITE_SIZE: usize = 4;
    const ERASE_SIZE: usize = PAGE as usize;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), NorFlashErrorKind> {
        check_erase(self, from, to)?;
        (from..to)
            .step_by(ERASED_AT_ONCE as usize)
            .try_for_each(|from| self.put(from, &[0xFF; ERASED_AT_ONCE as usize]))
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), NorFlashErrorKind> {
        check_write(self, offset, bytes.len())?;
        for (offset, byte) in (offset..).zip(bytes) {
            let mut stored = [0];
            self.read(offset, &mut stored)?;
            self.put(offset, &[stored[0] & byte])?;
        }
        Ok(())
    }
}
