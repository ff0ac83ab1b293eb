//! Checks of single values.

/// A field without a value.
pub const MISSING: &str = "is missing; fill in the value or remove the row";
/// An infinity or a NaN.
pub const NOT_FINITE: &str = "is not finite; remove the row";
/// A text where a number is needed.
pub const NOT_A_NUMBER: &str = "is not a number; remove the column or code it as numbers";

/// Returns the number in a field of a text file.
///
/// # Errors
/// A sentence that says what is wrong with the field and what to do.
pub fn number(field: &str) -> Result<f64, &'static str> {
    if field.is_empty() {
        return Err(MISSING);
    }
    match field.parse::<f64>() {
        Err(_) if field.replace(',', ".").parse::<f64>().is_ok() => {
            Err("is not a number; write decimals with a point instead of a comma")
        }
        Err(_) => Err(NOT_A_NUMBER),
        Ok(value) => in_range(value),
    }
}

/// Returns the value, if the device can hold it in an `f32`.
///
/// # Errors
/// As [`number`].
pub fn in_range(value: f64) -> Result<f64, &'static str> {
    if !value.is_finite() {
        Err(NOT_FINITE)
    } else if !(value as f32).is_finite() {
        Err("is beyond the range of a 32-bit float (3.4e38); use a larger unit for this column")
    } else {
        Ok(value)
    }
}
