//! What a model takes on the cores, as a model file and as programs.

use maud::{Markup, html};
use srfm_trainer::cost::Footprint;

use crate::report::summary::ModelSummary;
use crate::report::text::counted;

/// The columns of the costs of a program, and their names in JSON.
const COLUMNS: [(&str, &str); 4] = [
    ("instructions", "instructions"),
    ("clock cycles", "cycles"),
    ("flash, bytes", "flash_bytes"),
    ("stack, bytes", "stack_bytes"),
];

/// Returns rows with the keys that share them, in the order of the first key of each.
fn grouped<K, V: PartialEq>(rows: impl IntoIterator<Item = (K, V)>) -> Vec<(Vec<K>, V)> {
    let mut groups: Vec<(Vec<K>, V)> = Vec::new();
    for (key, row) in rows {
        match groups.iter_mut().find(|(_, other)| *other == row) {
            Some((keys, _)) => keys.push(key),
            None => groups.push((vec![key], row)),
        }
    }
    groups
}

/// Returns the tables: the bounds of a model file, and the program in C.
pub fn tables(summary: &ModelSummary) -> Markup {
    let bounds = summary.instructions.iter().map(|bound| (bound.core, [bound.at_most, bound.mean]));
    html! {
        h3 { "The model file, read by srfm-runtime" }
        p {
            (counted(summary.flash_bytes, "byte")) " of flash beside the code of the library. No readings take more "
            "instructions than the bound; the mean is that of usual readings."
        }
        table {
            tr { th { "core" } th { "bound of a prediction" } th { "mean" } }
            @for (cores, figures) in grouped(bounds) {
                tr { td { (cores.join(", ")) } @for figure in figures { td { (figure) } } }
            }
        }
        (programs("A program in C, compiled with -Os", &summary.programs))
        @if !summary.programs.is_empty() {
            p class="note" {
                "The program has the model compiled into its code, so that its counts differ from those of the file. "
                "Flash is that of parameters and code of the prediction."
                @if summary.number.starts_with("int") { " Integers go in and out of an integer model." }
            }
        }
    }
}

/// Returns the table of the programs in a language; nothing if there are none.
fn programs(title: &str, programs: &[Footprint]) -> Markup {
    let figures = |program: &Footprint| {
        let program = serde_json::to_value(program).unwrap_or_default();
        let core = program["core"].as_str().unwrap_or_default().to_owned();
        (core, COLUMNS.map(|(_, key)| program[key].as_u64().map_or("-".to_owned(), |figure| figure.to_string())))
    };
    html! {
        @if !programs.is_empty() {
            h3 { (title) }
            table {
                tr { th { "core" } @for (name, _) in COLUMNS { th { (name) } } }
                @for (cores, figures) in grouped(programs.iter().map(figures)) {
                    tr { td { (cores.join(", ")) } @for figure in figures { td { (figure) } } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_of_equal_figures_share_a_row() {
        let rows = [("a", [1, 2]), ("b", [3, 4]), ("c", [1, 2])];
        assert_eq!(grouped(rows), [(vec!["a", "c"], [1, 2]), (vec!["b"], [3, 4])]);
    }
}
