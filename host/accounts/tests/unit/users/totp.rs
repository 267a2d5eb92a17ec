use accounts::users::totp::{self, base32, from_base32, step_of};

/// RFC 6238, appendix B (SHA-1), cut to six digits.
#[test]
fn codes_are_those_of_the_standard() {
    let secret = b"12345678901234567890";
    for (seconds, code) in [
        (59, "287082"),
        (1_111_111_109, "081804"),
        (1_111_111_111, "050471"),
        (1_234_567_890, "005924"),
        (2_000_000_000, "279037"),
        (20_000_000_000, "353130"),
    ] {
        assert_eq!(totp::code(secret, seconds * 1_000), code);
    }
}

/// RFC 4648, section 10.
#[test]
fn secrets_are_written_in_base_32() {
    for (plain, text) in [
        ("f", "MY"),
        ("fo", "MZXQ"),
        ("foo", "MZXW6"),
        ("foob", "MZXW6YQ"),
        ("fooba", "MZXW6YTB"),
        ("foobar", "MZXW6YTBOI"),
    ] {
        assert_eq!(*base32(plain.as_bytes()), text);
    }
    let secret = b"12345678901234567890";
    assert_eq!(
        from_base32(&base32(secret)).as_deref().map(Vec::as_slice),
        Some(&secret[..])
    );
    assert!(
        ["", "MY", "1", "a"]
            .iter()
            .all(|text| from_base32(text).is_none())
    );
}

#[test]
fn a_code_opens_once_and_near_its_time() {
    let secret = b"12345678901234567890";
    let now_ms = 1_234_567_890_000;
    let step = step_of(secret, " 005 924 ", now_ms, 0).expect("a step");
    assert_eq!(step, 1_234_567_890 / 30);
    assert_eq!(step_of(secret, "005924", now_ms, step), None, "used");
    assert_eq!(step_of(secret, "005924", now_ms + 30_000, 0), Some(step));
    assert_eq!(
        step_of(secret, "005924", now_ms + 90_000, 0),
        None,
        "too late"
    );
    assert_eq!(step_of(secret, "005925", now_ms, 0), None);
    assert_eq!(step_of(secret, "", now_ms, 0), None);
}
