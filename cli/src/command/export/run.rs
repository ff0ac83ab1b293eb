//! The run of `srfm export`.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Serialize;
use srfm_trainer::cost::{Core, FunctionCost, function_costs};
use srfm_trainer::data::Description;
use srfm_trainer::export::{Blob, CSource, CSourceError, Style};

use crate::columns::Gaps;
use crate::command::export::layout::Layout;
use crate::common::Common;
use crate::failure::Failure;
use crate::origin::Origin;
use crate::report::{ModelSummary, c_name};
use crate::{description, output};

#[derive(clap::Args)]
#[command(after_help = "Example:\n  srfm export sensor.srfm --c sensor.h\n\n\
    sensor.h has the function sensor_predict, of an integer model sensor_predict_integers; the example of a layout \
    calls it.")]
pub struct Args {
    /// The model file
    model: PathBuf,
    /// C file to write, or folder with --layout: one file for C99 and C++11, without dependencies, with the bits of the
    /// workstation
    #[arg(long, value_name = "FILE.h|FOLDER", conflicts_with = "c_reader")]
    c: Option<PathBuf>,
    /// C file to write that reads model files with the kernel of this one, for devices that receive models
    #[arg(long, value_name = "FILE.h", conflicts_with_all = ["layout", "style"])]
    c_reader: Option<PathBuf>,
    /// The file alone, or a new folder for a build system
    #[arg(long, default_value = "header")]
    layout: Layout,
    /// Name that the names in the file begin with [default: the name of the file]
    #[arg(long)]
    name: Option<String>,
    /// Loops over tables, or features one after the other with their constants in the code
    #[arg(long, default_value = "small")]
    style: StyleName,
    /// Unit in which functions of an integer model give outputs as whole numbers, such as 0.01 for hundredths
    /// [default: a power of ten that fits the range]
    #[arg(long, value_name = "UNIT", conflicts_with = "c_reader")]
    output_unit: Option<f64>,
}

const NO_READER: &str = "a reader of model files evaluates one kernel, and the model has several";

/// The name of a style.
#[derive(Clone, Copy, ValueEnum)]
enum StyleName {
    /// The least flash
    Small,
    /// The fewest instructions
    Fast,
}

/// The written file.
#[derive(Serialize)]
struct Report {
    name: String,
    output: PathBuf,
    bytes: usize,
}

/// Writes a model, or a reader of models like it, as C source.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let blob = output::read_model(&args.model)?;
    let description = description::read(&args.model, &blob, common);
    let Some(path) = args.c_reader.as_ref().or(args.c.as_ref()).map(PathBuf::as_path) else {
        return Err(unnamed(&args.model));
    };
    let named = name(path, args.name.as_deref());
    match args.layout {
        Layout::Header => {
            output::check_writable(path, [args.model.as_path(), &description::path(&args.model)])?;
            output::check_generated(path)?;
        }
        layout => output::check_generated_folder(path, &layout.paths(named.as_deref().unwrap_or_default()))?,
    }
    let name = named?;
    let style = match args.style {
        StyleName::Small => Style::Small,
        StyleName::Fast => Style::Fast,
    };
    let mut source = source(&blob, &name, style, description.as_ref())?;
    if let Some(unit) = args.output_unit {
        source = source.with_unit(unit).map_err(|error| Failure::usage(format!("--output-unit: {error}")))?;
    }
    let text = match args.c_reader {
        Some(_) => CSource::new(&blob, &name)?.reader().ok_or_else(|| Failure::new(NO_READER))?,
        None => source.text(),
    };
    if description.is_none() && args.c_reader.is_none() && !common.quiet {
        let beside = description::path(&args.model);
        say!("srfm: the names of the inputs are not in the C file, since {} is not there", beside.display());
    }
    let report = Report { name, output: path.to_owned(), bytes: text.len() };
    match args.layout {
        Layout::Header => output::write(path, text.as_bytes())?,
        layout => output::write_folder(path, &layout.files(&source, text))?,
    }
    if common.json {
        return output::print_json(&report);
    }
    let (path, name, function) = (path.display(), &report.name, source.budgeted());
    output::print(&match args.layout {
        Layout::Header if args.c_reader.is_some() => {
            format!("written       {path}: include it and call {name}_open, then {name}_predict\n")
        }
        Layout::Header => format!("written       {path}: include it and call {function}\n"),
        _ => format!("written       {path}: include {name}.h and call {function}, as the example does\n"),
    })
}

/// Returns the failure of a command that names no file to write.
fn unnamed(model: &Path) -> Failure {
    let stem = model.file_stem().unwrap_or_default().to_string_lossy();
    let example = format!("srfm export {} --c {stem}.h", model.display());
    Failure::usage(format!("name the C file to write with --c, such as {example}"))
}

