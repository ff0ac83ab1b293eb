//! Windows of signals that own their lists.

use srfm_runtime::format::{Band, HistorySpec, Place, Statistic, WindowInput, WindowsSpec};

use crate::Rng;

/// The lists that a [`WindowsSpec`] borrows.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnedWindows {
    pub samples: u16,
    pub step: u16,
    /// Whether the readings of each channel are kept.
    pub kept: Vec<bool>,
    pub inputs: Vec<WindowInput>,
}

impl OwnedWindows {
    /// Returns windows of so many samples with random statistics of one to four channels, some of which are not kept.
    pub fn random(samples: u16, inputs: usize, rng: &mut Rng) -> OwnedWindows {
        let mut kept: Vec<bool> = (0..1 + rng.below(4)).map(|_| rng.below(3) > 0).collect();
        if !kept.contains(&true) {
            kept[0] = true;
        }
        let channels = kept.iter().filter(|is_kept| **is_kept).count();
        let mut inputs: Vec<WindowInput> = (0..inputs)
            .map(|_| WindowInput { channel: rng.below(channels) as u8, statistic: some_statistic(samples, rng) })
            .collect();
        // Inputs of a channel usually follow each other.
        if rng.below(4) > 0 {
            inputs.sort_by_key(|input| input.channel);
        }
        OwnedWindows { samples, step: 1 + rng.below(samples.into()) as u16, kept, inputs }
    }

    /// Returns what the writer takes: the windows, or lags where there are none.
    pub(crate) fn history<'a>(windows: Option<&'a Self>, slots: &'a [u8], places: &'a [Place]) -> HistorySpec<'a> {
        let Some(OwnedWindows { samples, step, kept, inputs }) = windows else {
            return HistorySpec::Lags { windows: slots, places };
        };
        HistorySpec::Windows(WindowsSpec { samples: *samples, step: *step, kept, inputs })
    }
}

/// Returns the band of so many cycles in windows of so many samples.
pub fn band(cycles: u16, samples: u16) -> Statistic {
    let angle = std::f64::consts::TAU * f64::from(cycles) / f64::from(samples);
    Statistic::Band(Band { cycles, coefficient: (2.0 * angle.cos()) as f32 })
}

/// Returns a random statistic of windows of so many samples.
fn some_statistic(samples: u16, rng: &mut Rng) -> Statistic {
    let bands = usize::from((samples - 1) / 2);
    match rng.below(7) {
        0 => Statistic::Unused,
        1 => Statistic::Mean,
        2 => Statistic::Deviation,
        3 => Statistic::Minimum,
        4 => Statistic::Maximum,
        5 => Statistic::Crossings,
        _ if bands == 0 => Statistic::Mean,
        _ => band(1 + rng.below(bands) as u16, samples),
    }
}
