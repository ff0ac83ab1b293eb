//! The arguments and the report of `srfm send`.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ed25519_dalek::SigningKey;
use ed25519_dalek::pkcs8::DecodePrivateKey;
use serde::Serialize;
use srfm_runtime::update::{Manifest, Offer, Sender};

use crate::command::send::link::{self, Sent};
use crate::common::Common;
use crate::failure::Failure;
use crate::output;
use crate::report::counted;
use crate::values::parse_time;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  srfm send sensor.srfm --to /dev/ttyACM0 --baud 115200 --application 7\n  \
    srfm send sensor.srfm --to tcp:localhost:4321 --key key.pem\n  srfm send sensor.srfm --to update.bin\n\n\
    A serial device and a connection answer every frame; a file and standard output get all frames at once.")]
pub struct Args {
    /// The model file
    model: PathBuf,
    /// A serial device, a file, tcp:HOST:PORT, or - for standard output
    #[arg(long, value_name = "PATH")]
    to: String,
    /// Number of the update: devices take only numbers above that of their model [default: seconds since 1970]
    #[arg(long, value_name = "N", value_parser = parse_number)]
    sequence: Option<u32>,
    /// Application that the model is for, the number in the device's policy; 0x for hexadecimal
    #[arg(long, value_name = "N", default_value = "0", value_parser = parse_number)]
    application: u32,
    /// Sign the update with the Ed25519 key in this PEM file, as `openssl genpkey -algorithm ed25519` writes it
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Set the rate of the serial device first, with stty [default: the rate that it has]
    #[arg(long, value_name = "RATE")]
    baud: Option<u32>,
    /// Time that the device has for an answer, before the frame is sent again, up to five times
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = parse_time)]
    timeout: Duration,
}

/// Reads a number of 32 bits, decimal or hexadecimal.
fn parse_number(text: &str) -> Result<u32, String> {
    let number = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    };
    number.map_err(|_| "expected a number from 0 to 4294967295, such as 7 or 0x5eed".to_owned())
}

/// What was sent.
#[derive(Serialize)]
struct Report {
    sequence: u32,
    application: u32,
    /// The length of the model.
    bytes: usize,
    #[serde(flatten)]
    sent: Sent,
    /// The public key of the signature, for the device's policy; null for an unsigned update.
    public_key: Option<String>,
}

/// Sends an update.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    if common.json && args.to == "-" {
        return Err(Failure::usage("--to -: standard output is the update's; leave out --json, or name a file"));
    }
    link::check_name(&args.to)?;
    let blob = output::read_model(&args.model)?;
    if let Some(file) = link::file(&args.to) {
        output::check_writable(file, args.key.iter().chain([&args.model]).map(PathBuf::as_path))?;
        link::check_update(file)?;
    }
    let sequence = match args.sequence {
        Some(sequence) => sequence,
        None => seconds()?,
    };
    let manifest = Manifest::new(blob.bytes(), sequence, args.application)
        .map_err(|error| Failure::new(format!("{}: {error}", args.model.display())))?;
    let key = args.key.as_deref().map(read_key).transpose()?;
    let offer = match &key {
        Some(key) => Offer::signed(manifest, blob.bytes(), key.as_bytes()),
        None => manifest.into(),
    };
    let sent = link::send(Sender::new(offer, blob.bytes()), &args.to, args.baud, args.timeout)?;
    let public_key = key.map(|key| key.verifying_key().as_bytes().iter().map(|byte| format!("{byte:02x}")).collect());
    let report = Report { sequence, application: args.application, bytes: blob.bytes().len(), sent, public_key };
    if args.to == "-" {
        Ok(())
    } else if common.json {
        output::print_json(&report)
    } else {
        output::print(&report.to_string())
    }
}

/// Returns the seconds since 1970, which fit 32 bits until 2106.
fn seconds() -> Result<u32, Failure> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok();
    let seconds = since.and_then(|since| u32::try_from(since.as_secs()).ok());
    seconds.ok_or_else(|| Failure::new("the clock gives no sequence number; set --sequence"))
}

/// Reads a secret key.
fn read_key(path: &Path) -> Result<SigningKey, Failure> {
    let name = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| output::unreadable(path, error))?;
    SigningKey::from_pkcs8_pem(&text).map_err(|_| {
        let advice = "openssl genpkey -algorithm ed25519 -out FILE makes one";
        Failure::new(format!("{name}: not a secret Ed25519 key in PEM; {advice}"))
    })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sent { frames, repeated, confirmed } = self.sent;
        writeln!(f, "sent          {} bytes in {}, {repeated} repeated", self.bytes, counted(frames, "frame"))?;
        writeln!(f, "update        sequence {}, application {:#x}", self.sequence, self.application)?;
        if let Some(key) = &self.public_key {
            writeln!(f, "signed by     {key}")?;
        }
        writeln!(f, "device        {}", if confirmed { "uses the model" } else { "no answers on this link" })
    }
}
