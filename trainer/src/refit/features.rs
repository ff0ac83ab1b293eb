//! The features whose amplitudes are fitted, with all that a model needs beside them.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::export::{Encoding, NumberFormat};
use crate::features::{Activation, Feature, feature_matrix};
use crate::fit::{Fit, FitConfig};
use crate::method::{MethodConfig, as_json};
use crate::model::{Expansion, Model};
use crate::scaling::{Columns, Scaling};
use crate::trees::{Tree, rule_matrix, set_amplitudes};

/// The largest number of rows that an exported model is verified on.
const VERIFIED: usize = 4096;

/// Ridge parameters to choose from, where none is given.
const LAMBDAS: [f64; 10] = [1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0];

/// The features of a fit, whose amplitudes can be fitted to other rows.
///
/// The features stay as they are, and so do the scaling of inputs and targets, the number format and the choice of
/// inputs with linear terms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Features {
    /// The method that chose the features.
    #[serde(with = "as_json")]
    method: MethodConfig,
    activation: Activation,
    features: Vec<Feature>,
    /// The rules, whose amplitudes count as those of features.
    trees: Vec<Tree>,
    /// The inputs with linear terms.
    pub(crate) linear: Vec<usize>,
    scaling: Scaling,
    pub(crate) input_names: Vec<String>,
    pub(crate) output_names: Vec<String>,
    number: NumberFormat,
    max_error: f64,
    pub(crate) output_margin: f64,
    flash: Option<usize>,
    polynomial: bool,
    /// The ridge parameters to choose from; a single one is taken as it is.
    pub(crate) lambdas: Vec<f64>,
    /// Readings of the rows that exported models are verified on.
    #[serde(with = "crate::data::matrix")]
    verified_x: DMatrix<f64>,
    /// Their targets.
    #[serde(with = "crate::data::matrix")]
    verified_y: DMatrix<f64>,
}

impl Features {
    /// The features of a fit of quantities to the rows of `sample`, with the rounding error and the margin of the
    /// outputs that `config` allows. If the grid of `config` has a single ridge parameter, amplitudes are fitted with
    /// it. They are fitted by least squares, whatever the loss of the fit is.
    pub fn from_fit(fit: &Fit, sample: &Dataset, config: &FitConfig) -> Features {
        let Model { expansion, scaling, flash, polynomial, .. } = &fit.model;
        let linear = &expansion.linear;
        let has_term = |&input: &usize| linear.row(input).iter().any(|&weight| weight != 0.0);
        let step = sample.rows().div_ceil(VERIFIED).max(1);
        let rows: Vec<usize> = (0..sample.rows()).step_by(step).collect();
        Features {
            method: fit.chosen.clone().with("huber", None::<f64>).unwrap_or_else(|_| fit.chosen.clone()),
            activation: expansion.activation,
            features: expansion.features.clone(),
            trees: expansion.trees.clone(),
            linear: (0..linear.nrows()).filter(has_term).collect(),
            scaling: scaling.clone(),
            input_names: sample.input_names.clone(),
            output_names: sample.output_names.clone(),
            number: NumberFormat::from_number(fit.blob.model().header().number),
            max_error: config.encoding.max_error,
            output_margin: config.encoding.output_margin,
            flash: *flash,
            polynomial: *polynomial,
            lambdas: if let [lambda] = config.grid.lambdas[..] { vec![lambda] } else { LAMBDAS.to_vec() },
            verified_x: sample.x.select_rows(&rows),
            verified_y: sample.y.select_rows(&rows),
        }
    }

    /// Returns the inputs and targets, without rows.
    pub fn columns(&self) -> Dataset {
        Dataset::without_rows(self.input_names.clone(), self.output_names.clone())
    }

    /// Returns the numbers of linear terms, of features with the rules, and of targets.
    pub(crate) fn shape(&self) -> [usize; 3] {
        [self.linear.len(), self.features.len() + self.rules(), self.output_names.len()]
    }

    fn rules(&self) -> usize {
        self.trees.iter().map(Tree::rules).sum()
    }

    /// Returns linear terms, features, rules and targets, in this order, for readings (r×d) and targets (r×k).
    pub(crate) fn values(&self, x: &DMatrix<f64>, y: &DMatrix<f64>) -> DMatrix<f64> {
        let [linear, penalised, targets] = self.shape();
        let features = self.features.len();
        let x = self.scaling.inputs(x);
        let mut values = x.select_columns(&self.linear).resize_horizontally(linear + penalised + targets, 0.0);
        values.columns_mut(linear, features).copy_from(&feature_matrix(&x, &self.features, self.activation));
        values.columns_mut(linear + features, self.rules()).copy_from(&rule_matrix(&self.trees, &x));
        values.columns_mut(linear + penalised, targets).copy_from(&self.scaling.y.apply(y));
        values
    }

    /// Returns the model with `coefficients` of linear terms, features and rules (p×k) and intercepts (1×k), in scaled
    /// coordinates. Readings and targets have the `ranges`.
    pub(crate) fn model(
        &self,
        (coefficients, intercept): (&DMatrix<f64>, &DMatrix<f64>),
        [inputs, targets]: [&[(f64, f64)]; 2],
    ) -> Model {
        let mut linear = DMatrix::zeros(self.input_names.len(), self.output_names.len());
        for (term, &input) in self.linear.iter().enumerate() {
            linear.row_mut(input).copy_from(&coefficients.row(term));
        }
        let mut trees = self.trees.clone();
        set_amplitudes(&mut trees, coefficients, self.linear.len() + self.features.len()..coefficients.nrows());
        let expansion = Expansion {
            activation: self.activation,
            features: self.features.clone(),
            coefficients: coefficients.rows(self.linear.len(), self.features.len()).into_owned(),
            intercept: intercept.clone(),
            linear,
            trees,
        };
        let mut model = Model::new(self.method.name(), expansion, self.scaling.clone(), &self.verified());
        model.flash = self.flash;
        model.polynomial = self.polynomial;
        model.ranges = inputs.to_vec();
        model.limit(targets.iter().copied(), self.output_margin);
        model
    }

