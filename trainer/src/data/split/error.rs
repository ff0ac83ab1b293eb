//! Errors of dividing rows.

/// The reason why rows cannot be divided into training and test rows.
///
/// Messages put names of settings in backticks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SplitError {
    /// There are fewer than two rows.
    #[error("{rows} row cannot be divided for `holdout`; add rows")]
    TooFewRows {
        /// The number of rows.
        rows: usize,
    },
    /// No class has two rows.
    #[error("no class has a second row for `holdout`; add rows")]
    OneRowPerClass,
    /// There are fewer groups than parts.
    #[error("{groups} groups cannot be divided into {needed} parts; add groups or lower `folds`")]
    TooFewGroups {
        /// The number of groups.
        groups: usize,
        /// The number of parts, each of which takes a group.
        needed: usize,
    },
    /// Another group stands between two rows of a group.
    #[error(
        "row {row} continues an earlier `group` after rows of another one; `split` blocked and forward take groups \
         that follow each other: sort the rows by group, or set `split` to random"
    )]
    ScatteredGroup {
        /// The row, from 1.
        row: usize,
    },
    /// A fold that the caller has divided is none.
    #[error("fold {fold} {problem}; folds and rows count from 0")]
    Fold {
        /// The fold, from 0.
        fold: usize,
        /// What is wrong with the fold.
        problem: String,
    },
    /// None of the caller's folds has training and test rows among those that candidates are compared on.
    #[error("no fold has training and test rows among the {rows} rows that a search compares on; give larger folds")]
    NoFoldLeft {
        /// The number of rows.
        rows: usize,
    },
}
