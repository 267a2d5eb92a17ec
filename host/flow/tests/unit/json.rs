//! JSON of strangers: repeated and reserved names, nesting.

use flow::json::{Fault, look, read};
use serde_json::{Value, json};

#[test]
fn repeated_members_are_found_wherever_they_are() {
    for (text, name) in [
        (r#"{"a":1,"a":2}"#, "a"),
        (r#"{"a":{"b":1,"c":[{"d":1,"d":2}]}}"#, "d"),
        (r#"{"a":1,"\u0061":2}"#, "a"),
        (r#"[{"x":"{\"y\":1}","x":0}]"#, "x"),
    ] {
        assert_eq!(
            look(text.as_bytes(), 9),
            Ok(Some(name.to_owned())),
            "{text}"
        );
    }
}

#[test]
fn names_may_come_back_in_other_objects_and_as_values() {
    for text in [
        r#"{"a":{"a":{"a":"a"}},"b":["a","a",{"a":1},{"a":2}]}"#,
        r#"{"a":"\"a\":1,","b":"\\"}"#,
        r#"[1,2,"a","a"]"#,
        r#""a""#,
        r#"{"a":"$serde_json::private::Number"}"#,
    ] {
        assert_eq!(look(text.as_bytes(), 9), Ok(None), "{text}");
    }
}

#[test]
fn reserved_names_are_refused_however_they_are_spelled() {
    for name in [
        "$serde_json::private::RawValue",
        "$serde_json::private::Number",
        r"\u0024serde_json::private::RawValue",
        r"$serde\u005fjson::private::Number",
    ] {
        for text in [
            format!(r#"{{"{name}":"1"}}"#),
            format!(r#"[1,{{"a":{{"b":2,"{name}":"1"}}}}]"#),
        ] {
            assert_eq!(look(text.as_bytes(), 9), Err(Fault::Reserved), "{text}");
            assert_eq!(read::<Value>(text.as_bytes()), None, "{text}");
        }
    }
}

#[test]
fn nesting_has_an_end_also_in_documents_within() {
    assert_eq!(look(b"[[[]]]", 3), Ok(None));
    assert_eq!(look(b"[[[[]]]]", 3), Err(Fault::Deep));
    assert_eq!(look(&[b'['; 1_000_000], 128), Err(Fault::Deep));
    let mut text = "1".to_owned();
    for _ in 0..60 {
        let quoted = text.replace('\\', r"\u005c").replace('"', r"\u0022");
        let within = format!(r#"{{"\u0024serde_json::private::RawValue":"{quoted}"}}"#);
        text = format!("{}{within}{}", "[".repeat(120), "]".repeat(120));
    }
    assert_eq!(read::<Value>(text.as_bytes()), None);
}

#[test]
fn what_is_no_json_is_read_to_its_end() {
    for text in [
        &b"{\"a"[..],
        b"\"",
        b"\"\\",
        b"}]",
        b"{\"\xff\":1,",
        b"{,\"a\":\"b\\",
        b"",
    ] {
        assert_eq!(look(text, 9), Ok(None), "{text:?}");
        assert_eq!(read::<Value>(text), None, "{text:?}");
    }
    assert_eq!(read(b" {\"a\":[1.5]} "), Some(json!({ "a": [1.5] })));
}
