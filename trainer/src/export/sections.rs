//! What a model file says beside the parameters.

use srfm_runtime::Error;
use srfm_runtime::format::{Intervals, ModelSpec, encoded_len};

use crate::export::absorb::active_inputs;
use crate::model::{INTERVAL_LEVEL, Model};

/// Bytes of a file for each byte that the importance of its inputs may take.
const IMPORTANCE_FROM: usize = 16;

/// Bytes of a file for each byte that ranges, or intervals, may take.
const RANGES_FROM: usize = 8;

/// Bytes of intervals that every file has room for: those of one output.
const SHORT_INTERVALS: usize = 8;

/// The content of the sections.
pub(crate) struct Sections {
    /// Shares in 255ths.
    importance: Vec<u8>,
    ranges: Vec<[f32; 2]>,
    half_widths: Vec<f32>,
}

impl Sections {
    pub fn of(model: &Model) -> Sections {
        let active = active_inputs(model);
        let range = |(input, &(low, high)): (usize, &(f64, f64))| match active.binary_search(&input) {
            Ok(_) => [low as f32, high as f32],
            Err(_) => [f32::NEG_INFINITY, f32::INFINITY],
        };
        Sections {
            importance: model.importance.iter().map(|i| (255.0 * i.share).round() as u8).collect(),
            ranges: model.ranges.iter().enumerate().map(range).collect(),
            half_widths: model.half_widths.iter().map(|&h| h as f32).collect(),
        }
    }

    /// The longest there can be.
    pub fn longest(inputs: usize, intervals: usize) -> Sections {
        Sections { importance: vec![0; inputs], ranges: vec![[0.0; 2]; inputs], half_widths: vec![0.0; intervals] }
    }

    /// The model with those sections that are short beside it: flash is scarce.
    ///
    /// The more bytes a model takes without, the more it takes with them.
    pub fn added_to<'a>(&'a self, spec: ModelSpec<'a>) -> Result<ModelSpec<'a>, Error> {
        let bytes = encoded_len(&spec)?;
        let importance = if IMPORTANCE_FROM * self.importance.len() <= bytes { &self.importance[..] } else { &[] };
        let ranges = if RANGES_FROM * size_of_val(&self.ranges[..]) <= bytes { &self.ranges[..] } else { &[] };
        let intervals = size_of::<f32>() + size_of_val(&self.half_widths[..]);
        let worth = intervals <= SHORT_INTERVALS || RANGES_FROM * intervals <= bytes;
        let half_widths = if worth { &self.half_widths[..] } else { &[] };
        Ok(ModelSpec { importance, ranges, intervals: Intervals { level: INTERVAL_LEVEL as f32, half_widths }, ..spec })
    }
}
