//! The request of `srfm fit`, from the settings file and the options, which override the file.

use std::path::Path;

use srfm_trainer::data::{Splitter, TargetKind};
use srfm_trainer::export::NumberFormat;
use srfm_trainer::method::{MethodConfig, Terms};
use srfm_trainer::request::{Choice, Deploy, Number, Request};
use srfm_trainer::scaling::InputScaling;
use srfm_trainer::validate::Metric;

use crate::command::fit::args::Args;
use crate::failure::Failure;
use crate::output;
use crate::values::{AUTO, Scales};

/// Returns the request.
///
/// # Errors
/// A settings file that cannot be read, and options that exclude each other.
pub fn request(args: &Args) -> Result<Request, Failure> {
    let mut request = match &args.config {
        None => Request::default(),
        Some(path) => read(path)?,
    };
    if let Some(seed) = args.seed {
        request.seed = seed;
    }
    set_columns(args, &mut request)?;
    set_rows(args, &mut request);
    set_method(args, &mut request);
    set_inputs(args, &mut request);
    set_device(args, &mut request)?;
    args.auto.set(&mut request);
    request.refits = args.large.in_blocks();
    request.check()?;
    Ok(request)
}

/// Sets the columns.
fn set_columns(args: &Args, request: &mut Request) -> Result<(), Failure> {
    let columns = &mut request.columns;
    if !args.target.is_empty() {
        columns.targets = args.target.clone();
    }
    if let Some(task) = &args.task {
        columns.kind = match task.as_str() {
            "classification" => TargetKind::Classes,
            "novelty" => TargetKind::Novelty,
            _ => TargetKind::Quantities,
        };
    }
    if args.false_alarms.is_some() {
        columns.false_alarms = args.false_alarms;
    }
    let is_novelty = columns.kind == TargetKind::Novelty;
    if is_novelty && args.labels.is_some() {
        return Err(Failure::usage("--task novelty takes all rows as normal and alike; leave out --labels".to_owned()));
    }
    if let Some(weights) = &args.class_weight {
        columns.class_weights = weights.clone();
    }
    columns.preparation = args.columns.to_learn(&args.learning, columns.preparation.clone())?;
    Ok(())
}

/// Sets the division of the rows and what their errors are measured by.
fn set_rows(args: &Args, request: &mut Request) {
    if args.holdout.is_some() {
        request.holdout = args.holdout;
    }
    if args.test.is_some() {
        request.holdout = None;
    }
    if let Some(folds) = args.folds {
        request.folds = folds;
    }
    if let Some(split) = &args.split {
        request.split = Splitter::named(split).expect("checked by the parser");
    }
    if let Some(metric) = &args.metric {
        request.metric = Metric::named(metric);
    }
}

/// Sets the method, and what cross-validation chooses from.
fn set_method(args: &Args, request: &mut Request) {
    match args.method.as_deref() {
        Some(AUTO) => request.method = None,
        Some(name) if request.method.as_ref().is_none_or(|choice| choice.method.name() != name) => {
            let method = MethodConfig::named(name).expect("checked by the parser");
            request.method = Some(Choice::from(method));
        }
        Some(_) | None => {}
    }
    let grid = &mut request.grid;
    if args.max_features.is_some() {
        grid.features = args.max_features;
    }
    if let Some(orders) = &args.order {
        grid.orders = orders.clone();
    }
    if let Some(Scales(scales)) = &args.scale {
        grid.scales = scales.clone();
    }
    if let Some(lambda) = args.lambda {
        grid.lambdas = Some(vec![lambda]);
    }
    if let Some(terms) = &args.terms {
        grid.terms = Some(match terms.as_str() {
            "none" => Terms::None,
            "intercept" => Terms::Intercept,
            "ridge" => Terms::Ridge,
            _ => Terms::Linear,
        });
    }
}

