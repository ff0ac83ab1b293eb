//! The instructions that a program executes, one after the other, as QEMU logs them.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStderr, Stdio};
use std::time::Duration;

use crate::cost::Core;
#[cfg(test)]
use crate::cost::Machine;
use crate::emulate::DeviceError;
use crate::emulate::emulator::{command, start, step_by_step, watch};
use crate::emulate::image::Image;
use crate::emulate::timing::{self, Cycles, Step};

/// The functions of a program that is traced: calls of the first are counted, and the second is called at the end.
const CALL: &str = "predict";
const END: &str = "finished";

/// What a call takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    /// Executed instructions, from the first of the function to its return.
    pub instructions: u32,
    /// Clock cycles of these instructions; none for a core whose timing is not published.
    pub cycles: Option<Cycles>,
}

/// Runs a program until it calls `finished`, for at most `limit`, and counts every call of `predict`.
///
/// # Errors
/// [`DeviceError`]: the emulator is missing or too slow, or the program does not come to its end.
pub(crate) fn counted(core: Core, image: &Path, limit: Duration) -> Result<Vec<Counted>, DeviceError> {
    let bytes = std::fs::read(image)?;
    let parsed = Image::parse(&bytes).ok_or_else(|| DeviceError::BuildFailed("the program is no ELF file".into()))?;
    let function = |name: &str| {
        parsed.function(name).ok_or_else(|| DeviceError::BuildFailed(format!("the program has no function {name}")))
    };
    let [call, end] = [function(CALL)?, function(END)?];
    let mut calls = Vec::new();
    let count = |steps: &[Step]| {
        let instructions = steps[..steps.len() - 1].iter().filter(|step| !step.is_skipped).count() as u32;
        let cycles = timing::cycles(core, steps, |address| parsed.halfword(address));
        calls.push(Counted { instructions, cycles });
    };
    let recorder = Recorder { skipped: skipped(core), call, end, count, before: 0, steps: Vec::new(), from: 0 };
    let mut emulator = traced(core, image)?;
    let log = emulator.stderr.take();
    watch(&mut emulator, limit, move || read(log?, recorder))?;
    Ok(calls)
}

/// Starts the emulator so that it logs every instruction.
fn traced(core: Core, image: &Path) -> Result<Child, DeviceError> {
    #[cfg(test)]
    let machine = if core == Core::Atmega328p { Machine::UNO } else { core.machine() };
    #[cfg(not(test))]
    let machine = core.machine();
    let mut qemu = command(machine, image);
    qemu.args(["-serial", "none", "-d", "exec,nochain"]).stdout(Stdio::null()).stderr(Stdio::piped());
    start(qemu.args(step_by_step(machine.emulator.name)), machine)
}

/// Reads a log until the recorder has seen the end; nothing if the log has no end.
fn read(log: ChildStderr, mut recorder: Recorder<impl FnMut(&[Step])>) -> Option<()> {
    let mut log = BufReader::with_capacity(1 << 16, log);
    let mut line = Vec::new();
    loop {
        line.clear();
        if !matches!(log.read_until(b'\n', &mut line), Ok(1..)) {
            return None;
        }
        let Some([address, flags]) = address_and_flags(&line) else { continue };
        if recorder.take(Step { address, is_skipped: flags & recorder.skipped != 0 }) {
            return Some(());
        }
    }
}

/// The flag by which the emulator marks instructions that are skipped. Only skips of an AVR are marked.
fn skipped(core: Core) -> u32 {
    if core == Core::Atmega328p { 2 } else { 0 }
}

/// Returns the address and the flags of a line such as
/// `Trace 0: 0x7f19 [00800400/00000194/00000110/ff000201] reset`.
fn address_and_flags(line: &[u8]) -> Option<[u32; 2]> {
    let mut fields = line.split(|&byte| byte == b'[').nth(1)?.split(|&byte| byte == b'/');
    let address = hexadecimal(fields.nth(1)?)?;
    Some([address, hexadecimal(fields.next()?)?])
}

fn hexadecimal(digits: &[u8]) -> Option<u32> {
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Cuts a trace into the calls of a function.
struct Recorder<F> {
    /// The flag of skipped instructions.
    skipped: u32,
    call: u32,
    end: u32,
    /// Takes the instructions of a call, and the one behind it.
    count: F,
    /// The instruction before the one that is taken next.
    before: u32,
    /// The call that is under way, and the address that it came from.
    steps: Vec<Step>,
    from: u32,
}

/// The length of an instruction that calls.
const LONGEST_CALL: u32 = 4;

impl<F: FnMut(&[Step])> Recorder<F> {
    /// Takes an instruction; returns whether it is the end.
    fn take(&mut self, step: Step) -> bool {
        if !self.steps.is_empty() {
            self.steps.push(step);
            // The return goes right behind the call.
            if (1..=LONGEST_CALL).contains(&step.address.wrapping_sub(self.from)) {
                (self.count)(&self.steps);
                self.steps.clear();
            }
        } else if step.address == self.call {
            self.from = self.before;
            self.steps.push(step);
        }
        self.before = step.address;
        step.address == self.end
    }
}
