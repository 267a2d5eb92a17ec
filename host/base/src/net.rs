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
