//! The list of tables: a new table is its file and one row here.

use crate::table::Compute::{self, Charts, Rows};
use crate::table::Table;
use crate::{arff, compaction, frontier, gfc, harfe, shrimp, srbench, srff};

/// All tables, in the order in which they are computed: name, seeds, function, summary.
#[rustfmt::skip]
pub static TABLES: &[Table] = &[
    row("harfe-table1", 10, Rows(harfe::table1::rows), "HARFE, Table 1: noise-free functions"),
    row("harfe-table2", 20, Rows(harfe::table2::rows), "HARFE, Table 2: the Friedman functions"),
    row("harfe-table4", 5, Rows(harfe::table4::rows), "HARFE, Table 4: real data"),
    row("harfe-figure3", 3, Charts(harfe::figure3::compute), "HARFE, Figure 3: time of a fit"),
    row("harfe-figure4", 10, Charts(harfe::figure4::compute), "HARFE, Figure 4: the inputs that matter"),
    row("shrimp-table2", 8, Rows(shrimp::table2::low), "SHRIMP, Table 2: noise-free functions of 10 inputs"),
    row("shrimp-table2-high", 2, Rows(shrimp::table2::high), "SHRIMP, Table 2: noise-free functions of 100 inputs"),
    row("shrimp-table3", 3, Rows(shrimp::table3::rows), "SHRIMP, Table 3: real data"),
    row("shrimp-table4", 3, Rows(shrimp::table4::rows), "SHRIMP, Table 4: the state of a truck"),
    row("shrimp-table6", 10, Rows(shrimp::table6::rows), "SHRIMP, Table 6: variances of the frequencies"),
    row("shrimp-figure4", 4, Charts(shrimp::figure4::compute), "SHRIMP, Figure 4: recovery of a support"),
    row("shrimp-figure5", 3, Charts(shrimp::figure5::compute), "SHRIMP, Figure 5: error by the number of features"),
    row("arff-case1", 5, Rows(arff::cases::step), "ARFF, Case 1: a regularised step"),
    row("arff-case2", 5, Rows(arff::cases::high), "ARFF, Case 2: five inputs"),
    row("arff-case3", 5, Rows(arff::cases::anisotropic), "ARFF, Case 3: an anisotropic Gaussian"),
    row("arff-sigma", 10, Rows(arff::sigma::rows), "ARFF, Section 5.1: the best variance of fixed frequencies"),
    row("arff-table1", 1, Rows(arff::table1::rows), "ARFF, Table 1: MNIST"),
    row("gfc-table1", 3, Rows(gfc::table1::rows), "GFC, Table 1: GFC and à la carte on real data"),
    row("gfc-table4", 3, Rows(gfc::table4::rows), "GFC, Table 4: random Fourier features on real data"),
    row("gfc-wilcoxon", 3, Rows(gfc::wilcoxon::rows), "GFC, Section 3: ranks over the data sets"),
    row("srff-se1", 6, Rows(srff::synthetic::product), "SRFF, Section 5.1: a product of sines, 18 inputs"),
    row("srff-se2", 6, Rows(srff::synthetic::logarithm), "SRFF, Section 5.1: a logarithm, 100 inputs"),
    row("srff-se3", 4, Rows(srff::synthetic::copies), "SRFF, Section 5.1: copies of two variables, 1000 inputs"),
    row("srff-real", 1, Rows(srff::real::rows), "SRFF, Section 5.2: real data"),
    row("compaction", 12, Rows(compaction::rows), "Compaction: small models of the papers' tasks"),
    row("frontier-friedman1-200", 5, Rows(frontier::budgets::friedman_1_200), "Frontier: Friedman 1, 200 rows"),
    row("frontier-friedman1-2000", 5, Rows(frontier::budgets::friedman_1_2000), "Frontier: Friedman 1, 2000 rows"),
    row("frontier-friedman2-200", 5, Rows(frontier::budgets::friedman_2_200), "Frontier: Friedman 2, 200 rows"),
    row("frontier-airfoil", 5, Rows(frontier::budgets::airfoil), "Frontier: airfoil self-noise"),
    row("frontier-flash", 1, Rows(frontier::flash::rows), "Frontier: error by flash, every data set"),
    row("frontier-coverage", 10, Rows(frontier::coverage::rows), "Frontier: share of rows within the intervals"),
    row("srbench-512", 10, Rows(srbench::small), "SRBench: R² within 512 bytes beside 21 methods"),
    row("srbench", 10, Rows(srbench::medium), "SRBench: R² within 2 KB beside 21 methods"),
    row("srbench-1s", 10, Rows(srbench::brief), "SRBench: R² within 2 KB and a second a search"),
];

const fn row(name: &'static str, seeds: usize, compute: Compute, summary: &'static str) -> Table {
    Table { name, summary, seeds, compute }
}
