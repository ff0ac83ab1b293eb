//! SRFE-S: sparse random feature expansion with sparse feature weights.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::method::common::candidates::Draw;
use crate::method::common::check::{at_least_one, check_counts, check_features, check_lambdas, not_negative, positive};
use crate::method::error::MethodError;
use crate::method::terms::Terms;
use crate::method::traits::{Method, Tunable};
use crate::model::Expansion;
use crate::run::Run;
use crate::sampling::SpectralLaw;
use crate::solve::least_squares::ridge::ridge;
use crate::solve::sparse::basis_pursuit::{BasisPursuit, Status};

/// SRFE-S: sparse random feature expansion with sparse feature weights.
///
/// A. Hashemi, H. Schaeffer, R. Shi, U. Topcu, G. Tran and R. Ward, *Generalization bounds for sparse random feature
/// expansions*, 2021, as defined by Y. Xie, R. Shi, H. Schaeffer and R. Ward, *SHRIMP: sparser random feature models
/// via iterative magnitude pruning*, 2022, Definition 4.
///
/// Draws N sparse random features, solves basis pursuit denoising,
///
/// ```text
/// min ‖c‖₁   subject to   ‖A c − y‖₂ ≤ η √n,
/// ```
///
/// keeps the s features with the largest |c| and fits these again by ridge regression with a small λ. The final fit is
/// not part of the definition; it corrects the shrinkage by the 1-norm and the loss of the dropped features.
///
/// - *Columns* have unit norm in the pursuit, in the selection and in the final fit, so that |c| is the contribution of
///   a feature. This equals the definition with every |c| weighted by the norm of its column.
/// - *Support.* With η below the noise, the pursuit would continue to as many features as rows. It ends earlier, once
///   `2 s` features have weight: exactly the solution for the η that is reached there. A small η does little harm.
/// - *Several targets* are pursued one by one; the features with the largest Euclidean norm over the targets are kept.
///
/// | setting | default | meaning |
/// |---|---|---|
/// | `features` | 100 | s, the most features kept |
/// | `candidates` | 0 | N, the features drawn; 0 means ten times `features` |
/// | `order` | 2 | q, inputs per feature |
/// | `eta` | 1e-3 | η, noise level in standard deviations of the target |
/// | `lambda` | 1e-3 | λ of the last fit |
/// | `law` | normal, scale 1 | law of the weights and the bias |
/// | `max_iterations` | 500 | breakpoints of the pursuit after which it ends in any case |
/// | `terms` | linear | intercept and linear terms beside the features, unpenalised |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Srfe {
    /// Most features kept, s.
    pub features: usize,
    /// Features drawn, N; 0 means ten times `features`.
    pub candidates: usize,
    /// Inputs per feature, q.
    pub order: usize,
    /// Noise level η: root mean square of what the pursuit leaves, in units of the targets that are fitted (standard
    /// deviations where they are scaled).
    pub eta: f64,
    /// Ridge parameter λ of the last fit.
    pub lambda: f64,
    /// Law of the weights and the bias.
    pub law: SpectralLaw,
    /// Most breakpoints of the pursuit.
    pub max_iterations: usize,
    /// Terms beside the features.
    pub terms: Terms,
}

impl Default for Srfe {
    fn default() -> Self {
        Srfe {
            features: 100,
            candidates: 0,
            order: 2,
            eta: 1e-3,
            lambda: 1e-3,
            law: SpectralLaw::Normal { scale: 1.0 },
            max_iterations: 500,
            terms: Terms::Linear,
        }
    }
}

impl Srfe {
    /// Squared norm over the targets of every feature's coefficients.
    fn strengths(&self, a: &DMatrix<f64>, y: &DMatrix<f64>, run: &Run<'_>) -> Result<Vec<f64>, MethodError> {
        let pursuit = BasisPursuit {
            sigma: self.eta * (a.nrows() as f64).sqrt(),
            tolerance: 1e-6,
            max_iterations: self.max_iterations,
            max_support: 2 * self.features,
        };
        let mut strengths = vec![0.0; a.ncols()];
        for target in 0..y.ncols() {
            let found = pursuit.run(a, &y.columns(target, 1).into_owned(), || run.interruption())?;
            if found.status == Status::Interrupted {
                return Err(MethodError::Interrupted);
            }
            strengths.iter_mut().zip(&found.coefficients).for_each(|(strength, c)| *strength += c * c);
        }
        Ok(strengths)
    }

    /// The `features` columns that are strongest, ascending; ties go to the lower column, no strength is no place.
    fn choose(&self, strengths: &[f64]) -> Vec<usize> {
        let mut support: Vec<usize> = (0..strengths.len()).filter(|&j| strengths[j] > 0.0).collect();
        support.sort_by(|&i, &j| strengths[j].total_cmp(&strengths[i]));
        support.truncate(self.features);
        support.sort_unstable();
        support
    }
}

