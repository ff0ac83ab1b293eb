//! The report of `srfm fit`.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Serialize;
use srfm_trainer::cost::Footprint;
use srfm_trainer::data::{ClassWeights, Counts, Dataset, Splitter};
use srfm_trainer::model::Importance;
use srfm_trainer::request::{Deploy, Request, Rows};
use srfm_trainer::scaling::InputScaling;
use srfm_trainer::validate::Metric;
use srfm_trainer::{Conditions, FalseAlarms, Fit};

use crate::command::fit::args::Args;
use crate::command::fit::rows::Read;
use crate::command::fit::searched;
use crate::command::fit::validation::Validation;
use crate::origin::Origin;
use crate::report::{
    Evaluated, ModelPage, ModelSummary, Part, SearchView, Timing, certain, class_figure, counted, details, headline,
    held_out_by, percent, scientific, shares, significant,
};

/// The name of held-out rows.
const HOLDOUT: &str = "holdout";

/// The result of a fit.
#[derive(Serialize)]
pub struct Report {
    seed: u64,
    /// The names of the target columns.
    targets: Vec<String>,
    /// The number of fitted rows.
    rows: usize,
    /// The column of what rows count; left out where they count alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    weight: Option<String>,
    #[serde(skip)]
    has_class_weights: bool,
    /// The number of rows of the sample that the features were chosen on; null where these are all fitted rows.
    sample: Option<usize>,
    /// The rows of the data file.
    data: Counts,
    /// The number of inputs per feature; null where the method chooses the number.
    order: Option<usize>,
    /// Whether the method has no number of inputs that all its features have.
    #[serde(skip)]
    has_room: bool,
    lambda: Option<f64>,
    /// The scale of the frequencies' distribution; null where the method chooses the scale.
    scale: Option<f64>,
    scaling: InputScaling,
    /// How rows were divided into folds and held-out rows.
    split: Splitter,
    /// What candidates for classes are chosen by; null for quantities.
    metric: Option<Metric>,
    /// The cross-validated RMSE in standard deviations of the target; null without a choice of settings.
    cross_validated_rmse: Option<f64>,
    /// The cross-validated share of misclassified rows; null for quantities.
    cross_validated_error_rate: Option<f64>,
    /// The errors on rows that the fits of the folds left out; null without a choice of settings.
    validation: Option<Validation>,
    /// The correlation of the residuals of neighbouring rows; null where folds keep neighbours together, for classes,
    /// and without a choice of settings.
    residual_autocorrelation: Option<f64>,
    /// The largest difference between the device's code and the f64 model over the fitted rows, in units of the target.
    largest_difference: f64,
    /// The largest possible difference for inputs in the range of the fitted rows, one per target; null for f32.
    worst_difference: Option<Vec<f64>>,
    /// The course of the search; null where the method was given.
    search: Option<searched::Report>,
    /// How often normal rows are found novel; left out where the task is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    false_alarms: Option<FalseAlarms>,
    training: Evaluated,
    /// The errors of the device's code on the held-out rows or the rows of a test file; null without such rows.
    holdout: Option<Evaluated>,
    /// The name of these rows.
    #[serde(skip)]
    tested: &'static str,
    /// The importance of each input for the outputs, most important first.
    importance: Vec<InputImportance>,
    model: ModelSummary,
    /// The program that `--deploy` names; null for a model file.
    program: Option<Footprint>,
    /// The time of a prediction by the program in C; null where the clock or the cycles are not known.
    timing: Option<Timing>,
    /// What the flash budget counts; none without one.
    #[serde(skip)]
    budget: Option<String>,
    /// What the model takes as generated C on the core; none where that is not known, and where it is the program.
    #[serde(skip)]
    as_c: Option<Footprint>,
    output: Option<PathBuf>,
    /// The files of the features, of the C source and of the page; null where none was asked for.
    features_file: Option<PathBuf>,
    c: Option<PathBuf>,
    page: Option<PathBuf>,
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
        request: &Request,
        fit: &Fit,
        (search, program): (Option<searched::Report>, Option<Footprint>),
        read: &Read,
        conditions: &Conditions,
        started: Instant,
    ) -> Report {
        let rows = &read.rows;
        let evaluate = |data: &Dataset, weights: &[f64]| Evaluated::of(&fit.blob, data, weights);
        let score = fit.score();
        let chosen = fit.chosen.tunable();
        let has_room = fit.chosen.method().room().is_some();
        let targets = &rows.description.targets;
        let mut summary = ModelSummary::of(&fit.blob).named(fit.model.input_names.clone(), targets.clone());
        summary.ram_bytes = program.as_ref().map_or(summary.ram_bytes, |program| program.ram_bytes);
        Report {
            seed: request.seed,
            targets: targets.clone(),
            rows: read.fitted(),
            weight: request.columns.preparation.weight().map(str::to_owned),
            has_class_weights: request.columns.class_weights != ClassWeights::Equal,
            sample: read.large.as_ref().map(|_| rows.train.rows()),
            data: rows.counts.clone(),
            order: chosen.order.filter(|_| !has_room),
            has_room,
            lambda: chosen.lambda,
            scale: chosen.scale,
            scaling: conditions.preprocessing.scaling.unwrap_or_default(),
            split: conditions.split,
            metric: (!rows.train.classes.is_empty() && fit.false_alarms.is_none())
                .then(|| conditions.metric.unwrap_or_default()),
            cross_validated_rmse: score.map(|score| score.standardised_mse.sqrt()),
            cross_validated_error_rate: score.and_then(|score| score.error_rate),
            validation: score.map(|score| Validation::of(score, conditions, !rows.train.weights.is_empty())),
            // Rows of novelty are normal ones, then rows around them.
            residual_autocorrelation: score
                .filter(|_| fit.false_alarms.is_none())
                .and_then(|score| score.residual_autocorrelation),
            largest_difference: fit.agreement.largest,
            worst_difference: fit.agreement.worst.clone(),
            search,
            false_alarms: fit.false_alarms,
            training: evaluate(&rows.train, &rows.weights),
            holdout: rows.test.as_ref().map(|test| evaluate(test, &test.weights)),
            tested: if args.test.is_some() { "test" } else { HOLDOUT },
            importance: importance(fit),
            budget: budget(request),
            as_c: as_c(request, &summary),
            timing: timing(request, &summary),
            model: summary,
            program,
            output: args.output.clone(),
            features_file: args.features.clone(),
            c: args.c.clone(),
            page: args.report.clone(),
            seconds: started.elapsed().as_secs_f64(),
        }
    }

    /// Returns the page of the fit.
    pub fn page<'a>(
        &'a self,
        args: &Args,
        fit: &'a Fit,
        rows: &'a Rows,
        search: Option<&'a SearchView>,
    ) -> ModelPage<'a> {
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let part = |name, detail, data, evaluated| Part { name, detail, data, evaluated };
        let training = part("training", String::new(), &rows.train, &self.training);
        let tested = rows.test.as_ref().zip(self.holdout.as_ref()).map(|(data, evaluated)| match &args.test {
            Some(file) => part("test", name(file), data, evaluated),
            None => part("held-out", held_out_by(self.split), data, evaluated),
        });
        ModelPage {
            title: name(&args.data),
            file: args.output.as_deref().map_or("model.srfm".to_owned(), name),
            blob: &fit.blob,
            parts: [training].into_iter().chain(tested).collect(),
            host: Some(&fit.model),
            validation: self.validation.as_ref().map(|v| v.on_page(self.cross_validated_rmse)),
            search,
        }
    }

    /// Adds the errors of the fit to its origin.
    pub fn add_errors(&self, origin: &mut Origin) {
        // The error on the sample is not that on all fitted rows.
        origin.add(if self.sample.is_some() { "sample" } else { "training" }, &self.training.evaluation);
        if let Some(test) = &self.holdout {
            origin.add(self.tested, &test.evaluation);
        }
        origin.weight.clone_from(&self.weight);
        let held_out = self.holdout.is_some() && self.tested == HOLDOUT;
        origin.split = (held_out || self.validation.is_some()).then_some(self.split);
        let Some(validation) = &self.validation else { return };
        let errors = [("RMSE", validation.rmse), ("accuracy", validation.error_rate.map(|rate| 1.0 - rate))];
        let errors = errors.into_iter().filter_map(|(what, value)| Some((format!("validation {what}"), value?)));
        origin.errors.extend(errors);
    }
}

