//! What a fit can fail on.

use crate::export::ExportError;
use crate::solve::SolveError;

/// Why a fit gives no model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// There are not enough rows.
    #[error("{rows} rows are too few for {purpose}, which takes at least {needed}; {advice}")]
    TooFewRows {
        /// Rows there are.
        rows: usize,
        /// Rows that are needed.
        needed: usize,
        /// What they are needed for.
        purpose: &'static str,
        /// What to do about it.
        advice: &'static str,
    },
    /// The rows that cross-validation leaves to fit are not enough.
    #[error(
        "{rows} rows in {folds} folds leave {left} to fit, too few for {purpose}, which takes at least {needed}; add rows, \
         or set --lambda and --order, which need no cross-validation"
    )]
    TooFewRowsInFold {
        /// Rows there are.
        rows: usize,
        /// Folds that they are divided into.
        folds: usize,
        /// Rows left to fit.
        left: usize,
        /// Rows that are needed.
        needed: usize,
        /// What they are needed for.
        purpose: &'static str,
    },
    /// A target has one value in all rows.
    #[error("the target {name:?} has the same value in every row; there is nothing to fit")]
    ConstantTarget {
        /// Name of the target.
        name: String,
    },
    /// Every input has one value in all rows.
    #[error("every input has the same value in every row; there is nothing to fit from")]
    ConstantInputs,
    /// More inputs per feature than inputs.
    #[error("an order of {order} inputs per feature, but the data have {inputs} inputs; lower --order")]
    OrderBeyondInputs {
        /// Inputs per feature asked for.
        order: usize,
        /// Inputs of the data.
        inputs: usize,
    },
    /// Not as many warps as inputs.
    #[error("there are {warps} warps for {inputs} inputs; give one for each input, or none")]
    Warps {
        /// Warps there are.
        warps: usize,
        /// Inputs of the data.
        inputs: usize,
    },
    /// A reading is outside of the domain of the warp of its input.
    #[error(
        "the warp {warp} of the input {name:?} takes readings {domain}, but a row has {reading}; choose another warp for it"
    )]
    Warp {
        /// Name of the input.
        name: String,
        /// Name of the warp.
        warp: &'static str,
        /// What readings must be.
        domain: &'static str,
        /// The first reading that is not.
        reading: f64,
    },
    /// A setting is out of its range.
    #[error("{setting} must be {range}, not {value}")]
    Setting {
        /// Name of the setting.
        setting: &'static str,
        /// The values that it may take.
        range: &'static str,
        /// The value that it has.
        value: f64,
    },
    /// Fewer features are drawn than kept.
    #[error("{candidates} candidates are too few to choose {features} features from; raise candidates, or set it to 0")]
    FewCandidates {
        /// Features drawn.
        candidates: usize,
        /// Features kept.
        features: usize,
    },
    /// The matrix of the candidates' values is too large.
    #[error(
        "the values of {candidates} candidate features at {rows} rows take {gib:.1} GiB of memory, more than the 8 GiB \
         allowed; lower candidates or --max-features, or take fewer rows"
    )]
    Memory {
        /// Rows to fit.
        rows: usize,
        /// Features drawn.
        candidates: usize,
        /// What their values take, in GiB.
        gib: f64,
    },
    /// The Gram matrix of the features is too large.
    #[error(
        "the normal equations of {features} features take {gib:.1} GiB of memory, more than the 8 GiB allowed; lower \
         --max-features"
    )]
    GramMemory {
        /// Features to fit.
        features: usize,
        /// What their Gram matrix and its factor take, in GiB.
        gib: f64,
    },
    /// No setting that was tried gives a model for the device.
    #[error(
        "none of the {tried} settings tried gives a model that the device can hold in every fold; raise --lambda or --max-error, \
         lower --max-features, rescale the target, or try another --number"
    )]
    NoCandidate {
        /// How many there were.
        tried: usize,
    },
    /// The features of a pool are not waves.
    #[error(
        "the features that {method} gives with these settings are not waves, which compact goes on from; set basis to pair"
    )]
    Pool {
        /// The method of the pool.
        method: &'static str,
    },
    /// A search found no model in its time.
    #[error("the time of the search was over before there was a model; raise --time")]
    NoTime,
    /// The model cannot go to the device.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// Not even the smallest model keeps the budget.
    #[error("not even one feature keeps the budget: {0}")]
    Budget(ExportError),
    /// The linear system cannot be solved.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The observer asked to stop.
    #[error("interrupted; nothing was written")]
    Interrupted,
}
