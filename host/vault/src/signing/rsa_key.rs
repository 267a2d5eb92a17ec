//! One RSA key in the form the vault keeps: bounded, rebuilt from its
//! components and shown to work.

use openssl::bn::BigNumRef;
use openssl::error::ErrorStack;
use openssl::hash::MessageDigest;
use openssl::pkey::{Id, PKey, PKeyRef, Private, Public};
use openssl::rsa::Rsa;
use openssl::sign::{Signer, Verifier};

/// ICP-Brasil end-user keys are RSA 2048 or 4096 (DOC-ICP-01.01).
pub(crate) const MIN_BITS: i32 = 2048;
pub(crate) const MAX_BITS: i32 = 4096;

/// Why a key is not one the hub signs with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RsaKeyError {
    /// EC, DSA, RSA-PSS ...
    NotRsa,
    /// The modulus has this many bits.
    Size(i32),
    /// The numbers are absurd, missing or inconsistent.
    Broken,
}

impl From<ErrorStack> for RsaKeyError {
    fn from(_: ErrorStack) -> Self {
        Self::Broken
    }
}

/// Takes a foreign key apart, refuses numbers that would make later
/// arithmetic slow (a "prime" of a million bits), and builds it again, which
/// also drops attributes and further primes.
pub(crate) fn rebuild(key: &PKeyRef<Private>) -> Result<PKey<Private>, RsaKeyError> {
    if key.id() != Id::RSA {
        return Err(RsaKeyError::NotRsa);
    }
    let rsa = key.rsa()?;
    let bits = rsa.n().num_bits();
    if !(MIN_BITS..=MAX_BITS).contains(&bits) {
        return Err(RsaKeyError::Size(bits));
    }
    let within = |number: Option<&BigNumRef>| {
        let number = number.ok_or(RsaKeyError::Broken)?;
        if number.is_negative() || !(1..=bits).contains(&number.num_bits()) {
            return Err(RsaKeyError::Broken);
        }
        Ok(number.to_owned()?)
    };
    if rsa.e().num_bits() > 64 {
        return Err(RsaKeyError::Broken);
    }
    let rebuilt = Rsa::from_private_components(
        within(Some(rsa.n()))?,
        within(Some(rsa.e()))?,
        within(Some(rsa.d()))?,
        within(rsa.p())?,
        within(rsa.q())?,
        within(rsa.dmp1())?,
        within(rsa.dmq1())?,
        within(rsa.iqmp())?,
    )?;
    Ok(PKey::from_rsa(rebuilt)?)
}

/// Whether what `key` signs is accepted by `public`. Comparing the public
/// halves is not enough: a file may carry the right modulus with a foreign
/// private exponent.
pub(crate) fn signs_for(key: &PKeyRef<Private>, public: &PKeyRef<Public>) -> bool {
    const PROBE: &[u8] = b"hub: does this key belong to this certificate?";
    let answer = || -> Result<bool, ErrorStack> {
        let mut signer = Signer::new(MessageDigest::sha256(), key)?;
        let signature = signer.sign_oneshot_to_vec(PROBE)?;
        let mut verifier = Verifier::new(MessageDigest::sha256(), public)?;
        verifier.verify_oneshot(&signature, PROBE)
    };
    answer().unwrap_or(false)
}
