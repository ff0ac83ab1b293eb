use nalgebra::DMatrix;

use super::whole::refit_rows;
use super::*;
use crate::data::generate::Task;
use crate::data::{Blocks, Dataset, Preparation, Splitter};
use crate::error::FitError;
use crate::export::NumberFormat;
use crate::fit::{Fit, FitConfig, fit};
use crate::method::{Compact, MethodConfig, Mixed, Rules};
use crate::run::Run;
use crate::sums::InMemory;
use crate::trees::Tree;
use crate::validate::Metrics;

/// A fit of few features to a sample, and rows like those of the sample.
fn fitted(rows: usize, number: NumberFormat) -> (Fit, Dataset, Dataset, FitConfig) {
    let method = Compact { features: 8, order: Some(2), lambda: 1e-4, ..Compact::default() };
    fitted_by(method.into(), rows, number)
}

fn fitted_by(method: MethodConfig, rows: usize, number: NumberFormat) -> (Fit, Dataset, Dataset, FitConfig) {
    let data = Task::Friedman1.generate(rows, 1.0, 1);
    let sample = data.select(&(0..500).collect::<Vec<_>>());
    let mut config = FitConfig { method, ..FitConfig::default() };
    config.encoding.number = number;
    (fit(&sample, &config, &Run::new(1)).unwrap(), sample, data, config)
}

#[test]
fn amplitudes_are_the_ridge_regression_on_all_rows() {
    let compact = Compact { features: 8, order: Some(2), lambda: 1e-4, ..Compact::default() };
    let rules = Rules { features: 40, ..Rules::default() };
    let mixed = Mixed { features: 40, ..Mixed::default() };
    for method in [MethodConfig::from(compact), rules.into(), mixed.into()] {
        check_amplitudes(method);
    }
}

fn check_amplitudes(method: MethodConfig) {
    let (fit, sample, data, config) = fitted_by(method, 9000, NumberFormat::F32);
    let features = Features::from_fit(&fit, &sample, &config);
    let sums = features.sums(&data.x, &data.y);
    let rules: usize = fit.model.expansion.trees.iter().map(Tree::rules).sum();
    assert_eq!(features.shape()[1], fit.model.expansion.features.len() + rules);
    let solved = features.solve(&sums, &features.errors(&sums, 0, 1).unwrap()).unwrap();
    // The gradient of the penalised squares is zero at the solution, from the values themselves.
    let values = features.values(&data.x, &data.y);
    let columns = values.ncols() - 1;
    let penalised = columns - features.linear.len();
    let target = values.column(columns);
    let residual = values.columns(0, columns) * &solved.whole.coefficients - target
        + DMatrix::from_element(9000, 1, solved.whole.intercept[0]);
    let mut gradient = values.columns(0, columns).transpose() * &residual;
    for feature in columns - penalised..columns {
        gradient[feature] += solved.lambda * 9000.0 * solved.whole.coefficients[feature];
    }
    // Sums of 9000 terms of size one.
    assert!(gradient.amax() < 1e-8 && residual.sum().abs() < 1e-8, "{}", gradient.amax());
    let refitted = features.finish(&solved, None).unwrap();
    let (before, after) = [&fit.model, &refitted.model]
        .map(|model| Metrics::from_predictions(&model.predict(&data.x), &data.y).rmse)
        .into();
    assert!(after < before, "{after} {before}");
    let residuals = features.residuals(&solved, &data.x, &data.y);
    let stated = features.finish(&solved, Some(&residuals)).unwrap();
    // Limits of the outputs move hardly any prediction.
    assert!((stated.tried[0].1.rmse / refitted.tried[0].1.rmse - 1.0).abs() < 1e-6);
    assert!((stated.tried[0].1.rmse / after - 1.0).abs() < 0.02, "{} {after}", stated.tried[0].1.rmse);
    let covered = crate::validate::coverage(
        (stated.model.predict(&data.x) - &data.y).iter().copied(),
        stated.model.half_widths[0],
    );
    // Three standard deviations of a share of 0.9 among 9000 rows, and the width of a count.
    assert!((covered - 0.9).abs() < 0.013, "{covered}");
}

