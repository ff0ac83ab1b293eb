//! Predictions: quantities, or classes and the scores that decided.

use nalgebra::DMatrix;
use serde::Serialize;

use srfm_trainer::data::classes::decide;

/// Predictions of some rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Predicted {
    /// The classes, in the order of the scores; none where quantities are predicted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<String>,
    /// One entry per row.
    pub predictions: Predictions,
    /// One list per row: the score of each class, or of the second where there are two.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<Vec<f32>>,
}

/// What is predicted.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Predictions {
    /// One list of outputs per row.
    Quantities(Vec<Vec<f32>>),
    /// One class per row.
    Classes(Vec<String>),
}

impl Predicted {
    /// What a model's outputs (n×k) mean; `classes` are empty where they are quantities.
    pub fn of(outputs: &DMatrix<f32>, classes: Vec<String>) -> Predicted {
        let rows = outputs.row_iter().map(|row| row.iter().copied().collect()).collect();
        if classes.is_empty() {
            return Predicted { classes, predictions: Predictions::Quantities(rows), scores: Vec::new() };
        }
        let decisions = decide(&outputs.map(f64::from)).into_iter().map(|class| classes[class].clone()).collect();
        Predicted { classes, predictions: Predictions::Classes(decisions), scores: rows }
    }

    /// The fields of every row of a table.
    pub fn lines(&self) -> Vec<Vec<String>> {
        match &self.predictions {
            Predictions::Quantities(rows) => rows.iter().map(|row| row.iter().map(f32::to_string).collect()).collect(),
            Predictions::Classes(rows) => rows.iter().map(|class| vec![class.clone()]).collect(),
        }
    }

    /// The classes that were decided for and how often, most frequent first; none where quantities are predicted.
    pub fn frequencies(&self) -> Vec<(&str, usize)> {
        let Predictions::Classes(decisions) = &self.predictions else { return Vec::new() };
        let count = |class: &String| decisions.iter().filter(|decision| *decision == class).count();
        let mut frequencies: Vec<(&str, usize)> = self.classes.iter().map(|c| (c.as_str(), count(c))).collect();
        frequencies.retain(|(_, count)| *count > 0);
        frequencies.sort_by_key(|(_, count)| std::cmp::Reverse(*count)); // stable: of equals the first
        frequencies
    }
}