/// Sets the preparation of the inputs.
fn set_inputs(args: &Args, request: &mut Request) {
    let inputs = &mut request.preprocessing;
    if let Some(scaling) = &args.scaling {
        inputs.scaling = Some(if scaling == "common" { InputScaling::Common } else { InputScaling::Standard });
    }
    inputs.named_warps.extend(args.warp.iter().cloned());
    inputs.limit_inputs |= args.limit_inputs;
}

/// Sets the device, its budgets and its number format.
fn set_device(args: &Args, request: &mut Request) -> Result<(), Failure> {
    let device = &mut request.device;
    if let Some(core) = &args.core {
        device.core = Some(core.parse()?);
        device.board = None;
    }
    if let Some(board) = &args.board {
        // What a settings file says of another device does not hold for this one.
        (device.board, device.core, device.clock) = (Some(board.parse()?), None, None);
    }
    device.clock = args.clock.or(device.clock);
    device.latency = args.latency.or(device.latency);
    match args.deploy.as_deref() {
        Some("c") => device.deploy = Some(Deploy::C),
        Some("rust") => device.deploy = Some(Deploy::Rust),
        Some(_) => device.deploy = Some(Deploy::File),
        None => {}
    }
    if args.firmware.is_some() {
        device.firmware = args.firmware.clone();
    }
    if args.flash.is_some() {
        device.flash = args.flash;
    }
    if args.instructions.is_some() {
        device.instructions = args.instructions;
    }
    let encoding = &mut request.encoding;
    match args.number.as_deref() {
        Some(AUTO) => encoding.number = Some(Number::Auto),
        Some(name) => encoding.number = NumberFormat::named(name).map(Number::Format),
        None => {}
    }
    if args.max_error.is_some() {
        encoding.max_error = args.max_error;
    }
    if args.output_margin.is_some() {
        encoding.output_margin = args.output_margin;
    }
    if args.confidence.is_some() {
        encoding.confidence = args.confidence;
    }
    Ok(())
}

/// What a law of frequencies without its name lacks.
const LAW: &str = "a law needs a name, as in law = { law = \"normal\", scale = 1 }";

/// Reads a settings file.
fn read(path: &Path) -> Result<Request, Failure> {
    let name = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| output::unreadable(path, error))?;
    toml::from_str(&text).map_err(|error: toml::de::Error| {
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

#[cfg(test)]
mod tests {
    use srfm_trainer::request::Orders;

    use super::*;

    #[test]
    fn a_file_has_the_fields_and_groups_of_a_request() {
        let text = "seed = 3\nfolds = 4\nsplit = \"forward\"\n[method.harfe]\nfeatures = 9\nlambda = 0.5\n\
                    [grid]\norders = [1, 2]\n[encoding]\nnumber = \"int16\"\n[device]\ncore = \"cortex-m0\"\n\
                    deploy = \"c\"\nflash = 800\n[search]\ntime = 2.5\n[columns]\ntargets = [\"y\"]\n\
                    [columns.preparation]\nmissing = \"mean\"\n";
        let request: Request = toml::from_str(text).unwrap();
        let choice = request.method.unwrap();
        assert_eq!((choice.method.name(), choice.method.tunable().features, choice.keeps_lambda), ("harfe", 9, true));
        assert_eq!((request.seed, request.folds, request.split), (3, 4, Splitter::Forward));
        assert_eq!(request.grid.orders, Orders::List(vec![1, 2]));
        assert_eq!(request.encoding.number, Some(Number::Format(NumberFormat::Int16)));
        assert_eq!((request.device.core().name(), request.device.deploy()), ("cortex-m0", Deploy::C));
        assert_eq!(request.search.time.unwrap().as_secs_f64(), 2.5);
        assert_eq!(request.columns.targets, ["y"]);
        let other: Request = toml::from_str("[grid]\norders = \"all\"\n[encoding]\nnumber = \"auto\"").unwrap();
        assert_eq!((other.grid.orders, other.encoding.number), (Orders::All, Some(Number::Auto)));
        assert_eq!(other.method, None);
    }
}
