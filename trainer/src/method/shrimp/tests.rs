use super::*;
use crate::data::generate::Task;
use crate::run::Run;

#[test]
fn all_subsets_are_listed_once() {
    let all = subsets(&[1, 4, 6, 9], 2, 100).unwrap();
    assert_eq!(all, [[1, 4], [1, 6], [1, 9], [4, 6], [4, 9], [6, 9]]);
    assert_eq!(subsets(&[1, 4, 6, 9], 2, 5), None);
    assert_eq!(subsets(&[1, 4], 2, 1).unwrap(), [[1, 4]]);
    // Half of 30 inputs have 155 million subsets, of which a single one grows to all inputs.
    let thirty: Vec<usize> = (0..30).collect();
    assert_eq!(subsets(&thirty, 29, 100).unwrap().len(), 30);
    assert_eq!(subsets(&thirty, 30, 100).unwrap(), [thirty]);
}

#[test]
fn one_fold_is_refused() {
    let data = Task::Friedman1.generate(50, 0.0, 1);
    let refused = Shrimp { folds: 1, ..Shrimp::default() }.fit_expansion(&data, &Run::new(1)).unwrap_err();
    assert!(refused.to_string().contains("folds"), "{refused}");
}

#[test]
fn frequencies_are_shared_out_among_the_subsets() {
    let shrimp = Shrimp { candidates: 100, ..Shrimp::default() };
    let features = shrimp.draw(&[0, 1, 2, 3, 4], &mut Sampler::new(1)).unwrap();
    assert_eq!(features.len(), 200);
    let on_first = features.iter().filter(|feature| feature.support == [0, 1]).count();
    assert_eq!(on_first, 20);
    assert_eq!(features[0].weights, features[1].weights);
}

#[test]
fn a_target_among_the_candidates_is_found() {
    for seed in 0..3 {
        let mut data = Task::Friedman1.generate(200, 0.0, seed);
        let (terms, rounding) = (Terms::Intercept, 0.0);
        let shrimp = Shrimp { features: 10, candidates: 450, scale: 8.0, terms, rounding, ..Shrimp::default() };
        let features = shrimp.draw(&data.varying_inputs(), &mut Sampler::new(seed)).unwrap();
        let values = feature_matrix(&data.x, &[features[31].clone(), features[500].clone()], Activation::Sine);
        data.y = values * DMatrix::from_column_slice(2, 1, &[3.0, -2.0]);
        let expansion = shrimp.fit_expansion(&data, &Run::new(seed)).unwrap();
        assert!((expansion.predict(&data.x) - &data.y).amax() < 1e-8);
        assert!(expansion.features.len() <= 20);
    }
}
