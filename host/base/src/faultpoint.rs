//! Named places where a test kills this process.
//!
//! Exactly one document must come out of a process that dies anywhere, so
//! the fault tests make it die everywhere: each boundary of issuing calls
//! [`hit`]. Without the variables below that is one read of a flag.
//!
//! - `HUB_FAULT_KILL=<n>`: SIGKILL at the n-th hit; 0 counts only. Or a
//!   label: at its first hit.
//! - `HUB_FAULT_ARMED=<file>`: hits count only while this file exists.
//! - `HUB_FAULT_TRACE=<file>`: a line `<n> <label>` for each hit counted.

use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};

enum At {
    Nth(u64),
    Label(String),
}

struct Plan {
    kill_at: At,
    armed: Option<PathBuf>,
    /// Hits so far, and where they are written.
    trace: Mutex<(u64, Option<File>)>,
}

/// Passes a place where the process may be made to die.
pub fn hit(label: &str) {
    static PLAN: OnceLock<Option<Plan>> = OnceLock::new();
    let Some(plan) = PLAN.get_or_init(Plan::from_environment) else {
        return;
    };
    if plan.armed.as_ref().is_some_and(|file| !file.exists()) {
        return;
    }
    // Held while dying: nobody passes another place meanwhile.
    let mut trace = plan
        .trace
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    trace.0 += 1;
    let n = trace.0;
    if let Some(file) = &mut trace.1
        && let Err(error) = writeln!(file, "{n} {label}")
    {
        tracing::warn!(%error, "fault trace cannot be written");
    }
    let here = match &plan.kill_at {
        At::Nth(nth) => n == *nth,
        At::Label(wanted) => wanted == label,
    };
    if here {
        die();
    }
}

impl Plan {
    fn from_environment() -> Option<Plan> {
        let text = std::env::var("HUB_FAULT_KILL").ok()?;
        tracing::warn!(
            at = text,
            "this process is under test and will die at a fault point"
        );
        let kill_at = text.parse().map(At::Nth).unwrap_or(At::Label(text));
        let trace = std::env::var_os("HUB_FAULT_TRACE")
            .and_then(|path| File::options().create(true).append(true).open(path).ok());
        Some(Plan {
            kill_at,
            armed: std::env::var_os("HUB_FAULT_ARMED").map(PathBuf::from),
            trace: Mutex::new((0, trace)),
        })
    }
}

/// SIGKILL to this process: no destructor, no flush, no goodbye.
fn die() -> ! {
    let kill = format!("kill -9 {}", std::process::id());
    let sent = std::process::Command::new("sh")
        .args(["-c", &kill])
        .status();
    tracing::error!(?sent, "SIGKILL was not delivered");
    std::process::abort();
}
