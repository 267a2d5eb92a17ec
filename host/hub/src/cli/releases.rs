//! `hub adapter install|list|canary|promote|activate|rollback|history`: an operator
//! changes which adapters are in use, also while hubs run.

use crate::boot;
use crate::releases::change::{self, Actor, Change};
use crate::releases::install;
use base::config::Config;
use base::when;
use clap::Subcommand;
use std::path::PathBuf;
use std::process::ExitCode;
use store::Db;
use store::tables::releases::{self, ReleaseRow, ReleaseStatus};

/// Rows that `history` shows.
const SHOWN: i64 = 100;
/// Characters of a digest that are shown.
const DIGEST: usize = 12;

#[derive(Subcommand)]
pub enum Command {
    /// Judges a component and keeps it for all hubs of the database; nothing uses it
    /// before `activate` or `canary`. Its signature is FILE.minisig.
    Install {
        /// The component.
        file: PathBuf,
        /// Folder with `cases/` of the adapter: they are played before it is kept.
        #[arg(long)]
        cases: Option<PathBuf>,
        /// Activates it at once.
        #[arg(long)]
        activate: bool,
    },
    /// Prints the releases: adapter, state, version, digest, moment of the last change.
    List,
    /// Lets a part of the emitters use a release: always the same ones.
    Canary {
        name: String,
        /// Of the release: its first characters.
        digest: String,
        /// How many in a hundred emitters.
        #[arg(value_parser = clap::value_parser!(u8).range(1..=99))]
        percent: u8,
    },
    /// Makes the canary the active release.
    Promote { name: String },
    /// Makes a release the active one: new flows use it within two seconds and the
    /// time a hub needs to compile it.
    Activate {
        name: String,
        /// Of the release: its first characters.
        digest: String,
    },
    /// Gives the canary up; without one, the active release: the one before is active
    /// again, or the component of the adapters folder.
    Rollback { name: String },
    /// Prints what was done to releases, newest first.
    History,
}

/// # Errors
/// A sentence that says what was refused and why; nothing changed then.
pub async fn run(command: Command, config: &Config) -> anyhow::Result<ExitCode> {
    base::files::folder(&config.storage.data_dir)?;
    let db = Db::open(&config.database_url(), config.database.pool_size).await?;
    let actor = Actor {
        name: std::env::var("USER").unwrap_or_else(|_| "operator".to_owned()),
        now_ms: when::system_clock()(),
    };
    match command {
        Command::Install {
            file,
            cases,
            activate,
        } => {
            let registry = boot::load_registry(config)?;
            let installed =
                install::install(config, &db, &registry, &file, cases.as_deref(), &actor).await?;
            let (name, version) = (&installed.name, &installed.version);
            let kept = if installed.new {
                "installed"
            } else {
                "was installed before"
            };
            say!(
                "{name} {version} {}: {kept}; {} cases played",
                installed.digest,
                installed.cases
            );
            if activate {
                return changed(
                    &db,
                    name,
                    Change::Activate(installed.digest.clone()),
                    &actor,
                )
                .await;
            }
            say!(
                "next: hub adapter activate {name} {}",
                short(&installed.digest)
            );
            Ok(ExitCode::SUCCESS)
        }
        Command::List => {
            let mut conn = db.read().await?;
            print(&releases::all(&mut conn).await?);
            Ok(ExitCode::SUCCESS)
        }
        Command::Canary {
            name,
            digest,
            percent,
        } => changed(&db, &name, Change::Canary(digest, percent), &actor).await,
        Command::Promote { name } => changed(&db, &name, Change::Promote, &actor).await,
        Command::Activate { name, digest } => {
            changed(&db, &name, Change::Activate(digest), &actor).await
        }
        Command::Rollback { name } => changed(&db, &name, Change::Rollback, &actor).await,
        Command::History => {
            let mut conn = db.read().await?;
            for action in releases::actions(&mut conn, SHOWN).await? {
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
    }
}

async fn changed(db: &Db, name: &str, change: Change, actor: &Actor) -> anyhow::Result<ExitCode> {
    print(&change::make(db, name, change, actor).await?);
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

fn short(digest: &str) -> &str {
    digest.get(..DIGEST).unwrap_or(digest)
}
