//! `srfm device`: a model on an emulated microcontroller.

use std::path::PathBuf;

use crate::report::{Predicted, counted, history_bytes, listed, megahertz, microseconds, ram, significant};
use nalgebra::DMatrix;
use serde::Serialize;
use srfm_trainer::cost::{Board, Core, Deployment};
use srfm_trainer::emulate::{CRun, Cycles, Emulator, Run, footprint, require, run_c};
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
    /// Core to emulate [default: that of --board, or cortex-m4f]
    #[arg(long, value_parser = values::cores())]
    core: Option<String>,
    /// Board whose core is emulated, with its clock and generated C; see `srfm boards`
    #[arg(long, value_name = "NAME", value_parser = values::boards(), hide_possible_values = true,
          conflicts_with = "core")]
    board: Option<String>,
    /// Clock of the core, such as 16M, by which the time of a prediction in C is stated [default: that of --board]
    #[arg(long, value_name = "HZ", value_parser = values::parse_clock)]
    clock: Option<f64>,
    /// What runs: the model file, read by the runtime; or the C file of `srfm export`, compiled with -Os by
    /// arm-none-eabi-gcc, riscv64-unknown-elf-gcc or avr-gcc, whose flash and clock cycles are stated [default: file;
    /// with --board and for atmega328p: c]
    #[arg(long, value_parser = ["file", "c"])]
    deploy: Option<String>,
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
    /// Null, and 0 at most, on an AVR, whose cycles are counted in their place.
    pub instructions_mean: f64,
    pub instructions_max: u32,
    /// Instructions that a history takes for a sample; 0 of a model without one, and in C, where they are among those
    /// of the prediction.
    history_instructions_max: u32,
    pub ram_bytes: u32,
    /// RAM of a history; 0 of a model without one.
    history_bytes: usize,
    pub stack_bytes: u32,
    /// Flash of the prediction in C; absent for a model file.
    #[serde(skip_serializing_if = "Option::is_none")]
    flash_bytes: Option<usize>,
    /// Clock cycles of predictions in C; absent for a model file, and for a core whose timing is not published.
    #[serde(skip_serializing_if = "Option::is_none")]
    cycles: Option<CyclesReport>,
    /// Whether the device and the workstation agree in every bit.
    pub bit_exact: bool,
    #[serde(flatten)]
    predicted: Predicted,
}

/// Clock cycles of predictions at zero wait states, by the documented timing of the core.
#[derive(Serialize)]
pub struct CyclesReport {
    /// The predictions that were counted, from the first.
    rows: usize,
    /// The mean, and the largest number; where the documented timing is an interval, of its upper ends.
    mean: f64,
    max: u32,
    /// The smallest number, of the lower ends of intervals.
    min: u32,
    /// The clock in hertz, and the time of the largest number in microseconds; null where no clock was named.
    clock: Option<f64>,
    microseconds: Option<f64>,
}

impl CyclesReport {
    fn of(cycles: &[Cycles]) -> Option<CyclesReport> {
        let max = cycles.iter().map(|cycles| cycles.most).max()?;
        let min = cycles.iter().map(|cycles| cycles.least).min()?;
        let sum: f64 = cycles.iter().map(|cycles| f64::from(cycles.most)).sum();
        Some(CyclesReport {
            rows: cycles.len(),
            mean: sum / cycles.len() as f64,
            max,
            min,
            clock: None,
            microseconds: None,
        })
    }
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
    let board: Option<Board> = args.board.as_deref().map(str::parse).transpose()?;
    let core: Option<Core> = args.core.as_deref().map(str::parse).transpose()?;
    let core = core.or(board.map(Board::core)).unwrap_or_default();
    require(&[core])?;
    let is_program = !core.has_runtime() || board.is_some();
    let usual = if is_program { "c" } else { "file" };
    let report = match (&args.firmware, args.deploy.as_deref().unwrap_or(usual)) {
        (Some(folder), _) => emulate(&blob, &sequences, core, &Emulator::build(core.machine(), folder)?, common)?,
        (None, "c") => emulate_c(&blob, &sequences, core, common)?,
        (None, _) => emulate(&blob, &sequences, core, &Emulator::new(core)?, common)?,
    };
    let report = report.timed(args.clock.or(board.map(Board::clock)));
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
    Ok(report(blob, sequences, core, joined(emulator.run_all(&cases)?)))
}

/// Runs the exported C in the emulator of `core` and compares the bits with the workstation's.
fn emulate_c(blob: &Blob, sequences: &Sequences, core: Core, common: &Common) -> Result<Report, Failure> {
    if !common.quiet {
        say!("running {} of the exported C on an emulated {core} ...", counted(sequences.x.nrows(), "row"));
    }
    let samples: Vec<&[f32]> = sequences.samples.iter().map(|samples| &samples[..]).collect();
    let CRun { run, flash_bytes, cycles } = run_c(blob, core, &samples)?;
    let report = report(blob, sequences, core, run);
    let program = footprint(blob, &Deployment::C(core)).ok().flatten();
    let history_bytes = program.map_or(report.history_bytes, |program| program.ram_bytes);
    Ok(Report { flash_bytes: Some(flash_bytes), cycles: CyclesReport::of(&cycles), history_bytes, ..report })
}

/// Returns the report of a run.
fn report(blob: &Blob, sequences: &Sequences, core: Core, run: Run) -> Report {
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
        flash_bytes: None,
        cycles: None,
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

impl Report {
    /// Adds the time of predictions at a clock in hertz.
    fn timed(mut self, clock: Option<f64>) -> Report {
        if let Some((cycles, clock)) = self.cycles.as_mut().zip(clock) {
            cycles.clock = Some(clock);
            cycles.microseconds = Some(microseconds(cycles.max, clock));
        }
        self
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "core          {} (emulated), {} model", self.core, self.number)?;
        writeln!(f, "rows          {}", self.rows)?;
        if self.instructions_mean.is_finite() {
            let (mean, max) = (self.instructions_mean, self.instructions_max);
            writeln!(f, "instructions  {mean:.0} a prediction on average, {max} at most")?;
        }
        if let Some(cycles) = &self.cycles {
            let CyclesReport { rows, mean, max, min, .. } = cycles;
            let of_rows =
                if *rows < self.rows { format!(" in the first {}", counted(*rows, "row")) } else { String::new() };
            writeln!(
                f,
                "cycles        {mean:.0} a prediction on average, {min} to {max}{of_rows}, at zero wait states"
            )?;
            if let Some((clock, time)) = cycles.clock.zip(cycles.microseconds) {
                writeln!(f, "time          at most {} µs at {}", significant(time), megahertz(clock))?;
            }
        }
        if let Some(bytes) = self.flash_bytes {
            writeln!(f, "flash         {bytes} bytes for the prediction in C")?;
        }
        let parsed_bytes = self.flash_bytes.is_none().then_some(self.ram_bytes);
        writeln!(f, "RAM           {}", ram(self.history_bytes, parsed_bytes))?;
        if self.history_bytes > 0 && self.flash_bytes.is_none() {
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
