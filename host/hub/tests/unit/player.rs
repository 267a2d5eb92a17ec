use flow::Customer as _;
use flow::contract::SignError;
use flow::contract::signer::{Algorithm, Canonicalization, Options, Placement};
use hub::adapter::player::fake::{FakeCustomer, signature};
use hub::adapter::player::placeholders::rewritten;

#[test]
fn only_placeholders_change() {
    for (given, expected) in [
        (
            "<p>@@hub:0123456789abcdef:xml:senha@@</p>",
            "<p>{{secret:senha:xml-text}}</p>",
        ),
        ("@@hub:0123456789abcdef:basic:u:p@@", "{{basic:u:p}}"),
        (
            "@@hub:short:plain:x@@ @@hub:",
            "@@hub:short:plain:x@@ @@hub:",
        ),
        (
            "@@hub:0123456789abcdef:other:x@@",
            "@@hub:0123456789abcdef:other:x@@",
        ),
        ("plain @@ text", "plain @@ text"),
    ] {
        assert_eq!(
            String::from_utf8(rewritten(given.as_bytes())).expect("text"),
            expected
        );
    }
}

fn options(placement: Placement) -> Options {
    Options {
        algorithm: Algorithm::RsaSha256,
        canonicalization: Canonicalization::ExclusiveC14n,
        placement,
        id_attribute: "id".to_owned(),
        include_chain: true,
        empty_uri: false,
    }
}

#[test]
fn a_signature_goes_where_it_was_asked() {
    let fake = FakeCustomer {
        documento: Some("11222333000181".to_owned()),
        secrets: Vec::new(),
    };
    let xml = "<r><x id='a'><y>1</y></x><z/></r>";
    let mark = signature("a", &options(Placement::AfterReference));
    let sign = |placement| {
        fake.sign_xml(xml, "a", &options(placement), &mut |_| Ok(()))
            .expect("signed")
            .replace(&mark, "[S]")
    };
    assert_eq!(
        sign(Placement::AfterReference),
        "<r><x id='a'><y>1</y></x>[S]<z/></r>"
    );
    assert_eq!(
        sign(Placement::InsideReference),
        "<r><x id='a'><y>1</y>[S]</x><z/></r>"
    );
    assert_eq!(
        sign(Placement::LastChildOfRoot),
        "<r><x id='a'><y>1</y></x><z/>[S]</r>"
    );
    let missing = fake.sign_xml(xml, "b", &options(Placement::AfterReference), &mut |_| {
        Ok(())
    });
    assert_eq!(missing, Err(SignError::ReferenceNotFound("b".to_owned())));
    let nobody = FakeCustomer {
        documento: None,
        secrets: Vec::new(),
    };
    assert_eq!(
        nobody.sign_xml(xml, "a", &options(Placement::AfterReference), &mut |_| Ok(
            ()
        )),
        Err(SignError::NoCertificate)
    );
    assert!(nobody.certificate().is_none());
}
