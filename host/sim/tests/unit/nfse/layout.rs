//! Tables of layouts, and the patterns of their texts.

use sim::nfse::layout::{Layout, Pattern};
use std::path::Path;

#[test]
fn every_table_can_be_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/nfse/layout");
    let mut tables = 0;
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "layout") {
            let table = std::fs::read_to_string(&path).expect("a table");
            Layout::parse(&table).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            tables += 1;
        }
    }
    assert_eq!(tables, 7);
}

fn matches(pattern: &str, text: &str) -> bool {
    Pattern::new(pattern).expect("supported").matches(text)
}

#[test]
fn matches_whole_texts() {
    let money = r"0|0\.[0-9]{2}|[1-9]{1}[0-9]{0,14}(\.[0-9]{2})?";
    for (text, yes) in [
        ("0", true),
        ("0.10", true),
        ("10.5", false),
        ("01.00", false),
        ("120.00", true),
        ("", false),
    ] {
        assert_eq!(matches(money, text), yes, "{text}");
    }
    assert!(matches(
        r"[!-ÿ]{1}[ -ÿ]{0,}[!-ÿ]{1}|[!-ÿ]{1}",
        "SERVIÇO DE TESTE"
    ));
    assert!(!matches(r"[!-ÿ]{1}[ -ÿ]{0,}[!-ÿ]{1}|[!-ÿ]{1}", "SERVIÇO "));
    assert!(matches(r"[\s\S]*[^\s][\s\S]*", " a\n"));
    assert!(!matches(r"[\s\S]*[^\s][\s\S]*", " \n"));
    assert!(matches(
        "DPS[0-9]{7}(1[0-9]{14}|2[0-9A-Z]{14})[0-9]{20}",
        &format!("DPS3550308{}{}", "2AB345678000199", "0".repeat(20))
    ));
}

#[test]
fn ends_on_texts_made_to_be_slow() {
    assert!(!matches("(a*)*b", &"a".repeat(2000)));
    assert!(
        Pattern::new("(a").is_none()
            && Pattern::new("a{x}").is_none()
            && Pattern::new("*").is_none()
    );
}
