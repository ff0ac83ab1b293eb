//! Checks of single values.

use crate::data::preparation::{Decimal, Missing, Preparation};
use crate::message::setting::{DECIMAL, IGNORE, MISSING, TASK};
use crate::message::{Message, message};

/// What is wrong with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueProblem {
    /// The field has no value.
    Missing,
    /// The target has no value.
    MissingTarget,
    /// The value is NaN.
    NotANumber,
    /// The value is infinite.
    Infinite,
    /// The value is beyond the range of `f32`.
    BeyondRange,
    /// The field is text where a number is needed.
    Text,
    /// The target is text where a number is needed.
    TextTarget,
    /// The field reaches over several lines, because a quote does not close.
    OpenQuote,
    /// The field is a number with a decimal comma.
    DecimalComma,
    /// The field has a decimal point, but the settings announce commas.
    DecimalPoint,
    /// The field has separators of thousands.
    Thousands,
    /// The field has separators of thousands, or a decimal comma, in a file whose fields are separated by commas.
    ThousandsOrComma,
    /// The field has separators of thousands and a decimal comma.
    ThousandsAndComma,
}

impl ValueProblem {
    /// Returns what is wrong with the value, and what to do.
    pub(crate) fn message(self) -> Message {
        match self {
            ValueProblem::Missing => message!("is missing; add ", drop_or_mean()),
            ValueProblem::MissingTarget => message!(
                "is missing; add ",
                MISSING.with("drop"),
                " or ",
                MISSING.with("mean"),
                ", which leave out rows without target"
            ),
            ValueProblem::NotANumber => {
                message!("is not finite; if it marks a missing value, add ", drop_or_mean())
            }
            ValueProblem::Infinite => "is not finite; remove the row".into(),
            ValueProblem::BeyondRange => {
                "is beyond the range of a 32-bit float (3.4e38); use a larger unit for this column".into()
            }
            ValueProblem::Text => message!(
                "is not a number; correct the cell or remove the row, or where more cells of the column are text, \
                 leave the column out with ",
                IGNORE
            ),
            ValueProblem::TextTarget => {
                message!("is not a number; set ", TASK.to("classification"), " if the targets are classes")
            }
            ValueProblem::OpenQuote => {
                "is not a number; a quote opens in this line and does not close in it: close or remove it".into()
            }
            ValueProblem::DecimalComma => message!(
                "is not a number; write decimals with a point instead of a comma, or set ",
                DECIMAL.to("comma")
            ),
            ValueProblem::DecimalPoint => message!(
                "has a point, but ",
                DECIMAL.with("comma"),
                " expects numbers without points; write 1234,5 with a comma only"
            ),
            ValueProblem::Thousands => "has separators of thousands; remove them".into(),
            ValueProblem::ThousandsOrComma => message!(
                "has separators of thousands; remove them, or if the comma marks the decimals, set ",
                DECIMAL.to("comma")
            ),
            ValueProblem::ThousandsAndComma => {
                "has separators of thousands; write numbers without them, such as 1234,5".into()
            }
        }
    }
}

/// Returns the two ways of using a table with missing values.
fn drop_or_mean() -> Message {
    message!(
        MISSING.with("drop"),
        " to leave out such rows, or ",
        MISSING.with("mean"),
        " to use the mean of the column"
    )
}

/// Words that stand for a missing value, beside the empty field and NaN: of any column, and of numbers alone, because
/// they may be names of classes, categories and groups.
const WORDS: [&str; 4] = ["NA", "null", "NULL", "?"];
const WORDS_OF_NUMBERS: [&str; 7] = ["N/A", "n/a", "#N/A", "<NA>", "None", "-", "--"];

/// Reads numbers and labels, and tells missing values from errors.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    missing: Missing,
    missing_values: &'a [f64],
    decimal: Decimal,
}

impl Fields<'_> {
    /// Creates the rules that the settings name.
    pub fn new(preparation: &Preparation) -> Fields<'_> {
        let Preparation { missing, missing_values, decimal, .. } = preparation;
        Fields { missing: *missing, missing_values, decimal: *decimal }
    }

    /// Returns the number in a field of a text file; NaN for a missing value.
    ///
    /// # Errors
    /// What is wrong with the field.
    pub fn number(&self, field: &str) -> Result<f64, ValueProblem> {
        let parsed = match self.decimal {
            Decimal::Comma if field.contains(',') => {
                if field.contains('.') {
                    None
                } else {
                    field.replace(',', ".").parse().ok()
                }
            }
            Decimal::Comma if field.contains('.') => None,
            _ => field.parse().ok(),
        };
        match parsed {
            Some(value) => self.value(value),
            None if field.is_empty() || is_missing_word(field) => self.absent(ValueProblem::Missing),
            None => Err(not_a_number(field, self.decimal)),
        }
    }

    /// Returns the value, if the device can hold it in an `f32`; NaN for a missing value.
    ///
    /// # Errors
    /// As [`Fields::number`].
    pub fn value(&self, value: f64) -> Result<f64, ValueProblem> {
        if value.is_nan() {
            self.absent(ValueProblem::NotANumber)
        } else if self.missing_values.contains(&value) {
            self.absent(ValueProblem::Missing)
        } else if !value.is_finite() {
            Err(ValueProblem::Infinite)
        } else if !(value as f32).is_finite() {
            Err(ValueProblem::BeyondRange)
        } else {
            Ok(value)
        }
    }

    /// Returns whether a label of a class, a category or a group stands for a missing value.
    ///
    /// # Errors
    /// As [`Fields::number`]. Words such as `NA` are labels if missing values are errors.
    pub fn is_missing(&self, label: &str) -> Result<bool, ValueProblem> {
        let word = WORDS.contains(&label) && self.missing != Missing::Error;
        match label.parse::<f64>() {
            _ if label.is_empty() || word => self.absent(ValueProblem::Missing).map(|_| true),
            Ok(value) if self.missing_values.contains(&value) => self.absent(ValueProblem::Missing).map(|_| true),
            Ok(value) if value.is_nan() => self.absent(ValueProblem::NotANumber).map(|_| true),
            Ok(value) if !value.is_finite() => Err(ValueProblem::Infinite),
            _ => Ok(false),
        }
    }

    fn absent(&self, problem: ValueProblem) -> Result<f64, ValueProblem> {
        if self.missing == Missing::Error { Err(problem) } else { Ok(f64::NAN) }
    }
}

