//! Coefficients and variances of the Kalman filter, against the posterior of all references at once in `f64`, and under
//! hostile references.

use srfm_runtime::adapt::{Recalibration, Settings};

use super::Random;

/// The factor L of the positive definite matrix `L Lᵀ`, row by row.
fn cholesky(a: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut factor = vec![vec![0.0; a.len()]; a.len()];
    for i in 0..a.len() {
        for j in 0..=i {
            let rest = a[i][j] - (0..j).map(|k| factor[i][k] * factor[j][k]).sum::<f64>();
            factor[i][j] = if i == j { rest.sqrt() } else { rest / factor[j][j] };
        }
    }
    factor
}

/// Solves `L x = b`.
fn solved(factor: &[Vec<f64>], b: &[f64]) -> Vec<f64> {
    let mut x: Vec<f64> = Vec::new();
    for (row, b) in factor.iter().zip(b) {
        let known: f64 = row.iter().zip(&x).map(|(l, x)| l * x).sum();
        x.push((b - known) / row[x.len()]);
    }
    x
}

/// The mean and the variance of the correction for `next` at the step after all references, by Gaussian conditioning.
///
/// Coefficients at the steps s and t have the covariance `A^|s − t| V I`. Residuals are the correction plus noise of
/// the variance 1.
fn posterior(settings: Settings, references: &[(Vec<f64>, f64)], next: &[f64]) -> [f64; 2] {
    let (keeps, variance) = (f64::from(settings.keeps), f64::from(settings.variance));
    let covariance = |(s, a): (usize, &[f64]), (t, b): (usize, &[f64])| {
        keeps.powi(s.abs_diff(t) as i32) * variance * a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>()
    };
    let rows = || references.iter().enumerate().map(|(step, (phi, _))| (step, phi.as_slice()));
    let noise = |s, t| f64::from(u8::from(s == t));
    let matrix: Vec<Vec<f64>> =
        rows().map(|one| rows().map(|other| covariance(one, other) + noise(one.0, other.0)).collect()).collect();
    let factor = cholesky(&matrix);
    let next = (references.len(), next);
    let of_next = solved(&factor, &rows().map(|row| covariance(row, next)).collect::<Vec<_>>());
    let residuals = solved(&factor, &references.iter().map(|&(_, residual)| residual).collect::<Vec<_>>());
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    [dot(&of_next, &residuals), covariance(next, next) - dot(&of_next, &of_next)]
}

/// Regressors of a reference, from numbers from −1 to 1 and the number of references before.
type Regressors = fn(f32, usize) -> f32;

/// The largest differences of coefficients and of variances from those in `f64`, over eighty references.
fn worst(settings: Settings, seed: u64, regressor: Regressors) -> [f64; 2] {
    const N: usize = 5;
    let mut random = Random(seed);
    let mut recalibration = Recalibration::<N, 15>::new(settings);
    let (mut references, mut worst) = (Vec::new(), [0.0_f64; 2]);
    for step in 0..80 {
        let phi: [f32; N] = std::array::from_fn(|i| if i == 0 { 1.0 } else { regressor(random.share(), step * i) });
        // Small enough that no surprise is limited.
        let residual = 0.7 - 0.4 * phi[1] + 0.25 * phi[4] + 0.5 * random.share();
        recalibration.learn(&phi, residual);
        references.push((phi.map(f64::from).to_vec(), f64::from(residual)));
        for (i, &coefficient) in recalibration.coefficients().iter().enumerate() {
            let unit: [f32; N] = std::array::from_fn(|j| f32::from(u8::from(i == j)));
            let [mean, variance] = posterior(settings, &references, &unit.map(f64::from));
            worst[0] = worst[0].max((mean - f64::from(coefficient)).abs());
            worst[1] = worst[1].max((variance - f64::from(recalibration.variance(&unit))).abs());
        }
        let across = [1.0, -1.0, 0.5, 2.0, -3.0];
        let variance = posterior(settings, &references, &across.map(f64::from))[1];
        worst[1] = worst[1].max((variance - f64::from(recalibration.variance(&across))).abs() / 15.0);
    }
    worst
}

#[test]
fn coefficients_and_variances_are_those_of_all_references_at_once() {
    let quick = Settings { keeps: 0.9, ..Settings::DEFAULT };
    let tight = Settings { variance: 0.1, ..Settings::DEFAULT };
    let cases: [(Settings, Regressors); 5] = [
        (Settings::DEFAULT, |x, _| x),
        (quick, |x, _| x),
        (tight, |x, _| x),
        // Readings that are nearly constant, and regressors that are 0 at the last references.
        (Settings::DEFAULT, |x, _| 1.0 + 0.01 * x),
        (Settings::DEFAULT, |x, step| if step > 60 { 0.0 } else { 3.0 * x }),
    ];
    for (case, (settings, regressor)) in cases.into_iter().enumerate() {
        for seed in 0..5 {
            let worst = worst(settings, seed, regressor);
            // Entries of the covariance, of at most 3.3, are rounded to 24 bits by up to 1e-7, and again at each of the
            // eighty references.
            let is_near = |&worst: &f64| worst > 0.0 && worst < 1e-5;
            assert!(worst.iter().all(is_near), "case {case}, seed {seed}: {worst:?}");
        }
    }
}

