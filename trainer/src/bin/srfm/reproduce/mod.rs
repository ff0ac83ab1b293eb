//! The tables of the papers, computed again: paper and ours side by side; and the frontier of error and cost.

mod arff_cases;
mod arff_sigma;
mod arff_table1;
mod compaction;
mod frontier;
mod frontier_coverage;
mod frontier_flash;
mod gfc;
mod gfc_table1;
mod gfc_table4;
mod gfc_wilcoxon;
mod gradient_descent;
mod harfe_figure3;
mod harfe_figure4;
mod harfe_table1;
mod harfe_table2;
mod harfe_table4;
mod row;
mod shrimp_figure4;
mod shrimp_figure5;
mod shrimp_table2;
mod shrimp_table3;
mod shrimp_table4;
mod shrimp_table6;
mod sine_integral;
mod srff_protocol;
mod srff_real;
mod srff_synthetic;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

pub use row::{Row, heading};

use crate::report::chart::Chart;
use srfm_trainer::data::{self, Dataset};
use srfm_trainer::error::FitError;
use srfm_trainer::method::Shrimp;
use srfm_trainer::model::Expansion;
use srfm_trainer::run::{Observer, Run};

/// A table of a paper, or of the frontier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// HARFE, Table 1: noise-free functions.
    HarfeTable1,
    /// HARFE, Table 2: the Friedman functions.
    HarfeTable2,
    /// HARFE, Table 4: real data.
    HarfeTable4,
    /// HARFE, Figure 3: time of a fit.
    HarfeFigure3,
    /// HARFE, Figure 4: the inputs that matter.
    HarfeFigure4,
    /// SHRIMP, Table 2 in 10 inputs: seven noise-free functions.
    ShrimpTable2,
    /// SHRIMP, Table 2 in 100 inputs.
    ShrimpTable2High,
    /// SHRIMP, Table 3: real data.
    ShrimpTable3,
    /// SHRIMP, Table 4: the state of a truck.
    ShrimpTable4,
    /// SHRIMP, Table 6: variances of the frequencies.
    ShrimpTable6,
    /// SHRIMP, Figure 4: recovery of a support.
    ShrimpFigure4,
    /// SHRIMP, Figure 5: error against the number of features.
    ShrimpFigure5,
    /// ARFF, Case 1: a regularised step.
    ArffCase1,
    /// ARFF, Case 2: five inputs.
    ArffCase2,
    /// ARFF, Case 3: an anisotropic Gaussian.
    ArffCase3,
    /// ARFF, Section 5.1: the best variance of fixed frequencies.
    ArffSigma,
    /// ARFF, Table 1: MNIST.
    ArffTable1,
    /// GFC, Table 1: GFC and à la carte on real data.
    GfcTable1,
    /// GFC, Table 4: random Fourier features on real data.
    GfcTable4,
    /// GFC, Section 3: ranks over the data sets.
    GfcWilcoxon,
    /// SRFF, first experiment: a product of sines in 18 inputs.
    SrffSe1,
    /// SRFF, second experiment: a logarithm in 100 inputs.
    SrffSe2,
    /// SRFF, third experiment: copies of two variables in 1000 inputs.
    SrffSe3,
    /// SRFF, real data.
    SrffReal,
    /// Compaction: small models of the papers' tasks.
    Compaction,
    /// The frontier of Friedman 1 with 200 rows.
    FrontierFriedman1x200,
    /// The frontier of Friedman 1 with 2000 rows.
    FrontierFriedman1x2000,
    /// The frontier of Friedman 2 with 200 rows.
    FrontierFriedman2x200,
    /// The frontier of airfoil self-noise.
    FrontierAirfoil,
    /// What flash buys, on every data set.
    FrontierFlash,
    /// How many rows intervals hold.
    FrontierCoverage,
}

