//! The run of `srfm export`.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Serialize;
use srfm_trainer::cost::{Board, Core, Footprint, FunctionCost, function_costs};
use srfm_trainer::data::Description;
use srfm_trainer::export::{Blob, CSource, CSourceError, MicroPythonError, MicroPythonSource, Regressors, Style};

use crate::columns::Gaps;
use crate::command::export::layout::Layout;
use crate::common::Common;
use crate::failure::Failure;
use crate::origin::Origin;
use crate::report::{ModelSummary, Timing, c_name, megahertz, significant};
use crate::{description, output, values};

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
    /// Python file to write: an integer model for MicroPython, without dependencies, with the bits of the workstation
    #[arg(long, value_name = "FILE.py", conflicts_with_all = ["c", "c_reader", "layout", "board", "name"])]
    micropython: Option<PathBuf>,
    /// The file alone, or a new folder for a build system [default: header; with --board that of the board]
    #[arg(long)]
    layout: Option<Layout>,
    /// Board whose layout the folder has, and whose time of a prediction the comment states; see `srfm boards`
    #[arg(long, value_name = "NAME", value_parser = values::boards(), hide_possible_values = true)]
    board: Option<String>,
    /// Name that the names in the file begin with [default: the name of the file]
    #[arg(long)]
    name: Option<String>,
    /// Loops over tables, or features one after the other with their constants in the code
    #[arg(long, default_value = "small")]
    style: StyleName,
    /// A second C file beside that of the model: recalibrates it by references, by the prediction and the inputs, or
    /// also by products, as `srfm adapt` does
    #[arg(long, value_name = "REGRESSORS", requires = "c", conflicts_with_all = ["c_reader", "micropython"])]
    adaptation: Option<RegressorsName>,
    /// Unit in which functions of an integer model give outputs as whole numbers, such as 0.01 for hundredths
    /// [default: a power of ten that fits the range]
    #[arg(long, value_name = "UNIT", conflicts_with = "c_reader")]
    output_unit: Option<f64>,
}

const NO_WINDOWS: &str = "a reader of model files takes no models with windows; write the model with --c";
const NO_READER: &str = "a reader of model files evaluates one kernel, and the model has several";

const FLOAT: &str = "a file for MicroPython computes in integers, and the model is in floating point; fit the model \
    with --number int";

/// The name of a style.
#[derive(Clone, Copy, ValueEnum)]
enum StyleName {
    /// The least flash
    Small,
    /// The fewest instructions
    Fast,
}

/// What a recalibration is a linear function of.
#[derive(Clone, Copy, ValueEnum)]
enum RegressorsName {
    /// The prediction and the inputs
    Inputs,
    /// The prediction, the inputs, and the products of the prediction with itself and with each input
    Products,
}

impl From<RegressorsName> for Regressors {
    fn from(name: RegressorsName) -> Regressors {
        match name {
            RegressorsName::Inputs => Regressors::Inputs,
            RegressorsName::Products => Regressors::Products,
        }
    }
}

impl From<StyleName> for Style {
    fn from(name: StyleName) -> Style {
        match name {
            StyleName::Small => Style::Small,
            StyleName::Fast => Style::Fast,
        }
    }
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
    if let Some(path) = &args.micropython {
        return write_micropython(args, path, &blob, description.as_ref(), common);
    }
    let Some(path) = args.c_reader.as_ref().or(args.c.as_ref()).map(PathBuf::as_path) else {
        return Err(unnamed(&args.model));
    };
    let board: Option<Board> = args.board.as_deref().map(str::parse).transpose()?;
    // A path that names a header stays a file.
    let is_file = args.c_reader.is_some() || path.extension().is_some_and(|extension| extension == "h");
    let usual = if is_file { None } else { board.map(Layout::of) };
    let layout = args.layout.or(usual).unwrap_or(Layout::Header);
    let named = name(path, args.name.as_deref());
    check_places(args, layout, path, named.as_deref().unwrap_or_default())?;
    let name = named?;
    let mut source =
        source(&blob, &name, args.style.into(), description.as_ref(), board.map(|board| (board, board.clock())))?;
    if let Some(unit) = args.output_unit {
        source = source.with_unit(unit).map_err(|error| Failure::usage(format!("--output-unit: {error}")))?;
    }
    let text = match args.c_reader {
        Some(_) if blob.model().samples().windows().is_some() => return Err(Failure::new(NO_WINDOWS)),
        Some(_) => CSource::new(&blob, &name)?.reader().ok_or_else(|| Failure::new(NO_READER))?,
        None => source.text(),
    };
    if description.is_none() && args.c_reader.is_none() && !common.quiet {
        let beside = description::path(&args.model);
        say!("srfm: the names of the inputs are not in the C file, since {} is not there", beside.display());
    }
    let report = Report { name, output: path.to_owned(), bytes: text.len() };
    let beside = args.adaptation.map(|regressors| adaptation(&source, path, layout, regressors.into()));
    let beside = beside.transpose()?;
    match layout {
        Layout::Header => {
            output::write(path, text.as_bytes())?;
            beside.iter().try_for_each(|(path, text)| output::write(Path::new(path), text.as_bytes()))?;
        }
        layout => {
            let beside = beside.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes()));
            let files: Vec<_> = layout.files(&source, text).into_iter().chain(beside).collect();
            output::write_folder(path, &files)?;
        }
    }
    if common.json {
        return output::print_json(&report);
    }
    let (path, name, function) = (path.display(), &report.name, source.budgeted());
    output::print(&match layout {
        Layout::Header if args.c_reader.is_some() => {
            format!("written       {path}: include it and call {name}_open, then {name}_predict\n")
        }
        Layout::Header => format!("written       {path}: include it and call {function}\n"),
        _ => format!("written       {path}: include {name}.h and call {function}, as the example does\n"),
    })?;
    beside.map_or(Ok(()), |(path, _)| {
        output::print(&format!("written       {path}: include it and call {name}_adapt_start\n"))
    })
}

