//! Where a component that is to be installed comes from: a file, or an address.

use super::signature;
use anyhow::Context as _;
use base::config::Config;
use futures::StreamExt as _;
use reqwest::{Client, Response, redirect};
use std::path::Path;
use std::time::Duration;

/// How long a download may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// A component that was offered, before anything of it is believed.
pub struct Offered {
    /// What sentences call it: the file or the address.
    pub label: String,
    pub bytes: Vec<u8>,
    /// The text of its minisign signature; `None`: none is asked for.
    pub signature: Option<String>,
}

/// From a file or from an address of HTTPS; the signature is beside it, with
/// `.minisig` at the end of its name.
///
/// # Errors
/// It cannot be read or is too large, or the signature that is asked for lacks.
pub async fn of(place: &str, config: &Config) -> anyhow::Result<Offered> {
    if place.contains("://") {
        return of_address(place, config).await;
    }
    let (file, limit) = (Path::new(place), limit(config));
    let bytes = flow::component::bounded::read(file, limit)
        .with_context(|| format!("{place}: cannot be read, or has more than {limit} bytes"))?;
    let asked = config.adapters.require_signature;
    Ok(Offered {
        label: place.to_owned(),
        bytes,
        signature: asked.then(|| signature::beside(file)).transpose()?,
    })
}

/// Largest component, in bytes.
pub fn limit(config: &Config) -> u64 {
    u64::try_from(config.flow.limits().component_bytes).unwrap_or(u64::MAX)
}

/// An operator names the address: unlike addresses of customers it may be internal.
async fn of_address(address: &str, config: &Config) -> anyhow::Result<Offered> {
    let url = reqwest::Url::parse(address).with_context(|| format!("{address}: no address"))?;
    let local = matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"));
    anyhow::ensure!(
        url.scheme() == "https" || url.scheme() == "http" && local,
        "{address}: a component is fetched by https"
    );
    let client = Client::builder()
        .timeout(PATIENCE)
        .redirect(redirect::Policy::custom(same_scheme))
        .build()?;
    let bytes = get(&client, address, limit(config)).await?;
    let signature = if config.adapters.require_signature {
        let mut beside = url;
        beside.set_path(&format!("{}.minisig", beside.path()));
        let text = get(&client, beside.as_str(), signature::SIGNATURE_BYTES).await;
        Some(signature::text_of(text.context("its signature")?)?)
    } else {
        None
    };
    Ok(Offered {
        label: address.to_owned(),
        bytes,
        signature,
    })
}

/// Never from HTTPS to plain text.
fn same_scheme(attempt: redirect::Attempt<'_>) -> redirect::Action {
    let before = attempt.previous().last().map(reqwest::Url::scheme);
    if attempt.previous().len() > 5 || before != Some(attempt.url().scheme()) {
        return attempt.error("more than five redirections, or one to plain HTTP");
    }
    attempt.follow()
}

async fn get(client: &Client, address: &str, limit: u64) -> anyhow::Result<Vec<u8>> {
    let answer = client.get(address).send().await;
    let answer = answer.and_then(Response::error_for_status);
    let mut body = answer.context("cannot be fetched")?.bytes_stream();
    let mut bytes = Vec::new();
    while let Some(part) = body.next().await {
        bytes.extend_from_slice(&part.with_context(|| format!("{address}: ends early"))?);
        anyhow::ensure!(
            u64::try_from(bytes.len()).is_ok_and(|length| length <= limit),
            "{address}: has more than {limit} bytes"
        );
    }
    Ok(bytes)
}
