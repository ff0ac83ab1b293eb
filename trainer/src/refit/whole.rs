//! A fit whose amplitudes, errors and intervals come from all rows of a file.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::data::{Blocks, Dataset};
use crate::error::FitError;
use crate::fit::{Fit, FitConfig};
use crate::refit::features::Features;
use crate::refit::residuals::Crosswise;
use crate::refit::sums::Sums;
use crate::run::Run;
use crate::sums::{InBlocks, Rows};

/// The number of times that the rows are read.
const PASSES: usize = 2;

/// Fits the amplitudes of a fit to all rows of a file, and takes ranges, errors and intervals from them.
///
/// The features stay those of `fit`, which saw the rows of `sample`. Rows that [`Blocks::draw`] left out stay left out.
/// The model does not depend on the size of blocks and the number of threads.
///
/// # Errors
/// [`FitError::Data`] if the file cannot be read; [`FitError::Export`] if the device cannot hold the model.
pub fn refit(fit: Fit, sample: &Dataset, blocks: &Blocks, config: &FitConfig, run: &Run<'_>) -> Result<Fit, FitError> {
    run.install(|run| {
        let mut refitted = refit_rows(&Features::from_fit(&fit, sample, config), &rows_of(blocks, PASSES, run))?;
        refitted.tried.extend(fit.tried.into_iter().filter(|(candidate, _)| *candidate != fit.chosen));
        Ok(refitted)
    })
}

impl Features {
    /// Returns the sums over the rows of a file.
    ///
    /// # Errors
    /// [`FitError::Data`] if the file cannot be read.
    pub fn sums_of(&self, blocks: &Blocks, run: &Run<'_>) -> Result<Sums, FitError> {
        run.install(|run| rows_of(blocks, 1, run).sum(self))
    }
}

/// The rows of a file that is read so many times.
fn rows_of<'a>(blocks: &'a Blocks, passes: usize, run: &'a Run<'a>) -> impl Rows<Error = FitError> {
    let read = AtomicUsize::new(0);
    let block = move |block: usize| {
        run.progress(read.fetch_add(1, Ordering::Relaxed), passes * blocks.count());
        if run.interrupted() { Err(FitError::Interrupted) } else { Ok(blocks.block(block)?) }
    };
    InBlocks { block, count: blocks.count(), held: blocks.held() }
}

/// Fits the amplitudes of features to rows that any engine has.
pub(crate) fn refit_rows<R>(features: &Features, rows: &R) -> Result<Fit, FitError>
where
    R: Rows,
    FitError: From<R::Error>,
{
    let sums = rows.sum(features)?;
    let solved = features.solve(&sums, &features.errors(&sums, 0, 1)?)?;
    let residuals = rows.sum(&Crosswise { models: &features.halves(&solved) })?;
    features.finish(&solved, Some(&residuals))
}
