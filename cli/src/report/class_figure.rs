//! The figure that candidates for classes are chosen by, as text.

use srfm_trainer::validate::{ClassLoss, Metric};

use crate::report::text::{percent, significant};

/// Returns the name of the loss of a metric, and whether the loss is a share of rows.
pub fn loss_name(metric: Metric) -> (&'static str, bool) {
    match metric {
        Metric::Accuracy => ("error rate", true),
        Metric::Balanced => ("balanced error rate", true),
        Metric::LogLoss => ("log loss", false),
        Metric::Brier => ("Brier score", false),
    }
}

/// Returns the name and the value of the figure. The value of an estimate is about that.
pub fn class_figure(of_metric: &ClassLoss, estimated: bool) -> String {
    let about = if estimated { "about " } else { "" };
    match of_metric.metric {
        Metric::Accuracy => format!("accuracy {about}{}", percent(1.0 - of_metric.loss)),
        Metric::Balanced => format!("balanced accuracy {about}{}", percent(1.0 - of_metric.loss)),
        metric => format!("{} {about}{}", loss_name(metric).0, significant(of_metric.loss)),
    }
}
