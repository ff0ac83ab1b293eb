//! The options of `srfm fit`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use clap::builder::RangedU64ValueParser;
use srfm_trainer::data::{ClassWeights, Splitter};
use srfm_trainer::request::{Device, Orders};
use srfm_trainer::scaling::Warp;
use srfm_trainer::validate::Metric;

use crate::columns::{ColumnArgs, LearningArgs};
use crate::command::export::BoardFolder;
use crate::command::fit::auto;
use crate::command::fit::sample::LargeArgs;
use crate::command::{export, gram};
use crate::failure::Failure;
use crate::headings::{COLUMNS, DEVICE, FILES, METHOD, ROWS};
use crate::values::{
    self, Scales, parse_bytes, parse_class_weights, parse_clock, parse_latency, parse_orders, parse_scales,
    parse_share, parse_warp,
};
use crate::{checkpoint, description, output};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  srfm fit sensor.csv --target pressure --max-features 30 \\\n    \
    --holdout 0.25 -o sensor.srfm\n  srfm fit images.idx.gz --labels labels.idx.gz \\\n    \
    --task classification --flash 64k -o digits.srfm")]
pub struct Args {
    /// Data file with one sample a row and inputs and targets in columns: CSV (header optional), Parquet, .npy or IDX,
    /// also gzipped
    pub data: PathBuf,
    /// Name of a target column; repeat for several [default: the last column]
    #[arg(long, value_name = "NAME", help_heading = COLUMNS)]
    pub target: Vec<String>,
    /// Data file of the targets or class labels, with one row for each row of inputs; IDX images come with a file of
    /// labels
    #[arg(long, value_name = "FILE", help_heading = COLUMNS)]
    pub labels: Option<PathBuf>,
    #[command(flatten)]
    pub columns: ColumnArgs,
    #[command(flatten)]
    pub learning: LearningArgs,
    #[command(flatten)]
    pub large: LargeArgs,
    /// Kind of the targets: quantities, class labels in one column, or novelty: no target, all rows are normal, and the
    /// model tells novel ones from them [default: regression]
    #[arg(long, value_parser = ["regression", "classification", "novelty"], help_heading = COLUMNS)]
    pub task: Option<String>,
    /// Largest share of normal rows that a model of --task novelty finds novel, such as 1% [default: 1%]
    #[arg(long, value_name = "SHARE", value_parser = parse_share, help_heading = COLUMNS)]
    pub false_alarms: Option<f64>,
    /// What errors in rows of a class count: balanced for the same of every class, or weights such as fault=5,idle=0.5,
    /// 1 for the others
    #[arg(long, value_name = "WEIGHTS", value_parser = parse_class_weights, help_heading = COLUMNS)]
    pub class_weight: Option<ClassWeights>,
    /// Share of rows, such as 95%, whose class is to be among those that the model cannot rule out; it names a class
    /// only where one is left, and none for the other rows
    #[arg(long, value_name = "SHARE", value_parser = parse_share, help_heading = DEVICE)]
    pub confidence: Option<f64>,
    /// Method; auto searches methods, settings, input warps and inputs to leave out [default: auto]
    #[arg(long, value_parser = values::methods(), help_heading = METHOD)]
    pub method: Option<String>,
    #[command(flatten)]
    pub auto: auto::AutoArgs,
    /// TOML file with settings; options on the command line override the file
    #[arg(long, value_name = "FILE", help_heading = METHOD)]
    pub config: Option<PathBuf>,
    /// Seed of the random numbers [default: 1]
    #[arg(long, value_name = "N", help_heading = METHOD)]
    pub seed: Option<u64>,
    /// Share of the rows that is held out for testing, such as 0.25 or 25%, as --split says
    #[arg(long, value_name = "SHARE", conflicts_with = "test", value_parser = parse_share, help_heading = ROWS)]
    pub holdout: Option<f64>,
    /// Data file with rows for testing
    #[arg(long, value_name = "FILE", help_heading = ROWS)]
    pub test: Option<PathBuf>,
    /// Data file of the targets of --test
    #[arg(long, value_name = "FILE", requires = "test", help_heading = ROWS)]
    pub test_labels: Option<PathBuf>,
    /// Largest number of features [default: 100, of rules and mixed 300; of auto
    /// and rules within a budget: 1000]
    #[arg(long, value_name = "N",
          value_parser = RangedU64ValueParser::<usize>::new().range(1..=65_535), help_heading = METHOD)]
    pub max_features: Option<usize>,
    /// Inputs per feature: a number, a list such as 1,2,3 to choose from, all, or auto (1,2,3) [default: 2; srff:
    /// all; chosen by method auto]
    #[arg(long, value_name = "Q|LIST|all|auto", value_parser = parse_orders, help_heading = METHOD)]
    pub order: Option<Orders>,
    /// Ridge parameter [default: chosen by cross-validation, unless the settings file has one for the method]
    #[arg(long, value_name = "L", help_heading = METHOD)]
    pub lambda: Option<f64>,
    /// Scale of the frequencies' distribution: a number, or a list such as 0.3,1,3 to choose from [default: the
    /// method's]
    #[arg(long, value_name = "S|LIST", value_parser = parse_scales, help_heading = METHOD)]
    pub scale: Option<Scales>,
    /// Scaling of the inputs: each by its own spread, or all by a common spread [default: common for images and arrays
    /// of 8-bit numbers, which share a unit, otherwise standard]
    #[arg(long, value_parser = ["standard", "common"], help_heading = METHOD)]
    pub scaling: Option<String>,
    /// Warps of inputs before scaling, separated by commas: identity, log or sqrt; repeatable
    #[arg(long, value_name = "NAME=WARP", value_delimiter = ',', value_parser = parse_warp, help_heading = METHOD)]
    pub warp: Vec<(String, Warp)>,
    /// Limit every reading to its range in the fitted rows; readings that are warped always are
    #[arg(long, help_heading = METHOD)]
    pub limit_inputs: bool,
    /// Figure of cross-validation that candidates for classes are chosen by: accuracy; balanced, the mean of the
    /// recalls; log-loss or brier, the log loss or the Brier score of the probabilities [default: accuracy]
    #[arg(long, value_parser = Metric::NAMES, help_heading = METHOD)]
    pub metric: Option<String>,
    /// Number of cross-validation folds [default: 5]
    #[arg(long, value_name = "K", help_heading = ROWS)]
    pub folds: Option<usize>,
    /// Division of the rows into folds and held-out rows: drawn at random; in blocks of successive rows; or forward in
    /// time, where every fold tests a block after a fit to the rows before it. Blocked and forward hold out the last
    /// rows [default: random]
    #[arg(long, value_parser = Splitter::NAMES, help_heading = ROWS)]
    pub split: Option<String>,
    /// Terms beside the features; those of ridge have a penalty of their own, which cross-validation chooses [default:
    /// linear; srff: intercept]
    #[arg(long, value_parser = ["none", "intercept", "linear", "ridge"], help_heading = METHOD)]
    pub terms: Option<String>,
    /// Flash budget in bytes: of the model file, or of the program that --deploy names
    ///
    /// k or kB stands for 1024 and M or MB for 1024 k.
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, help_heading = DEVICE)]
    pub flash: Option<usize>,
    /// Instruction budget of a prediction on --core [default of --core: cortex-m4f]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = DEVICE)]
    pub instructions: Option<u32>,
    /// Board that runs the model; `srfm boards` lists them. Where they are not named, the core, the clock, --deploy c,
    /// --flash (an eighth of the board's, at most 8 kB) and the layout of a folder that -o names follow
    #[arg(long, value_name = "NAME", value_parser = values::boards(), hide_possible_values = true,
          conflicts_with = "core", help_heading = DEVICE)]
    pub board: Option<String>,
    /// Clock of the core, such as 16M [default: that of --board]
    #[arg(long, value_name = "HZ", value_parser = parse_clock, help_heading = DEVICE)]
    pub clock: Option<f64>,
    /// Longest time of a prediction in C, such as 200us: clock cycles by the documented timing of the core at zero wait
    /// states, at --clock
    #[arg(long, value_name = "TIME", value_parser = parse_latency, help_heading = DEVICE)]
    pub latency: Option<f64>,
    /// How the model gets on the board, which --flash and --instructions count [default: file; with --board, --latency
    /// and for atmega328p: c]
    ///
    /// As a model file (its bytes), or as generated C, compiled with -Os for --core (parameters, code and constants of
    /// the prediction; that of an integer model goes from integers to integers), or as Rust by static_model!, compiled
    /// with opt-level "s" (file, code and constants; cargo compiles the last model, and QEMU counts its instructions).
    #[arg(long, value_parser = ["c", "file", "rust"], help_heading = DEVICE)]
    pub deploy: Option<String>,
    /// Folder firmware-example of a checkout, which --deploy rust compiles [default: firmware-example]
    #[arg(long, value_name = "FOLDER", help_heading = DEVICE)]
    pub firmware: Option<PathBuf>,
    /// Core that runs the model
    #[arg(long, value_parser = values::cores(), help_heading = DEVICE)]
    pub core: Option<String>,
    /// Number format on the device: f32, or integers with weights of 32 or 16 bits; auto, with --method auto, tries
    /// all. Instruction counts of integer models are from integer inputs to integer outputs, such as the counts of a
    /// converter [default: f32; for a core without floating point int, to which method auto adds int16]
    #[arg(long, value_parser = values::numbers(), help_heading = DEVICE)]
    pub number: Option<String>,
    /// Largest difference between the device's predictions and the f64 model's, in standard deviations of the target
    /// [default: 0.01]
    #[arg(long, value_name = "SHARE", value_parser = parse_share, help_heading = DEVICE)]
    pub max_error: Option<f64>,
    /// Margin beyond the range of the targets, at either end, that predictions are limited to, as a share of that range
    /// [default: 0.1]
    #[arg(long, value_name = "SHARE", value_parser = parse_share, help_heading = DEVICE)]
    pub output_margin: Option<f64>,
    #[command(flatten)]
    pub checkpoint: checkpoint::CheckpointArgs,
    /// HTML page to write: errors, residuals, inputs, the course of the search, costs and lines of code. The page needs
    /// no other file
    #[arg(long, value_name = "FILE.html", help_heading = FILES)]
    pub report: Option<PathBuf>,
    /// File for the chosen features; `srfm gram` and `srfm merge` fit their amplitudes to other rows
    #[arg(long, value_name = "FILE.features", help_heading = FILES)]
    pub features: Option<PathBuf>,
    /// C file of the model to write, as `srfm export` does
    #[arg(long, value_name = "FILE.h", help_heading = FILES)]
    pub c: Option<PathBuf>,
    /// Name that the names in the C file begin with [default: the name of the file or folder]
    #[arg(long, help_heading = FILES)]
    pub name: Option<String>,
    /// Model file to write; with --board also a folder, with the model and the C library in the layout of the board
    #[arg(long, short, value_name = "MODEL.srfm|FOLDER", help_heading = FILES)]
    pub output: Option<PathBuf>,
}

