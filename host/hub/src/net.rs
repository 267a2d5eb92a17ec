//! Networks as settings and keys name them.

use std::net::IpAddr;
use std::str::FromStr;

/// A network, `10.0.0.0/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Net {
    address: IpAddr,
    bits: u8,
}

impl FromStr for Net {
    type Err = ();

    fn from_str(text: &str) -> Result<Net, ()> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.trim().parse().map_err(|_| ())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = match bits {
            Some(bits) => bits.trim().parse().map_err(|_| ())?,
            None => most,
        };
        if bits > most {
            return Err(());
        }
        Ok(Net { address, bits })
    }
}

impl Net {
    /// Whether an address belongs to it.
    pub fn has(&self, address: IpAddr) -> bool {
        let (net, address, width) = match (self.address, address) {
            (IpAddr::V4(net), IpAddr::V4(address)) => {
                (u128::from(net.to_bits()), u128::from(address.to_bits()), 32)
            }
            (IpAddr::V6(net), IpAddr::V6(address)) => (net.to_bits(), address.to_bits(), 128),
            _ => return false,
        };
        let host_bits = width - u32::from(self.bits);
        net.checked_shr(host_bits) == address.checked_shr(host_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::Net;

    #[test]
    fn networks_are_read_or_refused() {
        for text in ["10.0.0.0/33", "10.0.0/8", "::/129", "abc", ""] {
            assert!(text.parse::<Net>().is_err(), "{text}");
        }
        assert!(
            "0.0.0.0/0"
                .parse::<Net>()
                .is_ok_and(|net| net.has([8, 8, 8, 8].into()))
        );
    }
}
