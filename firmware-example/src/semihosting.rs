//! Files and the command line of the host, which the emulator offers to the program in it.

use core::ffi::CStr;

use cortex_m_semihosting::{nr, syscall};

/// An open file in the emulator's working directory.
pub struct File(usize);

impl File {
    /// Opens a file for reading.
    pub fn open(name: &CStr) -> Option<Self> {
        Self::with_mode(name, nr::open::R_BINARY)
    }

    /// Creates or empties a file.
    pub fn create(name: &CStr) -> Option<Self> {
        Self::with_mode(name, nr::open::W_TRUNC_BINARY)
    }

    fn with_mode(name: &CStr, mode: usize) -> Option<Self> {
        // SAFETY: `name` ends in a zero, and its length does not count it.
        let handle = unsafe { syscall!(OPEN, name.as_ptr(), mode, name.count_bytes()) };
        (handle as isize != -1).then_some(File(handle))
    }

    /// Fills `buffer` as far as the file goes and returns the number of bytes read.
    pub fn read(&mut self, buffer: &mut [u8]) -> usize {
        // SAFETY: the host writes at most `buffer.len()` bytes to `buffer`.
        let not_read = unsafe { syscall!(READ, self.0, buffer.as_mut_ptr(), buffer.len()) };
        buffer.len().saturating_sub(not_read)
    }

    /// Appends `bytes`; whether all of them were written.
    #[must_use]
    pub fn write(&mut self, bytes: &[u8]) -> bool {
        // SAFETY: the host reads `bytes.len()` bytes from `bytes`.
        let not_written = unsafe { syscall!(WRITE, self.0, bytes.as_ptr(), bytes.len()) };
        not_written == 0
    }
}

/// The command line, `arg=` of `-semihosting-config`, in `buffer`. Empty where there is none or it is too long.
pub fn command_line(buffer: &mut [u8]) -> &[u8] {
    let mut block = [buffer.as_mut_ptr() as usize, buffer.len()];
    // SAFETY: the host writes at most the given length to `buffer`, and to `block` the length without the final zero.
    let status = unsafe { cortex_m_semihosting::syscall1(nr::GET_CMDLINE, block.as_mut_ptr() as usize) };
    let len = if status == 0 { block[1] } else { 0 };
    buffer.get(..len).unwrap_or_default()
}
