//! The options of every subcommand.

use crate::failure::Failure;
use crate::headings::COMMON;

#[derive(clap::Args)]
pub struct Common {
    /// Print one JSON document on standard output instead of text
    #[arg(long, global = true, help_heading = COMMON)]
    pub json: bool,
    /// Print no progress and no remarks
    #[arg(long, short, global = true, help_heading = COMMON)]
    pub quiet: bool,
    /// Number of threads; 0 means one for each processor. The result does not depend on this number
    #[arg(long, global = true, default_value_t = 0, value_name = "N", help_heading = COMMON,
          value_parser = clap::value_parser!(u16).range(..=1024))]
    pub threads: u16,
    /// The arguments of the command, without its name.
    #[arg(skip)]
    pub arguments: Vec<String>,
}

impl Common {
    /// Starts the threads of the process, which all fits share.
    ///
    /// # Errors
    /// A failure if the system has no such number of threads.
    pub fn start_threads(&self) -> Result<(), Failure> {
        // WebAssembly has none, and everything runs on the thread that calls.
        if cfg!(target_family = "wasm") {
            return Ok(());
        }
        let started = rayon::ThreadPoolBuilder::new().num_threads(self.threads.into()).build_global();
        started.map_err(|error| Failure::new(format!("cannot start {} threads: {error}", self.threads)))
    }
}
