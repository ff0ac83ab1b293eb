//! The rows of a search.

use crate::data::Dataset;

/// The rows that candidates are compared on, and all rows.
#[derive(Clone, Copy)]
pub(crate) struct Sample<'a> {
    pub compared: &'a Dataset,
    pub all: &'a Dataset,
}

impl<'a> Sample<'a> {
    /// Returns the number of varying inputs without some.
    pub fn inputs(&self, without: &[usize]) -> usize {
        self.compared.varying_inputs().iter().filter(|input| !without.contains(input)).count()
    }

    /// Returns the inputs that vary over all rows, but not over the compared rows: nothing is known of them.
    pub fn unseen_inputs(&self) -> Vec<usize> {
        let seen = self.compared.varying_inputs();
        self.all.varying_inputs().into_iter().filter(|input| !seen.contains(input)).collect()
    }
}
