//! How a model gets on the board, and what it takes there.

use std::fmt;

use serde::Serialize;
use srfm_runtime::Model;
use srfm_runtime::format::Number;

use crate::cost::programs::{Programs, STACK};
use crate::cost::{Core, instruction_bound};
use crate::export::{Blob, outline};

/// The way in which a model gets on the board, which says what budgets of flash and of instructions count. By default
/// this is a file that a program with the runtime reads: flash is its length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deployment {
    /// The core for which generated C is compiled; none for a file.
    c: Option<Core>,
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
    /// Returns the way of a name, `file` or `c`: small code, compiled with -Os for a core. Flash is then that of
    /// parameters, code and constants. There is none for another name, and for a core whose code was not measured.
    pub fn named(name: &str, core: Core) -> Option<Deployment> {
        match name {
            "file" => Some(Deployment::default()),
            "c" if Programs::table().price(STACK, core)[0].is_finite() => Some(Deployment { c: Some(core) }),
            _ => None,
        }
    }

    /// Returns what a program with the model takes. There is none for a model file, and for floating point in software.
    pub fn footprint(self, model: &Model<'_>) -> Option<Footprint> {
        self.c.and_then(|core| of_c(model, core))
    }

    /// Returns whether the model is part of a program, rather than a file.
    pub(crate) fn is_program(self) -> bool {
        self.c.is_some()
    }

    /// Returns the flash that a model takes in bytes; more than any budget where that is not known.
    pub(crate) fn flash(self, blob: &Blob) -> usize {
        match self.c {
            None => blob.bytes().len(),
            Some(core) => of_c(&blob.model(), core).map_or(usize::MAX, |footprint| footprint.flash_bytes),
        }
    }

    /// Returns the instructions of a prediction on `core`; more than any budget where they are not known.
    pub(crate) fn instructions(self, model: &Model<'_>, core: Core) -> u32 {
        match self.c {
            None => instruction_bound(model, core),
            Some(_) => of_c(model, core).map_or(u32::MAX, |footprint| footprint.instructions),
        }
    }
}

/// Returns what generated C takes of a core.
fn of_c(model: &Model<'_>, core: Core) -> Option<Footprint> {
    if model.header().number == Number::F32 && !core.floating_point() {
        return None;
    }
    let (outline, table) = (outline(model), Programs::table());
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
