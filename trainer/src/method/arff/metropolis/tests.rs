use super::*;

/// Values at 401 points from −8 to 8 of a Gaussian less its mean, beyond which nothing is left of it.
fn gaussian() -> (Vec<f64>, Vec<f64>) {
    let x: Vec<f64> = (0..401).map(|i| -8.0 + 0.04 * f64::from(i)).collect();
    let y: Vec<f64> = x.iter().map(|x| (-x * x / 2.0).exp()).collect();
    (x, y)
}

fn walk<'a>(x: &'a DMatrix<f64>, y: &'a DMatrix<f64>, inputs: &'a [usize]) -> Walk<'a> {
    Walk {
        x,
        y,
        inputs,
        basis: Basis::Pair,
        lambda: 0.1,
        batch: usize::MAX,
        step_length: 1.2,
        exponent: 2.0,
        max_frequency: 100.0,
        exchange: 0.0,
        refit: 0,
        burn_in: None,
    }
}

fn at_rest(count: usize, support: &[usize]) -> Vec<Feature> {
    let feature = Feature { support: support.to_vec(), weights: vec![0.0; support.len()], bias: 0.0 };
    vec![feature; count]
}

fn run(walk: &Walk<'_>, first: Vec<Feature>, seed: u64, steps: usize) -> Chain {
    let mut chain = walk.start(first, Sampler::new(seed)).unwrap();
    (0..steps).for_each(|_| walk.step(&mut chain).unwrap());
    chain
}

#[test]
fn a_lone_frequency_has_the_law_of_its_amplitude() {
    // One complex amplitude is the Fourier transform, β(ω) ∝ e^{−ω²/2}: the law ∝ |β|^γ is N(0, 1/γ).
    let (x, y) = gaussian();
    let (x, y) = (DMatrix::from_vec(401, 1, x), DMatrix::from_vec(401, 1, y));
    for (seed, exponent) in [(1, 1.0), (2, 2.0), (3, 8.0)] {
        let walk = Walk { basis: Basis::Complex, exponent, step_length: 2.4 / exponent.sqrt(), ..walk(&x, &y, &[0]) };
        let mut chain = walk.start(at_rest(1, &[0]), Sampler::new(seed)).unwrap();
        let steps = 20_000;
        let mut moments = [0.0; 3];
        for _ in 0..steps {
            walk.step(&mut chain).unwrap();
            let z = chain.frequencies[0].weights[0] * exponent.sqrt();
            [z, z * z, z.powi(4)].iter().zip(&mut moments).for_each(|(value, sum)| *sum += value / steps as f64);
        }
        // A walk of this length forgets in some five steps: 4000 independent draws, and four standard errors of
        // the moments of a normal: √(1/4000), √(2/4000), √(96/4000).
        assert!(moments[0].abs() < 0.064, "{moments:?}");
        assert!((moments[1] - 1.0).abs() < 0.09, "{moments:?}");
        assert!((moments[2] - 3.0).abs() < 0.62, "{moments:?}");
    }
}

#[test]
fn inputs_are_visited_by_the_power_of_their_amplitudes() {
    // y = 2 g(x₁) + g(x₂) on a grid: |β| is twice as large on the first input, whatever the frequency.
    let (points, mut g) = gaussian();
    let (points, g_mean): (Vec<f64>, f64) = (points.into_iter().step_by(20).collect(), {
        g = g.into_iter().step_by(20).collect();
        g.iter().sum::<f64>() / g.len() as f64
    });
    let side = points.len();
    let x = DMatrix::from_fn(side * side, 2, |row, i| points[if i == 0 { row % side } else { row / side }]);
    let y = DMatrix::from_fn(side * side, 1, |row, _| 2.0 * (g[row % side] - g_mean) + g[row / side] - g_mean);
    let walk =
        Walk { basis: Basis::Complex, exchange: 0.5, step_length: 1.0, max_frequency: 3.0, ..walk(&x, &y, &[0, 1]) };
    let mut chain = walk.start(at_rest(1, &[1]), Sampler::new(5)).unwrap();
    let steps = 20_000;
    let mut on_first = 0;
    for _ in 0..steps {
        walk.step(&mut chain).unwrap();
        on_first += usize::from(chain.frequencies[0].support == [0]);
    }
    // 2² to 1. An exchange every fourth step or so: 5000 draws of standard deviation 0.4 and four standard errors.
    let share = on_first as f64 / steps as f64;
    assert!((share - 0.8).abs() < 0.023, "{share}");
}

