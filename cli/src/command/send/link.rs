//! Links to a device: files without answers; serial lines and connections with answers.

use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use serde::Serialize;
use srfm_runtime::update::Sender;

use crate::failure::Failure;
use crate::output;

/// The number of times that a frame is sent before the device counts as absent.
const ATTEMPTS: usize = 5;

/// The prefix of a host and a port.
const TCP: &str = "tcp:";

/// What was sent.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Sent {
    /// The number of frames, with those that were repeated.
    pub frames: usize,
    /// The number of frames that were sent again.
    pub repeated: usize,
    /// Whether the device answered that the model is in use.
    pub confirmed: bool,
}

/// Returns the file that `to` names; none for `-`, a connection and a special file.
pub fn file(to: &str) -> Option<&Path> {
    let path = Path::new(to);
    (to != "-" && !to.starts_with(TCP) && !output::is_device(path)).then_some(path)
}

/// Refuses the names of lines and hosts that would become files.
pub fn check_name(to: &str) -> Result<(), Failure> {
    let Some(file) = file(to).filter(|path| !path.exists()) else { return Ok(()) };
    let is_port = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let advice = if file.starts_with("/dev") || to.strip_prefix("COM").is_some_and(is_port) {
        "connect the device, or correct its name"
    } else if to.rsplit_once(':').is_some_and(|(_, port)| is_port(port)) {
        "a connection is written tcp:HOST:PORT"
    } else {
        return Ok(());
    };
    Err(Failure::usage(format!("--to {to}: there is no such device; {advice}")))
}

/// Checks that an update to write takes the place of no file, or of an update, whose first frame has a zero, the length
/// of a run without zeros, and the number 1 of offers.
pub fn check_update(path: &Path) -> Result<(), Failure> {
    output::check_replaceable(path, "an update that srfm wrote", |head| matches!(head, [0, 2..=u8::MAX, 1, ..]))
}

/// Sends an update to `to`: `-`, `tcp:HOST:PORT`, a serial device or a file.
pub fn send(sender: Sender<'_>, to: &str, baud: Option<u32>, timeout: Duration) -> Result<Sent, Failure> {
    let problem = |error: std::io::Error| unreachable(to, &error.to_string());
    if let Some(address) = to.strip_prefix(TCP) {
        let stream = TcpStream::connect(address).map_err(problem)?;
        let answers = answers(stream.try_clone().map_err(problem)?);
        return converse(sender, stream, &answers, to, timeout);
    }
    if is_line(Path::new(to)) {
        if let Some(baud) = baud {
            set_baud(to, baud)?;
        }
        let line = OpenOptions::new().read(true).write(true).open(to).map_err(problem)?;
        let answers = answers(line.try_clone().map_err(problem)?);
        return converse(sender, line, &answers, to, timeout);
    }
    let (bytes, sent) = all_frames(sender);
    if to == "-" {
        let mut stdout = std::io::stdout();
        stdout.write_all(&bytes).and_then(|()| stdout.flush())?;
    } else {
        output::write(Path::new(to), &bytes)?;
    }
    Ok(sent)
}

fn unreachable(to: &str, reason: &str) -> Failure {
    Failure::new(format!("{to}: cannot be reached: {reason}"))
}

/// Whether a path is a character device, which answers.
fn is_line(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        fs::metadata(path).is_ok_and(|found| found.file_type().is_char_device())
    }
    #[cfg(not(unix))]
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Sets the rate of a serial line, on which bytes then pass as they are.
fn set_baud(to: &str, baud: u32) -> Result<(), Failure> {
    let option = if cfg!(target_os = "macos") { "-f" } else { "-F" };
    let mut stty = Command::new("stty");
    stty.args([option, to, &baud.to_string(), "raw", "-echo"]).stdin(Stdio::null());
    match stty.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let reason = String::from_utf8_lossy(&output.stderr);
            Err(Failure::new(format!("{to}: the rate of {baud} baud cannot be set: {}", reason.trim())))
        }
        Err(error) => Err(Failure::new(format!("{to}: the rate cannot be set, since stty does not start: {error}"))),
    }
}

/// Returns the bytes that arrive, which a thread reads for as long as the command runs.
fn answers(mut link: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = [0; 256];
        while let Ok(len @ 1..) = link.read(&mut bytes) {
            if sender.send(bytes[..len].to_vec()).is_err() {
                break;
            }
        }
    });
    receiver
}

/// Returns the frames of an update that nobody answers.
fn all_frames(mut sender: Sender<'_>) -> (Vec<u8>, Sent) {
    let mut bytes = Vec::new();
    let mut sent = Sent::default();
    while let Some(frame) = sender.frame() {
        bytes.extend(frame.as_bytes());
        sent.frames += 1;
        sender.advance();
    }
    (bytes, sent)
}

/// Sends frame after frame, each after the answer to the one before. A frame without an answer is sent again.
fn converse(
    mut sender: Sender<'_>,
    mut link: impl Write,
    answers: &Receiver<Vec<u8>>,
    to: &str,
    timeout: Duration,
) -> Result<Sent, Failure> {
    let mut sent = Sent::default();
    let mut attempts = 0;
    while let Some(frame) = sender.frame() {
        if attempts == ATTEMPTS {
            return Err(unreachable(
                to,
                &format!(
                    "{ATTEMPTS} frames had no answer within {timeout:?}; check the line, its rate and the firmware"
                ),
            ));
        }
        let before = sender.sent();
        let written = link.write_all(frame.as_bytes()).and_then(|()| link.flush());
        written.map_err(|error| unreachable(to, &error.to_string()))?;
        sent.frames += 1;
        let is_answered = wait(&mut sender, answers, to, timeout)?;
        sent.repeated += usize::from(!is_answered);
        attempts = if sender.sent() > before { 0 } else { attempts + 1 };
    }
    sent.confirmed = true;
    Ok(sent)
}

/// Waits for an answer; returns whether there was one in time.
fn wait(sender: &mut Sender<'_>, answers: &Receiver<Vec<u8>>, to: &str, timeout: Duration) -> Result<bool, Failure> {
    let end = Instant::now() + timeout;
    loop {
        let bytes = match answers.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(bytes) => bytes,
            Err(mpsc::RecvTimeoutError::Timeout) => return Ok(false),
            Err(mpsc::RecvTimeoutError::Disconnected) => return Err(unreachable(to, "the other end has closed")),
        };
        let mut is_answered = false;
        for byte in bytes {
            let refused = |reason| Failure::new(format!("{to}: the update is refused: {reason}"));
            is_answered |= sender.feed(byte).map_err(refused)?;
        }
        if is_answered {
            return Ok(true);
        }
    }
}
