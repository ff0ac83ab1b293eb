//! What to fit and which settings to choose from.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::data::split::{checked, selected};
use crate::data::{Dataset, Split, SplitError, Splitter, is_constant};
use crate::error::FitError;
use crate::export::Encoding;
use crate::message::message;
use crate::message::setting::CONFIDENCE;
use crate::method::{Harfe, MethodConfig, MethodError};
use crate::scaling::Preprocessing;
use crate::validate::Metric;
use crate::validate::cross_validation::Folds;

/// The settings of a fit. Serialised, each group is a table of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FitConfig {
    /// The number of folds of the cross-validation.
    pub folds: usize,
    /// How rows are divided into folds.
    pub split: Splitter,
    /// Folds that the caller has divided, with rows of the data that are fitted; none for those of `folds` and `split`.
    #[serde(skip)]
    pub given: Option<Arc<[Split]>>,
    /// The method and its settings.
    pub method: MethodConfig,
    /// The scaling and the warps of the inputs.
    pub preprocessing: Preprocessing,
    /// The hyper-parameters that cross-validation chooses.
    pub grid: Grid,
    /// The number format and the limit of its rounding error.
    pub encoding: Encoding,
    /// What candidates for classes are chosen by; none for the accuracy.
    pub metric: Option<Metric>,
}

impl Default for FitConfig {
    fn default() -> Self {
        FitConfig {
            folds: 5,
            split: Splitter::default(),
            given: None,
            method: MethodConfig::from(Harfe::default()),
            preprocessing: Preprocessing::default(),
            grid: Grid::default(),
            encoding: Encoding::default(),
            metric: None,
        }
    }
}

/// All settings of a fit but its method. Searches and comparisons, which have methods of their own, take them.
#[derive(Clone, Debug, PartialEq)]
pub struct Conditions {
    /// The number of folds of the cross-validation.
    pub folds: usize,
    /// How rows are divided into folds.
    pub split: Splitter,
    /// Folds that the caller has divided, with rows of the data that are fitted; none for those of `folds` and `split`.
    pub given: Option<Arc<[Split]>>,
    /// The scaling and the warps of the inputs.
    pub preprocessing: Preprocessing,
    /// The hyper-parameters that cross-validation chooses.
    pub grid: Grid,
    /// The number format and the limit of its rounding error.
    pub encoding: Encoding,
    /// What candidates for classes are chosen by; none for the accuracy.
    pub metric: Option<Metric>,
}

impl Default for Conditions {
    fn default() -> Self {
        FitConfig::default().conditions()
    }
}

impl Conditions {
    /// Returns the settings of a fit by a method, whose hyper-parameters cross-validation chooses from the grid.
    pub fn with_method(&self, method: impl Into<MethodConfig>) -> FitConfig {
        let Conditions { folds, split, given, preprocessing, grid, encoding, metric } = self.clone();
        FitConfig { folds, split, given, method: method.into(), preprocessing, grid, encoding, metric }
    }

    /// Returns the settings of a fit by a method with nothing left to choose.
    pub(crate) fn with(&self, method: MethodConfig) -> FitConfig {
        FitConfig { grid: Grid::from([]), ..self.with_method(method) }
    }

    /// Returns how rows are divided, preprocessed and encoded for cross-validation.
    pub(crate) fn folds(&self) -> Folds {
        Folds {
            count: self.folds,
            fitted: self.fold_count(),
            split: self.split,
            given: self.given.clone(),
            preprocessing: self.preprocessing.clone(),
            encoding: self.encoding,
            metric: self.metric.unwrap_or_default(),
        }
    }

    /// Returns the number of folds.
    pub(crate) fn fold_count(&self) -> usize {
        self.given.as_ref().map_or(self.folds, |given| given.len())
    }

    /// Returns the settings for the `chosen` rows alone, with the rows of given folds numbered anew.
    ///
    /// # Errors
    /// [`SplitError::NoFoldLeft`].
    pub(crate) fn select_rows(&self, chosen: &[usize]) -> Result<Conditions, SplitError> {
        let given = self.given.as_ref().map(|given| selected(given, chosen)).transpose()?;
        Ok(Conditions { given: given.map(Arc::from), ..self.clone() })
    }
}

/// The hyper-parameters that cross-validation chooses: all combinations of the lists. An empty list leaves a
/// hyper-parameter at the method's own setting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Grid {
    /// Numbers of inputs per feature.
    pub orders: Vec<usize>,
    /// Scales of the distribution that frequencies are drawn from.
    pub scales: Vec<f64>,
    /// Ridge parameters.
    pub lambdas: Vec<f64>,
}

impl Default for Grid {
    fn default() -> Self {
        Grid::from([1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0])
    }
}

/// A grid of ridge parameters alone.
impl From<Vec<f64>> for Grid {
    fn from(lambdas: Vec<f64>) -> Grid {
        Grid { orders: Vec::new(), scales: Vec::new(), lambdas }
    }
}

/// A grid of ridge parameters alone.
impl<const N: usize> From<[f64; N]> for Grid {
    fn from(lambdas: [f64; N]) -> Grid {
        Grid::from(lambdas.to_vec())
    }
}

