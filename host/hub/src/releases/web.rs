//! HTTP towards servers that keep components: with TLS, and only to addresses of the
//! public internet and of networks the operator opened (`adapters.allow_nets`), also
//! behind redirections. Otherwise whoever may install could make the hub send requests
//! to internal addresses.

use anyhow::Context as _;
use base::config::Config;
use base::net::Outside;
use events::attempt::guard::literal;
use futures::StreamExt as _;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Certificate, Client, Response, Url, redirect};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// How long a request may take, with its answer.
const PATIENCE: Duration = Duration::from_secs(120);
/// Redirections that are followed: registries keep their files elsewhere.
const REDIRECTIONS: usize = 5;

/// Why an address is not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("a component is fetched by https")]
    Plain,
    #[error("an address has no user and no password")]
    Credentials,
    #[error("the address is of an internal network, which adapters.allow_nets does not open")]
    Inside,
    #[error("there are more than {REDIRECTIONS} redirections")]
    Redirections,
}

/// A client that goes where [`permitted`] says.
///
/// # Errors
/// It cannot be made, or `adapters.ca` is no file of certificates.
pub(super) fn client(config: &Config) -> anyhow::Result<Client> {
    let outside = config.adapters.outside();
    let resolver = Resolver(Arc::new(outside.clone()));
    let policy = redirect::Policy::custom(move |attempt| {
        if attempt.previous().len() > REDIRECTIONS {
            return attempt.error(Refused::Redirections);
        }
        let before = attempt.previous().last().map(Url::scheme);
        let downgrade = before == Some("https") && attempt.url().scheme() != "https";
        match permitted(attempt.url(), &outside) {
            Ok(()) if downgrade => attempt.error(Refused::Plain),
            Ok(()) => attempt.follow(),
            Err(refused) => attempt.error(refused),
        }
    });
    // A proxy would resolve names by itself.
    let mut client = Client::builder()
        .no_proxy()
        .timeout(PATIENCE)
        .redirect(policy)
        .referer(false)
        .user_agent(concat!("hub-adapters/", env!("CARGO_PKG_VERSION")))
        .dns_resolver(Arc::new(resolver));
    let file = &config.adapters.ca;
    if !file.as_os_str().is_empty() {
        let at = || format!("adapters.ca {}", file.display());
        let pem = std::fs::read(file).with_context(at)?;
        for certificate in Certificate::from_pem_bundle(&pem).with_context(at)? {
            client = client.add_root_certificate(certificate);
        }
    }
    Ok(client.build()?)
}

/// Whether an address may be asked, as far as it tells without being resolved. This
/// machine itself may answer without TLS, where the operator opened its network.
///
/// # Errors
/// It may not.
pub(super) fn permitted(url: &Url, outside: &Outside) -> Result<(), Refused> {
    if url.scheme() != "https" && !(url.scheme() == "http" && is_local(url)) {
        return Err(Refused::Plain);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Refused::Credentials);
    }
    match literal(url) {
        Some(address) if !outside.allows(address) => Err(Refused::Inside),
        _ => Ok(()),
    }
}

/// Whether an address is this machine's own, by what it says.
pub(super) fn is_local(url: &Url) -> bool {
    literal(url).is_some_and(|address| address.is_loopback())
}

/// The client connects to the very addresses that were looked at.
struct Resolver(Arc<Outside>);

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let outside = self.0.clone();
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let mut allowed: Vec<SocketAddr> = found.collect();
            allowed.retain(|address| outside.allows(address.ip()));
            if allowed.is_empty() {
                return Err(Refused::Inside.into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

/// The body of an answer, of at most `limit` bytes. One that says that it has more is
/// not read at all.
///
/// # Errors
/// It has more, or ends early.
pub(super) async fn body(answer: Response, limit: u64) -> anyhow::Result<Vec<u8>> {
    let fits = |length: u64| {
        anyhow::ensure!(length <= limit, "has more than {limit} bytes");
        Ok(())
    };
    fits(answer.content_length().unwrap_or_default())?;
    let mut body = answer.bytes_stream();
    let mut bytes = Vec::new();
    while let Some(part) = body.next().await {
        let part = part.map_err(reqwest::Error::without_url);
        bytes.extend_from_slice(&part.context("ends early")?);
        fits(u64::try_from(bytes.len())?)?;
    }
    Ok(bytes)
}
