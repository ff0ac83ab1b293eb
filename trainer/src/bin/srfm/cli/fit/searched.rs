//! The report of a search.

use std::fmt;

use serde::Serialize;
use srfm_trainer::Fit;
use srfm_trainer::search::{Found, Trial};

use crate::report::{counted, describe, percent, significant};

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
    /// Inputs that the model does not use.
    left_out: Vec<String>,
    /// Name and warp of each warped input.
    warps: Vec<(String, &'static str)>,
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
    /// Upper bound on the core; null without a bound or without an instruction budget.
    instructions: Option<u32>,
}

impl Report {
    /// Splits the result of a search into the model and the report.
    pub fn of(found: Found) -> (Fit, Option<Report>) {
        let Found { fit, chosen, trials, rows, complete } = found;
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
            left_out: chosen.candidate.without.iter().map(|&input| names[input].clone()).collect(),
            warps: warped.map(|(warp, name)| (name.clone(), warp.name())).collect(),
        };
        (fit, Some(report))
    }
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
        let ended = if self.complete { "" } else { "; stopped by its time limit, see --time" };
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
        if !self.warps.is_empty() {
            let warps: Vec<String> = self.warps.iter().map(|(name, warp)| format!("{warp} of {name}")).collect();
            writeln!(f, "warps         {}", warps.join(", "))?;
        }
        if self.left_out.is_empty() { Ok(()) } else { writeln!(f, "not needed    {}", self.left_out.join(", ")) }
    }
}
