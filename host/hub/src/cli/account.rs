//! `hub account`: an operator opens an account, also while the hub runs.

use crate::accounts::{self, Opening};
use crate::app::Hub;
use crate::boot;
use crate::config::Config;
use crate::db::Db;
use std::process::ExitCode;

pub async fn open(
    config: Config,
    name: &str,
    requests_per_minute: Option<u32>,
) -> anyhow::Result<ExitCode> {
    crate::files::folder(&config.storage.data_dir)?;
    let db = Db::open(&config.database_url(), config.database.pool_size).await?;
    let pepper = boot::pepper(&config)?;
    let opening = Opening {
        nome: name.to_owned(),
        requests_per_minute: requests_per_minute
            .map_or(config.accounts.requests_per_minute, i64::from),
        gift_credits: config.accounts.gift_credits,
        now_ms: Hub::system_clock()(),
    };
    let account = accounts::open(&db, &pepper, opening).await?;
    println!("account:  {}", account.id);
    println!("test key: {}", account.test_key);
    println!("live key: {}", account.live_key);
    Ok(ExitCode::SUCCESS)
}
