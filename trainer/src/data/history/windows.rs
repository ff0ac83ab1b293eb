//! Inputs that are statistics of windows of samples.

use nalgebra::DMatrix;
use srfm_runtime::format::{self, Band, Statistic, WindowInput, WindowsSpec};
use srfm_runtime::history::Window;

use crate::data::history::sequences::Sequences;

/// The statistics that windows have beside their bands.
const SIMPLE: [Statistic; 5] =
    [Statistic::Mean, Statistic::Deviation, Statistic::Minimum, Statistic::Maximum, Statistic::Crossings];

/// The windows of inputs, as the format states them.
#[derive(Clone, Debug, PartialEq)]
pub struct Windows {
    /// The number of samples of a window.
    samples: u16,
    /// The number of samples from the start of a window to that of the next.
    step: u16,
    /// Whether the inputs come from each channel.
    kept: Vec<bool>,
    /// The statistic of every input, with its channel among those that are kept.
    inputs: Vec<WindowInput>,
}

/// Returns the statistics of windows of so many samples: simple ones, and bands of 1, 2, 4, … cycles a window.
fn statistics(samples: u16) -> Vec<Statistic> {
    let cycles = std::iter::successors(Some(1_u16), |cycles| cycles.checked_mul(2));
    let bands = cycles.take_while(|cycles| 2 * u32::from(*cycles) < samples.into());
    let band = |cycles: u16| {
        let angle = std::f64::consts::TAU * f64::from(cycles) / f64::from(samples);
        Statistic::Band(Band { cycles, coefficient: (2.0 * libm::cos(angle)) as f32 })
    };
    SIMPLE.into_iter().chain(bands.map(band)).collect()
}

/// Returns the name of a statistic, such as `mean` or `band 4`.
fn name(statistic: Statistic) -> String {
    match statistic {
        Statistic::Unused => "unused".to_owned(),
        Statistic::Mean => "mean".to_owned(),
        Statistic::Deviation => "deviation".to_owned(),
        Statistic::Minimum => "minimum".to_owned(),
        Statistic::Maximum => "maximum".to_owned(),
        Statistic::Crossings => "crossings".to_owned(),
        Statistic::Band(Band { cycles, .. }) => format!("band {cycles}"),
    }
}

/// Returns the names of the statistics of windows of so many samples.
pub fn names_of(samples: u16) -> Vec<String> {
    statistics(samples).into_iter().map(name).collect()
}

impl Windows {
    /// The largest number of channels.
    pub const MOST_CHANNELS: usize = 1 + u8::MAX as usize;

    /// Returns windows with all statistics of so many channels, at most [`Windows::MOST_CHANNELS`].
    pub fn new(samples: u16, step: u16, channels: usize) -> Windows {
        let all = statistics(samples);
        let of_channel = |channel: usize| all.iter().map(move |&statistic| (channel, statistic));
        let input = |(channel, statistic)| WindowInput { channel: channel as u8, statistic };
        let inputs = (0..channels).flat_map(of_channel).map(input).collect();
        Windows { samples, step, kept: vec![true; channels], inputs }
    }

    /// Returns the windows that a model file states.
    pub fn from_model(windows: format::Windows<'_>) -> Windows {
        let [samples, step] = [windows.samples(), windows.step()];
        Windows { samples, step, kept: windows.kept().collect(), inputs: windows.inputs().collect() }
    }

    /// Returns what a model file states.
    pub fn spec(&self) -> WindowsSpec<'_> {
        WindowsSpec { samples: self.samples, step: self.step, kept: &self.kept, inputs: &self.inputs }
    }

    /// Returns the number of samples of a window.
    pub fn samples(&self) -> usize {
        self.samples.into()
    }

    /// Returns the number of samples from the start of a window to that of the next.
    pub fn step(&self) -> usize {
        self.step.into()
    }

    /// Returns the number of inputs.
    pub fn len(&self) -> usize {
        self.inputs.len()
    }

    /// Returns the names of the inputs of `channels`.
    pub fn names(&self, channels: &[String]) -> Vec<String> {
        let kept = self.kept_channels();
        let name = |input: &WindowInput| {
            let channel = kept.get(usize::from(input.channel)).and_then(|&channel| channels.get(channel));
            format!("{} {}", channel.map_or("", String::as_str), name(input.statistic))
        };
        self.inputs.iter().map(name).collect()
    }

    /// Returns whether a used input comes from each channel.
    pub fn used_channels(&self, used: &[bool]) -> Vec<bool> {
        let kept = self.kept_channels();
        let mut channels = vec![false; self.kept.len()];
        for (input, _) in self.inputs.iter().zip(used).filter(|(_, used)| **used) {
            channels[kept[usize::from(input.channel)]] = true;
        }
        channels
    }

    /// Returns the windows with the same values of the `used` inputs; the others are zero.
    pub fn shortened(&self, used: &[usize]) -> Windows {
        let is_used: Vec<bool> = (0..self.inputs.len()).map(|input| used.contains(&input)).collect();
        let mut kept = self.used_channels(&is_used);
        // A model keeps a channel at least.
        if !kept.contains(&true) {
            kept[0] = true;
        }
        let before = self.kept_channels();
        let place = |channel: u8| {
            let channel = before[usize::from(channel)];
            kept[..channel].iter().filter(|is_kept| **is_kept).count() as u8
        };
        let unused = WindowInput { channel: 0, statistic: Statistic::Unused };
        let input = |(input, is_used): (&WindowInput, bool)| match is_used {
            true => WindowInput { channel: place(input.channel), ..*input },
            false => unused,
        };
        let inputs = self.inputs.iter().zip(is_used).map(input).collect();
        Windows { kept, inputs, ..*self }
    }

    /// Writes the inputs (n×d) of the rows that are `ready`, from samples (n×c) in the order of time. Statistics are
    /// those of the device, bit for bit.
    pub fn fill(&self, samples: &DMatrix<f64>, sequences: &Sequences<'_>, ready: &[bool], x: &mut DMatrix<f64>) {
        let kept = self.kept_channels();
        let mut readings = vec![0.0; self.samples()];
        for row in (0..samples.nrows()).filter(|&row| ready[row]) {
            for (place, &channel) in kept.iter().enumerate() {
                for (lag, reading) in readings.iter_mut().rev().enumerate() {
                    *reading = samples[(sequences.earlier(row, lag), channel)] as f32;
                }
                let window = Window::new(&readings);
                let inputs = self.inputs.iter().enumerate().filter(|(_, input)| usize::from(input.channel) == place);
                inputs.for_each(|(column, input)| x[(row, column)] = window.statistic(input.statistic).into());
            }
        }
    }

    /// Returns the channels that are kept.
    fn kept_channels(&self) -> Vec<usize> {
        (0..self.kept.len()).filter(|&channel| self.kept[channel]).collect()
    }
}
