//! Folds that workers fit.

use serde::{Deserialize, Serialize};

use crate::data::{Dataset, Split};
use crate::error::FitError;
use crate::export::Encoding;
use crate::method::{MethodConfig, as_json};
use crate::run::Run;
use crate::scaling::Preprocessing;
use crate::validate::part::Part;
use crate::validate::score::FoldError;

/// A fold to fit with methods that differ in λ alone.
#[derive(Serialize, Deserialize)]
pub(crate) struct FoldTask {
    #[serde(with = "as_json")]
    path: Vec<MethodConfig>,
    split: Split,
    preprocessing: Preprocessing,
    encoding: Encoding,
    seed: u64,
}

impl FoldTask {
    /// The first byte of a task.
    pub const KIND: u8 = 0;

    /// Returns the errors of the methods; none if the fold cannot be fitted.
    pub fn run(&self, data: &Dataset) -> Option<Vec<FoldError>> {
        let FoldTask { path, split, preprocessing, encoding, seed } = self;
        let run = Run::new(*seed).with_threads(1);
        let part = Part::of(data, split, preprocessing, &preprocessing.learn(data));
        run.install(|run| part.errors(path, *encoding, run)).ok()
    }
}

/// Returns the errors of folds that workers fitted. None stands for a fold that is to be fitted here: all folds where
/// there are no workers, and those that no worker could fit.
///
/// # Errors
/// [`FitError::Interrupted`].
pub(crate) fn fold_errors(
    work: &[(&[MethodConfig], &Split)],
    data: &Dataset,
    (preprocessing, encoding): (&Preprocessing, Encoding),
    run: &Run<'_>,
) -> Result<Vec<Option<Vec<FoldError>>>, FitError> {
    let nothing = || Ok(vec![None; work.len()]);
    let Some(workers) = run.workers() else { return nothing() };
    let Some(table) = data.to_bytes() else { return nothing() };
    let task = |(path, split): &(&[MethodConfig], &Split)| {
        let path = path.to_vec();
        let split = (*split).clone();
        let preprocessing = preprocessing.clone();
        let task = FoldTask { path, split, preprocessing, encoding, seed: run.seed() };
        postcard::to_stdvec(&(FoldTask::KIND, task)).expect("memory takes any length")
    };
    let found = workers.map(&table, work.iter().map(task).collect()).ok_or(FitError::Interrupted)?;
    let errors = |bytes: &Vec<u8>| postcard::from_bytes::<Option<Vec<FoldError>>>(bytes).ok().flatten();
    Ok((0..work.len()).map(|place| errors(found.get(place)?)).collect())
}
