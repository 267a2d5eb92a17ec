//! The binary `hub`.

use std::ffi::{c_int, c_long};

/// A note is many small allocations on several threads: the system's
/// allocator took a fifth of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// mimalloc's option `mi_option_purge_delay`: how long a freed page is kept
/// before the system gets it back.
const PURGE_DELAY: c_int = 15;
/// Its value in milliseconds where nobody has set it (mimalloc 3).
const DEFAULT_PURGE_DELAY_MS: c_long = 1_000;
/// Ours: with a second, the pages freed during a burst of notes are some 20 MB
/// of the process's memory.
const PURGE_DELAY_MS: c_long = 10;

#[allow(unsafe_code)]
mod allocator {
    use super::{c_int, c_long};

    // SAFETY: the signatures are those of `mimalloc.h`; both functions accept
    // any number of an option and may be called at any time on any thread.
    unsafe extern "C" {
        #[link_name = "mi_option_get"]
        pub safe fn option(option: c_int) -> c_long;
        #[link_name = "mi_option_set"]
        pub safe fn set_option(option: c_int, value: c_long);
    }
}

/// Lets freed memory go soon, unless `MIMALLOC_PURGE_DELAY` says otherwise.
fn return_memory_soon() {
    if allocator::option(PURGE_DELAY) == DEFAULT_PURGE_DELAY_MS {
        allocator::set_option(PURGE_DELAY, PURGE_DELAY_MS);
    }
}

fn main() -> std::process::ExitCode {
    return_memory_soon();
    hub::cli::main()
}
