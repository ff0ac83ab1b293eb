//! `srfm inspect`: the contents of a model file.

use std::path::PathBuf;

use crate::report::{Instructions, ModelSummary, shares};
use serde::Serialize;
use srfm_trainer::data::Description;

use crate::cli::common::Common;
use crate::cli::description;
use crate::cli::failure::Failure;
use crate::cli::output;

#[derive(clap::Args)]
pub struct Args {
    /// The model file
    model: PathBuf,
}

/// The contents of a model file and of its description.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    summary: ModelSummary,
    /// Null without a description beside the model.
    description: Option<Description>,
}

/// The number of ranges that the text lists.
const MOST_RANGES: usize = 6;

/// Prints the contents of a model file.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let blob = output::read_model(&args.model)?;
    let summary = ModelSummary::of(&blob);
    let description = description::read(&args.model, &blob, common);
    if common.json {
        return output::print_json(&Report { summary, description });
    }
    let mut text = summary.to_string();
    if let Some(description) = &description {
        text += &format!("names         {description}\n");
    }
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
    let bounds = summary.instructions.iter().map(|&Instructions { core, at_most, mean }| {
        let usually = if mean < at_most { format!(" (usually {mean})") } else { String::new() };
        format!("{core} {at_most}{usually}")
    });
    text += &format!("instructions  at most {}\n", bounds.collect::<Vec<_>>().join(", "));
    output::print(&text)
}
