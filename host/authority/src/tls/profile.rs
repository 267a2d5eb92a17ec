//! What one host demands of the handshake.

use flow::registry::TlsProfile;

/// Ciphers of TLS 1.2 every host may choose: a fresh key for each connection,
/// encryption with authentication. TLS 1.3 has no others.
pub const USUAL: &str = "ECDHE+AESGCM:ECDHE+CHACHA20";
/// What a host nobody has measured may choose besides: cities run servers of
/// every age, and which one is not known until a note is due.
const OLD: &str = "ECDHE+AES:DHE+AES:RSA+AES";
/// OpenSSL's level of the usual hosts: 112 bits, so RSA and
/// Diffie-Hellman from 2048.
const LEVEL: u8 = 2;
/// Lowest level a registry may ask for: below it the TLS of the last century
/// begins.
const MIN_LEVEL: u8 = 1;

/// The part of a handshake that differs between hosts. Verification of chain
/// and name is no part of it: it never differs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Profile {
    level: u8,
    ciphers: String,
    only_tls12: bool,
}

impl Default for Profile {
    fn default() -> Self {
        Profile::new(LEVEL, &[], false)
    }
}

impl Profile {
    /// `cifras`, by OpenSSL's names, are offered after the usual ones.
    /// `renegociacao` keeps the host at TLS 1.2: TLS 1.3 has no renegotiation,
    /// and a host that moves to it would never ask for the certificate.
    pub fn new(level: u8, ciphers: &[String], renegotiation: bool) -> Profile {
        let mut list = USUAL.to_owned();
        // A name, no operator of OpenSSL's language: "ALL" or "@SECLEVEL=0"
        // are no ciphers.
        let named = |name: &&String| {
            name.contains('-')
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
                && !name.starts_with('-')
        };
        for name in ciphers.iter().filter(named) {
            list.push(':');
            list.push_str(name);
        }
        Profile {
            level: level.clamp(MIN_LEVEL, 5),
            ciphers: list,
            only_tls12: renegotiation,
        }
    }

    /// For a host the registry says nothing about: no cipher without
    /// encryption or authentication, and no short key, but older suites too.
    pub fn unknown() -> Profile {
        Profile {
            ciphers: format!("{USUAL}:{OLD}"),
            ..Profile::default()
        }
    }

    /// OpenSSL's security level, 1 to 5.
    pub fn level(&self) -> u32 {
        u32::from(self.level)
    }

    /// The ciphers of TLS 1.2 that are offered, as OpenSSL's list: those every host
    /// may choose first.
    pub fn ciphers(&self) -> &str {
        &self.ciphers
    }

    pub(super) fn only_tls12(&self) -> bool {
        self.only_tls12
    }
}

impl From<TlsProfile> for Profile {
    fn from(known: TlsProfile) -> Self {
        Profile::new(known.security_level, &known.ciphers, known.renegotiation)
    }
}