impl Grid {
    /// Returns every combination of the settings for `method`, at least one.
    pub(crate) fn candidates(&self, method: &MethodConfig) -> Vec<MethodConfig> {
        let own = method.tunable();
        let orders = choices(&self.orders, own.order);
        let scales = choices(&self.scales, own.scale);
        let lambdas = if own.lambda.is_none() { vec![None] } else { choices(&self.lambdas, own.lambda) };
        let mut candidates: Vec<MethodConfig> = Vec::new();
        for &order in &orders {
            for &scale in &scales {
                for &lambda in &lambdas {
                    let tuned = method.clone().tuned(|t| (t.order, t.scale, t.lambda) = (order, scale, lambda));
                    // A method without a scale is the same for all of them.
                    if !candidates.contains(&tuned) {
                        candidates.push(tuned);
                    }
                }
            }
        }
        candidates
    }
}

/// Returns the list, or the method's own setting where the list is empty.
fn choices<T: Copy>(list: &[T], own: Option<T>) -> Vec<Option<T>> {
    if list.is_empty() { vec![own] } else { list.iter().copied().map(Some).collect() }
}

impl FitConfig {
    /// Returns the usual settings of a fit by a method: five folds choose its λ.
    pub fn new(method: impl Into<MethodConfig>) -> FitConfig {
        FitConfig { method: method.into(), ..FitConfig::default() }
    }

    /// Returns whether a fit to `data` may cross-validate and therefore have intervals around its predictions: where
    /// there are settings to choose, and for methods without features, whose fits take no time.
    pub(crate) fn calibrates(&self, data: &Dataset) -> bool {
        let of_quantities = self.candidates().len() > 1 || self.method.tunable().features == 0;
        if data.classes.is_empty() { of_quantities } else { self.encoding.confidence.is_some() }
    }

    /// Returns all settings but the method.
    pub fn conditions(&self) -> Conditions {
        let FitConfig { folds, split, given, method: _, preprocessing, grid, encoding, metric } = self.clone();
        Conditions { folds, split, given, preprocessing, grid, encoding, metric }
    }

    /// Returns how rows are divided, preprocessed and encoded for cross-validation.
    pub(crate) fn folds(&self) -> Folds {
        self.conditions().folds()
    }

    /// Returns the number of folds.
    pub(crate) fn fold_count(&self) -> usize {
        self.conditions().fold_count()
    }

    /// Returns every combination of the settings to choose from, at least one.
    pub(crate) fn candidates(&self) -> Vec<MethodConfig> {
        self.grid.candidates(&self.method)
    }

    /// Returns the same settings with `method` and nothing left to choose.
    pub(crate) fn with(&self, method: MethodConfig) -> FitConfig {
        FitConfig { method, grid: Grid::from([]), ..self.clone() }
    }

    /// Checks that `data` can be fitted and that the settings are in their ranges; methods check their own settings.
    ///
    /// # Errors
    /// [`FitError`]: too few rows, a constant target, constant inputs, folds that are none, warps or settings out of
    /// range.
    pub(crate) fn check(&self, data: &Dataset) -> Result<(), FitError> {
        if data.rows() < 2 {
            let advice = "add rows".into();
            return Err(MethodError::TooFewRows { rows: data.rows(), needed: 2, purpose: "a fit", advice }.into());
        }
        for (name, column) in data.output_names.iter().zip(data.y.column_iter()) {
            if is_constant(column.as_slice()) {
                return Err(FitError::ConstantTarget { name: name.clone() });
            }
        }
        if data.varying_inputs().is_empty() {
            return Err(MethodError::ConstantInputs.into());
        }
        match &self.given {
            Some(given) if given.is_empty() => return Err(SplitError::NoFoldLeft { rows: data.rows() }.into()),
            Some(given) => checked(given, data.rows()).map(drop)?,
            None if self.folds < 2 => {
                let (range, value) = ("at least 2", self.folds as f64);
                return Err(MethodError::Setting { setting: "folds", range, value }.into());
            }
            None => {}
        }
        self.preprocessing.check(data)?;
        let Encoding { max_error, output_margin, confidence, .. } = self.encoding;
        if max_error.is_nan() || max_error <= 0.0 {
            return Err(MethodError::Setting { setting: "max_error", range: "above 0", value: max_error }.into());
        }
        if !(output_margin >= 0.0 && output_margin.is_finite()) {
            let (setting, range) = ("output_margin", "at least 0 and finite");
            return Err(MethodError::Setting { setting, range, value: output_margin }.into());
        }
        confidence.map_or(Ok(()), |level| check_confidence(level, data))?;
        if self.metric.is_some() && data.classes.is_empty() {
            return Err(MethodError::Quantities { setting: "metric" }.into());
        }
        for order in self.candidates().iter().filter_map(|candidate| candidate.tunable().order) {
            if order == 0 {
                return Err(MethodError::Setting { setting: "order", range: "at least 1", value: 0.0 }.into());
            }
            if order > data.inputs() {
                return Err(MethodError::OrderBeyondInputs { order, inputs: data.inputs() }.into());
            }
        }
        Ok(())
    }
}

/// Checks the share of rows whose class the model must not rule out.
fn check_confidence(level: f64, data: &Dataset) -> Result<(), MethodError> {
    if data.classes.is_empty() {
        return Err(MethodError::Quantities { setting: "confidence" });
    }
    if !(level > 0.0 && level < 1.0) {
        return Err(MethodError::Setting { setting: "confidence", range: "between 0 and 1", value: level });
    }
    // The rank among one row more than there are is that of a row.
    let needed = (level / (1.0 - level) * (1.0 - 1e-12)).ceil() as usize;
    match data.rows() < needed {
        true => {
            let advice = message!("add rows, or lower ", CONFIDENCE);
            Err(MethodError::TooFewRows { rows: data.rows(), needed, purpose: "this confidence", advice })
        }
        false => Ok(()),
    }
}
