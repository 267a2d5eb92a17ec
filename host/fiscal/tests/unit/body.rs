//! Numbers and members of a request.

use fiscal::body::{Members as _, Number};
use fiscal::nfe::order::{Icms, Item};
use rust_decimal::Decimal;

#[test]
fn numbers_keep_their_digits_and_have_bounds() {
    for (json, expected) in [
        ("4.99", Some("4.99")),
        ("\"0.0123456789\"", Some("0.0123456789")),
        ("\"0.01234567891\"", None),
        ("9999999999999.99", Some("9999999999999.99")),
        ("10000000000000", None),
        ("1e3", Some("1000")),
        ("1e13", None),
        ("1e-11", None),
        ("1e400", None),
        ("\"1,5\"", None),
        ("\"2_0\"", None),
        ("\"+1\"", None),
        ("\"1e5\"", None),
        ("true", None),
    ] {
        let read = serde_json::from_str::<Number>(json).ok();
        assert_eq!(
            read.map(|number| number.to_string()).as_deref(),
            expected,
            "{json}"
        );
    }
    assert_eq!(Number::LIMIT, Decimal::from(10_000_000_000_000_i64));
}

#[test]
fn members_are_shown_if_they_are_there() {
    let icms = r#"{ "aliquota": 18, "cst": "51", "diferimento": { "percentual": 0 }, "base": 0 }"#;
    let icms: Icms = serde_json::from_str(icms).expect("a tax");
    let mut names = Vec::new();
    assert!(icms.all(&mut |name, _| {
        names.push(name);
        true
    }));
    assert_eq!(names, ["cst", "base", "aliquota", "diferimento"]);
    assert!(names.iter().all(|name| icms.member(name).is_some()));
    let mut shown = 0;
    assert!(!icms.all(&mut |_, _| {
        shown += 1;
        shown < 2
    }));
    assert_eq!(shown, 2);
    assert!(Item::default().all(&mut |name, _| panic!("{name}")));
}
