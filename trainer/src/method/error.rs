//! The errors of methods.

use crate::message::setting::{BASIS, CANDIDATES, FEATURES, ORDER};
use crate::message::{Explain, Message, Setting, display_by_message, message};
use crate::solve::SolveError;

/// Why a method gives no model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MethodError {
    /// There are not enough rows.
    TooFewRows {
        /// Rows there are.
        rows: usize,
        /// Rows that are needed.
        needed: usize,
        /// The purpose of the rows.
        purpose: &'static str,
        /// Advice to the user.
        advice: Message,
    },
    /// Every input has one value in all rows.
    ConstantInputs,
    /// More inputs per feature than inputs.
    OrderBeyondInputs {
        /// Inputs per feature asked for.
        order: usize,
        /// Inputs of the data.
        inputs: usize,
    },
    /// A setting is out of its range.
    Setting {
        /// Name of the setting.
        setting: &'static str,
        /// The values that it may take.
        range: &'static str,
        /// The value that it has.
        value: f64,
    },
    /// A setting of classes beside quantities.
    Quantities {
        /// Name of the setting.
        setting: &'static str,
    },
    /// The library has no method of that name.
    UnknownMethod {
        /// The name that was given.
        name: String,
        /// The names of all methods.
        known: String,
    },
    /// The method has no setting of that name.
    UnknownSetting {
        /// Name of the method.
        method: &'static str,
        /// The name that was given.
        setting: String,
        /// The names of all settings of the method.
        known: String,
    },
    /// The value of a setting is of the wrong type.
    InvalidSetting {
        /// Name of the method.
        method: &'static str,
        /// Name of the setting.
        setting: String,
        /// Why the value cannot be read.
        reason: String,
    },
    /// Fewer features are drawn than kept.
    FewCandidates {
        /// Features drawn.
        candidates: usize,
        /// Features kept.
        features: usize,
    },
    /// The matrix of the candidates' values is too large.
    Memory {
        /// Rows to fit.
        rows: usize,
        /// Features drawn.
        candidates: usize,
        /// Memory of their values, in GiB.
        gib: f64,
    },
    /// The Gram matrix of the features is too large.
    GramMemory {
        /// Features to fit.
        features: usize,
        /// Memory of their Gram matrix and its factor, in GiB.
        gib: f64,
    },
    /// The features of a pool are not waves.
    Pool {
        /// The method of the pool.
        method: &'static str,
    },
    /// A method from outside of the library returned another number of models than it was asked for.
    Models {
        /// The method.
        method: &'static str,
        /// The number of models asked for.
        wanted: usize,
        /// The number of models returned.
        returned: usize,
    },
    /// A method from outside of the library has the name of one of the library's.
    Name {
        /// The name.
        name: &'static str,
    },
    /// The linear system cannot be solved.
    Solve(SolveError),
    /// The observer asked to stop.
    Interrupted,
}

impl Explain for MethodError {
    fn message(&self) -> Message {
        match self {
            MethodError::TooFewRows { rows, needed, purpose, advice } => {
                let verb = if *rows == 1 { "row is" } else { "rows are" };
                message!("{rows} {verb} too few for {purpose}, which takes at least {needed}; ", advice)
            }
            MethodError::ConstantInputs => {
                "every input has the same value in every row; there is nothing to fit from".into()
            }
            MethodError::OrderBeyondInputs { order, inputs } => {
                let plural = if *inputs == 1 { "" } else { "s" };
                message!(
                    "an order of {order} inputs per feature, but the data have {inputs} input{plural}; lower ",
                    ORDER
                )
            }
            MethodError::Setting { setting, range, value } => {
                message!(Setting::named(*setting), " must be {range}, not {value}")
            }
            MethodError::Quantities { setting } => {
                message!(Setting::named(*setting), " works with classes only, and the targets are quantities")
            }
            MethodError::UnknownMethod { name, known } => message!("there is no method `{name}`; there are {known}"),
            MethodError::UnknownSetting { method, setting, known } => {
                message!("{method} has no setting ", Setting::named(setting.clone()), "; its settings are {known}")
            }
            MethodError::InvalidSetting { method, setting, reason } => {
                message!("the setting ", Setting::named(setting.clone()), " of {method}: {reason}")
            }
            MethodError::FewCandidates { candidates, features } => message!(
                "{candidates} candidates are too few to choose {features} features from; raise ",
                CANDIDATES,
                ", or set it to 0"
            ),
            MethodError::Memory { rows, candidates, gib } => too_many_values(*rows, *candidates, *gib),
            MethodError::GramMemory { features, gib } => too_many_features(*features, *gib),
            MethodError::Pool { method } => message!(
                "the features of {method} with these settings are not waves, which compaction selects from; set ",
                BASIS.to("pair")
            ),
            MethodError::Models { method, wanted, returned } => {
                let plural = if *wanted == 1 { "" } else { "s" };
                message!("the method {method} was to return {wanted} model{plural} and returned {returned}")
            }
            MethodError::Name { name } => {
                message!("the library has a method of the name {name}; give your method a name of its own")
            }
            MethodError::Solve(error) => error.message(),
            MethodError::Interrupted => "interrupted".into(),
        }
    }
}

/// Returns what is wrong with candidates whose values take too much memory.
fn too_many_values(rows: usize, candidates: usize, gib: f64) -> Message {
    message!(
        "the values of {candidates} candidate features at {rows} rows take {gib:.1} GiB of memory, more than the 8 GiB \
         allowed; lower ",
        CANDIDATES,
        " or ",
        FEATURES,
        ", or take fewer rows"
    )
}

/// Returns what is wrong with features whose normal equations take too much memory.
fn too_many_features(features: usize, gib: f64) -> Message {
    message!(
        "the normal equations of {features} features take {gib:.1} GiB of memory, more than the 8 GiB allowed; lower ",
        FEATURES
    )
}

display_by_message!(MethodError);

impl From<SolveError> for MethodError {
    fn from(error: SolveError) -> Self {
        MethodError::Solve(error)
    }
}
