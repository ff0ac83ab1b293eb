//! The instructions that a program executes on a Cortex-M, one after the other, as QEMU logs them.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use crate::cost::Core;
use crate::emulate::DeviceError;
use crate::emulate::emulator::{command, start};
use crate::emulate::image::Image;
use crate::emulate::timing::{self, Cycles};

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
    let count = |addresses: &[u32]| {
        let cycles = timing::cycles(core, addresses, |address| parsed.halfword(address));
        calls.push(Counted { instructions: addresses.len() as u32 - 1, cycles });
    };
    let recorder = Recorder { call, end, count, before: 0, addresses: Vec::new(), from: 0 };
    let mut emulator = traced(core, image)?;
    let log = emulator.stderr.take();
    watch(&mut emulator, limit, move || read(log?, recorder))?;
    Ok(calls)
}

/// Starts the emulator so that it logs every instruction.
fn traced(core: Core, image: &Path) -> Result<Child, DeviceError> {
    let machine = core.machine();
    let mut qemu = command(machine, image);
    qemu.args(["-serial", "none", "-d", "exec,nochain"]).stdout(Stdio::null()).stderr(Stdio::piped());
    start(qemu.args(step_by_step(machine.emulator.name)), machine)
}

/// Returns the arguments that let an emulator take one instruction after the other.
fn step_by_step(emulator: &str) -> &'static [&'static str] {
    // The emulators of all cores are of one release of QEMU.
    static VERSION: OnceLock<Option<(u32, u32)>> = OnceLock::new();
    match VERSION.get_or_init(|| version(emulator)) {
        Some(version) if *version >= (8, 1) => &["-accel", "tcg,one-insn-per-tb=on"],
        _ => &["-singlestep"],
    }
}

/// Returns the version of QEMU.
fn version(emulator: &str) -> Option<(u32, u32)> {
    let output = Command::new(emulator).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut numbers = text.split("version ").nth(1)?.split(['.', ' ', '\n']).map_while(|part| part.parse().ok());
    Some((numbers.next()?, numbers.next()?))
}

/// Reads what an emulator writes, by `read`, for at most `limit`, and then ends the emulator. `read` returns nothing if
/// the program ended too early.
fn watch<T: Send>(
    child: &mut Child,
    limit: Duration,
    read: impl FnOnce() -> Option<T> + Send,
) -> Result<T, DeviceError> {
    let (done, is_done) = channel();
    thread::scope(|scope| {
        let reader = scope.spawn(move || {
            let found = read();
            // Nobody listens after the time limit.
            _ = done.send(());
            found
        });
        let in_time = is_done.recv_timeout(limit).is_ok();
        child.kill()?;
        child.wait()?;
        let found = reader.join().ok().flatten();
        match in_time {
            true => found.ok_or_else(|| DeviceError::Failed("the program ended too early".into())),
            false => Err(DeviceError::TimedOut(limit.as_secs())),
        }
    })
}

/// Reads a log until the recorder has seen the end; nothing if the log has no end.
fn read(log: ChildStderr, mut recorder: Recorder<impl FnMut(&[u32])>) -> Option<()> {
    let mut log = BufReader::with_capacity(1 << 16, log);
    let mut line = Vec::new();
    loop {
        line.clear();
        if !matches!(log.read_until(b'\n', &mut line), Ok(1..)) {
            return None;
        }
        if address(&line).is_some_and(|address| recorder.take(address)) {
            return Some(());
        }
    }
}

/// Returns the address of a line such as `Trace 0: 0x7f19 [00800400/00000194/00000110/ff000201] reset`.
fn address(line: &[u8]) -> Option<u32> {
    let fields = line.split(|&byte| byte == b'[').nth(1)?;
    let digits = fields.split(|&byte| byte == b'/').nth(1)?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Cuts a trace into the calls of a function.
struct Recorder<F> {
    call: u32,
    end: u32,
    /// Takes the addresses of the instructions of a call, and that of the one behind it.
    count: F,
    /// The address before the one that is taken next.
    before: u32,
    /// The call that is under way, and the address that it came from.
    addresses: Vec<u32>,
    from: u32,
}

/// The length of an instruction that calls.
const LONGEST_CALL: u32 = 4;

impl<F: FnMut(&[u32])> Recorder<F> {
    /// Takes the address of an instruction; returns whether it is the end.
    fn take(&mut self, address: u32) -> bool {
        // The emulator logs an instruction twice where its clock interrupts it before it begins.
        if address == self.before {
            return false;
        }
        if !self.addresses.is_empty() {
            self.addresses.push(address);
            // The return goes right behind the call.
            if (1..=LONGEST_CALL).contains(&address.wrapping_sub(self.from)) {
                (self.count)(&self.addresses);
                self.addresses.clear();
            }
        } else if address == self.call {
            self.from = self.before;
            self.addresses.push(address);
        }
        self.before = address;
        address == self.end
    }
}
