//! The grids, thresholds and limits of a search.

// Rows and folds.

/// The largest number of rows that candidates are compared on. The best candidates are compared again on more rows, or
/// on other divisions of these rows.
pub const COMPARED_ROWS: usize = 2000;

/// The largest number of rows that the best candidates are compared on, and those by stochastic gradients.
pub const MORE_ROWS: usize = 50_000;

/// Rows from which on stochastic gradients are worth their time for any number of inputs, and with which two folds are
/// enough.
pub const MANY_ROWS: usize = 20_000;

/// The number of inputs up to which waves use all inputs together, and inputs get warps; more of them are many.
pub const MANY_INPUTS: usize = 16;

/// The number of test rows, over all folds, that tells candidates apart.
pub const TESTED_ROWS: usize = 1000;

/// Rows for which one division into folds is enough, and the largest number of divisions of fewer rows. Finals have
/// at most as many divisions, whatever the number of rows.
pub const ENOUGH_ROWS: usize = 600;
pub const MOST_DIVISIONS: usize = 3;

// Time and work.

/// The share of time and effort that candidates on few rows have: before finals, before a comparison on more rows, and
/// before one of many rows and inputs, of which few rows say little.
pub const BEFORE_FINALS: f64 = 0.8;
pub const BEFORE_MORE_ROWS: f64 = 0.5;
pub const BEFORE_MANY_ROWS: f64 = 0.2;

/// The most work of a fit at first. It grows by this share of the work that is done: fits to more rows come last and
/// take more each.
pub const MOST_OF_FIT: f64 = 0.2;

// The test of whether a candidate is better.

/// The number of standard errors of the mean difference of the rows' losses by which a candidate must be better
/// than the one whose place it is to take, and features than a line.
pub const BETTER: f64 = 1.0;

/// The number of standard errors by which a candidate must be worse in one fold for the other folds to be left out. A
/// candidate that only seems worse is lost, so the number is a matter of time: with 1 instead of 2, searches of two
/// seconds on 57 sets found models of 0.6 % less error. Searches of twelve seconds on ten sets found models of 3 %
/// more.
pub const CLEARLY_WORSE: f64 = 2.0;

/// The least number of rows of that fold. Fewer rows tell little, and their fits take little time.
pub const LEAST_ROWS_OF_FOLD: usize = 30;

/// The share of the error of line and mean that a line with a penalty has at most where linear terms get one, too.
pub const PENALTY_PAYS: f64 = 0.98;

/// The limit of the rounding error while candidates are compared, as a multiple of the final limit. Scores already
/// include the device's rounding, so a fold may exceed the final limit slightly. Without the allowance, a search in
/// integers within 2 KB kept 12 waves on airfoil or none, at 1.8 to 3.5 times the error.
pub const ROUNDING_ALLOWANCE: f64 = 2.0;

// Settings of candidates.

/// The size of the waves that terms, λ, loss, inputs and warps are chosen with.
pub const FEW: usize = 12;

/// Ridge parameters of lines, of few waves, and of rules and the methods of the papers; and the factors by which that
/// of the best candidate changes.
pub const LAMBDAS_OF_LINES: [f64; 9] = [1e-4, 1e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0, 3.0, 10.0];
pub const LAMBDAS_OF_WAVES: [f64; 4] = [1e-6, 1e-4, 1e-2, 1.0];
pub const LAMBDAS_OF_OTHERS: [f64; 4] = [1e-4, 1e-3, 1e-2, 1e-1];
pub const OTHER_LAMBDAS: [f64; 4] = [0.1, 10.0, 0.3, 3.0];

/// Multiples of a ridge parameter for Huber's loss in place of least squares. With the first alone, the errors of
/// Friedman's functions with outliers were a third larger.
pub const FACTORS_OF_HUBER: [f64; 3] = [1.0, 0.1, 0.01];

/// The ratio by which the steps of the refinement grow on the folds, as long as that helps, and for the last fit. There
/// it lowered the errors of ten sets within 2 KB by 2 % and those of 18 sets of SRBench by 0.2 %.
pub const MORE_STEPS: usize = 5;

/// The least number of rows that inputs are left out by. On fewer rows, chance decides which inputs seem to do nothing:
/// on 45 rows of a line with noise, features then looked better in five of six tries, and on 110 rows the stated error
/// of pure noise was 1.5 % too low.
pub const LEAST_ROWS: usize = 200;

/// The smallest ratio of an input's largest and smallest readings for which a warp could matter. Without it, warps took
/// the effort that sizes need: three searches of `propulsion`, a target without noise, had twice the error.
pub const LEAST_RATIO: f64 = 2.0;

/// The share of the importance that the inputs which are left out at a time have together at most.
pub const NEGLIGIBLE: f64 = 0.1;

// Stochastic gradients.

/// The features and the steps of the first candidate.
pub const FIRST_GRADIENTS: usize = 4;
pub const FIRST_GRADIENT_STEPS: usize = 500;

/// The ratios of the steps, and of the inputs per feature, of successive candidates.
pub const MORE_GRADIENT_STEPS: usize = 8;
pub const FEWER_INPUTS: usize = 3;

// The last comparisons.

/// The number of candidates that are compared on more rows.
pub const FINALISTS_ON_MORE_ROWS: usize = 2;

/// The number of finalists that are taken for their error alone.
pub const FINALISTS: usize = 4;
