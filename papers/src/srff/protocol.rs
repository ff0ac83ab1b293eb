//! The protocol of SRFF's tables: fits on training rows, λ chosen on validation rows, errors on test rows.

use crate::settings::{named, with};
use srfm_trainer::FitError;
use srfm_trainer::Run;
use srfm_trainer::data::Dataset;
use srfm_trainer::method::MethodConfig;
use srfm_trainer::model::Expansion;
use srfm_trainer::sampling::{Sampler, SpectralLaw};
use srfm_trainer::scaling::Scaling;
use srfm_trainer::validate::Metrics;

/// The number of features in all tables.
const FEATURES: usize = 300;

/// The settings to choose from on the validation rows.
#[derive(Clone, Copy)]
pub struct Choice {
    /// Ridge parameters.
    pub lambdas: &'static [f64],
    /// Scales of the frequencies, in units of the kernel's reciprocal width.
    pub scales: &'static [f64],
}

/// The settings of features without learned scales.
const PLAIN: Choice =
    Choice { lambdas: &[10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 1e-2, 1e-3, 1e-4], scales: &[0.1, 0.3, 1.0, 3.0] };

/// The rows of one trial, scaled by the training rows.
pub struct Trial {
    train: Dataset,
    validation: Dataset,
    test: Dataset,
    /// Standard deviation of the target.
    unit: f64,
}

/// Test errors of a trial.
pub struct Errors {
    /// The error of the mean of the training targets.
    pub mean: f64,
    /// The error of random Fourier features; λ and the width are chosen.
    pub plain: f64,
    /// The error of SRFF.
    pub srff: f64,
    /// The scales that SRFF learned.
    pub scales: Vec<f64>,
}

impl Trial {
    /// Scales the rows of a trial.
    pub fn new(train: &Dataset, validation: &Dataset, test: &Dataset) -> Trial {
        let scaling = Scaling::fit(train);
        let [train, validation, test] = [train, validation, test].map(|part| scaling.apply(part));
        Trial { train, validation, test, unit: scaling.y.scale[0] }
    }

    /// Returns the test errors.
    pub fn errors(&self, choice: Choice, run: &Run<'_>) -> Result<Errors, FitError> {
        let plain = self.best(&with!(settings(), max_iterations: 0), PLAIN, run)?;
        let srff = self.best(&settings(), choice, run)?;
        Ok(Errors {
            mean: self.unit * (self.test.y.norm_squared() / self.test.rows() as f64).sqrt(),
            plain: self.unit * rmse(&plain.expansion, &self.test),
            srff: self.unit * rmse(&srff.expansion, &self.test),
            scales: self.scales(&srff, run.seed()),
        })
    }

    /// Returns the test error of SRFF with the published solver.
    pub fn as_published(&self, choice: Choice, run: &Run<'_>) -> Result<f64, FitError> {
        let srff = with!(settings(), solver: "alternating");
        Ok(self.unit * rmse(&self.best(&srff, choice, run)?.expansion, &self.test))
    }

    /// The fit with the least validated error.
    fn best(&self, srff: &MethodConfig, choice: Choice, run: &Run<'_>) -> Result<Learned, FitError> {
        let mut fits = Vec::new();
        for &scale in choice.scales {
            let law = SpectralLaw::Normal { scale };
            let path = with!(srff, law).method().fit_path(&self.train, choice.lambdas, &run.quiet())?;
            let fitted = |expansion| (rmse(&expansion, &self.validation), Learned { law, expansion });
            fits.extend(path.into_iter().map(fitted));
        }
        let best = fits.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
        Ok(best.expect("there is a choice").1)
    }

    /// The scale γ of every input: the factor between the weights of a feature and the direction that the seed draws.
    fn scales(&self, learned: &Learned, seed: u64) -> Vec<f64> {
        let inputs = self.train.varying_inputs();
        let drawn = learned.law.sample(FEATURES, &inputs, inputs.len(), &mut Sampler::new(seed));
        let mut scales = vec![0.0; self.train.inputs()];
        let (feature, direction) = (&learned.expansion.features[0], &drawn[0]);
        for (&input, weight) in feature.support.iter().zip(&feature.weights) {
            let place = direction.support.iter().position(|&drawn| drawn == input).expect("an input that varies");
            scales[input] = weight / direction.weights[place];
        }
        scales
    }
}

/// A fit and the law of its directions.
struct Learned {
    law: SpectralLaw,
    expansion: Expansion,
}

fn settings() -> MethodConfig {
    with!(named("srff"), features: FEATURES)
}

fn rmse(expansion: &Expansion, data: &Dataset) -> f64 {
    Metrics::from_predictions(&expansion.predict(&data.x), &data.y).rmse
}
