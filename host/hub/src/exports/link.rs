//! Signed links: whoever has one may fetch one export until a moment, without
//! a key. Nothing of them is stored; the signature is made again.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

/// What the key is derived for: another purpose has another key.
const PURPOSE: &str = "hub/export-link/1";

/// Path and query of the link to an export, good until `expira_s` (epoch
/// seconds).
pub fn path(pepper: &[u8; 32], id: &str, expira_s: i64) -> String {
    let signature = flow::hex(&sign(pepper, id, expira_s));
    format!("/api/v1/documentos/exportacoes/{id}/arquivo?expira={expira_s}&assinatura={signature}")
}

/// Whether this hub made the link; compared in constant time.
pub fn genuine(pepper: &[u8; 32], id: &str, expira_s: i64, signature: &str) -> bool {
    let own = flow::hex(&sign(pepper, id, expira_s));
    own.as_bytes().ct_eq(signature.as_bytes()).into()
}

fn sign(pepper: &[u8; 32], id: &str, expira_s: i64) -> [u8; 32] {
    let key = Zeroizing::new(mac(pepper, PURPOSE));
    mac(&key, &format!("{id}\n{expira_s}"))
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
    fn a_link_is_for_one_export_one_moment_and_one_hub() {
        let made = path(&[7; 32], "exp_1", 100);
        let (_, signature) = made.split_once("assinatura=").expect("a signature");
        assert!(genuine(&[7; 32], "exp_1", 100, signature));
        for (pepper, id, expira_s) in [(8, "exp_1", 100), (7, "exp_2", 100), (7, "exp_1", 101)] {
            assert!(!genuine(&[pepper; 32], id, expira_s, signature));
        }
        assert!(!genuine(&[7; 32], "exp_1", 100, ""));
        assert!(!genuine(&[7; 32], "exp_1", 100, &signature[1..]));
    }
}
