//! Addresses the hub would call.

/// Longest address accepted.
const MAX_URL: usize = 400;

/// Host name (or address) of an http(s) URL, without port. None: not one the
/// hub would call.
pub(super) fn host(url: &str) -> Option<&str> {
    if url.len() > MAX_URL || url.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return None;
    }
    let rest = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"))?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    let port_ok = port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0));
    let host_ok = !host.is_empty()
        && host
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_'));
    (port_ok && host_ok).then_some(host)
}

/// Host and port of an http(s) URL, as they were written. None: not one the hub would
/// call.
pub(super) fn authority(url: &str) -> Option<&str> {
    host(url)?;
    let rest = url.split_once("://")?.1;
    rest.split(['/', '?', '#']).next()
}
