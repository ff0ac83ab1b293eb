//! Updates over the serial line of an emulated board, whose emulator is killed on the way.
//!
//! The board's flash is a file. `SRFM_KILLS=100 cargo test --release -p srfm-tests update:: -- --nocapture` kills
//! it a hundred times. Without the emulator or the Rust target the test is skipped, loudly; where `CI` or
//! `SRFM_REQUIRE_DEVICE` is set it fails.

use std::io::{BufRead, BufReader, ErrorKind, PipeReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use srfm_runtime::Model;
use srfm_runtime::update::{Manifest, Sender};
use srfm_tests::{Blob, OwnedModel, Rng, Shape, missing_target, skip};
use srfm_trainer::cost::Core;
use srfm_trainer::emulate::require;

/// The application and the readings of the firmware.
const APPLICATION: u32 = 0x5052_4553;
const READINGS: [f32; 2] = [3116.0, 2248.0];

/// Kills of the emulator, unless `SRFM_KILLS` says another number.
const KILLS: usize = 6;

/// Longer than anything takes, so that a test that hangs ends.
const LONG: Duration = Duration::from_secs(20);

/// A running emulator: its output and its serial line.
struct Board {
    emulator: Child,
    output: BufReader<PipeReader>,
    line: UnixStream,
}

impl Board {
    fn start(program: &Path, folder: &Path) -> Self {
        let socket = folder.join("line");
        let _ = std::fs::remove_file(&socket);
        let listener = UnixListener::bind(&socket).unwrap();
        let (output, both) = std::io::pipe().unwrap();
        let emulator = Command::new("qemu-system-arm")
            .current_dir(folder)
            .args(["-M", "mps2-an386", "-nographic", "-monitor", "none", "-serial", "unix:line"])
            .args(["-semihosting-config", "enable=on,target=native", "-kernel"])
            .arg(program)
            .stdin(Stdio::null())
            .stdout(both.try_clone().unwrap())
            .stderr(both)
            .spawn()
            .unwrap();
        Board { emulator, output: BufReader::new(output), line: listener.accept().unwrap().0 }
    }

    /// The sequence number and the bits of the next prediction.
    fn prediction(&mut self) -> (u32, u32) {
        let mut text = String::new();
        self.output.read_line(&mut text).unwrap();
        let parsed = || {
            let (sequence, rest) = text.strip_prefix("model ")?.split_once(':')?;
            let bits = rest.trim_end().rsplit_once("bits ")?.1;
            Some((sequence.parse().ok()?, u32::from_str_radix(bits, 16).ok()?))
        };
        parsed().unwrap_or_else(|| panic!("the firmware said {text:?}"))
    }

    /// Sends an update until it is over or until `end`. Returns whether it is over, or the refusal.
    fn send(&mut self, mut sender: Sender<'_>, end: Instant) -> Result<bool, String> {
        while let Some(frame) = sender.frame() {
            let written = self.line.write_all(frame.as_bytes());
            written.unwrap();
            loop {
                let left = end.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Ok(false);
                }
                self.line.set_read_timeout(Some(left)).unwrap();
                let mut byte = [0];
                match self.line.read_exact(&mut byte) {
                    Ok(()) => {}
                    Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                        return Ok(false);
                    }
                    Err(error) => panic!("{error}"),
                }
                if sender.feed(byte[0]).map_err(|refusal| refusal.to_string())? {
                    break;
                }
            }
        }
        Ok(true)
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        let _ = self.emulator.kill();
        let _ = self.emulator.wait();
    }
}

/// Builds the firmware; `None` where something is missing.
fn firmware() -> Option<PathBuf> {
    if let Err(missing) = require(&[Core::CortexM4f]) {
        skip(&missing.to_string());
        return None;
    }
    let target = Core::CortexM4f.target();
    if let Some(target) = missing_target(&[target]) {
        skip(&format!("Rust for {target} is not installed: run `rustup target add {target}`"));
        return None;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../firmware-example").canonicalize().unwrap();
    let mut cargo = Command::new("cargo");
    cargo.current_dir(&folder).args(["build", "--quiet", "--release", "--bin", "update", "--target-dir", "target"]);
    for host in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_INCREMENTAL", "RUSTC_WORKSPACE_WRAPPER"] {
        cargo.env_remove(host);
    }
    assert!(cargo.status().unwrap().success(), "the firmware does not build");
    Some(folder.join("target").join(target).join("release/update"))
}

