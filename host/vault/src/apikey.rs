//! The service's own API keys.
//!
//! `svc_test_` or `svc_live_`, 32 random base62 characters (190 bits), then
//! six characters with the CRC-32 of all that precedes: a mistyped key dies
//! without a query, and a scanner can recognize a leaked one. The secret of
//! the header pair has the same form with `svc_secret_`. Only digests are
//! stored; the text is shown once.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use base::random::{Random, RandomError};

pub use store::words::KeyKind;

/// What keys of this kind begin with.
pub const fn prefix(kind: KeyKind) -> &'static str {
    match kind {
        KeyKind::Test => "svc_test_",
        KeyKind::Live => "svc_live_",
    }
}

const SECRET_PREFIX: &str = "svc_secret_";
const RANDOM_CHARS: usize = 32;
const CHECKSUM_CHARS: usize = 6;
const HINT_CHARS: usize = 4;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A text that is not a key of ours; says nothing about whether one exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Wrong prefix, length or characters.
    #[error("not an API key")]
    Malformed,
    /// Right form, wrong checksum: mistyped or cut.
    #[error("API key checksum does not match")]
    Checksum,
}

/// A key or secret just made. It has no `Debug`: it is shown to its owner once.
pub struct NewKey(Zeroizing<String>);

impl NewKey {
    /// The text for the owner.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The last 4 characters, to tell keys apart in a list.
    pub fn hint(&self) -> &str {
        hint(&self.0)
    }

    /// See [`digest`].
    pub fn digest(&self, pepper: &[u8; 32]) -> [u8; 32] {
        digest(pepper, &self.0)
    }
}

/// A text with the form and the checksum of a key. No `Debug`: it borrows it.
#[derive(Clone, Copy)]
pub struct ParsedKey<'a> {
    kind: KeyKind,
    text: &'a str,
}

impl<'a> ParsedKey<'a> {
    /// The environment the key claims; true only if its digest is known.
    pub fn kind(&self) -> KeyKind {
        self.kind
    }

    /// The last 4 characters.
    pub fn hint(&self) -> &'a str {
        hint(self.text)
    }

    /// See [`digest`].
    pub fn digest(&self, pepper: &[u8; 32]) -> [u8; 32] {
        digest(pepper, self.text)
    }
}

/// Makes a new API key.
pub fn generate(kind: KeyKind, random: &dyn Random) -> Result<NewKey, RandomError> {
    make(prefix(kind), random)
}

/// Makes a new value for `X-API-Secret`.
pub fn generate_secret(random: &dyn Random) -> Result<NewKey, RandomError> {
    make(SECRET_PREFIX, random)
}

/// Checks form and checksum of a key, offline.
pub fn parse(text: &str) -> Result<ParsedKey<'_>, KeyError> {
    for kind in [KeyKind::Test, KeyKind::Live] {
        if text.starts_with(prefix(kind)) {
            check(text, prefix(kind))?;
            return Ok(ParsedKey { kind, text });
        }
    }
    Err(KeyError::Malformed)
}

/// Checks form and checksum of a secret, offline.
pub fn parse_secret(text: &str) -> Result<&str, KeyError> {
    check(text, SECRET_PREFIX)?;
    Ok(text)
}

/// What is stored and looked up: HMAC-SHA256 under the installation's pepper,
/// so that a stolen database alone opens nothing.
pub fn digest(pepper: &[u8; 32], key: &str) -> [u8; 32] {
    // HMAC pads a short key with zeros to the block of 64 (RFC 2104 §2).
    let mut block = Zeroizing::new([0u8; 64]);
    for (to, from) in block.iter_mut().zip(pepper) {
        *to = *from;
    }
    let mut mac = <Hmac<Sha256> as KeyInit>::new((&*block).into());
    mac.update(key.as_bytes());
    mac.finalize().into_bytes().into()
}

/// Compares digests in constant time.
pub fn same_digest(a: &[u8; 32], b: &[u8; 32]) -> bool {
    a.ct_eq(b).into()
}

fn make(prefix: &str, random: &dyn Random) -> Result<NewKey, RandomError> {
    let mut text = Zeroizing::new(String::with_capacity(
        prefix.len() + RANDOM_CHARS + CHECKSUM_CHARS,
    ));
    text.push_str(prefix);
    push_random(&mut text, random)?;
    let checksum = checksum(&text);
    for &character in &checksum {
        text.push(char::from(character));
    }
    Ok(NewKey(text))
}

/// Refills tried before the source is called broken. One gives 64 bytes, of
/// which 32 are needed and 97 % are usable: a second one is already rare.
const MAX_REFILLS: usize = 16;

/// Appends [`RANDOM_CHARS`] characters, all equally likely: the bytes 248 to
/// 255 are thrown away, for 248 is the largest multiple of 62 in a byte.
fn push_random(text: &mut String, random: &dyn Random) -> Result<(), RandomError> {
    let mut missing = RANDOM_CHARS;
    for _ in 0..MAX_REFILLS {
        let mut bytes = Zeroizing::new([0u8; 64]);
        random.fill(bytes.as_mut_slice())?;
        let usable = bytes.iter().filter(|&&byte| byte < 248);
        for character in usable.filter_map(|byte| ALPHABET.get(usize::from(byte % 62))) {
            if missing == 0 {
                return Ok(());
            }
            text.push(char::from(*character));
            missing -= 1;
        }
    }
    Err(RandomError)
}

