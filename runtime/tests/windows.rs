//! Models whose inputs are statistics of windows.

use srfm_runtime::format::{Statistic, WindowInput};
use srfm_runtime::history::Window;
use srfm_runtime::{Error, History, Model};
use srfm_testing::{AWKWARD, OwnedModel, OwnedWindows, Rng, band};

/// A model with an output for every input, so that predictions show all statistics.
fn showing(statistics: OwnedWindows) -> OwnedModel {
    let inputs = statistics.inputs.len();
    OwnedModel {
        inputs: inputs as u16,
        statistics: Some(statistics),
        intercepts: vec![0.0; inputs],
        limits: vec![[-f32::MAX, f32::MAX]; inputs],
        linear_weights: (0..inputs * inputs).map(|i| if i % (inputs + 1) == 0 { 1.0 } else { 0.0 }).collect(),
        linear_inputs: (0..inputs as u16).collect(),
        ..OwnedModel::default()
    }
}

/// Windows of four samples of one channel, a window every second sample.
fn means() -> OwnedWindows {
    let input = WindowInput { channel: 0, statistic: Statistic::Mean };
    OwnedWindows { samples: 4, step: 2, kept: vec![true], inputs: vec![input] }
}

/// Returns a statistic in double precision by its definition.
fn in_double_precision(statistic: Statistic, readings: &[f32]) -> f64 {
    let readings: Vec<f64> = readings.iter().map(|&reading| reading.into()).collect();
    let n = readings.len() as f64;
    let mean = readings.iter().sum::<f64>() / n;
    match statistic {
        Statistic::Unused => 0.0,
        Statistic::Mean => mean,
        Statistic::Deviation => (readings.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt(),
        Statistic::Minimum => readings.iter().copied().fold(f64::INFINITY, f64::min),
        Statistic::Maximum => readings.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        Statistic::Crossings => readings.windows(2).filter(|pair| (pair[0] > mean) != (pair[1] > mean)).count() as f64,
        Statistic::Band(band) => {
            // The discrete Fourier transform, not Goertzel's algorithm.
            let angle = |i: usize| std::f64::consts::TAU * f64::from(band.cycles) * i as f64 / n;
            let [mut real, mut imaginary] = [0.0; 2];
            for (i, reading) in readings.iter().enumerate() {
                real += (reading - mean) * angle(i).cos();
                imaginary += (reading - mean) * angle(i).sin();
            }
            2.0 / n * real.hypot(imaginary)
        }
    }
}

/// Statistics agree with those in double precision.
///
/// A sum of n readings of at most 4 is rounded n times by at most 2⁻²⁴ 4 n, which leaves the mean off by 2⁻²⁴ 4 n. The
/// root of a mean square has a similar error. The states of Goertzel's algorithm are sums that grow to n² / (2π k) at
/// most. Each of n steps rounds them by 2⁻²⁴ n, and the amplitude is 2 / n of their size: 2⁻²⁴ 4 n².
#[test]
fn statistics_are_those_of_double_precision() {
    let rng = &mut Rng::new(3);
    for samples in [2_u16, 3, 5, 8, 31, 64, 100, 257] {
        let n = f64::from(samples);
        let rounding = 4.0 * f64::from(f32::EPSILON) / 2.0;
        for _ in 0..20 {
            let tone = rng.float(2.0);
            let cycles = rng.float(n as f32 / 2.0);
            let reading = |i: usize, rng: &mut Rng| {
                1.0 + rng.float(1.0) + tone * (std::f32::consts::TAU * cycles * i as f32 / n as f32).sin()
            };
            let readings: Vec<f32> = (0..usize::from(samples)).map(|i| reading(i, rng)).collect();
            let window = Window::new(&readings);
            let simple = [Statistic::Mean, Statistic::Deviation, Statistic::Minimum, Statistic::Maximum];
            for statistic in simple {
                let margin = 2.0 * n * rounding;
                let found = f64::from(window.statistic(statistic));
                let expected = in_double_precision(statistic, &readings);
                assert!((found - expected).abs() <= margin, "{samples} {statistic:?}: {found} {expected}");
            }
            let crossings = f64::from(window.statistic(Statistic::Crossings));
            assert_eq!(crossings, in_double_precision(Statistic::Crossings, &readings), "{samples}");
            for cycles in 1..samples.div_ceil(2) {
                let statistic = band(cycles, samples);
                let found = f64::from(window.statistic(statistic));
                let expected = in_double_precision(statistic, &readings);
                assert!((found - expected).abs() <= n * n * rounding, "{samples} {statistic:?}: {found} {expected}");
            }
        }
    }
}

/// Every window of random models has the statistics of its samples, which only the definition of windows gives.
#[test]
fn a_history_predicts_from_complete_windows() {
    let rng = &mut Rng::new(4);
    for round in 0..200 {
        let samples = 2 + rng.below(12) as u16;
        let windows = OwnedWindows::random(samples, 1 + rng.below(8), rng);
        let owned = showing(windows.clone());
        let blob = owned.blob();
        let model = Model::parse(&blob).unwrap();
        let kept: Vec<usize> = (0..windows.kept.len()).filter(|&channel| windows.kept[channel]).collect();
        assert_eq!((model.channels(), model.slots()), (windows.kept.len(), usize::from(samples) * kept.len()));
        assert_eq!((model.samples().depth(), model.samples().step()), (samples, windows.step));
        let mut signal: Vec<Vec<f32>> =
            (0..50).map(|_| windows.kept.iter().map(|_| rng.float(3.0)).collect()).collect();
        if round % 4 == 0 {
            let row = rng.below(50);
            signal[row][0] = AWKWARD[rng.below(AWKWARD.len())];
        }
        let mut history = History::<{ 4 * 13 }, 8>::new();
        let mut predictions = 0;
        for now in 0..signal.len() {
            let mut y = vec![-7.0; owned.intercepts.len()];
            let ready = history.predict(&model, &signal[now], &mut y).unwrap();
            let before = (now + 1).checked_sub(usize::from(samples));
            let complete = before.filter(|before| before % usize::from(windows.step) == 0);
            assert_eq!(ready, complete.is_some(), "sample {now} of {windows:?}");
            let Some(first) = complete else {
                assert!(y.iter().all(|y| *y == -7.0), "written without a window");
                continue;
            };
            predictions += 1;
            let inputs: Vec<f32> =
                windows.inputs.iter().map(|input| of_window(input, &kept, &signal[first..=now])).collect();
            let mut expected = vec![0.0; y.len()];
            model.predict(&inputs, &mut expected).unwrap();
            assert!(y.iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()));
        }
        assert_eq!(predictions, model.samples().predictions(signal.len()));
    }
}

