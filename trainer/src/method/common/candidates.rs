//! Random candidate features: drawing them, projecting out the unpenalised terms, and assembling the expansion of the
//! selected features.

use nalgebra::DMatrix;

use crate::data::Dataset;
use crate::features::{Activation, Feature, feature_matrix};
use crate::linalg::{self, product, scale_rows};
use crate::method::error::MethodError;
use crate::method::terms::Terms;
use crate::model::Expansion;
use crate::sampling::{Sampler, SpectralLaw};
use crate::solve::least_squares::ridge::Unpenalised;

/// How many candidates are drawn, and how.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    /// Number of candidates, N.
    pub count: usize,
    /// Inputs per feature, q.
    pub order: usize,
    /// Law of the weights and the bias.
    pub law: SpectralLaw,
    /// Terms beside the features, unpenalised.
    pub terms: Terms,
}

/// Random sines and their values at the rows of a dataset, without what the unpenalised terms explain.
pub struct Candidates<'a> {
    data: &'a Dataset,
    terms: Terms,
    features: Vec<Feature>,
    beside: Unpenalised,
    norms: Vec<f64>,
    /// Values of the features, n×N; the terms are projected out.
    pub a: DMatrix<f64>,
    /// Targets, n×k; the terms are projected out.
    pub y: DMatrix<f64>,
}

impl Draw {
    /// Draws the candidates that `seed` determines.
    ///
    /// # Errors
    /// [`MethodError::OrderBeyondInputs`], [`MethodError::TooFewRows`] for the terms, [`MethodError::ConstantInputs`].
    pub fn candidates(self, data: &Dataset, seed: u64) -> Result<Candidates<'_>, MethodError> {
        let Draw { count, order, law, terms } = self;
        if order > data.inputs() {
            return Err(MethodError::OrderBeyondInputs { order, inputs: data.inputs() });
        }
        terms.check(data)?;
        let inputs = data.varying_inputs();
        if inputs.is_empty() {
            return Err(MethodError::ConstantInputs);
        }
        let features = law.sample(count, &inputs, order, &mut Sampler::new(seed));
        let mut a = feature_matrix(&data.x, &features, Activation::Sine);
        let mut y = data.y.clone();
        let mut columns = terms.columns(&data.x);
        let roots = data.root_weights();
        [&mut a, &mut y, &mut columns].into_iter().for_each(|m| scale_rows(m, &roots));
        let beside = Unpenalised::new(&columns);
        beside.project_out(&mut a);
        beside.project_out(&mut y);
        Ok(Candidates { data, terms, features, beside, norms: vec![1.0; count], a, y })
    }
}

impl Candidates<'_> {
    /// Scales every column of `a` to norm one; a column of zeros stays.
    pub fn normalise_columns(&mut self) {
        self.norms = linalg::normalise_columns(&mut self.a);
    }

    /// The expansion of the features in `support` (s columns of `a`) with their coefficients (s×k, for the columns as
    /// they are scaled), and of the terms that then fit best.
    pub fn expansion(&self, support: &[usize], mut coefficients: DMatrix<f64>) -> Result<Expansion, MethodError> {
        let features: Vec<_> = support.iter().map(|&j| self.features[j].clone()).collect();
        for (mut row, &j) in coefficients.row_iter_mut().zip(support) {
            row /= self.norms[j];
        }
        let explained = product(&feature_matrix(&self.data.x, &features, Activation::Sine), &coefficients);
        let mut rest = &self.data.y - explained;
        scale_rows(&mut rest, &self.data.root_weights());
        let rest = self.beside.coefficients(&rest)?;
        let (intercept, linear) = self.terms.divide(&rest, self.data);
        Ok(Expansion { activation: Activation::Sine, features, coefficients, intercept, linear, trees: Vec::new() })
    }
}
