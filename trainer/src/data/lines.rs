//! Counts the lines of a text while it is read.

use std::collections::VecDeque;
use std::io::{self, Read};

use memchr::memchr2_iter;

/// The first byte of a line, from the start of the text, and the number of the line.
pub type Place = (u64, u64);

/// A reader that notes where the lines with text begin. A line ends at `\n`, `\r\n` or `\r`.
pub struct Lines<R> {
    text: R,
    /// The next byte and its line.
    next: Place,
    /// The byte before the next one.
    before: u8,
    /// The lines with text that were read and not yet passed.
    begun: VecDeque<Place>,
}

impl<R> Lines<R> {
    /// Creates a reader of a text whose first line has the number `line`.
    pub fn new(text: R, line: u64) -> Lines<R> {
        Lines { text, next: (0, line), before: b'\n', begun: VecDeque::new() }
    }

    /// Returns the place of the first line with text that begins at `byte` or after it. Passes the lines before.
    pub fn after(&mut self, byte: u64) -> Place {
        while self.begun.pop_front_if(|(start, _)| *start < byte).is_some() {}
        self.begun.front().copied().unwrap_or(self.next)
    }
}

impl<R> Lines<R> {
    /// Notes that a line begins with the bytes from `text` to `end` of those that are read, where it does.
    fn begin(&mut self, text: usize, end: usize) {
        if text < end && (text > 0 || matches!(self.before, b'\n' | b'\r')) {
            self.begun.push_back((self.next.0 + text as u64, self.next.1));
        }
    }
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.text.read(bytes)?;
        let read = &bytes[..count];
        let mut text = 0;
        for end in memchr2_iter(b'\n', b'\r', read) {
            self.begin(text, end);
            let before = if end > 0 { read[end - 1] } else { self.before };
            self.next.1 += u64::from(read[end] == b'\r' || before != b'\r');
            text = end + 1;
        }
        self.begin(text, count);
        self.next.0 += count as u64;
        self.before = read.last().copied().unwrap_or(self.before);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_three_ways_and_blank_ones_count() {
        for (end, width) in [("\n", 1), ("\r\n", 2), ("\r", 1)] {
            let text = ["ab", "", "c", "", "", "d"].join(end);
            // One byte at a time, so that an end of a line lies in two reads.
            let mut lines = Lines::new(text.as_bytes(), 7);
            while lines.read(&mut [0]).unwrap() > 0 {}
            let second = 2 + 2 * width;
            let third = 3 + 5 * width;
            for (byte, place) in [(0, (0, 7)), (1, (second, 9)), (second, (second, 9)), (second + 1, (third, 12))] {
                assert_eq!(lines.after(byte), place, "{end:?} {byte}");
            }
        }
    }
}
