//! Interruption where there are no signals, as in a web page.

/// The exit code that shells report for Ctrl-C.
pub const EXIT_CODE: u8 = 130;

/// Returns whether a signal asked for the end.
pub fn interrupted() -> bool {
    false
}

/// Does nothing: no other thread ends the process.
pub fn claim_the_end() {}
