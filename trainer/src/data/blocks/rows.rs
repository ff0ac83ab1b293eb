//! The rows of a data file, a block after the other.

use std::ops::Range;
use std::path::Path;

use nalgebra::DMatrix;

use crate::data::blocks::UNIT;
use crate::data::blocks::file::TableFile;
use crate::data::column_error::ColumnError;
use crate::data::{
    Counts, DataError, Dataset, Description, Preparation, Prepared, Source, Splitter, Table, TargetKind,
};
use crate::message::message;
use crate::message::setting::{MEMORY, SAMPLE};
use crate::run::Run;
use crate::sampling::Sampler;

/// The share of the memory that the numbers of one block take, as one part of so many: a block is in memory several
/// times, as bytes, as numbers and as inputs and targets, and every thread has a block of its own.
const SHARE: usize = 64;

/// A data file of quantities that is read in blocks of rows, since it may be larger than memory.
pub struct Blocks {
    file: TableFile,
    targets: Vec<String>,
    settings: Preparation,
    description: Description,
    /// The columns of inputs and targets, without rows.
    like: Dataset,
    /// The number of rows of a block.
    size: usize,
    draw: Draw,
}

impl Blocks {
    /// Opens a data file whose targets are the named columns, or the last one without names. Blocks are such that their
    /// rows and the sums over them take about `memory` bytes.
    ///
    /// # Errors
    /// Those of [`Source::prepare`] for the first rows, [`ColumnError::Setting`] if the settings look at other rows
    /// than the present one, and [`DataError::Format`] if the file is compressed with gzip.
    pub fn open(path: &Path, targets: &[String], settings: Preparation, memory: usize) -> Result<Blocks, DataError> {
        let file = TableFile::open(path)?;
        if let Some(setting) = settings.whole_table() {
            let problem = message!("it needs all rows in memory; leave out ", MEMORY, " and ", SAMPLE);
            return Err(ColumnError::Setting { setting: setting.to_owned(), problem }.into());
        }
        let mut blocks = Blocks::of(file, targets, settings, memory);
        let first = blocks.file.block(0..blocks.size.min(blocks.rows()))?;
        let source = Source::new(first, None, targets).with_preparation(blocks.settings.clone());
        let Prepared { data, description, .. } = source.prepare(TargetKind::Quantities)?;
        blocks.like = data.select(&[]);
        blocks.description = description;
        Ok(blocks)
    }

    /// Opens a data file with the columns that `description` names, which those of `like` are.
    ///
    /// # Errors
    /// As [`Table::read`].
    pub fn described(
        path: &Path,
        description: &Description,
        like: Dataset,
        memory: usize,
    ) -> Result<Blocks, DataError> {
        let file = TableFile::open(path)?;
        let blocks = Blocks::of(file, &description.targets, description.preparation(), memory);
        Ok(Blocks { like, description: description.clone(), ..blocks })
    }

    fn of(file: TableFile, targets: &[String], settings: Preparation, memory: usize) -> Blocks {
        let size = size(&file, memory);
        let targets = targets.to_vec();
        let like = Dataset::without_rows(Vec::new(), Vec::new());
        let description = Description::from_dataset(&like, targets.clone(), &settings);
        Blocks { file, targets, settings, description, like, size, draw: Draw::default() }
    }

    /// Returns a warning about the file in one sentence, such as a header with numbers in it.
    pub fn remark(&self) -> Option<&str> {
        self.file.remark()
    }

    /// Returns how the columns become inputs.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Returns the number of rows of the file.
    pub fn rows(&self) -> usize {
        self.file.rows()
    }

    /// Returns the number of inputs and targets.
    pub fn columns(&self) -> usize {
        self.like.inputs() + self.like.outputs()
    }

