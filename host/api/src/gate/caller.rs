//! Where a call comes from.

use axum::http::HeaderMap;
use base::net::Net;
use std::net::{IpAddr, SocketAddr};

/// Entries of `X-Forwarded-For` looked at: more hops than any installation has.
const HOPS: usize = 32;

/// The caller's address: the peer of the connection, or, when that is one of
/// the trusted proxies, what the proxies say of it: the right-most entry of
/// `X-Forwarded-For` that is none of them. Entries left of that are the
/// caller's own words. None when a proxy says what nobody can read.
pub fn address(peer: IpAddr, headers: &HeaderMap, trusted: &[String]) -> Option<IpAddr> {
    let peer = peer.to_canonical();
    let trusted: Vec<Net> = trusted.iter().filter_map(|net| net.parse().ok()).collect();
    let is_proxy = |address: IpAddr| trusted.iter().any(|net| net.has(address));
    if !is_proxy(peer) {
        return Some(peer);
    }
    let mut last = peer;
    let lines = headers.get_all("x-forwarded-for").iter();
    for line in lines.collect::<Vec<_>>().into_iter().rev().take(HOPS) {
        for entry in line.to_str().ok()?.rsplit(',').take(HOPS) {
            last = read(entry.trim())?.to_canonical();
            if !is_proxy(last) {
                return Some(last);
            }
        }
    }
    Some(last)
}

/// An address as proxies write it: alone, in brackets, with a port.
fn read(entry: &str) -> Option<IpAddr> {
    let bare = entry
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .unwrap_or(entry);
    let alone = bare.parse().ok();
    alone.or_else(|| {
        entry
            .parse()
            .ok()
            .map(|with_port: SocketAddr| with_port.ip())
    })
}

#[cfg(test)]
mod tests {
    use super::address;
    use axum::http::{HeaderMap, HeaderValue};

    fn of(peer: &str, lines: &[&'static str], trusted: &[&str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append("x-forwarded-for", HeaderValue::from_static(line));
        }
        let trusted: Vec<String> = trusted.iter().map(|net| (*net).to_owned()).collect();
        let found = address(peer.parse().expect(peer), &headers, &trusted);
        found.map(|address| address.to_string())
    }

    #[test]
    fn only_proxies_that_are_trusted_are_believed() {
        let proxies = ["10.0.0.0/8", "::1/128"];
        for (peer, lines, trusted, expected) in [
            // Nobody is trusted by default.
            ("10.0.0.1", &["192.0.2.1"][..], &[][..], Some("10.0.0.1")),
            ("192.0.2.9", &["192.0.2.1"], &proxies, Some("192.0.2.9")),
            ("10.0.0.1", &[], &proxies, Some("10.0.0.1")),
            ("10.0.0.1", &["192.0.2.1"], &proxies, Some("192.0.2.1")),
            // What the caller wrote stands left of what the proxy saw.
            (
                "10.0.0.1",
                &["203.0.113.7, 192.0.2.1"],
                &proxies,
                Some("192.0.2.1"),
            ),
            (
                "10.0.0.1",
                &["203.0.113.7", "192.0.2.1, 10.9.9.9"],
                &proxies,
                Some("192.0.2.1"),
            ),
            ("::1", &["10.2.0.1,10.3.0.1"], &proxies, Some("10.2.0.1")),
            (
                "::ffff:10.0.0.1",
                &["::ffff:192.0.2.1"],
                &proxies,
                Some("192.0.2.1"),
            ),
            ("10.0.0.1", &["192.0.2.1:4711"], &proxies, Some("192.0.2.1")),
            (
                "10.0.0.1",
                &["[2001:db8::1]:4711"],
                &proxies,
                Some("2001:db8::1"),
            ),
            (
                "10.0.0.1",
                &["[2001:db8::1]"],
                &proxies,
                Some("2001:db8::1"),
            ),
            ("10.0.0.1", &["192.0.2.1, unknown"], &proxies, None),
            ("10.0.0.1", &[""], &proxies, None),
        ] {
            assert_eq!(
                of(peer, lines, trusted).as_deref(),
                expected,
                "{peer} {lines:?}"
            );
        }
    }
}
