//! Envelope encryption of secrets at rest.
//!
//! Each secret has its own random data key (DEK) for XChaCha20-Poly1305 (24
//! random bytes of nonce never repeat in practice); the DEK is wrapped by the
//! active key of the [`Keyring`]. Both steps are bound to where the secret
//! belongs ([`Aad`]), so a blob copied to another row does not open.
//!
//! Layout of a blob, version 1:
//!
//! | bytes | content |
//! | --- | --- |
//! | 4 | `HUBE` |
//! | 1 | version, 1 |
//! | 1 + n | length and text of the key-encryption key's id |
//! | 24 + 48 | nonce and wrapped DEK |
//! | 24 + len + 16 | nonce and sealed secret |

use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use zeroize::Zeroizing;

use super::keyring::{Kek, MAX_ID_CHARS, is_id};
pub use super::keyring::{Keyring, KeyringError};
use base::random::RandomError;

/// Largest secret that is sealed, in bytes.
pub const MAX_PLAIN_BYTES: usize = 1024 * 1024;

const MAGIC: &[u8; 4] = b"HUBE";
const VERSION: u8 = 1;
const NONCE_BYTES: usize = 24;
const TAG_BYTES: usize = 16;
const WRAPPED_BYTES: usize = 32 + TAG_BYTES;
const MAX_BLOB_BYTES: usize =
    MAX_PLAIN_BYTES + MAGIC.len() + 2 + MAX_ID_CHARS + 2 * NONCE_BYTES + WRAPPED_BYTES + TAG_BYTES;

/// Where a secret belongs. All of it must be the same to open as to seal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aad<'a> {
    /// The account's id.
    pub account: &'a str,
    /// The id of what the secret belongs to: an emitter, an endpoint ...
    pub owner: &'a str,
    /// What the secret is for: "a1", "senha_prefeitura" ...
    pub purpose: &'a str,
    /// Counts the secret's replacements, so that an older blob put back into
    /// the row does not open.
    pub version: u32,
}

impl Aad<'_> {
    /// Lengths go first: ("ab", "c") and ("a", "bc") must differ.
    fn bytes(&self, role: &str, kek_id: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        for part in [role, kek_id, self.account, self.owner, self.purpose] {
            bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
            bytes.extend_from_slice(part.as_bytes());
        }
        bytes.extend_from_slice(&self.version.to_be_bytes());
        bytes
    }

    fn of_wrap(&self, kek_id: &str) -> Vec<u8> {
        self.bytes("hub.envelope.1.dek", kek_id)
    }

    /// Without the key's id: re-wrapping leaves the payload as it is.
    fn of_payload(&self) -> Vec<u8> {
        self.bytes("hub.envelope.1.payload", "")
    }
}

/// Why a secret was not sealed or opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    /// The keyring has no key with this id: wrong keyring file?
    #[error("sealed under unknown key {0}")]
    UnknownKey(String),
    /// Changed since it was sealed, or it belongs elsewhere ([`Aad`]).
    #[error("sealed secret was changed or belongs elsewhere")]
    Tampered,
    /// Not a blob of this module, or cut.
    #[error("not a sealed secret")]
    Malformed,
    /// More than [`MAX_PLAIN_BYTES`].
    #[error("secret too large to seal")]
    TooLarge,
    #[error(transparent)]
    Random(#[from] RandomError),
}

impl Keyring {
    /// Seals `plain` under the active key; two seals of the same secret differ.
    pub fn seal(&self, plain: &[u8], aad: &Aad<'_>) -> Result<Vec<u8>, EnvelopeError> {
        if plain.len() > MAX_PLAIN_BYTES {
            return Err(EnvelopeError::TooLarge);
        }
        let mut dek = Zeroizing::new([0u8; 32]);
        self.random.fill(dek.as_mut_slice())?;
        let nonce = self.nonce()?;
        let sealed = encrypt(&dek, &nonce, plain, &aad.of_payload())?;
        self.assemble(&dek, aad, &nonce, &sealed)
    }

    /// Opens what [`Keyring::seal`] made for the same `aad`.
    pub fn open(&self, blob: &[u8], aad: &Aad<'_>) -> Result<Zeroizing<Vec<u8>>, EnvelopeError> {
        let blob = Blob::parse(blob)?;
        let dek = self.dek(&blob, aad)?;
        decrypt(&dek, blob.nonce, blob.sealed, &aad.of_payload())
    }

    /// The same secret with its DEK wrapped by the active key. The payload is
    /// copied, not opened.
    pub fn rewrap(&self, blob: &[u8], aad: &Aad<'_>) -> Result<Vec<u8>, EnvelopeError> {
        let blob = Blob::parse(blob)?;
        let dek = self.dek(&blob, aad)?;
        self.assemble(&dek, aad, blob.nonce, blob.sealed)
    }

