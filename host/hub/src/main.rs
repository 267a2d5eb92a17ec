//! The binary `hub`.

/// A note is many small allocations on several threads: the system's
/// allocator took a fifth of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    hub::cli::main()
}
