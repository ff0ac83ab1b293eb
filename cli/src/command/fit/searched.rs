//! The report of a search.

use std::fmt;

use serde::Serialize;
use srfm_trainer::Fit;
use srfm_trainer::cost::{Budget, Deployment, Unit};
use srfm_trainer::search::{Found, Trial};
use srfm_trainer::validate::ClassLoss;

use crate::command::fit::left_over::LeftOver;
use crate::report::{Described, SearchView, class_figure, counted, significant};

/// The course of a search.
#[derive(Serialize)]
pub struct Report {
    /// The number of candidates tried.
    tried: usize,
    /// The number of rows that candidates were compared on.
    rows: usize,
    /// Whether the search ended before its time limit.
    complete: bool,
    /// The best candidate of each method, lowest error first.
    best: Vec<Best>,
    /// What the bytes of the candidates are, and what comes before their number.
    #[serde(skip)]
    bytes: (&'static str, &'static str),
    /// The candidate of the model; null where the first of `best` has its method, number format and size.
    chosen: Option<Chosen>,
    /// What the fit to all rows left of the chosen candidate; null where it left all features.
    refit: Option<Refit>,
    /// What the model leaves of the budget of flash; null where it takes most of it.
    left_over: Option<LeftOver>,
    /// Inputs that the model does not use.
    left_out: Vec<String>,
    /// Name and warp of each warped input.
    warps: Vec<(String, &'static str)>,
}

/// A model of fewer features than its candidate, since the fit to all rows kept more weights or lost features.
#[derive(Serialize)]
struct Refit {
    candidate_features: usize,
    features: usize,
}

/// The candidate of the model, where the one of lowest error has another method, number format or size.
#[derive(Serialize)]
struct Chosen {
    candidate: String,
    number: &'static str,
    /// Upper bound.
    flash_bytes: usize,
    /// Whether the candidate of lowest error has another number format.
    #[serde(skip)]
    other_number: bool,
    /// Whether the smallest candidate within one standard error was asked for.
    #[serde(skip)]
    smallest: bool,
}

/// The best candidate of a method.
#[derive(Serialize)]
struct Best {
    candidate: String,
    method: &'static str,
    features: usize,
    cross_validated_rmse: f64,
    cross_validated_error_rate: Option<f64>,
    /// The loss that classes are chosen by; null for quantities.
    cross_validated_loss: Option<f64>,
    #[serde(skip)]
    class_loss: Option<ClassLoss>,
    /// Whether the error is an estimate by one fold, in which another candidate was clearly better.
    estimated: bool,
    /// Upper bound.
    flash_bytes: usize,
    /// Upper bound on the core; null without an instruction budget.
    instructions: Option<u32>,
    /// Upper bound on the core; null without a budget of time.
    cycles: Option<u32>,
}

impl Report {
    /// Splits the result of a search into the model and the report.
    ///
    /// `smallest` says whether the smallest model within one standard error was asked for.
    pub fn of(found: Found, budget: &Budget, smallest: bool) -> (Fit, Option<Report>, Option<SearchView>) {
        let (view, left_over) = (SearchView::of(&found, budget), LeftOver::of(&found, budget));
        let of_file = budget.deployment == Deployment::File;
        let Found { fit, chosen, trials, rows, complete, .. } = found;
        let names = &fit.model.input_names;
        let mut best: Vec<&Trial> = Vec::new();
        // The error of a candidate that one fold ruled out is an estimate. It stands for methods without another.
        let known = |trial: &&Trial| trial.score.standardised_mse.is_finite() && !trial.over_budget;
        let (estimates, certain): (Vec<&Trial>, Vec<&Trial>) = trials.iter().filter(known).partition(|t| t.ruled_out);
        for candidate in certain.into_iter().chain(estimates) {
            if best.iter().all(|other| other.candidate.method.name() != candidate.candidate.method.name()) {
                best.push(candidate);
            }
        }
        let warped = chosen.candidate.warps.iter().zip(names).filter(|(warp, _)| **warp != Default::default());
        let chosen_otherwise = best.first().and_then(|best| Chosen::beside(best, &chosen, names, smallest));
        let report = Report {
            tried: trials.len(),
            rows,
            complete,
            best: best.into_iter().map(|best| Best::of(best, budget, names)).collect(),
            bytes: if of_file { ("bytes of file", "at most") } else { ("bytes with code", "about") },
            chosen: chosen_otherwise,
            refit: Some(Refit { candidate_features: chosen.features, features: fit.blob.model().features() }).filter(
                |refit| refit.features < refit.candidate_features && chosen.candidate.method.method().room().is_none(),
            ),
            left_over,
            left_out: chosen.candidate.without.iter().map(|&input| names[input].clone()).collect(),
            warps: warped.map(|(warp, name)| (name.clone(), warp.name())).collect(),
        };
        (fit, Some(report), Some(view))
    }
}

impl Best {
    fn of(tried: &Trial, budget: &Budget, names: &[String]) -> Best {
        let work = |unit: Unit| tried.work.filter(|_| budget.work.is_some_and(|work| work.unit == unit));
        Best {
            candidate: Described::from(tried).text(names),
            method: tried.candidate.method.name(),
            features: tried.features,
            cross_validated_rmse: tried.score.standardised_mse.sqrt(),
            cross_validated_error_rate: tried.score.error_rate,
            cross_validated_loss: tried.score.class_loss.map(|of_metric| of_metric.loss),
            class_loss: tried.score.class_loss,
            estimated: tried.ruled_out,
            flash_bytes: tried.flash_bytes,
            instructions: work(Unit::Instructions),
            cycles: work(Unit::Cycles),
        }
    }
}

impl Chosen {
    /// Returns the chosen candidate where it differs from the best of the comparison.
    fn beside(best: &Trial, chosen: &Trial, names: &[String], smallest: bool) -> Option<Chosen> {
        let number = chosen.candidate.number;
        let kind = |trial: &Trial| (trial.candidate.method.name(), trial.candidate.number, trial.flash_bytes);
        (kind(chosen) != kind(best)).then(|| Chosen {
            candidate: Described::from(chosen).text(names),
            number: number.name(),
            flash_bytes: chosen.flash_bytes,
            other_number: number != best.candidate.number,
            smallest,
        })
    }
}

impl fmt::Display for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Chosen { candidate, number, flash_bytes, other_number, smallest } = self;
        write!(f, "chosen        {candidate}")?;
        if *other_number && !candidate.contains(number) {
            write!(f, ", {number}")?;
        }
        let reason = match smallest {
            true => "the smallest candidate whose error is within one standard error of the least",
            false => "among the best, errors on other folds and the fit to all rows decide",
        };
        writeln!(f, ", {}: {reason}", counted(*flash_bytes, "byte"))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ended = if self.complete { "" } else { "; stopped by its limit, see --effort and --time" };
        let (tried, rows) = (counted(self.tried, "candidate"), counted(self.rows, "row"));
        let error = match self.best.iter().all(|best| best.class_loss.is_some()) {
            true => "",
            false => "RMSE in standard deviations of the target, ",
        };
        let (bytes, bound) = self.bytes;
        writeln!(f, "search        {tried} on {rows}{ended}; each method's best ({error}{bytes}):")?;
        for best in &self.best {
            let error = match &best.class_loss {
                Some(of_metric) => class_figure(of_metric, best.estimated),
                None if best.estimated => format!("RMSE about {}", significant(best.cross_validated_rmse)),
                None => format!("RMSE {}", significant(best.cross_validated_rmse)),
            };
            let instructions = best.instructions.map(|n| format!(", {n} instructions"));
            let work = instructions.or(best.cycles.map(|n| format!(", {n} cycles"))).unwrap_or_default();
            writeln!(f, "              {error}, {bound} {} bytes{work}: {}", best.flash_bytes, best.candidate)?;
        }
        if let Some(chosen) = &self.chosen {
            write!(f, "{chosen}")?;
        }
        if let Some(Refit { candidate_features, features }) = &self.refit {
            writeln!(
                f,
                "refit         {} on all rows; the candidate had {candidate_features}",
                counted(*features, "feature")
            )?;
        }
        if let Some(left_over) = &self.left_over {
            write!(f, "{left_over}")?;
        }
        if !self.warps.is_empty() {
            let warps: Vec<String> = self.warps.iter().map(|(name, warp)| format!("{warp} of {name}")).collect();
            writeln!(f, "warps         {}", warps.join(", "))?;
        }
        if self.left_out.is_empty() { Ok(()) } else { writeln!(f, "not needed    {}", self.left_out.join(", ")) }
    }
}

#[cfg(test)]
mod tests;