/// Builds the C program with its library; `None` where something is missing. The link shows that it cannot panic.
fn c_program() -> Option<PathBuf> {
    for (program, package) in [("arm-none-eabi-gcc", "gcc-arm-none-eabi"), ("make", "make")] {
        if Command::new(program).arg("--version").output().is_err() {
            skip(&format!("{program} cannot be started: run `apt-get install {package}`"));
            return None;
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/c").canonicalize().unwrap();
    let mut make = Command::new("make");
    make.arg("--silent").arg("-C").arg(folder.join("example"));
    make.args(["PROGRAM=update", "LIBRARY_FLAGS=--features=store,cosine-only"]);
    for host in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_INCREMENTAL", "RUSTC_WORKSPACE_WRAPPER", "MAKEFLAGS"] {
        make.env_remove(host);
    }
    assert!(make.status().unwrap().success(), "the C program does not link");
    Some(folder.join("target/example/cortex-m4f/update.elf"))
}

/// The bits that a model predicts for the readings of the firmware.
fn bits(model: &[u8]) -> u32 {
    let mut y = [0.0];
    Model::parse(model).unwrap().predict(&READINGS, &mut y).unwrap();
    y[0].to_bits()
}

fn offer(model: &[u8], sequence: u32) -> Sender<'_> {
    Sender::new(Manifest::new(model, sequence, APPLICATION).unwrap().into(), model)
}

#[test]
fn an_emulator_that_is_killed_keeps_the_old_model_or_the_new_one() {
    let Some(program) = firmware() else { return };
    let kills = std::env::var("SRFM_KILLS").map_or(KILLS, |kills| kills.parse().expect("a number of kills"));
    let (folder, mut rng) = (tempfile::tempdir().unwrap(), Rng::new(1));
    let factory = std::fs::read(program.ancestors().nth(4).unwrap().join("models/pressure.srfm")).unwrap();
    let mut board = Board::start(&program, folder.path());
    let mut in_use = (0, bits(&Blob::new(&factory)));
    assert_eq!(board.prediction(), in_use);
    // The models are of one size, so that the first update says how long each takes.
    let models: Vec<Blob> = (0..5)
        .map(|_| OwnedModel::random(&Shape { inputs: 2, blocks: vec![(2, 40)], ..Shape::default() }, &mut rng).blob())
        .collect();
    let start = Instant::now();
    assert_eq!(board.send(offer(&models[0], 1), start + LONG), Ok(true));
    let usual = start.elapsed();
    in_use = (1, bits(&models[0]));
    assert_eq!(board.prediction(), in_use);

    let mut taken = 0;
    for kill in 0..kills {
        let (new, sequence) = (&models[1 + rng.below(4)], in_use.0 + 1);
        let after = usual.mul_f64(rng.below(1_100) as f64 / 1_000.0);
        board.send(offer(new, sequence), Instant::now() + after).unwrap();
        drop(board);
        board = Board::start(&program, folder.path());
        let (old, found) = (in_use, board.prediction());
        in_use = if found == old { old } else { (sequence, bits(new)) };
        assert_eq!(found, in_use, "kill {kill} after {after:?} of {usual:?}: neither the old model nor the new one");
        taken += usize::from(found != old);
    }
    println!("{kills} kills within {usual:?}: {taken} times the new model, otherwise the old one");

    // The last one is not killed; older ones and those for others are refused.
    assert_eq!(board.send(offer(&models[0], in_use.0 + 1), Instant::now() + LONG), Ok(true));
    in_use = (in_use.0 + 1, bits(&models[0]));
    assert_eq!(board.prediction(), in_use);
    let replayed = board.send(offer(&models[1], in_use.0), Instant::now() + LONG);
    assert_eq!(replayed.unwrap_err(), "the sequence number is not above that of the model in use");
    let manifest = Manifest::new(&models[1], in_use.0 + 1, APPLICATION + 1).unwrap();
    let foreign = board.send(Sender::new(manifest.into(), &models[1]), Instant::now() + LONG);
    assert!(foreign.unwrap_err().starts_with("the update is for another application"));
    drop(board);
    assert_eq!(Board::start(&program, folder.path()).prediction(), in_use);
}

#[test]
fn a_c_program_takes_updates_over_its_line() {
    let (Some(_), Some(program)) = (firmware(), c_program()) else { return };
    let (folder, mut rng) = (tempfile::tempdir().unwrap(), Rng::new(2));
    let models = [3, 40].map(|features| {
        OwnedModel::random(&Shape { inputs: 2, blocks: vec![(2, features)], ..Shape::default() }, &mut rng).blob()
    });
    let (mut board, end) = (Board::start(&program, folder.path()), Instant::now() + LONG);
    assert_eq!(board.prediction(), (0, 0), "no model is stored");
    for (model, sequence) in models.iter().zip([3, 7]) {
        assert_eq!(board.send(offer(model, sequence), end), Ok(true));
        assert_eq!(board.prediction(), (sequence, bits(model)));
    }
    let old = board.send(offer(&models[0], 7), end).unwrap_err();
    assert_eq!(old, "the sequence number is not above that of the model in use");
}
