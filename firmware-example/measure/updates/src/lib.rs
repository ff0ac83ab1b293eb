//! A flash in memory, so that the figures are those of the store and not of a driver.
#![no_std]

use embedded_storage::nor_flash::{ErrorType, NorFlash, NorFlashErrorKind, ReadNorFlash};
use srfm_runtime::update::Policy;

/// The length of a page in bytes.
const PAGE: usize = 1024;

/// The length of the flash in bytes: two slots of two pages.
pub const CAPACITY: usize = 4 * PAGE;

/// Models of two readings and one value.
pub const POLICY: Policy = Policy::new(1, 2, 1);

/// A flash in memory, of words of 4 bytes.
pub struct Memory<'a>(pub &'a mut [u8; CAPACITY]);

impl Memory<'_> {
    fn within(&mut self, offset: u32, len: usize) -> Result<&mut [u8], NorFlashErrorKind> {
        let bytes = self.0.get_mut(offset as usize..).and_then(|bytes| bytes.get_mut(..len));
        bytes.ok_or(NorFlashErrorKind::OutOfBounds)
    }
}

impl ErrorType for Memory<'_> {
    type Error = NorFlashErrorKind;
}

impl ReadNorFlash for Memory<'_> {
    const READ_SIZE: usize = 1;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), NorFlashErrorKind> {
        let from = self.within(offset, bytes.len())?;
        bytes.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
        Ok(())
    }

    fn capacity(&self) -> usize {
        CAPACITY
    }
}

impl NorFlash for Memory<'_> {
    const WRITE_SIZE: usize = 4;
    const ERASE_SIZE: usize = PAGE;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), NorFlashErrorKind> {
        self.within(from, to.wrapping_sub(from) as usize)?.fill(0xFF);
        Ok(())
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), NorFlashErrorKind> {
        self.within(offset, bytes.len())?.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        Ok(())
    }
}
