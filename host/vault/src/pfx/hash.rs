//! The hash functions of PFX files.

use openssl::hash::MessageDigest;
use openssl::sha::{Sha1, Sha224, Sha256, Sha384, Sha512};
use zeroize::Zeroizing;

/// A hash function that PFX files derive with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hash {
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
}

impl Hash {
    /// OIDs of RFC 8017 App. A.2.4 (1.3.14.3.2.26, 2.16.840.1.101.3.4.2.n).
    pub(crate) fn of_digest(oid: &[u8]) -> Option<Self> {
        match oid {
            [0x2b, 0x0e, 0x03, 0x02, 0x1a] => Some(Self::Sha1),
            [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, n] => match n {
                1 => Some(Self::Sha256),
                2 => Some(Self::Sha384),
                3 => Some(Self::Sha512),
                4 => Some(Self::Sha224),
                _ => None,
            },
            _ => None,
        }
    }

    /// OIDs of RFC 8018 App. B.1.1 and B.1.2 (1.2.840.113549.2.n).
    pub(crate) fn of_hmac(oid: &[u8]) -> Option<Self> {
        match oid {
            [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02, n] => match n {
                7 => Some(Self::Sha1),
                8 => Some(Self::Sha224),
                9 => Some(Self::Sha256),
                10 => Some(Self::Sha384),
                11 => Some(Self::Sha512),
                _ => None,
            },
            _ => None,
        }
    }

    pub(crate) fn message_digest(self) -> MessageDigest {
        match self {
            Self::Sha1 => MessageDigest::sha1(),
            Self::Sha224 => MessageDigest::sha224(),
            Self::Sha256 => MessageDigest::sha256(),
            Self::Sha384 => MessageDigest::sha384(),
            Self::Sha512 => MessageDigest::sha512(),
        }
    }

    /// Octets of a digest.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha224 => 28,
            Self::Sha256 => 32,
            Self::Sha384 => 48,
            Self::Sha512 => 64,
        }
    }

    /// Octets the function takes at a time: "v" of RFC 7292 App. B.2.
    pub(super) fn block(self) -> usize {
        match self {
            Self::Sha1 | Self::Sha224 | Self::Sha256 => 64,
            Self::Sha384 | Self::Sha512 => 128,
        }
    }

    /// Hashes `times` over; the plain functions, because OpenSSL's general
    /// ones take longer to set up than such short inputs take to hash.
    pub(super) fn repeat(self, input: &[u8], times: u64) -> Zeroizing<Vec<u8>> {
        macro_rules! repeat {
            ($hash:ident) => {{
                let hash = |input: &[u8]| {
                    let mut hash = $hash::new();
                    hash.update(input);
                    Zeroizing::new(hash.finish())
                };
                let mut digest = hash(input);
                for _ in 1..times {
                    digest = hash(&digest[..]);
                }
                Zeroizing::new(digest.to_vec())
            }};
        }
        match self {
            Self::Sha1 => repeat!(Sha1),
            Self::Sha224 => repeat!(Sha224),
            Self::Sha256 => repeat!(Sha256),
            Self::Sha384 => repeat!(Sha384),
            Self::Sha512 => repeat!(Sha512),
        }
    }
}
