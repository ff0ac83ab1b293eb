//! Errors and decisions as text.

use std::fmt;

use super::{percent, significant};
use crate::metrics::{ClassMetrics, Evaluation, Metrics, OutputMetrics};

/// Most classes whose decisions are shown as a table.
const MOST_IN_TABLE: usize = 20;

impl Evaluation {
    /// The most important of it on a line.
    pub fn headline(&self) -> String {
        match self {
            Evaluation::Quantities { total, .. } => error(total),
            Evaluation::Classes(metrics) => format!("accuracy {}", percent(metrics.accuracy)),
        }
    }

    /// What lies behind the headline, line by line: the errors of several outputs.
    pub fn details(&self) -> String {
        match self {
            Evaluation::Quantities { outputs, .. } => outputs.iter().map(OutputMetrics::to_string).collect(),
            Evaluation::Classes(_) => String::new(),
        }
    }

    /// Rows that were compared.
    pub fn rows(&self) -> usize {
        match self {
            Evaluation::Quantities { total, .. } => total.rows,
            Evaluation::Classes(metrics) => metrics.rows,
        }
    }
}

fn error(metrics: &Metrics) -> String {
    format!("RMSE {}, R² {:.4}", significant(metrics.rmse), metrics.r2)
}

impl fmt::Display for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Evaluation::Quantities { total, outputs } => {
                write!(f, "{total}")?;
                outputs.iter().try_for_each(|output| output.fmt(f))
            }
            Evaluation::Classes(metrics) => write!(f, "{metrics}"),
        }
    }
}

impl fmt::Display for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "rows          {}", self.rows)?;
        writeln!(f, "RMSE          {}", significant(self.rmse))?;
        writeln!(f, "R²            {:.4}", self.r2)
    }
}

impl fmt::Display for OutputMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  {:<11} {}", self.output, error(&self.metrics))
    }
}

impl fmt::Display for ClassMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "rows          {}", self.rows)?;
        writeln!(f, "accuracy      {}", percent(self.accuracy))?;
        if self.classes.len() > MOST_IN_TABLE {
            return writeln!(f, "classes       {}; --json has the decisions", self.classes.len());
        }
        let length = |text: &str| text.chars().count();
        let first = self.classes.iter().map(|class| length(class)).fold(13, usize::max);
        let width = |class: usize| {
            let counts = self.confusion.iter().map(|row| length(&row[class].to_string()));
            counts.fold(length(&self.classes[class]), usize::max)
        };
        let row = |cells: &[String]| -> String {
            (0..).zip(cells).map(|(class, text)| format!("  {text:>width$}", width = width(class))).collect()
        };
        writeln!(f, "rows of the class on the left that are put into the class above:")?;
        writeln!(f, "{:first$}{}  recall", "", row(&self.classes))?;
        for ((class, counts), recall) in self.classes.iter().zip(&self.confusion).zip(&self.recall) {
            let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
            writeln!(f, "{class:first$}{}  {}", row(&counts), recall.map_or("-".to_owned(), percent))?;
        }
        Ok(())
    }
}
