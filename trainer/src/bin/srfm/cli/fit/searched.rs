//! The report of a search.

use std::fmt;

use serde::Serialize;
use srfm_trainer::Fit;
use srfm_trainer::search::{Budget, Entry, Found, Instructions, Trial};

use crate::cli::fit::left_over::LeftOver;
use crate::report::{SearchView, counted, describe, percent, significant};

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
    /// The best polynomial and the best table within the budget, with their code; empty for classes.
    baselines: Vec<Baseline>,
    /// The name of a baseline within the budget whose error is lower than that of the model; null if there is none.
    better_baseline: Option<String>,
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

/// The best candidate of a method.
#[derive(Serialize)]
struct Best {
    candidate: String,
    method: &'static str,
    features: usize,
    cross_validated_rmse: f64,
    cross_validated_error_rate: Option<f64>,
    /// Upper bound.
    flash_bytes: usize,
    /// Upper bound on the core; null without an instruction budget.
    instructions: Option<u32>,
}

/// A baseline that a user would otherwise write by hand.
#[derive(Serialize)]
struct Baseline {
    method: String,
    coefficients: usize,
    cross_validated_rmse: f64,
    /// Coefficients and code.
    flash_bytes: usize,
    instructions: Option<u32>,
}

impl Report {
    /// Splits the result of a search into the model and the report.
    pub fn of(found: Found, budget: &Budget) -> (Fit, Option<Report>, Option<SearchView>) {
        let (view, left_over) = (SearchView::of(&found), LeftOver::of(&found, budget));
        let Found { fit, chosen, compared_features, trials, baselines, rows, complete, .. } = found;
        let baselines = best_baselines(baselines, budget);
        let better = baselines.iter().find(|baseline| baseline.cross_validated_rmse < chosen.score.mse.sqrt());
        let names = &fit.model.input_names;
        let mut best: Vec<&Trial> = Vec::new();
        for candidate in trials.iter().filter(|trial| trial.score.mse.is_finite() && !trial.over_budget) {
            if best.iter().all(|other| other.candidate.method.name() != candidate.candidate.method.name()) {
                best.push(candidate);
            }
        }
        let warped = chosen.candidate.warps.iter().zip(names).filter(|(warp, _)| **warp != Default::default());
        let report = Report {
            tried: trials.len(),
            rows,
            complete,
            best: best.into_iter().map(Best::of).collect(),
            better_baseline: better.map(|baseline| baseline.method.clone()),
            baselines,
            refit: Some(Refit { candidate_features: compared_features, features: fit.blob.model().features() })
                .filter(|refit| refit.features < refit.candidate_features),
            left_over,
            left_out: chosen.candidate.without.iter().map(|&input| names[input].clone()).collect(),
            warps: warped.map(|(warp, name)| (name.clone(), warp.name())).collect(),
        };
        (fit, Some(report), Some(view))
    }
}

/// Returns the best baseline of each name within the budget, lowest error first.
fn best_baselines(mut all: Vec<Entry>, budget: &Budget) -> Vec<Baseline> {
    all.retain(|entry| budget.flash.is_none_or(|flash| entry.flash_bytes <= flash));
    let over = |entry: &Entry, most: &Instructions| entry.instructions.is_none_or(|needed| needed > most.at_most);
    all.retain(|entry| budget.instructions.as_ref().is_none_or(|most| !over(entry, most)));
    all.sort_by(|a, b| a.error().total_cmp(&b.error()));
    let mut best: Vec<Baseline> = Vec::new();
    for entry in all {
        if entry.error().is_finite() && best.iter().all(|other| other.method != entry.method) {
            best.push(Baseline {
                cross_validated_rmse: entry.error(),
                coefficients: entry.features,
                flash_bytes: entry.flash_bytes,
                instructions: entry.instructions,
                method: entry.method,
            });
        }
    }
    best
}

impl Best {
    fn of(tried: &Trial) -> Best {
        Best {
            candidate: describe(&tried.candidate),
            method: tried.candidate.method.name(),
            features: tried.candidate.method.tunable().features,
            cross_validated_rmse: tried.score.mse.sqrt(),
            cross_validated_error_rate: tried.score.error_rate,
            flash_bytes: tried.flash_bytes,
            instructions: tried.instructions,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ended = if self.complete { "" } else { "; stopped by its limit, see --effort and --time" };
        writeln!(
            f,
            "search        {} on {}{ended}; the best of each method:",
            counted(self.tried, "candidate"),
            counted(self.rows, "row")
        )?;
        for best in &self.best {
            let error = match best.cross_validated_error_rate {
                Some(rate) => format!("accuracy {}", percent(1.0 - rate)),
                None => format!("RMSE {}", significant(best.cross_validated_rmse)),
            };
            let instructions = best.instructions.map_or(String::new(), |n| format!(", {n} instructions"));
            writeln!(f, "              {error}, at most {} bytes{instructions}: {}", best.flash_bytes, best.candidate)?;
        }
        for baseline in &self.baselines {
            let (error, bytes) = (significant(baseline.cross_validated_rmse), baseline.flash_bytes);
            let instructions = baseline.instructions.map_or(String::new(), |n| format!(", {n} instructions"));
            let coefficients = counted(baseline.coefficients, "coefficient");
            let name = &baseline.method;
            writeln!(f, "              RMSE {error}, {bytes} bytes with code{instructions}: {name} of {coefficients}")?;
        }
        if let Some(better) = &self.better_baseline {
            writeln!(f, "baseline      a {better} within the budget has a lower error than the model: consider it")?;
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
