//! The settings of a fit: those of the file, then those of the options.

use std::path::Path;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser};
use srfm_trainer::cost::Core;
use srfm_trainer::data::Dataset;
use srfm_trainer::export::NumberFormat;
use srfm_trainer::fit::{FitConfig, Grid};
use srfm_trainer::method::{METHODS, MethodConfig, Terms};
use srfm_trainer::scaling::InputScaling;
use srfm_trainer::warp::Warp;

use crate::cli::failure::Failure;
use crate::cli::fit::Args;

/// Scales to choose from.
#[derive(Clone)]
pub struct Scales(Vec<f64>);

pub fn parse_scales(text: &str) -> Result<Scales, String> {
    let scale = |part: &str| part.trim().parse().ok().filter(|s: &f64| *s > 0.0 && s.is_finite());
    let list: Option<Vec<f64>> = text.split(',').map(scale).collect();
    list.map(Scales).ok_or_else(|| "give a number above 0, or a list such as 0.3,1,3".to_owned())
}

/// Bytes, with k for 1024 and M for 1024 k.
pub fn parse_bytes(text: &str) -> Result<usize, String> {
    let (digits, unit) = match text.char_indices().last() {
        Some((end, 'k' | 'K')) => (&text[..end], 1 << 10),
        Some((end, 'm' | 'M')) => (&text[..end], 1 << 20),
        _ => (text, 1),
    };
    let bytes = digits.parse::<usize>().ok().and_then(|n| n.checked_mul(unit));
    bytes.ok_or_else(|| "give a number of bytes such as 512, 64k (of 1024) or 1M".to_owned())
}

/// Orders to choose from; none for `auto`.
#[derive(Clone)]
pub struct Orders(Option<Vec<usize>>);

pub fn parse_orders(text: &str) -> Result<Orders, String> {
    if text == "auto" {
        return Ok(Orders(None));
    }
    let order = |part: &str| part.trim().parse().ok().filter(|&q| q > 0);
    let list: Option<Vec<usize>> = text.split(',').map(order).collect();
    list.map(|list| Orders(Some(list))).ok_or_else(|| "give a number from 1, a list such as 1,2,3, or auto".to_owned())
}

/// An input and its warp, as in `flow=log`.
pub fn parse_warp(text: &str) -> Result<(String, Warp), String> {
    let parts = text.rsplit_once('=').and_then(|(name, warp)| Some((name.to_owned(), Warp::named(warp)?)));
    parts.ok_or_else(|| "give an input and one of identity, log and sqrt, such as flow=log".to_owned())
}

/// The warps of the settings and then those of the options: none at all or one for each input of `data`.
pub fn warps(mut warps: Vec<Warp>, named: &[(String, Warp)], data: &Dataset) -> Result<Vec<Warp>, Failure> {
    if warps.is_empty() && !named.is_empty() {
        warps = vec![Warp::Identity; data.inputs()];
    }
    for (name, warp) in named {
        let Some(input) = data.input_names.iter().position(|input| input == name) else {
            let names = data.input_names.join(", ");
            return Err(Failure::usage(format!("--warp: there is no input {name:?}; the inputs are {names}")));
        };
        // A list of another length is refused where its length is checked.
        if let Some(place) = warps.get_mut(input) {
            *place = *warp;
        }
    }
    Ok(warps)
}

/// The name of the search among all methods.
pub const AUTO: &str = "auto";

/// The names that `--method` takes.
pub fn methods() -> PossibleValuesParser {
    let auto = PossibleValue::new(AUTO).help("a search over methods and settings");
    let named = METHODS.iter().map(|method| PossibleValue::new(method.name).help(method.summary));
    PossibleValuesParser::new([auto].into_iter().chain(named))
}

/// The names that `--number` takes.
pub fn numbers() -> clap::builder::PossibleValuesParser {
    [AUTO].into_iter().chain(NumberFormat::NAMES).into()
}

/// A time: seconds, or with s, m or h for seconds, minutes and hours.
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

