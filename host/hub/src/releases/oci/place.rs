//! Addresses of artifacts: `oci://HOST/REPOSITORY:TAG`, `oci://HOST/REPOSITORY@sha256:…`.

use super::super::web;
use base::config::Config;
use reqwest::Url;

/// How an address of an artifact begins.
pub const SCHEME: &str = "oci://";
/// Longest tag (OCI Distribution Specification 1.1, "Pulling manifests").
const TAG: usize = 128;
/// Longest name of a repository that clients agree on.
const REPOSITORY: usize = 255;

/// Why a text is no address of an artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    #[error(
        "no address of an artifact: oci://HOST/REPOSITORY:TAG, or @sha256:DIGEST after the repository"
    )]
    Form,
    #[error("the address names neither a tag nor a digest")]
    Unnamed,
    #[error("what is uploaded needs a tag, and no digest, in its address")]
    NoUpload,
}

/// Where an artifact is, or shall be.
#[derive(Clone, Debug)]
pub struct Place {
    /// The registry's address, with its scheme.
    pub registry: Url,
    /// Host, and port where one was given.
    pub host: String,
    pub repository: String,
    pub tag: Option<String>,
    /// `sha256:` and 64 hexadecimal digits; stands over the tag.
    pub digest: Option<String>,
}

impl Place {
    /// # Errors
    /// The text is no such address.
    pub fn parse(text: &str) -> Result<Place, Malformed> {
        let rest = text.strip_prefix(SCHEME).ok_or(Malformed::Form)?;
        let (host, path) = rest.split_once('/').ok_or(Malformed::Form)?;
        let (path, digest) = match path.split_once('@') {
            Some((path, digest)) => (path, Some(digest)),
            None => (path, None),
        };
        let (repository, tag) = match path.split_once(':') {
            Some((repository, tag)) => (repository, Some(tag)),
            None => (path, None),
        };
        let registry = registry(host).ok_or(Malformed::Form)?;
        let right =
            is_repository(repository) && tag.is_none_or(is_tag) && digest.is_none_or(is_digest);
        if !right {
            return Err(Malformed::Form);
        }
        if tag.is_none() && digest.is_none() {
            return Err(Malformed::Unnamed);
        }
        Ok(Place {
            registry,
            host: host.to_ascii_lowercase(),
            repository: repository.to_owned(),
            tag: tag.map(str::to_owned),
            digest: digest.map(str::to_owned),
        })
    }

    /// As [`Place::parse`]. With authorities of the operator's own (`adapters.ca`) this
    /// machine answers by TLS, too.
    ///
    /// # Errors
    /// The text is no such address.
    pub fn of(text: &str, config: &Config) -> Result<Place, Malformed> {
        let mut place = Place::parse(text)?;
        if !config.adapters.ca.as_os_str().is_empty() {
            let secured = place.registry.set_scheme("https");
            secured.map_err(|()| Malformed::Form)?;
        }
        Ok(place)
    }

    /// The tag of an address that something can be uploaded to.
    ///
    /// # Errors
    /// The address names no tag, or a digest.
    pub fn upload_tag(&self) -> Result<&str, Malformed> {
        match (&self.tag, &self.digest) {
            (Some(tag), None) => Ok(tag),
            _ => Err(Malformed::NoUpload),
        }
    }

    /// What the registry is asked for: the digest, or the tag.
    pub fn reference(&self) -> &str {
        let named = self.digest.as_deref().or(self.tag.as_deref());
        named.unwrap_or_default()
    }

    /// An address of the registry's API for the repository.
    pub fn api(&self, rest: &str) -> Url {
        let mut url = self.registry.clone();
        url.set_path(&format!("/v2/{}/{rest}", self.repository));
        url
    }
}

/// The address of a registry: by TLS, but for this machine itself.
fn registry(host: &str) -> Option<Url> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
    if host.is_empty() || !host.chars().all(plain) {
        return None;
    }
    let url = Url::parse(&format!("https://{host}/")).ok()?;
    if web::is_local(&url) {
        return Url::parse(&format!("http://{host}/")).ok();
    }
    Some(url)
}

/// Parts between slashes, each of small letters and digits with single marks inside.
fn is_repository(text: &str) -> bool {
    let mark = |c: char| matches!(c, '.' | '_' | '-');
    let small = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    text.len() <= REPOSITORY
        && text.split('/').all(|part| {
            part.chars().all(|c| small(c) || mark(c))
                && part.starts_with(small)
                && part.ends_with(small)
                && !part.contains("..")
        })
}

fn is_tag(text: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.len() <= TAG
        && text.starts_with(word)
        && text.chars().all(|c| word(c) || matches!(c, '.' | '-'))
}

/// Whether a text is a digest of the one kind that is accepted.
pub fn is_digest(text: &str) -> bool {
    let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    text.strip_prefix("sha256:")
        .is_some_and(|digest| digest.len() == 64 && digest.bytes().all(hex))
}