/// Returns what the flash budget counts.
fn budget(request: &Request) -> Option<String> {
    let flash = request.device.flash()?;
    Some(match request.device.deploy() {
        Deploy::C => format!("{flash} bytes of flash for the program in C"),
        Deploy::Rust => format!("{flash} bytes of flash for the program in Rust"),
        Deploy::File => format!("{flash} bytes of flash for the model file; --deploy c counts the program in C"),
    })
}

/// Returns what the model takes as generated C on the core of the command, unless this is the program of `--deploy`.
fn as_c(request: &Request, model: &ModelSummary) -> Option<Footprint> {
    in_c(request, model).filter(|_| request.device.deploy() != Deploy::C).cloned()
}

/// Returns what the model takes as generated C on the core of the command.
fn in_c<'a>(request: &Request, model: &'a ModelSummary) -> Option<&'a Footprint> {
    let core = request.device.core().name();
    model.programs.iter().find(|program| program.core == core)
}

/// Returns the time of a prediction by the program in C.
fn timing(request: &Request, model: &ModelSummary) -> Option<Timing> {
    Timing::of(in_c(request, model)?, request.device.board, request.device.clock)
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
        writeln!(f, "importance    {} of the variation of the predictions", shares(inputs))?;
        write!(f, "{}", self.model)?;
        if let Some(budget) = &self.budget {
            writeln!(f, "budget        {budget}")?;
        }
        if let Some(program) = &self.program {
            writeln!(f, "program       {program}")?;
        }
        if let Some(program) = &self.as_c {
            writeln!(f, "as C          {program}")?;
        }
        if let Some(timing) = &self.timing {
            writeln!(f, "time          {timing}")?;
        }
        let files = [&self.output, &self.features_file, &self.c, &self.page].into_iter().flatten();
        let written: Vec<String> = files.map(|path| path.display().to_string()).collect();
        match written.is_empty() {
            true => writeln!(f, "written       nothing; name a file with -o"),
            false => writeln!(f, "written       {}", written.join(", ")),
        }
    }
}

