//! `hub load`: load at a rate, and questions to every listing, of any hub over HTTP; and
//! large stores to try both on.

mod companies;
mod fill;
mod models;

use anyhow::Context as _;
use base::config::Config;
use base::when;
use clap::{Args, Subcommand};
use load::ask;
use load::run::chart;
use load::run::mix::Mix;
use load::run::plan::Plan;
use load::run::schedule::Gaps;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Subcommand)]
pub enum Command {
    /// Calls operations at a rate, whatever the server does with them, and reports how long
    /// each took from the moment it was due. Exit code 1 if an operation failed.
    #[command(
        after_help = "Example: hub load run --url http://127.0.0.1:8080 --key-file key --rate 200 --seconds 600 --svg load.svg"
    )]
    Run(Run),
    /// Asks every listing, with values of the account's own documents, and prints how long
    /// answers took. Exit code 1 if one failed or took longer than --limit-ms.
    #[command(
        after_help = "Example: hub load ask --url http://127.0.0.1:8080 --key-file key --rounds 50 --limit-ms 20"
    )]
    Ask(Ask),
    /// Fills a store with copies of notes that are really issued, by simulated authorities, in
    /// accounts of its own whose keys are in load.json. No hub may run on it. What was
    /// interrupted goes on where it stopped.
    #[command(
        after_help = "Example: hub --data-dir /srv/big load fill --notes 3000000 --accounts 30 --largest 0.5"
    )]
    Fill(fill::Fill),
}

/// A hub, and a key of it.
#[derive(Args)]
pub struct Target {
    /// Its address, as http://127.0.0.1:8080.
    #[arg(long, value_name = "URL")]
    url: String,
    /// A key. Others on this machine can see it: better a file.
    #[arg(long, value_name = "KEY", required_unless_present = "key_file")]
    key: Option<String>,
    /// File that holds the key.
    #[arg(long, value_name = "FILE", conflicts_with = "key")]
    key_file: Option<PathBuf>,
    /// Another number gives other arrivals and other values.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Writes everything that was measured, for programs.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Args)]
pub struct Run {
    #[command(flatten)]
    target: Target,
    /// Operations that arrive each second.
    #[arg(long, value_name = "N", default_value_t = 200.0)]
    rate: f64,
    /// How long they arrive.
    #[arg(long, value_name = "N", default_value_t = 600)]
    seconds: u64,
    /// Operations and their weights: issue, nfe, cancel, list, pdf, get, usage.
    #[arg(long, default_value = "issue=60,cancel=5,list=15,pdf=10,get=8,usage=2")]
    mix: String,
    /// Arrivals with even gaps; else exponential ones, as of independent customers.
    #[arg(long)]
    even: bool,
    /// Connections at the same time.
    #[arg(long, value_name = "N", default_value_t = 256)]
    connections: usize,
    /// Operations that may wait at the same time; more are counted, not begun.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    waiting: usize,
    /// A server that cannot be reached is asked again until it answers; in the end each
    /// document must be there once.
    #[arg(long)]
    tolerate_restart: bool,
    /// Receives the events on this machine, checks their signatures and times them. The hub
    /// needs webhooks.allow_http and webhooks.allow_nets = ["127.0.0.1"].
    #[arg(long)]
    webhook: bool,
    /// Prints a line each minute.
    #[arg(long)]
    every_minute: bool,
    /// Process whose memory the line tells; several times for several.
    #[arg(long = "pid", value_name = "PID")]
    processes: Vec<u32>,
    /// Draws latency and rate by the second.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

#[derive(Args)]
pub struct Ask {
    #[command(flatten)]
    target: Target,
    /// How often each question is asked, each time with other values.
    #[arg(long, value_name = "N", default_value_t = 50)]
    rounds: u32,
    /// Address of operators (admin.listen), whose lists are asked too.
    #[arg(long, value_name = "URL", requires = "operator_token_file")]
    admin_url: Option<String>,
    /// File of their token (admin.token_file).
    #[arg(long, value_name = "FILE", requires = "admin_url")]
    operator_token_file: Option<PathBuf>,
    /// What the p99 of a question may be at most.
    #[arg(long, value_name = "MS")]
    limit_ms: Option<f64>,
}

/// # Errors
/// The server cannot be reached, or a file cannot be read or written.
pub async fn run(command: Command, config: Config) -> anyhow::Result<ExitCode> {
    match command {
        Command::Run(wish) => at_rate(wish).await,
        Command::Ask(wish) => asked(wish).await,
        Command::Fill(wish) => fill::fill(config, wish).await,
    }
}

impl Target {
    fn key(&self) -> anyhow::Result<String> {
        match (&self.key, &self.key_file) {
            (Some(key), _) => Ok(key.clone()),
            (None, Some(file)) => secret(file),
            (None, None) => anyhow::bail!("--key or --key-file"),
        }
    }
}

/// What a file holds, without blanks around it.
fn secret(file: &Path) -> anyhow::Result<String> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    Ok(text.trim().to_owned())
}

async fn at_rate(wish: Run) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(
        wish.rate > 0.0 && wish.rate <= 1e6,
        "--rate: above 0, at most 1000000"
    );
    anyhow::ensure!(wish.connections > 0, "--connections: at least 1");
    let plan = Plan {
        url: wish.target.url.clone(),
        key: wish.target.key()?,
        rate: wish.rate,
        seconds: wish.seconds,
        gaps: if wish.even {
            Gaps::Even
        } else {
            Gaps::Exponential
        },
        seed: wish.target.seed,
        mix: Mix::read(&wish.mix)?,
        connections: wish.connections,
        waiting: wish.waiting,
        tolerate_restart: wish.tolerate_restart,
        webhook: wish.webhook,
        every_minute: wish.every_minute,
        processes: wish.processes,
    };
    let report = load::run::run(plan, when::system_clock(), |line| say!("{line}")).await?;
    say!("{}", report.text().trim_end());
    if let Some(file) = &wish.svg {
        written(file, &chart::svg(&report))?;
    }
    kept(wish.target.json.as_deref(), &report)?;
    Ok(code(report.is_good()))
}

async fn asked(wish: Ask) -> anyhow::Result<ExitCode> {
    let operator = match (wish.admin_url, wish.operator_token_file) {
        (Some(url), Some(file)) => Some((url, secret(&file)?)),
        _ => None,
    };
    let plan = ask::Plan {
        url: wish.target.url.clone(),
        key: wish.target.key()?,
        operator,
        rounds: wish.rounds,
        seed: wish.target.seed,
        limit_ms: wish.limit_ms,
    };
    let answered = ask::ask(&plan).await?;
    say!("{}", answered.text().trim_end());
    kept(wish.target.json.as_deref(), &answered)?;
    Ok(code(answered.is_good()))
}

/// Writes a report for programs where somebody wants it.
fn kept(file: Option<&Path>, report: &impl serde::Serialize) -> anyhow::Result<()> {
    match file {
        Some(file) => written(
            file,
            &format!("{}\n", serde_json::to_string_pretty(report)?),
        ),
        None => Ok(()),
    }
}

fn written(file: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(file, text).with_context(|| file.display().to_string())
}

fn code(good: bool) -> ExitCode {
    if good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
