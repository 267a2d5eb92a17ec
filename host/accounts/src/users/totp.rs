//! The second factor: codes of six digits that change every 30 seconds (RFC
//! 6238), each good for one login.

use base::random::{OsRandom, Random as _};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha1::Sha1;
use store::ids::UserId;
use subtle::ConstantTimeEq as _;
use vault::envelope::{Aad, Keyring};
use zeroize::Zeroizing;

const STEP_S: i64 = 30;
const SECRET_BYTES: usize = 20;
/// Steps before and after the present one that are taken: clocks differ.
const DRIFT: i64 = 1;
const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Where a person's secret belongs.
pub fn aad(user: &UserId) -> Aad<'_> {
    Aad {
        account: "",
        owner: user,
        purpose: "totp",
        version: 1,
    }
}

/// A fresh secret.
///
/// # Errors
/// The source of randomness failed.
pub fn new_secret() -> anyhow::Result<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(vec![0_u8; SECRET_BYTES]);
    OsRandom.fill(bytes.as_mut_slice())?;
    Ok(bytes)
}

/// The secret as authenticators take it: base 32 (RFC 4648), without padding.
pub fn base32(secret: &[u8]) -> Zeroizing<String> {
    let mut text = String::with_capacity(secret.len() * 8 / 5 + 1);
    for group in secret.chunks(5) {
        let mut bits = [0_u8; 8];
        bits[3..3 + group.len()].copy_from_slice(group);
        let bits = u64::from_be_bytes(bits);
        for at in 0..(group.len() * 8).div_ceil(5) {
            let index = (bits >> (35 - 5 * at)) & 31;
            text.push(char::from(ALPHABET[usize::try_from(index).unwrap_or(0)]));
        }
    }
    Zeroizing::new(text)
}

/// A secret as [`base32`] wrote it; None when it is no secret of ours.
pub fn from_base32(text: &str) -> Option<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(Vec::new());
    let (mut bits, mut count) = (0_u64, 0);
    for letter in text.bytes() {
        let value = ALPHABET.iter().position(|known| *known == letter)?;
        bits = (bits << 5) | u64::try_from(value).ok()?;
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xff).ok()?);
        }
    }
    (bytes.len() == SECRET_BYTES).then_some(bytes)
}

/// The address of a secret, for the QR code an authenticator scans.
pub fn uri(secret: &[u8], email: &str) -> Zeroizing<String> {
    let email = email.replace('@', "%40");
    Zeroizing::new(format!(
        "otpauth://totp/hub:{email}?secret={}&issuer=hub&digits=6&period=30",
        *base32(secret)
    ))
}

/// The step whose code this is; None when it is none, or of a step that was
/// used before.
pub fn step_of(secret: &[u8], code: &str, now_ms: i64, used: i64) -> Option<i64> {
    let code: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    let present = now_ms.div_euclid(1_000 * STEP_S);
    (present - DRIFT..=present + DRIFT)
        .filter(|step| *step > used)
        .find(|step| bool::from(code_at(secret, *step).as_bytes().ct_eq(code.as_bytes())))
}

/// The code of a moment, as an authenticator shows it.
pub fn code(secret: &[u8], now_ms: i64) -> String {
    code_at(secret, now_ms.div_euclid(1_000 * STEP_S))
}

fn code_at(secret: &[u8], step: i64) -> String {
    // HMAC takes a key of any length.
    let Ok(mut mac) = Hmac::<Sha1>::new_from_slice(secret) else {
        return String::new();
    };
    mac.update(&step.to_be_bytes());
    let sum = mac.finalize().into_bytes();
    let at = usize::from(sum[19] & 15);
    let word = u32::from_be_bytes([sum[at] & 0x7f, sum[at + 1], sum[at + 2], sum[at + 3]]);
    format!("{:06}", word % 1_000_000)
}

/// Opens a person's stored secret; None when they have no second factor.
///
/// # Errors
/// It cannot be opened.
pub fn open(
    keyring: &Keyring,
    user: &UserId,
    sealed: &[u8],
) -> anyhow::Result<Option<Zeroizing<Vec<u8>>>> {
    if sealed.is_empty() {
        return Ok(None);
    }
    Ok(Some(keyring.open(sealed, &aad(user))?))
}
