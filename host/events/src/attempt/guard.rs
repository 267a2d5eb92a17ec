//! Where a webhook may point: not into the network the hub stands in.
//!
//! The address is looked at when the webhook is registered, and every name is
//! resolved once per connection, to the very addresses the connection then
//! goes to: an answer that changes between look and use changes nothing.
//! Redirects are not followed and proxies not used.

use base::config::Webhooks;
use base::net::Net;
use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

/// Time a name has to resolve when a webhook is registered.
const RESOLVE: Duration = Duration::from_secs(3);
/// Ports a webhook may use, besides those of networks the operator opened.
const PORTS: [u16; 2] = [443, 8443];
const PLAIN_PORTS: [u16; 2] = [80, 8080];

/// Why an address is refused; the sentence is for customers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    Malformed,
    Scheme,
    Credentials,
    Port,
    Private,
}

impl Refused {
    pub fn sentence(self) -> &'static str {
        match self {
            Refused::Malformed => "O endereço não pode ser lido.",
            Refused::Scheme => "O endereço deve começar com https://.",
            Refused::Credentials => "O endereço não pode ter usuário ou senha.",
            Refused::Port => "A porta não é aceita; use 443 ou 8443.",
            Refused::Private => "O endereço fica em uma rede privada ou reservada.",
        }
    }
}

/// What the operator allows.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    plain: bool,
    open: Vec<Net>,
}

impl Guard {
    /// The settings were checked when they were read.
    pub fn new(config: &Webhooks) -> Guard {
        Guard {
            plain: config.allow_http,
            open: config.nets(),
        }
    }

    /// Reads an address and looks at all that can be seen without resolving.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn read(&self, text: &str) -> Result<Url, Refused> {
        let url = Url::parse(text.trim()).map_err(|_| Refused::Malformed)?;
        match url.scheme() {
            "https" => {}
            "http" if self.plain => {}
            _ => return Err(Refused::Scheme),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Refused::Credentials);
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err(Refused::Malformed);
        }
        let reach = self.reach(&url);
        if reach == Reach::Opened && self.open.is_empty() {
            return Err(Refused::Port);
        }
        match literal(&url) {
            Some(address) if !self.allows(address, Reach::All) => Err(Refused::Private),
            Some(address) if !self.allows(address, reach) => Err(Refused::Port),
            _ => Ok(url),
        }
    }

    /// How far an address may go: with a port of the web anywhere, with
    /// another only where the operator opened a network.
    pub fn reach(&self, url: &Url) -> Reach {
        let port = url.port_or_known_default().unwrap_or_default();
        if PORTS.contains(&port) || (self.plain && PLAIN_PORTS.contains(&port)) {
            Reach::All
        } else {
            Reach::Opened
        }
    }

    /// Resolves the name of an address that was read. `Ok(false)`: there is no
    /// such name now.
    ///
    /// # Errors
    /// It stands for no address that may be used.
    pub async fn resolve(&self, url: &Url) -> Result<bool, Refused> {
        if literal(url).is_some() {
            return Ok(true);
        }
        let host = url.host_str().unwrap_or_default();
        let port = url.port_or_known_default().unwrap_or_default();
        let found = tokio::time::timeout(RESOLVE, tokio::net::lookup_host((host, port))).await;
        let Ok(Ok(found)) = found else {
            return Ok(false);
        };
        let found: Vec<IpAddr> = found.map(|address| address.ip()).collect();
        let reach = self.reach(url);
        if found.is_empty() || found.iter().any(|address| self.allows(*address, reach)) {
            Ok(!found.is_empty())
        } else if found
            .iter()
            .any(|address| self.allows(*address, Reach::All))
        {
            Err(Refused::Port)
        } else {
            Err(Refused::Private)
        }
    }

    /// Whether a connection may go there.
    fn allows(&self, address: IpAddr, reach: Reach) -> bool {
        let address = address.to_canonical();
        let opened = self.open.iter().any(|net| net.has(address));
        opened || (reach == Reach::All && public(address))
    }
}

/// Which addresses a connection may go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Public ones, and those the operator opened.
    All,
    /// Only those the operator opened.
    Opened,
}

/// The host as an address, in whatever form it was written. The name every
/// machine has for itself is one, whoever resolves names (RFC 6761).
fn literal(url: &Url) -> Option<IpAddr> {
    let host = url.host_str()?.trim_end_matches('.');
    if host == "localhost" || host.ends_with(".localhost") {
        return Some(Ipv4Addr::LOCALHOST.into());
    }
    host.trim_start_matches('[')
        .trim_end_matches(']')
        .parse()
        .ok()
}

