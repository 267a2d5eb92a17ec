//! Uploading a release to an OCI registry.

use super::place::{Place, SCHEME};
use super::session::Session;
use super::{ABOUT, ARTIFACT, COMPONENT, MANIFEST, SIGNATURE, digest_of};
use anyhow::Context as _;
use base::config::Config;
use reqwest::header::{CONTENT_TYPE, LOCATION};
use reqwest::{StatusCode, Url};
use serde_json::{Value, json};

/// The configuration of an artifact that has none (OCI Image Format Specification 1.1,
/// "Guidelines for Artifact Usage").
const EMPTY: &[u8] = b"{}";
const EMPTY_TYPE: &str = "application/vnd.oci.empty.v1+json";

/// A release as it is uploaded: each file with its name.
pub struct Artifact {
    pub version: String,
    pub component: (String, Vec<u8>),
    /// None: it is uploaded without one.
    pub signature: Option<(String, Vec<u8>)>,
    pub about: (String, Vec<u8>),
}

/// Uploads a release under the tag of an address; the address by the digest of its
/// manifest.
///
/// # Errors
/// The address names no tag, or a digest; or a sentence about the registry.
pub async fn push(address: &str, config: &Config, artifact: &Artifact) -> anyhow::Result<String> {
    let place = Place::of(address, config)?;
    let tag = place.upload_tag()?;
    let mut session = Session::open(config, &place, "pull,push")?;
    let signature = artifact.signature.as_ref().map(|file| (SIGNATURE, file));
    let files = [(COMPONENT, &artifact.component)]
        .into_iter()
        .chain(signature)
        .chain([(ABOUT, &artifact.about)]);
    let mut layers = Vec::new();
    for (media_type, (name, bytes)) in files {
        upload(&mut session, bytes)
            .await
            .with_context(|| name.clone())?;
        let mut layer = described(media_type, bytes);
        layer["annotations"] = json!({ "org.opencontainers.image.title": name });
        layers.push(layer);
    }
    upload(&mut session, EMPTY).await?;
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "artifactType": ARTIFACT,
        "config": described(EMPTY_TYPE, EMPTY),
        "layers": layers,
        "annotations": { "org.opencontainers.image.version": artifact.version },
    });
    let bytes = manifest.to_string().into_bytes();
    let digest = digest_of(&bytes);
    let url = place.api(&format!("manifests/{tag}"));
    let request = session.client.put(url).header(CONTENT_TYPE, MANIFEST);
    let answer = session.send(request.body(bytes)).await?;
    expected(&place, answer.status(), StatusCode::CREATED, "the manifest")?;
    Ok(format!(
        "{SCHEME}{}/{}@{digest}",
        place.host, place.repository
    ))
}

fn described(media_type: &str, bytes: &[u8]) -> Value {
    json!({ "mediaType": media_type, "digest": digest_of(bytes), "size": bytes.len() })
}

/// Uploads bytes that the repository does not have.
async fn upload(session: &mut Session<'_>, bytes: &[u8]) -> anyhow::Result<()> {
    let place = session.place;
    let digest = digest_of(bytes);
    let known = place.api(&format!("blobs/{digest}"));
    let answer = session.send(session.client.head(known)).await?;
    if answer.status().is_success() {
        return Ok(());
    }
    let begin = session.client.post(place.api("blobs/uploads/"));
    let answer = session.send(begin).await?;
    expected(place, answer.status(), StatusCode::ACCEPTED, "an upload")?;
    let location = answer.headers().get(LOCATION);
    let location = location.and_then(|value| value.to_str().ok());
    let mut url = elsewhere(place, location.unwrap_or_default())?;
    url.query_pairs_mut().append_pair("digest", &digest);
    let request = session.client.put(url);
    let request = request.header(CONTENT_TYPE, "application/octet-stream");
    let answer = session.send(request.body(bytes.to_vec())).await?;
    expected(place, answer.status(), StatusCode::CREATED, "a layer")
}

/// Where the registry wants an upload: the login goes there, so it is the registry.
fn elsewhere(place: &Place, location: &str) -> anyhow::Result<Url> {
    let host = &place.host;
    let url = place.registry.join(location);
    let url = url.with_context(|| format!("{host} says no address for an upload"))?;
    anyhow::ensure!(
        url.origin() == place.registry.origin(),
        "{host} wants uploads at another server, where the login is not sent"
    );
    Ok(url)
}

fn expected(
    place: &Place,
    status: StatusCode,
    wanted: StatusCode,
    what: &str,
) -> anyhow::Result<()> {
    let host = &place.host;
    anyhow::ensure!(status == wanted, "{host} answers with {status} to {what}");
    Ok(())
}
