//! The binary `hub`.

fn main() -> std::process::ExitCode {
    hub::cli::main()
}
