//! The grids, thresholds and limits of a search.

/// The largest number of rows that candidates are compared on. The best candidates are compared again on more rows.
pub const COMPARED_ROWS: usize = 2000;

/// The largest number of rows that the best candidates are compared on, and those by stochastic gradients.
pub const MORE_ROWS: usize = 50_000;

/// Rows from which on stochastic gradients are worth their time for any number of inputs, and with which two folds are
/// enough.
pub const MANY_ROWS: usize = 20_000;

/// The share of time and effort that candidates on few rows have: before finals, before a comparison on more rows, and
/// before one of many rows and inputs, of which few rows say little.
pub const BEFORE_FINALS: f64 = 0.8;
pub const BEFORE_MORE_ROWS: f64 = 0.5;
pub const BEFORE_MANY_ROWS: f64 = 0.2;

/// The number of test rows, over all folds, that tells candidates apart.
pub const TESTED_ROWS: usize = 1000;

/// The size of the waves that terms, λ and loss are chosen with, and that of those that warps are chosen with.
pub const FEW: usize = 12;
pub const SOME: usize = 27;

/// The most work of a fit at first, and by how much it grows with the work that is done. Fits to more rows come last
/// and take more each.
pub const FIRST_FIT: f64 = 0.15;
pub const MORE_FOR_FIT: f64 = 0.2;

/// Ridge parameters of lines, of few waves, and of rules and the methods of the papers.
pub const LAMBDAS_OF_LINES: [f64; 9] = [1e-4, 1e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0, 3.0, 10.0];
pub const LAMBDAS_OF_WAVES: [f64; 4] = [1e-6, 1e-4, 1e-2, 1.0];
pub const LAMBDAS_OF_OTHERS: [f64; 4] = [1e-4, 1e-3, 1e-2, 1e-1];

/// Multiples of a ridge parameter for Huber's loss in place of least squares.
pub const FACTORS_OF_HUBER: [f64; 3] = [1.0, 0.1, 0.01];

/// The ratio by which the steps of the refinement grow on the folds, as long as that helps, and for the last fit. There
/// it lowered the errors of ten sets within 2 KB by 2 % and those of 18 sets of SRBench by 0.2 %.
pub const MORE_STEPS: usize = 5;

/// The largest number of inputs that a wave uses together, unless the settings say so.
pub const MOST_DENSE: usize = 16;

/// The share of the error of line and mean that a line with a penalty has at most where linear terms get one, too.
pub const PENALTY_PAYS: f64 = 0.98;

/// The least number of rows that inputs are left out by. On fewer rows, chance decides which inputs seem to do nothing:
/// on 45 rows of a line with noise, features then looked better in five of six tries, and on 110 rows the stated error
/// of pure noise was 1.5 % too low.
pub const LEAST_ROWS: usize = 200;

/// Shares of the importance that the inputs which may be left out have together.
pub const NEGLIGIBLE: [f64; 4] = [0.01, 0.03, 0.1, 0.2];

/// The largest number of inputs whose warps are tried, and that of successive ones in vain.
pub const MOST_WARPED: usize = 16;
pub const MOST_FAILURES: usize = 4;

/// The smallest ratio of an input's largest and smallest readings for which a warp could matter.
pub const LEAST_RATIO: f64 = 2.0;

/// The number of candidates that are compared on more rows.
pub const FINALISTS: usize = 2;