#[test]
fn directions_without_references_return_to_the_factory_slowly() {
    let mut recalibration = Recalibration::<2, 3>::new(Settings::DEFAULT);
    (0..100).for_each(|_| recalibration.learn(&[0.0, 1.0], 2.0));
    let slope = recalibration.coefficients()[1];
    assert!((1.8..2.0).contains(&slope), "{slope}");
    (0..100).for_each(|_| recalibration.learn(&[1.0, 0.0], -1.0));
    let kept = recalibration.coefficients()[1] / slope;
    // Each of the hundred products is rounded to 24 bits.
    assert!((kept - 0.995_f32.powi(100)).abs() < 1e-5, "{kept}");
}

/// Learns hostile references, and returns the least and the largest variance of a direction over its squared length.
fn variances_of<const N: usize, const T: usize>(settings: Settings, references: usize) -> [f32; 2] {
    let mut random = Random(11);
    let mut recalibration = Recalibration::<N, T>::new(settings);
    let (mut least, mut largest) = (f32::INFINITY, 0.0_f32);
    let mut phi = [0.0; N];
    for step in 0..references {
        // A thousand times in turn: the same regressors, and others of very different sizes.
        if step / 1000 % 2 == 1 || step % 1000 == 0 {
            let size = 10.0_f32.powf(3.0 * random.share());
            phi = std::array::from_fn(|i| if i == 0 { 1.0 } else { (size * random.normal()).clamp(-3.0, 3.0) });
        }
        let residual = [1e30, -1e30, 1e9, -1e9, 0.0, 1.0, -1.0, 50.0, -50.0, f32::MAX][random.bits() as usize % 10];
        recalibration.learn(&phi, residual);
        let unit = std::array::from_fn(|i| f32::from(u8::from(i == step % N)));
        let across = std::array::from_fn(|_| random.share());
        for direction in [phi, unit, across] {
            let variance = recalibration.variance(&direction) / direction.iter().map(|x| x * x).sum::<f32>();
            (least, largest) = (least.min(variance), largest.max(variance));
            assert!(variance.is_finite(), "after {step}");
        }
        let norm2: f32 = recalibration.coefficients().iter().map(|c| c * c).sum();
        assert!(norm2 <= 1.0001 * settings.bound.powi(2), "after {step}: {norm2}");
    }
    [least, largest]
}

#[test]
fn variances_stay_between_those_of_one_step_and_those_without_references() {
    for keeps in [0.5, 0.995, 0.999] {
        let settings = Settings { keeps, ..Settings::DEFAULT };
        let of_step = (1.0 - keeps * keeps) * settings.variance;
        for [least, largest] in [
            variances_of::<2, 3>(settings, 20_000),
            variances_of::<11, 66>(settings, 20_000),
            variances_of::<21, 231>(settings, 40_000),
        ] {
            // Rounding to 24 bits, of up to 21 products.
            assert!(least > 0.99 * of_step && largest < 1.00001 * settings.variance, "{keeps}: {least} {largest}");
        }
    }
}

#[test]
fn regressors_beyond_every_size_leave_numbers() {
    for size in [1e10, 1e18, 1e19, 1e25, 1e38, f32::MAX] {
        let mut recalibration = Recalibration::<3, 6>::new(Settings::DEFAULT);
        for phi in [[size; 3], [size, -size, 0.0], [1.0, 0.5, -0.5], [-size, size, 1.0], [1.0, -0.5, 0.5]] {
            recalibration.learn(&phi, 1.0);
            assert!(recalibration.coefficients().iter().all(|c| c.is_finite()), "{size}: {phi:?}");
            assert!(recalibration.variance(&[1.0, 1.0, 0.0]).is_finite(), "{size}: {phi:?}");
            assert!((0.0..=1.0).contains(&recalibration.share()), "{size}: {phi:?}");
        }
    }
}

#[test]
fn a_bound_beyond_every_size_leaves_numbers() {
    let settings = Settings { bound: f32::MAX, ..Settings::DEFAULT };
    let mut recalibration = Recalibration::<2, 3>::new(settings);
    for step in 0..2000 {
        recalibration.learn(&[1.0, 0.5], if step / 3 % 2 == 0 { f32::MAX } else { f32::MIN });
        assert!(recalibration.coefficients().iter().all(|c| c.is_finite()), "{step}");
        assert!((0.0..=1.0).contains(&recalibration.share()), "{step}");
    }
}
