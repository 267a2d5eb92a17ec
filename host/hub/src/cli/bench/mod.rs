//! `hub bench`: ratios measured in one run on one machine, each with its
//! target (docs/decisions/0003-bench.md). A ratio survives a slow disk or
//! processor; a time does not.

mod calls;
mod catalog;
mod ledger;
mod notes;
mod peers;
mod process;
pub mod product;
mod receiver;
mod route;
mod swaps;
mod turns;
mod webhooks;

use base::config::Config;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use turns::Rounds;

/// What a number must be.
#[derive(Clone, Copy)]
enum Target {
    AtMost(f64),
    AtLeast(f64),
}

/// A number, and where half of the rounds lie of which it is the median.
#[derive(Clone, Copy)]
struct Number {
    value: f64,
    quartiles: Option<(f64, f64)>,
}

impl From<f64> for Number {
    fn from(value: f64) -> Number {
        Number {
            value,
            quartiles: None,
        }
    }
}

impl From<Rounds> for Number {
    fn from(rounds: Rounds) -> Number {
        Number {
            value: rounds.median,
            quartiles: Some(rounds.quartiles),
        }
    }
}

struct Line {
    what: &'static str,
    target: Target,
    measured: anyhow::Result<Number>,
}

/// Imports generated products and measures look-ups in them, in an empty database
/// or in a file of its own.
///
/// # Errors
/// The import fails.
pub async fn products(
    config: &Config,
    url: Option<String>,
    count: u32,
) -> anyhow::Result<ExitCode> {
    let scratch = Scratch::new(&config.storage.data_dir)?;
    let code = catalog::bench(&scratch.0, url, count).await?;
    told_of_debug();
    Ok(code)
}

/// Measures everything and prints one line each. What cannot be measured
/// says why, with exit code 1; a missed target is a number to look at, not a
/// failure of the command.
pub async fn bench(config: &Config) -> anyhow::Result<ExitCode> {
    let scratch = Scratch::new(&config.storage.data_dir)?;
    let sandbox = calls::sandboxed_over_native(config);
    let durable = ledger::transactions_over_fsyncs(&scratch.0).await;
    let notes = notes::measure(config, &scratch.0).await;
    let product = product::measure(&scratch.0);
    let webhooks = webhooks::measure(config, &scratch.0).await;
    let lines = lines(sandbox, durable, &notes, &product, &webhooks);
    let order = Line {
        what: "order of a route of 100 stops, slowest of 20, ms",
        target: Target::AtMost(50.0),
        measured: route::slowest_order_ms().map(Number::from),
    };
    let code = told(lines.iter().chain([&order]));
    if let Ok(product) = &product {
        for line in peers::lines(product, &scratch.0) {
            say!("{line}");
        }
    }
    told_of_debug();
    Ok(code)
}

/// Notes that `--swaps` begins each second where nobody says otherwise.
pub const SWAPS_PER_SECOND: u32 = 200;

/// Issues notes while releases of their adapter change; with an empty PostgreSQL
/// database at `url`, on two hubs.
///
/// # Errors
/// The run cannot be made.
pub async fn swaps(
    config: &Config,
    url: Option<String>,
    per_second: u32,
) -> anyhow::Result<ExitCode> {
    let scratch = Scratch::new(&config.storage.data_dir)?;
    let lines = swaps::measure(&scratch.0, url, per_second).await?;
    let code = told(lines.iter());
    told_of_debug();
    Ok(code)
}

