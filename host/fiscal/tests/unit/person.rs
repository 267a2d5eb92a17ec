//! What a registry of people checks.

use fiscal::nfe::order::Endereco;
use fiscal::person::{Line, address, email, registration, search, telefone};
use markup::field::Fields;

fn one(check: impl FnOnce(&mut Fields)) -> Vec<String> {
    let mut fields = Fields::default();
    check(&mut fields);
    fields.0.into_iter().map(|field| field.codigo).collect()
}

#[test]
fn telephones_are_told_apart() {
    for (text, expected) in [
        ("(31) 99876-5432", Some(("31998765432", Line::Mobile))),
        ("+55 31 3333-4444", Some(("3133334444", Line::Fixed))),
        ("5531998765432", Some(("31998765432", Line::Mobile))),
        ("0800 123 4567", Some(("08001234567", Line::Other))),
        ("+1 212 555 0100", Some(("12125550100", Line::Other))),
        ("3333-4444", None),
        ("31 88765-4321", None),
        ("01 99876-5432", None),
        ("(31) 9987a-5432", None),
        ("+55 123", None),
        ("+123456789012345", None),
        ("", None),
    ] {
        let read = telefone(&mut Fields::default(), "telefone", text);
        let read = read.as_ref().map(|(digits, line)| (digits.as_str(), *line));
        assert_eq!(read, expected, "{text}");
    }
}

#[test]
fn emails_have_a_form() {
    for (text, right) in [
        ("a@b.co", true),
        ("nome.sobrenome+nota@empresa.com.br", true),
        ("a@b", false),
        ("a@@b.co", false),
        ("a b@c.co", false),
        ("a@-b.co", false),
        ("a..b@c.co", false),
        ("@c.co", false),
        ("a@c..co", false),
        ("a@c.co\r\nBcc: x", false),
    ] {
        assert_eq!(
            one(|fields| drop(email(fields, "email", text))).is_empty(),
            right,
            "{text}"
        );
    }
}

#[test]
fn a_registration_is_of_a_known_state() {
    let ok = |text: &str, ufs: &[&str]| {
        one(|fields| drop(registration(fields, "ie", text, ufs))).is_empty()
    };
    assert!(ok("062.307904-0081", &["MG"]));
    assert!(ok("0623079040081", &["SP", "MG"]));
    assert!(!ok("0623079040081", &["SP"]));
    assert!(!ok("0623079040082", &["MG"]));
    assert!(ok("isento", &["SP"]) && ok("Isenta", &[]));
    assert!(ok("123456789", &[]));
    assert!(!ok("12345678x", &[]) && !ok("", &[]) && !ok("123456789012345", &[]));
}

#[test]
fn an_address_is_completed_and_checked() {
    let mut right = Endereco {
        cep: Some("30140-071".to_owned()),
        logradouro: Some(" Rua da Bahia ".to_owned()),
        numero: Some("S/N".to_owned()),
        bairro: Some("Centro".to_owned()),
        codigo_ibge: Some("3106200".to_owned()),
        ..Endereco::default()
    };
    assert_eq!(one(|fields| address(fields, "e", &mut right)), [""; 0]);
    assert_eq!(right.uf.as_deref(), Some("MG"));
    assert_eq!(right.cidade.as_deref(), Some("Belo Horizonte"));
    assert_eq!(right.cep.as_deref(), Some("30140071"));
    assert_eq!(right.logradouro.as_deref(), Some("Rua da Bahia"));
    let other = Endereco {
        uf: Some("SP".to_owned()),
        ..right.clone()
    };
    assert_eq!(
        one(|fields| address(fields, "e", &mut other.clone())),
        ["uf_divergente"]
    );
    let empty = one(|fields| address(fields, "e", &mut Endereco::default()));
    assert_eq!(
        empty,
        [
            "obrigatorio",
            "obrigatorio",
            "obrigatorio",
            "cep_invalido",
            "municipio_invalido"
        ]
    );
}

#[test]
fn names_are_found_without_accents() {
    assert_eq!(search("  São  João & ÇIA Ltda "), "sao joao & cia ltda");
    assert_eq!(search("Sa\u{303}o"), "sao");
    // Latin-1 has no other accents, and the layouts no other letters.
    assert_eq!(search("ÀÉÎÕÜÑ"), "aeioun");
}
