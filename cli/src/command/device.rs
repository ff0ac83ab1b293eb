//! `srfm device`: a model on an emulated microcontroller.

use std::path::PathBuf;

use crate::report::{Predicted, counted, history_bytes, listed, ram};
use nalgebra::DMatrix;
use serde::Serialize;
use srfm_trainer::cost::Core;
use srfm_trainer::emulate::{CRun, Emulator, Run, require, run_c};
use srfm_trainer::export::{self, Blob, NumberFormat};

use crate::columns::remark_on_missing;
use crate::common::Common;
use crate::data::DataArgs;
use crate::description::unsuited;
use crate::failure::Failure;
use crate::output;
use crate::sequences::Sequences;
use crate::values;

#[derive(clap::Args)]
#[command(after_help = "Example:\n  srfm device sensor.srfm sensor.csv --core cortex-m4f --rows 100")]
pub struct Args {
    /// The model file
    model: PathBuf,
    #[command(flatten)]
    data: DataArgs,
    /// Core to emulate
    #[arg(long, default_value = "cortex-m4f", value_parser = values::cores())]
    core: String,
    /// What runs: the model file, read by the runtime; or the C file of `srfm export`, compiled with -Os by
    /// arm-none-eabi-gcc, whose flash is stated
    #[arg(long, value_parser = ["file", "c"], default_value = "file")]
    deploy: String,
    /// Number of rows to run, from the first [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rows: Option<u32>,
    /// Build the program that runs the model from this folder, firmware-example of a checkout [default: run the program
    /// that comes with srfm]
    #[arg(long, value_name = "DIR", conflicts_with = "deploy")]
    firmware: Option<PathBuf>,
}

/// The result of a run on a core.
#[derive(Serialize)]
pub struct Report {
    core: String,
    /// Number format of the model. Instructions and stack of integer models are from integer inputs to integer outputs.
    number: &'static str,
    rows: usize,
    pub instructions_mean: f64,
    pub instructions_max: u32,
    /// Instructions that a history takes for a sample; 0 of a model without one.
    history_instructions_max: u32,
    pub ram_bytes: u32,
    /// RAM of a history; 0 of a model without one.
    history_bytes: usize,
    pub stack_bytes: u32,
    /// Flash of the prediction in C; null for a model file.
    #[serde(skip_serializing_if = "Option::is_none")]
    flash_bytes: Option<usize>,
    /// Whether the device and the workstation agree in every bit.
    pub bit_exact: bool,
    #[serde(flatten)]
    predicted: Predicted,
}

/// Runs the rows on the core and prints the report.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let blob = output::read_model(&args.model)?;
    let source = args.data.for_model(&args.model, &blob, common)?;
    let prepared = source.inputs(&blob.model()).map_err(|error| unsuited(&args.model, error))?;
    remark_on_missing(&prepared.counts, common);
    let sequences = Sequences::of(&prepared, args.rows.map_or(usize::MAX, |rows| rows as usize));
    if sequences.complete.is_empty() {
        let (name, depth) = (args.data.data.display(), prepared.data.history.depth());
        let problem = match depth {
            1 => "every row has a missing value; add complete rows".to_owned(),
            _ => format!("the model needs {depth} complete rows in succession; add rows"),
        };
        return Err(Failure::new(format!("{name}: {problem}")));
    }
    let core: Core = args.core.parse()?;
    require(&[core])?;
    let report = match (&args.firmware, args.deploy.as_str()) {
        (Some(folder), _) => emulate(&blob, &sequences, core, &Emulator::build(core.board(), folder)?, common)?,
        (None, "c") => emulate_c(&blob, &sequences, core, common)?,
        (None, _) => emulate(&blob, &sequences, core, &Emulator::new(core), common)?,
    };
    if common.json {
        output::print_json(&report)?;
    } else {
        output::print(&report.to_string())?;
    }
    if report.bit_exact { Ok(()) } else { Err(Failure::new("the predictions differ from the workstation's")) }
}