/// Addresses of the public internet: what IANA lists as reserved is not.
fn public(address: IpAddr) -> bool {
    match address {
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

/// Resolves names for the client, and hands it only addresses it may use.
pub struct Resolver {
    pub guard: Arc<Guard>,
    pub reach: Reach,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (guard, reach) = (self.guard.clone(), self.reach);
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let allowed: Vec<SocketAddr> = found
                .filter(|address| guard.allows(address.ip(), reach))
                .collect();
            if allowed.is_empty() {
                return Err(Refused::Private.sentence().into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Guard, Net, Reach, Refused};

    fn verdict(url: &str) -> Option<Refused> {
        Guard::default().read(url).err()
    }

    #[test]
    fn every_form_of_a_private_address_is_refused() {
        for host in [
            "127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f.1",
            "0177.0.0.1",
            "017700000001",
            "0x7f000001",
            "127.0.0.1.",
            "0.0.0.0",
            "0",
            "10.1.2.3",
            "100.64.0.1",
            "169.254.169.254",
            "168.63.129.16",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.0.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "１２７.0.0.1",
            "[::]",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:10.0.0.1]",
            "[0:0:0:0:0:ffff:7f00:1]",
            "[::127.0.0.1]",
            "[64:ff9b::7f00:1]",
            "[64:ff9b:1::1]",
            "[100::1]",
            "[2001::1]",
            "[2001:db8::1]",
            "[2002:7f00:1::]",
            "[3fff::1]",
            "[5f00::1]",
            "[fc00::1]",
            "[fd12:3456::1]",
            "[fe80::1]",
            "[fec0::1]",
            "[ff02::1]",
        ] {
            assert_eq!(
                verdict(&format!("https://{host}/x")),
                Some(Refused::Private),
                "{host}"
            );
        }
    }

    #[test]
    fn public_addresses_and_names_may_be_registered() {
        for host in [
            "8.8.8.8",
            "1.1.1.1",
            "172.32.0.1",
            "[2606:4700::1111]",
            "exemplo.com.br",
            "exemplo.com.br:8443",
        ] {
            assert_eq!(verdict(&format!("https://{host}/x?y=1")), None, "{host}");
        }
    }

    #[test]
    fn other_schemes_ports_and_forms_are_refused() {
        for (url, why) in [
            ("http://exemplo.com.br", Refused::Scheme),
            ("ftp://exemplo.com.br", Refused::Scheme),
            ("file:///etc/passwd", Refused::Scheme),
            ("https://a:b@exemplo.com.br", Refused::Credentials),
            ("https://exemplo.com.br@127.0.0.1/", Refused::Credentials),
            ("https://exemplo.com.br:22", Refused::Port),
            ("https://exemplo.com.br:6379", Refused::Port),
            ("https://", Refused::Malformed),
            ("//exemplo.com.br", Refused::Malformed),
            ("https://[fe80::1%25eth0]/", Refused::Malformed),
        ] {
            assert_eq!(verdict(url), Some(why), "{url}");
        }
    }

    #[test]
    fn what_the_operator_opens_is_open_and_nothing_else() {
        let guard = Guard {
            plain: true,
            open: vec![
                "10.20.0.0/16".parse::<Net>().expect("a net"),
                "::1".parse().expect("a net"),
            ],
        };
        for url in [
            "http://10.20.3.4:9000/x",
            "https://[::1]:9000/",
            "http://[::ffff:10.20.0.1]/",
        ] {
            assert!(guard.read(url).is_ok(), "{url}");
        }
        for url in ["http://10.21.0.1/", "http://127.0.0.1/", "http://[::2]/"] {
            assert_eq!(guard.read(url).err(), Some(Refused::Private), "{url}");
        }
        // Its ports are open there, not everywhere.
        let elsewhere = guard.read("https://8.8.8.8:22/").err();
        assert_eq!(elsewhere, Some(Refused::Port));
        let named = guard
            .read("https://exemplo.com.br:22/")
            .expect("may be inside");
        assert_eq!(guard.reach(&named), Reach::Opened);
        let address = "8.8.8.8".parse().expect("an address");
        assert!(guard.allows(address, Reach::All) && !guard.allows(address, Reach::Opened));
    }
}
