//! Keys and service codes of the national NFS-e.

use sim::nfse::national::key::Key;
use sim::nfse::national::services::{Incidence, SERVICES, WORKS, incidence};

#[test]
fn has_fifty_positions() {
    let key = Key {
        municipality: "3550308",
        document: "11222333000181",
        number: 7,
        aamm: "2611",
        random: 42,
    }
    .text();
    assert_eq!(key.len(), 50);
    assert!(
        key.starts_with("35503082211222333000181000000000000726110000000"),
        "{key}"
    );
    let cpf = Key {
        municipality: "3550308",
        document: "11144477735",
        number: 7,
        aamm: "2611",
        random: 42,
    }
    .text();
    assert!(cpf.starts_with("35503082100011144477735"), "{cpf}");
}

#[test]
fn the_table_is_complete() {
    assert_eq!(SERVICES.len(), 337);
    assert_eq!(incidence("010101"), Some(Incidence::Provider));
    assert_eq!(incidence("070201"), Some(Incidence::Place));
    assert_eq!(incidence("999999"), None);
    for code in WORKS {
        assert!(incidence(code).is_some(), "{code}");
    }
}
