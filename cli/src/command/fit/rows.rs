//! The rows to fit and the rows to test on.

use std::path::{Path, PathBuf};

use srfm_trainer::FitError;
use srfm_trainer::data::{Dataset, Description, Prepared};
use srfm_trainer::message::{Explain, Message};
use srfm_trainer::method::MethodError;
use srfm_trainer::request::{Request, Rows};

use crate::columns::remark_on_missing;
use crate::command::fit::args::Args;
use crate::command::fit::codes::remark_on_codes;
use crate::command::fit::large::{Drawn, Large};
use crate::common::Common;
use crate::data::{no_targets, read_source, remark_on};
use crate::failure::Failure;
use crate::options::Options;

/// The rows that the files of a fit have.
pub struct Read {
    /// The rows to fit and those to test on.
    pub rows: Rows,
    /// The data file.
    path: PathBuf,
    /// The number of rows in the data file.
    total: usize,
    /// The file of the rows, of which the rows to fit are a sample; none if they are all rows.
    pub large: Option<Large>,
}

impl Read {
    /// Reads the data files and divides the rows.
    pub fn new(args: &Args, request: &Request, common: &Common) -> Result<Read, Failure> {
        let written = [&args.output, &args.features, &args.c, &args.report];
        if !common.quiet && written.iter().all(|path| path.is_none()) {
            say!("srfm: the model will not be kept; name a file with -o, such as -o model.srfm");
        }
        let mut read = match Drawn::from(args, request, common)? {
            Some(drawn) => Read::of_sample(args, drawn, request, common),
            None => Read::all(args, request, common)?,
        };
        if let Some(path) = &args.test {
            read.rows.test = Some(read_test(&read.rows, path, args, request, common)?);
        }
        Ok(read)
    }

    /// Takes the rows that were drawn from a large file.
    fn of_sample(args: &Args, drawn: Drawn, request: &Request, common: &Common) -> Read {
        let Drawn { large, sample: train, test, counts, description } = drawn;
        remark_on_missing(&counts, common);
        remark_on(&train, common);
        remark_on_codes(&train, common);
        let total = train.rows();
        let test = request.holdout.map(|_| test);
        let rows = Rows { train, test, weights: Vec::new(), description, counts, share_unit: false };
        Read { rows, path: args.data.clone(), total, large: Some(large) }
    }

    /// Reads all rows.
    fn all(args: &Args, request: &Request, common: &Common) -> Result<Read, Failure> {
        let source = read_source(&args.data, args.labels.as_deref(), &request.columns.targets, common)?;
        let source = source.with_preparation(request.columns.preparation.clone());
        let share_unit = source.shares_unit();
        let Prepared { data, description, counts, .. } = request.prepare(&source)?;
        drop(source);
        remark_on_missing(&counts, common);
        remark_on(&data, common);
        remark_on_codes(&data, common);
        if let Some(remark) = request.remark_on_folds(&data).filter(|_| !common.quiet) {
            say!("srfm: {}", Options::of::<Args>().render(&remark));
        }
        let total = data.rows();
        let rows = request.divide(data, description, counts, share_unit)?;
        Ok(Read { rows, path: args.data.clone(), total, large: None })
    }

    /// Returns the number of rows that the model is fitted to.
    pub fn fitted(&self) -> usize {
        self.large.as_ref().map_or(self.rows.train.rows(), |large| large.fitted)
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
        let (left, total) = (self.rows.train.rows(), self.total);
        if too_few && left < total {
            failure.and(&format!("--holdout leaves {left} of {total} rows to fit"))
        } else {
            failure
        }
    }
}

/// Reads the rows to test on, which must have the columns of the rows to fit.
fn read_test(rows: &Rows, path: &Path, args: &Args, request: &Request, common: &Common) -> Result<Dataset, Failure> {
    let description: &Description = &rows.description;
    let source = read_source(path, args.test_labels.as_deref(), &args.target, common)?;
    let source = source.with_preparation(description.preparation()).with_description(Some(description.clone()));
    let source = source.with_weight(request.columns.preparation.weight());
    let Prepared { data: test, counts, .. } = source.like(&rows.train)?;
    remark_on_missing(&counts, common);
    if test.outputs() == 0 {
        return Err(no_targets(path, "--test-labels"));
    }
    Ok(test)
}
