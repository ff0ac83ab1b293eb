//! What SRFF's tables have in common: fits on training rows, λ chosen on validation rows, errors on test rows.

use crate::data::Dataset;
use crate::method::{FitError, Learned, Srff};
use crate::metrics::Metrics;
use crate::observer::{Observer, Unseen};
use crate::sampling::SpectralLaw;
use crate::scaling::Scaling;
use crate::solve::scale_search::Solver;

/// Number of features of all tables.
const FEATURES: usize = 300;

/// Ridge parameters to choose from.
const LAMBDAS: [f64; 6] = [10.0, 3.0, 1.0, 0.3, 0.1, 0.03];

/// Those for many rows, where a fit takes long and the choice matters less.
const FEW_LAMBDAS: [f64; 2] = [3.0, 0.3];

/// Many rows.
const MANY: usize = 20_000;

/// Ridge parameters of features whose scales are not learned.
const PLAIN_LAMBDAS: [f64; 9] = [10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 1e-2, 1e-3, 1e-4];

/// Frequencies of such features in units of the kernel's reciprocal width, to choose from.
const PLAIN_SCALES: [f64; 4] = [0.1, 0.3, 1.0, 3.0];

/// The rows of one trial, scaled by the training rows.
pub(super) struct Trial {
    train: Dataset,
    validation: Dataset,
    test: Dataset,
    /// Standard deviation of the target.
    unit: f64,
}

/// Test errors of a trial.
pub(super) struct Errors {
    /// Of the mean of the training targets.
    pub mean: f64,
    /// Of random Fourier features, with λ and the width chosen.
    pub plain: f64,
    /// Of SRFF.
    pub srff: f64,
    /// The scales that SRFF learned.
    pub scales: Vec<f64>,
}

impl Trial {
    pub fn new(train: &Dataset, validation: &Dataset, test: &Dataset) -> Trial {
        let scaling = Scaling::of(train);
        let [train, validation, test] = [train, validation, test].map(|part| scaling.apply(part));
        Trial { train, validation, test, unit: scaling.y.scale[0] }
    }

    pub fn errors(&self, seed: u64, observer: &dyn Observer) -> Result<Errors, FitError> {
        let plain = |&scale: &f64| {
            let law = SpectralLaw::Normal { scale };
            let plain = Srff { max_iterations: 0, law, ..settings() };
            self.best(&plain, &PLAIN_LAMBDAS, seed, observer)
        };
        let plain: Vec<(f64, Learned)> = PLAIN_SCALES.iter().map(plain).collect::<Result<_, _>>()?;
        let (_, plain) = least(plain);
        let lambdas = if self.train.rows() < MANY { &LAMBDAS[..] } else { &FEW_LAMBDAS[..] };
        let (_, srff) = self.best(&settings(), lambdas, seed, observer)?;
        Ok(Errors {
            mean: self.unit * (self.test.y.norm_squared() / self.test.rows() as f64).sqrt(),
            plain: self.unit * rmse(&plain, &self.test),
            srff: self.unit * rmse(&srff, &self.test),
            scales: srff.scales,
        })
    }

    /// Test error of SRFF with the published solver.
    pub fn as_published(&self, seed: u64, observer: &dyn Observer) -> Result<f64, FitError> {
        let srff = Srff { solver: Solver::Alternating, ..settings() };
        let (_, learned) = self.best(&srff, &LAMBDAS, seed, observer)?;
        Ok(self.unit * rmse(&learned, &self.test))
    }

    /// The fit with the λ of the least validated error, which is given too.
    fn best(
        &self,
        srff: &Srff,
        lambdas: &[f64],
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<(f64, Learned), FitError> {
        let path = srff.learn(&self.train, lambdas, seed, &Unseen(observer))?;
        Ok(least(path.into_iter().map(|learned| (rmse(&learned, &self.validation), learned)).collect()))
    }
}

fn settings() -> Srff {
    Srff { features: FEATURES, ..Srff::default() }
}

fn rmse(learned: &Learned, data: &Dataset) -> f64 {
    Metrics::of(&learned.expansion.predict(&data.x), &data.y).rmse
}

fn least(candidates: Vec<(f64, Learned)>) -> (f64, Learned) {
    candidates.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).expect("there is a candidate")
}