/// Checks that the files to write take the place of no file, or of those that srfm wrote.
fn check_places(args: &Args, layout: Layout, path: &Path, name: &str) -> Result<(), Failure> {
    let sources = [args.model.as_path(), &description::path(&args.model)];
    let beside = args.adaptation.map(|_| PathBuf::from(adaptation_path(path, layout, name)));
    match layout {
        Layout::Header => {
            for path in [Some(path), beside.as_deref()].into_iter().flatten() {
                output::check_writable(path, sources)?;
                output::check_generated(path)?;
            }
            Ok(())
        }
        layout => {
            output::check_generated_folder(path, &layout.paths(name))?;
            beside.map_or(Ok(()), |beside| output::check_generated(&path.join(beside)))
        }
    }
}

/// Returns the path of the file of an adaptation beside the C file: relative to the folder of a layout.
fn adaptation_path(path: &Path, layout: Layout, name: &str) -> String {
    match layout {
        Layout::Header => {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            path.with_file_name(format!("{stem}_adaptation.h")).to_string_lossy().into_owned()
        }
        layout => layout.paths(name)[0].replace(".h", "_adaptation.h"),
    }
}

/// Returns the path and the text of the file that adapts a model.
fn adaptation(
    source: &CSource<'_>,
    path: &Path,
    layout: Layout,
    regressors: Regressors,
) -> Result<(String, String), Failure> {
    let name = source.name();
    let header = match layout {
        Layout::Header => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        _ => format!("{name}.h"),
    };
    Ok((adaptation_path(path, layout, name), source.adaptation(regressors, &header)?))
}

/// Writes a model as a Python file.
fn write_micropython(
    args: &Args,
    path: &Path,
    blob: &Blob,
    description: Option<&Description>,
    common: &Common,
) -> Result<(), Failure> {
    output::check_writable(path, [args.model.as_path(), &description::path(&args.model)])?;
    output::check_generated_python(path)?;
    let module = path.file_stem().unwrap_or_default().to_string_lossy();
    let origin = description.and_then(Origin::read);
    let notes = origin.iter().flat_map(Origin::lines).map(|line| format!("{line}.")).collect();
    let source = MicroPythonSource::new(blob, &module).map_err(|error| match error {
        MicroPythonError::Float => Failure::new(FLOAT),
        error => error.into(),
    })?;
    let mut source = source.with_description(description, notes).with_style(args.style.into());
    if let Some(unit) = args.output_unit {
        source = source.with_unit(unit).map_err(|error| Failure::usage(format!("--output-unit: {error}")))?;
    }
    let text = source.text();
    output::write(path, text.as_bytes())?;
    if common.json {
        let report = Report { name: module.into_owned(), output: path.to_owned(), bytes: text.len() };
        return output::print_json(&report);
    }
    output::print(&format!(
        "written       {}: import {module} and call {module}.{}\n",
        path.display(),
        source.function()
    ))
}

/// Returns the failure of a command that names no file to write.
fn unnamed(model: &Path) -> Failure {
    let stem = model.file_stem().unwrap_or_default().to_string_lossy();
    let example = format!("srfm export {} --c {stem}.h", model.display());
    Failure::usage(format!("name the C file to write with --c, such as {example}"))
}

