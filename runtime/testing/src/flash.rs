//! A flash in memory whose power fails at any step of a write or of an erasure.

use std::cell::RefCell;
use std::rc::Rc;

use embedded_storage::nor_flash::{
    ErrorType, NorFlash, NorFlashErrorKind, ReadNorFlash, check_erase, check_read, check_write,
};

use crate::Rng;

/// The length of a page in bytes.
pub const PAGE: usize = 256;

/// The bytes that one step of an erasure takes.
const ERASED_AT_ONCE: usize = 32;

/// A flash with words of `WRITE` bytes. Clones share their contents.
///
/// A byte written is a step, and so are 32 bytes erased. A word that was cut keeps a random part of the bits to be
/// cleared; an erasure that was cut leaves random bits in the rest of the page. A write to a word that was
/// written since its erasure is an error, as is any operation without power.
#[derive(Clone, Debug)]
pub struct Flash<const WRITE: usize> {
    state: Rc<RefCell<State>>,
}

#[derive(Debug)]
struct State {
    bytes: Vec<u8>,
    /// Whether a byte belongs to a word that was written since its erasure.
    is_written: Vec<bool>,
    /// Whether a byte belongs to a word that was cut. Flash with error correction fails to read it.
    is_cut: Vec<bool>,
    corrects_errors: bool,
    steps: usize,
    /// The steps before power fails.
    left: Option<usize>,
    has_power: bool,
    rng: Rng,
}

impl State {
    /// Takes a step; returns whether there was power for it.
    fn step(&mut self) -> bool {
        if self.left == Some(0) {
            self.has_power = false;
        }
        self.left = self.left.map(|left| left.saturating_sub(1));
        self.steps += usize::from(self.has_power);
        self.has_power
    }

    fn powered(&self) -> Result<(), NorFlashErrorKind> {
        if self.has_power { Ok(()) } else { Err(NorFlashErrorKind::Other) }
    }

    /// Leaves a random part of the bits of `word` that were to be cleared.
    fn cut_word(&mut self, offset: usize, word: &[u8]) {
        for (i, &byte) in word.iter().enumerate() {
            self.bytes[offset + i] &= byte | self.rng.bits() as u8;
            self.is_cut[offset + i] = true;
        }
    }

    /// Leaves a random part of the bits of a page set.
    fn cut_page(&mut self, from: usize) {
        let noise = [0, 0xFF, self.rng.bits() as u8][self.rng.below(3)];
        for offset in from..from.next_multiple_of(PAGE).max(from + ERASED_AT_ONCE) {
            self.bytes[offset] |= noise & self.rng.bits() as u8;
            self.is_cut[offset] = true;
        }
    }
}

impl<const WRITE: usize> Flash<WRITE> {
    /// Returns an erased flash. Words that were cut cannot be read where the flash `corrects_errors`; otherwise they
    /// read as the bits that are there.
    pub fn new(len: usize, corrects_errors: bool, seed: u64) -> Self {
        let state = State {
            bytes: vec![0xFF; len],
            is_written: vec![false; len],
            is_cut: vec![false; len],
            corrects_errors,
            steps: 0,
            left: None,
            has_power: true,
            rng: Rng::new(seed),
        };
        Flash { state: Rc::new(RefCell::new(state)) }
    }

    /// Turns power on. It fails after `left` more steps, or not at all.
    pub fn power_on(&self, left: Option<usize>) {
        let mut state = self.state.borrow_mut();
        (state.left, state.has_power) = (left, true);
    }

    /// Returns the number of steps taken so far.
    pub fn steps(&self) -> usize {
        self.state.borrow().steps
    }

    /// Returns a copy of some bytes.
    pub fn bytes(&self, offset: u32, len: usize) -> Vec<u8> {
        self.state.borrow().bytes[offset as usize..][..len].to_vec()
    }

    /// Flips the bits of `mask` in a byte, as wear does.
    pub fn flip(&self, offset: u32, mask: u8) {
        self.state.borrow_mut().bytes[offset as usize] ^= mask;
    }
}

impl<const WRITE: usize> ErrorType for Flash<WRITE> {
    type Error = NorFlashErrorKind;
}

impl<const WRITE: usize> ReadNorFlash for Flash<WRITE> {
    const READ_SIZE: usize = 1;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), NorFlashErrorKind> {
        check_read(self, offset, bytes.len())?;
        let state = self.state.borrow();
        state.powered()?;
        let range = offset as usize..offset as usize + bytes.len();
        if state.corrects_errors && state.is_cut[range.clone()].contains(&true) {
            return Err(NorFlashErrorKind::Other);
        }
        bytes.copy_from_slice(&state.bytes[range]);
        Ok(())
    }

    fn capacity(&self) -> usize {
        self.state.borrow().bytes.len()
    }
}

impl<const WRITE: usize> NorFlash for Flash<WRITE> {
    const WRITE_SIZE: usize = WRITE;
    const ERASE_SIZE: usize = PAGE;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), NorFlashErrorKind> {
        check_erase(self, from, to)?;
        let mut state = self.state.borrow_mut();
        for offset in (from as usize..to as usize).step_by(ERASED_AT_ONCE) {
            state.powered()?;
            if !state.step() {
                state.cut_page(offset);
                break;
            }
            let range = offset..offset + ERASED_AT_ONCE;
            state.bytes[range.clone()].fill(0xFF);
            state.is_written[range.clone()].fill(false);
            state.is_cut[range].fill(false);
        }
        state.powered()
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), NorFlashErrorKind> {
        check_write(self, offset, bytes.len())?;
        let mut state = self.state.borrow_mut();
        for (offset, word) in (offset as usize..).step_by(WRITE).zip(bytes.chunks_exact(WRITE)) {
            state.powered()?;
            let range = offset..offset + WRITE;
            assert!(!state.is_written[range.clone()].contains(&true), "a word is written twice, at {offset}");
            assert!(!state.is_cut[range.clone()].contains(&true), "a word is written that was cut, at {offset}");
            state.is_written[range.clone()].fill(true);
            if !(0..WRITE).all(|_| state.step()) {
                state.cut_word(offset, word);
                break;
            }
            for (to, byte) in state.bytes[range].iter_mut().zip(word) {
                *to &= byte;
            }
        }
        state.powered()
    }
}
