//! The `srfm` command.

mod cli;
mod report;
mod reproduce;

fn main() -> std::process::ExitCode {
    cli::main(std::env::args_os()).into()
}