/// Prints the lines; exit code 1 where something could not be measured.
fn told<'l>(lines: impl Iterator<Item = &'l Line>) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for line in lines {
        match &line.measured {
            Ok(number) => say!(
                "{}: {:.2} (target {}) {}",
                line.what,
                number.value,
                line.target.text(),
                line.target.verdict(*number)
            ),
            Err(error) => {
                say!("{}: not measured: {error:#}", line.what);
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}

fn told_of_debug() {
    if cfg!(debug_assertions) {
        say!("this is a debug build: the targets are for --release");
    }
}

/// What is printed, in order.
fn lines(
    sandbox: anyhow::Result<Rounds>,
    durable: anyhow::Result<Rounds>,
    notes: &anyhow::Result<notes::Measured>,
    product: &anyhow::Result<product::Measured>,
    webhooks: &anyhow::Result<webhooks::Measured>,
) -> [Line; 13] {
    [
        Line {
            what: "sandboxed adapter call / native adapter call",
            target: Target::AtMost(3.0),
            measured: sandbox.map(Number::from),
        },
        Line {
            what: "CPU per issued note / CPU of one RSA-2048 signature (hub's process; simulator and client apart)",
            target: Target::AtMost(4.0),
            measured: number(notes, |measured| measured.cpu_in_signatures),
        },
        Line {
            what: "durable transactions per s, 64 clients / fdatasync per s",
            target: Target::AtLeast(0.3),
            measured: durable.map(Number::from),
        },
        Line {
            what: "start-up with every adapter from the cache, s",
            target: Target::AtMost(1.0),
            measured: number(notes, |measured| measured.start_up_s),
        },
        Line {
            what: "peak resident memory, MB",
            target: Target::AtMost(200.0),
            measured: number(notes, |measured| measured.peak_mb),
        },
        Line {
            what: "NF-e of 10 items built, judged and signed / RSA-2048 signatures, one core",
            target: Target::AtLeast(0.7),
            measured: number(product, |measured| measured.of_rsa_limit),
        },
        Line {
            what: "the same, notes per s on one core",
            target: Target::AtLeast(1_500.0),
            measured: number(product, |measured| measured.notes_per_s),
        },
        Line {
            what: "verdict on an NF-e / libxml2 with the official XSD",
            target: Target::AtMost(1.0),
            measured: product
                .as_ref()
                .map_err(again)
                .and_then(|measured| number(&measured.validation_over_libxml2, |ratio| *ratio)),
        },
        Line {
            what: "DANFE, ms a page",
            target: Target::AtMost(2.0),
            measured: number(product, |measured| measured.danfe_ms_per_page),
        },
        Line {
            what: "NF-e XML to fields, MB/s",
            target: Target::AtLeast(50.0),
            measured: number(product, |measured| measured.parsed_mb_per_s),
        },
        Line {
            what: "webhook deliveries per s, receiver on the same machine",
            target: Target::AtLeast(1_000.0),
            measured: number(webhooks, |measured| measured.per_s),
        },
        Line {
            what: "the same / bare posts per s of the same client",
            target: Target::AtLeast(0.5),
            measured: number(webhooks, |measured| measured.over_bare),
        },
        Line {
            what: "event to arrival, p99 in s, beside a webhook with 10,000 events for a server that never answers",
            target: Target::AtMost(1.0),
            measured: number(webhooks, |measured| measured.p99_s),
        },
    ]
}

/// A number of what was measured, or why it was not.
fn number<M, N: Into<Number>>(
    measured: &anyhow::Result<M>,
    pick: fn(&M) -> N,
) -> anyhow::Result<Number> {
    let measured = measured.as_ref().map_err(again)?;
    Ok(pick(measured).into())
}

/// The same error, for one more line.
fn again(error: &anyhow::Error) -> anyhow::Error {
    anyhow::anyhow!("{error:#}")
}

impl Target {
    fn text(self) -> String {
        match self {
            Target::AtMost(limit) => format!("<= {limit}"),
            Target::AtLeast(limit) => format!(">= {limit}"),
        }
    }

    fn verdict(self, number: Number) -> String {
        let (Target::AtMost(limit) | Target::AtLeast(limit)) = self;
        let side = match self {
            Target::AtMost(_) if number.value > limit => "above",
            Target::AtLeast(_) if number.value < limit => "below",
            _ => "ok",
        };
        match number.quartiles {
            None => side.to_owned(),
            // The next run may say otherwise.
            Some((low, high)) if low < limit && limit < high => {
                format!("undecided (half of the rounds: {low:.2} to {high:.2})")
            }
            Some((low, high)) => format!("{side} (half of the rounds: {low:.2} to {high:.2})"),
        }
    }
}

/// A folder on the disk of the data, gone afterwards.
struct Scratch(PathBuf);

impl Scratch {
    fn new(data_dir: &Path) -> anyhow::Result<Scratch> {
        let folder = data_dir.join(format!("bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        Ok(Scratch(folder.canonicalize()?))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::warn!(folder = %self.0.display(), %error, "folder of the benchmark stays");
        }
    }
}