    fn dek(&self, blob: &Blob<'_>, aad: &Aad<'_>) -> Result<Kek, EnvelopeError> {
        let kek = self.get(blob.kek_id);
        let kek = kek.ok_or_else(|| EnvelopeError::UnknownKey(blob.kek_id.to_owned()))?;
        let dek = decrypt(
            &kek,
            blob.wrap_nonce,
            blob.wrapped,
            &aad.of_wrap(blob.kek_id),
        )?;
        let dek = <[u8; 32]>::try_from(dek.as_slice()).map_err(|_| EnvelopeError::Malformed)?;
        Ok(Zeroizing::new(dek))
    }

    fn assemble(
        &self,
        dek: &Kek,
        aad: &Aad<'_>,
        nonce: &[u8; NONCE_BYTES],
        sealed: &[u8],
    ) -> Result<Vec<u8>, EnvelopeError> {
        let id = self.active_id();
        let unknown = || EnvelopeError::UnknownKey(id.to_owned());
        let kek = self.get(id).ok_or_else(unknown)?;
        let id_len = u8::try_from(id.len()).map_err(|_| unknown())?;
        let wrap_nonce = self.nonce()?;
        let wrapped = encrypt(&kek, &wrap_nonce, dek.as_slice(), &aad.of_wrap(id))?;
        Ok([
            MAGIC,
            &[VERSION, id_len][..],
            id.as_bytes(),
            &wrap_nonce,
            &wrapped,
            nonce,
            sealed,
        ]
        .concat())
    }

    fn nonce(&self) -> Result<[u8; NONCE_BYTES], RandomError> {
        let mut nonce = [0u8; NONCE_BYTES];
        self.random.fill(&mut nonce)?;
        Ok(nonce)
    }
}

/// The id of the key a blob is wrapped with, to find what to re-wrap.
pub fn kek_id(blob: &[u8]) -> Result<&str, EnvelopeError> {
    Blob::parse(blob).map(|blob| blob.kek_id)
}

struct Blob<'a> {
    kek_id: &'a str,
    wrap_nonce: &'a [u8; NONCE_BYTES],
    wrapped: &'a [u8; WRAPPED_BYTES],
    nonce: &'a [u8; NONCE_BYTES],
    sealed: &'a [u8],
}

impl<'a> Blob<'a> {
    fn parse(blob: &'a [u8]) -> Result<Self, EnvelopeError> {
        if blob.len() > MAX_BLOB_BYTES {
            return Err(EnvelopeError::Malformed);
        }
        Self::split(blob).ok_or(EnvelopeError::Malformed)
    }

    fn split(blob: &'a [u8]) -> Option<Self> {
        let rest = blob.strip_prefix(MAGIC)?.strip_prefix(&[VERSION])?;
        let (&id_len, rest) = rest.split_first()?;
        let (id, rest) = rest.split_at_checked(usize::from(id_len))?;
        let kek_id = std::str::from_utf8(id).ok().filter(|id| is_id(id))?;
        let (wrap_nonce, rest) = rest.split_first_chunk()?;
        let (wrapped, rest) = rest.split_first_chunk()?;
        let (nonce, sealed) = rest.split_first_chunk()?;
        (sealed.len() >= TAG_BYTES).then_some(Self {
            kek_id,
            wrap_nonce,
            wrapped,
            nonce,
            sealed,
        })
    }
}

fn encrypt(
    key: &[u8; 32],
    nonce: &[u8; NONCE_BYTES],
    msg: &[u8],
    aad: &[u8],
) -> Result<Vec<u8>, EnvelopeError> {
    let cipher = XChaCha20Poly1305::new(key.into());
    let sealed = cipher.encrypt(&XNonce::from(*nonce), Payload { msg, aad });
    // The cipher's only refusal is a message beyond 256 GiB.
    sealed.map_err(|_| EnvelopeError::TooLarge)
}

