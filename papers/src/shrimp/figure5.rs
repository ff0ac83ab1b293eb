//! SHRIMP, Figure 5: test error against the number of columns, for f₂, f₅ and f₇ of Table 2 in ten inputs.
//!
//! 140 rows are fitted along SHRIMP's path from 20,000 columns. At every size two other methods fit new columns (least
//! norm; SRFE-S), and a third fits a random selection of SHRIMP's first columns. Figures are medians over the seeds.
//! Rows show each method's lowest error over the sizes; the paper has a chart only.

use nalgebra::DMatrix;

use crate::function::{FUNCTIONS, Function};
use crate::settings::{named, with};
use crate::table::{Outcome, Reproduction, Row, median};
use srfm_cli::report::chart::{Axis, Chart, Extras, Mark, Series};
use srfm_trainer::FitError;
use srfm_trainer::data::Dataset;
use srfm_trainer::method::Terms;
use srfm_trainer::model::Expansion;
use srfm_trainer::sampling::{Sampler, SpectralLaw};
use srfm_trainer::validate::Metrics;

/// Indices into [`FUNCTIONS`].
const CASES: [usize; 3] = [1, 4, 6];
const METHODS: [&str; 4] = ["SHRIMP", "least norm", "SRFE-S", "random pruning"];
const INPUTS: usize = 10;
const CANDIDATES: usize = 10_000;

/// Singular values below this share of the largest count as zero.
const RCOND: f64 = 1e-15;

/// The test error of every method for one number of columns.
type Point = (usize, [f64; 4]);

pub fn compute(run: &Reproduction<'_>) -> Result<Outcome, FitError> {
    let cases = CASES.map(|case| FUNCTIONS[case]);
    let curves = run.over_seeds(&cases, |function, seed| curve(function, seed, run))?;
    let (mut rows, mut charts) = (Vec::new(), Vec::new());
    for (function, curves) in cases.iter().zip(&curves) {
        let mut series = Vec::new();
        for (m, method) in METHODS.iter().enumerate() {
            // The sizes are the same for every seed.
            let error = |t: usize| median(&curves.iter().map(|curve| curve[t].1[m]).collect::<Vec<_>>());
            let points: Vec<(f64, f64)> = (0..curves[0].len()).map(|t| (curves[0][t].0 as f64, error(t))).collect();
            let least = points.iter().map(|point| point.1).fold(f64::INFINITY, f64::min);
            let name = format!("{} {method}, least median MSE over sizes", function.name);
            rows.push(Row::new(name, None, least, "1", curves.len()));
            series.push(Series { name: (*method).to_owned(), points });
        }
        charts.push(Chart {
            name: format!("shrimp-figure5-{}", function.name),
            title: format!("Test error of {} by the number of columns", function.name),
            x: Axis::new("columns", true),
            y: Axis::new("test MSE", true),
            mark: Mark::Lines,
            extras: Extras::default(),
            series,
        });
    }
    Ok(Outcome { rows, charts })
}

fn curve(function: &Function, seed: u64, run: &Reproduction<'_>) -> Result<Vec<Point>, FitError> {
    let mut sampler = Sampler::new(8000 + seed);
    let (train, test) = (function.data(140, INPUTS, &mut sampler), function.data(60, INPUTS, &mut sampler));
    let error = |expansion: &Expansion| Metrics::from_predictions(&expansion.predict(&test.x), &test.y).mse;
    let (order, terms) = (function.order, Terms::None);
    let shrimp = with!(named("shrimp"), features: CANDIDATES, candidates: CANDIDATES, order, terms, rounding: 0.0);
    let path = shrimp.method().fit_sizes(&train, &run.seeded(seed))?;
    let columns = values(&path[0], &train.x);
    let shuffled = sampler.permutation(columns.ncols());
    let law = SpectralLaw::Normal { scale: 1.0 / (order as f64).sqrt() };
    let mut points = Vec::new();
    for pruned in &path {
        let size = pruned.features.len();
        let pairs = size.div_ceil(2);
        let least_norm = with!(named("min-norm"), features: pairs, order, rounding: 0.0, law, terms);
        let srfe = with!(named("srfe"), features: size, candidates: size, order, law, terms, lambda: 0.0);
        points.push((
            size,
            [
                error(pruned),
                error(&least_norm.method().fit_expansion(&train, &run.seeded(seed))?),
                error(&srfe.method().fit_expansion(&train, &run.seeded(seed))?),
                error(&refit(&path[0], &columns, &shuffled[..size], &train)),
            ],
        ));
    }
    Ok(points)
}

/// Returns the values of the features of an expansion without other terms, a column each.
fn values(of: &Expansion, x: &DMatrix<f64>) -> DMatrix<f64> {
    let mut values = DMatrix::zeros(x.nrows(), of.features.len());
    for (feature, mut column) in of.features.iter().zip(values.column_iter_mut()) {
        let alone = Expansion {
            activation: of.activation,
            features: vec![feature.clone()],
            coefficients: DMatrix::from_element(1, 1, 1.0),
            intercept: DMatrix::zeros(1, 1),
            linear: DMatrix::zeros(x.ncols(), 1),
            trees: Vec::new(),
        };
        column.copy_from(&alone.predict(x));
    }
    values
}

/// The interpolant of least norm on some columns of an expansion.
fn refit(of: &Expansion, columns: &DMatrix<f64>, chosen: &[usize], data: &Dataset) -> Expansion {
    let features = chosen.iter().map(|&j| of.features[j].clone()).collect();
    let coefficients = least_norm(&columns.select_columns(chosen), &data.y);
    Expansion { features, coefficients, ..of.clone() }
}

/// Returns the least-squares solution of least norm of `a c = y`, by singular values after a QR factorisation of the
/// longer side.
fn least_norm(a: &DMatrix<f64>, y: &DMatrix<f64>) -> DMatrix<f64> {
    let solve = |r: DMatrix<f64>, y: &DMatrix<f64>| {
        let svd = r.svd(true, true);
        let floor = RCOND * svd.singular_values.max();
        svd.solve(y, floor).expect("both factors are computed")
    };
    if a.ncols() > a.nrows() {
        let (q, r) = a.transpose().qr().unpack();
        q * solve(r.transpose(), y)
    } else {
        let (q, r) = a.clone().qr().unpack();
        solve(r, &q.tr_mul(y))
    }
}