impl Table {
    /// All tables.
    pub const ALL: [Table; 31] = [
        Table::HarfeTable1,
        Table::HarfeTable2,
        Table::HarfeTable4,
        Table::HarfeFigure3,
        Table::HarfeFigure4,
        Table::ShrimpTable2,
        Table::ShrimpTable2High,
        Table::ShrimpTable3,
        Table::ShrimpTable4,
        Table::ShrimpTable6,
        Table::ShrimpFigure4,
        Table::ShrimpFigure5,
        Table::ArffCase1,
        Table::ArffCase2,
        Table::ArffCase3,
        Table::ArffSigma,
        Table::ArffTable1,
        Table::GfcTable1,
        Table::GfcTable4,
        Table::GfcWilcoxon,
        Table::SrffSe1,
        Table::SrffSe2,
        Table::SrffSe3,
        Table::SrffReal,
        Table::Compaction,
        Table::FrontierFriedman1x200,
        Table::FrontierFriedman1x2000,
        Table::FrontierFriedman2x200,
        Table::FrontierAirfoil,
        Table::FrontierFlash,
        Table::FrontierCoverage,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Table::HarfeTable1 => "harfe-table1",
            Table::HarfeTable2 => "harfe-table2",
            Table::HarfeTable4 => "harfe-table4",
            Table::HarfeFigure3 => "harfe-figure3",
            Table::HarfeFigure4 => "harfe-figure4",
            Table::ShrimpTable2 => "shrimp-table2",
            Table::ShrimpTable2High => "shrimp-table2-high",
            Table::ShrimpTable3 => "shrimp-table3",
            Table::ShrimpTable4 => "shrimp-table4",
            Table::ShrimpTable6 => "shrimp-table6",
            Table::ShrimpFigure4 => "shrimp-figure4",
            Table::ShrimpFigure5 => "shrimp-figure5",
            Table::ArffCase1 => "arff-case1",
            Table::ArffCase2 => "arff-case2",
            Table::ArffCase3 => "arff-case3",
            Table::ArffSigma => "arff-sigma",
            Table::ArffTable1 => "arff-table1",
            Table::GfcTable1 => "gfc-table1",
            Table::GfcTable4 => "gfc-table4",
            Table::GfcWilcoxon => "gfc-wilcoxon",
            Table::SrffSe1 => "srff-se1",
            Table::SrffSe2 => "srff-se2",
            Table::SrffSe3 => "srff-se3",
            Table::SrffReal => "srff-real",
            Table::Compaction => "compaction",
            Table::FrontierFriedman1x200 => "frontier-friedman1-200",
            Table::FrontierFriedman1x2000 => "frontier-friedman1-2000",
            Table::FrontierFriedman2x200 => "frontier-friedman2-200",
            Table::FrontierAirfoil => "frontier-airfoil",
            Table::FrontierFlash => "frontier-flash",
            Table::FrontierCoverage => "frontier-coverage",
        }
    }

    /// Computes the table.
    ///
    /// # Errors
    /// [`FitError::Interrupted`], or what a fit says.
    pub fn compute(self, run: &Reproduction<'_>) -> Result<Outcome, FitError> {
        let rows = match self {
            Table::HarfeFigure3 => return harfe_figure3::compute(run),
            Table::HarfeFigure4 => return harfe_figure4::compute(run),
            Table::ShrimpFigure4 => return shrimp_figure4::compute(run),
            Table::ShrimpFigure5 => return shrimp_figure5::compute(run),
            Table::HarfeTable1 => harfe_table1::rows(run),
            Table::HarfeTable2 => harfe_table2::rows(run),
            Table::HarfeTable4 => harfe_table4::rows(run),
            Table::ShrimpTable2 => shrimp_table2::low(run),
            Table::ShrimpTable2High => shrimp_table2::high(run),
            Table::ShrimpTable3 => shrimp_table3::rows(run),
            Table::ShrimpTable4 => shrimp_table4::rows(run),
            Table::ShrimpTable6 => shrimp_table6::rows(run),
            Table::ArffCase1 => arff_cases::step(run),
            Table::ArffCase2 => arff_cases::high(run),
            Table::ArffCase3 => arff_cases::anisotropic(run),
            Table::ArffSigma => arff_sigma::rows(run),
            Table::ArffTable1 => arff_table1::rows(run),
            Table::GfcTable1 => gfc_table1::rows(run),
            Table::GfcTable4 => gfc_table4::rows(run),
            Table::GfcWilcoxon => gfc_wilcoxon::rows(run),
            Table::SrffSe1 => srff_synthetic::product(run),
            Table::SrffSe2 => srff_synthetic::logarithm(run),
            Table::SrffSe3 => srff_synthetic::copies(run),
            Table::SrffReal => srff_real::rows(run),
            Table::Compaction => compaction::rows(run),
            Table::FrontierFriedman1x200 => frontier::rows(&frontier::FRIEDMAN_1_200, run),
            Table::FrontierFriedman1x2000 => frontier::rows(&frontier::FRIEDMAN_1_2000, run),
            Table::FrontierFriedman2x200 => frontier::rows(&frontier::FRIEDMAN_2_200, run),
            Table::FrontierAirfoil => frontier::rows(&frontier::AIRFOIL, run),
            Table::FrontierFlash => frontier_flash::rows(run),
            Table::FrontierCoverage => frontier_coverage::rows(run),
        };
        Ok(Outcome { rows: rows?, charts: Vec::new() })
    }
}

