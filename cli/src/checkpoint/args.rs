//! The options of a command that can be resumed.

use std::fmt::Debug;
use std::path::PathBuf;
use std::time::Duration;

use srfm_trainer::data::Dataset;

use crate::checkpoint::contents::Origin;
use crate::checkpoint::file::CheckpointFile;
use crate::common::Common;
use crate::failure::Failure;
use crate::headings::FILES;

#[derive(clap::Args)]
pub struct CheckpointArgs {
    /// File from which the same command resumes an interrupted fit; removed when the fit ends with a model
    #[arg(long, value_name = "FILE", help_heading = FILES)]
    checkpoint: Option<PathBuf>,
    /// Seconds between two writes of a method's state into the checkpoint
    #[arg(long, default_value_t = 10.0, value_name = "SECONDS", value_parser = parse_seconds, requires = "checkpoint",
          help_heading = FILES)]
    checkpoint_every: f64,
}

/// Parses a number of seconds from 0.
fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse::<f64>().ok().filter(|&seconds| Duration::try_from_secs_f64(seconds).is_ok());
    seconds.ok_or_else(|| "give a number of seconds from 0".to_owned())
}

impl CheckpointArgs {
    /// Returns the file of `--checkpoint`.
    pub fn path(&self) -> Option<&PathBuf> {
        self.checkpoint.as_ref()
    }

    /// Opens the checkpoint of `--checkpoint`.
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
        if checkpoint.resumed() && !common.quiet {
            say!("srfm: resumed from {}", path.display());
        }
        Ok(Some(checkpoint))
    }
}