    /// Returns the method that chose the features, with the ridge parameter of the amplitudes where it has one.
    pub(crate) fn method(&self, lambda: f64) -> MethodConfig {
        self.method.clone().tuned(|t| t.lambda = t.lambda.map(|_| lambda))
    }

    /// Returns the rows that an exported model is verified on.
    pub(crate) fn verified(&self) -> Dataset {
        Dataset { x: self.verified_x.clone(), y: self.verified_y.clone(), ..self.columns() }
    }

    /// Returns the number format and the limits of its rounding error.
    pub(crate) fn encoding(&self) -> Encoding {
        let &Features { number, max_error, output_margin, flash, polynomial, .. } = self;
        Encoding { number, max_error, output_margin, confidence: None, flash, polynomial }
    }

    /// Returns the standard deviation of each target in the sample, the unit of scaled coordinates.
    pub(crate) fn units(&self) -> &[f64] {
        &self.scaling.y.scale
    }

    /// Returns whether indices and shapes fit together, as they may not in a damaged file.
    pub(crate) fn is_consistent(&self) -> bool {
        let inputs = self.input_names.len();
        let outputs = self.output_names.len();
        let Scaling { warps, limits, replacements, x, y } = &self.scaling;
        let of_inputs = [warps.len(), limits.len(), replacements.len(), x.mean.len(), x.scale.len()];
        let feature = |f: &Feature| f.support.len() == f.weights.len() && f.support.iter().all(|&input| input < inputs);
        let rows = &self.verified_x;
        let targets = &self.verified_y;
        (inputs > 0 && outputs > 0)
            && of_inputs.iter().all(|&count| count == inputs)
            && [y.mean.len(), y.scale.len(), targets.ncols()].iter().all(|&count| count == outputs)
            && self.features.iter().all(feature)
            && self.trees.iter().all(|tree| tree.is_consistent(inputs, outputs))
            && self.linear.iter().all(|&input| input < inputs)
            && (rows.ncols(), rows.nrows()) == (inputs, targets.nrows())
            && rows.nrows() > 0
            && self.is_possible()
    }

    /// Returns whether scales, limits and margins are those of some rows.
    fn is_possible(&self) -> bool {
        let Scaling { limits, x, y, .. } = &self.scaling;
        // The scale of a constant column is infinite.
        let scaled =
            |c: &Columns| c.mean.iter().all(|mean| mean.is_finite()) && c.scale.iter().all(|&scale| scale > 0.0);
        let feature = |f: &Feature| f.bias.is_finite() && f.weights.iter().all(|weight| weight.is_finite());
        scaled(x)
            && scaled(y)
            && limits.iter().flatten().all(|[low, high]| low <= high)
            && self.features.iter().all(feature)
            && self.output_margin.is_finite()
            && self.output_margin >= 0.0
            && self.max_error >= 0.0
            && !self.lambdas.is_empty()
            && self.lambdas.iter().all(|lambda| lambda.is_finite() && *lambda >= 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::generate::Task;
    use crate::fit::fit;
    use crate::method::Rules;
    use crate::refit::StateError;
    use crate::run::Run;
    use crate::trees::Condition;

    #[test]
    fn features_that_no_rows_give_are_damaged() {
        let data = Task::Pressure.generate(60, 0.5, 1);
        let config = FitConfig::default();
        let whole = Features::from_fit(&fit(&data, &config, &Run::new(1)).unwrap(), &data, &config);
        assert_eq!(Features::from_bytes(&whole.to_bytes()).as_ref(), Ok(&whole));
        let changes: [fn(&mut Features); 9] = [
            |features| features.output_margin = -2.0,
            |features| features.output_margin = f64::NAN,
            |features| features.max_error = f64::NAN,
            |features| features.scaling.y.scale[0] = 0.0,
            |features| features.scaling.x.mean[0] = f64::INFINITY,
            |features| features.scaling.limits[1] = Some([1.0, 0.0]),
            |features| features.features[0].weights[0] = f64::NAN,
            |features| features.lambdas.clear(),
            |features| features.lambdas[1] = -1.0,
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut features = whole.clone();
            change(&mut features);
            assert_eq!(Features::from_bytes(&features.to_bytes()), Err(StateError::Damaged), "change {number}");
        }
        let method = Rules { features: 20, ..Rules::default() };
        let config = FitConfig { method: method.into(), ..FitConfig::default() };
        let ruled = Features::from_fit(&fit(&data, &config, &Run::new(1)).unwrap(), &data, &config);
        assert_eq!(Features::from_bytes(&ruled.to_bytes()).as_ref(), Ok(&ruled));
        let changes: [fn(&mut Condition); 5] = [
            |condition| condition.input = 2,
            |condition| condition.threshold = f64::NAN,
            |condition| condition.lower.next = Some(0),
            |condition| condition.upper.next = Some(1000),
            |condition| condition.upper.amplitudes = Some(vec![1.0, 2.0]),
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut features = ruled.clone();
            change(&mut features.trees[0].conditions[0]);
            assert_eq!(Features::from_bytes(&features.to_bytes()), Err(StateError::Damaged), "rule {number}");
        }
        let mut features = whole.clone();
        features.output_names.clear();
        features.verified_y = DMatrix::zeros(data.rows(), 0);
        features.scaling.y.mean.clear();
        features.scaling.y.scale.clear();
        assert_eq!(Features::from_bytes(&features.to_bytes()), Err(StateError::Damaged));
    }
}
