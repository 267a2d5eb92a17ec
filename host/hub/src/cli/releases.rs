//! `hub adapter install|list|canary|promote|activate|rollback|history|uses`: an operator
//! changes which adapters are in use, also while hubs run.

use crate::adapter;
use crate::boot;
use crate::releases::change::{self, Actor, Change, Consent, Refused};
use crate::releases::{LISTED, install, short, source};
use base::config::Config;
use base::when;
use clap::Subcommand;
use flow::Loaded;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use store::tables::adapter_uses;
use store::tables::releases::{self, ReleaseRow, ReleaseStatus};
use store::{Db, TxError};

/// Rows that `history` shows.
const SHOWN: i64 = 100;
const DAY_MS: i64 = 86_400_000;
/// Rows that `uses` reads.
const SHOWN_USES: i64 = 1_000;

#[derive(Subcommand)]
pub enum Command {
    /// Judges a component and keeps it for all hubs of the database; nothing uses it
    /// before `activate` or `canary`. Its signature is PLACE.minisig, or a layer of the
    /// artifact.
    #[command(after_help = "Example: hub adapter install https://example.com/dps.wasm --activate")]
    Install {
        /// The component: a file, an address that begins with https://, or an artifact
        /// of an OCI registry (oci://HOST/REPOSITORY:TAG, or @sha256:DIGEST).
        place: String,
        /// Folder with `cases/` of the adapter: they are played before it is kept.
        #[arg(long)]
        cases: Option<PathBuf>,
        /// Activates it at once.
        #[arg(long)]
        activate: bool,
        /// With `--activate`: it may ask for more than the release in use.
        #[arg(long, requires = "activate")]
        allow_more: bool,
    },
    /// Prints the releases: adapter, state, version, digest, moment of the last change.
    #[command(after_help = "Example: hub adapter list --json")]
    List {
        /// For programs.
        #[arg(long)]
        json: bool,
    },
    /// Lets a part of the emitters use a release: always the same ones.
    #[command(after_help = "Example: hub adapter canary dps 0a1b2c3d4e5f 10")]
    Canary {
        name: String,
        /// Of the release: its first characters.
        digest: String,
        /// How many in a hundred emitters.
        #[arg(value_parser = clap::value_parser!(u8).range(1..=99))]
        percent: u8,
        /// It may ask for more than the release in use.
        #[arg(long)]
        allow_more: bool,
    },
    /// Makes the canary the active release.
    #[command(after_help = "Example: hub adapter promote dps 0a1b2c3d4e5f")]
    Promote {
        name: String,
        /// Of the canary: its first characters. If another release is the canary, nothing
        /// changes.
        digest: Option<String>,
        /// It may ask for more than the release in use.
        #[arg(long)]
        allow_more: bool,
    },
    /// Makes a release the active one: new flows use it within a second and the
    /// time a hub needs to compile it.
    #[command(after_help = "Example: hub adapter activate dps 0a1b2c3d4e5f")]
    Activate {
        name: String,
        /// Of the release: its first characters.
        digest: String,
        /// It may ask for more than the release in use.
        #[arg(long)]
        allow_more: bool,
    },
    /// Gives the canary up; without one, the active release: the one before is active
    /// again, or the component of the adapters folder.
    #[command(after_help = "Example: hub adapter rollback dps 0a1b2c3d4e5f")]
    Rollback {
        name: String,
        /// Of what is given up: its first characters. If it is another release, nothing
        /// changes.
        digest: Option<String>,
        /// Also where neither a release before nor a component of the folder is left:
        /// nothing is in use then.
        #[arg(long)]
        nothing: bool,
    },
    /// Prints what was done to releases, newest first.
    #[command(after_help = "Example: hub adapter history --json")]
    History {
        /// For programs.
        #[arg(long)]
        json: bool,
    },
    /// Prints what adapters had signed with customers' keys, and what they were
    /// refused, newest first.
    #[command(after_help = "Example: hub adapter uses --days 7 --refused")]
    Uses {
        /// Of the last days.
        #[arg(long, default_value_t = 1)]
        days: u32,
        /// Only what was refused.
        #[arg(long)]
        refused: bool,
        /// For programs.
        #[arg(long)]
        json: bool,
    },
}

