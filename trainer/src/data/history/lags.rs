//! Inputs that are readings of earlier samples.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};
use srfm_runtime::format::{self, Place};

use crate::data::history::sequences::Sequences;

/// What an input is of the samples of its column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Lag {
    /// Whether the input is the reading less that of the sample before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub difference: bool,
    /// The number of samples since the reading; 0 for the present one.
    #[serde(default, rename = "lag", skip_serializing_if = "is_present")]
    pub samples: u8,
}

/// Returns whether a lag is that of the present sample.
fn is_present(samples: &u8) -> bool {
    *samples == 0
}

impl Lag {
    /// The largest number of samples of a column that a model holds.
    pub const MOST_SAMPLES: usize = u8::MAX as usize;

    /// Returns the number of samples of the column that the input looks at, the present one included.
    pub fn window(self) -> usize {
        usize::from(self.samples) + 1 + usize::from(self.difference)
    }

    /// Returns the name of the input, such as `flow lag 2` or `flow change`.
    pub fn name(self, column: &str) -> String {
        let change = if self.difference { " change" } else { "" };
        let lag = if self.samples == 0 { String::new() } else { format!(" lag {}", self.samples) };
        format!("{column}{change}{lag}")
    }
}

/// The lags of inputs. The latest readings of a channel lie in its slots, the newest first, and the slots of all
/// channels follow each other. The lags are empty where every input is a reading of the present sample.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lags {
    /// The number of slots of every channel.
    windows: Vec<u8>,
    /// The slot of every input.
    places: Vec<Place>,
}

impl Lags {
    /// Returns the lags of columns, each with the number of its channels; empty if none looks back.
    pub fn from_columns(columns: &[(usize, Vec<Lag>)]) -> Lags {
        let mut all = Lags::default();
        if columns.iter().all(|(_, lags)| *lags == [Lag::default()]) {
            return all;
        }
        let mut first = 0;
        for (channels, lags) in columns {
            let window = lags.iter().map(|lag| lag.window()).max().unwrap_or(0);
            for _ in 0..*channels {
                let place = |lag: &Lag| Place { slot: first + usize::from(lag.samples), difference: lag.difference };
                all.places.extend(lags.iter().map(place));
                all.windows.push(window.min(Lag::MOST_SAMPLES) as u8);
                first += window;
            }
        }
        all
    }

    /// Returns the lags that a model file states.
    pub fn from_model(lags: format::Lags<'_>) -> Lags {
        if lags.is_empty() {
            return Lags::default();
        }
        Lags { windows: lags.windows().collect(), places: lags.places().collect() }
    }

    /// Returns whether every input is a reading of the present sample.
    pub fn is_empty(&self) -> bool {
        self.windows.is_empty()
    }

    /// Returns the number of samples that the inputs come from.
    pub fn depth(&self) -> usize {
        self.windows.iter().copied().max().unwrap_or(1).into()
    }

    /// Returns the number of slots of every channel.
    pub fn windows(&self) -> &[u8] {
        &self.windows
    }

    /// Returns the slot of every input.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// Returns the names of the inputs of `channels`.
    pub fn names(&self, channels: &[String]) -> Vec<String> {
        let origins = self.origins();
        let name = |place: &Place| {
            let (channel, samples) = origins[place.slot];
            Lag { samples, difference: place.difference }.name(&channels[channel])
        };
        self.places.iter().map(name).collect()
    }

    /// Returns whether a used input comes from each channel.
    pub fn used_channels(&self, used: &[bool]) -> Vec<bool> {
        let origins = self.origins();
        let mut channels = vec![false; self.windows.len()];
        for (place, _) in self.places.iter().zip(used).filter(|(_, used)| **used) {
            channels[origins[place.slot].0] = true;
        }
        channels
    }

    /// Returns the shortest lags with the same values of the `used` inputs. The other inputs get any slot.
    pub fn shortened(&self, used: &[usize]) -> Lags {
        if self.is_empty() {
            return Lags::default();
        }
        let origins = self.origins();
        let mut windows = vec![0; self.windows.len()];
        for place in used.iter().map(|&input| self.places[input]) {
            for &(channel, lag) in &origins[place.slot..=place.slot + usize::from(place.difference)] {
                windows[channel] = windows[channel].max(lag + 1);
            }
        }
        // A model holds a slot at least.
        if windows.iter().all(|&window| window == 0) {
            windows[0] = 1;
        }
        let mut firsts = vec![0; windows.len()];
        for channel in 1..windows.len() {
            firsts[channel] = firsts[channel - 1] + usize::from(windows[channel - 1]);
        }
        let mut places = vec![Place { slot: 0, difference: false }; self.places.len()];
        for &input in used {
            let (channel, lag) = origins[self.places[input].slot];
            places[input] = Place { slot: firsts[channel] + usize::from(lag), ..self.places[input] };
        }
        Lags { windows, places }
    }

    /// Writes the inputs (n×d) of the rows that are `ready`, from samples (n×c) in the order of time. Differences are
    /// those of the device, bit for bit.
    pub fn fill(&self, samples: &DMatrix<f64>, sequences: &Sequences<'_>, ready: &[bool], x: &mut DMatrix<f64>) {
        let origins = self.origins();
        for (mut column, place) in x.column_iter_mut().zip(&self.places) {
            for row in (0..samples.nrows()).filter(|&row| ready[row]) {
                let reading = |slot: usize| {
                    let (channel, lag) = origins[slot];
                    samples[(sequences.earlier(row, lag.into()), channel)]
                };
                let newer = reading(place.slot);
                let difference = || f64::from(newer as f32 - reading(place.slot + 1) as f32);
                column[row] = if place.difference { difference() } else { newer };
            }
        }
    }

    /// Returns the channel and the lag of every slot.
    fn origins(&self) -> Vec<(usize, u8)> {
        let of_channel = |(channel, &window): (usize, &u8)| (0..window).map(move |lag| (channel, lag));
        self.windows.iter().enumerate().flat_map(of_channel).collect()
    }
}
