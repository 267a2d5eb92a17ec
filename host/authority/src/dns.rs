//! Whether the domain of an address takes mail: the questions a server that
//! delivers mail asks the DNS (RFC 5321 §5.1, RFC 7505). The answers are kept as
//! long as the DNS says, and only so many.

use base::config::Dns as Settings;
use hickory_resolver::TokioResolver;
use hickory_resolver::config::{
    ConnectionConfig, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts,
};
use hickory_resolver::lookup::Lookup;
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::rr::RData;
use std::net::SocketAddr;
use std::time::Duration;

/// Most answers kept.
const KEPT: u64 = 4_096;
/// Longest time an answer is kept: a company that has just got its server for mail
/// is not told the contrary for days.
const KEPT_FOR: Duration = Duration::from_secs(3_600);
/// Domains of one network or of one machine (RFC 6761, RFC 6762, RFC 7686, RFC 8375,
/// ICANN's `internal`): nobody outside is asked about them, and nobody inside.
const SPECIAL: [&str; 7] = [
    "arpa",
    "internal",
    "invalid",
    "local",
    "localhost",
    "onion",
    "test",
];

/// How a domain takes mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailRoute {
    /// It names a server for mail.
    Exchanger,
    /// It names none and has an address, which takes its place.
    Address,
    /// It says that it takes none.
    Refused,
    /// It exists and has neither.
    NoServer,
    /// It does not exist.
    NoDomain,
    /// The DNS did not answer in time, or answered that it failed.
    Unknown,
}

/// Asks the DNS.
pub struct Dns {
    /// None: the system names no server that could be asked.
    resolver: Option<TokioResolver>,
    timeout: Duration,
}

impl Dns {
    /// Asks the servers of the settings, else those of the system. Without any it
    /// answers that nobody knows.
    pub fn new(settings: &Settings) -> Dns {
        let timeout = Duration::from_millis(settings.timeout_ms);
        let resolver = resolver(&settings.addresses(), timeout);
        if let Err(error) = &resolver {
            tracing::error!(%error, "no DNS server: nobody can tell whether a domain takes mail");
        }
        Dns {
            resolver: resolver.ok(),
            timeout,
        }
    }

    /// How a domain takes mail; `domain` is as the DNS knows it, without the dot at
    /// its end.
    pub async fn mail_route(&self, domain: &str) -> MailRoute {
        let last = domain.rsplit('.').next().unwrap_or_default();
        if SPECIAL.contains(&last) {
            return MailRoute::NoDomain;
        }
        let Some(resolver) = &self.resolver else {
            return MailRoute::Unknown;
        };
        let asked = tokio::time::timeout(self.timeout, asked(resolver, domain));
        asked.await.unwrap_or(MailRoute::Unknown)
    }
}

fn resolver(servers: &[SocketAddr], timeout: Duration) -> Result<TokioResolver, NetError> {
    let mut builder = if servers.is_empty() {
        TokioResolver::builder_tokio()?
    } else {
        let servers = servers.iter().map(|server| at(*server)).collect();
        let config = ResolverConfig::from_name_servers(servers);
        TokioResolver::builder_with_config(config, TokioRuntimeProvider::default())
    };
    let options: &mut ResolverOpts = builder.options_mut();
    // One server that is down leaves time to ask another.
    options.timeout = timeout / 2;
    options.cache_size = KEPT;
    options.positive_max_ttl = Some(KEPT_FOR);
    options.negative_max_ttl = Some(KEPT_FOR);
    options.use_hosts_file = ResolveHosts::Never;
    builder.build()
}

/// A server at an address and port, over UDP, and TCP for long answers.
fn at(server: SocketAddr) -> NameServerConfig {
    let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()];
    let connections = connections.map(|mut connection| {
        connection.port = server.port();
        connection
    });
    NameServerConfig::new(server.ip(), true, connections.to_vec())
}

async fn asked(resolver: &TokioResolver, domain: &str) -> MailRoute {
    // With the dot no search domain of this network is tried.
    let name = format!("{domain}.");
    match resolver.mx_lookup(name.as_str()).await {
        Ok(lookup) => match exchanges(&lookup) {
            (0, _) => address(resolver, &name).await,
            // One server whose name is the root: RFC 7505.
            (1, true) => MailRoute::Refused,
            _ => MailRoute::Exchanger,
        },
        Err(error) if error.is_nx_domain() => MailRoute::NoDomain,
        Err(error) if error.is_no_records_found() => address(resolver, &name).await,
        Err(_) => MailRoute::Unknown,
    }
}

/// How many servers a domain names, and whether one of them is the root.
fn exchanges(lookup: &Lookup) -> (usize, bool) {
    let named = lookup
        .answers()
        .iter()
        .filter_map(|record| match &record.data {
            RData::MX(mx) => Some(&mx.exchange),
            _ => None,
        });
    named.fold((0, false), |(count, root), name| {
        (count + 1, root || name.is_root())
    })
}

/// Whether a domain without a server for mail has an address.
async fn address(resolver: &TokioResolver, name: &str) -> MailRoute {
    let (four, six) = tokio::join!(resolver.ipv4_lookup(name), resolver.ipv6_lookup(name));
    let has = |lookup: &Result<Lookup, NetError>| match lookup {
        Ok(lookup) => Some(!lookup.answers().is_empty()),
        Err(error) if error.is_no_records_found() => Some(false),
        Err(_) => None,
    };
    match (has(&four), has(&six)) {
        (Some(true), _) | (_, Some(true)) => MailRoute::Address,
        (Some(false), Some(false)) => MailRoute::NoServer,
        _ => MailRoute::Unknown,
    }
}