#[test]
fn the_test_is_a_ratio_in_logarithms() {
    let half = 0.5_f64.ln();
    assert!(accepts(1.0, 1.0, 2350.0, -1e-300) && accepts(1.0, 0.99, 1.0, half));
    assert!(!accepts(1.0, 0.49, 1.0, half) && !accepts(1.0, 0.9, 2350.0, half) && !accepts(1.0, 0.0, 2.0, half));
    assert!(accepts(1e-3, 2e-3, 2350.0, -1e-300), "a power of 2350 overflows");
    assert!(accepts(0.0, 0.0, 2.0, half) && accepts(0.0, 1e-300, 2.0, half));
    for scale in [1e-9, 1e9] {
        assert_eq!(accepts(0.7 * scale, 0.5 * scale, 2.0, half), accepts(0.7, 0.5, 2.0, half));
    }
}

#[test]
fn a_batch_of_all_rows_is_no_batch() {
    let mut sampler = Sampler::new(4);
    let x = DMatrix::from_fn(60, 3, |_, _| sampler.normal());
    let y = x.column(0).map(f64::sin).insert_columns(1, 1, 0.5);
    let walk = Walk { batch: 60, step_length: 0.3, refit: 7, ..walk(&x, &y, &[0, 1, 2]) };
    let first = at_rest(8, &[0, 1, 2]);
    let chain = run(&walk, first.clone(), 1, 40);
    assert_eq!(chain, run(&Walk { batch: 1000, ..walk }, first.clone(), 1, 40));
    assert_ne!(chain, run(&Walk { batch: 59, ..walk }, first, 1, 40));
    // Powers of two change no digit, and no decision.
    for scale in [2.0_f64.powi(-30), 2.0_f64.powi(30)] {
        let scaled = &y * scale;
        let other = run(&Walk { y: &scaled, ..walk }, at_rest(8, &[0, 1, 2]), 1, 40);
        assert_eq!(other.frequencies, chain.frequencies);
    }
}

#[test]
fn the_shape_of_steps_is_the_covariance_of_all_points() {
    for (basis, dimension) in [(Basis::Pair, 2), (Basis::Sigmoid, 3)] {
        let mut sampler = Sampler::new(9);
        let x = DMatrix::from_fn(80, 2, |_, _| sampler.normal());
        let y = DMatrix::from_fn(80, 1, |i, _| (3.0 * x[(i, 0)]).sin() + 0.3 * x[(i, 1)]);
        let walk = Walk { basis, step_length: 0.4, burn_in: Some(20), max_frequency: 5.0, ..walk(&x, &y, &[0, 1]) };
        let mut chain = walk.start(at_rest(6, &[0, 1]), Sampler::new(2)).unwrap();
        let mut points: Vec<Vec<f64>> = Vec::new();
        for _ in 0..60 {
            walk.step(&mut chain).unwrap();
            points.extend(chain.frequencies.iter().map(|f| walk.coordinates(f)));
        }
        let points = DMatrix::from_fn(points.len(), dimension, |k, i| points[k][i]);
        let centred = DMatrix::from_fn(points.nrows(), dimension, |k, i| points[(k, i)] - points.column(i).mean());
        let direct = centred.transpose() * &centred / points.nrows() as f64;
        let spread = chain.spread.as_ref().unwrap();
        assert!((spread.covariance() - &direct).amax() < 1e-11 * direct.amax());
        let factor = spread.factor().unwrap();
        assert!((&factor * factor.transpose() - &direct).amax() < 2e-9 * direct.amax());
        assert!(chain.accepted > 60 && points.row_iter().all(|point| point.norm() < 5.0));
        // The shape matters from the step after the burn-in on, and not before.
        let plain = Walk { burn_in: None, ..walk };
        for (steps, same) in [(21, true), (22, false)] {
            let (shaped, plain) =
                (run(&walk, at_rest(6, &[0, 1]), 2, steps), run(&plain, at_rest(6, &[0, 1]), 2, steps));
            assert_eq!(shaped.frequencies == plain.frequencies, same, "{steps}");
        }
    }
}
