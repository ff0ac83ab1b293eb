//! What a model file says beside the parameters.

use srfm_runtime::Error;
use srfm_runtime::format::{Intervals, ModelSpec, encoded_len};

use crate::export::absorb::active_inputs;
use crate::model::{INTERVAL_LEVEL, Model};

/// Bytes of a file for each byte that the importance of its inputs may take.
const IMPORTANCE_FROM: usize = 16;

/// Bytes of a file for each byte that intervals, or ranges in a file without a limit, may take.
const RANGES_FROM: usize = 8;

/// Bytes of intervals that every file has room for: those of one output.
const SHORT_INTERVALS: usize = 8;

/// The content of the sections.
pub(crate) struct Sections {
    /// Shares in 255ths.
    importance: Vec<u8>,
    ranges: Vec<[f32; 2]>,
    half_widths: Vec<f32>,
    /// Flash that the file may take.
    flash: Option<usize>,
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
            flash: model.flash,
        }
    }

    /// The longest there can be.
    pub fn longest(inputs: usize, intervals: usize, flash: Option<usize>) -> Sections {
        let importance = vec![0; inputs];
        let ranges = vec![[0.0; 2]; inputs];
        Sections { importance, ranges, half_widths: vec![0.0; intervals], flash }
    }

    /// The model with those sections that are short beside it, as flash is scarce, and with ranges that fill flash that
    /// is left over.
    pub fn added_to<'a>(&'a self, spec: ModelSpec<'a>) -> Result<ModelSpec<'a>, Error> {
        let short = self.short(spec)?;
        let whole = ModelSpec { ranges: &self.ranges, ..short };
        let fills = match self.flash {
            Some(flash) => encoded_len(&whole)? <= flash,
            None => false,
        };
        Ok(if fills { whole } else { short })
    }

    /// Returns the largest number of bytes that a model of at most the length of `spec` takes with its sections.
    pub fn most_bytes(&self, spec: ModelSpec<'_>) -> Result<usize, Error> {
        let short = self.short(spec)?;
        let bytes = encoded_len(&short)?;
        let whole = encoded_len(&ModelSpec { ranges: &self.ranges, ..short })?;
        Ok(self.flash.map_or(bytes, |flash| bytes.max(whole.min(flash))))
    }

    /// The model with those sections that are short beside it.
    ///
    /// The more bytes a model takes without, the more it takes with them.
    fn short<'a>(&'a self, spec: ModelSpec<'a>) -> Result<ModelSpec<'a>, Error> {
        let bytes = encoded_len(&spec)?;
        let importance = if IMPORTANCE_FROM * self.importance.len() <= bytes { &self.importance[..] } else { &[] };
        let has_ranges = self.flash.is_none() && RANGES_FROM * size_of_val(&self.ranges[..]) <= bytes;
        let ranges = if has_ranges { &self.ranges[..] } else { &[] };
        let intervals = size_of::<f32>() + size_of_val(&self.half_widths[..]);
        let worth = intervals <= SHORT_INTERVALS || RANGES_FROM * intervals <= bytes;
        let half_widths = if worth { &self.half_widths[..] } else { &[] };
        Ok(ModelSpec { importance, ranges, intervals: Intervals { level: INTERVAL_LEVEL as f32, half_widths }, ..spec })
    }
}
