//! Values with settings of methods as JSON text, for formats without names of fields.

use serde::de::{DeserializeOwned, Error as _};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub fn serialize<T: Serialize, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serde_json::to_string(value).map_err(S::Error::custom)?.serialize(serializer)
}

pub fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    serde_json::from_str(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}
