//! `hub registry probe`: whether the addresses of the registry answer, now.

use authority::tls::Trust;
use base::config::Config;
use base::when;
use flow::registry::{Address, Registry, Scope};
use futures::stream::{self, StreamExt as _};
use measured::probe::Prober;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::process::ExitCode;
use store::tables::probes::{self, Finding, Verdict};
use store::{Db, TxError};
use time::Date;
use vault::roots::Roots;

/// Asks each address once, prints a line for each (or `json`, at the end), and keeps what was found. Failures
/// seen here do not count towards `probes.down_after`: this machine need not be one of
/// the hub's.
///
/// # Errors
/// There is no such address, the database cannot be used, or OpenSSL refuses a root.
pub async fn probe(
    config: &Config,
    registry: &Registry,
    today: Date,
    scope: &Scope,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let addresses = registry.addresses(today, scope);
    anyhow::ensure!(
        !addresses.is_empty(),
        "no address in production that an adapter speaks to: look for the system and the \
         municipality in hub registry export"
    );
    crate::boot::data_folder(config)?;
    let db = Db::open(&config.database_url(), config.database.pool_size).await?;
    let roots = Roots::open(&config.storage.data_dir);
    let prober = Prober::new(Trust::new(roots.server()?)?, config);
    let (plain, asked): (Vec<Address>, Vec<Address>) = addresses
        .into_iter()
        .partition(|address| config.authorities.refuses_plain(&address.url));
    let mut hosts: BTreeMap<String, Vec<Address>> = BTreeMap::new();
    for address in asked {
        let host = address.authority().unwrap_or_default().to_ascii_lowercase();
        hosts.entry(host).or_default().push(address);
    }
    if !json {
        say!("result             status     ms  address");
    }
    let (prober, db) = (&prober, &db);
    let mut found = stream::iter(hosts.into_values())
        .map(|addresses| async move {
            let mut found = Vec::new();
            // One at a time: they are of one host.
            for address in addresses {
                found.push(ask(prober, registry, db, &address).await?);
            }
            anyhow::Ok(found)
        })
        .buffer_unordered(config.probes.at_once);
    let mut all = Vec::new();
    while let Some(found) = found.next().await {
        for one in found? {
            if !json {
                say!("{}", line(&one));
            }
            all.push(one);
        }
    }
    if json {
        return super::listed(&super::as_json(&report(&all, &plain))?);
    }
    for address in &plain {
        say!(
            "{:18} {:>6} {:>6}  {} (http: the hub sends nothing there)",
            "sem_tls",
            "-",
            "-",
            address.url
        );
    }
    let answering = answering(&all);
    say!(
        "addresses: {}, answering: {answering}",
        all.len() + plain.len()
    );
    Ok(ExitCode::SUCCESS)
}

fn answering(found: &[Finding]) -> usize {
    let answers = |one: &&Finding| one.verdict == Verdict::Answers;
    found.iter().filter(answers).count()
}

/// What was found, for programs; `plain` are addresses of http that nobody was asked at.
fn report(found: &[Finding], plain: &[Address]) -> Value {
    let asked = found.iter().map(|one| {
        json!({
            "address": one.address,
            "result": one.result.as_str(),
            "status": one.http_status,
            "ms": one.latency_ms,
            "detail": one.detail,
            "answers": one.verdict == Verdict::Answers,
        })
    });
    let plain = plain
        .iter()
        .map(|address| json!({ "address": address.url, "result": "sem_tls", "answers": false }));
    json!({
        "answering": answering(found),
        "addresses": asked.chain(plain).collect::<Vec<_>>(),
    })
}

fn line(one: &Finding) -> String {
    let status = match one.http_status {
        0 => "-".to_owned(),
        status => status.to_string(),
    };
    let why = match one.detail.as_str() {
        "" => String::new(),
        detail => format!(" ({detail})"),
    };
    format!(
        "{:18} {status:>6} {:>6}  {}{why}",
        one.result, one.latency_ms, one.address
    )
}

async fn ask(
    prober: &Prober,
    registry: &Registry,
    db: &Db,
    address: &Address,
) -> anyhow::Result<Finding> {
    let now_ms = when::system_clock()();
    let finding = prober.ask(registry, address, now_ms).await;
    let written = db.write(finding.clone(), |finding, conn| {
        Box::pin(async move { Ok::<_, TxError<Infallible>>(probes::keep(conn, finding).await?) })
    });
    written.await?;
    Ok(finding)
}
