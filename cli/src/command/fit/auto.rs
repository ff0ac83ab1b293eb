//! The options of `srfm fit --method auto`.

use std::time::Duration;

use srfm_trainer::FitConfig;
use srfm_trainer::cost::Budget;
use srfm_trainer::export::NumberFormat;
use srfm_trainer::search::SearchConfig;

use crate::failure::Failure;
use crate::headings::METHOD;
use crate::values::parse_time;

/// Reads a number of units.
fn parse_effort(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(units) if (1e-3..=1e9).contains(&units) => Ok(units),
        _ => Err("expected a number of units from 0.001 to 1e9, such as 60".to_owned()),
    }
}

/// The options of the search.
#[derive(clap::Args)]
pub struct AutoArgs {
    /// Work of the search: a unit takes about a second of one core. The same data, settings and seed give the same
    /// model on every x86-64 processor. A flash budget above 512 bytes has stages of 512 bytes, 2 KB and so on with
    /// this effort each. Twice the effort begins with the same trials [default: 20, or none with --time]
    #[arg(long, value_name = "UNITS", value_parser = parse_effort, help_heading = METHOD)]
    effort: Option<f64>,
    /// Time limit of the search, in seconds or with s, m or h. A search that reaches the limit may find another model
    /// in another run, which --effort avoids. Without --effort, the last stage of a flash budget has three quarters of
    /// the time [default: none]
    #[arg(long, value_name = "TIME", value_parser = parse_time, help_heading = METHOD)]
    time: Option<Duration>,
    /// Largest number of inputs that the model of auto uses; the board does not need the other inputs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = METHOD)]
    max_inputs: Option<u16>,
    /// Choose the smallest model whose error is within one standard error of the lowest that auto found
    #[arg(long, help_heading = METHOD)]
    one_standard_error: bool,
}

impl AutoArgs {
    /// Refuses the options; for any method other than auto.
    pub fn refuse(&self) -> Result<(), Failure> {
        let given = [
            ("--effort", self.effort.is_some()),
            ("--time", self.time.is_some()),
            ("--max-inputs", self.max_inputs.is_some()),
            ("--one-standard-error", self.one_standard_error),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((option, _)) => {
                Err(Failure::usage(format!("{option} works with --method auto only; leave one of the two options out")))
            }
            None => Ok(()),
        }
    }

    /// Returns the settings of the search; without `numbers`, the usual number formats.
    pub fn config(
        &self,
        fit: FitConfig,
        numbers: Option<Vec<NumberFormat>>,
        budget: Budget,
        features: Option<usize>,
        terms: bool,
    ) -> SearchConfig {
        let terms = terms.then_some(fit.method.tunable().terms);
        let usual = SearchConfig::new(fit.conditions(), budget);
        SearchConfig {
            terms,
            numbers: numbers.unwrap_or(usual.numbers),
            features: features.unwrap_or(usual.features),
            inputs: self.max_inputs.map(usize::from),
            one_standard_error: self.one_standard_error,
            time: self.time.unwrap_or(usual.time),
            effort: self.effort.or(usual.effort.filter(|_| self.time.is_none())),
            ..usual
        }
    }
}
