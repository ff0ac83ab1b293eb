//! A method with its settings, whatever its type.

use std::any::Any;
use std::fmt::Debug;
use std::slice;

use serde::de::DeserializeOwned;
use serde::ser::{Error, SerializeMap};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::data::Dataset;
use crate::method::common::logistic;
use crate::method::common::taken::Taken;
use crate::method::error::MethodError;
use crate::method::terms::{Line, Terms};
use crate::method::traits::{Method, Tunable};
use crate::model::Expansion;
use crate::run::Run;

/// Factor by which the assumed rounding error of a method without λ grows after each failed export.
const ROUNDING_FACTOR: f64 = 3.0;

/// Factors by which λ grows after a failed export: at least a step of the usual grids, and at most this.
const LEAST_PENALTY_FACTOR: f64 = 10.0;
const LARGEST_PENALTY_FACTOR: f64 = 1e4;

/// A method with its settings.
///
/// The settings of every method are a type of their own. Front ends read and change settings by the names of their
/// fields:
///
/// ```
/// use srfm_trainer::method::{Harfe, MethodConfig};
///
/// # fn main() -> Result<(), srfm_trainer::method::MethodError> {
/// let harfe = MethodConfig::from(Harfe { features: 50, order: 3, ..Harfe::default() });
/// assert_eq!(harfe, MethodConfig::named("harfe")?.with("features", 50)?.with("order", 3)?);
/// assert_eq!(harfe.setting("candidates"), Some(0));
/// assert!(harfe.clone().with("feature", 50).is_err());
/// assert!(harfe.with("step", -1.0).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct MethodConfig {
    name: &'static str,
    settings: Box<dyn Settings>,
}

impl MethodConfig {
    /// A method whose type is not known.
    pub(crate) fn of(name: &'static str, settings: Box<dyn Settings>) -> MethodConfig {
        MethodConfig { name, settings }
    }

    /// The name of the method.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The method itself.
    pub fn method(&self) -> &dyn Method {
        &*self.settings
    }

