use super::*;
use crate::sampling::{Sampler, SpectralLaw};
use crate::solve::least_squares::ridge::{Unpenalised, ridge};

struct Data {
    x: DMatrix<f64>,
    y: DMatrix<f64>,
    terms: DMatrix<f64>,
    directions: DMatrix<f64>,
    biases: Vec<f64>,
    scales: Vec<f64>,
}

fn data(law: SpectralLaw, (rows, outputs): (usize, usize), seed: u64) -> Data {
    let (inputs, features) = (5, 12);
    let mut sampler = Sampler::new(seed);
    let x = DMatrix::from_fn(rows, inputs, |_, _| sampler.normal());
    let y = DMatrix::from_fn(rows, outputs, |i, o| 3.0 + libm::sin(x[(i, o)] * x[(i, 2)]) + 0.1 * sampler.normal());
    let directions = DMatrix::from_fn(inputs, features, |_, _| law.weight(&mut sampler));
    let biases = (0..features).map(|_| sampler.uniform(0.0, 6.0)).collect();
    let mut scales: Vec<f64> = (0..inputs).map(|_| sampler.uniform(0.1, 1.0)).collect();
    scales[3] = 0.0; // a scale at the border has a slope too
    Data { terms: DMatrix::from_element(rows, 1, 1.0), x, y, directions, biases, scales }
}

impl Data {
    fn problem(&self) -> ScaledCosines {
        let points = Points { x: &self.x, y: &self.y, roots: &[] };
        ScaledCosines::new(points, &self.terms, self.directions.clone(), self.biases.clone()).unwrap()
    }

    /// Z by the formula.
    fn values(&self, scales: &[f64]) -> DMatrix<f64> {
        DMatrix::from_fn(self.x.nrows(), self.biases.len(), |i, j| {
            let angle: f64 = (0..5).map(|s| self.directions[(s, j)] * scales[s] * self.x[(i, s)]).sum();
            2.0_f64.sqrt() * (angle + self.biases[j]).cos()
        })
    }
}

/// Central differences of `function`, extrapolated to a step of zero (Richardson).
fn differences(function: impl Fn(&[f64]) -> f64, point: &[f64]) -> Vec<f64> {
    let slope = |s: usize, step: f64| {
        let at = |shift: f64| {
            let mut moved = point.to_vec();
            moved[s] += shift;
            function(&moved)
        };
        (at(step) - at(-step)) / (2.0 * step)
    };
    (0..point.len()).map(|s| (4.0 * slope(s, 1e-4) - slope(s, 2e-4)) / 3.0).collect()
}

#[test]
fn the_gradient_is_that_of_central_differences() {
    for (seed, law) in [
        (1, SpectralLaw::Normal { scale: 1.0 }),
        (2, SpectralLaw::Laplace { scale: 1.0 }),
        (3, SpectralLaw::Cauchy { scale: 0.3 }),
        (4, SpectralLaw::Normal { scale: 2.0 }),
    ] {
        for shape in [(60, 1), (50, 3), (9, 1)] {
            let data = data(law, shape, seed);
            let problem = data.problem();
            for lambda in [1e-2, 1.0] {
                let (_, amplitudes) = problem.fit(&data.scales, lambda).unwrap();
                let ours = problem.gradient(&data.scales, &amplitudes);
                let projected = differences(|scales| problem.fit(scales, lambda).unwrap().0, &data.scales);
                let fixed = differences(|scales| problem.loss(scales, &amplitudes), &data.scales);
                let largest = ours.iter().fold(0.0, |most: f64, g| most.max(g.abs()));
                for ((ours, projected), fixed) in ours.iter().zip(&projected).zip(&fixed) {
                    assert!((ours - projected).abs() < 1e-6 * largest, "{law:?} {ours} {projected}");
                    assert!((ours - fixed).abs() < 1e-6 * largest, "{law:?} {ours} {fixed}");
                }
            }
        }
    }
}

#[test]
fn the_fit_is_ridge_regression_on_the_cosines() {
    for seed in 0..4 {
        // More rows than are worked on at a time.
        let data = data(SpectralLaw::Normal { scale: 1.0 }, (5000, 2), seed);
        let problem = data.problem();
        let (lambda, rows) = (0.1, 5000.0);
        let (value, _) = problem.fit(&data.scales, lambda).unwrap();
        let amplitudes = problem.amplitudes(&data.scales, &[lambda]).unwrap().swap_remove(0);
        let z = data.values(&data.scales);
        let (mut projected, mut y, block) = (z.clone(), data.y.clone(), Unpenalised::new(&data.terms));
        block.project_out(&mut projected);
        block.project_out(&mut y);
        let direct = ridge(&projected, &y, lambda * rows).unwrap();
        assert!((&amplitudes.cosines - &direct).amax() < 1e-10);
        let residual = &z * &direct + &data.terms * &amplitudes.terms - &data.y;
        assert!(residual.row_sum().amax() < 1e-8);
        let expected = residual.norm_squared() / (2.0 * rows) + lambda * direct.norm_squared() / 2.0;
        assert!((value / expected - 1.0).abs() < 1e-10, "{value} {expected}");
    }
}

#[test]
fn inputs_without_a_scale_might_as_well_not_be_there() {
    let data = data(SpectralLaw::Normal { scale: 1.0 }, (80, 1), 7);
    let problem = data.problem();
    let (kept, scales) = ([0, 1, 2, 4], [0, 1, 2, 4].map(|s| data.scales[s]));
    assert_eq!(problem.fit(&data.scales, 0.1).unwrap(), problem.select(&kept).fit(&scales, 0.1).unwrap());
}