/// Returns an input of a window of samples.
fn of_window(input: &WindowInput, kept: &[usize], signal: &[Vec<f32>]) -> f32 {
    let readings: Vec<f32> = signal.iter().map(|sample| sample[kept[usize::from(input.channel)]]).collect();
    Window::new(&readings).statistic(input.statistic)
}

#[test]
fn a_missing_reading_makes_every_statistic_missing() {
    for place in 0..9 {
        let mut readings = [1.0, -2.0, 3.0, 0.5, 0.25, 9.0, -4.0, 1.0, 2.0];
        readings[place] = f32::NAN;
        let window = Window::new(&readings);
        let simple = [Statistic::Mean, Statistic::Deviation, Statistic::Minimum, Statistic::Maximum];
        let others = [Statistic::Crossings, band(1, 9), band(4, 9)];
        for statistic in simple.into_iter().chain(others) {
            assert!(window.statistic(statistic).is_nan(), "{statistic:?} of {readings:?}");
        }
    }
}

#[test]
fn a_cleared_history_waits_for_a_whole_window() {
    let blob = showing(means()).blob();
    let model = Model::parse(&blob).unwrap();
    let mut history = History::<4, 1>::new();
    let predictions = |history: &mut History<4, 1>, signal: &[f32]| -> Vec<Option<f32>> {
        let mut y = [0.0];
        signal.iter().map(|&v| history.predict(&model, &[v], &mut y).unwrap().then_some(y[0])).collect()
    };
    let first = predictions(&mut history, &[1.0, 2.0, 3.0, 4.0, 9.0, 8.0, 7.0]);
    assert_eq!(first, [None, None, None, Some(2.5), None, Some(6.0), None]);
    history.clear();
    assert_eq!(predictions(&mut history, &[4.0, 4.0, 4.0, 8.0]), [None, None, None, Some(5.0)]);
}

