//! The rows to fit and the rows to test on.

use std::path::{Path, PathBuf};

use srfm_trainer::FitError;
use srfm_trainer::data::{Counts, Dataset, Description, Prepared, Splitter};
use srfm_trainer::message::{Explain, Message};
use srfm_trainer::method::MethodError;
use srfm_trainer::sampling::Sampler;

use crate::columns::remark_on_missing;
use crate::command::fit::args::Args;
use crate::command::fit::codes::remark_on_codes;
use crate::command::fit::large::{Drawn, Large};
use crate::common::Common;
use crate::data::{no_targets, read_source, remark_on, target_kind};
use crate::failure::Failure;

/// The random stream of the split, apart from the streams of methods and folds.
const HOLDOUT_STREAM: u64 = 2;

/// The rows of a fit.
pub struct Rows {
    /// The rows to fit.
    pub train: Dataset,
    /// The rows to test on.
    pub test: Option<Dataset>,
    /// The data file.
    path: PathBuf,
    /// The number of rows in the data file.
    total: usize,
    /// The numbers of rows and missing values in the data file.
    pub counts: Counts,
    /// How the columns became inputs.
    pub description: Description,
    /// Whether the inputs share a unit, as the pixels of an image do.
    pub share_unit: bool,
    /// The file of the rows, of which `train` is a sample; none if it has all rows.
    pub large: Option<Large>,
}

impl Rows {
    /// Reads the data files and divides the rows.
    pub fn read(args: &Args, splitter: Splitter, common: &Common) -> Result<Rows, Failure> {
        args.holdout.map_or(Ok(()), check_share)?;
        let written = [&args.output, &args.features, &args.c, &args.report];
        if !common.quiet && written.iter().all(|path| path.is_none()) {
            say!("srfm: the model will not be kept; name a file with -o, such as -o model.srfm");
        }
        match Drawn::from(args, splitter, common)? {
            Some(drawn) => Rows::of_sample(args, drawn, common),
            None => Rows::all(args, splitter, common),
        }
    }

    /// Takes the rows that were drawn from a large file.
    fn of_sample(args: &Args, drawn: Drawn, common: &Common) -> Result<Rows, Failure> {
        let Drawn { large, sample: train, test, counts, description } = drawn;
        remark_on_missing(&counts, common);
        remark_on(&train, common);
        remark_on_codes(&train, common);
        let mut test = args.holdout.map(|_| test);
        if let Some(path) = &args.test {
            test = Some(read_test(&train, &description, path, args, common)?);
        }
        let (path, total) = (args.data.clone(), train.rows());
        Ok(Rows { train, test, path, total, counts, description, share_unit: false, large: Some(large) })
    }

    /// Reads all rows.
    fn all(args: &Args, splitter: Splitter, common: &Common) -> Result<Rows, Failure> {
        let preparation = args.columns.to_learn(&args.learning)?;
        let source = read_source(&args.data, args.labels.as_deref(), &args.target, common)?;
        let source = source.with_preparation(preparation);
        let share_unit = source.shares_unit();
        let Prepared { data, mut description, counts, .. } = source.prepare(target_kind(&args.task))?;
        drop(source);
        remark_on_missing(&counts, common);
        remark_on(&data, common);
        remark_on_codes(&data, common);
        if splitter == Splitter::Random && data.history.depth() > 1 && !common.quiet {
            say!(
                "srfm: rows share samples with their neighbours, so that random folds promise too much; take --split \
                 forward or --split blocked"
            );
        }
        let (path, total) = (args.data.clone(), data.rows());
        let (mut train, mut test) = match &args.test {
            Some(_) => (data, None),
            None => divide(args, data, splitter)?,
        };
        description.replace_missing(&mut train, test.as_mut());
        if let Some(path) = &args.test {
            test = Some(read_test(&train, &description, path, args, common)?);
        }
        Ok(Rows { train, test, path, total, counts, description, share_unit, large: None })
    }

    /// Returns the number of rows that the model is fitted to.
    pub fn fitted(&self) -> usize {
        self.large.as_ref().map_or(self.train.rows(), |large| large.fitted)
    }

    /// Converts an error of the fit. An error about too few or constant rows names the file; one about too few rows
    /// mentions `--holdout`.
    pub fn failure(&self, error: FitError) -> Failure {
        let too_few =
            matches!(error, FitError::Method(MethodError::TooFewRows { .. }) | FitError::TooFewRowsInFold { .. });
        let constant = matches!(error, FitError::Method(MethodError::ConstantInputs) | FitError::ConstantTarget { .. });
        let failure = match too_few || constant {
            true => Failure::new(Message::from(format!("{}: ", self.path.display())).and(error.message())),
            false => Failure::from(error),
        };
        let (left, total) = (self.train.rows(), self.total);
        if too_few && left < total {
            failure.and(&format!("--holdout leaves {left} of {total} rows to fit"))
        } else {
            failure
        }
    }
}

/// Checks the share of the rows that are held out.
fn check_share(share: f64) -> Result<(), Failure> {
    let problem = match share {
        0.0 => "--holdout 0 holds out no rows; leave the option out".to_owned(),
        share if share > 0.0 && share < 1.0 => return Ok(()),
        share if share > 1.0 && share < 100.0 => {
            let meant = share / 100.0;
            format!("--holdout is a share of the rows between 0 and 1; write {meant} or {share}% in place of {share}")
        }
        share => format!("--holdout must be between 0 and 1, not {share}"),
    };
    Err(Failure::usage(problem))
}

/// Divides the rows into rows to fit and held-out rows.
fn divide(args: &Args, data: Dataset, splitter: Splitter) -> Result<(Dataset, Option<Dataset>), Failure> {
    let Some(share) = args.holdout else { return Ok((data, None)) };
    let split = splitter.holdout(&data, share, &mut Sampler::stream(args.seed, HOLDOUT_STREAM))?;
    Ok((data.select(&split.train), Some(data.select(&split.test))))
}

/// Reads the rows to test on, which must have the columns of `data`, the rows to fit.
fn read_test(
    data: &Dataset,
    description: &Description,
    path: &Path,
    args: &Args,
    common: &Common,
) -> Result<Dataset, Failure> {
    let source = read_source(path, args.test_labels.as_deref(), &args.target, common)?;
    let source = source.with_preparation(description.preparation()).with_description(Some(description.clone()));
    let Prepared { data: test, counts, .. } = source.like(data)?;
    remark_on_missing(&counts, common);
    if test.outputs() == 0 {
        return Err(no_targets(path, "--test-labels"));
    }
    Ok(test)
}
