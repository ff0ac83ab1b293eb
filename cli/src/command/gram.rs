//! `srfm gram` and `srfm merge`: the amplitudes of given features from sums over parts of a table.

use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use srfm_trainer::data::{Blocks, DataError, Description};
use srfm_trainer::message::Explain;
use srfm_trainer::refit::{Features, StateError, Sums};
use srfm_trainer::{Fit, FitError, Observer, Run};

use crate::common::Common;
use crate::description;
use crate::failure::Failure;
use crate::origin::Origin;
use crate::output;
use crate::progress::Progress;
use crate::report::{ModelSummary, counted, significant};
use crate::values::parse_bytes;

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

/// Advice on a part of a table, in place of advice on a setting of the fit.
const ADVICE: [(&str, &str); 4] = [
    ("missing", "fit the features with --missing drop, or complete the row"),
    ("decimal", "fit the features with --decimal comma, or correct the row"),
    ("inputs", "give the columns of the rows that the features were fitted to"),
    ("ignore", "correct the cell, or fit the features with --ignore and the name of the column"),
];

/// Writes the sums over a part of a table.
pub fn gram(args: &GramArgs, common: &Common) -> Result<(), Failure> {
    let (features, description) = read_features(&args.features)?;
    output::check_writable(&args.output, [args.features.as_path(), &args.part])?;
    check_state(&args.output, "a file of sums", SUMS)?;
    let progress = Progress::new("reading", common);
    let sums = Blocks::described(&args.part, &description, features.columns(), args.memory)
        .map_err(FitError::from)
        .and_then(|blocks| features.sums_of(&blocks, &Run::new(0).with_observer(&progress)))
        .map_err(of_part)?;
    drop(progress);
    output::write(&args.output, &sums.to_bytes(&features))?;
    let rows = sums.rows();
    let output = args.output.clone();
    if common.json {
        return output::print_json(&Part { rows, output });
    }
    output::print(&format!("rows          {rows}\nwritten       {}\n", output.display()))
}

/// Returns the failure of a part. The fit of the features has the settings, and `srfm gram` has none.
fn of_part(error: FitError) -> Failure {
    let message = error.message();
    for (setting, advice) in ADVICE {
        let before = message.before(setting).map(|before| before.to_string());
        if let Some((problem, _)) = before.as_deref().and_then(|before| before.rsplit_once("; ")) {
            return Failure::new(format!("{problem}; {advice}"));
        }
    }
    error.into()
}

/// Writes the model that the sums of all parts give.
pub fn merge(args: &MergeArgs, common: &Common) -> Result<(), Failure> {
    let mut places = HashSet::new();
    let is_repeated = |path: &&PathBuf| output::place(path).is_some_and(|place| !places.insert(place));
    if let Some(path) = args.sums.iter().find(is_repeated) {
        let name = path.display();
        return Err(Failure::usage(format!("{name}: is named twice, and its rows would count twice; name it once")));
    }
    let (features, mut description) = read_features(&args.features)?;
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
    let validation_rmse = tried[0].1.rmse;
    description.origin = serde_json::to_value(origin(args, &description, sums.rows(), validation_rmse, common)?).ok();
    description::write_model(&args.output, &blob, &description)?;
    let merged = Merged {
        rows: sums.rows(),
        parts: args.sums.len(),
        validation_rmse,
        largest_difference: agreement.largest,
        model: ModelSummary::of(&blob),
        output: args.output.clone(),
    };
    if common.json { output::print_json(&merged) } else { output::print(&merged.to_string()) }
}

/// Returns the origin of the merged model: the files of sums, and the seed of the fit that gave the features.
fn origin(
    args: &MergeArgs,
    of_features: &Description,
    rows: usize,
    validation_rmse: f64,
    common: &Common,
) -> Result<Origin, Failure> {
    let seed = Origin::read(of_features).map_or(0, |origin| origin.seed);
    let mut origin = Origin::of(args.sums.iter().map(PathBuf::as_path), rows, seed, common)?;
    origin.errors.insert("validation RMSE".to_owned(), validation_rmse);
    Ok(origin)
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
    description::write(path, &features.to_bytes(), description)
}

/// Checks that a file of features to write takes the place of no file, or of a file of features.
pub fn check_features(path: &Path) -> Result<(), Failure> {
    check_state(path, "a file of features", FEATURES)
}

/// The numbers of the kinds of files, which follow the magic bytes with their version and a checksum of four bytes.
const FEATURES: u8 = 0;
const SUMS: u8 = 1;

/// Checks that a file to write takes the place of no file, or of a file of the same kind.
fn check_state(path: &Path, what: &str, kind: u8) -> Result<(), Failure> {
    output::check_replaceable(path, what, |head| head.starts_with(b"srfmsum") && head.get(12) == Some(&kind))
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
