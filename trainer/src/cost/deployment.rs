//! How a model gets on the board, and what it takes there.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use srfm_runtime::Model;
use srfm_runtime::format::Number;

use crate::cost::programs::{Price, Programs, STACK, estimated_flash, estimated_instructions};
use crate::cost::{Core, Unit, instruction_bound};
use crate::export::{Blob, outline};
use crate::message::message_by_display;

/// The way in which a model gets on the board. It decides what budgets of flash and of instructions count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Deployment {
    /// A model file that a program with the runtime reads. Flash is the length of the file.
    #[default]
    File,
    /// Generated C, compiled with `-Os` for the core. Flash is that of parameters, code and constants, by a table of
    /// measured pieces of code. [`Deployment::check`] tells whether the table has the core.
    C(Core),
    /// A model by `static_model!`, compiled with `opt-level = "s"`. Flash is that of parameters, code and constants.
    Rust {
        /// The core that the program is compiled for.
        core: Core,
        /// The folder of sources that the last model is compiled with: `firmware-example` of a checkout. A search
        /// estimates what its candidates take. None: the last model is estimated, too.
        firmware: Option<PathBuf>,
    },
}

/// The size of generated C is not known for a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("what generated C takes of {core} is not known; choose an Arm core, or deploy a model file")]
pub struct UnmeasuredCore {
    /// The core.
    pub core: Core,
}

message_by_display!(UnmeasuredCore);

/// What a program takes of a core for the prediction of a model: from readings in floating point, from integers to
/// integers in integers, from samples where the model looks back in time, and to the class of a classifier. The
/// figures come from a table of pieces of code that were measured with GCC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Footprint {
    /// The name of the way in which the model gets on the board.
    pub deploy: &'static str,
    /// The name of the core.
    pub core: &'static str,
    /// Bytes of flash: the sum of the three below.
    pub flash_bytes: usize,
    /// Bytes of the parameters in tables.
    pub parameter_bytes: usize,
    /// Bytes of the code, with the parameters that are part of it.
    pub code_bytes: usize,
    /// Bytes of the tables of kernels.
    pub constant_bytes: usize,
    /// Bytes of RAM beside the stack: those of the history in C, of other models none.
    pub ram_bytes: usize,
    /// Bytes of the stack.
    pub stack_bytes: usize,
    /// Instructions of a prediction; none on an AVR, whose cycles are counted in their place.
    pub instructions: Option<u32>,
    /// Clock cycles of a prediction at zero wait states, by the documented timing of the core, the most where that is
    /// an interval; none where no timing is published.
    pub cycles: Option<u32>,
}

impl Deployment {
    /// Returns the name of the way: `file`, `c` or `rust`.
    pub fn name(&self) -> &'static str {
        match self {
            Deployment::File => "file",
            Deployment::C(_) => "c",
            Deployment::Rust { .. } => "rust",
        }
    }

    /// Returns the core that the program is compiled for; none for a file.
    pub fn core(&self) -> Option<Core> {
        match self {
            Deployment::File => None,
            Deployment::C(core) | Deployment::Rust { core, .. } => Some(*core),
        }
    }

    /// Checks that the figures of the programs are known.
    ///
    /// # Errors
    /// [`UnmeasuredCore`] for C on a core whose code was not measured.
    pub fn check(&self) -> Result<(), UnmeasuredCore> {
        match self {
            Deployment::C(core) if Programs::table().price(STACK, *core).bytes.is_infinite() => {
                Err(UnmeasuredCore { core: *core })
            }
            _ => Ok(()),
        }
    }

    /// Returns what a program with the model takes by tables. There is none for a model file and for a program that
    /// only the compiler can tell, and for floating point in software.
    pub(crate) fn footprint(&self, model: &Model<'_>) -> Option<Footprint> {
        match self {
            Deployment::C(core) => c_footprint(model, *core),
            Deployment::File | Deployment::Rust { .. } => None,
        }
    }

    /// Returns the core and the folder of the sources of a program that the Rust compiler must build.
    pub(crate) fn compiled(&self) -> Option<(Core, &Path)> {
        match self {
            Deployment::Rust { core, firmware: Some(firmware) } => Some((*core, firmware)),
            Deployment::Rust { firmware: None, .. } | Deployment::File | Deployment::C(_) => None,
        }
    }

    /// Returns whether the board has the whole model file.
    pub(crate) fn has_file(&self) -> bool {
        matches!(self, Deployment::File | Deployment::Rust { .. })
    }

    /// Returns whether the model is part of a program, rather than a file.
    pub(crate) fn is_program(&self) -> bool {
        *self != Deployment::File
    }

    /// Returns the flash that a model takes in bytes, an estimate where only the compiler can tell; more than any
    /// budget where that is not known.
    pub(crate) fn flash(&self, blob: &Blob) -> usize {
        match self {
            Deployment::File => blob.bytes().len(),
            Deployment::C(core) => {
                c_footprint(&blob.model(), *core).map_or(usize::MAX, |footprint| footprint.flash_bytes)
            }
            Deployment::Rust { core, .. } => estimated_flash(blob, *core),
        }
    }

    /// Returns the work of a prediction on `core`, an estimate where only the compiler can tell; more than any budget
    /// where it is not known.
    pub(crate) fn work(&self, model: &Model<'_>, core: Core, unit: Unit) -> u32 {
        match (self, unit) {
            (Deployment::File, Unit::Instructions) => instruction_bound(model, core),
            (Deployment::C(_), _) => c_footprint(model, core).map_or(u32::MAX, |footprint| footprint.work(unit)),
            (Deployment::Rust { .. }, Unit::Instructions) => estimated_instructions(model, core),
            (Deployment::File | Deployment::Rust { .. }, Unit::Cycles) => u32::MAX,
        }
    }
}