    /// The method as its own type; none where it is of another type.
    pub fn downcast<M: Method + 'static>(&self) -> Option<&M> {
        let settings: &dyn Any = &*self.settings;
        settings.downcast_ref()
    }

    /// The method as its own type, to be changed; none where it is of another type.
    pub(crate) fn downcast_mut<M: Method + 'static>(&mut self) -> Option<&mut M> {
        let settings: &mut dyn Any = &mut *self.settings;
        settings.downcast_mut()
    }

    /// The value of a setting; none where there is no such setting or its value is of another type.
    pub fn setting<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_value(self.all().ok()?.remove(name)?).ok()
    }

    /// The same method with another value of one setting.
    ///
    /// # Errors
    /// [`MethodError::UnknownSetting`] for a name that the method does not have, [`MethodError::InvalidSetting`] for a
    /// value of another type, [`MethodError::Setting`] and the like for a value out of range.
    pub fn with(self, setting: &str, value: impl Serialize) -> Result<MethodConfig, MethodError> {
        let invalid = |reason: serde_json::Error| self.invalid(setting, &reason);
        let value = serde_json::to_value(value).map_err(invalid)?;
        if !self.all().map_err(invalid)?.contains_key(setting) {
            return Err(self.unknown(setting));
        }
        let changed = self.overlaid(Map::from_iter([(setting.to_owned(), value)])).map_err(invalid)?;
        changed.method().check()?;
        Ok(changed)
    }

    /// The settings that every method has.
    pub fn tunable(&self) -> Tunable {
        self.settings.tunable()
    }

    /// The same method with some of these settings changed.
    ///
    /// ```
    /// use srfm_trainer::method::MethodConfig;
    ///
    /// let small = MethodConfig::named("harfe").unwrap().tuned(|t| t.features = 8);
    /// assert_eq!(small.tunable().features, 8);
    /// ```
    pub fn tuned(mut self, change: impl FnOnce(&mut Tunable)) -> Self {
        let mut tunable = self.tunable();
        change(&mut tunable);
        self.settings.tune(tunable);
        self
    }

    /// Returns where the method keeps what its waves take of a budget.
    pub(crate) fn taken(&mut self) -> Option<&mut Taken> {
        self.settings.taken()
    }

    /// The same method for a model that the device must reproduce more closely by a `factor` above 1: with a larger λ,
    /// or with more allowance for the device's rounding where there is no λ. None for a method with neither.
    ///
    /// Rounding errors grow with the coefficients, and the coefficients of nearly dependent columns with 1/√λ.
    pub(crate) fn steadier(mut self, factor: f64) -> Option<Self> {
        if self.settings.scale_rounding(ROUNDING_FACTOR) {
            return Some(self);
        }
        let lambda = self.tunable().lambda?.max(f64::EPSILON);
        let factor = factor.powi(2).clamp(LEAST_PENALTY_FACTOR, LARGEST_PENALTY_FACTOR);
        Some(self.tuned(|t| t.lambda = Some(factor * lambda)))
    }

    /// Fits `data` with each of the candidates, each of which shares a fit with the one before.
    ///
    /// # Errors
    /// The error of the first candidate that fails.
    pub(crate) fn fit_together(
        candidates: &[MethodConfig],
        data: &Dataset,
        run: &Run<'_>,
    ) -> Result<Vec<Expansion>, MethodError> {
        let Some(first) = candidates.first() else { return Ok(Vec::new()) };
        if first.tunable().terms != Terms::Ridge {
            let models = first.fit_beside(candidates, data, run)?;
            return Ok(of_classes(models, candidates, data, run));
        }
        let line = Line::fit(data, run.seed())?;
        let rest = first.clone().tuned(|t| t.terms = Terms::Intercept);
        let mut models = rest.fit_beside(candidates, &line.residuals(data), run)?;
        models.iter_mut().for_each(|model| line.add_to(model));
        Ok(of_classes(models, candidates, data, run))
    }

    /// Fits `data` with the λ or the numbers of features of the candidates.
    fn fit_beside(
        &self,
        candidates: &[MethodConfig],
        data: &Dataset,
        run: &Run<'_>,
    ) -> Result<Vec<Expansion>, MethodError> {
        let settings = candidates.iter().map(MethodConfig::tunable);
        let models = if self.method().grows() {
            let sizes: Vec<usize> = settings.map(|settings| settings.features).collect();
            let largest = sizes.iter().copied().max().unwrap_or_default();
            self.clone().tuned(|t| t.features = largest).method().fit_growing(data, &sizes, run)?
        } else {
            let lambdas: Vec<f64> = settings.map(|settings| settings.lambda.unwrap_or_default()).collect();
            self.method().fit_path(data, &lambdas, run)?
        };
        let (wanted, returned) = (candidates.len(), models.len());
        match wanted == returned {
            true => Ok(models),
            false => Err(MethodError::Models { method: self.name, wanted, returned }),
        }
    }

    /// Returns whether the settings are of one type.
    pub(crate) fn is_of_the_type_of(&self, other: &MethodConfig) -> bool {
        let own: &dyn Any = &*self.settings;
        let others: &dyn Any = &*other.settings;
        own.type_id() == others.type_id()
    }

    /// Fits `data`.
    ///
    /// # Errors
    /// The error of [`Method::fit_expansion`].
    pub(crate) fn fit_expansion(&self, data: &Dataset, run: &Run<'_>) -> Result<Expansion, MethodError> {
        if self.tunable().terms != Terms::Ridge {
            let model = self.method().fit_expansion(data, run)?;
            return Ok(of_classes(vec![model], slice::from_ref(self), data, run).swap_remove(0));
        }
        Ok(MethodConfig::fit_together(slice::from_ref(self), data, run)?.swap_remove(0))
    }

    /// Returns whether a fit with the settings of `other` shares most of its work with this one: those of a method that
    /// grows differ in the number of features alone, those of other methods in λ alone.
    pub(crate) fn shares_a_fit(&self, other: &MethodConfig) -> bool {
        let Tunable { features, lambda, .. } = other.tunable();
        let grows = self.method().grows();
        self.clone().tuned(|t| if grows { t.features = features } else { t.lambda = lambda }) == *other
    }

    /// The same method with the values of some settings replaced.
    pub(crate) fn overlaid(&self, values: Map<String, Value>) -> serde_json::Result<MethodConfig> {
        let mut settings = self.all()?;
        settings.extend(values);
        Ok(MethodConfig { name: self.name, settings: self.settings.read_json(Value::Object(settings))? })
    }

    /// All settings by name.
    fn all(&self) -> serde_json::Result<Map<String, Value>> {
        serde_json::from_value(self.settings.to_json()?)
    }

    fn invalid(&self, setting: &str, reason: &serde_json::Error) -> MethodError {
        let (setting, reason) = (setting.to_owned(), reason.to_string());
        MethodError::InvalidSetting { method: self.name, setting, reason }
    }

    fn unknown(&self, setting: &str) -> MethodError {
        let known = self.all().map(|all| all.keys().cloned().collect::<Vec<_>>().join(", ")).unwrap_or_default();
        MethodError::UnknownSetting { method: self.name, setting: setting.to_owned(), known }
    }
}

