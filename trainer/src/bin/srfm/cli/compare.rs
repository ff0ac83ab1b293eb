//! `srfm compare`: what error costs on the device, for all methods, and which inputs are needed.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use crate::report::ComparisonReport;
use srfm_trainer::cost::Core;
use srfm_trainer::data::TargetKind;
use srfm_trainer::export::{Encoding, NumberFormat};
use srfm_trainer::fit::{FitConfig, Grid};
use srfm_trainer::method::{METHODS, MethodConfig};
use srfm_trainer::run::Run;
use srfm_trainer::scaling::{InputScaling, Preprocessing};
use srfm_trainer::search::comparison::{CompareConfig, compare};

use crate::cli::data::{DataArgs, remark_on};
use crate::cli::failure::Failure;
use crate::cli::progress::Progress;
use crate::cli::settings::parse_time;
use crate::cli::{Common, output};

#[derive(clap::Args)]
#[command(after_help = "Example:\n  srfm compare sensor.csv --core cortex-m0 -o sensor.html")]
pub struct Args {
    #[command(flatten)]
    data: DataArgs,
    /// What the targets are: quantities, or in one column labels of classes
    #[arg(long, default_value = "regression", value_parser = ["regression", "classification"])]
    task: String,
    /// Methods to compare
    #[arg(long, value_name = "LIST", value_delimiter = ',',
          default_value = COMPARED.as_str(),
          value_parser = clap::builder::PossibleValuesParser::new(MethodConfig::NAMES))]
    methods: Vec<String>,
    /// Numbers of features to compare
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "4,8,16,32,64",
          value_parser = clap::value_parser!(u16).range(1..))]
    sizes: Vec<u16>,
    /// Inputs per feature to choose from, in methods that have a choice
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "1,2,3", value_parser = clap::value_parser!(u16).range(1..))]
    order: Vec<u16>,
    /// Core whose instructions are counted
    #[arg(long, default_value = "cortex-m4f", value_parser = clap::builder::PossibleValuesParser::new(Core::ALL.map(crate::cli::device::named)))]
    core: String,
    /// How the device stores the models [default: f32, and int for a core without floating point]
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(NumberFormat::NAMES))]
    number: Option<String>,
    /// Folds of the cross-validation
    #[arg(long, default_value_t = 5, value_name = "K")]
    folds: usize,
    /// Seed of the random numbers
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Time after which nothing more is computed and what there is is shown, in seconds or with s, m or h
    #[arg(long, default_value = "10m", value_name = "TIME", value_parser = parse_time)]
    time: Duration,
    /// Page to write, with pictures: HTML that needs no other file
    #[arg(long, short, value_name = "FILE.html")]
    output: Option<PathBuf>,
}

/// Methods to compare unless others are named.
static COMPARED: LazyLock<String> = LazyLock::new(|| {
    let compared = METHODS.iter().filter(|method| method.compared).map(|method| method.name);
    compared.collect::<Vec<_>>().join(",")
});

/// Ridge parameters to choose from.
const LAMBDAS: [f64; 5] = [1e-6, 1e-4, 1e-2, 1e-1, 1.0];

pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let started = Instant::now();
    if let Some(path) = &args.output {
        output::check_writable(path, args.data.files())?;
    }
    let core: Core = args.core.parse().map_err(Failure::from)?;
    let suited = if core.floating_point() { NumberFormat::F32 } else { NumberFormat::Int };
    let number =
        args.number.as_deref().map_or(suited, |name| NumberFormat::named(name).expect("checked by the parser"));
    let kind = if args.task == "classification" { TargetKind::Classes } else { TargetKind::Quantities };
    let source = args.data.read(common)?;
    let scaling = source.shares_unit().then_some(InputScaling::Common);
    let data = source.dataset(kind)?;
    remark_on(&data, common);

    let named = |name: &String| MethodConfig::named(name).expect("checked by the parser");
    let inputs = data.inputs();
    let mut orders: Vec<usize> = args.order.iter().map(|&order| inputs.min(order.into())).collect();
    orders.dedup();
    let config = CompareConfig {
        fit: FitConfig {
            folds: args.folds,
            preprocessing: Preprocessing { scaling, ..Preprocessing::default() },
            grid: Grid { orders, ..Grid::of_lambdas(LAMBDAS) },
            encoding: Encoding { number, ..Encoding::default() },
            ..FitConfig::default()
        },
        methods: args.methods.iter().map(named).collect(),
        sizes: args.sizes.iter().map(|&size| size.into()).collect(),
        core,
    };
    let progress = Progress::new("comparing", common);
    let comparison = compare(&data, &config, &Run::new(args.seed).with_observer(&progress).with_time(args.time));
    drop(progress);
    let report = ComparisonReport {
        data: args.data.data.display().to_string(),
        rows: data.rows(),
        core: core.name(),
        number: number.name(),
        seed: args.seed,
        comparison: comparison?,
        seconds: started.elapsed().as_secs_f64(),
    };
    if let Some(path) = &args.output {
        output::write(path, report.html().as_bytes())?;
    }
    if common.json { output::print_json(&report) } else { output::print(&report.to_string()) }
}
