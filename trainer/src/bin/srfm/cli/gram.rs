//! `srfm gram` and `srfm merge`: the amplitudes of given features from sums over parts of a table.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use srfm_trainer::data::{Blocks, DataError, Description};
use srfm_trainer::refit::{Features, StateError, Sums};
use srfm_trainer::{Fit, Observer, Run};

use crate::cli::common::Common;
use crate::cli::description;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::progress::Progress;
use crate::cli::values::parse_bytes;
use crate::report::{ModelSummary, counted, significant};

#[derive(clap::Args)]
#[command(after_help = "Example:\n  srfm fit part1.csv --features sensor.features\n  \
    srfm gram sensor.features part1.csv -o part1.sums\n  \
    srfm gram sensor.features part2.csv -o part2.sums\n  \
    srfm merge sensor.features part1.sums part2.sums -o sensor.srfm")]
pub struct GramArgs {
    /// File of the features, as `srfm fit --features` writes it
    features: PathBuf,
    /// Part of the table, with the columns of the rows that the features were fitted to: CSV, Parquet or .npy
    part: PathBuf,
    /// Memory that the rows may take
    #[arg(long, value_name = "BYTES", default_value = "1G", value_parser = parse_bytes)]
    memory: usize,
    /// File of the sums to write
    #[arg(long, short, value_name = "FILE.sums")]
    output: PathBuf,
}

#[derive(clap::Args)]
#[command(after_help = "Example:\n  srfm merge sensor.features part1.sums part2.sums -o sensor.srfm")]
pub struct MergeArgs {
    /// File of the features, as `srfm fit --features` writes it
    features: PathBuf,
    /// Files of the sums over the parts, in the order of the rows
    #[arg(required = true)]
    sums: Vec<PathBuf>,
    /// Model file to write. The model has no intervals, for which the rows would be read again
    #[arg(long, short, value_name = "MODEL.srfm")]
    output: PathBuf,
}

/// The sums of a part.
#[derive(Serialize)]
struct Part {
    rows: usize,
    output: PathBuf,
}

/// The model of all parts.
#[derive(Serialize)]
struct Merged {
    rows: usize,
    parts: usize,
    /// Root mean squared error of each half of the rows with the amplitudes of the other half, in units of the target.
    validation_rmse: f64,
    /// Largest difference between the device's code and the f64 model.
    largest_difference: f64,
    model: ModelSummary,
    output: PathBuf,
}

/// Writes the sums over a part of a table.
pub fn gram(args: &GramArgs, common: &Common) -> Result<(), Failure> {
    let (features, description) = read_features(&args.features)?;
    output::check_writable(&args.output, [args.features.as_path(), &args.part])?;
    let blocks = Blocks::described(&args.part, &description, features.columns(), args.memory)?;
    let progress = Progress::new("reading", common);
    let sums = features.sums_of(&blocks, &Run::new(0).with_observer(&progress))?;
    drop(progress);
    output::write(&args.output, &sums.to_bytes(&features))?;
    let (rows, output) = (sums.rows(), args.output.clone());
    if common.json {
        return output::print_json(&Part { rows, output });
    }
    output::print(&format!("rows          {rows}\nwritten       {}\n", output.display()))
}

/// Writes the model that the sums of all parts give.
pub fn merge(args: &MergeArgs, common: &Common) -> Result<(), Failure> {
    let (features, description) = read_features(&args.features)?;
    let read: Vec<&Path> = args.sums.iter().chain([&args.features]).map(PathBuf::as_path).collect();
    description::check_writable(&args.output, &read)?;
    let progress = Progress::new("merging", common);
    let mut sums = Sums::default();
    for (done, path) in args.sums.iter().enumerate() {
        progress.progress(done, args.sums.len());
        let bytes = bytes_of(path)?;
        let part = features.sums_from_bytes(&bytes).map_err(|error| of_file(path, error))?;
        if done == 0 { sums = part } else { sums.merge(part) }
    }
    drop(progress);
    let solved = features.solve(&sums, &features.errors(&sums, 0, 1)?)?;
    let Fit { blob, agreement, tried, .. } = features.finish(&solved, None)?;
    description::write_model(&args.output, &blob, &description)?;
    let merged = Merged {
        rows: sums.rows(),
        parts: args.sums.len(),
        validation_rmse: tried[0].1.rmse,
        largest_difference: agreement.largest,
        model: ModelSummary::of(&blob),
        output: args.output.clone(),
    };
    if common.json { output::print_json(&merged) } else { output::print(&merged.to_string()) }
}

impl fmt::Display for Merged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "fitted        {} of {}", counted(self.rows, "row"), counted(self.parts, "part"))?;
        writeln!(f, "validation    RMSE {}", significant(self.validation_rmse))?;
        write!(f, "{}", self.model)?;
        writeln!(f, "written       {}", self.output.display())
    }
}

/// Writes the features of a fit and the description of their columns.
pub fn write_features(path: &Path, features: &Features, description: &Description) -> Result<(), Failure> {
    let bytes = features.to_bytes();
    output::write(&description::path(path), description.to_json(&bytes).as_bytes())?;
    output::write(path, &bytes)
}

/// Reads features and the description of their columns.
fn read_features(path: &Path) -> Result<(Features, Description), Failure> {
    let bytes = bytes_of(path)?;
    let features = Features::from_bytes(&bytes).map_err(|error| of_file(path, error))?;
    let beside = description::path(path);
    let text = String::from_utf8_lossy(&bytes_of(&beside)?).into_owned();
    Ok((features, Description::parse(&beside.display().to_string(), &text, &bytes)?))
}

fn bytes_of(path: &Path) -> Result<Vec<u8>, Failure> {
    let problem = |source| DataError::Read { path: path.display().to_string(), source };
    Ok(fs::read(path).map_err(problem)?)
}

fn of_file(path: &Path, error: StateError) -> Failure {
    Failure::new(format!("{}: {error}", path.display()))
}
