use api::inside::Reply;
use axum::http::{HeaderMap, HeaderValue};
use page::form::amount::{NotANumber, amount, written, written_money};
use page::form::wrong::Wrongs;
use page::form::{Fields, same_site};
use serde_json::json;

#[test]
fn what_an_authority_says_stays_as_it_said_it() {
    let reason = "Rejeição: grupo do item inválido [nItem: 2]";
    let body = json!({
        "mensagem": "A autoridade recusou a nota.",
        "rejeicao": { "codigo": "778", "motivo": reason, "correcao": "Confira o NCM." },
    });
    let reply = Reply {
        status: 422,
        headers: HeaderMap::new(),
        bytes: body.to_string().into_bytes(),
    };
    let above = Wrongs::of(&reply, |_| false).above(None).0;
    let said = format!("<p>778 {reason}. Confira o NCM.</p>");
    assert!(above.contains(&said), "{above}");
}

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
        ("R%24+1.234%2C56", "1234.56"),
        ("18.90", "18.90"),
        ("2", "2"),
        ("dois", "dois"),
        ("", ""),
    ] {
        let fields = Fields::parse(format!("valor={text}").as_bytes());
        assert_eq!(fields.decimal("valor"), amount);
        assert_eq!(fields.doubt("valor"), None, "{text}");
    }
    // One and a half for some, one thousand five hundred for others.
    let fields = Fields::parse(b"valor=1.500");
    assert_eq!(fields.decimal("valor"), "");
    let said = fields.doubt("valor").expect("a doubt");
    assert!(said.contains("1500 ou 1,500"), "{said}");
}

#[test]
fn numbers_are_read_as_people_write_them() {
    for (text, number) in [
        ("18,90", "18.90"),
        (" R$ 1.234,56 ", "1234.56"),
        ("18.90", "18.90"),
        ("1.234.567", "1234567"),
        ("12.345.678,9", "12345678.9"),
        ("0.125", "0.125"),
        ("2", "2"),
        ("1500", "1500"),
    ] {
        let read = amount(text).expect(text);
        assert_eq!(read, number.parse().expect("a number"), "{text}");
    }
    for text in ["1.500", "12.000"] {
        assert_eq!(amount(text), Err(NotANumber::TwoMeanings), "{text}");
    }
    for text in [
        "", "três", "1,2,3", "1.23,4", "1.2.3", "+5", "R$", "1e5 x", "1e5", "1E2", "1_000",
    ] {
        assert_eq!(amount(text), Err(NotANumber::Unreadable), "{text}");
    }
    assert_eq!([written("2.0000"), written("1.50")], ["2", "1,5"]);
    assert_eq!(
        [
            written_money("18.9"),
            written_money("0.1234"),
            written_money("")
        ],
        ["18,90", "0,1234", ""]
    );
}
