//! Enumerations of a request.

use fiscal::nfe::order::{Forma, TipoOperacao};

#[test]
fn words_digits_and_numbers_are_the_same() {
    for json in ["\"pix\"", "\"pix_dinamico\"", "\"17\"", "17"] {
        assert_eq!(
            serde_json::from_str::<Forma>(json).ok(),
            Some(Forma::PixDinamico)
        );
    }
    for json in ["\"dinheiro\"", "\"01\"", "1", "\"1\""] {
        assert_eq!(
            serde_json::from_str::<Forma>(json).ok(),
            Some(Forma::Dinheiro)
        );
    }
    assert_eq!(
        serde_json::from_str::<TipoOperacao>("0").ok(),
        Some(TipoOperacao::Entrada)
    );
    for json in [
        "\"\"",
        "\"17 \"",
        "\"dinheiros\"",
        "null",
        "[]",
        "1.5",
        "-1",
    ] {
        assert!(serde_json::from_str::<Forma>(json).is_err(), "{json}");
    }
}
