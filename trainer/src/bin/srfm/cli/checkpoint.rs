//! The file from which an interrupted fit is resumed.
//!
//! It holds what the fit depends on (release, settings, seed, a checksum of the rows), the states that the fit keeps by name,
//! and a checksum of itself. It is written beside its place and renamed, so that it is whole at every moment. A fit that ends
//! with a model removes it.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::fmt::Debug;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crc::{CRC_32_ISO_HDLC, CRC_64_XZ, Crc, Table};
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};
use srfm_trainer::data::Dataset;
use srfm_trainer::error::FitError;
use srfm_trainer::run::Checkpoint;

use crate::cli::failure::Failure;
use crate::cli::progress::interrupted;
use crate::cli::{Common, output};

/// How the file begins.
const MAGIC: &[u8] = b"srfm checkpoint 1\n";

static OF_FILE: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);
static OF_ROWS: Crc<u64, Table<16>> = Crc::<u64, Table<16>>::new(&CRC_64_XZ);

/// The options of a command that can be resumed.
#[derive(clap::Args)]
pub struct Args {
    /// File from which the same command resumes a fit that was stopped; removed once there is a model
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Seconds after which a method writes its state into the checkpoint again
    #[arg(long, default_value_t = 10.0, value_name = "SECONDS", value_parser = parse_seconds, requires = "checkpoint")]
    checkpoint_every: f64,
}

/// Seconds, as a number from 0.
fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse::<f64>().ok().filter(|&seconds| Duration::try_from_secs_f64(seconds).is_ok());
    seconds.ok_or_else(|| "give a number of seconds from 0".to_owned())
}

impl Args {
    /// Makes sure, before long work begins, that the file can be written and is none of the others of the command.
    pub fn check<'a>(&self, others: impl Iterator<Item = &'a Path>) -> Result<(), Failure> {
        let Some(path) = &self.checkpoint else { return Ok(()) };
        let others: Vec<&Path> = others.collect();
        if others.contains(&path.as_path()) {
            return Err(Failure::usage(format!("{}: cannot be the checkpoint too; name another file", path.display())));
        }
        output::check_writable(path, others)
    }

    /// Opens the checkpoint that is asked for.
    pub fn open(
        &self,
        data: &Dataset,
        config: &impl Debug,
        seed: u64,
        common: &Common,
    ) -> Result<Option<CheckpointFile>, Failure> {
        let Some(path) = &self.checkpoint else { return Ok(None) };
        let every = Duration::from_secs_f64(self.checkpoint_every);
        let checkpoint = CheckpointFile::open(path, every, Origin::of(data, config, seed))?;
        if checkpoint.resumed && !common.quiet {
            eprintln!("srfm: resumed from {}", path.display());
        }
        Ok(Some(checkpoint))
    }
}

/// What the states depend on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Origin {
    release: String,
    rows: u64,
    settings: String,
    seed: u64,
}

impl Origin {
    fn of(data: &Dataset, config: &impl Debug, seed: u64) -> Origin {
        let release = env!("CARGO_PKG_VERSION").to_owned();
        Origin { release, rows: checksum(data), settings: format!("{config:?}"), seed }
    }

    /// What of it is different in `other`.
    fn difference(&self, other: &Origin) -> Option<String> {
        let other_seed = format!("with seed {}", other.seed);
        let parts = [
            (self.release == other.release, "of another release of srfm"),
            (self.rows == other.rows, "to other data"),
            (self.settings == other.settings, "with other settings"),
            (self.seed == other.seed, &other_seed),
        ];
        parts.into_iter().find(|(same, _)| !same).map(|(_, what)| what.to_owned())
    }
}

/// A checksum of names, shapes and values.
fn checksum(data: &Dataset) -> u64 {
    let mut digest = OF_ROWS.digest();
    for name in data.input_names.iter().chain(&data.output_names).chain(&data.classes) {
        digest.update(name.as_bytes());
        digest.update(b"\n");
    }
    let mut matrix = |m: &DMatrix<f64>| {
        digest.update(&m.nrows().to_le_bytes());
        digest.update(&m.ncols().to_le_bytes());
        digest.update(bytemuck::cast_slice(m.as_slice()));
    };
    matrix(&data.x);
    matrix(&data.y);
    digest.finalize()
}

#[derive(Serialize, Deserialize)]
struct Contents {
    origin: Origin,
    states: BTreeMap<String, Vec<u8>>,
}

/// A checkpoint in a file.
pub struct CheckpointFile {
    path: PathBuf,
    every: Duration,
    resumed: bool,
    inner: Mutex<Inner>,
}

struct Inner {
    contents: Contents,
    /// When the state of a name was kept last.
    kept: HashMap<String, Instant>,
    opened: Instant,
    /// Whether a failure to write has been told.
    told: bool,
}

