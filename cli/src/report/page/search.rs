//! The trials of a search: error against flash, and against instructions on every core.

use maud::{Markup, PreEscaped, html};
use srfm_trainer::cost::{Budget, Core, Deployment};
use srfm_trainer::search::{Found, Trial};
use srfm_trainer::validate::{ClassLoss, Metric};

use crate::report::candidate::Described;
use crate::report::chart::{Axis, Chart, Extras, Mark, Series};
use crate::report::class_figure::loss_name;
use crate::report::page::front::{self, FrontModel};
use crate::report::page::side_by_side;
use crate::report::text::significant;

/// The number of methods whose trials have colours of their own, beside the front.
const METHODS: usize = 5;

/// What a page shows of a search.
pub struct SearchView {
    /// Flash and error of the trials of each method, which has the name that it has in the table of the front.
    trials: Vec<(String, Vec<(f64, f64)>)>,
    /// The front, and the bounds of instructions on the cores that have one.
    front: Vec<(FrontModel, Vec<(Core, u32)>)>,
    /// Flash and error of the model of the page.
    chosen: (f64, f64),
    /// What the bytes of flash are.
    flash: &'static str,
    /// What classes were chosen by; none for quantities.
    metric: Option<Metric>,
}

/// The style of a chart that stands by itself.
const FIGURE_STYLE: &str = ".srfm{max-width:30rem;padding:.5rem;color:#222;background:#fff}.srfm svg{width:100%}\
    .srfm figure{margin:0}.srfm .legend span{margin-right:1rem;display:inline-block}\
    .srfm .legend i{display:inline-block;width:.8rem;height:.8rem;margin-right:.3rem}\
    .srfm .legend .ring{border:2px solid #000;border-radius:50%;box-sizing:border-box}";

/// The largest ratio of the instructions of cores that share a line.
const NEAR: f64 = 1.05;

/// Returns the error of a trial: the loss that classes were chosen by, shares of rows in percent, else the RMSE in
/// standard deviations of the target.
fn error(trial: &Trial) -> f64 {
    match trial.score.class_loss {
        Some(ClassLoss { metric, loss, .. }) if loss_name(metric).1 => 100.0 * loss,
        Some(ClassLoss { loss, .. }) => loss,
        None => trial.score.standardised_mse.sqrt(),
    }
}

/// Returns what the bytes of flash of the trials are.
fn flash_label(deployment: &Deployment) -> &'static str {
    match deployment {
        Deployment::File => "bytes of flash, upper bound",
        Deployment::C(_) => "bytes of the program in C",
        Deployment::Rust { .. } => "bytes of the program in Rust",
    }
}

/// Returns the points that no other one with as few instructions beats, fewest instructions first.
fn unbeaten(mut points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut lowest = f64::INFINITY;
    points.retain(|point| {
        let before = lowest;
        lowest = before.min(point.1);
        point.1 < before
    });
    points
}

/// Returns whether lines hide each other.
fn near(a: &[(f64, f64)], b: &[(f64, f64)]) -> bool {
    let close = |(a, b): (&(f64, f64), &(f64, f64))| a.1 == b.1 && a.0.max(b.0) <= NEAR * a.0.min(b.0);
    a.len() == b.len() && a.iter().zip(b).all(close)
}

impl SearchView {
    /// Keeps what the page shows of a search within a budget.
    pub fn of(found: &Found, budget: &Budget) -> SearchView {
        let mut trials: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
        let shown = |trial: &&Trial| {
            !trial.ruled_out && trial.score.standardised_mse.is_finite() && trial.flash_bytes < usize::MAX
        };
        for trial in found.trials.iter().filter(shown) {
            let name = Described::from(trial).name();
            let point = (trial.flash_bytes as f64, error(trial));
            match trials.iter_mut().find(|(other, _)| *other == name) {
                Some((_, points)) => points.push(point),
                None => trials.push((name, vec![point])),
            }
        }
        let names = &found.fit.model.input_names;
        let of_front = |trial: &Trial| FrontModel {
            flash_bytes: trial.flash_bytes as f64,
            error: error(trial),
            method: Described::from(trial).name(),
            settings: Described::from(trial).settings(names),
        };
        let front = found.front.iter().map(|(trial, instructions)| (of_front(trial), instructions.clone()));
        // The size of a file is that of the fit to all rows; the size of a program is known of the trial.
        let file = budget.deployment == Deployment::File;
        let flash_bytes = if file { found.fit.blob.bytes().len() } else { found.chosen.flash_bytes };
        SearchView {
            trials,
            front: front.collect(),
            chosen: (flash_bytes as f64, error(&found.chosen)),
            flash: flash_label(&budget.deployment),
            metric: found.chosen.score.class_loss.map(|of_metric| of_metric.metric),
        }
    }

    /// Returns the name of the errors, and whether they are in percent.
    fn errors_name(&self) -> (&'static str, bool) {
        self.metric.map_or(("RMSE, standard deviations", false), loss_name)
    }

