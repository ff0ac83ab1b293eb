//! `srfm inspect`: the contents of a model file.

use std::path::PathBuf;

use crate::report::{InputRange, Instructions, ModelSummary, rules, sentence, shares};
use serde::Serialize;
use srfm_trainer::data::Description;

use crate::columns::Gaps;
use crate::command::verify::{self, Check};
use crate::common::Common;
use crate::description;
use crate::failure::Failure;
use crate::origin::Origin;
use crate::output;

#[derive(clap::Args)]
#[command(after_help = "Example:\n  srfm inspect sensor.srfm --verify sensor.csv")]
pub struct Args {
    /// The model file
    model: PathBuf,
    /// Data file to compare the figures with: errors, ranges and intervals on its rows, instructions and bits on the
    /// emulated cores. The exit code is 1 where a figure differs
    #[arg(long, value_name = "DATA")]
    verify: Option<PathBuf>,
}

/// The contents of a model file and of its description.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    summary: ModelSummary,
    /// Null without a description beside the model.
    description: Option<Description>,
    /// The rules of the largest amplitudes as sentences; left out of a model without rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    largest_rules: Vec<String>,
    /// Null without `--verify`.
    checks: Option<Vec<Check>>,
}

/// The number of ranges that the text lists.
const MOST_RANGES: usize = 6;

/// The number of rules that are listed.
const MOST_RULES: usize = 8;

/// Prints the contents of a model file.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let blob = output::read_model(&args.model)?;
    let description = description::read(&args.model, &blob, common);
    let targets = description.as_ref().map(|description| description.targets.clone());
    let summary =
        ModelSummary::of(&blob).named(description.as_ref().map(names).unwrap_or_default(), targets.unwrap_or_default());
    let checks =
        args.verify.as_deref().map(|data| verify::checks(&blob, description.as_ref(), data, common)).transpose()?;
    let passes = checks.iter().flatten().all(Check::passes);
    let largest = rules(&blob.model()).into_iter().take(MOST_RULES);
    let largest_rules: Vec<String> = largest.map(|rule| sentence(&rule, |input| summary.name(input + 1))).collect();
    let mut text = text(&summary, description.as_ref(), checks.as_deref().unwrap_or_default());
    for (place, rule) in largest_rules.iter().enumerate() {
        text += &format!("{:<13} {rule}\n", if place == 0 { "largest rules" } else { "" });
    }
    if common.json {
        output::print_json(&Report { summary, description, largest_rules, checks })?;
    } else {
        output::print(&text)?;
    }
    let name = args.model.display();
    if passes { Ok(()) } else { Err(Failure::new(format!("{name}: figures differ from what was found; see above"))) }
}

/// Returns the names of the inputs in a description.
fn names(description: &Description) -> Vec<String> {
    let described = serde_json::to_value(description).unwrap_or_default();
    let inputs = described["inputs"].as_array().into_iter().flatten();
    inputs.filter_map(|input| input["name"].as_str().map(str::to_owned)).collect()
}

/// Returns the contents for people.
fn text(summary: &ModelSummary, description: Option<&Description>, checks: &[Check]) -> String {
    let mut text = summary.to_string();
    if let Some(description) = description {
        if summary.history.is_some() {
            text += &format!("readings      {description:#}\n");
        }
        text += &format!("names         {description}\n");
    }
    if let Some(missing) = missing(summary, description) {
        text += &format!("missing       {missing}\n");
    }
    if !summary.importance.is_empty() {
        let inputs = summary.importance.iter().map(|i| (summary.name(i.input), i.share));
        text += &format!("importance    {} of the variation of the predictions\n", shares(inputs));
    }
    if !summary.ranges.is_empty() {
        let range = |r: &InputRange| format!("{} {} to {}", summary.name(r.input), r.low, r.high);
        let ranges = summary.ranges.iter().take(MOST_RANGES).map(range);
        let more = if summary.ranges.len() > MOST_RANGES { ", …; --json has all" } else { "" };
        text += &format!("fitted to     {}{more}\n", ranges.collect::<Vec<_>>().join(", "));
    }
    text += &instructions(summary);
    let programs: Vec<String> = summary.programs.iter().map(ToString::to_string).collect();
    let parts = programs.iter().filter_map(|program| program.rsplit_once(" on "));
    text += &per_core("as C", parts.map(|(program, core)| (core, program.to_owned())));
    if let Some(split) = description.and_then(Origin::read).and_then(|origin| origin.split) {
        text += &format!("split         {} folds and held-out rows\n", split.name());
    }
    for (place, line) in description.and_then(Origin::read).iter().flat_map(Origin::lines).enumerate() {
        text += &format!("{:<13} {line}\n", if place == 0 { "origin" } else { "" });
    }
    checks.iter().for_each(|check| text += &check.to_string());
    text
}

/// Returns what happens to missing readings, and the numbers that stand for them in data files; none where a missing
/// reading is an error or not known.
fn missing(summary: &ModelSummary, description: Option<&Description>) -> Option<String> {
    let gaps = Gaps::of(&description.map(Description::preparation).unwrap_or_default());
    let rule = match gaps.missing.as_str() {
        "mean" => Some("the mean of the fitted rows takes the place of a reading"),
        "drop" => Some("rows without a reading are left out"),
        _ if summary.replaced_inputs > 0 => Some("the mean of the fitted rows takes the place of NaN"),
        _ => None,
    };
    let codes: Vec<String> = gaps.missing_values.iter().map(f64::to_string).collect();
    let codes = match &codes[..] {
        [] => None,
        [code] => Some(format!("{code} stands for a missing reading in data files")),
        _ => Some(format!("{} stand for missing readings in data files", codes.join(", "))),
    };
    rule.map(str::to_owned).into_iter().chain(codes).reduce(|rule, codes| format!("{rule}; {codes}"))
}

/// Returns a line for the cores of each bound: those of a prediction, and of a sample before it.
fn instructions(summary: &ModelSummary) -> String {
    let of_prediction = |bound: &Instructions| {
        let usually = if bound.mean < bound.at_most { format!(", usually {}", bound.mean) } else { String::new() };
        (bound.core, format!("at most {}{usually}", bound.at_most))
    };
    let mut text = per_core("instructions", summary.instructions.iter().map(of_prediction));
    if let Some(history) = &summary.history {
        let of_sample = history.instructions.iter().map(|bound| (bound.core, format!("at most {}", bound.at_most)));
        text += &per_core("of history", of_sample);
    }
    text
}

/// Returns a line for the cores of each text; `head` is in the first line.
fn per_core<'a>(head: &str, texts: impl Iterator<Item = (&'a str, String)>) -> String {
    let texts: Vec<(&str, String)> = texts.collect();
    let line = |(place, cores): (usize, &[(&str, String)])| {
        let head = if place == 0 { head } else { "" };
        let names: Vec<&str> = cores.iter().map(|(core, _)| *core).collect();
        format!("{head:<13} {} on {}\n", cores[0].1, names.join(", "))
    };
    texts.chunk_by(|a, b| a.1 == b.1).enumerate().map(line).collect()
}
