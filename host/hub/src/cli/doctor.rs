//! `hub doctor`: the invariants of ledger and issuance.

use base::config::Config;
use std::process::ExitCode;
use store::Db;

pub async fn doctor(config: &Config) -> anyhow::Result<ExitCode> {
    let db = Db::open(&config.database_url(), config.database.pool_size).await?;
    let mut conn = db.read().await?;
    let findings = store::checks::run(&mut conn).await?;
    for finding in &findings {
        println!("{}: {}", finding.rule, finding.row);
    }
    if findings.is_empty() {
        println!("clean");
        Ok(ExitCode::SUCCESS)
    } else {
        println!("{} findings", findings.len());
        Ok(ExitCode::FAILURE)
    }
}