impl Method for Srfe {
    fn name(&self) -> &'static str {
        "srfe"
    }

    fn fit_path(&self, data: &Dataset, lambdas: &[f64], run: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        self.check()?;
        check_lambdas(lambdas)?;
        check_counts(data.rows(), self.features, self.candidates, 1)?;
        let count = if self.candidates == 0 { 10 * self.features } else { self.candidates };
        let draw = Draw { count, order: self.order, law: self.law, terms: self.terms };
        let mut candidates = draw.candidates(data, run.seed())?;
        candidates.normalise_columns();
        let support = self.choose(&self.strengths(&candidates.a, &candidates.y, run)?);
        let kept = candidates.a.select_columns(&support);
        let fit = |&lambda: &f64| candidates.expansion(&support, ridge(&kept, &candidates.y, lambda)?);
        lambdas.iter().map(fit).collect()
    }

    fn check(&self) -> Result<(), MethodError> {
        check_features(self.features)?;
        positive("scale", self.law.scale())?;
        at_least_one("order", self.order)?;
        at_least_one("max_iterations", self.max_iterations)?;
        not_negative("eta", self.eta)?;
        not_negative("lambda", self.lambda)
    }

    fn tunable(&self) -> Tunable {
        let scale = Some(self.law.scale());
        Tunable {
            features: self.features,
            order: Some(self.order),
            lambda: Some(self.lambda),
            scale,
            terms: self.terms,
        }
    }

    fn tune(&mut self, Tunable { features, order, lambda, scale, terms }: Tunable) {
        (self.features, self.terms) = (features, terms);
        self.order = order.unwrap_or(self.order);
        self.lambda = lambda.unwrap_or(self.lambda);
        self.law = self.law.with_scale(scale.unwrap_or(self.law.scale()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::generate::Task;
    use crate::features::{Activation, feature_matrix};
    use crate::run::Run;

    /// Two targets that are made of a few of the candidates which the seed draws, and of linear terms.
    #[test]
    fn the_features_that_made_the_targets_are_found() {
        for seed in 0..5 {
            let mut data = Task::Friedman1.generate(150, 0.0, seed);
            let srfe = Srfe { features: 6, candidates: 300, eta: 1e-6, lambda: 0.0, ..Srfe::default() };
            let draw = Draw { count: 300, order: 2, law: SpectralLaw::Normal { scale: 3.0 }, terms: Terms::Linear };
            let srfe = Srfe { law: draw.law, ..srfe };
            let chosen = [17, 120, 255];
            let features =
                draw.candidates(&data, seed).unwrap().expansion(&chosen, DMatrix::zeros(3, 1)).unwrap().features;
            let weights = DMatrix::from_row_slice(3, 2, &[2.0, 0.0, -1.5, 1.0, 0.0, -2.0]);
            let linear = data.x.columns(0, 2) * DMatrix::from_element(2, 2, 0.7);
            data.y = feature_matrix(&data.x, &features, Activation::Sine) * &weights + linear;
            data.output_names = vec!["u".to_owned(), "v".to_owned()];
            let fitted = srfe.fit_expansion(&data, &Run::new(seed)).unwrap();
            assert!((fitted.predict(&data.x) - &data.y).amax() < 1e-4, "seed {seed}");
            assert!(features.iter().all(|feature| fitted.features.contains(feature)), "seed {seed}");
        }
    }

    #[test]
    fn what_is_noise_is_not_fitted() {
        let mut data = Task::Friedman1.generate(100, 1.0, 1);
        data.y /= data.y.norm() / 10.0;
        let srfe = Srfe { eta: 1.1, terms: Terms::None, ..Srfe::default() };
        let fitted = srfe.fit_expansion(&data, &Run::new(1)).unwrap();
        assert!(fitted.features.is_empty());
        assert_eq!(fitted.predict(&data.x), DMatrix::zeros(100, 1));
    }

    #[test]
    fn settings_out_of_range_are_named() {
        let data = Task::Friedman1.generate(50, 1.0, 1);
        let setting = |srfe: Srfe| match srfe.fit_expansion(&data, &Run::new(1)) {
            Err(MethodError::Setting { setting, .. }) => setting,
            other => panic!("{other:?}"),
        };
        assert_eq!(setting(Srfe { eta: -0.1, ..Srfe::default() }), "eta");
        assert_eq!(setting(Srfe { eta: f64::NAN, ..Srfe::default() }), "eta");
        assert_eq!(setting(Srfe { lambda: f64::INFINITY, ..Srfe::default() }), "lambda");
        assert_eq!(setting(Srfe { features: 0, ..Srfe::default() }), "features");
    }
}
