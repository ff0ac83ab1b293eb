//! Errors and confusion matrices as text.

use std::fmt::Write;

use srfm_trainer::validate::Metrics;

use crate::report::metrics::{ClassMetrics, Evaluation};
use crate::report::text::{percent, r_squared, significant};

/// The largest number of classes whose confusion matrix is printed.
const MOST_IN_TABLE: usize = 20;

/// Returns the most important figures of an evaluation, on one line.
pub fn headline(evaluation: &Evaluation) -> String {
    match evaluation {
        Evaluation::Quantities { total, .. } => error(total),
        Evaluation::Classes(metrics) => format!("accuracy {}", percent(metrics.accuracy)),
    }
}

/// Returns how classes fare that are named only where the model is certain, on one line; empty for other models.
pub fn certain(evaluation: &Evaluation) -> String {
    let Evaluation::Classes(metrics) = evaluation else { return String::new() };
    let Some(certain) = metrics.confidence else { return String::new() };
    let asked = percent(certain.level.into());
    let left = percent(certain.coverage);
    let named = percent(1.0 - certain.rejected);
    let right = certain.error_rate.map_or("-".to_owned(), |rate| percent(1.0 - rate));
    let shares = format!("{named} of the rows get a class, {right} of those the right one");
    format!("certain       {shares}; {left} have theirs possible ({asked} asked)\n")
}

/// Returns the errors of each output, one a line, if there are several outputs.
pub fn details(evaluation: &Evaluation) -> String {
    match evaluation {
        Evaluation::Quantities { outputs, .. } => {
            outputs.iter().map(|(name, metrics)| format!("  {name:<11} {}\n", error(metrics))).collect()
        }
        Evaluation::Classes(_) => String::new(),
    }
}

/// Returns all figures of an evaluation, one a line, and the confusion matrix of classes.
pub fn full(evaluation: &Evaluation) -> String {
    match evaluation {
        Evaluation::Quantities { total, .. } => {
            let Metrics { rows, rmse, r2, .. } = total;
            let rmse = significant(*rmse);
            let r2 = r_squared(*r2);
            let total = format!("rows          {rows}\nRMSE          {rmse}\nR²            {r2}\n");
            total + &details(evaluation)
        }
        Evaluation::Classes(metrics) => {
            let rows = metrics.rows;
            let accuracy = percent(metrics.accuracy);
            let balanced = percent(metrics.balanced_accuracy);
            let mut text = format!("rows          {rows}\naccuracy      {accuracy}\nbalanced      {balanced}\n");
            if let (Some(log_loss), Some(brier)) = (metrics.log_loss, metrics.brier) {
                let log_loss = significant(log_loss);
                let brier = significant(brier);
                let area = metrics.auc.map_or(String::new(), |area| format!(", area under curve {area:.4}"));
                let gap = metrics.reliability.as_ref().map_or(0.0, |reliability| reliability.error);
                let gap = percent(gap);
                text +=
                    &format!("probabilities log loss {log_loss}, Brier score {brier}, calibration error {gap}{area}\n");
            }
            text + &certain(evaluation) + &confusion_matrix(metrics)
        }
    }
}

fn error(metrics: &Metrics) -> String {
    format!("RMSE {}, R² {}", significant(metrics.rmse), r_squared(metrics.r2))
}

/// Returns the confusion matrix with the recall of each class.
fn confusion_matrix(metrics: &ClassMetrics) -> String {
    let ClassMetrics { classes, confusion, recall, precision, .. } = metrics;
    if classes.len() > MOST_IN_TABLE {
        return format!("classes       {}; --json has the confusion matrix\n", classes.len());
    }
    let length = |text: &str| text.chars().count();
    let first = classes.iter().map(|class| length(class)).fold(13, usize::max);
    let width = |class: usize| {
        let counts = confusion.iter().map(|row| length(&row[class].to_string()));
        let counts = counts.chain([precision[class].map_or(0, |share| length(&rounded(share)))]);
        counts.fold(length(&classes[class]), usize::max)
    };

    let row = |cells: &[String]| -> String {
        (0..).zip(cells).map(|(class, text)| format!("  {text:>width$}", width = width(class))).collect()
    };
    let mut text = String::from("rows of the class on the left that are predicted as the class above:\n");
    writeln!(text, "{:first$}{}  recall", "", row(classes)).expect("a string takes all text");
    for ((class, counts), recall) in classes.iter().zip(confusion).zip(recall) {
        let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
        let recall = recall.map_or("-".to_owned(), percent);
        writeln!(text, "{class:first$}{}  {recall}", row(&counts)).expect("a string takes all text");
    }
    let shares: Vec<String> = precision.iter().map(|share| share.map_or("-".to_owned(), rounded)).collect();
    writeln!(text, "{:first$}{}", "precision, %", row(&shares)).expect("a string takes all text");
    text
}

/// Returns a share in percent, in a few characters.
fn rounded(share: f64) -> String {
    format!("{:.0}", 100.0 * share)
}
