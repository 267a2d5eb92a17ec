//! `hub vault`: the keys of everything sealed at rest.

use super::record;
use crate::custody;
use anyhow::Context as _;
use base::config::Config;
use clap::Subcommand;
use serde_json::json;
use std::process::ExitCode;
use store::Db;
use vault::envelope::Keyring;

#[derive(Subcommand)]
pub enum Vault {
    /// Adds a new key and wraps every certificate, login, webhook secret and second factor with it. Servers
    /// may run meanwhile; restart them afterwards, so that they seal with it.
    #[command(after_help = "Example: hub vault rotate")]
    Rotate {
        /// Wraps what is left under older keys, without adding another.
        #[arg(long)]
        only_rewrap: bool,
    },
    /// Opens every certificate and secret; lists what cannot be read, with exit code 1.
    #[command(after_help = "Example: hub vault verify --json")]
    Verify {
        /// For programs.
        #[arg(long)]
        json: bool,
    },
}

pub async fn run(command: Vault, config: &Config) -> anyhow::Result<ExitCode> {
    let path = config.storage.data_dir.join("vault.keys");
    // A fresh keyring would open nothing and hide that the file is lost.
    anyhow::ensure!(
        path.exists(),
        "{} does not exist: is storage.data_dir right?",
        path.display()
    );
    let mut keyring = Keyring::load_or_create(&path).context("keyring")?;
    let db = Db::open(&config.database_url(), config.database.pool_size).await?;
    let report = match command {
        Vault::Rotate { only_rewrap } => {
            let action = if only_rewrap {
                "cofre.regravado"
            } else {
                keyring.rotate().context("keyring")?;
                "cofre.chave_trocada"
            };
            record::write(&db, action, keyring.active_id(), "").await?;
            let report = custody::rewrap(&db, &keyring).await?;
            say!(
                "key {}: {} certificates and secrets wrapped, {} were already",
                keyring.active_id(),
                report.rewrapped,
                report.current
            );
            report
        }
        Vault::Verify { json } => {
            let report = custody::verify(&db, &keyring).await?;
            if json {
                say!(
                    "{}",
                    serde_json::to_string_pretty(&json!({
                        "readable": report.readable(),
                        "under_older_keys": report.older,
                        "unreadable": report.unreadable,
                    }))?
                );
                return Ok(code(&report));
            }
            say!(
                "{} readable, {} of them under older keys",
                report.readable(),
                report.older
            );
            report
        }
    };
    for finding in &report.unreadable {
        say!("unreadable: {finding}");
    }
    Ok(code(&report))
}

fn code(report: &custody::Report) -> ExitCode {
    if report.unreadable.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
