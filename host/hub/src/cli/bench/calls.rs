//! The same adapter, the same case: in the sandbox and natively.

use super::turns::{self, Rounds};
use crate::adapter::source::Source;
use crate::adapter::{self, build, player};
use anyhow::Context as _;
use base::config::Config;
use std::path::Path;
use std::process::Command;

/// The adapter compared, and the case: signs, compresses, reads an answer.
const ADAPTER: &str = "dps";
const CASE: &str = "issued";
/// Times the case is played in one round, and rounds.
const PLAYS: u32 = 100;
const ROUNDS: u32 = 15;

/// # Errors
/// There is no checkout or no cargo: the native side is compiled from the
/// adapter's own package, which the hub never links.
pub fn sandboxed_over_native(config: &Config) -> anyhow::Result<Rounds> {
    let workspace = build::workspace()
        .context("the native side is compiled from a checkout, and this is none")?;
    let source = Source::of(&workspace, ADAPTER);
    let component = source.build(&source.scratch())?;
    let case = workspace
        .join("plugins")
        .join(ADAPTER)
        .join("cases")
        .join(CASE);
    let runtime = flow::Runtime::new(config.flow.limits())
        .map_err(|error| anyhow::anyhow!("sandbox: {error:#}"))?;
    let loaded = adapter::load(&runtime, &component)?;
    let sandboxed = || -> anyhow::Result<f64> {
        let (mut calls, mut ns) = (0_f64, 0_f64);
        for _ in 0..PLAYS {
            let played = player::play(&runtime, &loaded, &case).map_err(anyhow::Error::msg)?;
            calls += f64::from(played.calls);
            ns += played.elapsed.as_secs_f64() * 1e9;
        }
        Ok(ns / calls)
    };
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        rounds.push((sandboxed()?, native(&workspace, &case)?));
    }
    turns::ratio(&rounds)
}

/// Nanoseconds per call of the adapter compiled for this machine: what its
/// example `calls` prints.
fn native(workspace: &Path, case: &Path) -> anyhow::Result<f64> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .current_dir(workspace)
        .args([
            "run",
            "--quiet",
            "--release",
            "--locked",
            "-p",
            &format!("adapter-{ADAPTER}"),
            "--example",
            "calls",
            "--target-dir",
        ])
        .arg(workspace.join("target/adapters"))
        .arg("--")
        .arg(case)
        .arg(PLAYS.to_string())
        .output()
        .context("cargo cannot be started")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let words: Vec<f64> = said
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    match (output.status.success(), words.as_slice()) {
        (true, [calls, ns]) if *calls > 0.0 => Ok(ns / calls),
        _ => anyhow::bail!(
            "the native example failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        ),
    }
}
