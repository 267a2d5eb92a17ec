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

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "segredo-do-psp-123";
    const NOW_MS: i64 = 1_795_000_000_000;

    fn header(secret: &str, seconds: i64, body: &str) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key");
        mac.update(format!("{seconds}.{body}").as_bytes());
        format!("t={seconds},v1={}", flow::hex(&mac.finalize().into_bytes()))
    }

    #[test]
    fn a_callback_is_of_the_psp_and_of_now() {
        let now_s = NOW_MS / 1_000;
        let good = header(SECRET, now_s, "{}");
        assert!(genuine(SECRET, &good, b"{}", NOW_MS));
        let turned = good.replacen(",v1=", ",v1=00,v1=", 1);
        assert!(genuine(SECRET, &turned, b"{}", NOW_MS), "one of several");
        for seconds in [now_s - 300, now_s + 300] {
            assert!(genuine(
                SECRET,
                &header(SECRET, seconds, "{}"),
                b"{}",
                NOW_MS
            ));
        }
        for (secret, given, body) in [
            (SECRET, good.as_str(), "{ }"),
            ("outro-segredo-do-psp", good.as_str(), "{}"),
            ("", good.as_str(), "{}"),
            (SECRET, &header("", now_s, "{}"), "{}"),
            ("", &header("", now_s, "{}"), "{}"),
            (SECRET, &header(SECRET, now_s - 301, "{}"), "{}"),
            (SECRET, &header(SECRET, now_s + 301, "{}"), "{}"),
            (SECRET, &header(SECRET, i64::MIN, "{}"), "{}"),
            (SECRET, &good[..good.len() - 1], "{}"),
            (SECRET, &good.replace("v1", "v2"), "{}"),
            (SECRET, &good.replace("t=", "t=0"), "{ }"),
            (SECRET, &format!("t={now_s}"), "{}"),
            (SECRET, "", "{}"),
        ] {
            assert!(!genuine(secret, given, body.as_bytes(), NOW_MS), "{given}");
        }
    }
}
