//! The rows of a request: those to fit, and those that are held out.

use crate::data::{Counts, DataError, Dataset, Description, Prepared, Source, Splitter};
use crate::message::setting::{GROUP, SPLIT, STEP};
use crate::message::{Message, message};
use crate::request::{Request, RequestError};
use crate::sampling::Sampler;

/// The random stream of held-out rows, apart from the streams of methods and folds.
const HOLDOUT_STREAM: u64 = 2;

/// The rows of a fit.
#[derive(Clone, Debug)]
pub struct Rows {
    /// The rows to fit. The mean of an input over these rows replaces missing values where the settings say so.
    pub train: Dataset,
    /// The rows to test on, if any are held out. They have the weights of rows without those of classes.
    pub test: Option<Dataset>,
    /// What the rows to fit count without the weights of classes, with a mean of 1; empty where they count alike.
    pub weights: Vec<f64>,
    /// How the columns became inputs.
    pub description: Description,
    /// The numbers of rows and missing values of the file.
    pub counts: Counts,
    /// Whether the inputs probably share a unit, as the pixels of an image do.
    pub share_unit: bool,
}

impl Request {
    /// Reads the columns of a data file.
    ///
    /// # Errors
    /// As [`Source::prepare`].
    pub fn prepare(&self, source: &Source) -> Result<Prepared, DataError> {
        source.prepare(self.columns.kind)
    }

    /// Returns a remark on random folds of rows that share samples with their neighbours; none for other folds and
    /// rows. Rows of groups share none across folds.
    pub fn remark_on_folds(&self, data: &Dataset) -> Option<Message> {
        let history = &data.history;
        let overlaps = history.depth() > history.step() && data.groups.is_empty();
        if self.given.is_some() || self.split != Splitter::Random || !overlaps {
            return None;
        }
        let advice = if history.has_windows() {
            message!("name the recordings in ", GROUP, ", or take a ", STEP, " of a whole window")
        } else {
            message!("take ", SPLIT.with("forward"), " or ", SPLIT.with("blocked"))
        };
        Some(message!("rows share samples with their neighbours, so that random folds promise too much; ", advice))
    }

    /// Returns the rows of arrays, whose missing values are NaN and whose inputs are all columns.
    ///
    /// # Errors
    /// As [`Request::divide`].
    pub fn rows(&self, data: Dataset) -> Result<Rows, RequestError> {
        let targets = if self.columns.targets.is_empty() { &data.output_names } else { &self.columns.targets };
        let description = Description::from_dataset(&data, targets.clone(), &self.columns.preparation);
        self.divide(data, description, Counts::default(), false)
    }

    /// Holds out rows, and replaces missing values.
    ///
    /// # Errors
    /// [`RequestError::Holdout`] for a share that is none, [`RequestError::Split`] for too few rows,
    /// [`RequestError::Weights`] for weights that do not suit the rows or their classes.
    pub fn divide(
        &self,
        data: Dataset,
        mut description: Description,
        counts: Counts,
        share_unit: bool,
    ) -> Result<Rows, RequestError> {
        let weights = data.weights.clone();
        let data = if weights.is_empty() { data } else { data.with_weights(weights).map_err(RequestError::Weights)? };
        let (mut train, mut test) = self.held_out(data)?;
        description.replace_missing(&mut train, test.as_mut());
        let weights = train.row_weights();
        train = train.with_class_weights(&self.columns.class_weights).map_err(RequestError::Weights)?;
        Ok(Rows { train, test, weights, description, counts, share_unit })
    }

    /// Checks the share of the rows that are held out.
    ///
    /// # Errors
    /// [`RequestError::Holdout`].
    pub fn check_holdout(&self) -> Result<(), RequestError> {
        match self.holdout {
            Some(share) if !(share > 0.0 && share < 1.0) => Err(RequestError::Holdout { share }),
            Some(_) | None => Ok(()),
        }
    }

    /// Divides rows into those to fit and those to test on.
    fn held_out(&self, data: Dataset) -> Result<(Dataset, Option<Dataset>), RequestError> {
        self.check_holdout()?;
        let Some(share) = self.holdout else { return Ok((data, None)) };
        let mut sampler = Sampler::stream(self.seed, HOLDOUT_STREAM);
        let split = self.split.holdout(&data, share, &mut sampler)?;
        Ok((data.select(&split.train), Some(data.select(&split.test))))
    }
}