/// # Errors
/// A sentence that says what was refused and why; nothing changed then.
pub async fn run(command: Command, config: &Config) -> anyhow::Result<ExitCode> {
    boot::data_folder(config)?;
    let db = Db::open(&config.database_url(), config.database.pool_size).await?;
    let actor = Actor {
        name: std::env::var("USER").unwrap_or_else(|_| "operator".to_owned()),
        now_ms: when::system_clock()(),
    };
    let installs = matches!(command, Command::Install { .. });
    let (name, change, said) = match command {
        Command::Install {
            place,
            cases,
            activate,
            allow_more,
        } => match installed(config, &db, &place, cases, activate, &actor).await? {
            Some((name, change)) => (name, change, more(allow_more)),
            None => return Ok(ExitCode::SUCCESS),
        },
        Command::List { json } => return list(&db, json).await,
        Command::History { json } => return history(&db, json).await,
        Command::Uses {
            days,
            refused,
            json,
        } => {
            let since_ms = actor.now_ms - i64::from(days) * DAY_MS;
            return uses(&db, since_ms, refused, json).await;
        }
        Command::Canary {
            name,
            digest,
            percent,
            allow_more,
        } => (name, Change::Canary(digest, percent), more(allow_more)),
        Command::Promote {
            name,
            digest,
            allow_more,
        } => {
            let meant = Consent {
                meant: digest,
                ..more(allow_more)
            };
            (name, Change::Promote, meant)
        }
        Command::Activate {
            name,
            digest,
            allow_more,
        } => (name, Change::Activate(digest), more(allow_more)),
        Command::Rollback {
            name,
            digest,
            nothing,
        } => {
            let meant = Consent {
                meant: digest,
                nothing,
                ..Consent::default()
            };
            (name, Change::Rollback, meant)
        }
    };
    let of_folder = in_folder(config, &name)?;
    let consent = Consent {
        replaced: of_folder.is_some(),
        in_folder: of_folder.and_then(|loaded| loaded.permissions.as_deref().cloned()),
        ..said
    };
    let made = change::make(&db, &name, change, &consent, &actor).await;
    told(config, &name, made, installs)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints what a change made. `installs`: it belongs to an installation.
fn told(
    config: &Config,
    name: &str,
    made: Result<Vec<ReleaseRow>, TxError<Refused>>,
    installs: bool,
) -> anyhow::Result<()> {
    if let Err(TxError::Abort(refused @ Refused::NothingLeft(_))) = &made {
        // Hubs may have another folder than this machine.
        let folder = config.adapters_folder();
        anyhow::bail!("{refused} (looked in {} of this machine)", folder.display());
    }
    let made = if installs {
        change::or_active(made)?
    } else {
        Some(made?)
    };
    match made {
        Some(made) => print(&made),
        None => say!("{name}: active already"),
    }
    Ok(())
}

/// Whether a release may ask for more than the one in use.
fn more(allow_more: bool) -> Consent {
    Consent {
        allow_more,
        ..Consent::default()
    }
}

/// Installs a component and says what it may do; the change that activates it, where
/// that is wanted.
async fn installed(
    config: &Config,
    db: &Db,
    place: &str,
    cases: Option<PathBuf>,
    activate: bool,
    actor: &Actor,
) -> anyhow::Result<Option<(String, Change)>> {
    let registry = boot::load_registry(config)?;
    let offered = source::of(place, config).await?;
    let installed = install::install(config, db, registry, offered, cases, actor).await?;
    let (name, version) = (installed.name, installed.version);
    let kept = if installed.new {
        "installed"
    } else {
        "was installed before"
    };
    let (digest, played) = (installed.digest, installed.cases);
    say!("{name} {version} {digest}: {kept}; {played} cases played");
    say!("it may:");
    for line in &installed.may {
        say!("  {line}");
    }
    if activate {
        return Ok(Some((name, Change::Activate(digest))));
    }
    say!("next: hub adapter activate {name} {}", short(&digest));
    Ok(None)
}

async fn list(db: &Db, json: bool) -> anyhow::Result<ExitCode> {
    let mut conn = db.read().await?;
    let rows = releases::listed(&mut conn, LISTED).await?;
    if json {
        let rows = rows.iter().map(|row| {
            json!({
                "name": row.name,
                "status": row.status.as_str(),
                "percent": row.percent,
                "version": row.version,
                "digest": row.digest,
                "changed_at": when::rfc3339(row.changed_at_ms),
            })
        });
        return super::listed(&super::as_json(&rows.collect::<Vec<_>>())?);
    }
    print(&rows);
    Ok(ExitCode::SUCCESS)
}

async fn history(db: &Db, json: bool) -> anyhow::Result<ExitCode> {
    let mut conn = db.read().await?;
    let actions = releases::actions(&mut conn, SHOWN).await?;
    if json {
        let rows = actions.iter().map(|action| {
            json!({
                "at": when::rfc3339(action.at_ms),
                "action": action.action,
                "name": action.name,
                "digest": action.digest,
                "actor": action.actor,
                "detail": action.detail,
            })
        });
        return super::listed(&super::as_json(&rows.collect::<Vec<_>>())?);
    }
    for action in actions {
        let at = when::format(when::utc(action.at_ms));
        let (word, name, actor) = (action.action, action.name, action.actor);
        say!(
            "{at}\t{word}\t{name}\t{}\t{actor}\t{}",
            short(&action.digest),
            action.detail
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// A release by the beginning of its digest, and its bytes.
///
/// # Errors
/// There is none, or several; the database fails.
pub async fn component(
    config: &Config,
    name: &str,
    digest: &str,
) -> anyhow::Result<(ReleaseRow, Vec<u8>)> {
    let db = Db::open(&config.database_url(), config.database.pool_size).await?;
    let mut conn = db.read().await?;
    let own = releases::of(&mut conn, name).await?;
    let release = change::named(name, digest, &own)?.clone();
    let bytes = releases::component(&mut conn, &release.digest).await?;
    let bytes =
        bytes.ok_or_else(|| anyhow::anyhow!("the database has no component {}", release.digest))?;
    Ok((release, bytes))
}

/// The component of the adapters folder; None: there is none, or the hub does not use it.
fn in_folder(config: &Config, name: &str) -> anyhow::Result<Option<Arc<Loaded>>> {
    let file = config.adapters_folder().join(format!("{name}.wasm"));
    if !file.is_file() {
        return Ok(None);
    }
    let runtime = flow::Runtime::new(config.flow.limits())
        .map_err(|error| anyhow::anyhow!("sandbox: {error:#}"))?;
    let loaded = adapter::load(&runtime, &file).inspect_err(
        |error| tracing::warn!(%error, "the adapters folder has a component no hub uses"),
    );
    Ok(loaded.ok())
}

async fn uses(db: &Db, since_ms: i64, refused: bool, json: bool) -> anyhow::Result<ExitCode> {
    let mut conn = db.read().await?;
    let mut rows = adapter_uses::newest(&mut conn, since_ms, SHOWN_USES).await?;
    rows.retain(|row| !refused || !row.refused.is_empty());
    if json {
        let rows = rows.iter().map(|row| {
            json!({
                "at": when::rfc3339(row.at_ms),
                "adapter": row.component,
                "digest": row.digest,
                "account": row.account_id,
                "flow": row.flow_id,
                "kind": row.kind.as_str(),
                "what": row.what,
                "sha256": row.sha256,
                "refused": row.refused.as_str(),
            })
        });
        return super::listed(&super::as_json(&rows.collect::<Vec<_>>())?);
    }
    for row in rows {
        let at = when::format(when::utc(row.at_ms));
        let end = if row.refused.is_empty() {
            "signed"
        } else {
            row.refused.as_str()
        };
        let (kind, name, what) = (row.kind.as_str(), &row.component, &row.what);
        let (account, flow, digest) = (&row.account_id, &row.flow_id, short(&row.digest));
        say!(
            "{at}\t{name}\t{digest}\t{account}\t{flow}\t{kind}\t{what}\t{}\t{end}",
            row.sha256
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn print(releases: &[ReleaseRow]) {
    for release in releases {
        let status = match release.status {
            ReleaseStatus::Canary => format!("canary {} %", release.percent),
            status => status.as_str().to_owned(),
        };
        let at = when::format(when::utc(release.changed_at_ms));
        let (name, version) = (&release.name, &release.version);
        say!(
            "{name}\t{status}\t{version}\t{}\t{at}",
            short(&release.digest)
        );
    }
}
