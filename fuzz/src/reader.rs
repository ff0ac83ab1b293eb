//! Numbers from the bytes of a fuzzer.

/// The bytes that are left. Behind the end all bytes are zero.
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader(bytes)
    }

    /// Returns whether no bytes are left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        self.take(1).first().copied().unwrap_or(0)
    }

    /// Returns a byte as a number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end
    }

    pub fn word(&mut self) -> u32 {
        (0..4).fold(0, |word, i| word | u32::from(self.byte()) << (8 * i))
    }

    pub fn float(&mut self) -> f32 {
        f32::from_bits(self.word())
    }

    /// Returns the next bytes, at most `len`.
    pub fn take(&mut self, len: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(len.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// Returns the bytes whose number the next two bytes state.
    pub fn part(&mut self) -> &'a [u8] {
        let len = self.below(256) | self.below(256) << 8;
        self.take(len)
    }

    /// Returns all bytes that are left.
    pub fn rest(&mut self) -> &'a [u8] {
        self.take(self.0.len())
    }
}