/// Returns models that the candidates fitted; those of classes with amplitudes of least log loss.
fn of_classes(models: Vec<Expansion>, candidates: &[MethodConfig], data: &Dataset, run: &Run<'_>) -> Vec<Expansion> {
    if data.classes.is_empty() {
        return models;
    }
    let refitted = |(model, candidate): (Expansion, &MethodConfig)| match candidate.tunable().terms {
        Terms::None => model,
        _ => logistic::refitted(model, data, run),
    };
    models.into_iter().zip(candidates).map(refitted).collect()
}

/// The method with its settings. Methods from outside of the library work wherever those of the library do. Settings
/// files and checkpoints know the library's names only: a resumed search fits the candidates of other methods again.
impl<M> From<M> for MethodConfig
where
    M: Method + Clone + Debug + PartialEq + Serialize + DeserializeOwned + 'static,
{
    fn from(method: M) -> MethodConfig {
        MethodConfig { name: method.name(), settings: Box::new(method) }
    }
}

impl Clone for MethodConfig {
    fn clone(&self) -> Self {
        MethodConfig { name: self.name, settings: self.settings.boxed() }
    }
}

impl PartialEq for MethodConfig {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.settings.equals(&*other.settings)
    }
}

/// `{ name: settings }`; the settings are JSON text where the format is binary and cannot tell types.
impl Serialize for MethodConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let settings = self.settings.to_json().map_err(S::Error::custom)?;
        let readable = serializer.is_human_readable();
        let mut map = serializer.serialize_map(Some(1))?;
        if readable {
            map.serialize_entry(self.name, &settings)?;
        } else {
            map.serialize_entry(self.name, &settings.to_string())?;
        }
        map.end()
    }
}

/// A method whose settings can be copied, compared, written and read without knowing its type.
pub(crate) trait Settings: Method + Any + Debug {
    /// Returns a copy.
    fn boxed(&self) -> Box<dyn Settings>;

    /// Returns whether `other` is of the same type and has the same settings.
    fn equals(&self, other: &dyn Settings) -> bool;

    /// Returns all settings by name.
    fn to_json(&self) -> serde_json::Result<Value>;

    /// Reads settings of the same type.
    fn read_json(&self, settings: Value) -> serde_json::Result<Box<dyn Settings>>;
}

impl<M> Settings for M
where
    M: Method + Clone + Debug + PartialEq + Serialize + DeserializeOwned + 'static,
{
    fn boxed(&self) -> Box<dyn Settings> {
        Box::new(self.clone())
    }

    fn equals(&self, other: &dyn Settings) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref() == Some(self)
    }

    fn to_json(&self) -> serde_json::Result<Value> {
        serde_json::to_value(self)
    }

    fn read_json(&self, settings: Value) -> serde_json::Result<Box<dyn Settings>> {
        Ok(Box::new(serde_json::from_value::<M>(settings)?))
    }
}

/// Values with settings of methods as JSON text, for formats without names of fields.
pub(crate) mod as_json {
    use serde::de::{DeserializeOwned, Error as _};
    use serde::ser::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<T: Serialize, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serde_json::to_string(value).map_err(S::Error::custom)?.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
        serde_json::from_str(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
