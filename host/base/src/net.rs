//! Ranges of IP addresses.

use ipnet::IpNet;
use std::net::IpAddr;
use std::str::FromStr;

/// A range of addresses, `10.0.0.0/8` or `2001:db8::/32`; or one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Net(IpNet);

impl FromStr for Net {
    type Err = ();

    fn from_str(text: &str) -> Result<Net, ()> {
        let Some((address, bits)) = text.split_once('/') else {
            // An address alone is a range of one.
            let address: IpAddr = text.parse().map_err(|_| ())?;
            return Ok(Net(address.into()));
        };
        // The address is read by the standard library, as everywhere else.
        let address: IpAddr = address.parse().map_err(|_| ())?;
        // Digits only: a number of Rust may also begin with a plus.
        if bits.is_empty() || !bits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(());
        }
        let bits: u8 = bits.parse().map_err(|_| ())?;
        IpNet::new(address, bits).map(Net).map_err(|_| ())
    }
}

impl Net {
    /// The address lies in the range. An IPv4 address that arrives through a
    /// socket of IPv6 (`::ffff:10.0.0.1`) is the IPv4 address.
    pub fn has(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }

    /// Every address of the other range lies in this one.
    pub fn covers(&self, other: &Net) -> bool {
        self.0.contains(&other.0)
    }
}

/// Whom an address stands for where attempts are counted: a home or a company
/// has a whole /64 of IPv6, and one address of IPv4.
pub fn neighbourhood(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Net;

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
        let of = |text: &str| super::neighbourhood(text.parse().expect(text));
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
}
