//! The signature of a PSP's callback: `t=<epoch seconds>,v1=<hex>`, where
//! `v1` is the HMAC-SHA256 of `<t>.<body>`.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use subtle::ConstantTimeEq as _;

/// Header that carries it.
pub const HEADER: &str = "x-psp-signature-256";
/// How far a callback's moment may be from now, in seconds.
const WINDOW_S: i64 = 300;
/// Signatures one header may carry (while a secret is changed, two).
const SIGNATURES: usize = 4;

/// Whether the PSP wrote this body, a short while ago; compared in constant
/// time.
pub fn genuine(secret: &str, header: &str, body: &[u8], now_ms: i64) -> bool {
    let value = |name: &'static str| {
        let parts = header.split(',').map(str::trim);
        parts.filter_map(move |part| part.strip_prefix(name)?.strip_prefix('='))
    };
    let moment = value("t").next().and_then(|text| text.parse::<i64>().ok());
    let Some(moment) =
        moment.filter(|moment| (now_ms / 1_000).abs_diff(*moment) <= WINDOW_S as u64)
    else {
        return false;
    };
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
        return false;
    };
    mac.update(format!("{moment}.").as_bytes());
    mac.update(body);
    let own = flow::hex(&mac.finalize().into_bytes());
    !secret.is_empty()
        && value("v1").take(SIGNATURES).fold(false, |found, given| {
            found | bool::from(own.as_bytes().ct_eq(given.as_bytes()))
        })
}
