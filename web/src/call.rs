//! The calls of the page.

use serde::Deserialize;

use crate::search::State;
use crate::wanted::Wanted;

/// A call of the page.
#[derive(Deserialize)]
#[serde(tag = "call", rename_all = "kebab-case")]
pub enum Call {
    /// The names that the user chooses from, and the version.
    Choices,
    /// The built-in example as a data file.
    Example,
    /// The contents of the columns of the opened file, which has this name.
    Columns { file: String },
    /// The command line and the lines of Python of settings.
    Commands { wanted: Box<Wanted> },
    /// A search with these settings in the opened file. `kept` are the states of an earlier search that the user
    /// stopped: the search goes through them and ends with the best of its candidates.
    Search {
        wanted: Box<Wanted>,
        #[serde(default)]
        kept: Option<Vec<State>>,
    },
    /// The prediction of a row of readings.
    Predict { readings: Vec<f64> },
    /// The folder of a layout, of which the header alone is one, for a model of this name.
    Export { name: String, layout: String },
}
