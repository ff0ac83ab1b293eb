//! The table of number formats.

use serde::{Deserialize, Serialize};
use srfm_runtime::format::Number;

/// Defines [`NumberFormat`] by its rows: the name and the numbers in the file.
macro_rules! formats {
    ($($(#[$attribute:meta])* $format:ident = ($name:literal, $number:ident);)*) => {
        /// How the device stores a model.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum NumberFormat {
            $($(#[$attribute])* $format,)*
        }

        impl NumberFormat {
            /// All formats.
            pub const ALL: [NumberFormat; [$($name),*].len()] = [$(NumberFormat::$format),*];

            /// Returns the name of the format.
            pub fn name(self) -> &'static str {
                match self {
                    $(NumberFormat::$format => $name,)*
                }
            }

            /// Returns the format of that name.
            pub fn named(name: &str) -> Option<NumberFormat> {
                match name {
                    $($name => Some(NumberFormat::$format),)*
                    _ => None,
                }
            }

            /// Returns the format of a file with these numbers.
            pub fn from_number(number: Number) -> NumberFormat {
                match number {
                    $(Number::$number => NumberFormat::$format,)*
                }
            }

            /// Returns the numbers in the file.
            pub(crate) fn number(self) -> Number {
                match self {
                    $(NumberFormat::$format => Number::$number,)*
                }
            }
        }
    };
}

formats! {
    /// Single precision: for cores with a floating-point unit.
    #[default]
    F32 = ("f32", F32);
    /// Integers with weights of 32 bits: for every core.
    Int = ("int", I32);
    /// Integers with weights of 16 bits. A feature of two inputs takes two bytes less with at most 16 inputs and four
    /// bytes less with more, and a few instructions more.
    Int16 = ("int16", I16);
}