/// What a program with a model takes beyond one without.
pub(crate) struct Measured {
    pub flash: usize,
    pub instructions: u32,
    pub stack: usize,
}

impl Footprint {
    /// Returns the footprint of a program that was compiled with a model file.
    pub(crate) fn from_compiled(blob: &Blob, core: Core, measured: Measured) -> Footprint {
        let parameter_bytes = blob.bytes().len();
        let constant_bytes = outline(&blob.model()).constants;
        Footprint {
            deploy: "rust",
            core: core.name(),
            flash_bytes: measured.flash,
            parameter_bytes,
            code_bytes: measured.flash.saturating_sub(parameter_bytes + constant_bytes),
            constant_bytes,
            ram_bytes: 0,
            stack_bytes: measured.stack,
            instructions: Some(measured.instructions),
            cycles: None,
        }
    }

    /// Returns the work of a prediction; more than any budget where it is not known.
    pub(crate) fn work(&self, unit: Unit) -> u32 {
        let work = match unit {
            Unit::Instructions => self.instructions,
            Unit::Cycles => self.cycles,
        };
        work.unwrap_or(u32::MAX)
    }
}

/// The factor between the code in the table of prices and the code that is promised. Half of the programs of other
/// models took up to 2 % more than the table; nine in ten keep this promise.
pub(crate) const CODE_MARGIN: f64 = 1.03;

/// Returns what generated C takes of a core.
fn c_footprint(model: &Model<'_>, core: Core) -> Option<Footprint> {
    if model.header().number == Number::F32 && !core.floating_point() {
        return None;
    }
    let outline = outline(model);
    let table = Programs::table();
    let Price { bytes, instructions, cycles } = table.code(&outline, core);
    let stack = table.price(STACK, core).bytes;
    let code_bytes = (CODE_MARGIN * bytes.max(0.0)).ceil() as usize;
    let known = |figure: f64| figure.is_finite().then(|| figure.max(0.0).round() as u32);
    (bytes + instructions.min(cycles) + stack).is_finite().then(|| Footprint {
        deploy: "c",
        core: core.name(),
        flash_bytes: outline.parameters + code_bytes + outline.constants,
        parameter_bytes: outline.parameters,
        code_bytes,
        constant_bytes: outline.constants,
        ram_bytes: history_bytes(model),
        stack_bytes: stack as usize + outline.arrays,
        instructions: known(instructions),
        cycles: known(cycles),
    })
}

/// Returns the RAM of the history of a program in C: its slots, and the number of samples, padded to a reading.
fn history_bytes(model: &Model<'_>) -> usize {
    let reading = if model.takes_counts() { size_of::<i16>() } else { size_of::<f32>() };
    if model.samples().is_empty() { 0 } else { reading * (model.slots() + 1) }
}

impl fmt::Display for Footprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Footprint { core, flash_bytes, parameter_bytes, code_bytes, stack_bytes, .. } = self;
        write!(f, "{flash_bytes} bytes ({parameter_bytes} parameters, {code_bytes} code")?;
        if self.constant_bytes > 0 {
            write!(f, ", {} constants", self.constant_bytes)?;
        }
        write!(f, "), stack {stack_bytes}")?;
        for (figure, unit) in [(self.instructions, Unit::Instructions), (self.cycles, Unit::Cycles)] {
            figure.map_or(Ok(()), |figure| write!(f, ", {figure} {unit}"))?;
        }
        write!(f, " on {core}")
    }
}
