//! Predicted classes, also for equal scores and scores that are not numbers.

use srfm_runtime::format::Confidence;
use srfm_runtime::{Error, Model};
use srfm_tests::{Blob, OwnedModel, Rng, Shape};

/// Returns a classifier without features. Its scores are the intercepts `scores` plus the reading times `weights`.
fn classifier(scores: &[f32], weights: &[f32]) -> Blob {
    let count = if scores.len() == 1 { 2 } else { scores.len() };
    let classes = (0..count).map(|class| format!("class {class}")).collect();
    let (intercepts, linear_weights) = (scores.to_vec(), weights.to_vec());
    OwnedModel { inputs: 1, classes, intercepts, linear_weights, linear_inputs: vec![0], ..OwnedModel::default() }
        .blob()
}

fn class_of(scores: &[f32]) -> Option<usize> {
    let mut found = vec![7.0; scores.len()];
    let blob = classifier(scores, &vec![0.0; scores.len()]);
    let class = Model::parse(&blob).unwrap().classify(&[3.0], &mut found).unwrap();
    assert_eq!(found, scores, "the scores stay in the buffer");
    class
}

#[test]
fn two_classes_are_separated_at_one_half() {
    let (below, above) = (0.5_f32.next_down(), 0.5_f32.next_up());
    for (score, class) in [(-1.0, 0), (0.0, 0), (below, 0), (0.5, 0), (above, 1), (1.0, 1), (f32::MAX, 1)] {
        assert_eq!(class_of(&[score]), Some(class), "{score}");
    }
}

#[test]
fn the_largest_score_wins_and_ties_go_to_the_first_class() {
    let cases: [(&[f32], usize); 8] = [
        (&[0.1, 0.2, 0.7], 2),
        (&[0.1, 0.7, 0.2], 1),
        (&[0.4, 0.4, 0.2], 0),
        (&[0.2, 0.4, 0.4], 1),
        (&[-0.0, 0.0, -0.0], 0),
        (&[-3.0, -2.0, -2.5], 1),
        (&[f32::MIN, f32::MIN, f32::MIN], 0),
        (&[0.0, 1.0, 2.0, 3.0, 4.0, 9.0, 6.0, 7.0, 8.0, 5.0], 5),
    ];
    for (scores, class) in cases {
        assert_eq!(class_of(scores), Some(class), "{scores:?}");
    }
    for seed in 0..1_000 {
        let mut rng = Rng::new(seed);
        let count = 3 + rng.below(8);
        let scores = rng.floats(count, 2.0);
        let largest = scores.iter().copied().fold(f32::MIN, f32::max);
        assert_eq!(class_of(&scores), scores.iter().position(|&s| s == largest), "seed {seed}");
    }
}

#[test]
fn scores_that_are_not_numbers_never_win() {
    // An infinite reading gives infinite scores, or a NaN with the weight 0.
    let [up, down, none] = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    let cases: [(&[f32], f32, Option<usize>); 8] = [
        (&[1.0], none, None),
        (&[1.0], up, Some(1)),
        (&[1.0], down, Some(0)),
        (&[1.0, 1.0, 1.0], none, None),
        (&[-1.0, 0.0, 1.0], up, Some(2)),
        (&[-1.0, -1.0, -1.0], up, Some(0)),
        (&[0.0, -1.0, 1.0], up, Some(2)),
        (&[0.0, -1.0, -1.0], up, Some(1)),
    ];
    for (weights, reading, expected) in cases {
        let blob = classifier(&vec![0.25; weights.len()], weights);
        let mut scores = vec![0.0; weights.len()];
        let class = Model::parse(&blob).unwrap().classify(&[reading], &mut scores).unwrap();
        assert_eq!(class, expected, "{weights:?} times {reading} gives {scores:?}");
        assert_eq!(scores[0].is_nan(), reading.is_nan() || weights[0] == 0.0, "{scores:?}");
    }
}

