//! `srfm generate`: the rows of a built-in task.

use std::path::PathBuf;

use crate::common::Common;
use crate::failure::Failure;
use crate::report::counted;
use crate::{output, values};

#[derive(clap::Args)]
#[command(after_help = "Example:\n  srfm generate pressure --rows 1000 --seed 2 -o pressure.csv")]
pub struct Args {
    /// The task
    #[arg(value_parser = values::tasks())]
    task: String,
    /// Number of rows
    #[arg(long, default_value_t = 1000, value_name = "N",
          value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    rows: u32,
    /// Standard deviation of the noise: of the target of a function, of the counts or microvolts of a sensor [default:
    /// the task's]
    #[arg(long, value_name = "S")]
    noise: Option<f64>,
    /// Seed of the random numbers
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// File to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Writes the rows of a task.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let task = values::task(&args.task);
    let noise = args.noise.unwrap_or(task.usual_noise());
    if !(noise >= 0.0 && noise.is_finite()) {
        return Err(Failure::usage(format!("--noise must be 0 or more, not {noise}")));
    }
    match &args.output {
        Some(path) => output::check_writable(path, [])?,
        None if common.json => {
            return Err(Failure::usage("--json prints no CSV rows: name a file for the rows with -o"));
        }
        None => {}
    }
    let mut text = Vec::new();
    task.generate(args.rows as usize, noise, args.seed).write_csv(&mut text)?;
    let Some(path) = &args.output else { return output::print(&String::from_utf8_lossy(&text)) };
    output::write(path, &text)?;
    if common.json {
        let document = serde_json::json!({
            "task": args.task, "rows": args.rows, "noise": noise, "seed": args.seed, "output": path,
        });
        return output::print_json(&document);
    }
    if !common.quiet {
        say!(
            "{} of {}, noise {noise}, seed {}, written to {}",
            counted(args.rows as usize, "row"),
            args.task,
            args.seed,
            path.display()
        );
    }
    Ok(())
}
