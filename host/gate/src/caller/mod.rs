//! Where a call comes from.

pub(crate) mod blocked;
pub mod entry;
pub(crate) mod scheme;

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
