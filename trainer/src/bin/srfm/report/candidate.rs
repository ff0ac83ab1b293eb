//! Candidates of a search as text.

use srfm_trainer::export::NumberFormat;
use srfm_trainer::method::Terms;
use srfm_trainer::scaling::Warp;
use srfm_trainer::search::Candidate;

use crate::report::text::{counted, scientific};

/// Returns the method and the settings of a candidate, on one line.
pub fn describe(candidate: &Candidate) -> String {
    let names: Vec<String> = (1..=candidate.warps.len()).map(|input| format!("input {input}")).collect();
    let mut parts = vec![name(candidate)];
    parts.extend(settings(candidate, &names));
    parts.join(", ")
}

/// Returns the name of the method; a model without features and linear terms is the mean.
pub fn name(candidate: &Candidate) -> String {
    if is_mean(candidate) { "the mean".to_owned() } else { candidate.method.name().to_owned() }
}

fn is_mean(candidate: &Candidate) -> bool {
    let settings = candidate.method.tunable();
    let without_inputs = !candidate.warps.is_empty() && candidate.without.len() >= candidate.warps.len();
    settings.features == 0 && (without_inputs || matches!(settings.terms, Terms::None | Terms::Intercept))
}

/// Returns the settings, where the number of features is the largest that a fit returns.
pub fn largest_settings(candidate: &Candidate, names: &[String]) -> Vec<String> {
    let mut settings = settings(candidate, names);
    if candidate.method.tunable().features > 0 {
        settings[0].insert_str(0, "up to ");
    }
    settings
}

/// Returns the settings of a candidate of inputs with these names.
fn settings(candidate: &Candidate, names: &[String]) -> Vec<String> {
    let settings = candidate.method.tunable();
    let number = (candidate.number != NumberFormat::F32).then(|| candidate.number.name().to_owned());
    if is_mean(candidate) {
        return number.into_iter().collect();
    }
    let mut parts = Vec::new();
    if settings.features > 0 {
        let features = counted(settings.features, "feature");
        parts.push(
            settings.order.map_or(format!("{features} of all inputs"), |order| {
                format!("{features} of {}", counted(order, "input"))
            }),
        );
    }
    parts.extend(settings.lambda.map(|lambda| format!("lambda {}", scientific(lambda))));
    let smoothness: Option<f64> = candidate.method.setting("smoothness");
    parts.extend(smoothness.map(|smoothness| format!("smoothness {smoothness}")));
    parts.extend(settings.scale.map(|scale| format!("scale {scale}")));
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
        let text = describe(&of(compact, vec![1]));
        for part in ["compact, 12 features of 1 input, lambda 0, ", "log of input 1 and input 3", "without input 2"] {
            assert!(text.contains(part), "{text}");
        }
        let names = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(warps_of(&of(linear.clone(), vec![2]), &names), ["log of a"]);
        assert_eq!(describe(&of(linear.clone(), vec![0, 1, 2])), "the mean");
        let constant = linear.clone().tuned(|tunable| tunable.terms = Terms::Intercept);
        assert_eq!(describe(&of(constant, Vec::new())), "the mean");
        assert!(describe(&of(linear, Vec::new())).starts_with("linear, "));
    }

    #[test]
    fn names_are_enumerated() {
        assert_eq!(enumerated(&["a", "b", "c"]), "a, b and c");
        assert_eq!((enumerated(&["a"]), enumerated(&[])), ("a".to_owned(), String::new()));
    }

    fn warps_of(candidate: &Candidate, names: &[String]) -> Vec<String> {
        super::warps(candidate, names)
    }
}
