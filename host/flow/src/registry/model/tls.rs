//! What a host of `[tls]` demands of a TLS client.

use std::sync::Arc;

use time::Date;

use super::Fonte;

/// OpenSSL security level of a host the file says nothing about.
pub(in crate::registry) const NIVEL_PADRAO: u8 = 2;

/// How to speak TLS with one host.
#[derive(Debug, Clone)]
pub struct PerfilTls {
    /// Host name, lower case.
    pub host: String,
    /// The client certificate is asked for in a renegotiation: the client
    /// must allow one.
    pub renegociacao: bool,
    /// Security level of OpenSSL the host needs; 2 is the usual one, 1 lets
    /// small Diffie-Hellman groups and old ciphers through.
    pub nivel_seguranca: u8,
    /// Ciphers the host was seen to choose that are not ECDHE with AEAD, by
    /// OpenSSL's names: a client must offer them beside its own.
    pub cifras: Vec<String>,
    /// Where its certificate comes from.
    pub raiz: Raiz,
    /// How this is known.
    pub evidencia: EvidenciaTls,
    /// Source.
    pub fonte: Arc<Fonte>,
    /// Day of the check.
    pub verificado: Date,
}

/// Root under which a host's certificate was issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Raiz {
    /// AC Raiz Brasileira: not in the usual root stores.
    IcpBrasil,
    /// A root of the usual stores.
    Publica,
}

/// How a profile is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvidenciaTls {
    /// Seen in a handshake without client certificate.
    Sonda,
    /// Concluded from what a handshake did not ask for.
    Provavel,
    /// Done with a real certificate.
    Verificado,
}
