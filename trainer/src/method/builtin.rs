//! The table of methods: a new method is a file of its own and a row here.

use std::fmt;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::method::a_la_carte::ALaCarte;
use crate::method::arff::Arff;
use crate::method::compact::Compact;
use crate::method::config::{MethodConfig, Settings};
use crate::method::error::MethodError;
use crate::method::fourier::Fourier;
use crate::method::gfc::Gfc;
use crate::method::harfe::Harfe;
use crate::method::linear::Linear;
use crate::method::mixed::Mixed;
use crate::method::path::Path;
use crate::method::polynomial::Polynomial;
use crate::method::rules::Rules;
use crate::method::sgd::Sgd;
use crate::method::shrimp::Shrimp;
use crate::method::srfe::Srfe;
use crate::method::srff::Srff;
use crate::method::table::Table;

/// A method of the library.
pub struct Builtin {
    /// The name in settings files and on the command line.
    pub name: &'static str,
    /// A description on one line.
    pub summary: &'static str,
    /// Whether a comparison includes the method unless told otherwise.
    pub compared: bool,
    /// Whether a search tries the method with the inputs and warps of the best waves.
    pub(crate) searched: bool,
    defaults: fn() -> Box<dyn Settings>,
}

/// The methods of the library. A search and a comparison take them in this order: fast methods come first.
#[rustfmt::skip]
pub static METHODS: [Builtin; 17] = [
    row("compact", || Box::new(Compact::default()), "few frequencies, selected from many and refined").compared(),
    row("fourier", || Box::new(Fourier::default()), "ridge regression on random features").compared().searched(),
    row("min-norm", || Box::new(Fourier::min_norm()), "interpolation of least norm on random features"),
    row("harfe", || Box::new(Harfe::default()), "hard-ridge random feature expansion").compared().searched(),
    row("shrimp", || Box::new(Shrimp::default()), "iterative magnitude pruning").compared().searched(),
    row("srfe", || Box::new(Srfe::default()), "basis pursuit on sparse random features").compared(),
    row("srff", || Box::new(Srff::default()), "random features with learned input scales").compared().searched(),
    row("gfc", || Box::new(Gfc::default()), "greedy feature construction").compared().searched(),
    row("arff", || Box::new(Arff::default()), "random features adapted by Metropolis sampling").compared().searched(),
    row("a-la-carte", || Box::new(ALaCarte::default()), "random features from a learned mixture of Gaussians"),
    row("sgd", || Box::new(Sgd::default()), "frequencies by stochastic gradients over all rows"),
    row("rules", || Box::new(Rules::default()), "branches of small trees, selected per byte").compared().searched(),
    row("path", || Box::new(Path::default()), "waves of one to all inputs, grown per byte"),
    row("mixed", || Box::new(Mixed::default()), "waves, and rules for what they leave"),
    row("polynomial", || Box::new(Polynomial::default()), "squares and products of inputs").compared(),
    row("table", || Box::new(Table::default()), "piecewise linear functions of single inputs").compared(),
    row("linear", || Box::new(Linear::default()), "ridge regression without features"),
];

const fn row(name: &'static str, defaults: fn() -> Box<dyn Settings>, summary: &'static str) -> Builtin {
    Builtin { name, summary, compared: false, searched: false, defaults }
}

impl Builtin {
    const fn compared(self) -> Builtin {
        Builtin { compared: true, ..self }
    }

    const fn searched(self) -> Builtin {
        Builtin { searched: true, ..self }
    }

    /// The method with its default settings.
    pub(crate) fn config(&self) -> MethodConfig {
        MethodConfig::of(self.name, (self.defaults)())
    }
}

impl MethodConfig {
    /// Checks that a method from outside of the library does not have the name of one of the library's.
    ///
    /// # Errors
    /// [`MethodError::Name`].
    pub(crate) fn check_name(&self) -> Result<(), MethodError> {
        match METHODS.iter().find(|builtin| builtin.name == self.name()) {
            Some(builtin) if !builtin.config().is_of_the_type_of(self) => Err(MethodError::Name { name: self.name() }),
            _ => Ok(()),
        }
    }

    /// The method of the library with that name, with its default settings.
    ///
    /// # Errors
    /// [`MethodError::UnknownMethod`].
    pub fn named(name: &str) -> Result<MethodConfig, MethodError> {
        let found = METHODS.iter().find(|method| method.name == name);
        let unknown = || MethodError::UnknownMethod { name: name.to_owned(), known: names().join(", ") };
        found.map(Builtin::config).ok_or_else(unknown)
    }
}

/// Returns the names of the library's methods.
pub(crate) fn names() -> [&'static str; METHODS.len()] {
    METHODS.each_ref().map(|method| method.name)
}

impl<'de> Deserialize<'de> for MethodConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let readable = deserializer.is_human_readable();
        deserializer.deserialize_map(OneMethod { readable })
    }
}

/// Reads a map of one method to its settings; settings that are not given have the method's defaults.
struct OneMethod {
    readable: bool,
}

impl<'de> Visitor<'de> for OneMethod {
    type Value = MethodConfig;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("one method with its settings")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<MethodConfig, A::Error> {
        let name: String = map.next_key()?.ok_or_else(|| A::Error::custom("one method is needed"))?;
        let method = MethodConfig::named(&name).map_err(A::Error::custom)?;
        let settings: Map<String, Value> = if self.readable {
            map.next_value()?
        } else {
            serde_json::from_str(&map.next_value::<String>()?).map_err(A::Error::custom)?
        };
        if map.next_key::<String>()?.is_some() {
            return Err(A::Error::custom("there is more than one method; give one"));
        }
        method.overlaid(settings).map_err(|error| A::Error::custom(format_args!("method.{name}: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_to_its_row() {
        for row in &METHODS {
            assert_eq!(MethodConfig::named(row.name), Ok(row.config()));
            assert_eq!(row.config().method().name(), row.name);
        }
        let searched: Vec<&str> = METHODS.iter().filter(|method| method.searched).map(|method| method.name).collect();
        assert_eq!(searched, ["fourier", "harfe", "shrimp", "srff", "gfc", "arff", "rules"]);
    }
}
