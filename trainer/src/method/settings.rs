//! Settings of any method behind one object-safe trait.

use std::any::Any;
use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Result, Value};

use crate::method::traits::Method;

/// A method whose settings can be copied, compared, written and read without knowing its type.
pub(crate) trait Settings: Method + Any + Debug {
    /// Returns a copy.
    fn boxed(&self) -> Box<dyn Settings>;

    /// Returns whether `other` is of the same type and has the same settings.
    fn equals(&self, other: &dyn Settings) -> bool;

    /// Returns all settings by name.
    fn to_json(&self) -> Result<Value>;

    /// Reads settings of the same type.
    fn read_json(&self, settings: Value) -> Result<Box<dyn Settings>>;
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

    fn to_json(&self) -> Result<Value> {
        serde_json::to_value(self)
    }

    fn read_json(&self, settings: Value) -> Result<Box<dyn Settings>> {
        Ok(Box::new(serde_json::from_value::<M>(settings)?))
    }
}
