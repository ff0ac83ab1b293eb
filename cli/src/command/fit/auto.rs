//! The options of `srfm fit --method auto`.

use std::time::Duration;

use srfm_trainer::request::Request;

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
    /// Work of the whole search: a unit takes about a second of one core. The same data, settings and seed give the
    /// same model on every tested platform. More effort begins with the same trials [default: 5, or none with --time]
    #[arg(long, value_name = "UNITS", value_parser = parse_effort, help_heading = METHOD)]
    effort: Option<f64>,
    /// Time limit of the search, in seconds or with s, m or h. A search that reaches the limit may find another model
    /// in another run, which --effort avoids [default: none]
    #[arg(long, value_name = "TIME", value_parser = parse_time, help_heading = METHOD)]
    time: Option<Duration>,
    /// Largest number of inputs that the model of auto uses; the board does not need the other inputs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = METHOD)]
    max_inputs: Option<u16>,
    /// Choose the smallest model whose error is within one standard error of the lowest that auto found
    #[arg(long, help_heading = METHOD)]
    one_standard_error: bool,
    /// Choose a model without edges, as control loops need: auto tries no rules
    #[arg(long, help_heading = METHOD)]
    smooth: bool,
}

impl AutoArgs {
    /// Sets the limits of the search.
    pub fn set(&self, request: &mut Request) {
        let search = &mut request.search;
        if self.effort.is_some() {
            search.effort = self.effort;
        }
        if self.time.is_some() {
            search.time = self.time;
        }
        if self.max_inputs.is_some() {
            search.max_inputs = self.max_inputs.map(usize::from);
        }
        search.one_standard_error |= self.one_standard_error;
        search.smooth |= self.smooth;
    }
}