/// The settings that the arguments ask for, and whether methods are searched: where neither an option nor the file names one.
pub fn config(args: &Args) -> Result<(FitConfig, bool), Failure> {
    let auto = args.method.as_deref() == Some(AUTO);
    let (mut config, named) = match &args.config {
        None => (FitConfig { grid: Grid::of_lambdas([]), ..FitConfig::default() }, false),
        Some(path) => read(path, auto)?,
    };
    let search = auto || (args.method.is_none() && !named);
    if !search && args.config.is_none() {
        config.grid.lambdas = Grid::default().lambdas;
    }
    if let Some(method) = args.method.as_deref().filter(|&name| !search && name != config.method.name()) {
        config.method = MethodConfig::named(method).expect("checked by the parser");
        if config.grid.lambdas.is_empty() {
            config.grid.lambdas = Grid::default().lambdas; // the one in the file was of another method
        }
    }
    if let Some(features) = args.max_features {
        config.method = config.method.tuned(|t| t.features = features);
    }
    match &args.order {
        Some(Orders(Some(orders))) => config.grid.orders = orders.clone(),
        Some(Orders(None)) => config.grid.orders = vec![1, 2, 3],
        None => {}
    }
    if let Some(Scales(scales)) = &args.scale {
        config.grid.scales = scales.clone();
    }
    if let Some(lambda) = args.lambda {
        config.grid.lambdas = vec![lambda];
    }
    if let Some(folds) = args.folds {
        config.folds = folds;
    }
    if let Some(scaling) = &args.scaling {
        let common = scaling == "common";
        config.preprocessing.scaling = Some(if common { InputScaling::Common } else { InputScaling::Standard });
    }
    if let Some(core) = &args.core {
        let core: Core = core.parse().map_err(Failure::from)?;
        if !core.floating_point() && args.number.is_none() && config.encoding.number == NumberFormat::F32 {
            config.encoding.number = NumberFormat::Int;
        }
    }
    if args.number.as_deref() == Some(AUTO) && !search {
        return Err(Failure::usage("--number auto is for --method auto alone; name a number format"));
    }
    if let Some(number) = args.number.as_ref().filter(|&number| number != AUTO) {
        config.encoding.number = NumberFormat::named(number).expect("checked by the parser");
    }
    if let Some(max_error) = args.max_error {
        config.encoding.max_error = max_error;
    }
    if let Some(terms) = &args.terms {
        let terms = match terms.as_str() {
            "none" => Terms::None,
            "intercept" => Terms::Intercept,
            _ => Terms::Linear,
        };
        config.method = config.method.tuned(|t| t.terms = terms);
    }
    Ok((config, search))
}

fn read(path: &Path, auto: bool) -> Result<(FitConfig, bool), Failure> {
    let name = path.display();
    let text = std::fs::read_to_string(path).map_err(|e| Failure::new(format!("{name}: cannot be read: {e}")))?;
    parse(&text, auto).map_err(|e| Failure::new(format!("{name}: {}", e.to_string().trim_end())))
}

/// The settings of a file, and whether it names a method. A λ that is set for the method and no list beside it leave nothing
/// to choose; without a method, or where all methods are searched, no list means any λ.
fn parse(text: &str, auto: bool) -> Result<(FitConfig, bool), toml::de::Error> {
    let mut config: FitConfig = toml::from_str(text)?;
    let table: toml::Table = toml::from_str(text)?;
    let named = table.contains_key("method");
    let of_method = table.get("method").and_then(|method| method.get(config.method.name()));
    let own = of_method.is_some_and(|settings| settings.get("lambda").is_some());
    if (own || auto || !named) && table.get("grid").is_none_or(|grid| grid.get("lambdas").is_none()) {
        config.grid.lambdas.clear();
    }
    Ok((config, named))
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

    #[test]
    fn a_ridge_parameter_of_the_method_takes_the_place_of_the_list() {
        let default = Grid::default().lambdas;
        for (text, lambdas) in [
            ("", vec![]),
            ("folds = 4", vec![]),
            ("[method.harfe]\nfeatures = 9", default),
            ("[method.harfe]\nlambda = 0.5", vec![]),
            ("[grid]\nlambdas = [0.1]\n[method.harfe]\nlambda = 0.5", vec![0.1]),
        ] {
            assert_eq!(parse(text, false).unwrap().0.grid.lambdas, lambdas, "{text}");
        }
        // A search looks for its own, whatever method the file has settings for.
        assert!(parse("[method.harfe]\nfeatures = 9", true).unwrap().0.grid.lambdas.is_empty());
        assert_eq!(parse("[grid]\nlambdas = [0.1]\n[method.harfe]\nfeatures = 9", true).unwrap().0.grid.lambdas, [0.1]);
    }
}
