//! Ranges of IP addresses.

use ipnet::IpNet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
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

/// Which addresses a connection may go to that the hub makes by itself: public ones,
/// and those of networks the operator opened.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    open: Vec<Net>,
}

impl Outside {
    /// `open`: networks besides the public internet.
    pub fn new(open: Vec<Net>) -> Outside {
        Outside { open }
    }

    /// Whether a connection may go there.
    pub fn allows(&self, address: IpAddr) -> bool {
        public(address) || self.open.iter().any(|net| net.has(address))
    }
}

/// Whether an address is one of the public internet: what IANA lists as reserved is
/// not.
pub fn public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => public_v4(address),
        IpAddr::V6(address) => public_v6(address),
    }
}

fn public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !matches!(
        (a, b, c),
        // "this" network, private, loopback
        (0 | 10 | 127, _, _)
            // carrier's private (RFC 6598)
            | (100, 64..=127, _)
            // Azure's own services, from inside of its machines
            | (168, 63, 129)
            // link-local, where clouds keep their metadata
            | (169, 254, _)
            | (172, 16..=31, _)
            // protocol assignments, documentation, old 6to4 relays
            | (192, 0, 0 | 2)
            | (192, 88, 99)
            | (192, 168, _)
            // benchmarks and documentation
            | (198, 18 | 19, _)
            | (198, 51, 100)
            | (203, 0, 113)
            // multicast, reserved, broadcast
            | (224..=255, _, _)
    )
}

fn public_v6(address: Ipv6Addr) -> bool {
    // Mapped IPv4 was made IPv4 before; only global unicast is left to allow.
    let [a, b, ..] = address.segments();
    let global = (0x2000..=0x3fff).contains(&a);
    let reserved = match a {
        // Teredo, benchmarks, ORCHID and the rest of 2001::/23; documentation
        0x2001 => b < 0x0200 || b == 0x0db8,
        // 6to4: an IPv4 address in disguise
        0x2002 => true,
        0x3fff => b < 0x1000,
        _ => false,
    };
    global && !reserved
}
