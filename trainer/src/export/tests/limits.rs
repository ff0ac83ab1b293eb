//! Limits of outputs and readings, and replacements of missing readings, from the fit to the device's code.

use nalgebra::DMatrix;

use crate::data::Dataset;
use crate::export::{self, ExportError, NumberFormat};
use crate::fit::{Fit, FitConfig, Grid, fit};
use crate::method::MethodConfig;
use crate::run::Run;
use crate::sampling::Sampler;
use crate::scaling::{Preprocessing, Warp};

/// Readings from 0.5 to 2 in every input, and a target that rises with the logarithm of the first.
fn data(inputs: usize) -> Dataset {
    let mut sampler = Sampler::new(3);
    let x = DMatrix::from_fn(200, inputs, |_, _| sampler.uniform(0.5, 2.0));
    let y = DMatrix::from_fn(200, 1, |row, _| x[(row, 0)].ln() + x.row(row).sum() / inputs as f64);
    let names = |letter: &str, count: usize| (0..count).map(|i| format!("{letter}{i}")).collect();
    Dataset {
        x,
        y,
        input_names: names("x", inputs),
        output_names: names("y", 1),
        classes: vec![],
        weights: Vec::new(),
        groups: vec![],
        history: Default::default(),
    }
}

fn fitted(data: &Dataset, number: NumberFormat, preprocessing: Preprocessing) -> Result<Fit, crate::FitError> {
    let method = MethodConfig::named("harfe").unwrap().tuned(|t| t.features = 12);
    let grid = Grid::from([1e-3]);
    let config = FitConfig { method, preprocessing, grid, encoding: number.into(), ..FitConfig::default() };
    fit(data, &config, &Run::new(1))
}

/// The predictions of the device for one row.
fn predicted(fit: &Fit, row: &[f64]) -> f32 {
    export::predict(&fit.blob, &DMatrix::from_row_slice(1, row.len(), row))[0]
}

#[test]
fn warped_readings_are_limited_to_their_range() {
    let data = data(3);
    for number in NumberFormat::ALL {
        let warps = vec![Warp::Log, Warp::Identity, Warp::Sqrt];
        let fit = fitted(&data, number, Preprocessing { warps, ..Preprocessing::default() }).unwrap();
        let least = data.x.column(0).min();
        for reading in [0.0, -3.0, 1e-40, f64::NEG_INFINITY] {
            assert_eq!(predicted(&fit, &[reading, 1.0, 1.0]), predicted(&fit, &[least, 1.0, 1.0]), "{number:?}");
        }
        assert_ne!(predicted(&fit, &[1.0, 1e3, 1.0]), predicted(&fit, &[1.0, data.x.column(1).max(), 1.0]));
        let fresh = DMatrix::from_fn(50, 3, |row, i| (row * (i + 2)) as f64 / 20.0);
        let error = (fit.model.predict(&fresh) - export::predict(&fit.blob, &fresh).cast::<f64>()).amax();
        assert!(error < 0.01, "{number:?}: {error:e}");
    }
}

#[test]
fn outputs_are_limited_to_the_range_of_the_targets_and_a_margin() {
    let data = data(3);
    let low = data.y.min();
    let high = data.y.max();
    for number in NumberFormat::ALL {
        let fit = fitted(&data, number, Preprocessing::default()).unwrap();
        let [[least, largest]] = fit.blob.model().limits().collect::<Vec<_>>()[..] else { panic!("one output") };
        let margin = 0.1 * (high - low);
        assert!((f64::from(least) - low + margin).abs() < 1e-6 && (f64::from(largest) - high - margin).abs() < 1e-6);
        let far = [[1e6, 1e6, 1e6], [-1e6, -1e6, -1e6]].map(|row| predicted(&fit, &row));
        assert!(far.iter().all(|y| (least..=largest).contains(y)), "{number:?}: {far:?}");
        assert!(predicted(&fit, &[1.0, f64::NAN, 1.0]).is_nan(), "{number:?}");
    }
}

#[test]
fn all_readings_are_limited_on_request_and_missing_ones_replaced() {
    for inputs in [3, 20] {
        let data = data(inputs);
        for number in NumberFormat::ALL {
            // Every other reading has a replacement.
            let replacements = (0..inputs).map(|i| (i % 2 == 0).then_some(1.25)).collect();
            let preprocessing = Preprocessing { limit_inputs: true, replacements, ..Preprocessing::default() };
            let fit = match fitted(&data, number, preprocessing) {
                Ok(fit) => fit,
                Err(error) => {
                    let expected = ExportError::TooManyPrepared { inputs, limit: 16 };
                    assert!(number == NumberFormat::F32 && inputs > 16, "{number:?}: {error}");
                    assert!(matches!(error, crate::FitError::Export(error) if error == expected));
                    continue;
                }
            };
            assert!(number != NumberFormat::F32 || inputs <= 16);
            let mut row = vec![1.0; inputs];
            let high = data.x.column(1).max();
            let largest = DMatrix::from_row_slice(1, inputs, &row);
            row[1] = 77.0;
            let beyond = predicted(&fit, &row);
            row[1] = high;
            assert_eq!(beyond, predicted(&fit, &row), "{number:?}, {inputs}");
            row[0] = f64::NAN;
            let missing = predicted(&fit, &row);
            let host = fit.model.predict(&DMatrix::from_row_slice(1, inputs, &row))[0];
            assert!((f64::from(missing) - host).abs() < 0.01, "{number:?}: {missing}, {host}");
            row[0] = 1.25;
            assert_eq!(missing, predicted(&fit, &row), "{number:?}, {inputs}");
            row[1] = f64::NAN;
            assert!(predicted(&fit, &row).is_nan(), "{number:?}, {inputs}");
            assert!(export::predict(&fit.blob, &largest)[0].is_finite());
        }
    }
}
