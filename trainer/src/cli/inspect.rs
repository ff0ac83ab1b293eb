//! `srfm inspect`: what a model file holds.

use std::path::PathBuf;

use srfm_trainer::report::ModelSummary;

use super::failure::Failure;
use super::{Common, output};

#[derive(clap::Args)]
pub struct Args {
    /// The model file
    model: PathBuf,
}

pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let blob = output::read_model(&args.model)?;
    let summary = ModelSummary::of(&blob);
    if common.json { output::print_json(&summary) } else { output::print(&summary.to_string()) }
}
