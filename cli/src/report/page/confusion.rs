//! The confusion matrix of classes.

use maud::{Markup, html};

use crate::report::metrics::{ClassMetrics, Evaluation};
use crate::report::text::{breakable, counted};

/// The largest number of classes whose confusion matrix is shown.
const CLASSES: usize = 20;

/// The largest number of characters of the names of the classes where names head the columns.
const CHARACTERS: usize = 50;

/// A part of a name: names compare by the values of their numbers.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Piece {
    Number(u64),
    Text(String),
}

/// Returns the pieces of a name, by which `class_2` comes before `class_10`.
fn pieces(name: &str) -> Vec<Piece> {
    let mut runs: Vec<String> = Vec::new();
    for c in name.chars() {
        match runs.last_mut().filter(|run| run.ends_with(|last: char| last.is_ascii_digit()) == c.is_ascii_digit()) {
            Some(run) => run.push(c),
            None => runs.push(c.to_string()),
        }
    }
    runs.into_iter().map(|run| run.parse().map_or_else(|_| Piece::Text(run), Piece::Number)).collect()
}

/// Returns the confusion matrix; nothing for quantities.
pub fn matrix(evaluation: &Evaluation) -> Markup {
    let Evaluation::Classes(metrics) = evaluation else {
        return html! {};
    };
    let ClassMetrics { classes, confusion, recall, .. } = &**metrics;
    if classes.len() > CLASSES {
        return html! { p { (counted(classes.len(), "class")) "; srfm evaluate --json has the confusion matrix." } };
    }
    let mut order: Vec<usize> = (0..classes.len()).collect();
    order.sort_by_key(|&class| pieces(&classes[class]));
    let numbered = classes.iter().map(|class| class.chars().count()).sum::<usize>() > CHARACTERS;
    let recall = |class: usize| recall[class].map_or("-".to_owned(), |share| format!("{:.1}", 100.0 * share));
    html! {
        p {
            "Rows of the class on the left that are predicted as the class above"
            @if numbered { "; the columns have the numbers of the classes" } ":"
        }
        div class="wide" { table class="counts" {
            tr {
                th { "" }
                @for (number, &class) in (1..).zip(&order) {
                    th { @if numbered { (number) } @else { (classes[class]) } }
                }
                th { "recall, %" }
            }
            @for (number, &class) in (1..).zip(&order) {
                tr {
                    td { @if numbered { (number) " " } (breakable(&classes[class])) }
                    @for &other in &order {
                        td class=[(other == class).then_some("best")] { (confusion[class][other]) }
                    }
                    td { (recall(class)) }
                }
            }
        } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(classes: &[&str]) -> String {
        // Row `i` and column `j` have 10 i + j.
        let counts = |class| (0..classes.len()).map(|other| 10 * class + other).collect();
        let recall = (0..classes.len()).map(|class| (class > 0).then_some(class as f64 / 8.0)).collect();
        let classes: Vec<String> = classes.iter().map(|&class| class.to_owned()).collect();
        let confusion = (0..classes.len()).map(counts).collect();
        let metrics = ClassMetrics {
            recall,
            ..ClassMetrics::of_confusion(confusion, vec![vec![1.0; classes.len()]; classes.len()], &classes)
        };
        matrix(&Evaluation::Classes(Box::new(metrics))).into_string()
    }

    /// Returns the texts of the cells of every row.
    fn cells(page: &str) -> Vec<Vec<String>> {
        let text = |cell: &str| cell.split('<').next().unwrap().to_owned();
        let row = |row: &str| row.split("<t").skip(1).map(|cell| text(cell.split_once('>').unwrap().1)).collect();
        page.split("<tr>").skip(1).map(row).collect()
    }

    #[test]
    fn classes_are_sorted_by_their_numbers() {
        let found = cells(&page(&["c10", "c2", "b"]));
        let expected = [
            ["", "b", "c2", "c10", "recall, %"],
            ["b", "22", "21", "20", "25.0"],
            ["c2", "12", "11", "10", "12.5"],
            ["c10", "2", "1", "0", "-"],
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn long_names_stand_once() {
        let page = page(&["the bearing is worn", "unbalance of the rotor", "normal operation"]);
        assert_eq!(page.matches("unbalance").count(), 1);
        let found = cells(&page);
        assert_eq!(found[0], ["", "1", "2", "3", "recall, %"]);
        assert_eq!(found[1], ["1 normal operation", "22", "20", "21", "25.0"]);
        assert_eq!(found[3], ["3 unbalance of the rotor", "12", "10", "11", "12.5"]);
    }
}
