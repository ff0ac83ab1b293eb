//! Numbers and names as text.

use std::fmt;
use std::path::Path;

use maud::{Markup, html};

/// The number of names that a text lists.
const MOST_NAMES: usize = 12;

/// Returns the first names and the number of the others.
pub fn listed(names: &[String]) -> String {
    let (shown, more) = names.split_at(names.len().min(MOST_NAMES));
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    format!("{}{more}", shown.join(", "))
}

/// Returns a name that a page may break after its underscores.
pub fn breakable(name: &str) -> Markup {
    html! { @for part in name.split_inclusive('_') { (part) @if part.ends_with('_') { wbr; } } }
}

/// Returns a count with its noun: `1 row`, `2 rows`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Returns a share in percent.
pub fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

/// Returns the name of a file as one in C: without its extension, underscores in place of what such names cannot have.
pub fn c_name(file: &str) -> String {
    let stem = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let name: String = stem.chars().map(plain).collect();
    let name = name.trim_matches('_');
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name.to_owned() } else { format!("model_{name}") }
}

/// Returns the value with four significant digits, plain where that is short.
pub fn significant(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude == 0.0 || !value.is_finite() {
        value.to_string()
    } else if (1e-3..1e6).contains(&magnitude) {
        let decimals = (3 - magnitude.log10().floor() as i32).max(0) as usize;
        format!("{value:.decimals$}")
    } else {
        format!("{value:.3e}")
    }
}

/// Returns a coefficient of determination with four decimals. Targets without variance have none.
pub fn r_squared(r2: f64) -> String {
    match format!("{r2:.4}") {
        _ if !r2.is_finite() => "not defined".to_owned(),
        zero if zero == "-0.0000" => "0.0000".to_owned(),
        text => text,
    }
}

/// Returns the value with up to three digits and an exponent, as in `2.5e-4`; zero has no exponent.
pub fn scientific(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let text = format!("{value:.2e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{}e{exponent}", digits.trim_end_matches('0').trim_end_matches('.'))
}

/// The number of inputs whose importance a text lists.
const MOST_IMPORTANT: usize = 6;

/// Returns the first inputs and their shares, and the number of the others that have a share.
pub fn shares<'a>(inputs: impl IntoIterator<Item = (impl fmt::Display + 'a, f64)>) -> String {
    let share = |(input, share)| format!("{input} {:.0} %", 100.0 * share);
    let mut inputs = inputs.into_iter();
    let shown = inputs.by_ref().take(MOST_IMPORTANT).map(share).collect::<Vec<_>>().join(", ");
    let more = inputs.filter(|(_, share)| *share > 0.0).count();
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

/// Returns a description of the prediction intervals, if there are any.
pub fn interval(level: Option<f32>, half_widths: &[f32]) -> Option<String> {
    let widths: Vec<String> = half_widths.iter().take(MOST_NAMES).map(|&h| significant(h.into())).collect();
    let more = if half_widths.len() > MOST_NAMES { ", …" } else { "" };
    Some(format!("± {}{more} at {:.0} %", widths.join(", "), 100.0 * level?))
}

#[cfg(test)]
mod tests {
    use super::{r_squared, scientific, shares, significant};

    #[test]
    fn an_r_squared_is_a_number_without_the_sign_of_zero() {
        for (value, text) in [(-1e-6, "0.0000"), (-0.25, "-0.2500"), (0.99996, "1.0000"), (1e-6, "0.0000")] {
            assert_eq!(r_squared(value), text);
        }
        assert_eq!([f64::NAN, f64::NEG_INFINITY].map(r_squared), ["not defined"; 2]);
    }

    #[test]
    fn inputs_beyond_the_sixth_are_counted() {
        let of = |given: &[f64]| shares(given.iter().enumerate().map(|(input, &share)| (format!("x{input}"), share)));
        assert_eq!(of(&[0.75, 0.25]), "x0 75 %, x1 25 %");
        let six = "x0 30 %, x1 20 %, x2 20 %, x3 10 %, x4 10 %, x5 5 %";
        assert_eq!(of(&[0.3, 0.2, 0.2, 0.1, 0.1, 0.05, 0.0]), six);
        assert_eq!(of(&[0.3, 0.2, 0.2, 0.1, 0.1, 0.05, 0.03, 0.02, 0.0]), format!("{six} and 2 more"));
    }

    #[test]
    fn zeros_at_the_end_are_left_out() {
        for (value, text) in [(2.5e-4, "2.5e-4"), (1.0, "1e0"), (1e-3 / 3.0, "3.33e-4"), (120.0, "1.2e2"), (0.0, "0")] {
            assert_eq!(scientific(value), text);
        }
    }

    #[test]
    fn four_digits_are_significant() {
        let expected =
            [(1234.56, "1235"), (0.0123441, "0.01234"), (1.0, "1.000"), (1.5e-7, "1.500e-7"), (-2e9, "-2.000e9")];
        for (value, text) in expected {
            assert_eq!(significant(value), text);
        }
    }
}
