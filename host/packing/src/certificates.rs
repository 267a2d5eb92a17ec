//! Certificates inside of texts. Each signature of a document carries the one of its signer,
//! above a thousand bytes that do not compress and are the same in all documents of a company
//! or an authority. A record names them; whoever keeps records keeps each of them once.

use crate::bytes::{Input, Unreadable};
use sha2::{Digest as _, Sha256};

/// Bytes of a name.
const ID: usize = 16;
/// Fewer are no certificate of RSA-2048 (its key and its signature have 256 each).
const SHORTEST: usize = 300;
/// Most certificates that a record names.
const MOST: usize = 64;

/// The first 16 bytes of the SHA-256 of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CertificateId(pub [u8; ID]);

/// A certificate that records name, as DER.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    id: CertificateId,
    bytes: Vec<u8>,
}

impl Certificate {
    /// Its name is made of its bytes, so other bytes are never taken for it.
    pub fn new(bytes: Vec<u8>) -> Certificate {
        let mut id = [0; ID];
        for (to, from) in id.iter_mut().zip(Sha256::digest(&bytes)) {
            *to = from;
        }
        Certificate {
            id: CertificateId(id),
            bytes,
        }
    }

    pub const fn id(&self) -> CertificateId {
        self.id
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Those of a record while it is written.
#[derive(Default)]
pub(crate) struct Found(pub(crate) Vec<Certificate>);

impl Found {
    /// The place of a certificate in the record; None: it names as many as it may.
    pub(crate) fn place(&mut self, bytes: &[u8]) -> Option<usize> {
        if let Some(place) = self.0.iter().position(|one| one.bytes == bytes) {
            return Some(place);
        }
        if self.0.len() == MOST {
            return None;
        }
        self.0.push(Certificate::new(bytes.to_vec()));
        Some(self.0.len() - 1)
    }

    /// The names, one after the other.
    pub(crate) fn names(&self) -> Vec<u8> {
        self.0.iter().flat_map(|one| one.id.0).collect()
    }
}

/// Those that a record names, as far as they are given.
pub(crate) struct Given<'c> {
    pub(crate) named: Vec<CertificateId>,
    pub(crate) all: &'c [Certificate],
}

impl Given<'_> {
    pub(crate) fn at(&self, place: usize) -> Result<&[u8], Unreadable> {
        let id = self.named.get(place).ok_or(Unreadable::Shape)?;
        let found = self.all.iter().find(|one| one.id == *id);
        Ok(found.ok_or(Unreadable::Certificate)?.bytes())
    }
}

/// Reads as many names as the input says.
pub(crate) fn named(input: &mut Input<'_>) -> Result<Vec<CertificateId>, Unreadable> {
    let many = input.length()?;
    if many > MOST {
        return Err(Unreadable::Shape);
    }
    let bytes = input.take(many * ID)?;
    let ids = bytes.as_chunks::<ID>().0.iter();
    Ok(ids.map(|id| CertificateId(*id)).collect())
}

/// Looks like a certificate: one SEQUENCE of DER that fills all bytes and begins with
/// another (RFC 5280, section 4.1). What looks like one and is none is kept aside too and
/// comes back the same.
pub(crate) fn is_one(bytes: &[u8]) -> bool {
    let [0x30, 0x82, high, low, 0x30, ..] = bytes else {
        return false;
    };
    let length = usize::from(u16::from_be_bytes([*high, *low]));
    bytes.len() >= SHORTEST && bytes.len() == length + 4
}
