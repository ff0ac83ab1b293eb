//! `srfm inspect`: the contents of a model file.

use std::path::PathBuf;

use crate::report::{ModelSummary, shares};

use crate::cli::common::Common;
use crate::cli::failure::Failure;
use crate::cli::output;

#[derive(clap::Args)]
pub struct Args {
    /// The model file
    model: PathBuf,
}

/// The number of ranges that the text lists.
const MOST_RANGES: usize = 6;

/// Prints the contents of a model file.
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
    if !summary.ranges.is_empty() {
        let ranges =
            summary.ranges.iter().take(MOST_RANGES).map(|r| format!("input {} {} to {}", r.input, r.low, r.high));
        let more = if summary.ranges.len() > MOST_RANGES { ", …; --json has all" } else { "" };
        text += &format!("fitted to     {}{more}\n", ranges.collect::<Vec<_>>().join(", "));
    }
    if !summary.instructions.is_empty() {
        let bounds = summary.instructions.iter().map(|bound| format!("{} {}", bound.core, bound.at_most));
        text += &format!("instructions  at most {}\n", bounds.collect::<Vec<_>>().join(", "));
    }
    output::print(&text)
}
