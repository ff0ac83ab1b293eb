//! The rows to fit and the rows to test on.

use std::path::Path;

use srfm_trainer::FitError;
use srfm_trainer::data::{Dataset, holdout, stratified_holdout};
use srfm_trainer::method::MethodError;
use srfm_trainer::sampling::Sampler;

use crate::cli::common::Common;
use crate::cli::data::{no_targets, read_source, remark_on, target_kind};
use crate::cli::failure::Failure;
use crate::cli::fit::args::Args;

/// The random stream of the split, apart from the streams of methods and folds.
const HOLDOUT_STREAM: u64 = 2;

/// The rows of a fit.
pub struct Rows {
    /// The rows to fit.
    pub train: Dataset,
    /// The rows to test on.
    pub test: Option<Dataset>,
    /// The number of rows in the data file.
    total: usize,
    /// Whether the inputs share a unit, as the pixels of an image do.
    pub share_unit: bool,
}

impl Rows {
    /// Reads the data files and divides the rows.
    pub fn read(args: &Args, common: &Common) -> Result<Rows, Failure> {
        let source = read_source(&args.data, args.labels.as_deref(), &args.target, common)?;
        let share_unit = source.shares_unit();
        let data = source.dataset(target_kind(&args.task))?;
        drop(source);
        remark_on(&data, common);
        let total = data.rows();
        let (train, test) = match &args.test {
            Some(path) => {
                let test = read_test(&data, path, args, common)?;
                (data, Some(test))
            }
            None => divide(args, data)?,
        };
        Ok(Rows { train, test, total, share_unit })
    }

    /// Converts an error of the fit; an error about too few rows mentions `--holdout`.
    pub fn failure(&self, error: FitError) -> Failure {
        let too_few =
            matches!(error, FitError::Method(MethodError::TooFewRows { .. }) | FitError::TooFewRowsInFold { .. });
        let failure = Failure::from(error);
        let (left, total) = (self.train.rows(), self.total);
        if too_few && left < total {
            failure.and(&format!("--holdout leaves {left} of {total} rows to fit"))
        } else {
            failure
        }
    }
}

/// Divides the rows into rows to fit and rows to test on.
fn divide(args: &Args, data: Dataset) -> Result<(Dataset, Option<Dataset>), Failure> {
    let Some(share) = args.holdout else { return Ok((data, None)) };
    if !(share > 0.0 && share < 1.0) {
        return Err(Failure::usage(format!("--holdout must be between 0 and 1, not {share}")));
    }
    if data.rows() < 2 {
        return Err(Failure::new("one row cannot be divided for --holdout; add rows"));
    }
    let mut sampler = Sampler::stream(args.seed, HOLDOUT_STREAM);
    let split = match data.members() {
        Some(members) => stratified_holdout(&members, share, &mut sampler),
        None => holdout(data.rows(), share, &mut sampler),
    };
    if split.test.is_empty() {
        return Err(Failure::new("no class has a second row for --holdout; add rows"));
    }
    Ok((data.select(&split.train), Some(data.select(&split.test))))
}

/// Reads the rows to test on, which must have the columns of `data`, the rows to fit.
fn read_test(data: &Dataset, path: &Path, args: &Args, common: &Common) -> Result<Dataset, Failure> {
    let test = read_source(path, args.test_labels.as_deref(), &args.target, common)?.like(data)?;
    if test.outputs() == 0 {
        return Err(no_targets(path, "--test-labels"));
    }
    Ok(test)
}
