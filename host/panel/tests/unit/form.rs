use axum::http::{HeaderMap, HeaderValue};
use panel::form::{Fields, same_site};

#[test]
fn fields_are_read_as_browsers_write_them() {
    let fields = Fields::parse(b"a=1&b=+x%20y%C3%A9%0D%0A&c=&a=2&d");
    assert_eq!(
        (fields.get("a"), fields.get("b"), fields.raw("b")),
        ("1", "x yé", " x yé\r\n")
    );
    assert_eq!(fields.all("a"), ["1", "2"]);
    assert!(!fields.on("c") && !fields.on("e"));
}

#[test]
fn only_pages_of_ours_send_forms() {
    let verdict = |pairs: &[(&'static str, &'static str)]| {
        let headers = pairs.iter().map(|(name, value)| {
            (
                axum::http::HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )
        });
        same_site(&headers.collect::<HeaderMap>()).is_ok()
    };
    assert!(verdict(&[
        ("host", "hub:1"),
        ("origin", "http://hub:1"),
        ("sec-fetch-site", "same-origin")
    ]));
    assert!(verdict(&[("host", "hub:1")]), "a program");
    for bad in [
        &[("host", "hub"), ("origin", "https://outro")][..],
        &[("host", "hub"), ("origin", "null")],
        &[("host", "hub"), ("sec-fetch-site", "cross-site")],
        &[("host", "hub"), ("sec-fetch-site", "same-site")],
    ] {
        assert!(!verdict(bad), "{bad:?}");
    }
}

#[test]
fn amounts_are_read_as_people_write_them() {
    for (text, amount) in [
        ("18%2C90", "18.90"),
        ("1.234%2C56", "1234.56"),
        ("18.90", "18.90"),
        ("2", "2"),
    ] {
        let fields = Fields::parse(format!("valor={text}").as_bytes());
        assert_eq!(fields.decimal("valor"), amount);
    }
}
