//! Writing the header of a model: its message and its sections.

use postcard::Serializer;
use postcard::ser_flavors::{Flavor, Size, Slice};
use serde::Serialize;

use super::section::{CLASSES, CONFIDENCE, HISTORY, IMPORTANCE, INTERVALS, LOG_ODDS, RANGES, SINGLE, WINDOWS};
use super::{BlockSpec, HistorySpec, ModelSpec, Place, TREES, WindowsSpec, windows};
use crate::Error;

/// The message of the header: the fields of [`Header`](super::Header), in the order of the file.
#[derive(Serialize)]
struct Message<'a> {
    number: u32,
    inputs: u16,
    outputs: u16,
    prepared: u16,
    linear: u16,
    #[serde(serialize_with = "kernels")]
    kernels: (&'a [BlockSpec<'a>], bool),
    inputs_hash: u32,
    method: &'a str,
}

/// Serialises the number of the kernel of every block, and that of the block of trees if there is one.
fn kernels<S: serde::Serializer>(
    &(blocks, trees): &(&[BlockSpec<'_>], bool),
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(blocks.iter().map(|block| block.kernel.number()).chain(trees.then_some(TREES)))
}

/// Returns the length of the header in bytes.
pub(super) fn encoded_len(model: &ModelSpec<'_>) -> Result<usize, Error> {
    let mut counter = Serializer { output: Size::default() };
    serialise(model, &mut counter)?;
    counter.output.finalize().map_err(too_large)
}

/// Writes the header to `out`, which is as long as [`encoded_len`].
pub(super) fn write(model: &ModelSpec<'_>, out: &mut [u8]) -> Result<(), Error> {
    serialise(model, &mut Serializer { output: Slice::new(out) })
}

/// Serialises the message and the sections that are not empty.
fn serialise<F: Flavor>(model: &ModelSpec<'_>, out: &mut Serializer<F>) -> Result<(), Error> {
    let count = |n: usize| u16::try_from(n).map_err(|_| Error::TooLarge);
    let message = Message {
        number: model.number.number().into(),
        inputs: model.inputs,
        outputs: count(model.intercepts.len())?,
        prepared: count(model.prepared.len())?,
        linear: count(model.linear_inputs.len())?,
        kernels: (model.blocks, !model.trees.is_empty()),
        inputs_hash: model.inputs_hash,
        method: model.method,
    };
    message.serialize(&mut *out).and_then(|()| sections(model, out)).map_err(too_large)
}

/// Serialises the sections that are not empty: the tag, the length of the content in bytes, and the content.
fn sections<F: Flavor>(model: &ModelSpec<'_>, out: &mut Serializer<F>) -> postcard::Result<()> {
    if !model.importance.is_empty() {
        (IMPORTANCE, model.importance).serialize(&mut *out)?;
    }
    if !model.classes.is_empty() {
        let mut counter = Serializer { output: Size::default() };
        each(model.classes, &mut counter)?;
        (CLASSES, counter.output.finalize()?).serialize(&mut *out)?;
        each(model.classes, out)?;
    }
    if !model.ranges.is_empty() {
        (RANGES, bytemuck::must_cast_slice::<_, u8>(model.ranges)).serialize(&mut *out)?;
    }
    let (level, half_widths) = (model.intervals.level, model.intervals.half_widths);
    if !half_widths.is_empty() {
        (INTERVALS, SINGLE * (1 + half_widths.len()), level).serialize(&mut *out)?;
        each(half_widths, out)?;
    }
    if let Some(slope) = model.slope {
        (LOG_ODDS, SINGLE, slope).serialize(&mut *out)?;
    }
    if let Some(confidence) = model.confidence {
        (CONFIDENCE, 2 * SINGLE, confidence.level, confidence.margin).serialize(&mut *out)?;
    }
    match model.history {
        HistorySpec::Lags { windows: [], .. } => Ok(()),
        HistorySpec::Lags { windows, places } => write_lags(windows, places, out),
        HistorySpec::Windows(windows) => write_windows(windows, out),
    }
}

/// Serialises the history section.
fn write_lags<F: Flavor>(windows: &[u8], places: &[Place], out: &mut Serializer<F>) -> postcard::Result<()> {
    let full = postcard::Error::SerializeBufferFull;
    let channels = u16::try_from(windows.len()).map_err(|_| full.clone())?;
    (HISTORY, 2 + windows.len() + 2 * places.len(), channels.to_le_bytes()).serialize(&mut *out)?;
    each(windows, out)?;
    places.iter().try_for_each(|place| place.number().ok_or(full.clone())?.to_le_bytes().serialize(&mut *out))
}

/// Serialises the windows section.
fn write_windows<F: Flavor>(spec: WindowsSpec<'_>, out: &mut Serializer<F>) -> postcard::Result<()> {
    let WindowsSpec { samples, step, kept, inputs } = spec;
    let full = postcard::Error::SerializeBufferFull;
    let channels = u16::try_from(kept.len()).map_err(|_| full.clone())?;
    let len = 6 + kept.len() + 2 * inputs.len() + 6 * windows::bands(inputs).count();
    (WINDOWS, len).serialize(&mut *out)?;
    [samples, step, channels].iter().try_for_each(|number| number.to_le_bytes().serialize(&mut *out))?;
    each(kept, out)?;
    for input in inputs {
        let statistic = windows::number(input.statistic, inputs).ok_or(full.clone())?;
        [input.channel, statistic].serialize(&mut *out)?;
    }
    windows::bands(inputs).try_for_each(|band| (band.cycles.to_le_bytes(), band.coefficient).serialize(&mut *out))
}

/// Serialises values without their number.
fn each<F: Flavor>(values: &[impl Serialize], out: &mut Serializer<F>) -> postcard::Result<()> {
    values.iter().try_for_each(|value| value.serialize(&mut *out))
}

/// Returns the error of a header that does not fit its buffer, the only one that serialising it can have.
fn too_large(_: postcard::Error) -> Error {
    Error::TooLarge
}
