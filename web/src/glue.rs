//! The functions that the page calls, and those of the page that are called here.
//!
//! [`srfm_reserve`] gives a place in the memory for so many bytes, where the page writes a file or a call in JSON.
//! [`srfm_open`] takes the file; [`srfm_answer`] takes the call and returns the length of its answer, which lies where
//! [`srfm_result`] says.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::search::Page;
use crate::session::Session;

/// The session of the page, and the bytes that are handed over.
static SESSION: Mutex<Session> = Mutex::new(Session::new());
static BYTES: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// The function of the page.
#[cfg(target_family = "wasm")]
mod page {
    #[link(wasm_import_module = "page")]
    unsafe extern "C" {
        /// Receives an event in JSON.
        pub safe fn tell(text: *const u8, length: usize);
    }
}

/// The function where there is no page, for tests on the workstation.
#[cfg(not(target_family = "wasm"))]
mod page {
    pub fn tell(_text: *const u8, _length: usize) {}
}

/// The page around the module.
struct Surroundings;

impl Page for Surroundings {
    fn tell(&self, event: &str) {
        page::tell(event.as_ptr(), event.len());
    }
}

fn bytes() -> MutexGuard<'static, Vec<u8>> {
    BYTES.lock().unwrap_or_else(PoisonError::into_inner)
}

fn session() -> MutexGuard<'static, Session> {
    SESSION.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Hands over a result and returns its length.
fn hand_over(result: String) -> usize {
    let length = result.len();
    *bytes() = result.into_bytes();
    length
}

/// Returns the place of so many bytes, which the page fills.
#[unsafe(no_mangle)]
pub extern "C" fn srfm_reserve(length: usize) -> *mut u8 {
    let mut bytes = bytes();
    *bytes = vec![0; length];
    bytes.as_mut_ptr()
}

/// Takes the bytes as the data file of the session. The name follows with the first call.
#[unsafe(no_mangle)]
pub extern "C" fn srfm_open() {
    let file = std::mem::take(&mut *bytes());
    session().open(file);
}

/// Answers the call in the bytes and returns the length of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn srfm_answer() -> usize {
    let call = std::mem::take(&mut *bytes());
    let answer = session().answer(&call, &Surroundings);
    hand_over(answer)
}

/// Returns the place of the last answer.
#[unsafe(no_mangle)]
pub extern "C" fn srfm_result() -> *const u8 {
    bytes().as_ptr()
}
