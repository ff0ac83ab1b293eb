//! The trials of a search: error against flash, and against instructions on every core.

use maud::{Markup, html};
use srfm_trainer::cost::Core;
use srfm_trainer::search::{Found, Trial};

use crate::report::candidate::describe;
use crate::report::chart::{Axis, Chart, Extras, Mark, Series};
use crate::report::page::side_by_side;
use crate::report::text::{percent, significant};

/// The number of methods whose trials have colours of their own, beside the front.
const METHODS: usize = 5;

/// A model of the Pareto front.
struct FrontModel {
    flash_bytes: f64,
    error: f64,
    description: String,
    /// Bounds of instructions.
    instructions: Vec<(Core, u32)>,
}

/// What a page shows of a search.
pub struct SearchView {
    /// Flash and error of the trials of each method.
    trials: Vec<(&'static str, Vec<(f64, f64)>)>,
    front: Vec<FrontModel>,
    chosen: (f64, f64),
    of_classes: bool,
    baselines: Vec<(f64, f64)>,
}

/// Returns the error of a trial: the error rate of classes, else the RMSE in standard deviations of the target.
fn error(trial: &Trial) -> f64 {
    trial.score.error_rate.unwrap_or(trial.score.mse.sqrt())
}

impl SearchView {
    /// Keeps what the page shows.
    pub fn of(found: &Found) -> SearchView {
        let mut trials: Vec<(&'static str, Vec<(f64, f64)>)> = Vec::new();
        for trial in found.trials.iter().filter(|trial| trial.score.mse.is_finite() && trial.flash_bytes < usize::MAX) {
            let (name, point) = (trial.candidate.method.name(), (trial.flash_bytes as f64, error(trial)));
            match trials.iter_mut().find(|(other, _)| *other == name) {
                Some((_, points)) => points.push(point),
                None => trials.push((name, vec![point])),
            }
        }
        let front = found.front.iter().map(|(trial, instructions)| FrontModel {
            flash_bytes: trial.flash_bytes as f64,
            error: error(trial),
            description: describe(&trial.candidate),
            instructions: instructions.clone(),
        });
        SearchView {
            trials,
            front: front.collect(),
            chosen: (found.fit.blob.bytes().len() as f64, error(&found.chosen)),
            of_classes: found.chosen.score.error_rate.is_some(),
            baselines: found.baselines.iter().map(|entry| (entry.flash_bytes as f64, entry.error())).collect(),
        }
    }

    fn unit(&self) -> &'static str {
        if self.of_classes { "error rate" } else { "RMSE, standard deviations" }
    }

    /// Returns the charts and the table of the front.
    pub fn html(&self) -> Markup {
        let text = |error: f64| if self.of_classes { percent(error) } else { significant(error) };
        html! {
            p {
                "Candidates of the search by cross-validation. The ring is the model of this page. "
                "Polynomials and tables are plain functions, whose flash includes their code."
            }
            (side_by_side([self.flash().figure(), self.instructions().figure()]))
            div class="wide" { table {
                tr { th { "Pareto front" } th { "error" } th { "flash, bytes, at most" } }
                @for model in &self.front {
                    tr {
                        td { (model.description) } td { (text(model.error)) } td { (model.flash_bytes) }
                    }
                }
            } }
        }
    }

    /// Returns the chart of error against flash.
    fn flash(&self) -> Chart {
        let mut series: Vec<Series> = Vec::new();
        for (name, points) in &self.trials {
            match series.get_mut(METHODS - 1) {
                Some(last) => {
                    last.points.extend(points);
                    "other methods".clone_into(&mut last.name);
                }
                None => series.push(Series { name: (*name).to_owned(), points: points.clone() }),
            }
        }
        series.push(Series { name: "polynomials and tables".to_owned(), points: self.baselines.clone() });
        let values: Vec<(f64, f64)> = series.iter().flat_map(|series| series.points.iter().copied()).collect();
        Chart {
            name: String::new(),
            title: "Error against flash".to_owned(),
            x: Axis::fitting("bytes of flash, upper bound", values.iter().map(|point| point.0)),
            y: Axis::fitting(self.unit(), values.iter().map(|point| point.1)),
            mark: Mark::Dots,
            series,
            extras: Extras {
                guide: self.front.iter().map(|model| (model.flash_bytes, model.error)).collect(),
                ring: Some(self.chosen),
                ..Extras::default()
            },
        }
    }

    /// Returns the chart of error against instructions: a line for every group of cores with the same counts.
    fn instructions(&self) -> Chart {
        let mut series: Vec<Series> = Vec::new();
        for core in Core::ALL {
            let bound = |model: &FrontModel| {
                let (_, bound) = model.instructions.iter().find(|(other, _)| *other == core)?;
                Some((f64::from(*bound), model.error))
            };
            let mut points: Vec<(f64, f64)> = self.front.iter().filter_map(bound).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            match series.iter_mut().find(|other| other.points == points) {
                Some(same) => same.name += &format!(", {core}"),
                None => series.push(Series { name: core.to_string(), points }),
            }
        }
        series.retain(|series| !series.points.is_empty());
        let values: Vec<(f64, f64)> = series.iter().flat_map(|series| series.points.iter().copied()).collect();
        Chart {
            name: String::new(),
            title: "The front of flash: error against instructions".to_owned(),
            x: Axis::fitting("instructions, upper bound", values.iter().map(|point| point.0)),
            y: Axis::fitting(self.unit(), values.iter().map(|point| point.1)),
            mark: Mark::Lines,
            series,
            extras: Extras::default(),
        }
    }
}