#[test]
fn a_file_in_blocks_gives_the_bytes_of_rows_in_memory() {
    for number in [NumberFormat::F32, NumberFormat::Int] {
        let (fit, sample, data, config) = fitted(70_000, number);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        data.write_csv(std::fs::File::create(&path).unwrap()).unwrap();
        let Ok(whole) =
            refit_rows(&Features::from_fit(&fit, &sample, &config), &Infallibly(InMemory { x: &data.x, y: &data.y }))
        else {
            panic!("the rows are in memory")
        };
        for (memory, threads) in [(1 << 20, 1), (30 << 20, 2)] {
            let blocks = Blocks::open(&path, &[], Preparation::default(), memory).unwrap();
            let run = Run::new(1).with_threads(threads);
            let refitted = refit(fit.clone(), &sample, &blocks, &config, &run).unwrap();
            assert_eq!(refitted.blob.bytes(), whole.blob.bytes(), "{number:?}, {memory}");
            assert_eq!(refitted.tried[0].1, whole.tried[0].1);
        }
        assert_ne!(whole.blob.bytes(), fit.blob.bytes());
    }
}

#[test]
fn parts_of_whole_spans_give_the_bytes_of_all_rows() {
    let (fit, sample, data, config) = fitted(150_000, NumberFormat::F32);
    let features = Features::from_fit(&fit, &sample, &config);
    let whole = features.sums(&data.x, &data.y);
    let rows =
        |first: usize, rows: usize| (data.x.rows(first, rows).into_owned(), data.y.rows(first, rows).into_owned());
    let mut merged: Option<Sums> = None;
    for (first, count) in [(0, Sums::SPAN), (Sums::SPAN, Sums::SPAN), (2 * Sums::SPAN, 150_000 - 2 * Sums::SPAN)] {
        let (x, y) = rows(first, count);
        let part = features.sums_from_bytes(&features.sums(&x, &y).to_bytes(&features)).unwrap();
        match &mut merged {
            None => merged = Some(part),
            Some(merged) => merged.merge(part),
        }
    }
    assert_eq!(merged.unwrap(), whole);
    // Parts of other lengths differ by rounding alone.
    let first = rows(0, 40_001);
    let second = rows(40_001, 109_999);
    let mut parts = features.sums(&first.0, &first.1);
    parts.merge(features.sums(&second.0, &second.1));
    let errors = |sums: &Sums| features.errors(sums, 0, 1).unwrap();
    let solved = [&parts, &whole].map(|sums| features.solve(sums, &errors(sums)).unwrap().whole.coefficients);
    assert!((&solved[0] - &solved[1]).amax() < 1e-9 * solved[1].amax());
}

#[test]
fn ridge_parameters_that_are_tried_in_shares_give_the_solution_of_all() {
    let (fit, sample, data, config) = fitted(3000, NumberFormat::F32);
    let features = Features::from_fit(&fit, &sample, &config);
    let sums = features.sums(&data.x, &data.y);
    let all = features.errors(&sums, 0, 1).unwrap();
    assert_eq!(all.iter().map(|&(place, _)| place).collect::<Vec<_>>(), (0..10).collect::<Vec<_>>());
    let shares: Vec<_> = (0..4).rev().flat_map(|share| features.errors(&sums, share, 4).unwrap()).collect();
    assert_ne!(shares, all);
    assert_eq!(features.solve(&sums, &shares), features.solve(&sums, &all));
    assert!(features.errors(&sums, 10, 11).unwrap().is_empty());
    // The largest penalty leaves more error than the one that is chosen.
    let solved = features.solve(&sums, &all).unwrap();
    let least: f64 = solved.squared_errors.iter().flatten().sum();
    assert!(solved.lambda < 1.0 && least < 0.95 * all[9].1, "{} {least} {}", solved.lambda, all[9].1);
    // The errors are those of the values themselves.
    let values = features.values(&data.x, &data.y);
    let first = |row: usize| row < 1500;
    for half in 0..2 {
        let solution = &solved.halves[1 - half];
        let columns = solution.coefficients.nrows();
        let error = |row: usize| {
            let of_row = (values.view((row, 0), (1, columns)) * &solution.coefficients)[0];
            (of_row + solution.intercept[0] - values[(row, columns)]).powi(2)
        };
        let direct: f64 = (0..3000).filter(|&row| first(row) == (half == 0)).map(error).sum();
        assert!((solved.squared_errors[half][0] / direct - 1.0).abs() < 1e-9, "{direct}");
    }
}

