//! `hub load fill`: a large store. Accounts, companies and keys are made as customers make
//! them; notes are copies of a few that were really issued.

use super::companies;
use super::models::{self, Wanted};
use crate::adapter::{build, source};
use crate::{boot, demo};
use anyhow::Context as _;
use base::config::{AuthoritiesMode, Config};
use base::files;
use base::when;
use clap::Args;
use events::webhooks::registration::{self, Wish};
use load::fill::{self, ACCOUNT, FIRST, Filled, Plan, Progress, Purged};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::ErrorKind;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use store::ids::AccountId;
use store::tables::sizes;
use store::{Engine, copy};
use vault::apikey::KeyKind;

/// File of the data folder that holds the keys of generated accounts.
const KEYS: &str = "load.json";
/// Credits of one note, at most, and what is left to spend.
const PRICE: i64 = 10;
const LEFT: i64 = 10_000_000;
/// Calls a minute of a generated account: it is what load is put on.
const PER_MINUTE: i64 = 1_000_000;
/// Copies of one transaction.
const BATCH: u64 = 2_000;

#[derive(Args)]
pub struct Fill {
    /// The database, if it is not that of the settings.
    #[arg(long, value_name = "URL")]
    database: Option<String>,
    /// How many notes it has in the end.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    notes: u64,
    /// Stops there: the same command with a higher number, or without, goes on.
    #[arg(long, value_name = "N")]
    until: Option<u64>,
    /// Accounts that they are of.
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    accounts: u64,
    /// The part of the first account, from 0 to 1.
    #[arg(long, value_name = "PART", default_value_t = 0.5)]
    largest: f64,
    /// Customers of each account, to whom its notes are. With as many notes for a customer and
    /// for a day, two stores of different sizes give answers of the same size.
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    persons: u64,
    /// Another number gives other notes.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Day of the first note; a year before the last one if it is not given.
    #[arg(long, value_name = "DATE")]
    from: Option<String>,
    /// Day of the last note; yesterday if it is not given. The store is that of a hub on the day
    /// after: what such a hub had removed (events, deliveries, idempotency keys) is not written.
    /// Whoever goes on with a store that was interrupted gives the same days again.
    #[arg(long, value_name = "DATE")]
    to: Option<String>,
    /// Service notes that are issued to be copied.
    #[arg(long, value_name = "N", default_value_t = 200)]
    model_nfse: u64,
    /// Product notes that are issued to be copied.
    #[arg(long, value_name = "N", default_value_t = 50)]
    model_nfe: u64,
    /// Items of each product note; if it is not given, 1 to 10 in turn.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=990))]
    items: Option<u64>,
    /// Writes all notes as they are issued. Otherwise those that did not change for
    /// `packing.after_hours` are written packed, as a hub would have packed them since.
    #[arg(long)]
    unpacked: bool,
}

/// An account that was made, as [`KEYS`] has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Made {
    id: AccountId,
    test_key: String,
    live_key: String,
}