#[test]
fn the_samples_of_a_longer_history_do_no_harm() {
    let long = OwnedModel { statistics: Some(OwnedWindows { samples: 9, ..means() }), ..showing(means()) }.blob();
    let short = showing(means()).blob();
    let mut history = History::<9, 1>::new();
    let mut y = [0.0];
    for _ in 0..8 {
        assert_eq!(history.predict(&Model::parse(&long).unwrap(), &[100.0], &mut y), Ok(false));
    }
    // Without a call of `clear`, the window of the other model begins anew.
    for ready in [false, false, false, true] {
        assert_eq!(history.predict(&Model::parse(&short).unwrap(), &[1.0], &mut y), Ok(ready));
    }
    assert_eq!(y, [1.0]);
}

#[test]
fn counts_and_small_buffers_are_refused() {
    let blob = showing(means()).blob();
    let model = Model::parse(&blob).unwrap();
    let mut y = [0.0];
    assert_eq!(History::<3, 1>::new().predict(&model, &[0.0], &mut y), Err(Error::TooLarge));
    assert_eq!(History::<4, 0>::new().predict(&model, &[0.0], &mut y), Err(Error::TooLarge));
    assert_eq!(History::<4, 1>::new().predict(&model, &[], &mut y), Err(Error::WrongInputs { expected: 1 }));
    assert_eq!(History::<4, 1, i16>::new().push(&model, &[0]), Err(Error::NotIntegers));
    assert!(!model.takes_counts());
}

#[test]
fn damaged_windows_are_refused() {
    let refusal = |change: fn(&mut OwnedModel)| {
        let mut owned = showing(means());
        change(&mut owned);
        Model::parse(&owned.blob()).err()
    };
    assert_eq!(refusal(|_| ()), None);
    let windows = |owned: &mut OwnedModel, change: fn(&mut OwnedWindows)| {
        owned.statistics.iter_mut().for_each(change);
    };
    let changes: [fn(&mut OwnedWindows); 8] = [
        |w| w.samples = 1,
        |w| w.samples = 1025,
        |w| w.step = 0,
        |w| w.step = 5,
        |w| w.kept = vec![false],
        |w| w.kept = vec![],
        |w| w.inputs[0].channel = 1,
        |w| w.inputs[0].statistic = band(2, 4),
    ];
    for change in changes {
        let mut owned = showing(means());
        windows(&mut owned, change);
        assert_eq!(Model::parse(&owned.blob()).err(), Some(Error::Layout));
    }
    let mut owned = showing(means());
    windows(&mut owned, |w| w.inputs.clear());
    assert_eq!(owned.write().err(), Some(Error::Layout), "no statistic for an input");
}

#[test]
fn a_file_with_lags_and_windows_is_refused() {
    // Both sections of golden files, whose models have as many inputs.
    let section = |bytes: &[u8], tag: u8| {
        let at = bytes.iter().position(|&byte| byte == tag).expect("the section");
        bytes[at..at + 2 + usize::from(bytes[at + 1])].to_vec()
    };
    let lags = srfm_testing::Blob::new(include_bytes!("../golden/history.srfm"));
    let mut windows = means();
    windows.inputs = vec![windows.inputs[0]; 2];
    let blob = showing(windows).blob();
    let of_lags = section(&lags, 0x82);
    // The header grows by the other section; the tensors begin at a multiple of four bytes.
    let header = usize::from(u16::from_le_bytes([blob[6], blob[7]]));
    let mut bytes = blob[..12 + header].to_vec();
    bytes.extend(&of_lags);
    bytes[6..8].copy_from_slice(&((header + of_lags.len()) as u16).to_le_bytes());
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes.extend(&blob[(12 + header).next_multiple_of(4)..]);
    let mut both = srfm_testing::Blob::new(&bytes);
    both.mend();
    assert_eq!(Model::parse(&both).err(), Some(Error::Layout));
}
