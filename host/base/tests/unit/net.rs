use base::net::{Net, Outside, neighbourhood};

fn has(net: &str, address: &str) -> bool {
    net.parse::<Net>()
        .expect(net)
        .has(address.parse().expect(address))
}

#[test]
fn a_range_has_its_addresses_and_no_others() {
    for (net, inside, outside) in [
        ("10.0.0.0/8", "10.255.0.1", "11.0.0.0"),
        ("192.0.2.128/25", "192.0.2.255", "192.0.2.127"),
        ("192.0.2.7/32", "192.0.2.7", "192.0.2.6"),
        ("0.0.0.0/0", "203.0.113.9", "2001:db8::1"),
        ("2001:db8::/32", "2001:db8:ffff::1", "2001:db9::"),
        ("::1/128", "::1", "::2"),
        ("192.0.2.7", "192.0.2.7", "192.0.2.8"),
        ("::/0", "2001:db8::1", "192.0.2.1"),
        ("10.9.9.9/8", "10.0.0.0", "9.255.255.255"),
        ("10.0.0.0/8", "::ffff:10.1.2.3", "::ffff:11.1.2.3"),
    ] {
        assert!(has(net, inside), "{inside} in {net}");
        assert!(!has(net, outside), "{outside} not in {net}");
    }
}

#[test]
fn a_range_covers_what_lies_in_it() {
    for (wide, narrow, is) in [
        ("10.0.0.0/8", "10.1.0.0/16", true),
        ("10.0.0.0/8", "10.0.0.0/8", true),
        ("10.1.0.0/16", "10.0.0.0/8", false),
        ("10.0.0.0/8", "11.0.0.0/16", false),
        ("0.0.0.0/0", "::/0", false),
        ("2001:db8::/32", "2001:db8:1::/48", true),
        ("10.9.9.9/8", "10.1.0.0/16", true),
        ("10.0.0.0/8", "10.1.2.3", true),
        ("10.1.2.3", "10.0.0.0/8", false),
    ] {
        let [a, b] = [wide, narrow].map(|net| net.parse::<Net>().expect(net));
        assert_eq!(a.covers(&b), is, "{narrow} in {wide}");
    }
}

#[test]
fn a_whole_network_of_ipv6_is_one_neighbour() {
    let of = |text: &str| neighbourhood(text.parse().expect(text));
    assert_eq!(of("2001:db8:1:2:3:4:5:6"), of("2001:db8:1:2:ffff::1"));
    assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
    assert_eq!(of("::ffff:192.0.2.7"), "192.0.2.7");
    assert_ne!(of("192.0.2.7"), of("192.0.2.8"));
}

#[test]
fn what_is_not_a_range_is_refused() {
    for text in [
        "",
        "10.0.0",
        "10.0.0.0/33",
        "::/129",
        "10.0.0/8",
        "10.0.0.0/",
        "10.0.0.0/-1",
        "10.0.0.0/+8",
        "/8",
        "host/8",
        "10.0.0.0/8/8",
        " 10.0.0.0/8",
        "010.0.0.0/8",
        "10.0.0.0/0x8",
    ] {
        assert_eq!(text.parse::<Net>(), Err(()), "{text}");
    }
}

#[test]
fn the_inside_is_left_out_unless_it_was_opened() {
    let closed = Outside::default();
    let opened = Outside::new(vec!["127.0.0.1".parse().expect("a range")]);
    for address in ["127.0.0.1", "::ffff:127.0.0.1"] {
        let address = address.parse().expect(address);
        assert!(
            !closed.allows(address) && opened.allows(address),
            "{address}"
        );
    }
    for address in [
        "10.0.0.1",
        "169.254.169.254",
        "::1",
        "fd00::1",
        "100.64.0.1",
    ] {
        let address = address.parse().expect(address);
        assert!(
            !closed.allows(address) && !opened.allows(address),
            "{address}"
        );
    }
    for address in ["200.198.1.1", "2804:14c::1"] {
        assert!(closed.allows(address.parse().expect(address)), "{address}");
    }
}
