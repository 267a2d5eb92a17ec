//! `hub account` and `hub password`: an operator opens an account, or helps a
//! person into theirs, also while the hub runs.

use super::record::by_command;
use crate::boot;
use ::accounts::opening::{self, Opening};
use ::accounts::operator::{self, Change, Done};
use ::accounts::users::recovery;
use anyhow::Context as _;
use base::config::Config;
use std::convert::Infallible;
use std::process::ExitCode;
use store::ids::AccountId;
use store::tables::accounts::Released;
use store::{Db, TxError};
use vault::envelope::Keyring;

pub async fn open(
    config: Config,
    name: &str,
    requests_per_minute: Option<u32>,
) -> anyhow::Result<ExitCode> {
    boot::data_folder(&config)?;
    let db = Db::open(&config.database_url(), config.database.pool_size).await?;
    // A fresh folder can be backed up before a hub starts on it. Where only the keyring is
    // missing, another one would hide that it is lost.
    let data_dir = &config.storage.data_dir;
    let fresh = !data_dir.join("api-keys.pepper").exists();
    let pepper = boot::pepper(&config)?;
    if fresh {
        Keyring::load_or_create(&data_dir.join("vault.keys")).context("keyring")?;
    }
    let opening = Opening {
        name: name.to_owned(),
        requests_per_minute: requests_per_minute
            .map_or(config.accounts.requests_per_minute, i64::from),
        gift_credits: config.accounts.gift_credits,
        now_ms: base::when::system_clock()(),
    };
    let (account, prepared) = opening::prepare(&pepper, &opening)?;
    let input = (prepared, account.id.clone(), opening.name, by_command());
    let written = db.write(input, |(prepared, id, name, operator), conn| {
        Box::pin(async move {
            opening::insert(conn, prepared).await?;
            let done = Done {
                account: Some(id),
                action: "conta.aberta",
                target: id,
                detail: name,
            };
            Ok::<_, TxError<Infallible>>(operator::record(conn, &done, operator).await?)
        })
    });
    written.await?;
    say!("account:  {}", account.id);
    say!("test key: {}", account.test_key);
    say!("live key: {}", account.live_key);
    Ok(ExitCode::SUCCESS)
}

/// A document of `hub release`.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum Document {
    /// Sent to homologation while `cte.transmissao` is `teste`.
    Cte,
    Mdfe,
}

/// Releases an account for a document, or takes the release back.
pub async fn release(
    config: Config,
    account: AccountId,
    document: Document,
    released: bool,
    reason: Option<String>,
) -> anyhow::Result<ExitCode> {
    let db = Db::open(&config.database_url(), config.database.pool_size).await?;
    let document = match document {
        Document::Cte => Released::Cte,
        Document::Mdfe => Released::Mdfe,
    };
    let change = Change::Release {
        document,
        released,
        reason,
    };
    super::accounts::changed(&db, &account, change).await?;
    Ok(ExitCode::SUCCESS)
}

pub async fn password(config: Config, email: &str) -> anyhow::Result<ExitCode> {
    let db = Db::open(&config.database_url(), config.database.pool_size).await?;
    let pepper = boot::pepper(&config)?;
    let (base_url, now_ms) = (&config.server.base_url, base::when::system_clock()());
    let link = recovery::by_hand(&db, &pepper, base_url, email, now_ms).await?;
    let link = link.ok_or_else(|| anyhow::anyhow!("nobody is registered with {email}"))?;
    say!("{link}");
    Ok(ExitCode::SUCCESS)
}
