//! The choice between small and fast code.

/// How a C source computes the features of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Loops over tables of features.
    #[default]
    Small,
    /// Features one after the other, with their constants in the code. Blocks of many features stay loops.
    Fast,
}
