//! What a request of an adapter may look like.

use super::error::StepError;
use crate::contract::{Context, HttpRequest, Target};
use crate::limits::Limits;

const HEADERS: usize = 32;
const HEADER_CHARS: usize = 4_096;
const PATH_CHARS: usize = 2_048;
/// Headers that frame the message belong to the host.
const HOST_HEADERS: [&str; 6] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "upgrade",
    "te",
];

pub(crate) fn check(
    request: &HttpRequest,
    context: &Context,
    limits: &Limits,
) -> Result<(), StepError> {
    let bad = |reason: &str| Err(StepError::BadRequest(reason.to_owned()));
    if request.body.len() > limits.request_bytes {
        return Err(StepError::RequestTooLarge {
            size: request.body.len(),
            limit: limits.request_bytes,
        });
    }
    if !matches!(
        request.method.as_str(),
        "GET" | "HEAD" | "POST" | "PUT" | "DELETE"
    ) {
        return bad("method");
    }
    if request.label.is_empty()
        || request.label.len() > 60
        || request.label.chars().any(char::is_control)
    {
        return bad("label");
    }
    if request.headers.len() > HEADERS {
        return bad("too many headers");
    }
    for header in &request.headers {
        let token = !header.name.is_empty()
            && header
                .name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let text = header.value.len() <= HEADER_CHARS
            && header.value.bytes().all(|b| (0x20..0x7f).contains(&b));
        if !token || !text || HOST_HEADERS.contains(&header.name.to_ascii_lowercase().as_str()) {
            return bad("header");
        }
    }
    match &request.target {
        Target::Endpoint(target) => {
            if !context.endpoints.contains(&target.endpoint) {
                return Err(StepError::UnknownEndpoint(
                    target.endpoint.chars().take(60).collect(),
                ));
            }
            if !plain_path(&target.path) {
                return bad("path");
            }
        }
        Target::Url(url) => {
            if !plain_url(url) {
                return bad("url");
            }
        }
    }
    Ok(())
}

/// A path that stays under the endpoint's URL: nothing that could change the
/// host, leave the folder or break the request line.
pub fn plain_path(path: &str) -> bool {
    let starts_well = path.is_empty() || path.starts_with('/') || path.starts_with('?');
    let folders = path.split('?').next().unwrap_or_default();
    starts_well
        && path.len() <= PATH_CHARS
        && plain_bytes(path)
        && !path.starts_with("//")
        && !leaves(folders)
}

/// An absolute address without login; whether its host may be spoken to is
/// for the transport to say, which reads it as it will be sent.
pub fn plain_url(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("https://") else {
        return false;
    };
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    url.len() <= PATH_CHARS && plain_bytes(url) && !authority.is_empty() && !authority.contains('@')
}

/// Printable ASCII without what parsers of addresses read differently.
fn plain_bytes(text: &str) -> bool {
    text.bytes()
        .all(|b| (0x21..0x7f).contains(&b) && !b"\\\"<>^`{|}#".contains(&b))
}

/// Whether a path has a segment that some reader takes for "." or "..":
/// escaped dots, escaped slashes, and parameters after the dots all occur.
fn leaves(path: &str) -> bool {
    let plain = path
        .to_ascii_lowercase()
        .replace("%25", "%")
        .replace("%2e", ".")
        .replace("%2f", "/")
        .replace("%5c", "/");
    plain
        .split('/')
        .any(|segment| matches!(segment.split([';', '%']).next(), Some("." | "..")))
}
