use super::*;
use crate::sampling::Sampler;

/// 60 rows of 3 inputs in 5 folds with 2 targets, and an estimate of them.
fn prepared(seed: u64, training: usize, constant: f64) -> (FoldedRows, DMatrix<f64>) {
    let mut sampler = Sampler::new(seed);
    let x = DMatrix::from_fn(60, 3, |_, _| sampler.normal());
    let y = DMatrix::from_fn(60, 2, |i, k| (x[(i, 0)] + 0.5 * x[(i, 1 + k)]).sin() + 0.1 * sampler.normal());
    let estimate = DMatrix::from_fn(60, 2, |i, k| 0.3 * y[(i, k)] + 0.2 * sampler.normal());
    (FoldedRows { x, y, bounds: vec![0, 11, 24, 36, 47, 60], training, constant }, estimate)
}

/// The value as the paper writes it: fits to training rows, errors on validation rows.
fn direct(rows: &FoldedRows, estimate: &DMatrix<f64>, inputs: &[usize], variables: &[f64]) -> f64 {
    let lambda = variables[inputs.len()].exp();
    let mut value = 0.0;
    for target in 0..rows.y.ncols() {
        let z = |row: usize| {
            let angle: f64 = inputs.iter().zip(variables).map(|(&input, w)| w * rows.x[(row, input)]).sum();
            Vector4::new(rows.constant, estimate[(row, target)], angle.sin(), angle.cos())
        };
        for turn in 0..5 {
            let trained: Vec<usize> = (0..rows.training).map(|i| (turn + i) % 5).collect();
            let fold = |row: usize| (0..5).find(|&fold| rows.fold(fold).contains(&row)).unwrap();
            let (train, test): (Vec<usize>, Vec<usize>) = (0..60).partition(|&row| trained.contains(&fold(row)));
            let mut p = Matrix4::identity() * (lambda * train.len() as f64);
            let mut q = Vector4::zeros();
            for row in train {
                p += z(row) * z(row).transpose();
                q += z(row) * rows.y[(row, target)];
            }
            let c = p.lu().solve(&q).unwrap();
            let error = |&row: &usize| (c.dot(&z(row)) - rows.y[(row, target)]).powi(2);
            value += test.iter().map(error).sum::<f64>() / test.len() as f64 / 5.0;
        }
    }
    value / ((estimate - &rows.y).norm_squared() / 60.0)
}

#[test]
fn the_value_is_that_of_the_formula_and_the_gradient_that_of_finite_differences() {
    for seed in 0..6 {
        for (training, constant, inputs) in [(1, 1.0, vec![0, 1, 2]), (4, 1.0, vec![0, 2]), (3, 0.0, vec![1])] {
            let (rows, estimate) = prepared(seed, training, constant);
            let mut sampler = Sampler::new(seed + 50);
            let mut variables: Vec<f64> = inputs.iter().map(|_| sampler.normal()).collect();
            variables.push(sampler.uniform(-6.0, 0.0));
            let mut step = GreedyStep::new(&rows, &estimate, &inputs);
            let mut gradient = vec![0.0; variables.len()];
            let value = step.value(&variables, &mut gradient);
            let exact = direct(&rows, &estimate, &inputs, &variables);
            assert!((value - exact).abs() < 1e-12 * exact, "{value} {exact}");
            let largest = gradient.iter().fold(0.0_f64, |a, g| a.max(g.abs()));
            for (i, &g) in gradient.iter().enumerate() {
                const STEP: f64 = 1e-4;
                let at = |by: f64| {
                    let mut moved = variables.clone();
                    moved[i] += by;
                    direct(&rows, &estimate, &inputs, &moved)
                };
                // Central differences of fourth order.
                let numeric = (8.0 * (at(STEP) - at(-STEP)) - (at(2.0 * STEP) - at(-2.0 * STEP))) / (12.0 * STEP);
                assert!((g - numeric).abs() < 1e-6 * g.abs().max(1e-3 * largest), "{i}: {g} {numeric}");
            }
        }
    }
}

#[test]
fn amplitudes_minimise_over_all_rows_and_extend_the_estimate() {
    let (rows, mut estimate) = prepared(3, 4, 1.0);
    let (inputs, variables) = ([0, 2], [0.7, -0.4, libm::log(1e-3)]);
    let before = estimate.clone();
    let c = GreedyStep::new(&rows, &before, &inputs).amplitudes(&variables).unwrap();
    extend(&mut estimate, &rows, &inputs, &variables[..2], &c);
    for target in 0..2 {
        let mut gradient = Vector4::zeros();
        for row in 0..60 {
            let angle = 0.7 * rows.x[(row, 0)] - 0.4 * rows.x[(row, 2)];
            let z = Vector4::new(1.0, before[(row, target)], angle.sin(), angle.cos());
            assert!((estimate[(row, target)] - c.column(target).dot(&z)).abs() < 1e-14);
            gradient += z * (estimate[(row, target)] - rows.y[(row, target)]);
        }
        assert!((gradient + c.column(target) * 0.06).amax() < 1e-12);
    }
}
