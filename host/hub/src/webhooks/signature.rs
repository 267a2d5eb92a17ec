//! What proves to a receiver that a delivery is ours, recent and unchanged.
//!
//! Two forms of the same, both HMAC-SHA256 made anew for each attempt:
//! `X-Webhook-Signature-256: t=<s>,v1=<hex>` over `t.id.body`, keyed with the
//! secret as it was shown; and the headers of Standard Webhooks
//! (`webhook-signature: v1,<base64>`) over `id.t.body`, keyed with the bytes
//! its base64 part stands for. While a rotation overlaps, both secrets sign.

use crate::vault::random::{Random, RandomError};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use zeroize::Zeroizing;

/// What every secret begins with.
const PREFIX: &str = "whsec_";
const SECRET_BYTES: usize = 32;

/// A fresh secret: `whsec_` and 32 random bytes in base64.
///
/// # Errors
/// The source of randomness failed.
pub fn new_secret(random: &dyn Random) -> Result<Zeroizing<String>, RandomError> {
    let mut bytes = Zeroizing::new([0_u8; SECRET_BYTES]);
    random.fill(bytes.as_mut_slice())?;
    Ok(Zeroizing::new(format!(
        "{PREFIX}{}",
        BASE64.encode(bytes.as_slice())
    )))
}

/// `X-Webhook-Signature-256`.
pub fn hub(secrets: &[&str], id: &str, seconds: i64, body: &[u8]) -> String {
    let mut header = format!("t={seconds}");
    for secret in secrets {
        let parts = [
            seconds.to_string().as_bytes(),
            b".",
            id.as_bytes(),
            b".",
            body,
        ]
        .concat();
        header.push_str(",v1=");
        header.push_str(&flow::hex(&mac(secret.as_bytes(), &parts)));
    }
    header
}

/// `webhook-signature` of Standard Webhooks.
pub fn standard(secrets: &[&str], id: &str, seconds: i64, body: &[u8]) -> String {
    let signatures: Vec<String> = secrets
        .iter()
        .map(|secret| {
            let key = BASE64
                .decode(secret.strip_prefix(PREFIX).unwrap_or(secret))
                .unwrap_or_default();
            let parts = [
                id.as_bytes(),
                b".",
                seconds.to_string().as_bytes(),
                b".",
                body,
            ]
            .concat();
            format!("v1,{}", BASE64.encode(mac(&key, &parts)))
        })
        .collect();
    signatures.join(" ")
}

fn mac(key: &[u8], text: &[u8]) -> Vec<u8> {
    // HMAC takes a key of any length.
    Hmac::<Sha256>::new_from_slice(key)
        .map(|mut mac| {
            mac.update(text);
            mac.finalize().into_bytes().to_vec()
        })
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{hub, standard};

    /// The example of the Standard Webhooks specification's libraries.
    #[test]
    fn standard_signature_is_that_of_the_published_example() {
        let signature = standard(
            &["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            br#"{"test": 2432232314}"#,
        );
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    /// Against `printf '1791206103.evt_1.{}' | openssl dgst -sha256 -hmac whsec_c2VncmVkbw==`.
    #[test]
    fn hub_signature_is_keyed_with_the_secret_as_shown() {
        assert_eq!(
            hub(&["whsec_c2VncmVkbw=="], "evt_1", 1_791_206_103, b"{}"),
            "t=1791206103,v1=226ddf25e242c95bbbfd927a80f89e1dd03429282113f07300c7648202627234"
        );
    }

    #[test]
    fn both_secrets_sign_while_a_rotation_overlaps() {
        let signed = hub(&["whsec_YQ==", "whsec_Yg=="], "evt_1", 1, b"{}");
        assert_eq!(signed.matches(",v1=").count(), 2);
        let signed = standard(&["whsec_YQ==", "whsec_Yg=="], "evt_1", 1, b"{}");
        assert_eq!(signed.matches("v1,").count(), 2);
    }
}
