//! `hub doctor`: the invariants of ledger and issuance. It also deletes what
//! imports that died left.

use base::config::Config;
use std::process::ExitCode;
use store::Db;

pub async fn doctor(config: &Config) -> anyhow::Result<ExitCode> {
    let db = Db::open(&config.database_url(), config.database.pool_size).await?;
    // What imports that died left behind.
    datasets::sweep::sweep(&db, base::when::system_clock()()).await?;
    let mut conn = db.read().await?;
    let findings = store::checks::run(&mut conn).await?;
    for finding in &findings {
        say!("{}: {}", finding.rule, finding.row);
    }
    if findings.is_empty() {
        say!("clean");
        Ok(ExitCode::SUCCESS)
    } else {
        say!("{} findings", findings.len());
        Ok(ExitCode::FAILURE)
    }
}