impl Report {
    /// Writes the settings and the course of the search.
    fn fmt_fit(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sample = self.sample.map_or(String::new(), |rows| format!(", features from a sample of {rows}"));
        let rows = counted(self.rows, "row");
        writeln!(f, "fitted        {rows} in {:.1} s, seed {}{sample}", self.seconds, self.seed)?;
        if let Some(weight) = &self.weight {
            writeln!(f, "weights       all errors and shares count rows by the column {weight:?}")?;
        }
        let order = self.order.map_or("order all".to_owned(), |order| format!("order {order}"));
        let order = (!self.has_room).then_some(order);
        let lambda = self.lambda.map(|lambda| format!("lambda {}", scientific(lambda)));
        let scale = self.scale.map(|scale| format!("scale {scale}"));
        let settings: Vec<String> = [order, lambda, scale].into_iter().flatten().collect();
        if self.model.features > 0 && !settings.is_empty() {
            writeln!(f, "settings      {}", settings.join(", "))?;
        }
        self.search.as_ref().map_or(Ok(()), |search| write!(f, "{search}"))
    }

    /// Writes the errors of cross-validation, and what speaks against random folds.
    fn fmt_validation(&self, f: &mut fmt::Formatter<'_>, validation: &Validation) -> fmt::Result {
        let of_metric = validation.class_loss.filter(|of_metric| of_metric.metric != Metric::Accuracy);
        let of_metric = of_metric.map_or(String::new(), |of_metric| class_figure(&of_metric, false) + ", ");
        let by_weights = if self.has_class_weights { " by class weights" } else { "" };
        let error = match (validation.error_rate, validation.rmse, self.cross_validated_rmse) {
            (Some(rate), ..) => format!("{of_metric}accuracy {}{by_weights}", percent(1.0 - rate)),
            (_, Some(rmse), Some(share)) => {
                format!("RMSE {}, {} standard deviations of the target", significant(rmse), significant(share))
            }
            _ => String::new(),
        };
        let folds = match (validation.split, validation.largest_rmse) {
            (Splitter::Random, _) if validation.rows == self.rows => String::new(),
            (Splitter::Random, _) => format!(", tested on {} in random folds", counted(validation.rows, "row")),
            (split, None) => format!(", {} {} folds", validation.folds, split.name()),
            (split, Some(largest)) => {
                format!(", {} {} folds with up to RMSE {}", validation.folds, split.name(), significant(largest))
            }
        };
        writeln!(f, "validation    {error}{folds}")?;
        match self.residual_autocorrelation.filter(|_| validation.neighbours_correlate) {
            Some(correlation) => writeln!(
                f,
                "neighbours    residuals of successive rows correlate ({correlation:.2}), so that random folds promise \
                 too much; take --split forward for rows in the order of time, or --group for devices and batches"
            ),
            None => Ok(()),
        }
    }

    /// Writes the errors on the fitted rows, in cross-validation, on held-out rows and of the device's integers.
    fn fmt_errors(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of_sample = self.sample.map_or(String::new(), |rows| format!(", {} of the sample", counted(rows, "row")));
        writeln!(f, "training      {}{of_sample}", headline(&self.training.evaluation))?;
        if self.holdout.is_none() {
            write!(f, "{}", details(&self.training.evaluation))?;
        }
        if let Some(validation) = &self.validation {
            self.fmt_validation(f, validation)?;
        }
        if let Some(FalseAlarms { level, rows, found, alike }) = self.false_alarms {
            let level = format!("{:.4}", 100.0 * level);
            let level = level.trim_end_matches('0').trim_end_matches('.');
            let bound = if alike { "at most" } else { "about" };
            writeln!(
                f,
                "false alarms  {bound} {level} % of fresh normal rows; of {} that set the threshold, {found} novel",
                counted(rows, "row")
            )?;
        }
        if let Some(test) = &self.holdout {
            let rows = counted(test.evaluation.rows(), "row");
            writeln!(f, "{:<13} {}, {rows}", self.tested, headline(&test.evaluation))?;
            write!(f, "{}{}", details(&test.evaluation), certain(&test.evaluation))?;
        }
        if let Some((test, level)) = self.holdout.as_ref().and_then(|test| Some((test, test.level?))) {
            let coverage: Vec<String> = test.coverage.iter().map(|&share| percent(share)).collect();
            let (coverage, level) = (coverage.join(", "), 100.0 * level);
            writeln!(f, "coverage      {coverage} of the {} rows in intervals of {level:.0} %", self.tested)?;
        }
        if let Some(worst) = self.worst_difference.as_ref().and_then(|worst| worst.iter().copied().reduce(f64::max)) {
            let (largest, worst) = (significant(self.largest_difference), significant(worst));
            writeln!(f, "integers      off by at most {largest} on the rows; {worst} is possible in their range")?;
        }
        Ok(())
    }
}
