//! The interface of all methods, and the settings that every method has.

use crate::data::Dataset;
use crate::method::common::taken::Taken;
use crate::method::error::MethodError;
use crate::method::terms::Terms;
use crate::model::Expansion;
use crate::run::Run;

/// A way of fitting an expansion.
///
/// A method whose settings have the traits `Clone`, `Debug`, `PartialEq`, `Serialize` and `Deserialize` becomes usable
/// everywhere as a [`MethodConfig`](crate::method::MethodConfig), and fits by itself through
/// [`FitMethod`](crate::FitMethod). Where one of them is missing, the error for `MethodConfig::from(method)` names it.
pub trait Method: Send + Sync {
    /// Returns the name of the method, which model files state. A method from outside of the library has a name that
    /// [`METHODS`](crate::method::METHODS) does not have.
    fn name(&self) -> &'static str;

    /// Fits `data`, whose columns are scaled (or, for the papers' tables, as the paper has them), once for every λ, and
    /// returns as many models, in the order of `lambdas`.
    ///
    /// Computations that do not depend on λ are done once. A method that has no λ ignores `lambdas` and returns as many
    /// copies. The result depends on the data, the settings and the seed alone, not on the number of threads.
    fn fit_path(&self, data: &Dataset, lambdas: &[f64], run: &Run<'_>) -> Result<Vec<Expansion>, MethodError>;

    /// Fits `data`, whose columns are scaled, with the method's own λ.
    fn fit_expansion(&self, data: &Dataset, run: &Run<'_>) -> Result<Expansion, MethodError> {
        let own = self.tunable().lambda.unwrap_or_default();
        let mut models = self.fit_path(data, &[own], run)?;
        match models.len() {
            1 => Ok(models.swap_remove(0)),
            returned => Err(MethodError::Models { method: self.name(), wanted: 1, returned }),
        }
    }

    /// Fits as [`Method::fit_expansion`] does, and returns the mean squared error over the rows that the method
    /// validates with; none where it validates with none.
    fn fit_validated(&self, data: &Dataset, run: &Run<'_>) -> Result<(Expansion, Option<f64>), MethodError> {
        Ok((self.fit_expansion(data, run)?, None))
    }

    /// Returns the models of all sizes that the method goes through, each fitted to all rows, the largest first.
    fn fit_sizes(&self, data: &Dataset, run: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        Ok(vec![self.fit_expansion(data, run)?])
    }

    /// Returns whether a fit of fewer features is the beginning of a fit of more. Then
    /// [`MethodConfig`](crate::method::MethodConfig) fits several sizes together.
    fn grows(&self) -> bool {
        false
    }

    /// Returns the numbers of features on the way to the method's own one, ascending, with that at the end.
    fn sizes(&self) -> Vec<usize> {
        vec![self.tunable().features]
    }

    /// Fits `data`, whose columns are scaled, once for every number of features that is wanted, of those that
    /// [`Method::sizes`] returns. A method that grows has a fit of its own.
    fn fit_growing(&self, data: &Dataset, wanted: &[usize], run: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        wanted.iter().map(|_| self.fit_expansion(data, run)).collect()
    }

    /// Checks the settings as far as that is possible without data.
    fn check(&self) -> Result<(), MethodError> {
        Ok(())
    }

    /// Returns whether a feature is a pair, the sine and the cosine of one frequency. On the device a pair is one
    /// feature.
    fn pairs(&self) -> bool {
        false
    }

    /// Returns whether the method gives rules. A model then has the room of so many rules of one condition.
    fn has_rules(&self) -> bool {
        false
    }

    /// Returns what the number of features counts, where it is a room that features of several sizes share; none where
    /// it counts features.
    fn room(&self) -> Option<&'static str> {
        None
    }

    /// Returns whether the method chooses the number of features by rows that it holds out. The number in its settings
    /// is then the largest one, and a budget leaves it room for more.
    fn holds_rows_out(&self) -> bool {
        false
    }

    /// Scales the assumed device rounding error of a method that has no λ. Returns whether the method uses one.
    fn scale_rounding(&mut self, factor: f64) -> bool {
        let _ = factor;
        false
    }

    /// Returns where a method keeps what its waves take of a budget; none of a method that needs not know.
    fn taken(&mut self) -> Option<&mut Taken> {
        None
    }

    /// Returns about how many operations a fit takes: those that fits with other λ share, and those of each λ. A search
    /// counts its effort by them.
    fn operations(&self, rows: usize, inputs: usize) -> (f64, f64) {
        let Tunable { features, order, .. } = self.tunable();
        let (rows, inputs, features) = (rows as f64, inputs as f64, features as f64);
        let order = order.map_or(inputs, |order| inputs.min(order as f64));
        (rows * (4.0 * features * (features + order) + inputs * inputs), features.powi(3))
    }

    /// Returns the settings that every method has.
    fn tunable(&self) -> Tunable;

    /// Changes the settings that every method has. A method that has no λ or no scale ignores it.
    fn tune(&mut self, tunable: Tunable);
}

/// The settings that every method has, and that budgets and cross-validation change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tunable {
    /// The largest number of features that a fit returns.
    pub features: usize,
    /// Inputs per feature; none for all inputs.
    pub order: Option<usize>,
    /// Ridge parameter; none in a method without a penalty.
    pub lambda: Option<f64>,
    /// Scale of the law that frequencies are drawn from; none in a method without such a law.
    pub scale: Option<f64>,
    /// Terms beside the features.
    pub terms: Terms,
}

impl Tunable {
    /// Returns the settings of a method that lets nothing but its number of features be changed.
    pub fn of_features(features: usize) -> Tunable {
        Tunable { features, order: None, lambda: None, scale: None, terms: Terms::Linear }
    }
}
