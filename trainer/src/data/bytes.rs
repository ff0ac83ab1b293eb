//! Tables as bytes, for other machines.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::data::{Dataset, History};

/// A dataset as it travels.
#[derive(Serialize, Deserialize)]
struct Bytes {
    #[serde(with = "crate::data::matrix")]
    x: DMatrix<f64>,
    #[serde(with = "crate::data::matrix")]
    y: DMatrix<f64>,
    input_names: Vec<String>,
    output_names: Vec<String>,
    classes: Vec<String>,
    groups: Vec<usize>,
}

impl Dataset {
    /// Returns the dataset as bytes; none where inputs look back in time.
    pub(crate) fn to_bytes(&self) -> Option<Vec<u8>> {
        let Dataset { x, y, input_names, output_names, classes, groups, history } = self.clone();
        let bytes = Bytes { x, y, input_names, output_names, classes, groups };
        (history == History::default()).then(|| postcard::to_stdvec(&bytes).expect("memory takes any length"))
    }

    /// Reads what [`Dataset::to_bytes`] wrote; none from other bytes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Dataset> {
        let Bytes { x, y, input_names, output_names, classes, groups } = postcard::from_bytes(bytes).ok()?;
        Some(Dataset { x, y, input_names, output_names, classes, groups, history: History::default() })
    }
}
