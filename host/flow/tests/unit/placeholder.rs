//! Placeholders of secrets are filled, and only those of the flow.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flow::contract::secrets::Encoding;
use flow::placeholder::{Hashes, basic, fill, secret, tag};

struct NoHashes;
impl Hashes for NoHashes {
    fn md5_hex(&self, _: &[u8]) -> String {
        "md5".to_owned()
    }
    fn sha1(&self, _: &[u8]) -> Vec<u8> {
        vec![1, 2]
    }
}

#[test]
fn placeholders_are_filled_and_foreign_ones_left_alone() {
    let entropy = [7; 32];
    let tag = tag(&entropy);
    let text = format!(
        "<a>{}</a><b>{}</b>@@hub:0000000000000000:plain:senha@@",
        secret(&tag, "senha", Encoding::XmlText),
        basic(&tag, "usuario", "senha")
    );
    let lookup = |name: &str| match name {
        "senha" => Some("a<b".to_owned()),
        "usuario" => Some("u".to_owned()),
        _ => None,
    };
    let filled = fill(text.as_bytes(), &entropy, &NoHashes, &lookup, 1_000).expect("filled");
    let expected = format!(
        "<a>a&lt;b</a><b>Basic {}</b>@@hub:0000000000000000:plain:senha@@",
        STANDARD.encode("u:a<b")
    );
    assert_eq!(String::from_utf8(filled).expect("text"), expected);
    let unknown = secret(&tag, "outra", Encoding::Plain);
    assert!(fill(unknown.as_bytes(), &entropy, &NoHashes, &lookup, 1_000).is_err());
}

#[test]
fn many_small_placeholders_do_not_become_an_endless_text() {
    let entropy = [7; 32];
    let text = secret(&tag(&entropy), "token", Encoding::Plain).repeat(1_000);
    let long = |_: &str| Some("x".repeat(1_000));
    let error = fill(text.as_bytes(), &entropy, &NoHashes, &long, 100_000).expect_err("too large");
    assert!(error.contains("limit"), "{error}");
}
