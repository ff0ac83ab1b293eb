//! Inputs that look back in time: the samples of a log that they come from.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};
use srfm_runtime::format::{Lags, Place};

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

/// The samples that the inputs of a data set or a model come from.
///
/// A sample has one reading of every channel. The latest readings of a channel lie in its slots, the newest first, and
/// the slots of all channels follow each other. The history is empty where every input is a reading of the present
/// sample.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// The names of the channels.
    channels: Vec<String>,
    /// The number of slots of every channel.
    windows: Vec<u8>,
    /// The slot of every input.
    places: Vec<Place>,
}

impl History {
    /// Returns the history of columns, each with its channels and what its inputs are of them; empty if none looks
    /// back.
    pub(crate) fn from_columns(columns: &[(Vec<String>, &[Lag])]) -> History {
        let mut history = History::default();
        if columns.iter().all(|(_, lags)| *lags == [Lag::default()]) {
            return history;
        }
        let mut first = 0;
        for (channels, lags) in columns {
            let window = lags.iter().map(|lag| lag.window()).max().unwrap_or(0);
            for channel in channels {
                let place = |lag: &Lag| Place { slot: first + usize::from(lag.samples), difference: lag.difference };
                history.places.extend(lags.iter().map(place));
                history.windows.push(window.min(Lag::MOST_SAMPLES) as u8);
                history.channels.push(channel.clone());
                first += window;
            }
        }
        history
    }

    /// Returns the history that a model file states, for channels of the given names.
    pub(crate) fn from_model(lags: Lags<'_>, channels: Vec<String>) -> History {
        if lags.is_empty() {
            return History::default();
        }
        History { channels, windows: lags.windows().collect(), places: lags.places().collect() }
    }

    /// Returns whether every input is a reading of the present sample.
    pub(crate) fn is_empty(&self) -> bool {
        self.windows.is_empty()
    }

    /// Returns the names of the readings of a sample.
    pub fn channels(&self) -> &[String] {
        &self.channels
    }

    /// Returns the number of samples that the inputs come from.
    pub fn depth(&self) -> usize {
        self.windows.iter().copied().max().unwrap_or(1).into()
    }

    /// Returns the number of slots of every channel.
    pub(crate) fn windows(&self) -> &[u8] {
        &self.windows
    }

    /// Returns the slot of every input.
    pub(crate) fn places(&self) -> &[Place] {
        &self.places
    }

    /// Returns the names of the inputs.
    pub(crate) fn names(&self) -> Vec<String> {
        let origins = self.origins();
        let name = |place: &Place| {
            let (channel, samples) = origins[place.slot];
            Lag { samples, difference: place.difference }.name(&self.channels[channel])
        };
        self.places.iter().map(name).collect()
    }

    /// Returns whether a used input comes from each channel.
    pub(crate) fn used_channels(&self, used: &[bool]) -> Vec<bool> {
        let origins = self.origins();
        let mut channels = vec![false; self.windows.len()];
        for (place, _) in self.places.iter().zip(used).filter(|(_, used)| **used) {
            channels[origins[place.slot].0] = true;
        }
        channels
    }

    /// Returns the shortest history with the same values of the `used` inputs. The other inputs get any slot.
    pub(crate) fn shortened(&self, used: &[usize]) -> History {
        if self.is_empty() {
            return History::default();
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
        History { channels: self.channels.clone(), windows, places }
    }

    /// Returns the inputs (n×d) of samples (n×c) in the order of time, and whether each row has enough samples. Other
    /// rows are NaN. The samples of a row are those of its group. Differences are those of the device, bit for bit.
    pub(crate) fn inputs(&self, samples: &DMatrix<f64>, groups: Option<&[usize]>) -> (DMatrix<f64>, Vec<bool>) {
        let origins = self.origins();
        let sequences = Sequences::new(groups, samples.nrows());
        let ready: Vec<bool> = sequences.positions.iter().map(|position| position + 1 >= self.depth()).collect();
        let mut x = DMatrix::from_element(samples.nrows(), self.places.len(), f64::NAN);
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
        (x, ready)
    }

    /// Returns the channel and the lag of every slot.
    fn origins(&self) -> Vec<(usize, u8)> {
        let of_channel = |(channel, &window): (usize, &u8)| (0..window).map(move |lag| (channel, lag));
        self.windows.iter().enumerate().flat_map(of_channel).collect()
    }
}

/// The rows of every group in their order.
struct Sequences<'a> {
    groups: Option<&'a [usize]>,
    /// The rows of each group; none without groups.
    rows: Vec<Vec<usize>>,
    /// The place of every row among those of its group.
    positions: Vec<usize>,
}