    /// Draws at most `size` rows to choose features on, and as many to test on at most, of the share `held_out`, as
    /// `splitter` says. Reads the whole file. Missing values of inputs are replaced as the settings say, with means
    /// over the rows drawn. The seed is that of `run`.
    ///
    /// Returns the rows to fit, the rows to test on and the numbers of rows and missing values; none if the observer
    /// asked to stop.
    ///
    /// # Errors
    /// As [`Source::prepare`].
    pub fn draw(
        &mut self,
        size: usize,
        held_out: f64,
        splitter: Splitter,
        run: &Run<'_>,
    ) -> Result<Option<(Dataset, Dataset, Counts)>, DataError> {
        self.draw = Draw::new(self.rows(), size, held_out, splitter, run.seed());
        let mut sample = Vec::new();
        let mut test = Vec::new();
        let mut counts = Counts::default();
        for block in 0..self.count() {
            run.progress(block, self.count());
            if run.interrupted() {
                return Ok(None);
            }
            let rows = self.rows_of(block);
            let Some(prepared) = self.prepared(block)? else {
                counts += Counts::dropped(rows.len());
                continue;
            };
            counts += prepared.counts;
            let of = |drawn: &[usize]| prepared.data.select(&places(drawn, &rows, prepared.kept.as_deref()));
            sample.push(of(&self.draw.sample));
            test.push(of(&self.draw.test));
        }
        let mut sample = joined(&self.like, &sample);
        let mut test = joined(&self.like, &test);
        if sample.rows() == 0 {
            let path = self.file.path().to_owned();
            let rows = self.rows();
            return Err(ColumnError::NoTargetValues { path, rows, grouped: false }.into());
        }
        self.description.replace_missing(&mut sample, Some(&mut test));
        Ok(Some((sample, test, counts)))
    }

    /// Returns the number of blocks.
    pub(crate) fn count(&self) -> usize {
        self.rows().div_ceil(self.size)
    }

    /// Returns the number of rows that may wait in memory.
    pub(crate) fn held(&self) -> usize {
        SHARE / 4 * self.size
    }

    /// Returns the inputs and targets of a block, without the rows that no fit sees. Missing values of inputs are
    /// replaced by the means of the rows that were drawn, if the settings say so.
    ///
    /// # Errors
    /// As [`Source::prepare`].
    pub(crate) fn block(&self, block: usize) -> Result<(DMatrix<f64>, DMatrix<f64>), DataError> {
        let Some(Prepared { mut data, kept, .. }) = self.prepared(block)? else {
            return Ok((self.like.x.clone(), self.like.y.clone()));
        };
        let left_out = places(&self.draw.left_out, &self.rows_of(block), kept.as_deref());
        if !left_out.is_empty() {
            let mut out = left_out.into_iter().peekable();
            data = data.select(&(0..data.rows()).filter(|row| out.next_if_eq(row).is_none()).collect::<Vec<_>>());
        }
        self.description.fill(&mut data.x);
        Ok((data.x, data.y))
    }

    /// Returns the rows of a block.
    fn rows_of(&self, block: usize) -> Range<usize> {
        block * self.size..self.rows().min((block + 1) * self.size)
    }

    /// Returns the rows of a block with NaN for missing values of inputs; none if no row is left.
    fn prepared(&self, block: usize) -> Result<Option<Prepared>, DataError> {
        let table = self.file.block(self.rows_of(block))?;
        let source = Source::new(table, None, &self.targets).with_preparation(self.settings.clone());
        match source.with_description(Some(self.description.clone())).with_gaps(&self.like) {
            Err(DataError::Columns(ColumnError::AllDropped { .. } | ColumnError::NoTargetValues { .. })) => Ok(None),
            prepared => prepared.map(Some),
        }
    }
}

impl Table {
    /// Reads a data file in blocks of successive rows, which take about `memory` bytes.
    ///
    /// # Errors
    /// As [`Table::read`], and [`DataError::Format`] for a file that is compressed with gzip.
    pub fn in_blocks(
        path: &Path,
        memory: usize,
    ) -> Result<impl ExactSizeIterator<Item = Result<Table, DataError>>, DataError> {
        let file = TableFile::open(path)?;
        let rows = file.rows();
        let size = size(&file, memory);
        Ok((0..rows.div_ceil(size)).map(move |block| file.block(block * size..rows.min((block + 1) * size))))
    }
}

/// Returns the number of rows of a block.
fn size(file: &TableFile, memory: usize) -> usize {
    (memory / SHARE / 8 / file.columns().max(1) / UNIT).max(1) * UNIT
}

/// Returns the places of the drawn rows of a file among the rows of a block that are left, `kept` ones or all.
fn places(drawn: &[usize], rows: &Range<usize>, kept: Option<&[usize]>) -> Vec<usize> {
    let within = |end: usize| drawn.partition_point(|&row| row < end);
    let drawn = drawn[within(rows.start)..within(rows.end)].iter().map(|row| row - rows.start);
    match kept {
        None => drawn.collect(),
        Some(kept) => drawn.filter_map(|row| kept.binary_search(&row).ok()).collect(),
    }
}

