//! A method with its settings, whatever its type.

use std::any::Any;
use std::fmt::Debug;

use serde::de::DeserializeOwned;
use serde::ser::{Error, SerializeMap};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::data::Dataset;
use crate::method::error::MethodError;
use crate::method::ridge::Line;
use crate::method::settings::Settings;
use crate::method::terms::Terms;
use crate::method::traits::{Method, Tunable};
use crate::model::Expansion;
use crate::run::Run;

/// A method with its settings.
///
/// Settings are read and changed by the names that the method's table lists:
///
/// ```
/// use srfm_trainer::method::MethodConfig;
///
/// # fn main() -> Result<(), srfm_trainer::method::MethodError> {
/// let harfe = MethodConfig::named("harfe")?.with("features", 50)?.with("order", 3)?;
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
    /// A method from outside of the library, under a name that [`METHODS`](crate::method::METHODS) does not have.
    ///
    /// The method works wherever those of the library do. Settings files and checkpoints know the library's names only:
    /// a resumed search fits the method's candidates again.
    pub fn new<M>(name: &'static str, method: M) -> MethodConfig
    where
        M: Method + Clone + Debug + PartialEq + Serialize + DeserializeOwned + 'static,
    {
        MethodConfig { name, settings: Box::new(method) }
    }

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
    pub(crate) fn downcast<M: Method + 'static>(&self) -> Option<&M> {
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

    /// The same method with more allowance for the device's rounding; none for a method that has λ for that purpose.
    pub(crate) fn with_more_rounding(mut self, factor: f64) -> Option<Self> {
        self.settings.scale_rounding(factor).then_some(self)
    }

    /// Fits `data` with each of the candidates, which differ from each other in λ alone.
    ///
    /// # Errors
    /// The error of [`Method::fit_path`] for the first candidate that fails.
    pub(crate) fn fit_path(
        candidates: &[MethodConfig],
        data: &Dataset,
        run: &Run<'_>,
    ) -> Result<Vec<Expansion>, MethodError> {
        let Some(first) = candidates.first() else { return Ok(Vec::new()) };
        let lambda = |candidate: &MethodConfig| candidate.tunable().lambda.unwrap_or_default();
        let lambdas: Vec<f64> = candidates.iter().map(lambda).collect();
        if first.tunable().terms != Terms::Ridge {
            return first.method().fit_path(data, &lambdas, run);
        }
        let (line, rest) = (Line::fit(data, run.seed())?, first.clone().tuned(|t| t.terms = Terms::Intercept));
        let mut models = rest.method().fit_path(&line.residuals(data), &lambdas, run)?;
        models.iter_mut().for_each(|model| line.add_to(model));
        Ok(models)
    }

    /// Fits `data`.
    ///
    /// # Errors
    /// The error of [`Method::fit`].
    pub(crate) fn fit(&self, data: &Dataset, run: &Run<'_>) -> Result<Expansion, MethodError> {
        if self.tunable().terms != Terms::Ridge {
            return self.method().fit(data, run);
        }
        Ok(MethodConfig::fit_path(std::slice::from_ref(self), data, run)?.swap_remove(0))
    }

    /// Returns whether the settings of `other` are the same but for λ.
    pub(crate) fn differs_in_lambda_alone(&self, other: &MethodConfig) -> bool {
        self.clone().tuned(|t| t.lambda = other.tunable().lambda) == *other
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
