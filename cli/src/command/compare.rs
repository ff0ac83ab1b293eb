//! `srfm compare`: error against cost on the device for all methods, and which inputs are needed.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use crate::report::{ComparisonReport, merge};
use srfm_trainer::Run;
use srfm_trainer::compare::{CompareConfig, compare};
use srfm_trainer::cost::Core;
use srfm_trainer::data::{Prepared, Splitter};
use srfm_trainer::export::{Encoding, NumberFormat};
use srfm_trainer::method::{METHODS, MethodConfig};
use srfm_trainer::scaling::{InputScaling, Preprocessing};
use srfm_trainer::{Conditions, Grid};

use crate::columns::{LearningArgs, remark_on_missing};
use crate::common::Common;
use crate::data::{DataArgs, remark_on, target_kind};
use crate::failure::Failure;
use crate::options::Options;
use crate::output;
use crate::progress::Progress;
use crate::values::{self, parse_time};

#[derive(clap::Args)]
#[command(after_help = "Example:\n  srfm compare sensor.csv --core cortex-m0 -o sensor.html")]
pub struct Args {
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    learning: LearningArgs,
    /// Kind of the targets: quantities, or class labels in one column
    #[arg(long, default_value = "regression", value_parser = ["regression", "classification"])]
    task: String,
    /// Methods to compare
    #[arg(long, value_name = "LIST", value_delimiter = ',',
          default_value = COMPARED.as_str(),
          value_parser = clap::builder::PossibleValuesParser::new(METHODS.each_ref().map(|method| method.name)))]
    methods: Vec<String>,
    /// Numbers of features to compare
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "4,8,16,32,64",
          value_parser = clap::value_parser!(u16).range(1..))]
    sizes: Vec<u16>,
    /// Inputs per feature to choose from, in methods that have a choice
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "1,2,3",
          value_parser = clap::value_parser!(u16).range(1..))]
    order: Vec<u16>,
    /// Core whose instructions are counted
    #[arg(long, default_value = "cortex-m4f", value_parser = values::cores())]
    core: String,
    /// Number format of the models [default: f32, and int for a core without floating point]
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(NumberFormat::ALL.map(NumberFormat::name)))]
    number: Option<String>,
    /// Number of cross-validation folds
    #[arg(long, default_value_t = 5, value_name = "K")]
    folds: usize,
    /// Division of the rows into folds: drawn at random; in blocks of successive rows; or forward in time, where every
    /// fold tests a block after a fit to the rows before it
    #[arg(long, default_value = "random", value_parser = Splitter::NAMES)]
    split: String,
    /// Seed of the random numbers
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Time limit, in seconds or with s, m or h; the results up to then are shown
    #[arg(long, default_value = "10m", value_name = "TIME", value_parser = parse_time)]
    time: Duration,
    /// HTML page with charts to write; the page needs no other file
    #[arg(long, short, value_name = "FILE.html")]
    output: Option<PathBuf>,
}

/// The methods that are compared by default.
static COMPARED: LazyLock<String> = LazyLock::new(|| {
    let compared = METHODS.iter().filter(|method| method.compared).map(|method| method.name);
    compared.collect::<Vec<_>>().join(",")
});

/// Ridge parameters to choose from.
const LAMBDAS: [f64; 5] = [1e-6, 1e-4, 1e-2, 1e-1, 1.0];

/// Compares the methods, writes the page and prints the report.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let started = Instant::now();
    if let Some(path) = &args.output {
        output::check_writable(path, args.data.files())?;
        output::check_page(path)?;
    }
    let core: Core = args.core.parse().map_err(Failure::from)?;
    let number =
        args.number.as_deref().map_or(core.into(), |name| NumberFormat::named(name).expect("checked by the parser"));
    let source = args.data.to_learn(&args.learning, common)?;
    let scaling = source.shares_unit().then_some(InputScaling::Common);
    let Prepared { mut data, mut description, counts, .. } = source.prepare(target_kind(&args.task))?;
    description.replace_missing(&mut data, None);
    remark_on_missing(&counts, common);
    remark_on(&data, common);

    let named = |name: &String| MethodConfig::named(name).expect("checked by the parser");
    let inputs = data.inputs();
    let mut orders: Vec<usize> = args.order.iter().map(|&order| inputs.min(order.into())).collect();
    orders.dedup();
    let config = CompareConfig {
        fit: Conditions {
            folds: args.folds,
            split: Splitter::named(&args.split).expect("checked by the parser"),
            preprocessing: Preprocessing {
                scaling,
                replacements: description.replacements(),
                ..Preprocessing::default()
            },
            grid: Grid { orders, ..Grid::from(LAMBDAS) },
            encoding: Encoding { number, ..Encoding::default() },
            ..Conditions::default()
        },
        methods: args.methods.iter().map(named).collect(),
        sizes: args.sizes.iter().map(|&size| size.into()).collect(),
        core,
    };
    let progress = Progress::new("comparing", common);
    let comparison = compare(&data, &config, &Run::new(args.seed).with_observer(&progress).with_time(args.time));
    drop(progress);
    let mut comparison = comparison?;
    merge(&mut comparison.entries);
    let options = Options::of::<Args>();
    comparison.failed.iter_mut().for_each(|failed| failed.reason = options.render(&failed.reason).into());
    let report = ComparisonReport {
        data: args.data.data.display().to_string(),
        rows: data.rows(),
        core: core.name(),
        number: number.name(),
        split: config.fit.split,
        weight: args.learning.weight.clone(),
        seed: args.seed,
        comparison,
        seconds: started.elapsed().as_secs_f64(),
    };
    if let Some(path) = &args.output {
        output::write(path, report.html().as_bytes())?;
    }
    if common.json { output::print_json(&report) } else { output::print(&report.to_string()) }
}
