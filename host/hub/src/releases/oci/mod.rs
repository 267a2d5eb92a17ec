//! Releases in an OCI registry: an image manifest whose layers are the files of
//! `hub adapter pack`, each known by its media type. Any program that uploads files
//! with media types makes one:
//!
//! ```text
//! oras push HOST/REPOSITORY:TAG --artifact-type application/vnd.hub.adapter.v1 \
//!   dps-1.0.0.wasm:application/wasm \
//!   dps-1.0.0.wasm.minisig:application/vnd.hub.adapter.minisig.v1 \
//!   dps-1.0.0.json:application/vnd.hub.adapter.about.v1+json
//! ```

mod challenge;
mod place;
mod push;
mod session;

pub use challenge::{Challenge, challenge};
pub use place::{Malformed, Place, SCHEME};
pub use push::{Artifact, push};

use super::{signature, web};
use anyhow::Context as _;
use base::config::Config;
use reqwest::StatusCode;
use reqwest::header::ACCEPT;
use serde::Deserialize;
use session::Session;
use sha2::{Digest as _, Sha256};

/// Media type of the layer with the component.
pub const COMPONENT: &str = "application/wasm";
/// Media type of the layer with its minisign signature.
pub const SIGNATURE: &str = "application/vnd.hub.adapter.minisig.v1";
/// Media type of the layer that says what the component is.
pub const ABOUT: &str = "application/vnd.hub.adapter.about.v1+json";
/// What the artifact as a whole is.
pub const ARTIFACT: &str = "application/vnd.hub.adapter.v1";
/// Media type of a manifest (OCI Image Format Specification 1.1).
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
/// Media type of an index. It is accepted too, so that an index is refused as one and not
/// answered with 404.
const INDEX: &str = "application/vnd.oci.image.index.v1+json";
/// Largest manifest: one of an adapter has below 2 KiB.
const MANIFEST_BYTES: u64 = 256 << 10;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Manifest {
    #[serde(default)]
    layers: Vec<Layer>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Layer {
    media_type: String,
    digest: String,
    size: u64,
}

/// The component of an artifact, and the text of its signature where one is asked for.
/// `limit`: bytes of the largest component.
///
/// # Errors
/// A sentence that says what is wrong: the address, the registry, a login, the tag,
/// the manifest, a layer that is missing, is too large or is not what the manifest says.
pub async fn pull(
    address: &str,
    config: &Config,
    limit: u64,
) -> anyhow::Result<(Vec<u8>, Option<String>)> {
    let place = Place::of(address, config)?;
    let mut session = Session::open(config, &place, "pull")?;
    let manifest = manifest(&mut session).await?;
    let component = layer(&manifest, COMPONENT)?;
    let component = component.with_context(|| {
        format!("the artifact has no layer with a component (media type {COMPONENT})")
    })?;
    let signature = if config.adapters.require_signature {
        let found = layer(&manifest, SIGNATURE)?;
        Some(found.with_context(|| {
            format!("the artifact has no layer with a signature (media type {SIGNATURE}; adapters.require_signature)")
        })?)
    } else {
        None
    };
    let bytes = blob(&mut session, component, limit)
        .await
        .context("its component")?;
    let signature = match signature {
        None => None,
        Some(layer) => {
            let text = blob(&mut session, layer, signature::SIGNATURE_BYTES).await;
            Some(signature::text_of(text.context("its signature")?)?)
        }
    };
    Ok((bytes, signature))
}

/// The only layer of a media type, if there is one.
fn layer<'m>(manifest: &'m Manifest, media_type: &str) -> anyhow::Result<Option<&'m Layer>> {
    let mut found = manifest
        .layers
        .iter()
        .filter(|layer| layer.media_type == media_type);
    let (first, second) = (found.next(), found.next());
    anyhow::ensure!(
        second.is_none(),
        "the artifact has several layers of the media type {media_type}"
    );
    Ok(first)
}

async fn manifest(session: &mut Session<'_>) -> anyhow::Result<Manifest> {
    let place = session.place;
    let url = place.api(&format!("manifests/{}", place.reference()));
    let accepted = format!("{MANIFEST}, {INDEX}");
    let request = session.client.get(url).header(ACCEPT, accepted);
    let answer = session.send(request).await?;
    let (host, status) = (&place.host, answer.status());
    anyhow::ensure!(
        status != StatusCode::NOT_FOUND,
        "{host} has no such tag, digest or repository"
    );
    anyhow::ensure!(
        status.is_success(),
        "{host} answers with {status} when it is asked for the manifest"
    );
    let bytes = web::body(answer, MANIFEST_BYTES)
        .await
        .context("its manifest")?;
    if let Some(digest) = &place.digest {
        anyhow::ensure!(
            *digest == digest_of(&bytes),
            "the manifest has another digest than the address"
        );
    }
    let manifest: Manifest =
        serde_json::from_slice(&bytes).context("its manifest cannot be read")?;
    anyhow::ensure!(
        !manifest.layers.is_empty(),
        "the manifest has no layers: it is no adapter, or an index of several artifacts"
    );
    Ok(manifest)
}

/// The bytes of a layer, of at most `limit`.
async fn blob(session: &mut Session<'_>, layer: &Layer, limit: u64) -> anyhow::Result<Vec<u8>> {
    let (digest, size) = (&layer.digest, layer.size);
    anyhow::ensure!(
        place::is_digest(digest),
        "the manifest gives no digest of sha256"
    );
    // Before anything of it is fetched.
    anyhow::ensure!(
        size <= limit,
        "the manifest says that it has {size} bytes, which is more than {limit} bytes"
    );
    let url = session.place.api(&format!("blobs/{digest}"));
    let answer = session.send(session.client.get(url)).await?;
    let (host, status) = (&session.place.host, answer.status());
    anyhow::ensure!(
        status.is_success(),
        "{host} answers with {status} when it is asked for the layer"
    );
    let bytes = web::body(answer, size).await?;
    anyhow::ensure!(
        digest_of(&bytes) == *digest,
        "the layer has another digest than the manifest says"
    );
    Ok(bytes)
}

/// As registries write it.
fn digest_of(bytes: &[u8]) -> String {
    format!("sha256:{}", flow::hex(&Sha256::digest(bytes)))
}
