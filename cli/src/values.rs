//! The values of options that several subcommands share.

use std::collections::BTreeMap;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser};
use srfm_trainer::cost::{Board, Core};
use srfm_trainer::data::{ClassWeights, Task};
use srfm_trainer::export::NumberFormat;
use srfm_trainer::method::METHODS;
use srfm_trainer::request::Orders;
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

/// Returns the values of `--board`.
pub fn boards() -> PossibleValuesParser {
    PossibleValuesParser::new(Board::all().map(|board| PossibleValue::new(board.name()).help(board.title())))
}

/// Returns the names of the built-in tasks.
pub fn tasks() -> PossibleValuesParser {
    PossibleValuesParser::new(Task::ALL.map(|task| PossibleValue::new(task.name()).help(task.summary())))
}

/// Returns the names of the built-in tasks of quantities.
pub fn tasks_of_quantities() -> PossibleValuesParser {
    let of_quantities = Task::ALL.into_iter().filter(|task| !task.has_classes());
    PossibleValuesParser::new(of_quantities.map(|task| PossibleValue::new(task.name()).help(task.summary())))
}

/// Returns the task of a name that [`tasks`] has accepted.
pub fn task(name: &str) -> Task {
    Task::ALL.into_iter().find(|task| task.name() == name).expect("checked by the parser")
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

/// Parses a share: a number, or percent.
pub fn parse_share(text: &str) -> Result<f64, String> {
    let (number, unit) = text.strip_suffix('%').map_or((text, 1.0), |number| (number.trim_end(), 100.0));
    number.parse().map(|number: f64| number / unit).map_err(|_| "give a share such as 0.25 or 25%".to_owned())
}

/// Parses weights of classes: `balanced`, or names with weights.
pub fn parse_class_weights(text: &str) -> Result<ClassWeights, String> {
    if text == "balanced" {
        return Ok(ClassWeights::Balanced);
    }
    let weight = |part: &str| {
        let (name, weight) = part.rsplit_once('=')?;
        Some((name.trim().to_owned(), weight.trim().parse().ok()?))
    };
    let named: Option<BTreeMap<String, f64>> = text.split(',').map(weight).collect();
    named.map(ClassWeights::Named).ok_or_else(|| "give balanced, or weights such as fault=5,idle=0.5".to_owned())
}

/// Parses an order, a list of orders, `auto` or `all`.
pub fn parse_orders(text: &str) -> Result<Orders, String> {
    match text {
        AUTO => return Ok(Orders::Auto),
        "all" => return Ok(Orders::All),
        _ => {}
    }
    let order = |part: &str| part.trim().parse().ok().filter(|&q| q > 0);
    let list: Option<Vec<usize>> = text.split(',').map(order).collect();
    list.map(Orders::List).ok_or_else(|| "give a number from 1, a list such as 1,2,3, all or auto".to_owned())
}

/// Parses a number of bytes, with k for 1024 and M for 1024 k, also written kB, KiB, MB and MiB.
pub fn parse_bytes(text: &str) -> Result<usize, String> {
    let (number, unit) = split_unit(text);
    let factor = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => Some(1),
        "k" | "kb" | "kib" => Some(1 << 10),
        "m" | "mb" | "mib" => Some(1 << 20),
        "g" | "gb" | "gib" => Some(1 << 30),
        _ => None,
    };
    let bytes = factor.and_then(|factor| number.parse::<usize>().ok()?.checked_mul(factor));
    bytes.ok_or_else(|| "give a number of bytes such as 512, 64k or 64kB (of 1024), 1M or 1G".to_owned())
}

/// Parses a clock in hertz.
pub fn parse_clock(text: &str) -> Result<f64, String> {
    let (number, unit) = split_unit(text);
    let factor = match unit.to_ascii_lowercase().as_str() {
        "" | "hz" => Some(1.0),
        "k" | "khz" => Some(1e3),
        "m" | "mhz" => Some(1e6),
        "g" | "ghz" => Some(1e9),
        _ => None,
    };
    let clock = factor.and_then(|factor| Some(number.parse::<f64>().ok()? * factor));
    clock
        .filter(|clock| *clock > 0.0 && clock.is_finite())
        .ok_or_else(|| "give a clock such as 16M or 64MHz".to_owned())
}