/// Fills the database of the settings, which no hub may use meanwhile.
///
/// # Errors
/// The hub of the models does not work, or the database fails.
pub async fn fill(mut config: Config, wish: Fill) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(
        (0.0..=1.0).contains(&wish.largest),
        "--largest: from 0 to 1"
    );
    if let Some(url) = &wish.database {
        config.database.url.clone_from(url);
    }
    config.authorities.mode = AuthoritiesMode::Simulator;
    config.adapters.folder = adapters(&config)?;
    boot::data_folder(&config)?;
    let plan = plan(&config, &wish)?;
    let made = accounts(&config, &wish).await.context("accounts")?;
    say!(
        "{} accounts; their keys are in {}",
        made,
        keys(&config).display()
    );
    let _alone = alone(&config)?;
    let scratch = Scratch::new(&config.storage.data_dir)?;
    let wanted = Wanted {
        nfse: wish.model_nfse,
        nfe: wish.model_nfe,
        items: wish.items,
    };
    models::issue(&config, &scratch.0, wanted)
        .await
        .context("notes to be copied")?;
    say!("{} notes issued to be copied", wanted.nfse + wanted.nfe);
    let models = copy::sqlite_url(&scratch.0.join("hub.db"));
    let mut models = copy::connect(&models).await?;
    let mut target = copy::connect(&config.database_url()).await?;
    let begun = Instant::now();
    let (mut first, mut told) = (None, 0);
    let mut go_on = |progress: Progress| {
        let first = *first.get_or_insert(progress.done);
        let part = progress.done * 100 / progress.of.max(1);
        if part > told {
            told = part;
            let per_s = (progress.done - first) as f64 / begun.elapsed().as_secs_f64().max(1e-3);
            say!(
                "{} of {} notes ({part} %), {per_s:.0}/s",
                progress.done,
                progress.of
            );
        }
        wish.until.is_none_or(|until| progress.done < until)
    };
    let done = fill::fill(&mut models, &mut target, &plan, &mut go_on).await?;
    let bytes = sizes::whole(&mut target).await?;
    for line in sizes_of(&done, bytes) {
        say!("{line}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Keeps hubs away from a SQLite file, as one keeps others; nobody can from PostgreSQL.
fn alone(config: &Config) -> anyhow::Result<Option<File>> {
    if store::engine(&config.database_url())? != Engine::Sqlite {
        return Ok(None);
    }
    let lock = files::lock(&config.storage.data_dir.join(files::HUB));
    Ok(Some(lock.context("a hub is running: stop it first")?))
}

fn plan(config: &Config, wish: &Fill) -> anyhow::Result<Plan> {
    const DAY_MS: i64 = 24 * 3_600_000;
    let day = |name: &str, text: &str| {
        let date =
            when::parse_date(text).with_context(|| format!("{name} {text}: as 2026-01-31"))?;
        anyhow::Ok(when::brasilia(date))
    };
    let now_ms = when::system_clock()();
    let today = when::brasilia(when::today(now_ms, "SP"));
    let packed_after_ms = config.packing.after_ms().filter(|_| !wish.unpacked);
    let to_ms = match &wish.to {
        Some(text) => day("--to", text)? + DAY_MS,
        None => today,
    };
    let from_ms = match &wish.from {
        Some(text) => day("--from", text)?,
        None => to_ms - 365 * DAY_MS,
    };
    anyhow::ensure!(from_ms < to_ms, "--from comes before --to");
    Ok(Plan {
        notes: wish.notes,
        largest: wish.largest,
        persons: wish.persons,
        seed: wish.seed,
        from_ms,
        to_ms,
        batch: BATCH,
        threads: std::thread::available_parallelism().map_or(1, NonZero::get),
        packed_until_ms: packed_after_ms.map(|age_ms| now_ms - age_ms),
        purged: Purged {
            keys_ms: to_ms - config.issuing.idempotency_kept_ms(),
            events_ms: to_ms - config.webhooks.keep_days * DAY_MS,
            uses_ms: to_ms - i64::from(config.adapters.audit_days) * DAY_MS,
        },
    })
}

/// What notes of this run hold, by kind; and what the whole database takes, all tables and
/// indexes included, for each note that is in it.
fn sizes_of(filled: &Filled, bytes: i64) -> Vec<String> {
    let each = filled.written.iter().map(|(name, kind)| {
        let values = kind.bytes as f64 / kind.notes.max(1) as f64;
        format!(
            "{name}: {} notes, {values:.0} bytes of values a note",
            kind.notes
        )
    });
    let mut lines: Vec<String> = each.collect();
    lines.push(format!(
        "{} notes are in the store, which has {} MB: {:.0} bytes a note",
        filled.done,
        bytes / 1_000_000,
        bytes as f64 / filled.done.max(1) as f64
    ));
    lines
}

fn keys(config: &Config) -> PathBuf {
    config.storage.data_dir.join(KEYS)
}

/// Every adapter there is: those of the checkout, or the installed ones.
fn adapters(config: &Config) -> anyhow::Result<PathBuf> {
    let Some(workspace) = build::workspace() else {
        return Ok(config.adapters_folder());
    };
    let out = workspace.join("target/adapters/components");
    source::all(&workspace, &out, |_| {})?;
    Ok(out)
}

/// Opens the accounts that are not there yet, each with its companies; how many there are.
async fn accounts(config: &Config, wish: &Fill) -> anyhow::Result<u64> {
    let file = keys(config);
    let mut made: Vec<Made> = match std::fs::read(&file) {
        Ok(text) => serde_json::from_slice(&text).with_context(|| file.display().to_string())?,
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error).with_context(|| file.display().to_string()),
    };
    let mut config = config.clone();
    config.accounts.gift_credits = LEFT + i64::try_from(wish.notes)? * PRICE;
    // Nothing is sent to its receiver, which is switched off.
    config.webhooks.allow_http = true;
    config.webhooks.allow_nets = vec!["127.0.0.1".to_owned()];
    let (app, _) = boot::open(config, when::system_clock()).await?;
    for number in made.len() as u64..wish.accounts {
        let account =
            demo::open_account(&app, &format!("{ACCOUNT}{:04}", number + 1), PER_MINUTE).await?;
        companies::register(&app, &account.id, number + 1, FIRST).await?;
        let wish = Wish {
            url: Some("http://127.0.0.1:9/avisos".to_owned()),
            description: Some("hub load".to_owned()),
            active: Some(false),
            ..Wish::default()
        };
        let webhook = registration::create(&app.events, &account.id, KeyKind::Live, wish).await;
        webhook.map_err(|failure| anyhow::anyhow!("webhook: {failure:?}"))?;
        made.push(Made {
            id: account.id,
            test_key: account.test_key,
            live_key: account.live_key,
        });
        files::replace(&file, serde_json::to_string_pretty(&made)?.as_bytes())?;
    }
    Ok(made.len() as u64)
}

/// A folder of the data folder, gone afterwards.
struct Scratch(PathBuf);

impl Scratch {
    fn new(data_dir: &Path) -> anyhow::Result<Scratch> {
        let folder = data_dir.join(format!("load-{}", std::process::id()));
        files::folder(&folder)?;
        Ok(Scratch(folder.canonicalize()?))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::warn!(folder = %self.0.display(), %error, "the folder of the models stays");
        }
    }
}
