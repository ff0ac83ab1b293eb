//! The errors of cross-validation in the report of a fit.

use serde::Serialize;
use srfm_trainer::Conditions;
use srfm_trainer::data::Splitter;
use srfm_trainer::validate::{ClassLoss, Score};

use crate::report::CrossValidation;

/// The errors of cross-validation.
#[derive(Serialize)]
pub struct Validation {
    pub split: Splitter,
    pub folds: usize,
    /// The number of rows that were tested.
    pub rows: usize,
    /// Root mean squared error in units of the target; null for classes.
    pub rmse: Option<f64>,
    /// The same in the fold of the largest error.
    pub largest_rmse: Option<f64>,
    /// Share of misclassified rows; null for quantities.
    pub error_rate: Option<f64>,
    /// The loss that classes are chosen by: the error rate, one less the balanced accuracy, the log loss or the Brier
    /// score; null for quantities.
    pub loss: Option<f64>,
    #[serde(skip)]
    pub class_loss: Option<ClassLoss>,
    /// Whether rows count by weights, their own or those of their classes; left out where they count alike.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub weighted: bool,
    /// Whether the residuals of neighbouring rows correlate, so that the error on later rows may be larger.
    #[serde(skip)]
    pub neighbours_correlate: bool,
}

impl Validation {
    pub fn of(score: &Score, conditions: &Conditions, weighted: bool) -> Validation {
        Validation {
            split: conditions.split,
            folds: conditions.folds,
            rows: score.rows,
            rmse: score.error_rate.is_none().then_some(score.rmse),
            largest_rmse: score.error_rate.is_none().then_some(score.largest_rmse),
            error_rate: score.error_rate,
            loss: score.class_loss.map(|of_metric| of_metric.loss),
            class_loss: score.class_loss,
            weighted,
            neighbours_correlate: score.neighbours_correlate(),
        }
    }

    /// Returns what the page shows; `deviations` is the error in standard deviations of the target.
    pub fn on_page(&self, deviations: Option<f64>) -> CrossValidation {
        let Validation { split, folds, rows, rmse, error_rate, .. } = *self;
        CrossValidation { split, folds, rows, rmse, error_rate, deviations: deviations.filter(|_| rmse.is_some()) }
    }
}
