//! `srfm inspect`: what a model file holds.

use std::path::PathBuf;

use srfm_trainer::report::{ModelSummary, shares};

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
    if common.json {
        return output::print_json(&summary);
    }
    let mut text = summary.to_string();
    if !summary.importance.is_empty() {
        let inputs = summary.importance.iter().map(|i| (format!("input {}", i.input), i.share));
        text += &format!("importance    {}\n", shares(inputs));
    }
    if !summary.instructions.is_empty() {
        let bounds = summary.instructions.iter().map(|bound| format!("{} {}", bound.core, bound.at_most));
        text += &format!("instructions  at most {}\n", bounds.collect::<Vec<_>>().join(", "));
    }
    output::print(&text)
}
