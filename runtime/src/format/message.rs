//! Reading postcard's encoding in constant expressions, which postcard's own reader does not support. That reader also
//! takes two kilobytes more.

/// The rest of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message<'a> {
    pub rest: &'a [u8],
}

impl<'a> Message<'a> {
    /// Takes the next byte.
    pub const fn byte(&mut self) -> Option<u8> {
        let Some((&byte, rest)) = self.rest.split_first() else { return None };
        self.rest = rest;
        Some(byte)
    }

    /// Takes a number of at most `bits` bits, up to 32: seven in every byte, the lowest first. All bytes except the
    /// last have their highest bit set.
    #[inline(never)]
    pub const fn number(&mut self, bits: u32) -> Option<u32> {
        let (mut number, mut shift) = (0, 0);
        while shift < bits {
            let Some(byte) = self.byte() else { return None };
            let left = bits - shift;
            if left < 7 && byte >> left > 0 {
                return None;
            }
            number |= (byte as u32 & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
            shift += 7;
        }
        None
    }

    /// Takes a number of 16 bits.
    pub const fn short(&mut self) -> Option<u16> {
        match self.number(16) {
            Some(number) => Some(number as u16),
            None => None,
        }
    }

    /// Takes bytes, which follow their number.
    pub const fn bytes(&mut self) -> Option<&'a [u8]> {
        let Some(len) = self.number(32) else { return None };
        let Some((bytes, rest)) = self.rest.split_at_checked(len as usize) else { return None };
        self.rest = rest;
        Some(bytes)
    }

    /// Takes a text in UTF-8, which follows the number of its bytes.
    pub const fn text(&mut self) -> Option<&'a str> {
        let Some(bytes) = self.bytes() else { return None };
        match str::from_utf8(bytes) {
            Ok(text) => Some(text),
            Err(_) => None,
        }
    }
}
