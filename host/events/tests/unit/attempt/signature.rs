use events::attempt::signature::{self, HOW_TO_CHECK, Key};

fn hub(secrets: &[&str], id: &str, seconds: i64, body: &[u8]) -> String {
    let keys = keys(secrets).expect("base64");
    let (keys, mut out) = (keys.iter().collect::<Vec<_>>(), String::new());
    signature::hub(&mut out, &keys, id, &seconds.to_string(), body);
    out
}

fn standard(secrets: &[&str], id: &str, seconds: i64, body: &[u8]) -> String {
    let keys = keys(secrets).expect("base64");
    let (keys, mut out) = (keys.iter().collect::<Vec<_>>(), String::new());
    signature::standard(&mut out, &keys, id, &seconds.to_string(), body);
    out
}

fn keys(secrets: &[&str]) -> anyhow::Result<Vec<Key>> {
    secrets.iter().map(|secret| Key::of(secret)).collect()
}

/// The example of the Standard Webhooks specification's libraries.
#[test]
fn standard_signature_is_that_of_the_published_example() {
    let signature = standard(
        &["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1_614_265_330,
        br#"{"test": 2432232314}"#,
    );
    let expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
    assert_eq!(signature, expected);
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
fn a_damaged_secret_signs_nothing() {
    for secret in ["whsec_c2Vncm", "whsec_*", "segredo!"] {
        let keys = keys(&["whsec_c2VncmVkbw==", secret]);
        assert!(keys.is_err(), "{secret}");
    }
}

#[test]
fn what_customers_are_told_to_test_with_is_what_is_sent() {
    let secret = ["whsec_c2VncmVkbw=="];
    for made in [
        hub(&secret, "evt_1", 1_791_206_103, b"{}"),
        standard(&secret, "evt_1", 1_791_206_103, b"{}"),
    ] {
        assert!(HOW_TO_CHECK.contains(&format!("`{made}`")), "{made}");
    }
}

#[test]
fn both_secrets_sign_while_a_rotation_overlaps() {
    let signed = hub(&["whsec_YQ==", "whsec_Yg=="], "evt_1", 1, b"{}");
    assert_eq!(signed.matches(",v1=").count(), 2);
    let both = standard(&["whsec_YQ==", "whsec_Yg=="], "evt_1", 1, b"{}");
    let each = ["whsec_YQ==", "whsec_Yg=="].map(|secret| standard(&[secret], "evt_1", 1, b"{}"));
    assert_eq!(both, each.join(" "));
}