/// Says why a field is not a number.
fn not_a_number(field: &str, decimal: Decimal) -> ValueProblem {
    let with_point = || field.replace(',', ".").parse::<f64>().is_ok();
    match decimal {
        Decimal::Point if with_point() => ValueProblem::DecimalComma,
        Decimal::Point if has_thousands(field) => ValueProblem::Thousands,
        Decimal::Comma if field.parse::<f64>().is_ok() => ValueProblem::DecimalPoint,
        Decimal::Comma if field.replace('.', "").replace(',', ".").parse::<f64>().is_ok() => {
            ValueProblem::ThousandsAndComma
        }
        _ => ValueProblem::Text,
    }
}

/// Returns whether a field looks like a number, with a decimal point, a decimal comma or separators of thousands.
pub fn looks_numeric(field: &str) -> bool {
    let has_comma = || field.replace(',', ".").parse::<f64>().is_ok() || has_thousands(field);
    field.parse::<f64>().is_ok() || (field.contains(',') && has_comma())
}

/// Returns whether commas may separate the thousands of a number, as in `1,043` and `1,234,567.5`.
pub fn has_thousands(field: &str) -> bool {
    let (whole, decimals) = field.split_once('.').unwrap_or((field, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let mut groups = whole.trim_start_matches(['-', '+']).split(',');
    let first = groups.next().unwrap_or_default();
    let starts = (1..=3).contains(&first.len()) && digits(first) && !first.starts_with('0');
    starts && field.contains(',') && groups.all(|group| group.len() == 3 && digits(group)) && digits(decimals)
}

/// Returns whether a field is a word for a missing number.
pub fn is_missing_word(field: &str) -> bool {
    WORDS.contains(&field) || WORDS_OF_NUMBERS.contains(&field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_numbers_gaps_or_errors() {
        let codes = [-200.0, 0.0];
        let rules = |missing, decimal| Fields { missing, missing_values: &codes, decimal };
        let point = rules(Missing::Drop, Decimal::Point);
        let comma = rules(Missing::Drop, Decimal::Comma);
        for (field, expected) in [("2.5", 2.5), ("-1e-3", -1e-3), ("+7", 7.0), ("-200.5", -200.5)] {
            assert_eq!(point.number(field), Ok(expected));
            assert_eq!(comma.number(&field.replace('.', ",")), Ok(expected));
        }
        let words = ["", "NA", "N/A", "n/a", "#N/A", "<NA>", "None", "NaN", "nan", "null", "?", "-", "--"];
        for gap in words.into_iter().chain(["-200", "-2e2", "0", "-0"]) {
            assert!(point.number(gap).unwrap().is_nan() && comma.number(gap).unwrap().is_nan(), "{gap}");
            let is_label = super::WORDS_OF_NUMBERS.contains(&gap);
            assert_eq!((point.is_missing(gap), comma.is_missing(gap)), (Ok(!is_label), Ok(!is_label)), "{gap}");
            assert!(rules(Missing::Error, Decimal::Point).number(gap).is_err(), "{gap}");
        }
        for (rules, field, problem) in [
            (point, "2,5", ValueProblem::DecimalComma),
            (point, "-1,234,567", ValueProblem::Thousands),
            (point, "1,043.5", ValueProblem::Thousands),
            (comma, "2.5", ValueProblem::DecimalPoint),
            (comma, "1.234,5", ValueProblem::ThousandsAndComma),
            (point, "warm", ValueProblem::Text),
            (comma, "1,2,3", ValueProblem::Text),
            (point, "inf", ValueProblem::Infinite),
            (point, "1e39", ValueProblem::BeyondRange),
        ] {
            assert_eq!(rules.number(field), Err(problem), "{field}");
        }
        let point_instead =
            "is not a number; write decimals with a point instead of a comma, or set `decimal` to comma";
        assert_eq!(ValueProblem::DecimalComma.message().to_string(), point_instead);
        assert_eq!(rules(Missing::Error, Decimal::Point).is_missing("NA"), Ok(false), "a label like others");
        assert!(["1,043", "-12,000", "1,234,567.5"].into_iter().all(has_thousands));
        assert!(!["1043", "0,910", "1,04", "1234,567", "1,0430", "1,,043", "a,bcd", ""].into_iter().any(has_thousands));
    }
}
