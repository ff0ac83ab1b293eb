//! The first serial line of the MPS2 board, whose registers Arm's CMSDK describes.

use core::ptr;

const UART0: *mut u32 = 0x4000_4000 as *mut u32;
const DATA: usize = 0;
const STATE: usize = 1;
const CONTROL: usize = 2;
const DIVIDER: usize = 4;

/// A bit of `STATE`: the transmitter has no room.
const IS_FULL: u32 = 1;
/// A bit of `STATE`: a byte was received.
const HAS_BYTE: u32 = 2;
/// Bits of `CONTROL`: transmitter and receiver are on.
const BOTH_ON: u32 = 3;

/// The serial line.
pub struct Uart(());

impl Uart {
    /// Turns the line on, at 115200 baud from 25 MHz.
    pub fn start() -> Self {
        // SAFETY: these are the registers of the board, and nothing else uses them.
        unsafe {
            ptr::write_volatile(UART0.add(DIVIDER), 217);
            ptr::write_volatile(UART0.add(CONTROL), BOTH_ON);
        }
        Uart(())
    }

    /// Waits for a byte.
    pub fn read(&mut self) -> u8 {
        // SAFETY: as above.
        unsafe {
            while ptr::read_volatile(UART0.add(STATE)) & HAS_BYTE == 0 {}
            ptr::read_volatile(UART0.add(DATA)) as u8
        }
    }

    /// Sends bytes.
    pub fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            // SAFETY: as above.
            unsafe {
                while ptr::read_volatile(UART0.add(STATE)) & IS_FULL != 0 {}
                ptr::write_volatile(UART0.add(DATA), byte.into());
            }
        }
    }
}
