//! This program again, as a child, and what the system says about it.

use anyhow::{Context as _, bail};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

/// Longest wait for a child's line.
const PATIENCE: Duration = Duration::from_secs(60);
/// `/proc/<pid>/stat` counts in hundredths of a second on every Linux.
const TICKS_PER_S: f64 = 100.0;

/// A running `hub …`; it ends when this is dropped.
pub struct Hub {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Hub {
    /// Starts it with nothing of this process's own settings.
    ///
    /// # Errors
    /// The program cannot be started.
    pub fn start(
        data_dir: &Path,
        arguments: &[&str],
        settings: &[(&str, String)],
    ) -> anyhow::Result<Hub> {
        let mut command = Command::new(std::env::current_exe()?);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("HUB_") {
                command.env_remove(name);
            }
        }
        command
            .arg("--data-dir")
            .arg(data_dir)
            .args(["--listen", "127.0.0.1:0"])
            .args(arguments);
        command
            .envs(settings.iter().map(|(name, value)| (name, value)))
            .env("HUB_LOG", "error");
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let stdout = child.stdout.take().context("standard output")?;
        Ok(Hub {
            child,
            lines: BufReader::new(stdout).lines(),
        })
    }

    /// What follows `mark` in the first line that has it.
    ///
    /// # Errors
    /// The child ends, or says nothing for a minute.
    pub async fn said(&mut self, mark: &str) -> anyhow::Result<String> {
        loop {
            let line = tokio::time::timeout(PATIENCE, self.lines.next_line())
                .await
                .context("the child says nothing")??;
            let Some(line) = line else {
                bail!("the child ended before it said \"{mark}\"")
            };
            if let Some((_, rest)) = line.split_once(mark) {
                return Ok(rest.split(' ').next().unwrap_or_default().to_owned());
            }
        }
    }

    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }
}

/// Processor time of a process so far, all threads, in seconds.
///
/// # Errors
/// There is no such process, or no `/proc`.
pub fn cpu_s(pid: u32) -> anyhow::Result<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .context("processor time comes from /proc, which Linux has")?;
    // The name, in parentheses, may hold anything: count from its end.
    let (_, fields) = stat.rsplit_once(") ").context("/proc/<pid>/stat")?;
    let ticks: Vec<f64> = fields
        .split(' ')
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse().ok())
        .collect();
    anyhow::ensure!(ticks.len() == 2, "/proc/<pid>/stat has other fields");
    Ok(ticks.iter().sum::<f64>() / TICKS_PER_S)
}

/// Largest resident memory of a process so far, in MB of 10^6 bytes.
///
/// # Errors
/// There is no such process, or no `/proc`.
pub fn peak_mb(pid: u32) -> anyhow::Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .context("/proc/<pid>/status has no VmHWM")?;
    let kib: f64 = peak.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kib * 1024.0 / 1e6)
}