/// Runs samples in the emulator of `core` and compares the bits with the workstation's.
pub fn emulate(
    blob: &Blob,
    sequences: &Sequences,
    core: Core,
    emulator: &Emulator,
    common: &Common,
) -> Result<Report, Failure> {
    if !common.quiet {
        say!("running {} on an emulated {core} ...", counted(sequences.x.nrows(), "row"));
    }
    let cases: Vec<(&[u8], &[f32])> = sequences.samples.iter().map(|samples| (blob.bytes(), &samples[..])).collect();
    Ok(report(blob, sequences, core, joined(emulator.run_all(&cases)?), None))
}

/// Runs the exported C in the emulator of `core` and compares the bits with the workstation's.
fn emulate_c(blob: &Blob, sequences: &Sequences, core: Core, common: &Common) -> Result<Report, Failure> {
    if !common.quiet {
        say!("running {} of the exported C on an emulated {core} ...", counted(sequences.x.nrows(), "row"));
    }
    let samples: Vec<&[f32]> = sequences.samples.iter().map(|samples| &samples[..]).collect();
    let CRun { run, flash_bytes } = run_c(blob, core, &samples)?;
    Ok(report(blob, sequences, core, run, Some(flash_bytes)))
}

/// Returns the report of a run.
fn report(blob: &Blob, sequences: &Sequences, core: Core, run: Run, flash_bytes: Option<usize>) -> Report {
    let device = DMatrix::from_row_slice(run.predictions.len() / run.outputs, run.outputs, &run.predictions);
    let host = export::predict(blob, &sequences.x);
    // NaN has different bits on different processors.
    let same = |(device, host): (&f32, &f32)| device.to_bits() == host.to_bits() || (device.is_nan() && host.is_nan());
    let bit_exact = device.shape() == host.shape() && device.iter().zip(host.iter()).all(same);
    let device = device.select_rows(&sequences.complete);
    let model = blob.model();
    Report {
        core: core.to_string(),
        number: NumberFormat::from_number(model.header().number).name(),
        rows: device.nrows(),
        instructions_mean: run.instructions_mean(),
        instructions_max: run.instructions_max(),
        history_instructions_max: run.history_instructions.iter().copied().max().unwrap_or(0),
        ram_bytes: run.ram_bytes,
        history_bytes: history_bytes(&model),
        stack_bytes: run.stack_bytes,
        flash_bytes,
        bit_exact,
        predicted: Predicted::of(blob, &device),
    }
}

/// Joins the runs of one model, one after the other.
fn joined(runs: Vec<Run>) -> Run {
    let join = |mut joined: Run, run: Run| {
        joined.predictions.extend(run.predictions);
        joined.instructions.extend(run.instructions);
        joined.history_instructions.extend(run.history_instructions);
        joined.stack_bytes = joined.stack_bytes.max(run.stack_bytes);
        joined
    };
    runs.into_iter().reduce(join).unwrap_or_default()
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "core          {} (emulated), {} model", self.core, self.number)?;
        writeln!(f, "rows          {}", self.rows)?;
        writeln!(
            f,
            "instructions  {:.0} a prediction on average, {} at most",
            self.instructions_mean, self.instructions_max
        )?;
        if let Some(bytes) = self.flash_bytes {
            writeln!(f, "flash         {bytes} bytes for the prediction in C")?;
        }
        writeln!(f, "RAM           {}", ram(self.history_bytes, self.ram_bytes))?;
        if self.history_bytes > 0 {
            writeln!(f, "history       at most {} instructions a sample", self.history_instructions_max)?;
        }
        writeln!(f, "stack         {} bytes", self.stack_bytes)?;
        let decided = self.predicted.frequencies();
        if !decided.is_empty() {
            let decided: Vec<String> = decided.iter().map(|(class, count)| format!("{class} ({count})")).collect();
            writeln!(f, "decisions     {}", listed(&decided))?;
        }
        writeln!(
            f,
            "bits          {}",
            if self.bit_exact { "the same as on the workstation" } else { "DIFFERENT from the workstation" }
        )
    }
}