fn decrypt(
    key: &[u8; 32],
    nonce: &[u8; NONCE_BYTES],
    msg: &[u8],
    aad: &[u8],
) -> Result<Zeroizing<Vec<u8>>, EnvelopeError> {
    let cipher = XChaCha20Poly1305::new(key.into());
    let plain = cipher.decrypt(&XNonce::from(*nonce), Payload { msg, aad });
    plain
        .map(Zeroizing::new)
        .map_err(|_| EnvelopeError::Tampered)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use base::random::OsRandom;

    const AAD: Aad<'static> = Aad {
        account: "acc_1",
        owner: "emi_1",
        purpose: "a1",
        version: 3,
    };

    fn keyring() -> Keyring {
        Keyring::ephemeral(Arc::new(OsRandom)).unwrap()
    }

    #[test]
    fn opens_what_it_sealed() {
        let keyring = keyring();
        for length in [0, 1, 63, 64, 4096, MAX_PLAIN_BYTES] {
            let plain = vec![0x5a; length];
            let blob = keyring.seal(&plain, &AAD).unwrap();
            assert_eq!(*keyring.open(&blob, &AAD).unwrap(), plain);
            assert_eq!(kek_id(&blob).unwrap(), keyring.active_id());
            assert_ne!(blob, keyring.seal(&plain, &AAD).unwrap());
        }
        let too_large = vec![0; MAX_PLAIN_BYTES + 1];
        assert_eq!(keyring.seal(&too_large, &AAD), Err(EnvelopeError::TooLarge));
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        let keyring = keyring();
        let blob = keyring.seal(b"uma senha qualquer", &AAD).unwrap();
        for at in 0..blob.len() {
            for flip in [0x01, 0x20, 0x80, 0xff] {
                let mut changed = blob.clone();
                changed[at] ^= flip;
                assert!(keyring.open(&changed, &AAD).is_err(), "byte {at}");
            }
        }
        let mut last = blob.clone();
        *last.last_mut().unwrap() ^= 1;
        assert_eq!(
            keyring.open(&last, &AAD).err(),
            Some(EnvelopeError::Tampered)
        );
    }

    #[test]
    fn cut_and_lengthened_blobs_are_noticed() {
        let keyring = keyring();
        let blob = keyring.seal(b"segredo", &AAD).unwrap();
        for length in 0..blob.len() {
            assert!(keyring.open(&blob[..length], &AAD).is_err(), "{length}");
        }
        assert_eq!(
            keyring.open(&[], &AAD).err(),
            Some(EnvelopeError::Malformed)
        );
        let longer = [&blob[..], &[0]].concat();
        assert_eq!(
            keyring.open(&longer, &AAD).err(),
            Some(EnvelopeError::Tampered)
        );
        let huge = [&blob[..], &vec![0; MAX_BLOB_BYTES]].concat();
        assert_eq!(
            keyring.open(&huge, &AAD).err(),
            Some(EnvelopeError::Malformed)
        );
    }

    #[test]
    fn a_blob_opens_only_where_it_belongs() {
        let keyring = keyring();
        let blob = keyring.seal(b"segredo", &AAD).unwrap();
        let elsewhere = [
            Aad {
                account: "acc_2",
                ..AAD
            },
            Aad {
                owner: "emi_2",
                ..AAD
            },
            Aad {
                purpose: "csc",
                ..AAD
            },
            Aad { version: 2, ..AAD },
            Aad {
                account: "acc_1e",
                owner: "mi_1",
                ..AAD
            },
            Aad {
                account: "",
                owner: "acc_1emi_1",
                ..AAD
            },
        ];
        for aad in elsewhere {
            assert_eq!(
                keyring.open(&blob, &aad).err(),
                Some(EnvelopeError::Tampered),
                "{aad:?}"
            );
            assert_eq!(
                keyring.rewrap(&blob, &aad).err(),
                Some(EnvelopeError::Tampered)
            );
        }
    }

    #[test]
    fn payloads_cannot_be_exchanged_between_blobs() {
        let keyring = keyring();
        let one = keyring.seal(b"segredo", &AAD).unwrap();
        let two = keyring.seal(b"segredo", &AAD).unwrap();
        let payload_at = one.len() - (NONCE_BYTES + 7 + TAG_BYTES);
        let mixed = [&one[..payload_at], &two[payload_at..]].concat();
        assert_eq!(
            keyring.open(&mixed, &AAD).err(),
            Some(EnvelopeError::Tampered)
        );
    }

    #[test]
    fn rotation_opens_old_blobs_and_rewraps_them() {
        let mut keyring = keyring();
        let old = keyring.seal(b"segredo", &AAD).unwrap();
        let first = keyring.active_id().to_owned();
        keyring.rotate().unwrap();
        assert_eq!(**keyring.open(&old, &AAD).unwrap(), *b"segredo");
        assert_eq!(kek_id(&old), Ok(first.as_str()));

        let new = keyring.rewrap(&old, &AAD).unwrap();
        assert_eq!(kek_id(&new).unwrap(), keyring.active_id());
        assert_eq!(**keyring.open(&new, &AAD).unwrap(), *b"segredo");
        let payload = NONCE_BYTES + 7 + TAG_BYTES;
        assert_eq!(new[new.len() - payload..], old[old.len() - payload..]);
        for at in 0..new.len() {
            let mut changed = new.clone();
            changed[at] ^= 0x10;
            assert!(keyring.open(&changed, &AAD).is_err(), "byte {at}");
        }
    }

    #[test]
    fn a_foreign_keyring_names_the_key_it_lacks() {
        let mine = keyring();
        let blob = mine.seal(b"segredo", &AAD).unwrap();
        let unknown = EnvelopeError::UnknownKey(mine.active_id().to_owned());
        assert_eq!(keyring().open(&blob, &AAD).err(), Some(unknown.clone()));
        assert_eq!(keyring().rewrap(&blob, &AAD).err(), Some(unknown));
    }

    #[test]
    fn a_dead_source_seals_nothing() {
        use std::sync::atomic::{AtomicU32, Ordering};
        let calls = AtomicU32::new(0);
        let dies = move |out: &mut [u8]| {
            // Two calls make the keyring; the source fails from then on.
            if calls.fetch_add(1, Ordering::Relaxed) < 2 {
                out.fill(9);
                return Ok(());
            }
            Err(RandomError)
        };
        let keyring = Keyring::ephemeral(Arc::new(dies)).unwrap();
        assert_eq!(
            keyring.seal(b"x", &AAD),
            Err(EnvelopeError::Random(RandomError))
        );
    }
}
