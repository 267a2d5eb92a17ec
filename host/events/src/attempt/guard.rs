//! Where a webhook may point: not into the network the hub stands in.
//!
//! The address is looked at when the webhook is registered, and every name is
//! resolved once per connection, to the very addresses the connection then
//! goes to: an answer that changes between look and use changes nothing.
//! Redirects are not followed and proxies not used.

use base::config::Webhooks;
use base::net::{Net, public};
use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
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

    /// Whether a connection of this reach may go to an address.
    pub fn allows(&self, address: IpAddr, reach: Reach) -> bool {
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
pub fn literal(url: &Url) -> Option<IpAddr> {
    let host = url.host_str()?.trim_end_matches('.');
    if host == "localhost" || host.ends_with(".localhost") {
        return Some(Ipv4Addr::LOCALHOST.into());
    }
    host.trim_start_matches('[')
        .trim_end_matches(']')
        .parse()
        .ok()
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
