//! What a request of an adapter may look like.

use crate::contract::{Context, HttpRequest, Target};
use crate::limits::Limits;
use crate::sandbox::StepError;

const HEADERS: usize = 32;
const HEADER_CHARS: usize = 4_096;
const PATH_CHARS: usize = 2_048;
/// Headers that frame the message belong to the host.
const HOST_HEADERS: [&str; 6] = ["host", "content-length", "transfer-encoding", "connection", "upgrade", "te"];

pub(crate) fn check(request: &HttpRequest, context: &Context, limits: &Limits) -> Result<(), StepError> {
    let bad = |reason: &str| Err(StepError::BadRequest(reason.to_owned()));
    if request.body.len() > limits.request_bytes {
        return Err(StepError::RequestTooLarge { size: request.body.len(), limit: limits.request_bytes });
    }
    if !matches!(request.method.as_str(), "GET" | "HEAD" | "POST" | "PUT" | "DELETE") {
        return bad("method");
    }
    if request.label.is_empty() || request.label.len() > 60 || request.label.chars().any(char::is_control) {
        return bad("label");
    }
    if request.headers.len() > HEADERS {
        return bad("too many headers");
    }
    for header in &request.headers {
        let token = !header.name.is_empty() && header.name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let text = header.value.len() <= HEADER_CHARS && header.value.bytes().all(|b| (0x20..0x7f).contains(&b));
        if !token || !text || HOST_HEADERS.contains(&header.name.to_ascii_lowercase().as_str()) {
            return bad("header");
        }
    }
    match &request.target {
        Target::Endpoint(target) => {
            if !context.endpoints.contains(&target.endpoint) {
                return Err(StepError::UnknownEndpoint(target.endpoint.chars().take(60).collect()));
            }
            if !plain_path(&target.path) {
                return bad("path");
            }
        }
        Target::Url(url) => {
            if url.len() > PATH_CHARS || !url.starts_with("https://") {
                return bad("url");
            }
        }
    }
    Ok(())
}

/// A path that stays under the endpoint's URL: nothing that could change the
/// host, leave the folder or break the request line.
fn plain_path(path: &str) -> bool {
    let starts_well = path.is_empty() || path.starts_with('/') || path.starts_with('?');
    starts_well
        && path.len() <= PATH_CHARS
        && path.bytes().all(|b| (0x21..0x7f).contains(&b) && !b"\\\"<>^`{|}#".contains(&b))
        && !path.starts_with("//")
        && !path.split(['/', '?']).any(|part| matches!(part, ".." | "." | "%2e%2e" | "%2E%2E"))
}

#[cfg(test)]
mod tests {
    use super::plain_path;

    #[test]
    fn paths_cannot_escape() {
        for good in ["", "/nfse", "/dps/DPS123", "?wsdl", "/a/b?c=d&e=f"] {
            assert!(plain_path(good), "{good}");
        }
        for bad in ["nfse", "//evil.example", "/../x", "/a\r\nHost: b", "/a b", "@evil.example", "/%2e%2e/x", "#"] {
            assert!(!plain_path(bad), "{bad}");
        }
    }
}
