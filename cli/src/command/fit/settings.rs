//! The settings of a fit, from the settings file and the options.

use std::path::Path;

use srfm_trainer::cost::Core;
use srfm_trainer::data::{Dataset, Splitter};
use srfm_trainer::export::NumberFormat;
use srfm_trainer::method::{MethodConfig, Terms};
use srfm_trainer::scaling::InputScaling;
use srfm_trainer::scaling::Warp;
use srfm_trainer::{FitConfig, Grid};

use crate::command::fit::args::Args;
use crate::failure::Failure;
use crate::output;
use crate::values::{AUTO, Orders, Scales};

/// Returns the warps of the settings file, overridden by the warps of the options: no warp at all, or one for each
/// input of `data`.
pub fn warps(mut warps: Vec<Warp>, named: &[(String, Warp)], data: &Dataset) -> Result<Vec<Warp>, Failure> {
    if warps.is_empty() && !named.is_empty() {
        warps = vec![Warp::Identity; data.inputs()];
    }
    for (name, warp) in named {
        let Some(input) = place(name, &data.input_names) else {
            let names = data.input_names.join(", ");
            return Err(Failure::usage(format!("--warp: there is no input {name:?}; the inputs are {names}")));
        };
        // The fit refuses a list of warps of another length.
        if let Some(place) = warps.get_mut(input) {
            *place = *warp;
        }
    }
    Ok(warps)
}

/// Returns the place of the input with a name. A column without a name has the number that its file gives it.
fn place(name: &str, inputs: &[String]) -> Option<usize> {
    let named = |wanted: &str| inputs.iter().position(|input| input == wanted);
    named(name).or_else(|| named(&format!("column {name}")))
}

/// Returns the settings, and whether methods are searched. Methods are searched if neither an option nor the settings
/// file names a method.
pub fn config(args: &Args) -> Result<(FitConfig, bool), Failure> {
    let auto = args.method.as_deref() == Some(AUTO);
    let (mut config, named) = match &args.config {
        None => (FitConfig { grid: Grid::from([]), ..FitConfig::default() }, false),
        Some(path) => read(path, auto)?,
    };
    let search = auto || (args.method.is_none() && !named);
    if !search && args.config.is_none() {
        config.grid.lambdas = Grid::default().lambdas;
    }
    if let Some(method) = args.method.as_deref().filter(|&name| !search && name != config.method.name()) {
        config.method = MethodConfig::named(method).expect("checked by the parser");
        if config.grid.lambdas.is_empty() {
            config.grid.lambdas = Grid::default().lambdas; // the file's λ belongs to another method
        }
    }
    if let Some(features) = args.max_features {
        config.method = config.method.tuned(|t| t.features = features);
    }
    match &args.order {
        Some(Orders::List(orders)) => config.grid.orders = orders.clone(),
        Some(Orders::Auto) => config.grid.orders = vec![1, 2, 3],
        Some(Orders::All) | None => {} // the data say how many inputs there are
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
    if let Some(split) = &args.split {
        config.split = Splitter::named(split).expect("checked by the parser");
    }
    if let Some(scaling) = &args.scaling {
        let common = scaling == "common";
        config.preprocessing.scaling = Some(if common { InputScaling::Common } else { InputScaling::Standard });
    }
    if let Some(terms) = &args.terms {
        let terms = match terms.as_str() {
            "none" => Terms::None,
            "intercept" => Terms::Intercept,
            "ridge" => Terms::Ridge,
            _ => Terms::Linear,
        };
        config.method = config.method.tuned(|t| t.terms = terms);
    }
    encode(args, &mut config, search)?;
    Ok((config, search))
}

/// Sets the number format and the largest difference on the device.
fn encode(args: &Args, config: &mut FitConfig, search: bool) -> Result<(), Failure> {
    if let Some(core) = &args.core {
        let core: Core = core.parse().map_err(Failure::from)?;
        if args.number.is_none() && config.encoding.number == NumberFormat::F32 {
            config.encoding.number = core.into();
        }
    }
    if args.number.as_deref() == Some(AUTO) && !search {
        return Err(Failure::usage("--number auto works with --method auto only; name a number format"));
    }
    if let Some(number) = args.number.as_ref().filter(|&number| number != AUTO) {
        config.encoding.number = NumberFormat::named(number).expect("checked by the parser");
    }
    if let Some(max_error) = args.max_error {
        config.encoding.max_error = max_error;
    }
    config.preprocessing.limit_inputs |= args.limit_inputs;
    if let Some(output_margin) = args.output_margin {
        config.encoding.output_margin = output_margin;
    }
    config.encoding.flash = Some(args.flash.unwrap_or(usize::MAX));
    Ok(())
}

/// What a law of frequencies without its name lacks.
const LAW: &str = "a law needs a name, as in law = { law = \"normal\", scale = 1 }";

/// Reads a settings file.
fn read(path: &Path, auto: bool) -> Result<(FitConfig, bool), Failure> {
    let name = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| output::unreadable(path, error))?;
    parse(&text, auto).map_err(|error| {
        let span = error.span();
        let before = span.as_ref().and_then(|span| text.get(..span.start)).unwrap_or_default();
        // The span of an error in the settings of a method is the whole text; the message names their table.
        let of_table = error.message().split_once(": ").and_then(|(table, _)| line_of_table(&text, table));
        let line = of_table.or(span.map(|_| before.matches('\n').count() + 1));
        let line = line.map_or(String::new(), |line| format!(", line {line}"));
        let message = known_in_place(error.message(), before).unwrap_or_else(|| error.message().to_owned());
        let message = message.replace("missing field `law`", LAW);
        Failure::usage(format!("{name}{line}: {}", message.replace('`', "\"").replace('\n', ", ")))
    })
}

/// Returns which settings a table has, where the message is about one that it has not; none for other messages.
/// `before` is the text before the setting.
fn known_in_place(message: &str, before: &str) -> Option<String> {
    let (method, rest) = message.split_once("unknown field `")?;
    let (setting, known) = rest.split_once("`, expected ")?;
    let table = method.strip_suffix(": ").or_else(|| table_at_end(before));
    let table = table.map_or(String::new(), |table| format!(" in [{table}]"));
    let known = known.trim_start_matches("one of ").replace('`', "").replace(" or ", ", ");
    Some(format!("unknown setting `{setting}`{table}; the settings there are {known}"))
}

/// Returns the line of the header of a table, from 1.
fn line_of_table(text: &str, name: &str) -> Option<usize> {
    let header = format!("[{name}]");
    text.lines().position(|line| line.trim_start().starts_with(&header)).map(|place| place + 1)
}

/// Returns the name of the table that the end of a text is in, if the text ends where a line begins.
fn table_at_end(text: &str) -> Option<&str> {
    let (lines, line) = text.rsplit_once('\n')?;
    let header = |line| str::trim(line).strip_prefix('[')?.split(']').next();
    if line.trim().is_empty() { lines.lines().rev().find_map(header) } else { None }
}

/// Parses settings, and whether they name a method.
///
/// The list of λ is empty without `lambdas` in three cases: the method has its own λ, so that there is nothing to
/// choose; no method is named; or methods are searched, and the search chooses λ.
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
        // A search chooses λ, whichever method the file has settings for.
        assert!(parse("[method.harfe]\nfeatures = 9", true).unwrap().0.grid.lambdas.is_empty());
        assert_eq!(parse("[grid]\nlambdas = [0.1]\n[method.harfe]\nfeatures = 9", true).unwrap().0.grid.lambdas, [0.1]);
    }
}
