//! Candidates of a search as text.

use srfm_trainer::export::NumberFormat;
use srfm_trainer::method::Terms;
use srfm_trainer::scaling::Warp;
use srfm_trainer::search::{Candidate, Trial};

use crate::report::text::{counted, scientific};

/// A candidate with what its text says beside its settings.
#[derive(Clone, Copy)]
pub struct Described<'a> {
    candidate: &'a Candidate,
    /// The number of features of its model.
    features: usize,
    /// Whether the outputs are scores of classes.
    of_classes: bool,
}

impl<'a> From<&'a Trial> for Described<'a> {
    fn from(trial: &'a Trial) -> Described<'a> {
        Described {
            candidate: &trial.candidate,
            features: trial.features,
            of_classes: trial.score.error_rate.is_some(),
        }
    }
}

impl Described<'_> {
    /// Returns the method and the settings of a candidate of inputs with these names on one line.
    pub fn text(self, names: &[String]) -> String {
        let mut parts = vec![self.name()];
        parts.extend(self.settings(names));
        parts.join(", ")
    }

    /// Returns the name of the method; a model without features and linear terms is a constant.
    pub fn name(self) -> String {
        match (self.is_constant(), self.of_classes) {
            (true, true) => "the commonest class".to_owned(),
            (true, false) => "the mean".to_owned(),
            (false, _) => self.candidate.method.name().to_owned(),
        }
    }

    fn is_constant(self) -> bool {
        let settings = self.candidate.method.tunable();
        let without = &self.candidate.without;
        let without_inputs = !self.candidate.warps.is_empty() && without.len() >= self.candidate.warps.len();
        settings.features == 0 && (without_inputs || matches!(settings.terms, Terms::None | Terms::Intercept))
    }

    /// Returns the settings of a candidate of inputs with these names.
    pub fn settings(self, names: &[String]) -> Vec<String> {
        let candidate = self.candidate;
        let settings = self.candidate.method.tunable();
        let number = (candidate.number != NumberFormat::F32).then(|| candidate.number.name().to_owned());
        if self.is_constant() {
            return number.into_iter().collect();
        }
        let mut parts = Vec::new();
        if settings.features > 0 {
            let features = counted(self.features, "feature");
            parts.push(match (candidate.method.method().room(), settings.order) {
                (Some(unit), _) => format!("room of {} {unit}", self.features),
                (None, Some(order)) => format!("{features} of {}", counted(order, "input")),
                (None, None) => format!("{features} of all inputs"),
            });
        }
        parts.extend(settings.lambda.map(|lambda| format!("lambda {}", scientific(lambda))));
        let smoothness: Option<f64> = candidate.method.setting("smoothness");
        parts.extend(smoothness.map(|smoothness| format!("smoothness {smoothness}")));
        parts.extend(settings.scale.map(|scale| format!("scale {scale}")));
        let huber: Option<f64> = candidate.method.setting("huber");
        parts.extend(huber.map(|huber| format!("Huber's loss beyond {huber} standard deviations")));
        parts.extend(warps(candidate, names));
        if !candidate.without.is_empty() {
            parts.push(without(candidate, names));
        }
        parts.extend(number);
        match settings.terms {
            Terms::Linear => {}
            Terms::Ridge => parts.push("penalised linear terms".to_owned()),
            Terms::None | Terms::Intercept => parts.push("no linear terms".to_owned()),
        }
        parts
    }
}

/// Returns the warps of the inputs that the model uses: `log of a and b`.
fn warps(candidate: &Candidate, names: &[String]) -> Vec<String> {
    let warped = |warp: Warp| {
        let inputs = candidate.warps.iter().zip(names).enumerate();
        let inputs = inputs.filter(|(input, (own, _))| **own == warp && !candidate.without.contains(input));
        let inputs: Vec<&str> = inputs.map(|(_, (_, name))| name.as_str()).collect();
        (!inputs.is_empty()).then(|| format!("{} of {}", warp.name(), enumerated(&inputs)))
    };
    [Warp::Log, Warp::Sqrt].into_iter().filter_map(warped).collect()
}

/// Returns names as in `a, b and c`.
fn enumerated(names: &[&str]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => names.join(""),
    }
}

/// Returns the inputs that a candidate leaves out: their names where there are few.
fn without(candidate: &Candidate, names: &[String]) -> String {
    const NAMED: usize = 3;
    let named: Vec<&str> = candidate.without.iter().filter_map(|&input| names.get(input)).map(String::as_str).collect();
    match candidate.without.len() {
        count if count > NAMED || named.len() < count => format!("{} left out", counted(count, "input")),
        _ => format!("without {}", enumerated(&named)),
    }
}

#[cfg(test)]
mod tests {
    use srfm_trainer::method::MethodConfig;

    use super::*;

    #[test]
    fn settings_name_their_inputs() {
        let linear = MethodConfig::named("linear").unwrap();
        let compact = MethodConfig::named("compact").unwrap().tuned(|tunable| {
            tunable.features = 12;
            tunable.order = Some(1);
            tunable.lambda = Some(0.0);
        });
        let warps = vec![Warp::Log, Warp::Identity, Warp::Log];
        let of = |method, without| Candidate { method, warps: warps.clone(), without, number: NumberFormat::F32 };
        let names = ["a", "b", "c"].map(str::to_owned);
        let described =
            |candidate: &Candidate, of_classes| Described { candidate, features: 7, of_classes }.text(&names);
        // The model has 7 of the 12 features.
        let text = described(&of(compact, vec![1]), false);
        for part in ["compact, 7 features of 1 input, lambda 0, ", "log of a and c", "without b"] {
            assert!(text.contains(part), "{text}");
        }
        assert_eq!(super::warps(&of(linear.clone(), vec![2]), &names), ["log of a"]);
        assert_eq!(described(&of(linear.clone(), vec![0, 1, 2]), false), "the mean");
        let constant = of(linear.clone().tuned(|tunable| tunable.terms = Terms::Intercept), Vec::new());
        assert_eq!(described(&constant, false), "the mean");
        assert_eq!(described(&constant, true), "the commonest class");
        assert!(described(&of(linear, Vec::new()), true).starts_with("linear, "));
    }

    #[test]
    fn names_are_enumerated() {
        assert_eq!(enumerated(&["a", "b", "c"]), "a, b and c");
        assert_eq!((enumerated(&["a"]), enumerated(&[])), ("a".to_owned(), String::new()));
    }
}