/// A table as it was computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Its figures.
    pub rows: Vec<Row>,
    /// Its pictures.
    pub charts: Vec<Chart>,
}

/// How tables are computed.
#[derive(Clone, Copy)]
pub struct Reproduction<'a> {
    /// Number of seeds; none means the number that the table's thresholds are stated for.
    pub seeds: Option<usize>,
    /// Folder with the data sets that some tables need.
    pub data: Option<&'a Path>,
    /// Receives progress.
    pub observer: &'a dyn Observer,
}

impl Reproduction<'_> {
    /// The run context of a fit with this seed.
    fn seeded(&self, seed: u64) -> Run<'_> {
        Run::new(seed).with_observer(self.observer)
    }

    /// A data set whose file is called `NAME.csv`, perhaps gzipped; none where it is not there.
    fn whole(&self, name: &str) -> Option<Dataset> {
        let read = |end: &str| {
            let path = self.data?.join(format!("{name}.{end}"));
            data::Table::read(&path).and_then(|table| table.into_dataset(&[])).ok()
        };
        read("csv").or_else(|| read("csv.gz"))
    }

    /// The two halves of a data set, files of which one is called `NAME_train.csv` and the other `NAME_test.csv`; none where
    /// they are not there.
    fn halves(&self, name: &str, targets: &[String]) -> Option<(Dataset, Dataset)> {
        let half = |half: &str| {
            let path = self.data?.join(format!("{name}_{half}.csv"));
            data::Table::read(&path).and_then(|table| table.into_dataset(targets)).ok()
        };
        Some((half("train")?, half("test")?))
    }

    /// The fit of the candidate with the least validated error, which is given too.
    fn best_of(&self, candidates: &[(Shrimp, u64)], data: &Dataset) -> Result<(Expansion, f64), FitError> {
        let fits = self
            .over_seeds_of(candidates, 1, |(shrimp, seed), _| Ok(shrimp.fit_validated(data, &self.seeded(*seed))?))?;
        let best = fits.into_iter().flatten().min_by(|a, b| a.1.total_cmp(&b.1));
        Ok(best.expect("there is a candidate"))
    }

    /// Evaluates `work` for every case and every seed from 0, in parallel; one list of results per case.
    ///
    /// `usual` is the number of seeds where none was asked for.
    fn over_seeds<C: Sync, T: Send>(
        &self,
        cases: &[C],
        usual: usize,
        work: impl Fn(&C, u64) -> Result<T, FitError> + Sync,
    ) -> Result<Vec<Vec<T>>, FitError> {
        self.over_seeds_of(cases, self.seeds.unwrap_or(usual), work)
    }

    /// The same with a given number of seeds, whatever was asked for.
    fn over_seeds_of<C: Sync, T: Send>(
        &self,
        cases: &[C],
        seeds: usize,
        work: impl Fn(&C, u64) -> Result<T, FitError> + Sync,
    ) -> Result<Vec<Vec<T>>, FitError> {
        let total = cases.len() * seeds;
        let done = AtomicUsize::new(0);
        let one = |piece: usize| {
            if self.observer.interrupted() {
                return Err(FitError::Interrupted);
            }
            let result = work(&cases[piece / seeds], (piece % seeds) as u64)?;
            self.observer.progress(done.fetch_add(1, Ordering::Relaxed) + 1, total);
            Ok(result)
        };
        let results: Vec<T> = (0..total).into_par_iter().map(one).collect::<Result<_, _>>()?;
        let mut results = results.into_iter();
        Ok(cases.iter().map(|_| results.by_ref().take(seeds).collect()).collect())
    }
}

/// Median of some errors; the mean of the middle two of an even number.
fn median(errors: &[f64]) -> f64 {
    let mut sorted = errors.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n => (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0,
    }
}

/// Mean of some errors.
fn mean(errors: &[f64]) -> f64 {
    errors.iter().sum::<f64>() / errors.len() as f64
}
