//! `srfm evaluate`: the errors of a model on a file, by the device's own code.

use serde::Serialize;
use srfm_trainer::data::{ColumnError, Counts, DataError, Prepared};

use crate::columns::remark_on_missing;
use crate::common::Common;
use crate::data::no_targets;
use crate::description::unsuited;
use crate::failure::Failure;
use crate::headings::COLUMNS;
use crate::output;
use crate::ranges::Ranges;
use crate::report::{Evaluated, Evaluating};
use crate::rows::RowsArgs;

#[derive(clap::Args)]
#[command(after_help = "Example:\n  srfm evaluate sensor.srfm new.csv --target pressure")]
pub struct EvaluateArgs {
    #[command(flatten)]
    rows: RowsArgs,
    /// Column of what rows count in the figures: a row of weight 2 counts as two rows [default: all count alike]
    #[arg(long, value_name = "COLUMN", help_heading = COLUMNS)]
    weight: Option<String>,
}

/// The errors on a file.
#[derive(Serialize)]
struct Errors<'a> {
    #[serde(flatten)]
    evaluated: &'a Evaluated,
    /// The rows of the data file.
    data: Counts,
}

/// Compares predictions with targets.
pub fn evaluate(args: &EvaluateArgs, common: &Common) -> Result<(), Failure> {
    let blob = output::read_model(&args.rows.model)?;
    let mut sums = Evaluating::default();
    let mut counts = Counts::default();
    let mut empty = None;
    let mut ranges = Ranges::default();
    args.rows.each(&blob, common, |source| {
        let source = source.clone().with_weight(args.weight.as_deref());
        let Prepared { data, counts: of_block, .. } = match source.for_model(&blob.model()) {
            // No row of this block is left; those of other blocks may be.
            Err(DataError::Columns(
                error @ (ColumnError::AllDropped { rows, .. }
                | ColumnError::NoTargetValues { rows, .. }
                | ColumnError::NoWeight { rows, .. }),
            )) if args.rows.in_blocks() => {
                counts += Counts::dropped(rows);
                empty = Some(error);
                return Ok(());
            }
            prepared => prepared.map_err(|error| unsuited(&args.rows.model, error))?,
        };
        if data.outputs() == 0 {
            return Err(no_targets(&args.rows.data.data, "--labels"));
        }
        counts += of_block;
        ranges.add(&blob, &data.input_names, &data.x);
        sums.add(&blob, &data, &data.weights);
        Ok(())
    })?;
    if let Some(error) = empty.filter(|_| sums.rows() == 0) {
        return Err(DataError::Columns(error).into());
    }
    remark_on_missing(&counts, common);
    if let Some(remark) = ranges.remark().filter(|_| !common.quiet) {
        say!("srfm: {remark}");
    }
    let evaluated = sums.evaluated(&blob);
    if common.json {
        output::print_json(&Errors { evaluated: &evaluated, data: counts })
    } else {
        output::print(&evaluated.to_string())
    }
}
