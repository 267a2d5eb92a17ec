//! What a host of `[tls]` demands of a TLS client.

use std::sync::Arc;

use time::Date;

use super::Source;

/// OpenSSL security level of a host the file says nothing about.
pub(in crate::registry) const DEFAULT_LEVEL: u8 = 2;

/// How to speak TLS with one host.
#[derive(Debug, Clone)]
pub struct TlsProfile {
    /// Host name, lower case.
    pub host: String,
    /// The client certificate is asked for in a renegotiation: the client
    /// must allow one.
    pub renegotiation: bool,
    /// Security level of OpenSSL the host needs; 2 is the usual one, 1 lets
    /// small Diffie-Hellman groups and old ciphers through.
    pub security_level: u8,
    /// Ciphers the host was seen to choose that are not ECDHE with AEAD, by
    /// OpenSSL's names: a client must offer them beside its own.
    pub ciphers: Vec<String>,
    /// Where its certificate comes from.
    pub root: Root,
    /// How this is known.
    pub evidence: TlsEvidence,
    /// Source.
    pub cited: Arc<Source>,
    /// Day of the check.
    pub verified: Date,
}

/// Root under which a host's certificate was issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// AC Raiz Brasileira: not in the usual root stores.
    IcpBrasil,
    /// A root of the usual stores.
    Public,
}

/// How a profile is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlsEvidence {
    /// Seen in a handshake without client certificate.
    Probe,
    /// Concluded from what a handshake did not ask for.
    Likely,
    /// Done with a real certificate.
    Verified,
}
