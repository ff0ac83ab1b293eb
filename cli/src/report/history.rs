//! The samples that a model looks back at, and the RAM that a board needs.

use std::fmt;

use serde::Serialize;
use srfm_runtime::Model;
use srfm_trainer::Blob;
use srfm_trainer::cost::{Board, Core, Footprint, history_bound};
use srfm_trainer::message::Message;
use srfm_trainer::message::setting::WINDOW;

use crate::failure::Failure;
use crate::report::text::counted;

/// Bytes of a parsed model file on a 32-bit core: the size of `Model`.
pub const PARSED_BYTES: u32 = 128;

/// Bytes of a `History` of a 32-bit core beside its slots and inputs: two lengths and the number of samples.
const FIXED_BYTES: usize = 12;

/// Returns the bytes of RAM that a `History` of the model takes; 0 of a model without lags and windows.
pub fn history_bytes(model: &Model<'_>) -> usize {
    if model.samples().is_empty() { 0 } else { FIXED_BYTES + 4 * (model.slots() + model.inputs()) }
}

/// Checks that a board has RAM for the samples that a model keeps. `program` is what its program takes, where that is
/// known.
///
/// # Errors
/// [`Failure`] with the bytes of both.
pub fn check_ram(blob: &Blob, program: Option<&Footprint>, board: Option<Board>) -> Result<(), Failure> {
    let needed = program.map_or_else(|| history_bytes(&blob.model()), |program| program.ram_bytes);
    let Some(board) = board.filter(|board| needed > board.ram()) else { return Ok(()) };
    let problem = format!(
        "the samples that the model keeps take {needed} of the {} bytes of RAM of {}; set a smaller ",
        board.ram(),
        board.name()
    );
    Err(Failure::new(Message::from(problem).and(WINDOW).and(" or smaller lags")))
}

/// The samples that a model looks back at.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HistorySummary {
    /// Number of readings of a sample.
    pub channels: usize,
    /// Number of samples that the inputs come from.
    pub samples: usize,
    /// Number of samples from the start of a window to that of the next; left out without windows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// Number of readings that the board keeps.
    pub slots: usize,
    /// RAM of the readings and the inputs, in bytes.
    pub ram_bytes: usize,
    /// The instructions of a sample on every core, beside those of a prediction.
    pub instructions: Vec<HistoryInstructions>,
}

/// The instructions of a sample on a core.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HistoryInstructions {
    /// The core.
    pub core: &'static str,
    /// Upper bound for all readings; see [`history_bound`].
    pub at_most: u32,
}

impl HistorySummary {
    /// Returns the history of a model; none without lags.
    pub fn of(model: &Model<'_>) -> Option<HistorySummary> {
        let instructions = |core: Core| HistoryInstructions { core: core.name(), at_most: history_bound(model, core) };
        let of_model = Some(model.samples()).filter(|samples| !samples.is_empty())?;
        Some(HistorySummary {
            channels: of_model.channels(),
            samples: of_model.depth().into(),
            step: of_model.windows().map(|windows| windows.step().into()),
            slots: of_model.slots(),
            ram_bytes: history_bytes(model),
            instructions: Core::ALL.into_iter().filter(|core| core.has_runtime()).map(instructions).collect(),
        })
    }
}

impl fmt::Display for HistorySummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let samples = counted(self.samples, "sample");
        let readings = counted(self.channels, "reading");
        let slots = counted(self.slots, "slot");
        match self.step {
            Some(step) => writeln!(f, "windows       {samples} of {readings} every {step} in {slots}"),
            None => writeln!(f, "history       {samples} of {readings} in {slots}"),
        }
    }
}

/// Returns the RAM that a model keeps between predictions, beside that of a parsed file where there is one.
pub fn ram(model_bytes: usize, parsed_bytes: Option<u32>) -> String {
    let history = if model_bytes > 0 { "the history; " } else { "" };
    let kept = format!("{model_bytes} bytes ({history}the parameters stay in flash)");
    match parsed_bytes {
        Some(bytes) => format!("{kept}, {bytes} more where the board parses a model file"),
        None => kept,
    }
}
