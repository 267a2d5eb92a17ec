use hmac::{Hmac, KeyInit as _, Mac as _};
use payments::notice::genuine;
use sha2::Sha256;

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
