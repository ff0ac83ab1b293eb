//! Which rows are trained on and which rows are tested: at random, in blocks, or in order of time.

use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::data::split::blocks::{cuts, starts};
use crate::data::split::groups::{group_holdout, group_k_fold};
use crate::data::split::{Split, SplitError, holdout, k_fold, stratified_holdout, stratified_k_fold};
use crate::sampling::Sampler;

/// How rows are divided into folds, and into rows to fit and rows held out. All rows of a group are on one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Splitter {
    /// Rows, or groups of rows, drawn at random. Without groups, rows of every class are divided evenly.
    #[default]
    Random,
    /// Blocks of successive rows. Every fold tests one block. The last rows are held out.
    Blocked,
    /// Blocks of successive rows in the order of time (rolling origin). Every fold tests a block after a fit to all
    /// rows before the block. The last rows are held out.
    Forward,
}

impl Splitter {
    /// The names of the splitters.
    pub const NAMES: [&str; 3] = ["random", "blocked", "forward"];

    /// Returns the splitter of a name.
    pub fn named(name: &str) -> Option<Splitter> {
        [Splitter::Random, Splitter::Blocked, Splitter::Forward].into_iter().find(|splitter| splitter.name() == name)
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        Splitter::NAMES[self as usize]
    }

    /// Holds out about a `share` of the rows, between 0 and 1.
    ///
    /// # Errors
    /// [`SplitError`]: too few rows or groups, or groups in an order that the splitter cannot keep.
    pub fn holdout(self, data: &Dataset, share: f64, sampler: &mut Sampler) -> Result<Split, SplitError> {
        let rows = data.rows();
        if rows < 2 {
            return Err(SplitError::TooFewRows { rows });
        }
        if self != Splitter::Random {
            let first = rows - (rows as f64 * share).round() as usize;
            let cut = cuts(&starts(data)?, &[first])?[0];
            return Ok(Split { train: (0..cut).collect(), test: (cut..rows).collect() });
        }
        if !data.groups.is_empty() {
            return group_holdout(&data.groups, share, sampler);
        }
        let Some(members) = data.members() else { return Ok(holdout(rows, share, sampler)) };
        let split = stratified_holdout(&members, share, sampler);
        if split.test.is_empty() { Err(SplitError::OneRowPerClass) } else { Ok(split) }
    }

    /// Divides the rows into `folds` folds, at least two, whose test rows are about as many.
    ///
    /// # Errors
    /// [`SplitError`]: too few groups or blocks, or groups in an order that the splitter cannot keep.
    pub fn folds(self, data: &Dataset, folds: usize, sampler: &mut Sampler) -> Result<Vec<Split>, SplitError> {
        let rows = data.rows();
        if self == Splitter::Random {
            return match data.members() {
                _ if !data.groups.is_empty() => group_k_fold(&data.groups, folds, sampler),
                Some(members) => Ok(stratified_k_fold(&members, folds, sampler)),
                None => Ok(k_fold(rows, folds, sampler)),
            };
        }
        // The first block of a rolling origin is trained on alone.
        let blocks = if self == Splitter::Forward { folds + 1 } else { folds };
        let wanted: Vec<usize> = (1..blocks).map(|block| block * rows / blocks).collect();
        let mut bounds = cuts(&starts(data)?, &wanted)?;
        bounds.push(rows);
        if self == Splitter::Blocked {
            bounds.insert(0, 0);
        }
        let fold = |bounds: &[usize]| {
            let later = if self == Splitter::Forward { rows } else { bounds[1] };
            Split { train: (0..bounds[0]).chain(later..rows).collect(), test: (bounds[0]..bounds[1]).collect() }
        };
        Ok(bounds.windows(2).map(fold).collect())
    }
}