impl Sequences<'_> {
    fn new(groups: Option<&[usize]>, count: usize) -> Sequences<'_> {
        let Some(of_rows) = groups else {
            return Sequences { groups, rows: Vec::new(), positions: (0..count).collect() };
        };
        let mut rows = vec![Vec::new(); of_rows.iter().max().map_or(0, |last| last + 1)];
        let mut positions = Vec::with_capacity(count);
        for (row, &group) in of_rows.iter().enumerate() {
            positions.push(rows[group].len());
            rows[group].push(row);
        }
        Sequences { groups, rows, positions }
    }

    /// Returns the row that lies `lag` rows before another row of its group. There must be one.
    fn earlier(&self, row: usize, lag: usize) -> usize {
        let position = self.positions[row] - lag;
        self.groups.map_or(position, |groups| self.rows[groups[row]][position])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;

    /// Columns of one channel each.
    fn history(lags: &[Vec<Lag>]) -> History {
        let column = |(number, lags): (usize, &'_ Vec<Lag>)| (vec![format!("c{number}")], lags.clone());
        let columns: Vec<(Vec<String>, Vec<Lag>)> = lags.iter().enumerate().map(column).collect();
        History::from_columns(&columns.iter().map(|(names, lags)| (names.clone(), &lags[..])).collect::<Vec<_>>())
    }

    fn lag(samples: u8, difference: bool) -> Lag {
        Lag { samples, difference }
    }

    #[test]
    fn inputs_are_readings_of_earlier_rows_of_the_group() {
        let history = history(&[vec![lag(0, false), lag(2, false), lag(0, true)], vec![lag(1, true)]]);
        assert_eq!(history.names(), ["c0", "c0 lag 2", "c0 change", "c1 change lag 1"]);
        assert_eq!((history.depth(), history.windows()), (3, &[3, 3][..]));
        let samples = DMatrix::from_fn(8, 2, |row, channel| [0.1, 0.7][channel] * (row * row) as f64);
        let groups = [0, 1, 0, 0, 1, 1, 0, 1];
        let (x, ready) = history.inputs(&samples, Some(&groups));
        assert_eq!(ready, [false, false, false, true, false, true, true, true]);
        // Row 6 follows the rows 3 and 2 of its group.
        let newer = samples[(3, 1)] as f32;
        let older = samples[(2, 1)] as f32;
        let change = f64::from(samples[(6, 0)] as f32 - samples[(3, 0)] as f32);
        assert_eq!(x.row(6).iter().copied().collect::<Vec<_>>(), [3.6, 0.4, change, f64::from(newer - older)]);
        assert!(x.row(4).iter().all(|value| value.is_nan()));
        assert_eq!(history.inputs(&samples, None).1.iter().filter(|ready| !**ready).count(), 2);
    }

    #[test]
    fn a_shortened_history_gives_the_same_inputs() {
        let mut sampler = Sampler::new(6);
        for _ in 0..100 {
            let mut below = |most: usize| sampler.permutation(most)[0];
            let mut lags = || -> Vec<Lag> {
                let all = (0..12).map(|i| lag(i / 2, i % 2 == 1));
                let some: Vec<Lag> = all.filter(|_| below(3) == 0).collect();
                if some.is_empty() { vec![Lag::default()] } else { some }
            };
            let full = history(&[lags(), lags(), lags(), vec![lag(1, false)]]);
            let used: Vec<usize> = (0..full.places().len()).filter(|_| below(2) == 0).collect();
            let short = full.shortened(&used);
            let samples = DMatrix::from_fn(20, 4, |row, channel| (100 * channel + row * row) as f64);
            let [(x, ready), (short_x, short_ready)] = [&full, &short].map(|history| history.inputs(&samples, None));
            for row in (0..20).filter(|&row| ready[row]) {
                assert!(short_ready[row] && used.iter().all(|&input| short_x[(row, input)] == x[(row, input)]));
            }
            let slots = |history: &History| history.windows().iter().map(|&window| usize::from(window)).sum::<usize>();
            assert!(slots(&short) >= 1 && slots(&short) <= slots(&full));
            // One sample less would not do.
            let needed = used.iter().map(|&input| full.names()[input].clone()).map(|name| {
                let lag = name.rsplit_once("lag ").map_or(0, |(_, lag)| lag.parse::<usize>().unwrap());
                lag + 1 + usize::from(name.contains("change"))
            });
            assert_eq!(short.depth(), needed.max().unwrap_or(1));
        }
    }
}
