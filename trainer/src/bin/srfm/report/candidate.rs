//! Candidates of a search as text.

use srfm_trainer::export::NumberFormat;
use srfm_trainer::method::Terms;
use srfm_trainer::scaling::Warp;
use srfm_trainer::search::Candidate;

use crate::report::text::{counted, scientific};

/// Returns the method and the settings of a candidate, on one line.
pub fn describe(candidate: &Candidate) -> String {
    let settings = candidate.method.tunable();
    let mut parts = vec![candidate.method.name().to_owned()];
    let features = counted(settings.features, "feature");
    parts.push(match settings.order {
        _ if settings.features == 0 => features,
        Some(order) => format!("{features} of {order}"),
        None => format!("{features} of all inputs"),
    });
    parts.extend(settings.lambda.map(|lambda| format!("lambda {}", scientific(lambda))));
    let smoothness: Option<f64> = candidate.method.setting("smoothness");
    parts.extend(smoothness.map(|smoothness| format!("smoothness {smoothness}")));
    parts.extend(settings.scale.map(|scale| format!("scale {scale}")));
    let warps: Vec<&str> = candidate.warps.iter().filter(|&&w| w != Warp::Identity).map(|w| w.name()).collect();
    if !warps.is_empty() {
        parts.push(format!("warps {}", warps.join(" ")));
    }
    if !candidate.without.is_empty() {
        parts.push(format!("{} left out", counted(candidate.without.len(), "input")));
    }
    if candidate.number != NumberFormat::F32 {
        parts.push(candidate.number.name().to_owned());
    }
    match settings.terms {
        Terms::Linear => {}
        Terms::Ridge => parts.push("penalised linear terms".to_owned()),
        Terms::None | Terms::Intercept => parts.push("no linear terms".to_owned()),
    }
    parts.join(", ")
}
