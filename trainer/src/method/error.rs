//! The errors of methods.

use crate::solve::SolveError;

/// Why a method gives no model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MethodError {
    /// There are not enough rows.
    #[error(
        "{rows} {} too few for {purpose}, which takes at least {needed}; {advice}",
        if *rows == 1 { "row is" } else { "rows are" }
    )]
    TooFewRows {
        /// Rows there are.
        rows: usize,
        /// Rows that are needed.
        needed: usize,
        /// The purpose of the rows.
        purpose: &'static str,
        /// Advice to the user.
        advice: &'static str,
    },
    /// Every input has one value in all rows.
    #[error("every input has the same value in every row; there is nothing to fit from")]
    ConstantInputs,
    /// More inputs per feature than inputs.
    #[error(
        "an order of {order} inputs per feature, but the data have {inputs} input{}; lower `order`",
        if *inputs == 1 { "" } else { "s" }
    )]
    OrderBeyondInputs {
        /// Inputs per feature asked for.
        order: usize,
        /// Inputs of the data.
        inputs: usize,
    },
    /// A setting is out of its range.
    #[error("`{setting}` must be {range}, not {value}")]
    Setting {
        /// Name of the setting.
        setting: &'static str,
        /// The values that it may take.
        range: &'static str,
        /// The value that it has.
        value: f64,
    },
    /// The library has no method of that name.
    #[error("there is no method `{name}`; there are {known}")]
    UnknownMethod {
        /// The name that was given.
        name: String,
        /// The names of all methods.
        known: String,
    },
    /// The method has no setting of that name.
    #[error("{method} has no setting `{setting}`; its settings are {known}")]
    UnknownSetting {
        /// Name of the method.
        method: &'static str,
        /// The name that was given.
        setting: String,
        /// The names of all settings of the method.
        known: String,
    },
    /// The value of a setting is of the wrong type.
    #[error("the setting `{setting}` of {method}: {reason}")]
    InvalidSetting {
        /// Name of the method.
        method: &'static str,
        /// Name of the setting.
        setting: String,
        /// Why the value cannot be read.
        reason: String,
    },
    /// Fewer features are drawn than kept.
    #[error(
        "{candidates} candidates are too few to choose {features} features from; raise `candidates`, or set it to 0"
    )]
    FewCandidates {
        /// Features drawn.
        candidates: usize,
        /// Features kept.
        features: usize,
    },
    /// The matrix of the candidates' values is too large.
    #[error(
        "the values of {candidates} candidate features at {rows} rows take {gib:.1} GiB of memory, more than the 8 GiB \
         allowed; lower `candidates` or `features`, or take fewer rows"
    )]
    Memory {
        /// Rows to fit.
        rows: usize,
        /// Features drawn.
        candidates: usize,
        /// Memory of their values, in GiB.
        gib: f64,
    },
    /// The Gram matrix of the features is too large.
    #[error(
        "the normal equations of {features} features take {gib:.1} GiB of memory, more than the 8 GiB allowed; lower \
         `features`"
    )]
    GramMemory {
        /// Features to fit.
        features: usize,
        /// Memory of their Gram matrix and its factor, in GiB.
        gib: f64,
    },
    /// The features of a pool are not waves.
    #[error(
        "the features of {method} with these settings are not waves, which compaction selects from; set `basis` to pair"
    )]
    Pool {
        /// The method of the pool.
        method: &'static str,
    },
    /// The linear system cannot be solved.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The observer asked to stop.
    #[error("interrupted")]
    Interrupted,
}
