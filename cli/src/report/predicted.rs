//! Predictions: quantities, or classes and their scores.

use nalgebra::DMatrix;
use serde::Serialize;

use srfm_trainer::export::Blob;

use crate::data::classes_of;

/// Predictions of some rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Predicted {
    /// The classes, in the order of the scores; empty for quantities.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<String>,
    /// One entry per row.
    pub predictions: Predictions,
    /// One list per row: the score of each class, or of the second of two classes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<Vec<f32>>,
    /// One list per row: the probability of each class, NaN where a reading is missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub probabilities: Vec<Vec<f32>>,
}

/// Quantities or classes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Predictions {
    /// One list of outputs per row.
    Quantities(Vec<Vec<f32>>),
    /// One class per row; empty where all scores are NaN or the model is not certain enough.
    Classes(Vec<String>),
}

impl Predicted {
    /// Interprets the outputs (n×k) of a model.
    pub fn of(blob: &Blob, outputs: &DMatrix<f32>) -> Predicted {
        let lists = |values: &DMatrix<f32>| values.row_iter().map(|row| row.iter().copied().collect()).collect();
        let scores: Vec<Vec<f32>> = lists(outputs);
        let classes = classes_of(blob);
        if classes.is_empty() {
            let predictions = Predictions::Quantities(scores);
            return Predicted { classes, predictions, scores: Vec::new(), probabilities: Vec::new() };
        }
        let name = |class: Option<usize>| class.map_or_else(String::new, |class| classes[class].clone());
        let decisions = blob.decide(&outputs.map(f64::from)).into_iter().map(name).collect();
        let probabilities = lists(&blob.probabilities(outputs));
        Predicted { classes, predictions: Predictions::Classes(decisions), scores, probabilities }
    }

    /// Returns the fields of each row of a CSV file.
    pub fn lines(&self) -> Vec<Vec<String>> {
        match &self.predictions {
            Predictions::Quantities(rows) => rows.iter().map(|row| row.iter().map(f32::to_string).collect()).collect(),
            Predictions::Classes(rows) => rows.iter().map(|class| vec![class.clone()]).collect(),
        }
    }

    /// Returns the predicted classes and their counts, most frequent first; empty for quantities.
    pub fn frequencies(&self) -> Vec<(&str, usize)> {
        let Predictions::Classes(decisions) = &self.predictions else { return Vec::new() };
        let count = |class: &String| decisions.iter().filter(|decision| *decision == class).count();
        let mut frequencies: Vec<(&str, usize)> = self.classes.iter().map(|c| (c.as_str(), count(c))).collect();
        frequencies.retain(|(_, count)| *count > 0);
        frequencies.sort_by_key(|(_, count)| std::cmp::Reverse(*count)); // stable: ties keep the order of the classes
        frequencies
    }
}
