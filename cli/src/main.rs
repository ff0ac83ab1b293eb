//! The `srfm` command.

fn main() -> std::process::ExitCode {
    srfm_cli::main(std::env::args_os()).into()
}
