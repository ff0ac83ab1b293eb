//! The windows section: statistics of the latest samples, which are the inputs of a model.
//!
//! A window has as many samples as the section says. The next one begins a step later. The readings of a channel that
//! the model uses lie in slots, the oldest first, and the slots of all such channels follow each other.

/// The number of samples that a window has at least and at most.
pub const WINDOW_SAMPLES: [u16; 2] = [2, 1024];

/// The bytes of the section before its lists: the samples of a window, those of a step, and the number of channels.
const HEAD: usize = 6;

/// The bytes of a frequency band: its cycles and its coefficient.
const BAND: usize = 6;

/// The number that stands for the first frequency band.
const FIRST_BAND: u8 = 16;

/// What an input is of the samples of its channel.
///
/// Statistics are computed in single precision, from the oldest sample to the newest. Each is NaN where a sample of the
/// window is NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Statistic {
    /// Nothing: the outputs do not depend on the input, which is zero.
    Unused,
    /// The mean.
    Mean,
    /// The standard deviation: the square root of the mean square of the differences from the mean.
    Deviation,
    /// The smallest reading.
    Minimum,
    /// The largest reading.
    Maximum,
    /// How often two readings in a row lie on different sides of the mean. The mean itself counts as below.
    Crossings,
    /// The amplitude of a sine of whole cycles a window.
    Band(Band),
}

/// A frequency band: see [`Statistic::Band`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// The cycles a window, more than 0 and less than half of the samples.
    pub cycles: u16,
    /// `2 cos(2π cycles / samples)`, the coefficient of Goertzel's algorithm.
    pub coefficient: f32,
}

/// An input: a statistic of a channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowInput {
    /// The channel, counted among those whose readings are kept.
    pub channel: u8,
    /// The statistic.
    pub statistic: Statistic,
}

/// The windows of a model: their samples, the channels whose readings are kept, and the inputs.
#[derive(Clone, Copy, Debug)]
pub struct Windows<'a> {
    /// The number of samples of a window.
    samples: u16,
    /// The number of samples from the start of a window to that of the next.
    step: u16,
    /// 1 for every channel whose readings are kept, otherwise 0.
    kept: &'a [u8],
    /// The channel and the number of the statistic of every input.
    inputs: &'a [[u8; 2]],
    /// The frequency bands.
    bands: &'a [[u8; BAND]],
}

impl<'a> Windows<'a> {
    /// Returns the windows that the content of the section states; none where it is shorter than its lists.
    pub(super) const fn of(content: &'a [u8], inputs: u16) -> Option<Windows<'a>> {
        let Some((&[n0, n1, m0, m1, c0, c1], rest)) = content.split_first_chunk::<HEAD>() else { return None };
        let Some((kept, rest)) = rest.split_at_checked(u16::from_le_bytes([c0, c1]) as usize) else { return None };
        let Some((inputs, bands)) = rest.split_at_checked(2 * inputs as usize) else { return None };
        Some(Windows {
            samples: u16::from_le_bytes([n0, n1]),
            step: u16::from_le_bytes([m0, m1]),
            kept,
            inputs: inputs.as_chunks().0,
            bands: bands.as_chunks().0,
        })
    }

    /// Returns whether the content of a section has the right length and states only what exists.
    pub(super) const fn are_sound(content: &'a [u8], inputs: u16) -> bool {
        let Some(windows) = Self::of(content, inputs) else { return false };
        let Windows { samples, step, kept, .. } = windows;
        let lists = kept.len() + 2 * inputs as usize;
        let is_whole = content.len() == HEAD + lists + BAND * windows.bands.len();
        let [least, most] = WINDOW_SAMPLES;
        if !is_whole || samples < least || samples > most || step == 0 || step > samples {
            return false;
        }
        let mut rest = kept;
        while let Some((&is_kept, others)) = rest.split_first() {
            if is_kept > 1 {
                return false;
            }
            rest = others;
        }
        let channels = windows.kept_channels();
        channels > 0 && channels <= 1 + u8::MAX as usize && windows.has_sound_bands() && windows.has_sound_inputs()
    }

    /// Returns whether every band has cycles between none and the half of the samples, and a coefficient of a cosine.
    const fn has_sound_bands(&self) -> bool {
        let mut rest = self.bands;
        while let Some((&bytes, others)) = rest.split_first() {
            let Band { cycles, coefficient } = Self::band(bytes);
            // A coefficient that is no number fails both comparisons.
            let is_cosine = coefficient >= -2.0 && coefficient <= 2.0;
            if cycles == 0 || 2 * cycles as u32 >= self.samples as u32 || !is_cosine {
                return false;
            }
            rest = others;
        }
        true
    }

    /// Returns whether every input is a statistic that exists of a channel that is kept.
    const fn has_sound_inputs(&self) -> bool {
        let channels = self.kept_channels();
        let mut rest = self.inputs;
        while let Some((&[channel, number], others)) = rest.split_first() {
            let is_known = number <= 5 || number >= FIRST_BAND && ((number - FIRST_BAND) as usize) < self.bands.len();
            if !is_known || channel as usize >= channels {
                return false;
            }
            rest = others;
        }
        true
    }

    /// Returns the band that the bytes of the section stand for.
    const fn band([k0, k1, c0, c1, c2, c3]: [u8; BAND]) -> Band {
        Band { cycles: u16::from_le_bytes([k0, k1]), coefficient: f32::from_le_bytes([c0, c1, c2, c3]) }
    }

    /// Returns the statistic that a number of the section stands for.
    fn statistic(&self, number: u8) -> Statistic {
        match number {
            1 => Statistic::Mean,
            2 => Statistic::Deviation,
            3 => Statistic::Minimum,
            4 => Statistic::Maximum,
            5 => Statistic::Crossings,
            _ => {
                let band = number.checked_sub(FIRST_BAND).and_then(|place| self.bands.get(usize::from(place)));
                band.map_or(Statistic::Unused, |&bytes| Statistic::Band(Self::band(bytes)))
            }
        }
    }

    /// Returns the number of samples of a window.
    pub const fn samples(&self) -> u16 {
        self.samples
    }

    /// Returns the number of samples from the start of a window to that of the next.
    pub const fn step(&self) -> u16 {
        self.step
    }

    /// Returns the number of readings of a sample.
    pub const fn channels(&self) -> usize {
        self.kept.len()
    }

    /// Returns the number of channels whose readings are kept.
    pub const fn kept_channels(&self) -> usize {
        let (mut count, mut rest) = (0, self.kept);
        while let Some((&is_kept, others)) = rest.split_first() {
            count += is_kept as usize;
            rest = others;
        }
        count
    }

    /// Returns the number of slots of all channels.
    pub const fn slots(&self) -> usize {
        self.samples as usize * self.kept_channels()
    }

    /// Returns whether the readings of each channel are kept.
    pub fn kept(&self) -> impl Iterator<Item = bool> + use<'a> {
        self.kept.iter().map(|&is_kept| is_kept > 0)
    }