/// Writes the model of a fit as C source.
pub fn write(path: &Path, named: Option<&str>, blob: &Blob, description: &Description) -> Result<(), Failure> {
    let text = source(blob, &name(path, named)?, Style::default(), Some(description))?.text();
    output::write(path, text.as_bytes())
}

/// Returns the C source of a model, whose comment states the origin of the model and what it takes.
pub fn source<'a>(
    blob: &'a Blob,
    name: &str,
    style: Style,
    description: Option<&Description>,
) -> Result<CSource<'a>, Failure> {
    let origin = description.and_then(Origin::read);
    let mut notes: Vec<String> = origin.iter().flat_map(Origin::lines).map(|line| format!("{line}.")).collect();
    notes.extend(missing(blob, description));
    notes.extend(programs(blob, &CSource::new(blob, name)?.budgeted()));
    if style == Style::Small {
        notes.extend(functions(blob, name));
    }
    let fitted_for_unit = origin.as_ref().is_some_and(Origin::counts_on_a_floating_point_unit);
    let source = CSource::new(blob, name)?.with_style(style).with_description(description, notes);
    Ok(if fitted_for_unit { source.for_a_floating_point_unit() } else { source })
}

/// Returns how a missing reading is given to the model; none where the training data have none, and the model uses
/// every reading.
fn missing(blob: &Blob, description: Option<&Description>) -> Option<String> {
    let model = blob.model();
    let uses_all = (0..model.inputs()).all(|input| model.uses_input(input));
    let gaps = Gaps::of(&description.map(Description::preparation).unwrap_or_default());
    let unused = "A reading that is not used may hold any number.";
    let advice = match gaps.missing.as_str() {
        "mean" => "Pass NaN for a missing reading: the mean of the fitted rows takes its place.",
        "drop" => {
            "The model was fitted to rows without missing readings. Pass NaN for a missing reading: there is no \
             prediction then."
        }
        _ => return (!uses_all).then(|| unused.to_owned()),
    };
    let codes: Vec<String> = gaps.missing_values.iter().map(f64::to_string).collect();
    let coded = match codes.is_empty() {
        true => String::new(),
        false => format!(" The training data have {} in place of missing readings.", codes.join(" and ")),
    };
    Some(format!("{advice}{coded}{}", if uses_all { String::new() } else { format!(" {unused}") }))
}

/// Returns what the function whose cost budgets count takes of each core; cores of the same figures share a line.
fn programs(blob: &Blob, function: &str) -> Vec<String> {
    let programs: Vec<String> = ModelSummary::of(blob).programs.iter().map(ToString::to_string).collect();
    let parts: Vec<(&str, &str)> = programs.iter().filter_map(|program| program.rsplit_once(" on ")).collect();
    let line = |same: &[(&str, &str)]| {
        let cores: Vec<&str> = same.iter().map(|(_, core)| *core).collect();
        format!("{function}, compiled with -Os: {} on {}.", same[0].0, cores.join(", "))
    };
    parts.chunk_by(|a, b| a.0 == b.0).map(line).collect()
}

/// Returns what the other functions of the C file take, each with all that it calls.
fn functions(blob: &Blob, name: &str) -> Vec<String> {
    const CORES: [Core; 3] = [Core::CortexM0, Core::CortexM3, Core::CortexM4f];
    let costs: Vec<FunctionCost> = CORES.into_iter().flat_map(|core| function_costs(blob, core)).collect();
    let mut names: Vec<&str> = Vec::new();
    for cost in &costs {
        if !names.contains(&cost.function) {
            names.push(cost.function);
        }
    }
    let line = |function: &str| {
        let figures = |cost: &FunctionCost| {
            format!("{} bytes, {} instructions on {}", cost.flash_bytes, cost.instructions, cost.core.name())
        };
        let all: Vec<String> = costs.iter().filter(|cost| cost.function == function).map(figures).collect();
        format!("{name}_{function}: {}.", all.join("; "))
    };
    names.into_iter().map(line).collect()
}

/// Returns the name of a model in a C file: that of `--name`, or that of the file.
pub fn name(path: &Path, named: Option<&str>) -> Result<String, Failure> {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let name = named.map_or_else(|| c_name(&file), str::to_owned);
    match CSource::check_name(&name) {
        Err(CSourceError::Keyword(_)) if named.is_none() => {
            let why = format!("{name:?}, from the file {file}, is a keyword of C or C++");
            Err(Failure::usage(format!("{why}; name another file, or give a name with --name")))
        }
        checked => Ok(checked.map(|()| name)?),
    }
}
