//! Where a component that is to be installed comes from: a file, an address, or an
//! OCI registry.

use super::{oci, signature, web};
use anyhow::Context as _;
use base::config::Config;
use reqwest::{Client, Url};
use std::path::Path;

/// A component that was offered, before anything of it is believed.
pub struct Offered {
    /// What sentences call it: the file or the address.
    pub label: String,
    pub bytes: Vec<u8>,
    /// `None`: none is asked for.
    pub signature: Option<Signature>,
}

/// A minisign signature that was offered.
pub struct Signature {
    /// What sentences call it.
    pub label: String,
    pub text: String,
}

/// From a file; from an address of HTTPS, with the signature beside it (`.minisig` at
/// the end of its name); or from an OCI registry (`oci://HOST/REPOSITORY:TAG`).
///
/// # Errors
/// It cannot be read or is too large, or the signature that is asked for is missing.
pub async fn of(place: &str, config: &Config) -> anyhow::Result<Offered> {
    let (bytes, signature) = if place.starts_with(oci::SCHEME) {
        oci::pull(place, config, limit(config)).await
    } else if place.contains("://") {
        of_address(place, config).await
    } else {
        of_file(Path::new(place), config)
    }
    .with_context(|| place.to_owned())?;
    Ok(Offered {
        label: place.to_owned(),
        bytes,
        signature: signature.map(|text| Signature {
            label: format!("{place}.minisig"),
            text,
        }),
    })
}

/// Largest component, in bytes.
pub fn limit(config: &Config) -> u64 {
    u64::try_from(config.flow.limits().component_bytes).unwrap_or(u64::MAX)
}

fn of_file(file: &Path, config: &Config) -> anyhow::Result<(Vec<u8>, Option<String>)> {
    let limit = limit(config);
    let bytes = flow::component::bounded::read(file, limit)
        .with_context(|| format!("cannot be read, or has more than {limit} bytes"))?;
    let asked = config.adapters.require_signature;
    let signature = asked.then(|| signature::beside(file)).transpose()?;
    Ok((bytes, signature))
}

async fn of_address(address: &str, config: &Config) -> anyhow::Result<(Vec<u8>, Option<String>)> {
    let url = Url::parse(address).context("no address")?;
    web::permitted(&url, &config.adapters.outside())?;
    let client = web::client(config)?;
    let bytes = get(&client, url.clone(), limit(config)).await?;
    if !config.adapters.require_signature {
        return Ok((bytes, None));
    }
    let mut beside = url;
    beside.set_path(&format!("{}.minisig", beside.path()));
    let text = get(&client, beside, signature::SIGNATURE_BYTES).await;
    let text = signature::text_of(text.context("its signature")?)?;
    Ok((bytes, Some(text)))
}

async fn get(client: &Client, url: Url, limit: u64) -> anyhow::Result<Vec<u8>> {
    let answer = client.get(url).send().await;
    let answer = answer.map_err(reqwest::Error::without_url);
    let answer = answer.context("cannot be fetched")?;
    let status = answer.status();
    anyhow::ensure!(status.is_success(), "cannot be fetched: {status}");
    web::body(answer, limit).await
}