/// Writes the model of a fit as C source.
pub fn write(path: &Path, named: Option<&str>, blob: &Blob, description: &Description) -> Result<(), Failure> {
    let text = source(blob, &name(path, named)?, Style::default(), Some(description), None)?.text();
    output::write(path, text.as_bytes())
}

/// The folder of a fit for a board: the model, its description, and the C library in the layout of the board.
pub struct BoardFolder<'a> {
    pub path: &'a Path,
    pub board: Board,
    /// The clock in hertz.
    pub clock: f64,
    /// The name of the model.
    pub name: String,
}

impl<'a> BoardFolder<'a> {
    /// Returns the folder of this path.
    pub fn new(path: &'a Path, board: Board, clock: f64, named: Option<&str>) -> Result<Self, Failure> {
        Ok(BoardFolder { path, board, clock, name: name(path, named)? })
    }

    /// Returns the path of the model file in the folder.
    pub fn model(&self) -> PathBuf {
        self.path.join(&self.name).with_extension("srfm")
    }

    /// Checks that the folder can be written.
    pub fn check(&self) -> Result<(), Failure> {
        output::check_generated_folder(self.path, &Layout::of(self.board).paths(&self.name))
    }

    /// Writes the files.
    pub fn write(&self, blob: &Blob, description: &Description) -> Result<(), Failure> {
        let source = source(blob, &self.name, Style::default(), Some(description), Some((self.board, self.clock)))?;
        let mut files = Layout::of(self.board).files(&source, source.text());
        files.push((format!("{}.srfm", self.name), blob.bytes().to_vec()));
        files.push((format!("{}.srfm.json", self.name), description.to_json(blob.bytes()).into_bytes()));
        output::write_folder(self.path, &files)
    }
}

/// Returns the C source of a model, whose comment states the origin of the model and what it takes of each core, or of
/// a board with its clock in hertz.
pub fn source<'a>(
    blob: &'a Blob,
    name: &str,
    style: Style,
    description: Option<&Description>,
    board: Option<(Board, f64)>,
) -> Result<CSource<'a>, Failure> {
    let origin = description.and_then(Origin::read);
    let mut notes: Vec<String> = origin.iter().flat_map(Origin::lines).map(|line| format!("{line}.")).collect();
    notes.extend(missing(blob, description));
    let core = board.map(|(board, _)| board.core());
    notes.extend(programs(blob, &CSource::new(blob, name)?.budgeted(), core));
    notes.extend(board.and_then(|(board, clock)| time(blob, board, clock)));
    if style == Style::Small {
        notes.extend(functions(blob, name, core));
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

/// Returns what the function whose cost budgets count takes of a core, or of each core; cores of the same figures
/// share a line.
fn programs(blob: &Blob, function: &str, core: Option<Core>) -> Vec<String> {
    let is_named = |program: &&Footprint| core.is_none_or(|core| program.core == core.name());
    let programs: Vec<String> =
        ModelSummary::of(blob).programs.iter().filter(is_named).map(ToString::to_string).collect();
    let parts: Vec<(&str, &str)> = programs.iter().filter_map(|program| program.rsplit_once(" on ")).collect();
    let line = |same: &[(&str, &str)]| {
        let cores: Vec<&str> = same.iter().map(|(_, core)| *core).collect();
        format!("{function}, compiled with -Os: {} on {}.", same[0].0, cores.join(", "))
    };
    parts.chunk_by(|a, b| a.0 == b.0).map(line).collect()
}

/// Returns the time of a prediction on a board; none where the cycles of its core are not known.
fn time(blob: &Blob, board: Board, clock: f64) -> Option<String> {
    let programs = ModelSummary::of(blob).programs;
    let program = programs.iter().find(|program| program.core == board.core().name())?;
    let Timing { cycles, clock, microseconds, .. } = Timing::of(program, Some(board), Some(clock))?;
    let (time, title, clock) = (significant(microseconds), board.title(), megahertz(clock));
    Some(format!("On {title} at {clock} it takes at most {time} us: {cycles} clock cycles, without wait states."))
}

/// Returns what the other functions of the C file take, each with all that it calls, where that is known of the core.
fn functions(blob: &Blob, name: &str, core: Option<Core>) -> Vec<String> {
    const CORES: [Core; 3] = [Core::CortexM0, Core::CortexM3, Core::CortexM4f];
    let cores = core.map_or(CORES.to_vec(), |core| vec![core]);
    let costs: Vec<FunctionCost> = cores.into_iter().flat_map(|core| function_costs(blob, core)).collect();
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
