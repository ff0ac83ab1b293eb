//! Ranges of inputs and intervals around predictions: what the file says of them, and what a fit puts into it.

use srfm_runtime::{Error, Model};
use srfm_tests::{OwnedModel, PREAMBLE, Rng, Shape};
use srfm_trainer::Run;
use srfm_trainer::data::Task;
use srfm_trainer::export;
use srfm_trainer::validate::coverage;
use srfm_trainer::{FitConfig, Grid, fit};

/// A random model of three inputs and two outputs with ranges and intervals.
fn model() -> OwnedModel {
    let shape = Shape { inputs: 3, outputs: 2, blocks: vec![(2, 3)], ..Shape::default() };
    let ranges = vec![[-1.0, 2.0], [f32::NEG_INFINITY, f32::INFINITY], [5.0, 5.0]];
    OwnedModel { ranges, half_widths: vec![0.25, 4.0], ..OwnedModel::random(&shape, &mut Rng::new(1)) }
}

#[test]
fn readings_outside_of_their_range_are_named() {
    let blob = model().blob();
    let parsed = Model::parse(&blob).unwrap();
    let outside = |x: [f32; 3]| parsed.outside(&x).collect::<Vec<_>>();
    assert_eq!(outside([-1.0, 1e30, 5.0]), [0; 0]);
    assert_eq!(outside([2.0, f32::NEG_INFINITY, 5.0]), [0; 0], "the ends are inside");
    assert_eq!(outside([2.000_001, -7.0, 4.999]), [0, 2]);
    assert_eq!(outside([f32::NAN, f32::NAN, f32::INFINITY]), [0, 1, 2], "what is not a number is outside");
    assert_eq!(parsed.outside(&[3.0]).collect::<Vec<_>>(), [0], "fewer readings than inputs");
    assert_eq!([0, 1, 2].map(|output| parsed.half_width(output)), [Some(0.25), Some(4.0), None]);
    assert_eq!(parsed.level(), Some(0.9));
}

#[test]
fn a_file_that_does_not_say_has_no_ranges_and_no_intervals() {
    let plain = OwnedModel { ranges: vec![], half_widths: vec![], ..model() }.blob();
    let parsed = Model::parse(&plain).unwrap();
    assert_eq!((parsed.ranges().len(), parsed.outside(&[f32::NAN; 3]).count()), (0, 0));
    assert_eq!((parsed.half_width(0), parsed.level()), (None, None));
    assert_eq!(OwnedModel { ranges: vec![[0.0, 1.0]; 2], ..model() }.write().err(), Some(Error::Layout));
    assert_eq!(OwnedModel { half_widths: vec![1.0], ..model() }.write().err(), Some(Error::Layout));
    // Sections of another length are as if they were absent: here those of another number of inputs and of outputs.
    let mut blob = model().blob();
    assert_eq!((blob[PREAMBLE + 1], blob[PREAMBLE + 2]), (3, 2), "inputs and outputs");
    blob[PREAMBLE + 1] = 4;
    blob.mend();
    let parsed = Model::parse(&blob).unwrap();
    assert_eq!((parsed.ranges().len(), parsed.half_width(0)), (0, Some(0.25)));
}

#[test]
fn a_fit_says_what_it_saw_and_how_far_it_errs() {
    for seed in 1..4 {
        let data = Task::Friedman1.generate(1200, 1.0, seed);
        let mut config = FitConfig { grid: Grid::from([1e-4, 1e-2]), ..FitConfig::default() };
        config.method = config.method.tuned(|t| t.features = 60);
        let fitted = fit(&data, &config, &Run::new(seed)).unwrap();
        let model = fitted.blob.model();
        for (input, [low, high]) in model.ranges().enumerate() {
            let column = data.x.column(input).map(|v| v as f32);
            assert_eq!((low, high), (column.min(), column.max()));
        }
        assert!(export::outside(&fitted.blob, &data.x).unwrap().into_iter().all(|count| count == 0));
        let half_width = f64::from(model.half_width(0).unwrap());
        let fresh = Task::Friedman1.generate(3000, 1.0, 100 + seed);
        let residuals = export::predict(&fitted.blob, &fresh.x).cast::<f64>() - &fresh.y;
        let covered = coverage(residuals.iter().copied(), half_width);
        assert!((0.87..=0.93).contains(&covered), "{covered}");

        // Nothing to choose from, nothing held back, no interval; and a small file has no room for either.
        let alone = FitConfig { grid: Grid::from([1e-2]), ..config.clone() };
        let alone = fit(&data, &alone, &Run::new(seed)).unwrap().blob;
        assert_eq!((alone.model().level(), alone.model().ranges().len()), (None, 10));
        config.method = config.method.tuned(|t| t.features = 2);
        let small = fit(&data, &config, &Run::new(seed)).unwrap().blob;
        assert_eq!(small.model().ranges().len(), 0, "{} bytes", small.bytes().len());
    }
}
