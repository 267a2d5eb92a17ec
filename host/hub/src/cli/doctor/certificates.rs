//! Certificates that end: of companies, of the roots the hub trusts, of the files the
//! settings name, and of the server that stands before the hub.

use super::finding::Finding;
use base::config::Config;
use base::when;
use openssl::ssl::{SslConnector, SslMethod, SslVerifyMode};
use openssl::x509::X509;
use reqwest::Url;
use std::net::{TcpStream, ToSocketAddrs as _};
use std::path::Path;
use std::time::Duration;
use store::Db;
use store::tables::certificates;
use vault::certificate::Certificate;
use vault::roots::Roots;

const CHECK: &str = "certificates";
const DAY_MS: i64 = 86_400_000;
/// Days before an end in which somebody is told of it.
const SOON_DAYS: i64 = 30;
/// Certificates of companies that are named.
const NAMED: i64 = 20;
/// Time the server before the hub has for each part of its answer.
const SERVER: Duration = Duration::from_secs(5);

pub async fn check(config: &Config, db: Option<&Db>) -> Vec<Finding> {
    let now_ms = when::system_clock()();
    let mut found = Vec::new();
    if let Some(db) = db {
        match of_companies(db, now_ms).await {
            Ok(companies) => found.push(companies),
            Err(error) => found.push(Finding::warning(
                CHECK,
                format!("the database does not tell those of companies: {error}"),
                "look at the database's own log",
            )),
        }
    }
    let settings = config.clone();
    let rest = tokio::task::spawn_blocking(move || {
        let mut found = vec![of_roots(&settings, now_ms)];
        found.extend(of_files(&settings, now_ms));
        found.extend(of_server(&settings.server.base_url, now_ms));
        found
    });
    found.extend(rest.await.unwrap_or_else(|error| {
        vec![Finding::error(
            CHECK,
            format!("looking at them broke off: {error}"),
            "report it with the version of the hub",
        )]
    }));
    found
}

/// Certificates that companies of the accounts sign with.
async fn of_companies(db: &Db, now_ms: i64) -> store::DbResult<Finding> {
    let mut conn = db.read().await?;
    let soon_ms = now_ms + SOON_DAYS * DAY_MS;
    let used = certificates::used_until(&mut conn, soon_ms, NAMED).await?;
    if used.is_empty() {
        return Ok(Finding::ok(
            CHECK,
            format!("of companies: none ends within {SOON_DAYS} days"),
        ));
    }
    let named = used.iter().map(|one| {
        let end = day(one.valido_ate_ms);
        format!("{} of {} {end}", one.emitter_id, one.account_id)
    });
    let seen = format!(
        "of companies, ended or ending within {SOON_DAYS} days (at most {NAMED} are named): {}",
        named.collect::<Vec<_>>().join(", ")
    );
    Ok(Finding::warning(
        CHECK,
        seen,
        "tell these customers: without a certificate their notes are refused (the hub writes to them, too, if it has mail)",
    ))
}

/// Roots that the hub brings, and those that were imported.
fn of_roots(config: &Config, now_ms: i64) -> Finding {
    let roots = Roots::open(&config.storage.data_dir);
    let anchors = roots.all().filter(|known| known.root);
    let ends = anchors.map(|known| {
        let name = format!("{} ({})", known.facts.holder, known.purpose.as_str());
        (name, known.facts.valid_until_ms)
    });
    let advice = "install a newer hub, or import the root that follows it: hub roots import FILE --to server or signature";
    judged("roots", ends, now_ms, advice)
}

/// Certificate authorities in files of the settings.
fn of_files(config: &Config, now_ms: i64) -> Vec<Finding> {
    let files: [(&str, &Path); 4] = [
        ("webhooks.ca", &config.webhooks.ca),
        ("mail.ca", &config.mail.ca),
        ("adapters.ca", &config.adapters.ca),
        ("authorities.simulator_ca", &config.authorities.simulator_ca),
    ];
    let set = files
        .into_iter()
        .filter(|(_, file)| !file.as_os_str().is_empty());
    set.map(|(setting, file)| {
        let place = format!("{setting} {}", file.display());
        match read(file) {
            Ok(ends) => judged(&place, ends.into_iter(), now_ms, "put the certificate that follows it into the file"),
            Err(error) => Finding::error(
                CHECK,
                format!("{place}: {error:#}"),
                "the file holds certificates in PEM (-----BEGIN CERTIFICATE-----); correct it or the setting",
            ),
        }
    })
    .collect()
}