impl Args {
    /// Checks that the output files can be written, differ from each other and replace no input file and no file of
    /// another kind.
    pub fn check_outputs(&self, device: &Device) -> Result<(), Failure> {
        let has_classes = matches!(self.task.as_deref(), Some("classification" | "novelty"));
        if self.features.is_some() && (has_classes || self.learning.looks_back()) {
            let why = "takes features of quantities whose inputs are of one row";
            return Err(Failure::usage(format!(
                "--features {why}; leave out --task, --lag, --difference and --window"
            )));
        }
        if self.name.is_some() && self.c.is_none() && device.board.is_none() {
            return Err(Failure::usage("--name is the name of C files; add --c FILE.h, or --board".to_owned()));
        }
        let others = self.config.iter().chain(&self.labels).chain(&self.test).chain(&self.test_labels);
        let read: Vec<&Path> = others.chain([&self.data]).map(PathBuf::as_path).collect();
        let mut written: HashMap<PathBuf, &str> = HashMap::new();
        for (option, path) in self.outputs(device)? {
            output::check_writable(&path, read.iter().copied())?;
            let place = output::place(&path).filter(|place| !output::is_device(place));
            let other = place.and_then(|place| written.insert(place, option));
            if let Some(other) = other {
                let name = path.display();
                return Err(Failure::usage(format!("{name}: {other} and {option} write this file; name another file")));
            }
        }
        match self.board_folder(device)? {
            Some(folder) => folder.check()?,
            None => self.output.as_deref().map_or(Ok(()), description::check_name)?,
        }
        self.report.as_deref().map_or(Ok(()), output::check_page)?;
        self.features.as_deref().map_or(Ok(()), gram::check_features)?;
        if let Some(path) = &self.c {
            output::check_generated(path)?;
            export::name(path, self.name.as_deref())?;
        }
        Ok(())
    }

