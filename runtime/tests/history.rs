//! Models that look at earlier samples.

use srfm_runtime::format::Place;
use srfm_runtime::{Error, History, Model};
use srfm_testing::{OwnedModel, Rng};

/// A sum of inputs, each weighted by a power of two, so that the sum of small whole numbers shows every input.
fn sum_of(windows: Vec<u8>, places: Vec<Place>) -> OwnedModel {
    let inputs = places.len() as u16;
    OwnedModel {
        inputs,
        windows,
        places,
        intercepts: vec![0.0],
        limits: vec![[-1e30, 1e30]],
        linear_weights: (0..inputs).map(|i| (1_u32 << i) as f32).collect(),
        linear_inputs: (0..inputs).collect(),
        ..OwnedModel::default()
    }
}

#[test]
fn inputs_are_readings_of_earlier_samples() {
    let mut rng = Rng::new(1);
    for _ in 0..200 {
        let windows: Vec<u8> = (0..1 + rng.below(4)).map(|_| rng.below(5) as u8).collect();
        let slots: usize = windows.iter().map(|&window| usize::from(window)).sum();
        if slots < 2 {
            continue;
        }
        // Every slot, with the channel and the lag it stands for.
        let origin: Vec<(usize, usize)> =
            windows.iter().enumerate().flat_map(|(c, &w)| (0..usize::from(w)).map(move |lag| (c, lag))).collect();
        let places: Vec<Place> = (0..1 + rng.below(6))
            .map(|_| {
                let slot = rng.below(slots);
                let older = origin.get(slot + 1).is_some_and(|&(channel, _)| channel == origin[slot].0);
                Place { slot, difference: older && rng.below(2) == 0 }
            })
            .collect();
        let depth = u16::from(windows.iter().copied().max().unwrap_or(0).max(1));
        let owned = sum_of(windows.clone(), places.clone());
        let blob = owned.blob();
        let model = Model::parse(&blob).unwrap();
        assert_eq!((model.channels(), model.slots(), model.samples().depth()), (windows.len(), slots, depth));

        let samples: Vec<Vec<f32>> = (0..12).map(|_| windows.iter().map(|_| rng.below(100) as f32).collect()).collect();
        let mut history = History::<16, 6>::new();
        for now in 0..samples.len() {
            let mut y = [f32::NAN];
            let ready = history.predict(&model, &samples[now], &mut y).unwrap();
            assert_eq!(ready, now + 1 >= usize::from(depth));
            if !ready {
                assert!(y[0].is_nan(), "written without enough samples");
                continue;
            }
            let reading = |slot: usize| samples[now - origin[slot].1][origin[slot].0];
            let value = |p: &Place| reading(p.slot) - if p.difference { reading(p.slot + 1) } else { 0.0 };
            let expected: f32 = places.iter().enumerate().map(|(i, p)| (1_u32 << i) as f32 * value(p)).sum();
            assert_eq!(y[0], expected, "{windows:?} {places:?} {now}");
        }
    }
}

#[test]
fn a_cleared_history_waits_for_samples_again() {
    let places = vec![Place { slot: 2, difference: false }];
    let blob = sum_of(vec![3], places).blob();
    let model = Model::parse(&blob).unwrap();
    let mut history = History::<3, 1>::new();
    let predictions = |history: &mut History<3, 1>, samples: &[f32]| -> Vec<Option<f32>> {
        let mut y = [0.0];
        samples.iter().map(|&x| history.predict(&model, &[x], &mut y).unwrap().then_some(y[0])).collect()
    };
    assert_eq!(predictions(&mut history, &[1.0, 2.0, 3.0, 4.0]), [None, None, Some(1.0), Some(2.0)]);
    history.clear();
    assert_eq!(predictions(&mut history, &[5.0, 6.0, 7.0]), [None, None, Some(5.0)]);
}

#[test]
fn a_model_without_lags_takes_every_sample() {
    let blob = sum_of(vec![], vec![Place { slot: 0, difference: false }; 2]).blob();
    let model = Model::parse(&blob).unwrap();
    let mut y = [0.0];
    assert_eq!(History::<2, 2>::new().predict(&model, &[1.0, 4.0], &mut y), Ok(true));
    assert_eq!(y, [9.0]);
}

#[test]
fn buffers_and_samples_of_wrong_lengths_are_refused() {
    let blob = sum_of(vec![2, 1], vec![Place { slot: 0, difference: true }; 2]).blob();
    let model = Model::parse(&blob).unwrap();
    let mut y = [0.0];
    assert_eq!(History::<2, 2>::new().predict(&model, &[0.0; 2], &mut y), Err(Error::TooLarge));
    assert_eq!(History::<3, 1>::new().predict(&model, &[0.0; 2], &mut y), Err(Error::TooLarge));
    let mut history = History::<3, 2>::new();
    assert_eq!(history.predict(&model, &[0.0; 3], &mut y), Err(Error::WrongInputs { expected: 2 }));
    assert_eq!(history.predict(&model, &[0.0; 2], &mut y), Ok(false));
    assert_eq!(history.predict(&model, &[0.0; 2], &mut []), Err(Error::WrongOutputs { expected: 1 }));
}

#[test]
fn damaged_histories_are_refused() {
    let mut owned = sum_of(vec![2, 1], vec![Place { slot: 2, difference: false }]);
    assert!(Model::parse(&owned.blob()).is_ok());
    owned.places = vec![Place { slot: 3, difference: false }];
    assert_eq!(Model::parse(&owned.blob()).err(), Some(Error::Layout));
    owned.places = vec![Place { slot: 2, difference: true }];
    assert_eq!(Model::parse(&owned.blob()).err(), Some(Error::Layout));
    owned.places = vec![Place { slot: 0x8000, difference: false }];
    assert_eq!(owned.write().err(), Some(Error::TooLarge));
    owned.places = vec![];
    assert_eq!(owned.write().err(), Some(Error::Layout));
}
