//! What a declaration lets through.

use crate::context;
use flow::contract::Ambiente;
use flow::contract::permissions::{
    Characters, Element, Given, Namespace, Permissions, Secret, Text, floor, ill_configured, more,
};

fn given(value: &str, ambiente: Ambiente) -> Given {
    Given::of(&context(ambiente, &[("namespace", value)]))
}

fn nothing() -> Permissions {
    Permissions {
        elements: Vec::new(),
        texts: Vec::new(),
        secrets: Vec::new(),
        certificate_endpoints: Vec::new(),
    }
}

#[test]
fn a_namespace_of_the_registry_is_what_the_registry_says() {
    let production = |value: &str, namespace: &str| {
        given(value, Ambiente::Producao).gives("namespace", namespace)
    };
    assert!(production("urn:a", "urn:a"));
    assert!(!production("urn:a", "urn:ab") && !production("urn:a", "") && !production("", "urn:a"));
    let both = "http://{producao:www}{homologacao:teste}.example/x";
    assert!(production(both, "http://www.example/x"));
    assert!(!production(both, "http://teste.example/x"));
    assert!(given(both, Ambiente::Homologacao).gives("namespace", "http://teste.example/x"));
    let message = "http://x.example/servico_{mensagem:sublinhado}_v03.xsd";
    assert!(production(
        message,
        "http://x.example/servico_enviar_lote_v03.xsd"
    ));
    for other in [
        "http://x.example/servico__v03.xsd",
        "http://x.example/servico_a/b_v03.xsd",
        "http://x.example/servico_a_v03.xsd?",
    ] {
        assert!(!production(message, other), "{other}");
    }
    let list = "CancelarNfseEnvio=http://x.example/c?a=b, Outro=urn:o";
    assert!(production(list, "http://x.example/c?a=b") && production(list, "urn:o"));
    // What would be a wildcard for everything is one for nothing.
    for open in ["{tudo}", "{tudo}/nfe", "{producao:}{x}"] {
        assert!(
            !production(open, "nfe") && !production(open, "a/nfe"),
            "{open}"
        );
        assert!(ill_configured(open).is_some(), "{open}");
    }
    assert!(ill_configured("A=http://www.PortalFiscal.inf.br/nfe").is_some());
    for usual in [both, message, list, "nenhum", "net.atende"] {
        assert_eq!(ill_configured(usual), None, "{usual}");
    }
}

#[test]
fn a_text_is_no_markup_and_no_token() {
    let line = b"0003999900000000000120261127T";
    assert_eq!(floor::text(line), Ok(()));
    for text in [
        b"<SignedInfo>".as_slice(),
        b"eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxIn0",
        b"eyAiYWxnIjoiUlMyNTYifQ.e30",
        &[b'a'; floor::TEXT_BYTES + 1],
        &[0x30, 0x31, 0x00],
    ] {
        assert!(floor::text(text).is_err(), "{text:?}");
    }
}

#[test]
fn elements_texts_and_places_are_those_that_were_declared() {
    let permissions = Permissions {
        elements: vec![Element {
            name: "Rps".to_owned(),
            namespaces: vec![
                Namespace::Absent,
                Namespace::Configured("namespace".to_owned()),
            ],
            purpose: String::new(),
        }],
        texts: vec![Text {
            length: 4,
            characters: Characters::LettersDigitsSpaces,
            purpose: String::new(),
        }],
        secrets: vec![Secret {
            name: "senha".to_owned(),
            endpoints: vec!["nfse".to_owned()],
            purpose: String::new(),
        }],
        certificate_endpoints: vec!["nfse".to_owned()],
    };
    let given = given("urn:a", Ambiente::Producao);
    for (name, namespace, allowed) in [
        ("Rps", "", true),
        ("Rps", "urn:a", true),
        ("Rps", "urn:b", false),
        ("rps", "", false),
        ("LoteRps", "", false),
    ] {
        assert_eq!(
            permissions.element(name, namespace, &given),
            allowed,
            "{name}"
        );
    }
    assert!(permissions.text(b"a 1Z") && !permissions.text(b"a 1Z0") && !permissions.text(b"a-b"));
    assert!(permissions.secret_at("senha", "nfse"));
    assert!(!permissions.secret_at("senha", "url") && !permissions.secret_at("token", "nfse"));
    assert!(permissions.certificate_at("nfse") && !permissions.certificate_at("url"));
    // Every part counts as more where there was nothing; less is never more.
    assert_eq!(more(&permissions, &nothing()).len(), 5);
    assert!(more(&nothing(), &permissions).is_empty());
    let mut longer = permissions.clone();
    longer.texts[0].length = 5;
    assert_eq!(
        more(&longer, &permissions),
        ["sign texts of up to 5 letters, digits and spaces"]
    );
    assert!(more(&permissions, &longer).is_empty());
}
