//! Baselines on targets that they can represent, and their terms.

use nalgebra::DMatrix;

use super::*;
use crate::data::generate::Task;
use crate::export::Encoding;
use crate::sampling::Sampler;
use crate::scaling::Preprocessing;

/// Rows of four uniform inputs with a target.
fn rows(target: fn(&[f64]) -> f64) -> Dataset {
    let mut data = Task::Friedman2.generate(400, 0.0, 1);
    let mut sampler = Sampler::new(5);
    data.x = DMatrix::from_fn(400, 4, |_, _| sampler.uniform(-1.0, 1.0));
    data.y = DMatrix::from_fn(400, 1, |row, _| target(&data.x.row(row).iter().copied().collect::<Vec<_>>()));
    data
}

fn folds() -> Folds {
    Folds {
        count: 5,
        fitted: 5,
        split: Default::default(),
        given: None,
        preprocessing: Preprocessing::default(),
        encoding: Encoding::default(),
    }
}

/// Returns the errors of the baselines of a name, with their numbers of coefficients.
fn errors(data: &Dataset, name: &str) -> Vec<(usize, f64)> {
    let all = baselines(data, &folds(), 1, Core::CortexM4f, &Run::new(1)).unwrap();
    all.into_iter().filter(|entry| entry.method == name).map(|entry| (entry.features, entry.rmse)).collect()
}

#[test]
fn a_polynomial_finds_a_polynomial_of_its_degree() {
    let found = errors(&rows(|x| 1.0 + x[0] * x[1] * x[3] - 2.0 * x[2] * x[2] * x[2]), NAMES[0]);
    // (4 + p)! / (4! p!) monomials: 15, 35, 70 and 126.
    assert_eq!(found.iter().map(|(terms, _)| *terms).collect::<Vec<_>>(), [15, 35, 70, 126]);
    assert!(found[0].1 > 0.1 && found[1..].iter().all(|(_, error)| *error < 1e-8), "{found:?}");
}

#[test]
fn a_table_finds_the_input_and_the_pair_that_matter() {
    // Linear between the knots of five: the ends of the rows are within a hundredth of ±1, which moves the knots.
    let one = errors(&rows(|x| (x[2].abs() - 0.5).abs()), NAMES[1]);
    let best = one[1].1;
    let worst = one.iter().map(|(_, error)| *error).fold(0.0, f64::max);
    assert!(one[0].0 == 5 && one[0].1 < 0.1 && best < 0.1, "{one:?}");
    assert!(worst > best);
    let two = errors(&rows(|x| x[1] * x[3]), NAMES[1]);
    let pair: Vec<&(usize, f64)> = two.iter().filter(|(values, _)| [25, 81].contains(values)).collect();
    // Bilinear between any knots. Rows of a fold beyond the range of the others take its ends: a few rows are off by
    // a hundredth of the width.
    assert!(pair.iter().all(|(_, error)| *error < 0.01), "{two:?}");
}

#[test]
fn folds_are_those_of_the_models() {
    let data = Task::Friedman1.generate(200, 1.0, 1);
    let run = Run::new(9);
    // A table whose only value is the mean would repeat the method; a polynomial of degree one is the line.
    let rating = Rating::new(&data, &folds(), 1, &run).unwrap();
    let line = rating.score(&Polynomial { inputs: (0..10).collect(), degree: 1 }, &run).unwrap();
    let method = crate::method::MethodConfig::named("linear").unwrap();
    let scores = crate::validate::cross_validation::cross_validate(&[method], &data, &folds(), &run).unwrap();
    // The method computes in the device's f32.
    assert!((line.standardised_mse / scores[0].standardised_mse - 1.0).abs() < 1e-4, "{line:?} {scores:?}");
}

#[test]
fn classes_have_none() {
    let mut data = Task::Friedman1.generate(50, 1.0, 1);
    data.classes = vec!["a".to_owned(), "b".to_owned()];
    data.y.iter_mut().for_each(|y| *y = f64::from(*y > 14.0));
    assert!(baselines(&data, &folds(), 1, Core::CortexM4f, &Run::new(1)).unwrap().is_empty());
}

#[test]
fn prices_are_those_of_the_functions() {
    // Counts of the program `counted-formulas`: core, inputs, degree, instructions.
    for (core, inputs, degree, counted) in [
        (Core::CortexM4f, 1, 3, 103),
        (Core::CortexM4f, 1, 7, 193),
        (Core::CortexM4f, 2, 3, 268),
        (Core::CortexM4f, 4, 2, 374),
        (Core::CortexM4f, 4, 4, 1275),
        (Core::CortexM4f, 10, 2, 1466),
        (Core::CortexM0, 1, 3, 1416),
        (Core::CortexM0, 4, 4, 25_755),
        (Core::CortexM3, 2, 3, 2168),
        (Core::CortexM3, 10, 2, 14_454),
        (Core::Riscv32imac, 4, 4, 13_266),
        (Core::Riscv32imafc, 10, 2, 1663),
    ] {
        let polynomial = Polynomial { inputs: (0..inputs).collect(), degree };
        let stated = polynomial_cost(core, &polynomial, 1).instructions;
        // The compiler unrolls the loops of small polynomials.
        assert!((counted..=counted * 13 / 10).contains(&stated), "{core}, {inputs}, {degree}: {stated}, {counted}");
    }
    // 70 terms with code on a Cortex-M4F: 1064 bytes.
    let polynomial = Polynomial { inputs: (0..4).collect(), degree: 4 };
    assert!(polynomial_cost(Core::CortexM4f, &polynomial, 1).flash_bytes.abs_diff(1064) < 10);
}

#[test]
fn an_input_may_be_constant_in_a_fold() {
    let mut data = Task::Friedman2.generate(75, 0.1, 1);
    // A switch, and a reading that is nearly always the same.
    data.x = DMatrix::from_fn(75, 4, |row, input| match input {
        0 => [0.0, 2.0][row % 2],
        1 if row % 15 == 3 => 9.0 - (row / 30) as f64,
        _ => 10.0,
    });
    data.y = DMatrix::from_fn(75, 1, |row, _| data.x[(row, 0)] + 0.01 * row as f64);
    for name in NAMES {
        let found = errors(&data, name);
        assert!(!found.is_empty() && found.iter().any(|(_, error)| *error < 0.5), "{found:?}");
    }
}
