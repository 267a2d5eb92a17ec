//! The key derivations a PFX may ask for: PBKDF2 (RFC 8018 §5.2) and that of
//! PKCS#12 itself (RFC 7292 App. B). Neither begins before it is paid for.

use openssl::pkcs5::pbkdf2_hmac;
use zeroize::Zeroizing;

use crate::pfx::cost::{Budget, Excessive};
use crate::pfx::hash::Hash;

/// What a PKCS#12 derivation is for: "ID" of RFC 7292 App. B.3.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    Key = 1,
    Iv = 2,
    Mac = 3,
}

/// The same password in the two forms PFX files derive from.
pub(crate) struct Password {
    utf8: Zeroizing<Vec<u8>>,
    /// UTF-16, big-endian, with a terminator (RFC 7292 App. B.1).
    bmp: Zeroizing<Vec<u8>>,
}

impl Password {
    pub(crate) fn new(password: &str) -> Self {
        // Room for all at once: growing would leave copies behind.
        let mut bmp = Zeroizing::new(Vec::with_capacity(2 * password.len() + 2));
        let units = password.encode_utf16().chain([0]);
        units.for_each(|unit| bmp.extend_from_slice(&unit.to_be_bytes()));
        Self {
            utf8: Zeroizing::new(password.as_bytes().to_vec()),
            bmp,
        }
    }

    /// Some exporters take "no password" for no octets at all, without even
    /// the terminator.
    pub(crate) fn absent() -> Self {
        Self {
            utf8: Zeroizing::default(),
            bmp: Zeroizing::default(),
        }
    }
}

/// Salt and iteration count, as a file names them.
#[derive(Clone, Copy)]
pub(crate) struct Salted<'a> {
    pub salt: &'a [u8],
    pub iterations: u64,
}

/// PBKDF2 with HMAC over `hash`.
pub(crate) fn pbkdf2(
    hash: Hash,
    password: &Password,
    salted: Salted<'_>,
    length: usize,
    budget: &mut Budget,
) -> Result<Zeroizing<Vec<u8>>, Excessive> {
    budget.pbkdf2(hash, salted.iterations, length)?;
    let iterations = usize::try_from(salted.iterations.max(1)).map_err(|_| Excessive)?;
    let mut key = Zeroizing::new(vec![0; length]);
    pbkdf2_hmac(
        &password.utf8,
        salted.salt,
        iterations,
        hash.message_digest(),
        &mut key,
    )
    // Salt and password of any length are valid: only memory can be missing.
    .map_err(|_| Excessive)?;
    Ok(key)
}

/// The derivation of RFC 7292 App. B.2.
pub(crate) fn pkcs12(
    hash: Hash,
    purpose: Purpose,
    password: &Password,
    salted: Salted<'_>,
    length: usize,
    budget: &mut Budget,
) -> Result<Zeroizing<Vec<u8>>, Excessive> {
    budget.pkcs12(hash, salted.iterations, length)?;
    let block = hash.block();
    let whole = |octets: usize| octets.next_multiple_of(block);
    let (salt, password_length) = (whole(salted.salt.len()), whole(password.bmp.len()));
    // D || I, where D names the purpose and I is salt and password, each
    // repeated up to a whole number of blocks.
    let mut input = Zeroizing::new(Vec::with_capacity(block + salt + password_length));
    input.resize(block, purpose as u8);
    input.extend(salted.salt.iter().cycle().take(salt));
    input.extend(password.bmp.iter().cycle().take(password_length));

    let mut output = Zeroizing::new(Vec::with_capacity(length + hash.size()));
    loop {
        let digest = hash.repeat(&input, salted.iterations);
        output.extend_from_slice(&digest);
        if output.len() >= length {
            output.truncate(length);
            return Ok(output);
        }
        // Each block of I grows by the digest, repeated to a block, and one.
        for piece in input.chunks_exact_mut(block).skip(1) {
            let mut carry = 1;
            let added = digest.iter().cycle().take(block);
            let added: Zeroizing<Vec<u8>> = Zeroizing::new(added.copied().collect());
            for (octet, more) in piece.iter_mut().zip(added.iter()).rev() {
                let sum = u16::from(*octet) + u16::from(*more) + carry;
                [_, *octet] = sum.to_be_bytes();
                carry = sum >> 8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vector of golang.org/x/crypto, `pkcs12/pbkdf_test.go`: its second
    /// block depends on each carry. Other hashes are shown by OpenSSL's files.
    #[test]
    fn derives_as_others_do() {
        let salted = Salted {
            salt: b"\xff\xff\xff\xff\xff\xff\xff\xff",
            iterations: 2048,
        };
        let key = pkcs12(
            Hash::Sha1,
            Purpose::Key,
            &Password::new("sesame"),
            salted,
            24,
            &mut Budget::new(),
        );
        let expected = b"\x7c\xd9\xfd\x3e\x2b\x3b\xe7\x69\x1a\x44\xe3\xbe\xf0\xf9\xea\x0f\xb9\xb8\x97\xd4\xe3\x25\xd9\xd1";
        assert_eq!(&key.unwrap()[..], expected);
    }

    #[test]
    fn nothing_is_derived_on_credit() {
        // 2^31 iterations would take minutes, 2^63 centuries.
        let password = Password::new("x");
        for iterations in [u64::from(u32::MAX) >> 1, u64::MAX >> 1, u64::MAX] {
            let salted = Salted {
                salt: b"salt",
                iterations,
            };
            let budget = &mut Budget::new();
            let own = pkcs12(Hash::Sha1, Purpose::Mac, &password, salted, 20, budget);
            assert_eq!(own.err(), Some(Excessive));
            let common = pbkdf2(Hash::Sha256, &password, salted, 32, budget);
            assert_eq!(common.err(), Some(Excessive));
        }
    }
}
