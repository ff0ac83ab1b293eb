//! How a model gets on the board, and what it takes there.

use std::fmt;
use std::path::Path;

use serde::Serialize;
use srfm_runtime::Model;
use srfm_runtime::format::Number;

use crate::cost::programs::{Programs, STACK, estimated_flash, estimated_instructions};
use crate::cost::{Core, instruction_bound};
use crate::export::{Blob, outline};

/// The way in which a model gets on the board, which says what budgets of flash and of instructions count. By default
/// this is a file that a program with the runtime reads: flash is its length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deployment {
    way: Way,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Way {
    #[default]
    File,
    /// Generated C, compiled for the core.
    C(Core),
    /// A model that the Rust compiler knows, compiled for the core with the sources in the folder; without a folder, as
    /// it is estimated.
    Rust(Core, Option<&'static Path>),
}

/// What a program takes of a core for the prediction of a model: from readings in floating point, from integers to
/// integers in integers. The figures come from a table of pieces of code that were measured with GCC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Footprint {
    /// The way in which the model gets on the board.
    deploy: &'static str,
    core: &'static str,
    /// Bytes of flash: the sum of the three below.
    flash_bytes: usize,
    /// Bytes of the parameters in tables.
    parameter_bytes: usize,
    /// Bytes of the code, with the parameters that are part of it.
    code_bytes: usize,
    /// Bytes of the tables of kernels.
    constant_bytes: usize,
    /// Bytes of RAM beside the stack: none.
    ram_bytes: usize,
    stack_bytes: usize,
    /// Instructions of a prediction.
    instructions: u32,
}

impl Deployment {
    /// Returns the way of a name. Flash is that of parameters, code and constants, except for a file.
    ///
    /// - `file`: a model file.
    /// - `c`: generated C, compiled with -Os for a core, by a table of measured pieces.
    /// - `rust`: a model by `static_model!`, compiled with `opt-level = "s"` for a core. Searches estimate what it
    ///   takes. The last model is compiled with the sources in the folder `firmware`, `firmware-example` of a checkout.
    ///
    /// There is none for another name, and for a core whose code was not measured.
    pub fn named(name: &str, core: Core, firmware: &'static Path) -> Option<Deployment> {
        let way = match name {
            "file" => Way::File,
            "c" if Programs::table().price(STACK, core)[0].is_finite() => Way::C(core),
            "rust" => Way::Rust(core, Some(firmware)),
            _ => return None,
        };
        Some(Deployment { way })
    }

    /// Returns what a program with the model takes by tables. There is none for a model file and for a program that
    /// only the compiler can tell, and for floating point in software.
    pub(crate) fn footprint(self, model: &Model<'_>) -> Option<Footprint> {
        match self.way {
            Way::C(core) => c_footprint(model, core),
            Way::File | Way::Rust(..) => None,
        }
    }

    /// Returns the core and the folder of the sources of a program that the Rust compiler must build.
    pub(crate) fn compiled(self) -> Option<(Core, &'static Path)> {
        match self.way {
            Way::Rust(core, Some(firmware)) => Some((core, firmware)),
            Way::Rust(_, None) | Way::File | Way::C(_) => None,
        }
    }

    /// Returns the same way, with estimates in place of the compiler.
    pub(crate) fn estimated(self) -> Deployment {
        match self.way {
            Way::Rust(core, _) => Deployment { way: Way::Rust(core, None) },
            Way::File | Way::C(_) => self,
        }
    }

    /// Returns whether the board has the whole model file.
    pub(crate) fn has_file(self) -> bool {
        matches!(self.way, Way::File | Way::Rust(..))
    }

    /// Returns the name of the way, and the core for which the program is compiled; none for a file.
    pub(crate) fn program(self) -> Option<(&'static str, Core)> {
        match self.way {
            Way::File => None,
            Way::C(core) => Some(("c", core)),
            Way::Rust(core, _) => Some(("rust", core)),
        }
    }

    /// Returns whether the model is part of a program, rather than a file.
    pub(crate) fn is_program(self) -> bool {
        self.way != Way::File
    }

    /// Returns the flash that a model takes in bytes, an estimate where only the compiler can tell; more than any
    /// budget where that is not known.
    pub(crate) fn flash(self, blob: &Blob) -> usize {
        match self.way {
            Way::File => blob.bytes().len(),
            Way::C(core) => c_footprint(&blob.model(), core).map_or(usize::MAX, |footprint| footprint.flash_bytes),
            Way::Rust(core, _) => estimated_flash(blob, core),
        }
    }

    /// Returns the instructions of a prediction on `core`, an estimate where only the compiler can tell; more than any
    /// budget where they are not known.
    pub(crate) fn instructions(self, model: &Model<'_>, core: Core) -> u32 {
        match self.way {
            Way::File => instruction_bound(model, core),
            Way::C(_) => c_footprint(model, core).map_or(u32::MAX, |footprint| footprint.instructions),
            Way::Rust(..) => estimated_instructions(model, core),
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
            instructions: measured.instructions,
        }
    }

    /// Returns the bytes of flash and the instructions of a prediction.
    pub(crate) fn needs(&self) -> (usize, u32) {
        (self.flash_bytes, self.instructions)
    }
}

/// Returns what generated C takes of a core.
fn c_footprint(model: &Model<'_>, core: Core) -> Option<Footprint> {
    if model.header().number == Number::F32 && !core.floating_point() {
        return None;
    }
    let outline = outline(model);
    let table = Programs::table();
    let [code, instructions] = table.code(&outline, core);
    let [stack, _] = table.price(STACK, core);
    let code_bytes = code.max(0.0).round() as usize;
    (code + instructions + stack).is_finite().then(|| Footprint {
        deploy: "c",
        core: core.name(),
        flash_bytes: outline.parameters + code_bytes + outline.constants,
        parameter_bytes: outline.parameters,
        code_bytes,
        constant_bytes: outline.constants,
        ram_bytes: 0,
        stack_bytes: stack as usize + outline.arrays,
        instructions: instructions.max(0.0).round() as u32,
    })
}

impl fmt::Display for Footprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Footprint { core, flash_bytes, parameter_bytes, code_bytes, stack_bytes, instructions, .. } = self;
        write!(f, "{flash_bytes} bytes ({parameter_bytes} parameters, {code_bytes} code")?;
        if self.constant_bytes > 0 {
            write!(f, ", {} constants", self.constant_bytes)?;
        }
        write!(f, "), {stack_bytes} bytes of stack, {instructions} instructions on {core}")
    }
}

#[cfg(test)]
impl Footprint {
    /// Returns the bytes of flash, the instructions and the bytes of the stack.
    pub fn figures(&self) -> (f64, f64, usize) {
        (self.flash_bytes as f64, self.instructions.into(), self.stack_bytes)
    }
}
