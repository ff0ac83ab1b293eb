//! Tables larger than memory: features from a sample of the rows; amplitudes, errors and intervals from all of them.

use srfm_trainer::data::{Blocks, Counts, Dataset, Description, TargetKind};
use srfm_trainer::refit::refit;
use srfm_trainer::request::Request;
use srfm_trainer::{Fit, FitConfig, FitError, Run};

use crate::command::fit::args::Args;
use crate::command::fit::sample::LargeArgs;
use crate::common::Common;
use crate::failure::Failure;
use crate::progress::Progress;

/// The largest number of rows that features are chosen on, if no other is given.
const MOST_ROWS: usize = 100_000;

/// The largest number of values of these rows, 128 MB of numbers.
const MOST_VALUES: usize = 1 << 24;

/// The number of times that the sample is in memory while it is fitted.
const COPIES: usize = 6;

/// The least number of rows that features are chosen on, as of `--sample`.
const LEAST_ROWS: usize = 100;

/// The memory that blocks may take, if no other is given, in bytes.
const MEMORY: usize = 1 << 30;

/// A file whose rows are read in blocks.
pub struct Large {
    blocks: Blocks,
    /// The number of rows that the model is fitted to.
    pub fitted: usize,
}

/// The rows that were drawn from a file.
pub struct Drawn {
    pub large: Large,
    pub sample: Dataset,
    pub test: Dataset,
    pub counts: Counts,
    pub description: Description,
}

impl Drawn {
    /// Draws a sample of the rows; none if the options do not ask for one, or the sample would be the whole file.
    pub fn from(args: &Args, request: &Request, common: &Common) -> Result<Option<Drawn>, Failure> {
        let LargeArgs { memory: given, sample } = args.large;
        if given.is_none() && sample.is_none() {
            return Ok(None);
        }
        let memory = given.unwrap_or(MEMORY);
        let refused = [
            ("--labels", args.labels.is_some()),
            ("--task classification", request.columns.kind == TargetKind::Classes),
            ("--task novelty", request.columns.kind == TargetKind::Novelty),
        ];
        if let Some((option, _)) = refused.into_iter().find(|(_, given)| *given) {
            let why = "needs all rows in memory; leave out --memory and --sample";
            return Err(Failure::usage(format!("{option} {why}")));
        }
        let columns = &request.columns;
        let mut blocks = Blocks::open(&args.data, &columns.targets, columns.preparation.clone(), memory)?;
        if let Some(remark) = blocks.remark().filter(|_| !common.quiet) {
            say!("srfm: {remark}");
        }
        let (columns, rows) = (blocks.columns(), blocks.rows());
        let most = memory / (8 * COPIES * columns);
        let size = sample.unwrap_or_else(|| MOST_ROWS.min(MOST_VALUES / columns).min(most).max(LEAST_ROWS));
        if rows <= size && (rows <= most || given.is_none()) {
            return Ok(None);
        } else if size.min(rows) > most {
            return Err(too_large(size.min(rows), columns, memory));
        }
        let share = request.holdout.unwrap_or(0.0);
        let progress = Progress::new("reading", common);
        let run = request.run().with_observer(&progress);
        let drawn = blocks.draw(size, share, request.split, &run)?;
        drop(progress);
        let (sample, test, counts) = drawn.ok_or(FitError::Interrupted)?;
        let description = blocks.description().clone();
        let large = Large { fitted: sample.rows(), blocks };
        Ok(Some(Drawn { large, sample, test, counts, description }))
    }
}

/// Returns the failure of a sample that takes more than the memory.
fn too_large(rows: usize, columns: usize, memory: usize) -> Failure {
    let row = 8 * COPIES * columns;
    let advice = match memory / row {
        most if most < LEAST_ROWS => format!("raise --memory to {}k", (LEAST_ROWS.min(rows) * row).div_ceil(1024)),
        most => format!("take --sample {most} or less"),
    };
    let needed = rows.saturating_mul(row).div_ceil(1024);
    let memory = if memory < 1024 { format!("{memory} bytes") } else { format!("{} kB", memory >> 10) };
    let problem = format!("a sample of {rows} rows takes about {needed} kB, more than the {memory} of --memory");
    Failure::usage(format!("{problem}; {advice}"))
}

impl Large {
    /// Fits the amplitudes of the fit of a sample to all rows.
    pub fn refit(
        &mut self,
        fit: Fit,
        sample: &Dataset,
        config: &FitConfig,
        seed: u64,
        common: &Common,
    ) -> Result<Fit, Failure> {
        let progress = Progress::new("refitting", common);
        let fit = refit(fit, sample, &self.blocks, config, &Run::new(seed).with_observer(&progress))?;
        self.fitted = fit.score().map_or(0, |score| score.rows);
        Ok(fit)
    }
}
