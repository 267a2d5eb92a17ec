//! Decimals keep the digits they came with.

use fiscal::nfse::FieldValue;

#[test]
fn numbers_and_text_keep_their_digits() {
    for (json, expected) in [
        ("1500", "1500"),
        ("0.1", "0.1"),
        ("\"1500.00\"", "1500.00"),
        ("123456789012345.67", "123456789012345.67"),
    ] {
        let value: FieldValue = serde_json::from_str(json).expect(json);
        assert_eq!(value.to_string(), expected);
    }
}

#[test]
fn junk_is_refused() {
    for json in [
        "\"\"", "\"1,5\"", "\"2_0\"", "\"+1\"", "\"1e5\"", "true", "\"NaN\"", "1e400", "[]",
    ] {
        assert!(serde_json::from_str::<FieldValue>(json).is_err(), "{json}");
    }
}
