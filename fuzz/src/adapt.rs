//! The adaptation of a model to hostile readings and references.

use srfm_runtime::Model;
use srfm_runtime::adapt::{Adaptation, regressors};

use crate::models::mended;
use crate::reader::Reader;

/// Takes a model, and then readings, references and calls: corrected predictions stay finite and within the limits of
/// the model, the interval stays a number, a reset gives the factory's bits, and a saved state those before.
pub fn adapt(bytes: &[u8]) {
    let mut reader = Reader::new(bytes);
    let blob = mended(reader.part());
    let Ok(model) = Model::parse(&blob) else { return };
    if model.inputs() > 16 || model.outputs() != 1 || model.limits().next().is_none() {
        return;
    }
    let mut adaptation = Adaptation::<7, 28>::new(&model);
    while !reader.is_empty() {
        let call = reader.byte();
        let x: Vec<f32> = (0..model.inputs()).map(|_| reader.float()).collect();
        let mut factory = [0.0];
        assert_eq!(model.predict(&x, &mut factory), Ok(()));
        match call % 8 {
            0..4 => {
                let reference = reader.float();
                let used = adaptation.learn(&model, &x, reference).expect("the model has one output");
                assert!(!used || (reference.is_finite() && factory[0].is_finite()));
            }
            4 => adaptation.recalibration.save(),
            5 => adaptation.recalibration.rollback(),
            6 => adaptation.drift.count(model.outside(&x).count()),
            _ => {
                adaptation.reset(&model);
                let reset = adaptation.predict(&model, &x).expect("the model has one output");
                assert_eq!(reset.to_bits(), factory[0].to_bits());
            }
        }
        check(&adaptation, &model, &x, factory[0]);
    }
}

fn check(adaptation: &Adaptation<7, 28>, model: &Model<'_>, x: &[f32], factory: f32) {
    let [low, high] = model.limits().next().expect("a model of a quantity");
    let predicted = adaptation.predict(model, x).expect("the model has one output");
    assert_eq!(predicted.is_nan(), factory.is_nan(), "{predicted} for {factory}");
    assert!(predicted.is_nan() || (low <= predicted && predicted <= high), "{predicted} within {low}..{high}");
    let half_width = adaptation.interval.half_width();
    assert!((0.0..f32::INFINITY).contains(&half_width), "half-width {half_width}");
    let recalibration = &adaptation.recalibration;
    assert!((0.0..=1.0).contains(&recalibration.share()), "share {}", recalibration.share());
    assert!(recalibration.coefficients().iter().all(|c| c.is_finite()), "{:?}", recalibration.coefficients());
    let variance = recalibration.variance(&regressors(model, x, factory));
    assert!(variance > 0.0 && variance.is_finite(), "variance {variance}");
    assert!(recalibration.recent_offset().is_finite(), "recent offset {}", recalibration.recent_offset());
    adaptation.drift.is_alarmed();
    // Every state can be saved, and goes on with the same bits.
    let mut state = [0; Adaptation::<7, 28>::STATE_BYTES];
    assert_eq!(adaptation.store(model, &mut state), Ok(()));
    let mut restored = Adaptation::<7, 28>::new(model);
    assert_eq!(restored.restore(model, &state), Ok(()));
    let again = restored.predict(model, x).expect("the model has one output");
    assert_eq!(again.to_bits(), predicted.to_bits());
}