    /// Returns the folder that the model goes to, for a board and a path that is no file of a model.
    pub fn board_folder(&self, device: &Device) -> Result<Option<BoardFolder<'_>>, Failure> {
        let Some((board, path)) = device.board.zip(self.output.as_deref()) else { return Ok(None) };
        if path.extension().is_some() && !path.is_dir() {
            return Ok(None);
        }
        let clock = device.clock.unwrap_or(board.clock());
        BoardFolder::new(path, board, clock, self.name.as_deref()).map(Some)
    }

    /// Returns the files that the command writes, each with its option.
    fn outputs(&self, device: &Device) -> Result<Vec<(&'static str, PathBuf)>, Failure> {
        let described = |path: &PathBuf| description::files(path);
        let alone = |path: &PathBuf| vec![path.clone()];
        let output = match self.board_folder(device)? {
            Some(_) => None,
            None => self.output.as_ref().map(described),
        };
        let files = [
            ("--output", output),
            ("--features", self.features.as_ref().map(described)),
            ("--report", self.report.as_ref().map(alone)),
            ("--c", self.c.as_ref().map(alone)),
            ("--checkpoint", self.checkpoint.path().map(alone)),
        ];
        let named = |(option, paths): (&'static str, Option<Vec<PathBuf>>)| {
            paths.into_iter().flatten().map(move |path| (option, path))
        };
        Ok(files.into_iter().flat_map(named).collect())
    }
}
