//! Export: whatever the features, the device computes the workstation's model.

use nalgebra::DMatrix;
use srfm_runtime::Error;
use srfm_runtime::format::{Indices, Kernel};
use srfm_trainer::data::Dataset;
use srfm_trainer::export::{self, Blob, BlobError};
use srfm_trainer::model::{Activation, Feature};
use srfm_trainer::model::{Expansion, Model};
use srfm_trainer::sampling::{Sampler, SpectralLaw};
use srfm_trainer::scaling::Scaling;

/// A model with random coefficients over inputs of the given means and standard deviation one, and rows for it.
struct Case {
    model: Model,
    data: Dataset,
}

/// How the features of a case come.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// Each has a frequency and a bias of its own.
    Single,
    /// Sine and cosine of one frequency, somewhere among each other.
    Pairs,
    /// Three of one frequency, with any phases.
    Threes,
}

fn case(activation: Activation, form: Form, order: usize, outputs: usize, mean: f64, seed: u64) -> Case {
    let mut sampler = Sampler::new(seed);
    let inputs = 6;
    let x = DMatrix::from_fn(200, inputs, |_, _| mean + sampler.normal());
    let y = DMatrix::from_fn(200, outputs, |_, _| 3.0 + 2.0 * sampler.normal());
    let names = |letter: &str, n: usize| (0..n).map(|i| format!("{letter}{i}")).collect();
    let data = Dataset {
        x,
        y,
        input_names: names("x", inputs),
        output_names: names("y", outputs),
        classes: vec![],
        weights: Vec::new(),
        groups: vec![],
        history: Default::default(),
    };
    let mut features = SpectralLaw::Normal { scale: 1.0 }.sample(10, &[0, 1, 2, 3, 4, 5], order, &mut sampler);
    match form {
        Form::Single => features.iter_mut().for_each(|f| f.bias = sampler.uniform(-3.0, 3.0)),
        Form::Pairs => {
            let pairs: Vec<[Feature; 2]> = features.into_iter().map(|f| Feature::pair(f.support, f.weights)).collect();
            features = [0, 1].iter().flat_map(|&of| pairs.iter().map(move |pair| pair[of].clone())).collect();
        }
        Form::Threes => {
            let bias = |sampler: &mut Sampler| sampler.uniform(-3.0, 3.0);
            let again: Vec<Feature> =
                features.iter().cycle().take(30).map(|f| Feature { bias: bias(&mut sampler), ..f.clone() }).collect();
            features = again;
        }
    }
    let expansion = Expansion {
        activation,
        coefficients: DMatrix::from_fn(features.len(), outputs, |_, _| sampler.normal()),
        features,
        intercept: DMatrix::from_fn(1, outputs, |_, _| sampler.normal()),
        linear: DMatrix::from_fn(inputs, outputs, |_, _| 0.1 * sampler.normal()),
        trees: Vec::new(),
    };
    Case { model: Model::new("by hand", expansion, Scaling::fit(&data), &data), data }
}

impl Case {
    /// Exports the model and checks the device's predictions.
    fn check(&self) -> Blob {
        let blob = export::export(&self.model).unwrap();
        let rounded = self.data.x.map(|v| f64::from(v as f32));
        let difference = (export::predict(&blob, &rounded).cast::<f64>() - self.model.predict(&rounded)).amax();
        // A value is off by 7.5e-7 and the rounding of its argument, 2⁻²¹ turns with a slope of 2π; rectified ones grow
        // with it. Amplitudes add up to the norm below, in units of 2. A square multiplies the error of its argument,
        // which is that of an `f32` beside the centre, by twice its argument of some units.
        let of_square = if self.model.expansion.activation == Activation::Square { 10.0 } else { 1.0 };
        let bound = of_square * 2.0 * 1e-5 * (1.0 + self.model.expansion.coefficients.abs().column_sum().amax());
        assert!(difference < bound, "{difference:e}, bound {bound:e}");
        blob
    }
}

#[test]
fn every_kernel_reproduces_the_workstations_model() {
    for seed in 0..5 {
        for activation in [Activation::Sine, Activation::Sigmoid, Activation::Relu, Activation::Square] {
            for form in [Form::Single, Form::Pairs, Form::Threes] {
                for (order, outputs, mean) in [(1, 1, 0.0), (2, 3, 5.0), (3, 2, 100.0), (6, 1, 0.0), (5, 4, 100.0)] {
                    let blob = case(activation, form, order, outputs, mean, seed).check();
                    let kernel = match (activation, form, outputs) {
                        (Activation::Sigmoid, ..) => Kernel::Sigmoid,
                        (Activation::Relu, ..) => Kernel::Relu,
                        (Activation::Square, ..) => Kernel::Square,
                        (Activation::Sine, Form::Single, _) | (Activation::Sine, _, 1) => Kernel::Cosine,
                        (Activation::Sine, ..) => Kernel::Sincos,
                    };
                    assert!(
                        blob.model().blocks().all(|block| block.kernel == kernel),
                        "{activation:?}, {form:?}, {outputs}"
                    );
                    let merged = activation == Activation::Sine || form == Form::Single;
                    assert_eq!(blob.model().features() == 10, merged, "{activation:?}, {form:?}");
                }
            }
        }
    }
}

#[test]
fn features_of_most_inputs_have_no_list_of_them() {
    for (order, dense) in [(3, false), (4, false), (5, true), (6, true)] {
        let mut case = case(Activation::Sine, Form::Single, order, 1, 0.0, 1);
        // One input is a constant: it has a weight of zero in the file, and nothing depends on it.
        case.data.x.column_mut(2).fill(1.0);
        case.model.scaling = Scaling::fit(&case.data);
        let blob = case.check();
        let model = blob.model();
        let stored: Vec<bool> = model.blocks().map(|b| matches!(b.indices, Indices::All { .. })).collect();
        assert_eq!(stored.contains(&true), dense, "order {order}: {stored:?}");
        assert!(!model.uses_input(2) && model.uses_input(3));
        case.data.x.column_mut(2).fill(77.0);
        case.check();
    }
}

#[test]
fn a_feature_without_an_input_is_a_constant() {
    for activation in [Activation::Sine, Activation::Sigmoid, Activation::Relu, Activation::Square] {
        for form in [Form::Single, Form::Pairs] {
            let mut case = case(activation, form, 2, 2, 0.0, 3);
            case.model.expansion.features[2] = Feature { support: vec![], weights: vec![], bias: 0.7 };
            case.model.expansion.features[3].weights.fill(0.0);
            let count = case.model.expansion.features.len();
            let features = case.check().model().features();
            let waves = if activation == Activation::Sine { 10 } else { count };
            // The cosines of the pairs have lost their sines, which stay.
            let lost = if activation == Activation::Sine && form == Form::Pairs { 0 } else { 2 };
            assert_eq!(features, waves - lost, "{activation:?}, {form:?}");
        }
    }
}

#[test]
fn a_file_ends_with_its_model() {
    let blob = case(Activation::Sine, Form::Single, 2, 1, 0.0, 1).check();
    assert_eq!(Blob::new(blob.bytes()), Ok(blob.clone()));
    for count in [1, 3, 4, 100] {
        let longer = [blob.bytes(), &vec![0; count]].concat();
        assert_eq!(Blob::new(&longer), Err(BlobError::Trailing(count)));
    }
    let shorter = &blob.bytes()[..blob.bytes().len() - 1];
    assert_eq!(Blob::new(shorter), Err(BlobError::Refused(Error::Truncated)));
}
