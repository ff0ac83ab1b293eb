//! The rows of a data file for a model: all at once, or in blocks.

use std::path::{Path, PathBuf};

use srfm_trainer::Observer;
use srfm_trainer::data::{Source, Table};
use srfm_trainer::export::Blob;

use crate::common::Common;
use crate::data::DataArgs;
use crate::description;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::values::parse_bytes;

/// The data files of a command that goes through the rows once.
#[derive(clap::Args)]
pub struct RowsArgs {
    /// The model file
    pub model: PathBuf,
    #[command(flatten)]
    pub data: DataArgs,
    /// Memory that the rows may take, such as 64M: the file is read in blocks. Needs a CSV, .npy or Parquet file that
    /// is not gzipped [default: the whole file is read into memory]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    memory: Option<usize>,
}

impl RowsArgs {
    /// Returns whether the rows come in blocks.
    pub fn in_blocks(&self) -> bool {
        self.memory.is_some()
    }

    /// Returns the files that the command reads.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.data.files().chain([self.model.as_path()])
    }

    /// Hands the rows to `take`, a block after the other.
    pub fn each(
        &self,
        blob: &Blob,
        common: &Common,
        mut take: impl FnMut(&Source) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let Some(memory) = self.memory else { return take(&self.data.for_model(&self.model, blob, common)?) };
        let refused = [
            ("--labels", self.data.labels.is_some()),
            ("a model with lags or windows", !blob.model().samples().is_empty()),
        ];
        if let Some((what, _)) = refused.into_iter().find(|(_, given)| *given) {
            return Err(Failure::usage(format!("{what} needs all rows in memory; leave out --memory")));
        }
        let description = description::read(&self.model, blob, common);
        let settings = self.data.columns.preparation(description.as_ref())?;
        let blocks = Table::in_blocks(&self.data.data, memory)?;
        let (count, progress) = (blocks.len(), Progress::new("reading", common));
        if count == 0 {
            return take(&self.data.for_model(&self.model, blob, common)?); // which says that there are no rows
        }
        for (place, table) in blocks.enumerate() {
            if progress.interrupted() {
                return Err(srfm_trainer::FitError::Interrupted.into());
            }
            let table = table?;
            if let Some(remark) = table.remark().filter(|_| place == 0 && !common.quiet) {
                say!("srfm: {remark}");
            }
            let source = Source::new(table, None, &self.data.target).with_preparation(settings.clone());
            take(&source.with_description(description.clone()))?;
            progress.progress(place + 1, count);
        }
        Ok(())
    }
}
