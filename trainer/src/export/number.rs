//! Number formats.

use serde::{Deserialize, Serialize};
use srfm_runtime::format::Number;

/// How the device stores a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NumberFormat {
    /// Single precision: for cores with a floating-point unit.
    #[default]
    F32,
    /// Integers, with weights of 32 bits: for every core.
    Int,
    /// Integers, with weights of 16 bits: two bytes less for a feature of two of at most 16 inputs, four of more, and a few instructions
    /// more.
    Int16,
}

impl NumberFormat {
    /// The names of all formats.
    pub const NAMES: [&str; 3] = ["f32", "int", "int16"];

    /// The name of the format.
    pub fn name(self) -> &'static str {
        match self {
            NumberFormat::F32 => "f32",
            NumberFormat::Int => "int",
            NumberFormat::Int16 => "int16",
        }
    }

    /// The format of a file with these numbers.
    pub fn of(number: Number) -> NumberFormat {
        match number {
            Number::F32 => NumberFormat::F32,
            Number::I32 => NumberFormat::Int,
            Number::I16 => NumberFormat::Int16,
        }
    }

    /// The format of that name.
    pub fn named(name: &str) -> Option<NumberFormat> {
        match name {
            "f32" => Some(NumberFormat::F32),
            "int" => Some(NumberFormat::Int),
            "int16" => Some(NumberFormat::Int16),
            _ => None,
        }
    }

    /// The number format of the file.
    pub fn number(self) -> Number {
        match self {
            NumberFormat::F32 => Number::F32,
            NumberFormat::Int => Number::I32,
            NumberFormat::Int16 => Number::I16,
        }
    }
}