    fn unit(&self) -> String {
        let (name, in_percent) = self.errors_name();
        if in_percent { format!("{name}, %") } else { name.to_owned() }
    }

    /// Returns the chart of error against flash as HTML that stands by itself.
    pub fn figure(&self) -> String {
        let markup = html! {
            div class="srfm" {
                style { (PreEscaped(FIGURE_STYLE)) }
                (self.flash().figure())
            }
        };
        markup.into_string()
    }

    /// Returns the charts and the table of the front.
    pub fn html(&self) -> Markup {
        let (name, in_percent) = self.errors_name();
        let text = |error: f64| if in_percent { format!("{error:.2} %") } else { significant(error) };
        let models: Vec<&FrontModel> = self.front.iter().map(|(model, _)| model).collect();
        html! {
            p {
                "Candidates of the search by cross-validation. The ring is the model of this page, "
                @if self.metric == Some(Metric::Accuracy) {
                    "whose error rate is what the accuracy of cross-validation under Errors leaves to 100 %. "
                } @else if self.metric.is_some() {
                    "chosen by the " (name) " of cross-validation. "
                } @else {
                    "whose error in standard deviations of the target (the mean has about 1) is the RMSE of "
                    "cross-validation under Errors. "
                }
                "The search compares its last candidates on other folds, so that the ring may lie off its candidate."
            }
            (side_by_side([self.flash().figure(), self.instructions().figure()]))
            (front::table(&models, name, text))
        }
    }

    /// Returns the axis of errors and its ceiling, which leaves room for the ring.
    fn errors(&self) -> (Axis, Option<f64>) {
        let (axis, ceiling) = Axis::of_errors(self.unit(), self.front.iter().map(|(model, _)| model.error));
        (axis, ceiling.map(|ceiling| ceiling.max(1.05 * self.chosen.1)))
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
                None => series.push(Series { name: name.clone(), points: points.clone() }),
            }
        }
        let (y, ceiling) = self.errors();
        let drawn = series.iter().flat_map(|series| &series.points).filter(|p| ceiling.is_none_or(|most| p.1 <= most));
        Chart {
            name: String::new(),
            title: "Error against flash".to_owned(),
            x: Axis::fitting(self.flash, drawn.map(|point| point.0)),
            y,
            mark: Mark::Dots,
            series,
            extras: Extras {
                front: self.front.iter().map(|(model, _)| (model.flash_bytes, model.error)).collect(),
                ring: Some(self.chosen),
                ceiling,
                ..Extras::default()
            },
        }
    }

    /// Returns the chart of error against instructions: a line for every group of cores of about the same
    /// counts.
    fn instructions(&self) -> Chart {
        let mut series: Vec<Series> = Vec::new();
        for core in Core::ALL {
            let bound = |(model, bounds): &(FrontModel, Vec<(Core, u32)>)| {
                let (_, bound) = bounds.iter().find(|(other, _)| *other == core)?;
                Some((f64::from(*bound), model.error))
            };
            let points = unbeaten(self.front.iter().filter_map(bound).collect());
            match series.iter_mut().find(|other| near(&other.points, &points)) {
                Some(same) => same.name += &format!(", {core}"),
                None => series.push(Series { name: core.to_string(), points }),
            }
        }
        series.retain(|series| !series.points.is_empty());
        let (y, ceiling) = self.errors();
        let drawn = series.iter().flat_map(|series| &series.points).filter(|p| ceiling.is_none_or(|most| p.1 <= most));
        Chart {
            name: String::new(),
            title: "Pareto front: error against instructions".to_owned(),
            x: Axis::fitting("instructions, upper bound", drawn.map(|point| point.0)),
            y,
            mark: Mark::Lines,
            series,
            extras: Extras {
                ceiling,
                note: format!("Cores whose counts differ by less than {:.0} % share a line.", 100.0 * (NEAR - 1.0)),
                ..Extras::default()
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_what_is_deployed() {
        let core = Core::CortexM0;
        assert_eq!(flash_label(&Deployment::File), "bytes of flash, upper bound");
        assert_eq!(flash_label(&Deployment::C(core)), "bytes of the program in C");
        assert_eq!(flash_label(&Deployment::Rust { core, firmware: None }), "bytes of the program in Rust");
    }

    #[test]
    fn lines_have_no_beaten_points_and_near_ones_are_one() {
        let front = unbeaten(vec![(300.0, 0.2), (100.0, 1.0), (250.0, 0.3), (280.0, 0.4), (250.0, 0.5)]);
        assert_eq!(front, [(100.0, 1.0), (250.0, 0.3), (300.0, 0.2)]);
        let moved = |factor: f64| -> Vec<(f64, f64)> { front.iter().map(|&(x, y)| (factor * x, y)).collect() };
        assert!(near(&front, &moved(1.04)) && near(&moved(1.04), &front) && !near(&front, &moved(1.06)));
        assert!(!near(&front, &front[1..]));
    }
}