fn check(text: &str, prefix: &str) -> Result<(), KeyError> {
    let body = text.strip_prefix(prefix).ok_or(KeyError::Malformed)?;
    if body.len() != RANDOM_CHARS + CHECKSUM_CHARS
        || !body.bytes().all(|b| b.is_ascii_alphanumeric())
    {
        return Err(KeyError::Malformed);
    }
    let split = text.len() - CHECKSUM_CHARS;
    let (signed, found) = text.split_at_checked(split).ok_or(KeyError::Malformed)?;
    // Not a secret comparison: the checksum follows from the text itself.
    if found.as_bytes() == checksum(signed) {
        Ok(())
    } else {
        Err(KeyError::Checksum)
    }
}

/// CRC-32 (ISO 3309, as in zlib) in base62, most significant character first.
/// Six characters hold 35 bits, so the padding is fixed.
fn checksum(text: &str) -> [u8; CHECKSUM_CHARS] {
    let mut crc = flate2::Crc::new();
    crc.update(text.as_bytes());
    let mut rest = crc.sum();
    let mut out = [b'0'; CHECKSUM_CHARS];
    for place in out.iter_mut().rev() {
        if let Some(character) = ALPHABET.get((rest % 62) as usize) {
            *place = *character;
        }
        rest /= 62;
    }
    out
}

fn hint(text: &str) -> &str {
    // Keys are ASCII, so the cut is always on a character.
    text.get(text.len().saturating_sub(HINT_CHARS)..)
        .unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::OsRandom;

    const PEPPER: [u8; 32] = [7; 32];

    #[test]
    fn a_new_key_parses_and_keeps_its_kind() {
        for kind in [KeyKind::Test, KeyKind::Live] {
            let key = generate(kind, &OsRandom).unwrap();
            assert_eq!(key.expose().len(), 47);
            let parsed = parse(key.expose()).unwrap();
            assert_eq!(parsed.kind(), kind);
            assert_eq!(parsed.hint(), key.hint());
            assert!(key.expose().ends_with(key.hint()) && key.hint().len() == 4);
            assert!(same_digest(&parsed.digest(&PEPPER), &key.digest(&PEPPER)));
        }
        let secret = generate_secret(&OsRandom).unwrap();
        assert_eq!(parse_secret(secret.expose()), Ok(secret.expose()));
        assert_eq!(parse(secret.expose()).err(), Some(KeyError::Malformed));
        let key = generate(KeyKind::Live, &OsRandom).unwrap();
        assert_eq!(parse_secret(key.expose()), Err(KeyError::Malformed));
    }

    #[test]
    fn known_key_from_known_bytes() {
        let counting = |out: &mut [u8]| {
            out.iter_mut().zip(0u8..).for_each(|(to, n)| *to = n);
            Ok(())
        };
        let key = generate(KeyKind::Test, &counting).unwrap();
        // CRC-32 of the first 41 characters, calculated apart (zlib).
        assert_eq!(
            key.expose(),
            "svc_test_0123456789ABCDEFGHIJKLMNOPQRSTUV2nuRgb"
        );
    }

    #[test]
    fn every_single_typo_is_caught() {
        for _ in 0..4 {
            let key = generate(KeyKind::Live, &OsRandom).unwrap();
            for at in 0..key.expose().len() {
                for typo in 0x20..0x7f {
                    let mut bytes = key.expose().as_bytes().to_vec();
                    if bytes[at] != typo {
                        bytes[at] = typo;
                        let text = String::from_utf8(bytes).unwrap();
                        assert!(parse(&text).is_err(), "position {at}");
                    }
                }
            }
        }
    }

    #[test]
    fn swaps_cuts_and_foreign_text_are_caught() {
        let key = generate(KeyKind::Test, &OsRandom).unwrap();
        let text = key.expose();
        for at in 0..text.len() - 1 {
            let mut bytes = text.as_bytes().to_vec();
            bytes.swap(at, at + 1);
            let swapped = String::from_utf8(bytes).unwrap();
            assert!(swapped == text || parse(&swapped).is_err());
        }
        for length in 0..text.len() {
            assert!(parse(&text[..length]).is_err());
        }
        let other_kind = text.replace("test", "live");
        assert_eq!(parse(&other_kind).err(), Some(KeyError::Checksum));
        for foreign in [
            "",
            "svc_",
            "svc_test_çççççççççççççççççççç",
            "Bearer x",
            &format!("{text} "),
        ] {
            assert_eq!(parse(foreign).err(), Some(KeyError::Malformed), "{foreign}");
        }
    }

    #[test]
    fn digests_depend_on_pepper_and_key() {
        let one = digest(&PEPPER, "a");
        assert!(same_digest(&one, &digest(&PEPPER, "a")));
        assert!(!same_digest(&one, &digest(&PEPPER, "b")));
        assert!(!same_digest(&one, &digest(&[8; 32], "a")));
        // RFC 4231 §4.2-style check against an independent implementation.
        let key = openssl::pkey::PKey::hmac(&PEPPER).unwrap();
        let digest256 = openssl::hash::MessageDigest::sha256();
        let mut other = openssl::sign::Signer::new(digest256, &key).unwrap();
        assert_eq!(other.sign_oneshot_to_vec(b"a").unwrap(), one);
    }

    #[test]
    fn a_broken_source_gives_no_key() {
        let stuck = |out: &mut [u8]| {
            out.fill(0xff);
            Ok(())
        };
        assert_eq!(generate(KeyKind::Live, &stuck).err(), Some(RandomError));
        let dead = |_: &mut [u8]| Err(RandomError);
        assert_eq!(generate(KeyKind::Live, &dead).err(), Some(RandomError));
    }
}
