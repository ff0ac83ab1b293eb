//! The `srfm` command.

mod cli;
mod report;
mod reproduce;

fn main() -> std::process::ExitCode {
    cli::main()
}
