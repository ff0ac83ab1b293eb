//! The values of options that several subcommands share.

use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser};
use srfm_trainer::cost::Core;
use srfm_trainer::export::NumberFormat;
use srfm_trainer::method::METHODS;
use srfm_trainer::scaling::Warp;

/// The value of `--method` and `--number` that leaves the choice to the search.
pub const AUTO: &str = "auto";

/// Returns the values of `--method`.
pub fn methods() -> PossibleValuesParser {
    let auto = PossibleValue::new(AUTO).help("a search over methods and settings");
    let named = METHODS.iter().map(|method| PossibleValue::new(method.name).help(method.summary));
    PossibleValuesParser::new([auto].into_iter().chain(named))
}

/// Returns the values of `--number`.
pub fn numbers() -> PossibleValuesParser {
    [AUTO].into_iter().chain(NumberFormat::ALL.map(NumberFormat::name)).into()
}

/// Returns the values of `--core`.
pub fn cores() -> PossibleValuesParser {
    PossibleValuesParser::new(Core::ALL.map(|core| PossibleValue::new(core.name()).aliases(core.alias())))
}

/// Scales to choose from.
#[derive(Clone)]
pub struct Scales(pub Vec<f64>);

/// Parses a scale or a list of scales.
pub fn parse_scales(text: &str) -> Result<Scales, String> {
    let scale = |part: &str| part.trim().parse().ok().filter(|s: &f64| *s > 0.0 && s.is_finite());
    let list: Option<Vec<f64>> = text.split(',').map(scale).collect();
    list.map(Scales).ok_or_else(|| "give a number above 0, or a list such as 0.3,1,3".to_owned())
}

/// Orders to choose from; `None` for `auto`.
#[derive(Clone)]
pub struct Orders(pub Option<Vec<usize>>);

/// Parses an order, a list of orders, or `auto`.
pub fn parse_orders(text: &str) -> Result<Orders, String> {
    if text == AUTO {
        return Ok(Orders(None));
    }
    let order = |part: &str| part.trim().parse().ok().filter(|&q| q > 0);
    let list: Option<Vec<usize>> = text.split(',').map(order).collect();
    list.map(|list| Orders(Some(list))).ok_or_else(|| "give a number from 1, a list such as 1,2,3, or auto".to_owned())
}

/// Parses a number of bytes, with k for 1024 and M for 1024 k.
pub fn parse_bytes(text: &str) -> Result<usize, String> {
    let (digits, unit) = match text.char_indices().last() {
        Some((end, 'k' | 'K')) => (&text[..end], 1 << 10),
        Some((end, 'm' | 'M')) => (&text[..end], 1 << 20),
        _ => (text, 1),
    };
    let bytes = digits.parse::<usize>().ok().and_then(|n| n.checked_mul(unit));
    bytes.ok_or_else(|| "give a number of bytes such as 512, 64k (of 1024) or 1M".to_owned())
}

/// Parses an input and its warp, such as `flow=log`.
pub fn parse_warp(text: &str) -> Result<(String, Warp), String> {
    let parts = text.rsplit_once('=').and_then(|(name, warp)| Some((name.to_owned(), Warp::named(warp)?)));
    parts.ok_or_else(|| "give an input and one of identity, log and sqrt, such as flow=log".to_owned())
}

/// Parses a time: a number of seconds, or a number with s, m or h for seconds, minutes or hours.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let (digits, unit) = match text.char_indices().last() {
        Some((end, 's')) => (&text[..end], 1.0),
        Some((end, 'm')) => (&text[..end], 60.0),
        Some((end, 'h')) => (&text[..end], 3600.0),
        _ => (text, 1.0),
    };
    let time = digits.parse().ok().and_then(|n: f64| Duration::try_from_secs_f64(n * unit).ok());
    time.filter(|time| !time.is_zero()).ok_or_else(|| "give a time such as 60s, 5m or 1h".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_count_in_1024() {
        for (text, bytes) in [("512", 512), ("64k", 65_536), ("2K", 2048), ("1M", 1_048_576), ("0", 0)] {
            assert_eq!(parse_bytes(text), Ok(bytes));
        }
        for text in ["", "k", "1.5k", "-1", "2G", "2kB", "2 k", "99999999999999999999", "18446744073709551615k", "é"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_have_units() {
        for (text, seconds) in [("60", 60.0), ("90s", 90.0), ("5m", 300.0), ("0.5h", 1800.0), ("1e-3", 1e-3)] {
            assert_eq!(parse_time(text), Ok(Duration::from_secs_f64(seconds)));
        }
        for text in ["", "s", "0", "-1", "5 m", "nan", "inf", "1e300h", "3d"] {
            assert!(parse_time(text).is_err(), "{text}");
        }
    }
}
