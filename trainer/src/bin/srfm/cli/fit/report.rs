//! The report of `srfm fit`.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use serde::Serialize;
use srfm_trainer::Fit;
use srfm_trainer::data::Dataset;
use srfm_trainer::model::Importance;
use srfm_trainer::scaling::InputScaling;

use crate::cli::fit::args::Args;
use crate::cli::fit::rows::Rows;
use crate::cli::fit::searched;
use crate::report::{Evaluated, ModelSummary, counted, details, headline, percent, scientific, shares, significant};

/// The result of a fit.
#[derive(Serialize)]
pub struct Report {
    seed: u64,
    /// The number of fitted rows.
    rows: usize,
    /// The number of inputs per feature; null where the method chooses the number.
    order: Option<usize>,
    lambda: Option<f64>,
    /// The scale of the frequencies' distribution; null where the method chooses the scale.
    scale: Option<f64>,
    scaling: InputScaling,
    /// The cross-validated root mean squared error in standard deviations of the target; null without a choice of
    /// settings.
    cross_validated_rmse: Option<f64>,
    /// The cross-validated share of misclassified rows; null for quantities.
    cross_validated_error_rate: Option<f64>,
    /// The largest difference between the device's code and the f64 model over the fitted rows, in units of the target.
    largest_difference: f64,
    /// The largest possible difference for inputs in the range of the fitted rows, one per target; null for f32.
    worst_difference: Option<Vec<f64>>,
    /// The course of the search; null where the method was given.
    search: Option<searched::Report>,
    training: Evaluated,
    /// The errors on the held-out rows, computed with the device's code; null without held-out rows.
    holdout: Option<Evaluated>,
    /// The importance of each input for the outputs, most important first.
    importance: Vec<InputImportance>,
    model: ModelSummary,
    output: Option<PathBuf>,
    seconds: f64,
}

/// An input and its importance.
#[derive(Serialize)]
struct InputImportance {
    input: String,
    #[serde(flatten)]
    importance: Importance,
}

impl Report {
    /// Evaluates a fit on its rows.
    pub fn of(
        args: &Args,
        fit: &Fit,
        search: Option<searched::Report>,
        rows: &Rows,
        scaling: InputScaling,
        started: Instant,
    ) -> Report {
        let evaluate = |data: &Dataset| Evaluated::of(&fit.blob, data);
        let score = fit.tried.iter().find(|(tried, _)| *tried == fit.chosen).map(|(_, score)| score);
        let chosen = fit.chosen.tunable();
        Report {
            seed: args.seed,
            rows: rows.train.rows(),
            order: chosen.order,
            lambda: chosen.lambda,
            scale: chosen.scale,
            scaling,
            cross_validated_rmse: score.map(|score| score.mse.sqrt()),
            cross_validated_error_rate: score.and_then(|score| score.error_rate),
            largest_difference: fit.agreement.largest,
            worst_difference: fit.agreement.worst.clone(),
            search,
            training: evaluate(&rows.train),
            holdout: rows.test.as_ref().map(evaluate),
            importance: importance(fit),
            model: ModelSummary::of(&fit.blob),
            output: args.output.clone(),
            seconds: started.elapsed().as_secs_f64(),
        }
    }
}

/// Returns the inputs by importance. Shares are those of the f64 model over the fitted rows; occurrences count the
/// features of the exported model.
fn importance(fit: &Fit) -> Vec<InputImportance> {
    let (device, host) = (fit.blob.model(), &fit.model);
    let named = host.input_names.iter().zip(&host.importance).enumerate();
    let mut named: Vec<_> = named
        .map(|(i, (input, importance))| InputImportance {
            input: input.clone(),
            importance: Importance { occurrences: device.occurrences(i), ..*importance },
        })
        .collect();
    named.sort_by(|a, b| b.importance.share.total_cmp(&a.importance.share));
    named
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_fit(f)?;
        self.fmt_errors(f)?;
        let inputs = self.importance.iter().map(|i| (&i.input, i.importance.share));
        writeln!(f, "importance    {}", shares(inputs))?;
        write!(f, "{}", self.model)?;
        match &self.output {
            Some(path) => writeln!(f, "written       {}", path.display()),
            None => writeln!(f, "written       nothing; name a file with -o"),
        }
    }
}

impl Report {
    /// Writes the settings and the course of the search.
    fn fmt_fit(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "fitted        {} in {:.1} s, seed {}", counted(self.rows, "row"), self.seconds, self.seed)?;
        let lambda = self.lambda.map_or(String::new(), |lambda| format!(", lambda {}", scientific(lambda)));
        let scale = self.scale.map_or(String::new(), |scale| format!(", scale {scale}"));
        let order = self.order.map_or("all".to_owned(), |order| order.to_string());
        if self.model.features > 0 {
            writeln!(f, "settings      order {order}{lambda}{scale}")?;
        }
        self.search.as_ref().map_or(Ok(()), |search| write!(f, "{search}"))
    }

    /// Writes the errors on the fitted rows, in cross-validation, on held-out rows and of the device's integers.
    fn fmt_errors(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "training      {}", headline(&self.training.evaluation))?;
        match (self.cross_validated_error_rate, self.cross_validated_rmse) {
            (Some(rate), _) => writeln!(f, "validation    accuracy {}", percent(1.0 - rate))?,
            (None, Some(rmse)) => {
                writeln!(f, "validation    RMSE {} standard deviations of the target", significant(rmse))?;
            }
            (None, None) => {}
        }
        if let Some(holdout) = &self.holdout {
            let rows = counted(holdout.evaluation.rows(), "row");
            writeln!(f, "holdout       {}, {rows}", headline(&holdout.evaluation))?;
        }
        if let Some((holdout, level)) = self.holdout.as_ref().and_then(|holdout| Some((holdout, holdout.level?))) {
            let coverage: Vec<String> = holdout.coverage.iter().map(|&share| percent(share)).collect();
            writeln!(f, "coverage      {} of the holdout in intervals of {:.0} %", coverage.join(", "), 100.0 * level)?;
        }
        let shown = self.holdout.as_ref().unwrap_or(&self.training);
        write!(f, "{}", details(&shown.evaluation))?;
        if let Some(worst) = self.worst_difference.as_ref().and_then(|worst| worst.iter().copied().reduce(f64::max)) {
            let (largest, worst) = (significant(self.largest_difference), significant(worst));
            writeln!(f, "integers      off by at most {largest} on the rows; {worst} is possible in their range")?;
        }
        Ok(())
    }
}