/// Parses the time of a prediction in seconds.
pub fn parse_latency(text: &str) -> Result<f64, String> {
    let text = text.replace(['µ', 'μ'], "u");
    let (number, unit) = split_unit(&text);
    let factor = match unit {
        "ns" => Some(1e-9),
        "us" => Some(1e-6),
        "ms" => Some(1e-3),
        "s" => Some(1.0),
        _ => None,
    };
    let time = factor.and_then(|factor| Some(number.parse::<f64>().ok()? * factor));
    time.filter(|time| *time > 0.0 && time.is_finite()).ok_or_else(|| "give a time such as 200us or 1.5ms".to_owned())
}

/// Divides a number and its unit. A space may stand between them.
fn split_unit(text: &str) -> (&str, &str) {
    let end = text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len();
    let (number, unit) = text.split_at(end);
    (number.strip_suffix(' ').unwrap_or(number), unit)
}

/// Parses an input and its warp, such as `flow=log`.
pub fn parse_warp(text: &str) -> Result<(String, Warp), String> {
    let parts = text.rsplit_once('=').and_then(|(name, warp)| Some((name.to_owned(), Warp::named(warp)?)));
    parts.ok_or_else(|| "give an input and one of identity, log and sqrt, such as flow=log".to_owned())
}

/// Parses a time: a number of seconds, or a number with s, min or m, or h for seconds, minutes or hours.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let (number, unit) = split_unit(text);
    let factor = match unit {
        "" | "s" | "sec" => Some(1.0),
        "m" | "min" => Some(60.0),
        "h" => Some(3600.0),
        _ => None,
    };
    let time = factor.and_then(|factor| Duration::try_from_secs_f64(number.parse::<f64>().ok()? * factor).ok());
    time.filter(|time| !time.is_zero()).ok_or_else(|| "give a time such as 60s, 5m, 5min or 1h".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_and_latencies_have_units() {
        let clocks = ["16M", "16MHz", "16 MHz", "16000k", "16000000"].map(parse_clock);
        assert!(clocks.iter().all(|clock| *clock == Ok(16e6)), "{clocks:?}");
        let times = ["200us", "200µs", "0.2ms", "0.2 ms"].map(|text| (parse_latency(text).unwrap() * 1e9).round());
        assert_eq!(times, [200_000.0; 4]);
        for wrong in ["16X", "-1M", "0", "M", "infM"] {
            assert!(parse_clock(wrong).is_err(), "{wrong}");
        }
        for wrong in ["200", "0us", "-1ms", "us", "1min"] {
            assert!(parse_latency(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_count_in_1024() {
        let plain = [("512", 512), ("64k", 65_536), ("2K", 2048), ("1M", 1_048_576), ("0", 0), ("512 B", 512)];
        let long = [("2kb", 2048), ("2 kB", 2048), ("2KiB", 2048), ("1MB", 1 << 20)];
        for (text, bytes) in plain.into_iter().chain(long) {
            assert_eq!(parse_bytes(text), Ok(bytes));
        }
        let large = ["99999999999999999999", "18446744073709551615k"];
        for text in ["", "k", "1.5k", "-1", "2T", "2kbit", "2  k", "é"].into_iter().chain(large) {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn shares_may_be_in_percent() {
        for (text, share) in [("0.25", 0.25), ("25%", 0.25), ("2.5 %", 0.025), ("0", 0.0)] {
            assert_eq!(parse_share(text), Ok(share));
        }
        for text in ["", "%", "a quarter", "25%%"] {
            assert!(parse_share(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_have_units() {
        let plain = [("60", 60.0), ("90s", 90.0), ("5m", 300.0), ("0.5h", 1800.0), ("1e-3", 1e-3)];
        for (text, seconds) in plain.into_iter().chain([("1min", 60.0), ("5 min", 300.0), ("10sec", 10.0)]) {
            assert_eq!(parse_time(text), Ok(Duration::from_secs_f64(seconds)));
        }
        for text in ["", "s", "min", "0", "-1", "5  m", "nan", "inf", "1e300h", "3d", "3mins"] {
            assert!(parse_time(text).is_err(), "{text}");
        }
    }
    #[test]
    fn orders_have_names() {
        assert_eq!(parse_orders("all"), Ok(Orders::All));
        assert_eq!(parse_orders("auto"), Ok(Orders::Auto));
        assert_eq!(parse_orders("1, 3"), Ok(Orders::List(vec![1, 3])));
        for text in ["", "0", "1,all", "any", "-1"] {
            assert!(parse_orders(text).is_err(), "{text}");
        }
    }
}
