//! The options of tables larger than memory.

use clap::builder::RangedU64ValueParser;

use crate::headings::ROWS;
use crate::values::parse_bytes;

#[derive(Clone, Copy, clap::Args)]
pub struct LargeArgs {
    /// Memory that the rows may take, such as 1G: the features are chosen on a sample of the rows, and the file is read
    /// three times in blocks, for the sample, for the amplitudes, and for the error and the intervals. Needs a CSV,
    /// .npy or Parquet file that is not gzipped [default: the whole file is read into memory]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, help_heading = ROWS)]
    pub memory: Option<usize>,
    /// Rows of the sample that features are chosen on; a file with at most as many rows is fitted as a whole [default:
    /// with --memory 100000, or fewer if these are more than 16 million values or more than the memory]
    #[arg(long, value_name = "ROWS",
          value_parser = RangedU64ValueParser::<usize>::new().range(100..), help_heading = ROWS)]
    pub sample: Option<usize>,
}

impl LargeArgs {
    /// Returns whether the rows may be read in blocks, so that amplitudes are fitted apart from the features.
    pub fn in_blocks(&self) -> bool {
        self.memory.is_some() || self.sample.is_some()
    }
}
