//! The history section: the samples that the inputs of a model come from.
//!
//! A sample is one reading of every channel. The latest samples of a channel that the model looks at lie in slots, the
//! newest first, and the slots of all channels follow each other.

/// The bit of an input that says that it is the difference of its slot and the next.
const DIFFERENCE: u16 = 0x8000;

/// The slots of a model's channels, and the slot of every input. Without a history section, every input is its own
/// channel with one slot.
#[derive(Clone, Copy, Debug)]
pub struct Lags<'a> {
    /// The number of slots of every channel; none where every channel has one.
    windows: &'a [u8],
    /// The slot of every input, and whether the next slot is subtracted.
    places: &'a [[u8; 2]],
    /// The number of inputs.
    inputs: u16,
}

/// The value of an input in the slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The slot of the value.
    pub slot: usize,
    /// Whether the value of the next slot, one sample older, is subtracted.
    pub difference: bool,
}

impl Place {
    /// Returns the number that stands for the place in a file.
    #[cfg(feature = "write")]
    pub(super) fn number(self) -> Option<u16> {
        let slot = u16::try_from(self.slot).ok().filter(|&slot| slot < DIFFERENCE)?;
        Some(if self.difference { slot | DIFFERENCE } else { slot })
    }
}

impl<'a> Lags<'a> {
    /// Returns the lags that the content of the section states; empty content stands for a model without lags.
    pub(super) const fn of(content: &'a [u8], inputs: u16) -> Lags<'a> {
        let none = Lags { windows: &[], places: &[], inputs };
        let Some((&[low, high], rest)) = content.split_first_chunk::<2>() else { return none };
        let Some((windows, places)) = rest.split_at_checked(u16::from_le_bytes([low, high]) as usize) else {
            return none;
        };
        Lags { windows, places: places.as_chunks().0, inputs }
    }

    /// Returns whether the content of a section has the right length and states only slots that exist.
    pub(super) const fn are_sound(content: &'a [u8], inputs: u16) -> bool {
        let lags = Self::of(content, inputs);
        if lags.windows.is_empty() || content.len() != 2 + lags.windows.len() + 2 * inputs as usize {
            return false;
        }
        let (slots, mut rest) = (lags.slots(), lags.places);
        while let Some((&place, others)) = rest.split_first() {
            let Place { slot, difference } = Self::place(place);
            if slot + difference as usize >= slots {
                return false;
            }
            rest = others;
        }
        true
    }

    /// Returns the place that two bytes of the section stand for.
    const fn place(bytes: [u8; 2]) -> Place {
        let number = u16::from_le_bytes(bytes);
        Place { slot: (number & !DIFFERENCE) as usize, difference: number & DIFFERENCE != 0 }
    }

    /// Returns whether the inputs are the readings of one sample, in their order.
    pub const fn is_empty(&self) -> bool {
        self.windows.is_empty()
    }

    /// Returns the number of readings of a sample.
    pub const fn channels(&self) -> usize {
        if self.windows.is_empty() { self.inputs as usize } else { self.windows.len() }
    }

    /// Returns the number of slots of all channels.
    pub const fn slots(&self) -> usize {
        if self.windows.is_empty() {
            return self.inputs as usize;
        }
        let (mut slots, mut rest) = (0, self.windows);
        while let Some((&window, others)) = rest.split_first() {
            slots += window as usize;
            rest = others;
        }
        slots
    }

    /// Returns the number of samples that fill every slot.
    pub fn depth(&self) -> u8 {
        self.windows.iter().copied().max().unwrap_or(1)
    }

    /// Returns the number of slots of every channel.
    pub fn windows(&self) -> impl Iterator<Item = u8> + use<'a> {
        let windows = self.windows;
        (0..self.channels()).map(move |channel| windows.get(channel).copied().unwrap_or(1))
    }

    /// Returns the place of every input.
    pub fn places(&self) -> impl Iterator<Item = Place> + use<'a> {
        let places = self.places;
        let plain = |slot| Place { slot, difference: false };
        (0..usize::from(self.inputs)).map(move |input| places.get(input).map_or(plain(input), |&p| Self::place(p)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two channels with windows of 3 and 1; inputs: the second channel, the oldest of the first, a difference.
    const CONTENT: [u8; 10] = [2, 0, 3, 1, 3, 0, 2, 0, 1, 0x80];

    #[test]
    fn slots_and_places_are_read() {
        let lags = Lags::of(&CONTENT, 3);
        assert_eq!((lags.channels(), lags.slots(), lags.depth()), (2, 4, 3));
        assert!(lags.windows().eq([3, 1]));
        let places: Vec<(usize, bool)> = lags.places().map(|p| (p.slot, p.difference)).collect();
        assert_eq!(places, [(3, false), (2, false), (1, true)]);
    }

    #[test]
    fn a_model_without_a_history_takes_one_sample() {
        let lags = Lags::of(&[], 2);
        assert_eq!((lags.is_empty(), lags.channels(), lags.slots(), lags.depth()), (true, 2, 2, 1));
        assert!(lags.windows().eq([1, 1]) && lags.places().map(|p| p.slot).eq([0, 1]));
    }

    #[test]
    fn contradictions_are_refused() {
        let refused = |change: fn(&mut Vec<u8>), inputs| {
            let mut content = CONTENT.to_vec();
            change(&mut content);
            !Lags::are_sound(&content, inputs)
        };
        assert!(!refused(|_| (), 3));
        assert!(refused(|_| (), 2) && refused(|_| (), 4));
        assert!(refused(|c| c.truncate(1), 3) && refused(|c| c.truncate(9), 3) && refused(|c| c.push(0), 3));
        assert!(refused(|c| c[0] = 0, 3) && refused(|c| c[0] = 9, 3) && refused(|c| c[1] = 1, 3));
        assert!(refused(|c| c[4] = 4, 3), "slot 4 of 4");
        assert!(refused(|c| c[8] = 3, 3), "the difference of the last slot and none");
        assert!(refused(|c| c[2] = 2, 3), "one slot fewer");
    }
}
