//! The authorities' own XML: what is read, canonical forms, signatures.

use sim::pki::Pki;
use sim::xml::signature::{SignatureError, sign, verify};
use sim::xml::{C14n, XmlError, canonicalize, parse};

#[test]
fn reads_namespaces_references_and_cdata() {
    let root = parse(
        "\u{feff}<?xml version=\"1.0\" encoding=\"utf-8\"?><!-- x --><a xmlns=\"u\" xmlns:p=\"v\">\
         <p:b c=\"1 &amp; 2\">x&#xE7;<![CDATA[<y>]]></p:b><d/></a>",
    )
    .expect("well formed");
    let b = root.child("b").expect("b");
    assert_eq!((root.ns.as_str(), b.ns.as_str()), ("u", "v"));
    assert_eq!(b.text(), "xç<y>");
    assert_eq!(b.attr("c"), Some("1 & 2"));
    assert_eq!(root.child("d").map(|d| d.ns.as_str()), Some("u"));
}

#[test]
fn refuses_what_an_authority_refuses() {
    for (text, why) in [
        ("<!DOCTYPE a><a/>", XmlError::Forbidden),
        ("<a><?php x?></a>", XmlError::Forbidden),
        (
            "<?xml version=\"1.0\" encoding=\"iso-8859-1\"?><a/>",
            XmlError::Encoding,
        ),
        ("<p:a/>", XmlError::Prefix),
    ] {
        assert_eq!(parse(text).err(), Some(why), "{text}");
    }
    for text in [
        "",
        "a",
        "<a>",
        "<a></b>",
        "<a/><a/>",
        "<a b=1/>",
        "<a b='1' b='2'/>",
        "<a>&x;</a>",
        "<a>\u{1}</a>",
        "<a>&#0;</a>",
        "<a",
        "</a>",
        "<a:/>",
        "<a>]]></a>",
    ] {
        assert!(parse(text).is_err(), "{text}");
    }
    let deep = "<a>".repeat(100) + &"</a>".repeat(100);
    assert_eq!(parse(&deep).err(), Some(XmlError::TooLarge));
}

fn canonical(text: &str, path: &str, form: &C14n) -> String {
    let root = parse(text).expect("well formed");
    let child = root.child(path).expect("child");
    String::from_utf8(canonicalize(&[&root], child, form, None)).expect("UTF-8")
}

#[test]
fn the_two_forms_differ_in_unused_namespaces() {
    let text = "<a xmlns='u' xmlns:s='soap'><b z='1' a='2'>x\r\n&gt;&#13;</b></a>";
    assert_eq!(
        canonical(text, "b", &C14n::Inclusive),
        "<b xmlns=\"u\" xmlns:s=\"soap\" a=\"2\" z=\"1\">x\n&gt;&#xD;</b>"
    );
    assert_eq!(
        canonical(text, "b", &C14n::Exclusive(Vec::new())),
        "<b xmlns=\"u\" a=\"2\" z=\"1\">x\n&gt;&#xD;</b>"
    );
    assert_eq!(
        canonical(
            "<a xmlns='u'><b><c xmlns=''/></b></a>",
            "b",
            &C14n::Inclusive
        ),
        "<b xmlns=\"u\"><c xmlns=\"\"></c></b>"
    );
}

#[test]
fn signs_and_verifies_and_notices_changes() {
    let pki = Pki::generate(1_763_600_000_000).expect("keys");
    let document = "<a xmlns=\"u\" xmlns:s=\"v\"><b Id=\"x\"><c>1 &lt; 2</c></b></a>";
    let signed = sign(document, "b", pki.authority()).expect("signed");
    let check = |text: &str| {
        let root = parse(text).expect("well formed");
        verify(&root, &root, root.child("b").expect("b"))
    };
    assert!(check(&signed).is_ok());
    assert_eq!(check(document), Err(SignatureError::Missing));
    assert_eq!(
        check(&signed.replace("1 &lt; 2", "1 &lt; 3")),
        Err(SignatureError::Digest)
    );
    assert_eq!(
        check(&signed.replace("URI=\"#x\"", "URI=\"#y\"")),
        Err(SignatureError::Reference)
    );
    let twice = signed.replace("<c>", "<c Id=\"x\">");
    assert_eq!(check(&twice), Err(SignatureError::Reference));
    let other = sign(document, "b", pki.server().0).expect("signed");
    let cut = |s: &str| {
        let from = s.find("<SignatureValue>").expect("value");
        let to = s.find("</SignatureValue>").expect("value");
        s[from..to].to_owned()
    };
    assert_eq!(
        check(&signed.replace(&cut(&signed), &cut(&other))),
        Err(SignatureError::Value)
    );
}
