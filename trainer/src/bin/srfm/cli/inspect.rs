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
        if summary.history.is_some() {
            text += &format!("readings      {description:#}\n");
        }
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
    text += &instructions(&summary.instructions);
    output::print(&text)
}

/// Returns a line for the cores of each bound.
fn instructions(bounds: &[Instructions]) -> String {
    let equal = |a: &Instructions, b: &Instructions| (a.at_most, a.mean) == (b.at_most, b.mean);
    let line = |(place, cores): (usize, &[Instructions])| {
        let head = if place == 0 { "instructions" } else { "" };
        let names: Vec<String> = cores.iter().map(|bound| bound.core.to_string()).collect();
        let Instructions { at_most, mean, .. } = cores[0];
        let usually = if mean < at_most { format!(", usually {mean}") } else { String::new() };
        format!("{head:<13} at most {at_most}{usually} on {}\n", names.join(", "))
    };
    bounds.chunk_by(equal).enumerate().map(line).collect()
}
