//! The Pareto front of a search as a table that says what tells its models apart.

use maud::{Markup, html};

use crate::report::text::breakable;

/// A model of the Pareto front.
pub struct FrontModel {
    pub flash_bytes: f64,
    /// The loss that classes are chosen by, else the RMSE in standard deviations of the target.
    pub error: f64,
    /// The name of the method.
    pub method: String,
    /// The settings of the search.
    pub settings: Vec<String>,
}

/// Returns the settings that every model with settings shares.
fn shared(front: &[&FrontModel]) -> Vec<String> {
    let mut with_settings = front.iter().filter(|model| !model.settings.is_empty());
    let Some(first) = with_settings.next().filter(|_| with_settings.clone().next().is_some()) else {
        return Vec::new();
    };
    let all_have = |setting: &&String| with_settings.clone().all(|model| model.settings.contains(setting));
    first.settings.iter().filter(all_have).cloned().collect()
}

/// Returns what a setting sets: its first word, or a word for number formats and inputs that are left out.
fn kind(setting: &str) -> &str {
    match setting.split(' ').next().unwrap_or_default() {
        _ if setting.contains(" feature") => "features",
        word if word.starts_with("int") => "number",
        word if word.starts_with(|c: char| c.is_ascii_digit()) => "without",
        word => word,
    }
}

/// Returns the settings of a model without the shared ones; where the model above has the same method, those that it
/// has otherwise.
fn own(model: &FrontModel, above: Option<&FrontModel>, shared: &[String]) -> String {
    let others = |other: &[String]| -> Vec<String> {
        model.settings.iter().filter(|setting| !other.contains(setting)).cloned().collect()
    };
    let replaced = |setting: &String| model.settings.iter().any(|other| kind(other) == kind(setting));
    match above.filter(|above| above.method == model.method && above.settings.iter().all(replaced)) {
        Some(above) if others(&above.settings).is_empty() => "as above, with another number of weights".to_owned(),
        Some(above) => format!("as above, but {}", others(&above.settings).join("; ")),
        None => others(shared).join("; "),
    }
}

/// Returns the table; errors in `unit` are written by `text`.
pub fn table(front: &[&FrontModel], unit: &str, text: impl Fn(f64) -> String) -> Markup {
    let shared = shared(front);
    html! {
        div class="wide" { table {
            tr { th { "Pareto front" } th class="text" { "settings" } th { (unit) } th { "flash, bytes, at most" } }
            @for (place, model) in front.iter().enumerate() {
                tr {
                    td { (model.method) }
                    td class="text" {
                        (breakable(&own(model, place.checked_sub(1).map(|place| front[place]), &shared)))
                    }
                    td { (text(model.error)) }
                    td { (model.flash_bytes) }
                }
            }
        } }
        @if !shared.is_empty() { p class="note" { "All models with settings: " (breakable(&shared.join("; "))) "." } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_settings_stand_once() {
        let model = |method: &str, settings: &[&str], flash_bytes| FrontModel {
            flash_bytes,
            error: 0.5,
            method: method.to_owned(),
            settings: settings.iter().map(|&setting| setting.to_owned()).collect(),
        };
        let front = [
            model("the mean", &[], 40.0),
            model("compact", &["4 features", "log of x"], 100.0),
            model("compact", &["4 features", "log of x"], 120.0),
            model("compact", &["8 features", "log of x"], 200.0),
        ];
        let page = table(&front.each_ref(), "RMSE, V", |error| error.to_string()).into_string();
        assert_eq!(page.matches("log of x").count(), 1, "{page}");
        assert!(page.contains("<th>RMSE, V</th>"), "{page}");
        assert_eq!((page.matches("4 features").count(), page.matches("as above, with").count()), (1, 1), "{page}");
        assert_eq!(page.matches("as above, but 8 features").count(), 1, "{page}");
        let less = model("compact", &["8 features"], 220.0);
        assert_eq!(own(&less, Some(&front[3]), &[]), "8 features");
        let int = model("compact", &["int", "5 inputs left out"], 9.0);
        let int16 = model("compact", &["int16", "without x"], 9.0);
        assert_eq!(own(&int16, Some(&int), &[]), "as above, but int16; without x");
    }
}