    /// Returns the statistic of every input.
    pub fn inputs(&self) -> impl Iterator<Item = WindowInput> + use<'a> {
        let windows = *self;
        let input = move |&[channel, number]: &[u8; 2]| WindowInput { channel, statistic: windows.statistic(number) };
        self.inputs.iter().map(input)
    }
}

#[cfg(feature = "write")]
pub(super) use encode::{bands, number};

#[cfg(feature = "write")]
mod encode {
    use super::{Band, FIRST_BAND, Statistic, WindowInput};

    /// Returns the different bands of inputs, in the order in which they occur.
    pub fn bands(inputs: &[WindowInput]) -> impl Iterator<Item = Band> {
        let band = |input: &WindowInput| match input.statistic {
            Statistic::Band(band) => Some(band),
            _ => None,
        };
        let is_first = move |place: usize| (0..place).all(|before| band(&inputs[before]) != band(&inputs[place]));
        (0..inputs.len()).filter(move |&place| is_first(place)).filter_map(move |place| band(&inputs[place]))
    }

    /// Returns the number that stands for a statistic in a file; none for a band beyond the last number.
    pub fn number(statistic: Statistic, inputs: &[WindowInput]) -> Option<u8> {
        let band = match statistic {
            Statistic::Unused => return Some(0),
            Statistic::Mean => return Some(1),
            Statistic::Deviation => return Some(2),
            Statistic::Minimum => return Some(3),
            Statistic::Maximum => return Some(4),
            Statistic::Crossings => return Some(5),
            Statistic::Band(band) => band,
        };
        let place = bands(inputs).position(|other| other == band)?;
        u8::try_from(place).ok()?.checked_add(FIRST_BAND)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Windows of 8 samples, a step of 3, two of three channels; inputs: a mean, nothing, a band.
    const CONTENT: [u8; 21] = [8, 0, 3, 0, 3, 0, 1, 0, 1, 0, 1, 0, 0, 1, 16, 1, 0, 0, 0, 0xb5, 0x3f];

    #[test]
    fn windows_are_read() {
        let windows = Windows::of(&CONTENT, 3).unwrap();
        assert!(Windows::are_sound(&CONTENT, 3));
        assert_eq!((windows.samples(), windows.step(), windows.channels(), windows.slots()), (8, 3, 3, 16));
        assert!(windows.kept().eq([true, false, true]));
        let band = Statistic::Band(Band { cycles: 1, coefficient: 1.414_062_5 });
        let inputs: Vec<(u8, Statistic)> = windows.inputs().map(|input| (input.channel, input.statistic)).collect();
        assert_eq!(inputs, [(0, Statistic::Mean), (0, Statistic::Unused), (1, band)]);
    }

    #[test]
    fn contradictions_are_refused() {
        let refused = |change: fn(&mut Vec<u8>), inputs| {
            let mut content = CONTENT.to_vec();
            change(&mut content);
            !Windows::are_sound(&content, inputs)
        };
        assert!(!refused(|_| (), 3));
        assert!(refused(|_| (), 2) && refused(|_| (), 4));
        assert!((0..CONTENT.len()).all(|len| !Windows::are_sound(&CONTENT[..len], 3)));
        assert!(refused(|c| c.push(0), 3));
        assert!(refused(|c| c[0] = 1, 3) && refused(|c| c[1] = 5, 3), "samples of a window");
        assert!(refused(|c| c[2] = 0, 3) && refused(|c| c[2] = 9, 3), "samples of a step");
        assert!(refused(|c| c[4] = 2, 3) && refused(|c| c[4] = 0, 3), "channels");
        assert!(refused(|c| c[6] = 2, 3), "a channel kept twice");
        assert!(refused(|c| (c[6], c[8]) = (0, 0), 3), "no channel kept");
        assert!(refused(|c| c[8] = 0, 3), "an input of a channel that is not kept");
        assert!(refused(|c| c[10] = 6, 3) && refused(|c| c[10] = 15, 3) && refused(|c| c[14] = 17, 3), "statistics");
        assert!(refused(|c| c[15] = 0, 3) && refused(|c| c[15] = 4, 3) && refused(|c| c[16] = 1, 3), "cycles");
        assert!(refused(|c| c[20] = 0x40, 3) && refused(|c| c[19..].copy_from_slice(&[0xc0, 0x7f]), 3), "coefficients");
    }
}
