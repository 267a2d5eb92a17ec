use axum::http::{HeaderMap, HeaderValue};
use gate::caller::address;

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
