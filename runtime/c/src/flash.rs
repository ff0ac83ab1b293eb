//! Flash by functions of the program.

use core::ffi::{c_int, c_void};

use embedded_storage::nor_flash::{ErrorType, NorFlash, NorFlashErrorKind, ReadNorFlash};

/// The longest read or write of a store.
const CHUNK: usize = 64;

/// `srfm_flash`: functions that return 0 where they succeed, and sizes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Flash {
    /// Reads bytes.
    pub read: Option<unsafe extern "C" fn(*mut c_void, u32, *mut u8, usize) -> c_int>,
    /// Writes whole words.
    pub write: Option<unsafe extern "C" fn(*mut c_void, u32, *const u8, usize) -> c_int>,
    /// Erases the page that begins at a place.
    pub erase: Option<unsafe extern "C" fn(*mut c_void, u32) -> c_int>,
    /// Handed to the functions.
    pub context: *mut c_void,
    /// The length of the flash in bytes.
    pub capacity: u32,
    /// The length of a word in bytes.
    pub word: u32,
    /// The length of a page in bytes.
    pub page: u32,
}

impl Flash {
    /// Whether words and pages have sizes that a store can work with.
    pub const fn has_sizes(&self) -> bool {
        self.word.is_power_of_two() && self.word as usize <= CHUNK && self.page.is_multiple_of(CHUNK as u32)
    }
}

impl ErrorType for Flash {
    type Error = NorFlashErrorKind;
}

fn done(result: c_int) -> Result<(), NorFlashErrorKind> {
    if result == 0 { Ok(()) } else { Err(NorFlashErrorKind::Other) }
}

impl ReadNorFlash for Flash {
    const READ_SIZE: usize = 1;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), NorFlashErrorKind> {
        let read = self.read.ok_or(NorFlashErrorKind::Other)?;
        // SAFETY: the function writes this many bytes, says the header.
        done(unsafe { read(self.context, offset, bytes.as_mut_ptr(), bytes.len()) })
    }

    fn capacity(&self) -> usize {
        self.capacity as usize
    }
}

/// The sizes of words and pages are known when the program runs: the store is opened with the page, and
/// [`write`](NorFlash::write) fills the last word.
impl NorFlash for Flash {
    const WRITE_SIZE: usize = 1;
    const ERASE_SIZE: usize = CHUNK;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), NorFlashErrorKind> {
        let erase = self.erase.ok_or(NorFlashErrorKind::Other)?;
        if to.wrapping_sub(from) != self.page {
            return Err(NorFlashErrorKind::NotAligned);
        }
        // SAFETY: the function takes the start of a page.
        done(unsafe { erase(self.context, from) })
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), NorFlashErrorKind> {
        let write = self.write.ok_or(NorFlashErrorKind::Other)?;
        let len = bytes.len().checked_next_multiple_of(self.word as usize).ok_or(NorFlashErrorKind::NotAligned)?;
        if len > CHUNK {
            return Err(NorFlashErrorKind::OutOfBounds);
        }
        let mut chunk = [0xFF; CHUNK];
        chunk.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        // SAFETY: the function reads `len` bytes, of which the chunk has as many.
        done(unsafe { write(self.context, offset, chunk.as_ptr(), len) })
    }
}