#[test]
fn a_ridge_parameter_that_is_given_is_taken() {
    let (fit, sample, data, mut config) = fitted(3000, NumberFormat::F32);
    config.grid.lambdas = vec![0.3];
    let features = Features::from_fit(&fit, &sample, &config);
    let sums = features.sums(&data.x, &data.y);
    assert_eq!(features.errors(&sums, 0, 1).unwrap(), []);
    let solved = features.solve(&sums, &[]).unwrap();
    assert_eq!(features.finish(&solved, None).unwrap().chosen.tunable().lambda, Some(0.3));
    // It is larger than the one that would be chosen, and so is the error.
    config.grid.lambdas.clear();
    let free = Features::from_fit(&fit, &sample, &config);
    let best = free.solve(&sums, &free.errors(&sums, 0, 1).unwrap()).unwrap();
    let error = |solved: &Solved| solved.squared_errors.iter().flatten().sum::<f64>();
    assert!(best.lambda < 0.3 && error(&best) < error(&solved), "{} {}", error(&best), error(&solved));
}

#[test]
fn damaged_and_foreign_bytes_are_refused() {
    let (fit, sample, data, config) = fitted(600, NumberFormat::F32);
    let features = Features::from_fit(&fit, &sample, &config);
    let bytes = features.to_bytes();
    assert_eq!(Features::from_bytes(&bytes), Ok(features.clone()));
    let sums = features.sums(&data.x, &data.y).to_bytes(&features);
    for place in (0..sums.len()).step_by(97) {
        let mut damaged = sums.clone();
        damaged[place] ^= 4;
        assert!(features.sums_from_bytes(&damaged).is_err() && features.sums_from_bytes(&sums[..place]).is_err());
    }
    assert_eq!(features.sums_from_bytes(&bytes), Err(StateError::Foreign));
    let mut other = config.clone();
    other.encoding.output_margin = 0.5;
    let other = Features::from_fit(&fit, &sample, &other);
    assert_eq!(other.sums_from_bytes(&sums), Err(StateError::OtherFeatures));
}

#[test]
fn sums_that_no_rows_give_are_damaged() {
    let (fit, sample, data, config) = fitted(2000, NumberFormat::F32);
    let features = Features::from_fit(&fit, &sample, &config);
    let sums = features.sums(&data.x, &data.y);
    let changes: [fn(&mut Sums); 4] = [
        |sums| sums.targets[0] = (2.0, 1.0),
        |sums| sums.inputs[3].0 = f64::NEG_INFINITY,
        |sums| sums.halves[0].means[0] = f64::NAN,
        |sums| sums.halves[1].rows = usize::MAX,
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut damaged = sums.clone();
        change(&mut damaged);
        let read = features.sums_from_bytes(&damaged.to_bytes(&features));
        assert_eq!(read, Err(StateError::Damaged), "change {number}");
    }
    assert_eq!(features.sums_from_bytes(&sums.to_bytes(&features)), Ok(sums));
}

#[test]
fn rows_that_are_left_out_and_gaps_are_no_part_of_the_sums() {
    let (_, _, data, _) = fitted(2000, NumberFormat::F32);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    let mut text = Vec::new();
    data.write_csv(&mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    // A gap in every tenth row.
    let with_gaps = text.lines().enumerate().map(|(line, row)| {
        let rest = row.split_once(',').unwrap().1;
        if line % 10 == 5 { format!(",{rest}\n") } else { format!("{row}\n") }
    });
    std::fs::write(&path, with_gaps.collect::<String>()).unwrap();
    let drop = Preparation::default().with("missing", "drop").unwrap();
    let mut blocks = Blocks::open(&path, &[], drop, 1 << 20).unwrap();
    let (sample, test, counts) = blocks.draw(400, 0.1, Splitter::Random, &Run::new(3)).unwrap().unwrap();
    assert!((330..=390).contains(&sample.rows()) && (150..=199).contains(&test.rows()), "{}", test.rows());
    assert!(counts.remark().unwrap().starts_with("200 of 2000 rows left out"));
    let read: usize = (0..blocks.count()).map(|block| blocks.block(block).unwrap().0.nrows()).sum();
    assert_eq!(read + test.rows(), 1800);
}

/// Rows whose errors are those of fits.
struct Infallibly<'a>(InMemory<'a>);

impl crate::sums::Rows for Infallibly<'_> {
    type Error = FitError;

    fn sum<S: crate::sums::Statistic>(&self, statistic: &S) -> Result<S::Sum, FitError> {
        let Ok(sum) = self.0.sum(statistic);
        Ok(sum)
    }
}