/// Returns the rows of several parts, with the columns of `like`.
fn joined(like: &Dataset, parts: &[Dataset]) -> Dataset {
    let rows = parts.iter().map(Dataset::rows).sum();
    let mut all =
        Dataset { x: DMatrix::zeros(rows, like.inputs()), y: DMatrix::zeros(rows, like.outputs()), ..like.clone() };
    let mut first = 0;
    for part in parts {
        all.x.rows_mut(first, part.rows()).copy_from(&part.x);
        all.y.rows_mut(first, part.rows()).copy_from(&part.y);
        first += part.rows();
    }
    all
}

/// The random stream of rows to test on.
const TEST_STREAM: u64 = 2;

/// The random stream of rows to choose features on.
const SAMPLE_STREAM: u64 = 7;

/// Rows of a file by their numbers, in ascending order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draw {
    /// The rows to choose features on.
    pub sample: Vec<usize>,
    /// The rows to test on.
    pub test: Vec<usize>,
    /// All rows that no fit sees: those to test on and, in the order of time, all later ones.
    pub left_out: Vec<usize>,
}

impl Draw {
    /// Draws at most `size` rows to choose features on, and as many to test on at most, of the share `held_out`.
    pub fn new(rows: usize, size: usize, held_out: f64, splitter: Splitter, seed: u64) -> Draw {
        let wanted = ((rows as f64 * held_out).round() as usize).min(rows.saturating_sub(1));
        let mut sampler = Sampler::stream(seed, TEST_STREAM);
        let (test, left_out) = if splitter == Splitter::Random {
            let test = chosen(0..rows, rows, wanted.min(size), &mut sampler);
            (test.clone(), test)
        } else {
            let last = rows - wanted..rows;
            (chosen(last.clone(), wanted, wanted.min(size), &mut sampler), last.collect())
        };
        let mut out = left_out.iter().copied().peekable();
        let fitted = (0..rows).filter(|row| out.next_if_eq(row).is_none());
        let count = rows - left_out.len();
        let sample = chosen(fitted, count, count.min(size), &mut Sampler::stream(seed, SAMPLE_STREAM));
        Draw { sample, test, left_out }
    }
}

/// Returns the rows of a sample of at most `size` of `rows` rows, ascending: those that [`Blocks::draw`] takes where no
/// row is held out.
///
/// [`Blocks::draw`]: crate::data::Blocks::draw
pub fn sample_rows(rows: usize, size: usize, seed: u64) -> Vec<usize> {
    Draw::new(rows, size, 0.0, Splitter::Random, seed).sample
}

/// Draws `size` of `count` rows, all subsets with the same probability, in their order (D. E. Knuth, *The Art of
/// Computer Programming*, volume 2, 3.4.2, algorithm S).
fn chosen(rows: impl Iterator<Item = usize>, count: usize, size: usize, sampler: &mut Sampler) -> Vec<usize> {
    let mut drawn = Vec::with_capacity(size);
    for (seen, row) in rows.enumerate() {
        let wanted = size - drawn.len();
        let left = count - seen;
        if wanted == left || (wanted > 0 && sampler.uniform(0.0, left as f64) < wanted as f64) {
            drawn.push(row);
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_drawn_as_often_as_others() {
        let mut counts = vec![0_u32; 40];
        let mut tests = vec![0_u32; 40];
        let draws = 4000;
        for seed in 0..draws {
            let draw = Draw::new(40, 10, 0.1, Splitter::Random, seed);
            assert_eq!((draw.sample.len(), draw.test.len()), (10, 4));
            assert_eq!(draw.test, draw.left_out);
            assert!(draw.sample.is_sorted() && draw.sample.iter().all(|row| !draw.test.contains(row)));
            draw.sample.iter().for_each(|&row| counts[row] += 1);
            draw.test.iter().for_each(|&row| tests[row] += 1);
        }
        // 1000 and 400 on average, with standard deviations of 27 and 19.
        assert!(counts.iter().all(|count| (860..1140).contains(count)), "{counts:?}");
        assert!(tests.iter().all(|count| (305..495).contains(count)), "{tests:?}");
    }

    #[test]
    fn few_rows_are_all_drawn_and_later_rows_are_left_out() {
        let draw = Draw::new(20, 100, 0.0, Splitter::Random, 1);
        assert_eq!(draw, Draw { sample: (0..20).collect(), ..Draw::default() });
        let draw = Draw::new(20, 4, 0.4, Splitter::Forward, 1);
        assert_eq!(draw.left_out, (12..20).collect::<Vec<_>>());
        assert!(draw.test.len() == 4 && draw.test[0] >= 12 && draw.sample.iter().all(|&row| row < 12));
    }
}
