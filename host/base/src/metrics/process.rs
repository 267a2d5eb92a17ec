//! What the system says of this process, under the names that dashboards of Prometheus
//! know. What it does not say is left out.

use super::registry::{counter, gauge};
use rustix::time::{ClockId, clock_gettime};

/// Files about this process.
const STATUS: &str = "/proc/self/status";
const LIMITS: &str = "/proc/self/limits";
const OPEN: &str = "/proc/self/fd";

/// Adds the numbers of this moment to a text.
pub fn write(text: &mut String) {
    counter(
        text,
        "process_cpu_seconds_total",
        "Processor time of this process, all threads.",
        cpu_seconds(),
    );
    let read = |file| std::fs::read_to_string(file).unwrap_or_default();
    let (status, limits) = (read(STATUS), read(LIMITS));
    let values = [
        (
            "process_resident_memory_bytes",
            "Memory of this process that is not swapped out.",
            resident_bytes(&status),
        ),
        (
            "process_open_fds",
            "Files and connections that this process has open.",
            open_files(),
        ),
        (
            "process_max_fds",
            "How many it may have open.",
            most_files(&limits),
        ),
        (
            "hub_processors",
            "Processors that this process may use.",
            processors(),
        ),
    ];
    for (name, help, value) in values {
        if let Some(value) = value {
            gauge(text, name, help, vec![(Vec::new(), value)]);
        }
    }
}

fn cpu_seconds() -> f64 {
    let spent = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(spent.tv_sec).unwrap_or(0);
    let rest = u32::try_from(spent.tv_nsec).unwrap_or(0);
    std::time::Duration::new(seconds, rest).as_secs_f64()
}

/// Resident memory, by `/proc/<pid>/status`.
pub fn resident_bytes(status: &str) -> Option<f64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1_024.0)
}

/// Files that may be open, by `/proc/<pid>/limits`: the limit in force.
pub fn most_files(limits: &str) -> Option<f64> {
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"))?;
    // `unlimited` is no number: then there is nothing to compare with.
    line.split_whitespace().next()?.parse().ok()
}

fn open_files() -> Option<f64> {
    let count = std::fs::read_dir(OPEN).ok()?.count();
    // Without the one that lists them.
    u32::try_from(count.saturating_sub(1)).ok().map(f64::from)
}

fn processors() -> Option<f64> {
    let processors = std::thread::available_parallelism().ok()?;
    u32::try_from(processors.get()).ok().map(f64::from)
}