/// Name and end of each certificate of a file.
fn read(file: &Path) -> anyhow::Result<Vec<(String, i64)>> {
    let certificates = X509::stack_from_pem(&std::fs::read(file)?)?;
    anyhow::ensure!(!certificates.is_empty(), "no certificate is in it");
    let facts = certificates.iter().map(facts);
    facts.collect()
}

fn facts(certificate: &X509) -> anyhow::Result<(String, i64)> {
    let facts = Certificate::from_der(&certificate.to_der()?)?;
    Ok((facts.holder, facts.valid_until_ms))
}

/// The certificate that callers are shown at `server.base_url`, where that is TLS: of a
/// proxy before the hub.
fn of_server(base_url: &str, now_ms: i64) -> Option<Finding> {
    let url = Url::parse(base_url).ok()?;
    if url.scheme() != "https" {
        return None;
    }
    let host = url.host_str()?;
    let place = format!("of {host}");
    Some(match shown_by(host, url.port().unwrap_or(443)) {
        Ok(facts) => {
            let ends = std::iter::once(facts);
            let advice =
                "renew the certificate of the proxy before the hub: callers refuse one that ended";
            judged(&place, ends, now_ms, advice)
        }
        Err(error) => Finding::warning(
            CHECK,
            format!("{place}: not seen from this machine: {error:#}"),
            "check server.base_url, and that the proxy before the hub runs; links and callbacks lead there",
        ),
    })
}

/// Name and end of the certificate that a server shows. Nothing is sent to it, so it need
/// not be one to trust.
fn shown_by(host: &str, port: u16) -> anyhow::Result<(String, i64)> {
    let address = (host, port).to_socket_addrs()?.next();
    let address = address.ok_or_else(|| anyhow::anyhow!("the name has no address"))?;
    let stream = TcpStream::connect_timeout(&address, SERVER)?;
    stream.set_read_timeout(Some(SERVER))?;
    stream.set_write_timeout(Some(SERVER))?;
    let mut connector = SslConnector::builder(SslMethod::tls_client())?;
    connector.set_verify(SslVerifyMode::NONE);
    let connected = connector.build().connect(host, stream);
    let stream = connected.map_err(|error| anyhow::anyhow!("TLS: {error}"))?;
    let certificate = stream.ssl().peer_certificate();
    let certificate = certificate.ok_or_else(|| anyhow::anyhow!("it shows no certificate"))?;
    facts(&certificate)
}

/// What is to be said of certificates by their ends.
pub fn judged(
    place: &str,
    ends: impl Iterator<Item = (String, i64)>,
    now_ms: i64,
    advice: &str,
) -> Finding {
    let soon_ms = now_ms + SOON_DAYS * DAY_MS;
    let (mut all, mut ended, mut soon) = (0, Vec::new(), Vec::new());
    for (name, until_ms) in ends {
        all += 1;
        let said = format!("{name} {}", day(until_ms));
        if until_ms < now_ms {
            ended.push(said);
        } else if until_ms < soon_ms {
            soon.push(said);
        }
    }
    if !ended.is_empty() {
        let names = ended.join(", ");
        return Finding::error(CHECK, format!("{place}: ended: {names}"), advice);
    }
    if !soon.is_empty() {
        let names = soon.join(", ");
        let seen = format!("{place}: ending within {SOON_DAYS} days: {names}");
        return Finding::warning(CHECK, seen, advice);
    }
    Finding::ok(
        CHECK,
        format!("{place}: {all}, none ends within {SOON_DAYS} days"),
    )
}

/// The day of a moment, in UTC.
fn day(ms: i64) -> String {
    when::rfc3339(ms).chars().take(10).collect()
}
