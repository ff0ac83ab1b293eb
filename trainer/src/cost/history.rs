//! What the samples of a model that looks back in time cost on a core.

use std::collections::BTreeMap;

use srfm_runtime::Model;

use crate::cost::Core;
use crate::cost::operations::Operations;
use crate::cost::parts::Parts;
use crate::cost::prices::{AT_MOST, Prices};

/// The path of the history in the table of prices.
pub(crate) const PATH: &str = "history";

/// The factor between the sum of prices and the bound.
const SAFETY: f64 = 1.02;

/// Returns the largest number of instructions that a history takes for a sample on `core`, before the prediction; 0 of
/// a model without lags.
pub fn history_bound(model: &Model<'_>, core: Core) -> u32 {
    if model.lags().is_empty() {
        return 0;
    }
    let prices = Prices::table();
    let parts = parts(model);
    let operations = parts.operations.priced(&prices.operations(AT_MOST, core));
    (SAFETY * (prices.parts(&parts, core) + operations)).ceil() as u32
}

/// Returns the parts of the code that takes a sample.
pub(crate) fn parts(model: &Model<'_>) -> Parts {
    let lags = model.lags();
    let differences = lags.places().filter(|place| place.difference).count();
    let counts = [
        ("call", 1),
        ("channel", lags.channels()),
        ("slot", lags.slots()),
        ("input", model.inputs()),
        ("difference", differences),
    ];
    Parts {
        path: PATH.to_owned(),
        counts: BTreeMap::from(counts.map(|(part, count)| (part.to_owned(), count))),
        operations: Operations([1.0, 0.0, 0.0, 0.0, 0.0, 0.0]) * differences as f64,
    }
}
