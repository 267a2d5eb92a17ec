use crate::hostile;
use tools::email::{Email, EmailError};

#[test]
fn worked_examples() {
    for [given, out] in judges::examples("email").into_iter().flatten() {
        let parsed = Email::parse(crate::text(&given, "email"));
        assert_eq!(Some(parsed.is_ok()), out["formato"].as_bool(), "{given}");
        if let (Ok(email), Some(expected)) = (&parsed, out["descartavel"].as_bool()) {
            assert_eq!(email.is_disposable(), expected, "{given}");
        }
    }
}

#[test]
fn a_form_is_right_or_says_where_it_is_not() {
    let long = |count: usize| "a".repeat(count);
    for (text, expected) in [
        ("maria@empresa.com.br".to_owned(), None),
        (" maria.silva+notas@empresa.com.br ".to_owned(), None),
        ("o'brien_%{x}@sub.empresa-1.com".to_owned(), None),
        (format!("{}@empresa.com", long(64)), None),
        (format!("{}@empresa.com", long(65)), Some(EmailError::Local)),
        (format!("m@{}.com", long(63)), None),
        (format!("m@{}.com", long(64)), Some(EmailError::Domain)),
        (
            format!("m@{}com", "a.".repeat(130)),
            Some(EmailError::Length),
        ),
        (String::new(), Some(EmailError::Length)),
        ("maria.empresa.com".to_owned(), Some(EmailError::At)),
        ("@empresa.com".to_owned(), Some(EmailError::At)),
        ("maria@".to_owned(), Some(EmailError::At)),
        ("a@b@empresa.com".to_owned(), Some(EmailError::At)),
        ("a..b@empresa.com".to_owned(), Some(EmailError::Local)),
        (".a@empresa.com".to_owned(), Some(EmailError::Local)),
        ("a.@empresa.com".to_owned(), Some(EmailError::Local)),
        ("a b@empresa.com".to_owned(), Some(EmailError::Local)),
        ("\"a b\"@empresa.com".to_owned(), Some(EmailError::Local)),
        ("joão@empresa.com".to_owned(), Some(EmailError::Local)),
        (
            "Maria <maria@empresa.com>".to_owned(),
            Some(EmailError::Domain),
        ),
        ("maria@empresa".to_owned(), Some(EmailError::NoDot)),
        ("maria@[192.0.2.1]".to_owned(), Some(EmailError::Domain)),
        ("maria@192.0.2.1".to_owned(), Some(EmailError::Domain)),
        ("maria@empresa-.com".to_owned(), Some(EmailError::Domain)),
        ("maria@empresa_1.com".to_owned(), Some(EmailError::Domain)),
        ("maria@.empresa.com".to_owned(), Some(EmailError::Domain)),
        ("maria@empresa.com.".to_owned(), Some(EmailError::Domain)),
    ] {
        assert_eq!(Email::parse(&text).err(), expected, "{text}");
    }
}

#[test]
fn a_domain_with_accents_has_two_forms() {
    let email = Email::parse("pedidos@Padaria-Açaí.com.br").expect("an address");
    assert_eq!(email.domain, "padaria-açaí.com.br");
    assert_eq!(email.ascii_domain, "xn--padaria-aa-w6a7e.com.br");
}

#[test]
fn a_domain_below_one_for_one_use_is_one() {
    let disposable = |domain: &str| {
        let email = Email::parse(&format!("a@{domain}")).expect(domain);
        email.is_disposable()
    };
    assert!(disposable("mailinator.com") && disposable("x.y.MAILINATOR.com"));
    assert!(!disposable("gmail.com") && !disposable("xmailinator-empresa.com.br"));
}

#[test]
fn what_is_near_to_a_well_known_domain_is_suggested() {
    let suggested = |domain: &str| {
        let email = Email::parse(&format!("maria@{domain}")).expect(domain);
        email.suggestion()
    };
    for (domain, known) in [
        ("gmail.con", "gmail.com"),
        ("gmial.com", "gmail.com"),
        ("gmail.com.br", ""),
        ("hotmial.com", "hotmail.com"),
        ("hotmail.com.br", ""),
        ("outlok.com", "outlook.com"),
        ("yaho.com.br", "yahoo.com.br"),
        ("uol.com.r", "uol.com.br"),
        ("vol.com.br", "uol.com.br"),
        ("terra.com", ""),
        ("iclould.com", "icloud.com"),
        ("live.co", "live.com"),
        ("five.com", "live.com"),
        ("firm.com", ""),
        ("empresa.com.br", ""),
    ] {
        let expected = Some(format!("maria@{known}")).filter(|_| !known.is_empty());
        assert_eq!(suggested(domain), expected, "{domain}");
    }
}

#[test]
fn nothing_hostile_breaks_it() {
    for text in hostile() {
        for address in [
            text.clone(),
            format!("{text}@{text}.com"),
            format!("a@{text}"),
        ] {
            if let Ok(email) = Email::parse(&address) {
                assert!(email.ascii_domain.is_ascii());
                email.suggestion();
            }
        }
    }
}
