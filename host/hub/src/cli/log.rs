//! The log of the process, on standard error.

use base::config::Config;
use std::io::IsTerminal;
use tracing_subscriber::EnvFilter;

/// Crates whose lines the setting `log.level` rules; everybody else's are
/// written from `warn` on.
const OURS: [&str; 20] = [
    "accounts",
    "api",
    "authority",
    "base",
    "compose",
    "data",
    "events",
    "fiscal",
    "flow",
    "hub",
    "inbound",
    "issuing",
    "markup",
    "objects",
    "panel",
    "payments",
    "prints",
    "sim",
    "store",
    "vault",
];

/// Starts the log. `HUB_LOG` replaces the whole filter.
pub(super) fn start(config: &Config) {
    let filter = EnvFilter::try_from_env("HUB_LOG")
        .unwrap_or_else(|_| EnvFilter::new(filter(&config.log.level)));
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

#[cfg(test)]
mod tests {
    use super::OURS;

    /// Every crate of the host is in `OURS`: one that is not would log nothing
    /// below `warn`.
    #[test]
    fn every_crate_of_the_host_has_a_level() {
        let host = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        let folders = std::fs::read_dir(host).expect("the folder of the crates");
        let mut crates: Vec<String> = folders
            .map(|entry| entry.expect("an entry"))
            .filter(|entry| entry.path().join("Cargo.toml").exists())
            .map(|entry| entry.file_name().into_string().expect("a name"))
            .collect();
        crates.sort();
        assert_eq!(crates, OURS);
    }
}