impl CheckpointFile {
    /// Opens the checkpoint of a fit, or prepares a new one where there is no file.
    fn open(path: &Path, every: Duration, origin: Origin) -> Result<CheckpointFile, Failure> {
        let name = path.display();
        let (resumed, contents) = match fs::read(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => (false, Contents { origin, states: BTreeMap::new() }),
            Err(error) => return Err(Failure::new(format!("{name}: cannot be read: {error}"))),
            Ok(bytes) => {
                let contents = decode(&bytes).map_err(|problem| Failure::new(format!("{name}: {problem}")))?;
                if let Some(difference) = origin.difference(&contents.origin) {
                    return Err(Failure::new(format!(
                        "{name}: is the checkpoint of a fit {difference}; delete it, or name another file with \
                         --checkpoint"
                    )));
                }
                (true, contents)
            }
        };
        let inner = Inner { contents, kept: HashMap::new(), opened: Instant::now(), told: false };
        Ok(CheckpointFile { path: path.to_owned(), every, resumed, inner: Mutex::new(inner) })
    }

    /// Says how an interrupted fit goes on.
    pub fn interrupted(&self, error: FitError) -> Failure {
        let failure = Failure::from(error);
        if self.path.exists() { failure.and("the same command resumes the fit") } else { failure }
    }

    /// Removes the file: the fit has ended with a model.
    pub fn remove(&self) -> Result<(), Failure> {
        let _ = fs::remove_file(beside(&self.path)); // from an earlier run that was killed while it wrote
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Failure::new(format!("{}: cannot be removed: {error}", self.path.display())))
            }
            _ => Ok(()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, contents: &Contents) -> io::Result<()> {
        let beside = beside(&self.path);
        let mut file = File::create(&beside)?;
        file.write_all(&encode(contents))?;
        file.sync_all()?;
        fs::rename(&beside, &self.path)
    }
}

impl Checkpoint for CheckpointFile {
    fn load(&self, name: &str) -> Option<Vec<u8>> {
        self.lock().contents.states.get(name).cloned()
    }

    fn due(&self, name: &str) -> bool {
        let inner = self.lock();
        interrupted() || inner.kept.get(name).unwrap_or(&inner.opened).elapsed() >= self.every
    }

    fn save(&self, name: &str, state: Vec<u8>) {
        let mut inner = self.lock();
        let below = format!("{name}/");
        inner.contents.states.retain(|other, _| !other.starts_with(&below));
        inner.contents.states.insert(name.to_owned(), state);
        inner.kept.insert(name.to_owned(), Instant::now());
        if let Err(error) = self.write(&inner.contents)
            && !inner.told
        {
            inner.told = true;
            eprintln!("srfm: {}: cannot be written, the fit goes on without: {error}", self.path.display());
        }
    }
}

/// The file that is written first; always the same, so that a kill leaves no more than one behind.
fn beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".new");
    path.with_file_name(name)
}

fn encode(contents: &Contents) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes = postcard::to_extend(contents, bytes).expect("memory takes all of it");
    let checksum = OF_FILE.checksum(&bytes);
    bytes.extend(checksum.to_le_bytes());
    bytes
}

fn decode(bytes: &[u8]) -> Result<Contents, &'static str> {
    if !bytes.starts_with(MAGIC) {
        return Err("is no srfm checkpoint of this release; name another file with --checkpoint");
    }
    let damaged = "the checkpoint is damaged; delete it to begin the fit anew";
    let (content, checksum) = bytes.split_last_chunk::<4>().ok_or(damaged)?;
    if OF_FILE.checksum(content) != u32::from_le_bytes(*checksum) {
        return Err(damaged);
    }
    postcard::from_bytes(content.strip_prefix(MAGIC).ok_or(damaged)?).map_err(|_| damaged)
}

#[cfg(test)]
mod tests {
    use srfm_trainer::data::generate::Task;

    use super::*;

    fn open(folder: &Path, every: Duration) -> CheckpointFile {
        let data = Task::Pressure.generate(20, 0.5, 1);
        CheckpointFile::open(&folder.join("c"), every, Origin::of(&data, &"settings", 1)).ok().unwrap()
    }

    #[test]
    fn states_survive_and_take_the_place_of_those_below() {
        let folder = tempfile::tempdir().unwrap();
        let (now, later) = (Duration::ZERO, Duration::from_secs(3600));
        let checkpoint = open(folder.path(), now);
        assert!(!checkpoint.resumed && checkpoint.due("0/1/walk"));
        for (name, state) in [("0/1/walk", 1), ("0/10/walk", 2), ("0/10/walk", 3), ("0/2", 4)] {
            checkpoint.save(name, vec![state]);
        }
        let again = open(folder.path(), later);
        assert!(again.resumed && !again.due("0/1/walk"));
        again.save("0/1", vec![9, 9]);
        let last = open(folder.path(), later);
        let states = ["0/1/walk", "0/1", "0/10/walk", "0/2"].map(|name| last.load(name));
        assert_eq!(states, [None, Some(vec![9, 9]), Some(vec![3]), Some(vec![4])]);
        last.remove().ok().unwrap();
        assert!(fs::read_dir(folder.path()).unwrap().next().is_none());
    }

    #[test]
    fn every_damaged_byte_and_every_cut_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        open(folder.path(), Duration::ZERO).save("a", vec![1, 2, 3]);
        let good = fs::read(folder.path().join("c")).unwrap();
        assert!(decode(&good).is_ok());
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1;
            assert!(decode(&bad).is_err() && decode(&good[..at]).is_err(), "{at}");
        }
    }
}