#[test]
fn a_class_is_named_where_its_score_is_ahead_by_more_than_the_margin() {
    let named = |scores: &[f32], margin: f32| {
        let mut model = OwnedModel { confidence: Some(Confidence { level: 0.9, margin }), ..OwnedModel::default() };
        let count = if scores.len() == 1 { 2 } else { scores.len() };
        model.inputs = 1;
        model.classes = (0..count).map(|class| format!("class {class}")).collect();
        model.intercepts = scores.to_vec();
        let blob = model.blob();
        let model = Model::parse(&blob).unwrap();
        assert_eq!(model.confidence().map(|c| (c.level, c.margin.to_bits())), Some((0.9, margin.to_bits())));
        model.classify(&[3.0], &mut vec![0.0; scores.len()]).unwrap()
    };
    let cases: [(&[f32], f32, Option<usize>); 10] = [
        (&[0.75], 0.25, None),
        (&[0.75], 0.25_f32.next_down(), Some(1)),
        (&[0.25], 0.25, None),
        (&[0.25], 0.25_f32.next_down(), Some(0)),
        (&[0.5], 0.0, None),
        (&[1.0, 0.75, 0.0], 0.25, None),
        (&[1.0, 0.75, 0.0], 0.25_f32.next_down(), Some(0)),
        (&[0.0, 0.75, 1.0], 0.2, Some(2)),
        (&[1.0, 1.0, 0.0], 0.0, None),
        (&[1.0, 0.0, 0.0], f32::NAN, None),
    ];
    for (scores, margin, class) in cases {
        assert_eq!(named(scores, margin), class, "{scores:?} beyond {margin}");
    }
    // Scores that are not numbers leave nothing certain.
    let mut model = OwnedModel { inputs: 1, linear_inputs: vec![0], ..OwnedModel::default() };
    model.confidence = Some(Confidence { level: 0.9, margin: 0.0 });
    model.classes = ["a", "b", "c"].map(str::to_owned).to_vec();
    (model.intercepts, model.linear_weights) = (vec![0.25; 3], vec![0.0, -1.0, -1.0]);
    let blob = model.blob();
    assert_eq!(Model::parse(&blob).unwrap().classify(&[f32::INFINITY], &mut [0.0; 3]), Ok(None));
}

#[test]
fn the_class_has_the_largest_prediction() {
    for seed in 0..500 {
        let mut rng = Rng::new(seed);
        let shape = Shape { inputs: 4, outputs: 3, blocks: vec![(2, 8)], sections: true, ..Shape::default() };
        let blob = OwnedModel::random(&shape, &mut rng).blob();
        let model = Model::parse(&blob).unwrap();
        let (x, mut y, mut scores) = (rng.floats(4, 2.0), [0.0; 3], [0.0; 3]);
        model.predict(&x, &mut y).unwrap();
        let class = model.classify(&x, &mut scores).unwrap().unwrap();
        assert_eq!(y.map(f32::to_bits), scores.map(f32::to_bits));
        assert!(y.iter().all(|&score| score <= y[class]), "seed {seed}");
    }
}

#[test]
fn classes_have_names() {
    let blob = classifier(&[0.0; 3], &[0.0; 3]);
    let mut classes = Model::parse(&blob).unwrap().classes();
    assert_eq!((classes.count(), classes.nth(1)), (3, Some("class 1")));
    assert!(!classes.is_empty());
    let quantities = OwnedModel::random(&Shape::default(), &mut Rng::new(0)).blob();
    assert!(Model::parse(&quantities).unwrap().classes().is_empty());
}

#[test]
fn errors_of_classification_are_specific() {
    let quantities = OwnedModel::random(&Shape::default(), &mut Rng::new(0)).blob();
    let mut scores = [7.0; 3];
    assert_eq!(Model::parse(&quantities).unwrap().classify(&[0.0], &mut scores[..1]), Err(Error::NoClasses));
    let blob = classifier(&[0.0; 3], &[0.0; 3]);
    let model = Model::parse(&blob).unwrap();
    assert_eq!(model.classify(&[0.0; 2], &mut scores), Err(Error::WrongInputs { expected: 1 }));
    assert_eq!(model.classify(&[0.0], &mut scores[..2]), Err(Error::WrongOutputs { expected: 3 }));
    assert_eq!(scores, [7.0; 3]);
}
