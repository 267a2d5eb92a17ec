//! Signed links: whoever has one may fetch one file until a moment, without a
//! key. Nothing of them is stored; the signature is made again.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

/// The query of a link to `id`, good until `expires_s` (epoch seconds). Each
/// `purpose` has a key of its own.
pub fn query(pepper: &[u8; 32], purpose: &str, id: &str, expires_s: i64) -> String {
    let signature = signature(pepper, purpose, id, expires_s);
    format!("expira={expires_s}&assinatura={signature}")
}

/// The signature of a link, for one that has it elsewhere than in its query.
pub fn signature(pepper: &[u8; 32], purpose: &str, id: &str, expires_s: i64) -> String {
    flow::hex(&sign(pepper, purpose, id, expires_s))
}

/// Whether this hub made the link; compared in constant time.
pub fn genuine(
    pepper: &[u8; 32],
    purpose: &str,
    id: &str,
    expires_s: i64,
    signature: &str,
) -> bool {
    let own = self::signature(pepper, purpose, id, expires_s);
    own.as_bytes().ct_eq(signature.as_bytes()).into()
}

/// A name derived from the pepper: the same each time, and only this hub can
/// make it.
pub fn digest(pepper: &[u8; 32], purpose: &str) -> String {
    flow::hex(&mac(pepper, purpose)[..8])
}

/// The secret that belongs to a seed. The seed may be stored; only this hub can
/// make the secret of it.
pub fn secret(pepper: &[u8; 32], purpose: &str, seed: &str) -> Zeroizing<String> {
    let key = Zeroizing::new(mac(pepper, purpose));
    Zeroizing::new(flow::hex(&mac(&key, seed)))
}

/// Whether this is the secret of a seed; compared in constant time.
pub fn opens(pepper: &[u8; 32], purpose: &str, seed: &str, given: &str) -> bool {
    let own = secret(pepper, purpose, seed);
    own.as_bytes().ct_eq(given.as_bytes()).into()
}

fn sign(pepper: &[u8; 32], purpose: &str, id: &str, expires_s: i64) -> [u8; 32] {
    let key = Zeroizing::new(mac(pepper, purpose));
    mac(&key, &format!("{id}\n{expires_s}"))
}

fn mac(key: &[u8; 32], text: &str) -> [u8; 32] {
    // HMAC pads a short key with zeros to the block of 64 (RFC 2104 §2).
    let mut block = Zeroizing::new([0_u8; 64]);
    block[..32].copy_from_slice(key);
    let mut mac = Hmac::<Sha256>::new((&*block).into());
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_for_one_file_one_moment_one_purpose_and_one_hub() {
        let made = query(&[7; 32], "one", "exp_1", 100);
        let (_, signature) = made.split_once("assinatura=").expect("a signature");
        let is = |pepper: u8, purpose: &str, id: &str, expires_s: i64| {
            genuine(&[pepper; 32], purpose, id, expires_s, signature)
        };
        assert!(is(7, "one", "exp_1", 100));
        assert!(!is(8, "one", "exp_1", 100) && !is(7, "two", "exp_1", 100));
        assert!(!is(7, "one", "exp_2", 100) && !is(7, "one", "exp_1", 101));
        for other in ["", &signature[1..], &signature.to_uppercase()] {
            assert!(!genuine(&[7; 32], "one", "exp_1", 100, other));
        }
    }
}
