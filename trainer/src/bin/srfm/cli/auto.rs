//! `srfm fit --method auto`: its options, and what it says of the search.

use std::fmt;
use std::time::Duration;

use crate::report::{describe, percent, significant};
use serde::Serialize;
use srfm_trainer::export::NumberFormat;
use srfm_trainer::fit::{Fit, FitConfig};
use srfm_trainer::search::budget::Budget;
use srfm_trainer::search::{Found, SearchConfig, Tried};

use crate::cli::failure::Failure;
use crate::cli::settings::parse_time;

/// Most features where nothing limits them, and where a budget does.
const FEATURES: usize = 100;
const FEATURES_IN_BUDGET: usize = 1000;

/// The options of the search alone.
#[derive(clap::Args)]
pub struct Args {
    /// Time after which auto tries nothing more, in seconds or with s, m or h; a search that it cuts short can end elsewhere
    /// in another run. Kilobytes of flash without --instructions are searched for in parts, small models first, of which the
    /// last has two thirds of the time [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    time: Option<Duration>,
    /// Most inputs that the model of auto looks at: the others need not be on the board
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    max_inputs: Option<u16>,
    /// Of the models that auto tried and whose error is within a standard error of the least, take the smallest
    #[arg(long)]
    one_standard_error: bool,
}

impl Args {
    /// Refuses the options for any other method.
    pub fn refuse(&self) -> Result<(), Failure> {
        let given = [
            ("--time", self.time.is_some()),
            ("--max-inputs", self.max_inputs.is_some()),
            ("--one-standard-error", self.one_standard_error),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((option, _)) => {
                Err(Failure::usage(format!("{option} is for --method auto alone; leave one of them out")))
            }
            None => Ok(()),
        }
    }

    /// What to search for.
    pub fn config(
        &self,
        fit: FitConfig,
        numbers: Vec<NumberFormat>,
        budget: Budget,
        features: Option<usize>,
        terms: bool,
    ) -> SearchConfig {
        let usual = if budget == Budget::default() { FEATURES } else { FEATURES_IN_BUDGET };
        SearchConfig {
            terms: terms.then_some(fit.method.tunable().terms),
            fit,
            numbers,
            budget,
            features: features.unwrap_or(usual),
            inputs: self.max_inputs.map(usize::from),
            one_standard_error: self.one_standard_error,
            time: self.time.unwrap_or(Duration::from_secs(60)),
        }
    }
}

/// What a search did.
#[derive(Serialize)]
pub struct Report {
    /// Candidates that were tried.
    tried: usize,
    /// Rows that they were compared on.
    rows: usize,
    /// Whether it came to its end before its time did.
    complete: bool,
    /// The best of each method, and of those the best first.
    best: Vec<Best>,
    /// Inputs that the model does not look at.
    left_out: Vec<String>,
    /// The warps of the inputs that have one: name and warp.
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
    /// At most.
    flash_bytes: usize,
    /// At most, on the core; null where there is no bound or no budget of instructions.
    instructions: Option<u32>,
}

impl Report {
    /// The model and what the search for it did.
    pub fn of(found: Found) -> (Fit, Option<Report>) {
        let Found { fit, chosen, tried, rows, complete } = found;
        let names = &fit.model.input_names;
        let mut best: Vec<&Tried> = Vec::new();
        for candidate in tried.iter().filter(|tried| tried.score.mse.is_finite() && !tried.scout) {
            if best.iter().all(|other| other.candidate.method.name() != candidate.candidate.method.name()) {
                best.push(candidate);
            }
        }
        let warped = chosen.candidate.warps.iter().zip(names).filter(|(warp, _)| **warp != Default::default());
        let report = Report {
            tried: tried.len(),
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
    fn of(tried: &Tried) -> Best {
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
        let ended = if self.complete { "" } else { "; its time was over before its end, see --time" };
        writeln!(f, "search        {} candidates on {} rows{ended}; the best of each method:", self.tried, self.rows)?;
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
