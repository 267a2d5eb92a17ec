//! The log of the process, on standard error.

use base::config::Config;
use std::io::IsTerminal;
use tracing_subscriber::EnvFilter;

/// Crates whose lines the setting `log.level` rules; everybody else's are
/// written from `warn` on.
pub const OURS: [&str; 32] = [
    "accounts",
    "api",
    "authority",
    "base",
    "compose",
    "data",
    "datasets",
    "dere",
    "events",
    "fiscal",
    "flow",
    "freight",
    "gate",
    "hub",
    "inbound",
    "issuing",
    "load",
    "lookups",
    "markup",
    "measured",
    "moving",
    "objects",
    "packing",
    "page",
    "panel",
    "payments",
    "prints",
    "sim",
    "store",
    "toolbox",
    "tools",
    "vault",
];

/// Starts the log: warnings and errors alone where it is `quiet`. `HUB_LOG` replaces the
/// whole filter.
pub(super) fn start(config: &Config, quiet: bool) {
    let level = if quiet {
        "warn"
    } else {
        config.log.level.as_str()
    };
    let filter =
        EnvFilter::try_from_env("HUB_LOG").unwrap_or_else(|_| EnvFilter::new(filter(level)));
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr)
        // It would tell with `eprintln!` that standard error cannot be written,
        // and that panics: a hub whose terminal closed could not drain.
        .log_internal_errors(false);
    if config.log.format == "json" {
        builder.json().init();
    } else {
        builder.init();
    }
}

fn filter(level: &str) -> String {
    let mut filter = "warn".to_owned();
    for crate_name in OURS {
        filter.push_str(&format!(",{crate_name}={level}"));
    }
    filter
}
