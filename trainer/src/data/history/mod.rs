//! Inputs that look back in time: the samples of a log that they come from.

mod lags;
mod sequences;
#[cfg(test)]
mod tests;
mod windows;

use nalgebra::DMatrix;
use srfm_runtime::format::{HistorySpec, Samples};

use crate::data::history::lags::Lags;
use crate::data::history::sequences::Sequences;

pub(crate) use lags::Lag;
pub(crate) use windows::{Windows, names_of};

/// The samples that the inputs of a data set or a model come from.
///
/// A sample has one reading of every channel. The inputs are readings of some samples, or statistics of windows of
/// samples. The history is empty where every input is a reading of the present sample.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// The names of the channels.
    channels: Vec<String>,
    kind: Kind,
}

/// What inputs are of the samples.
#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Lags(Lags),
    Windows(Windows),
}

impl Default for Kind {
    fn default() -> Self {
        Kind::Lags(Lags::default())
    }
}

impl History {
    /// Returns the history of columns, each with its channels and the samples that are its inputs; empty if none looks
    /// back.
    pub(crate) fn of_lags(columns: &[(Vec<String>, Vec<Lag>)]) -> History {
        let of_columns: Vec<(usize, Vec<Lag>)> =
            columns.iter().map(|(channels, lags)| (channels.len(), lags.clone())).collect();
        let lags = Lags::from_columns(&of_columns);
        if lags.is_empty() {
            return History::default();
        }
        let channels = columns.iter().flat_map(|(channels, _)| channels.iter().cloned()).collect();
        History { channels, kind: Kind::Lags(lags) }
    }

    /// Returns the history of windows of so many samples that begin `step` samples apart.
    pub(crate) fn of_windows(samples: u16, step: u16, channels: Vec<String>) -> History {
        History { kind: Kind::Windows(Windows::new(samples, step, channels.len())), channels }
    }

    /// Returns the history that a model file states, for channels of the given names.
    pub(crate) fn from_model(samples: Samples<'_>, channels: Vec<String>) -> History {
        match samples {
            _ if samples.is_empty() => History::default(),
            Samples::Lags(lags) => History { channels, kind: Kind::Lags(Lags::from_model(lags)) },
            Samples::Windows(windows) => History { channels, kind: Kind::Windows(Windows::from_model(windows)) },
        }
    }

    /// Returns what a model file states.
    pub(crate) fn spec(&self) -> HistorySpec<'_> {
        match &self.kind {
            Kind::Lags(lags) => HistorySpec::Lags { windows: lags.windows(), places: lags.places() },
            Kind::Windows(windows) => HistorySpec::Windows(windows.spec()),
        }
    }

    /// Returns whether every input is a reading of the present sample.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(&self.kind, Kind::Lags(lags) if lags.is_empty())
    }

    /// Returns whether the inputs are statistics of windows.
    pub fn has_windows(&self) -> bool {
        matches!(self.kind, Kind::Windows(_))
    }

    /// Returns the names of the readings of a sample.
    pub fn channels(&self) -> &[String] {
        &self.channels
    }

    /// Returns the number of samples that the inputs come from.
    pub fn depth(&self) -> usize {
        match &self.kind {
            Kind::Lags(lags) => lags.depth(),
            Kind::Windows(windows) => windows.samples(),
        }
    }

    /// Returns the number of samples from one row to the next.
    pub fn step(&self) -> usize {
        match &self.kind {
            Kind::Lags(_) => 1,
            Kind::Windows(windows) => windows.step(),
        }
    }

    /// Returns whether there are inputs at a sample, whose number counts from 0 in its sequence.
    pub fn is_ready(&self, position: usize) -> bool {
        let after_the_first = (position + 1).checked_sub(self.depth());
        after_the_first.is_some_and(|samples| samples.is_multiple_of(self.step()))
    }

    /// Returns the number of inputs; 0 of an empty history.
    pub(crate) fn inputs(&self) -> usize {
        match &self.kind {
            Kind::Lags(lags) => lags.places().len(),
            Kind::Windows(windows) => windows.len(),
        }
    }

    /// Returns the names of the inputs.
    pub(crate) fn names(&self) -> Vec<String> {
        match &self.kind {
            Kind::Lags(lags) => lags.names(&self.channels),
            Kind::Windows(windows) => windows.names(&self.channels),
        }
    }

    /// Returns whether a used input comes from each channel.
    pub(crate) fn used_channels(&self, used: &[bool]) -> Vec<bool> {
        match &self.kind {
            Kind::Lags(lags) => lags.used_channels(used),
            Kind::Windows(windows) => windows.used_channels(used),
        }
    }

    /// Returns the shortest history with the same values of the `used` inputs. The other inputs get any values.
    pub(crate) fn shortened(&self, used: &[usize]) -> History {
        let kind = match &self.kind {
            Kind::Lags(lags) => Kind::Lags(lags.shortened(used)),
            Kind::Windows(windows) => Kind::Windows(windows.shortened(used)),
        };
        History { channels: self.channels.clone(), kind }
    }

    /// Returns the inputs (n×d) of samples (n×c) in the order of time, and whether each row has enough samples or
    /// completes a window. Other rows are NaN. The samples of a row are those of its group.
    pub(crate) fn inputs_of(&self, samples: &DMatrix<f64>, groups: Option<&[usize]>) -> (DMatrix<f64>, Vec<bool>) {
        let sequences = Sequences::new(groups, samples.nrows());
        let ready: Vec<bool> = sequences.positions.iter().map(|&position| self.is_ready(position)).collect();
        let mut x = DMatrix::from_element(samples.nrows(), self.inputs(), f64::NAN);
        match &self.kind {
            Kind::Lags(lags) => lags.fill(samples, &sequences, &ready, &mut x),
            Kind::Windows(windows) => windows.fill(samples, &sequences, &ready, &mut x),
        }
        (x, ready)
    }

    /// Returns whether the samples of each row have different labels; never with lags. A missing label differs from
    /// none.
    pub(crate) fn are_mixed<T: PartialEq + Copy>(&self, labels: &[Option<T>], groups: Option<&[usize]>) -> Vec<bool> {
        let sequences = Sequences::new(groups, labels.len());
        // The latest label up to each row, and the number of rows since another one.
        let mut latest = labels.to_vec();
        let mut runs = vec![1; labels.len()];
        for row in (0..labels.len()).filter(|&row| sequences.positions[row] > 0) {
            let before = sequences.earlier(row, 1);
            latest[row] = latest[row].or(latest[before]);
            if latest[before].is_none() || latest[before] == latest[row] {
                runs[row] = runs[before] + 1;
            }
        }
        runs.into_iter().map(|run| self.has_windows() && run < self.depth()).collect()
    }
}
