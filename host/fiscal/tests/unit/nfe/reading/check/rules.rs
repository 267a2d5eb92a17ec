//! The rows of the rules and the code that finds by them.

use fiscal::nfe::reading::{CALENDAR, Rule, rules};
use fiscal::nfe::technical_notes::NOTES;
use std::collections::BTreeSet;
use std::path::Path;

/// Codes of answers that a document is only compared with.
const ANSWERS: [&str; 6] = ["100", "102", "135", "136", "150", "155"];

/// Texts of the sources that have the form of a code.
fn named() -> BTreeSet<String> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let folder = sources.join("nfe/reading/check");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_file() && !path.ends_with("validity.rs"))
        .collect();
    files.push(sources.join("nfse/check.rs"));
    let mut found = BTreeSet::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source");
        let lines = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//") && !line.starts_with("#["));
        for line in lines {
            found.extend(
                line.split('"')
                    .skip(1)
                    .step_by(2)
                    .filter(is_code)
                    .map(str::to_owned),
            );
        }
    }
    found
}

fn is_code(text: &&str) -> bool {
    let digits = text.strip_prefix('E').unwrap_or(text);
    let number = matches!(digits.len(), 3 | 4) && digits.bytes().all(|b| b.is_ascii_digit());
    let word = text.contains('_') && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    number || word
}

#[test]
fn each_finding_has_a_row_and_each_row_finds() {
    let mut named = named();
    for answer in ANSWERS {
        assert!(named.remove(answer), "{answer} is compared with nothing");
    }
    // Those of CT-e and MDF-e are found by the crate `freight`.
    let is_here = |rule: &Rule| !rule.modelos.iter().any(|model| matches!(model, 57 | 58));
    let rows: BTreeSet<String> = rules()
        .filter(is_here)
        .map(|rule| rule.codigo.to_owned())
        .collect();
    assert_eq!(named, rows);
    let mut seen = BTreeSet::new();
    for rule in rules() {
        let models = rule.modelos.iter().copied().chain([0]);
        for model in models.filter(|model| *model > 0 || rule.modelos.is_empty()) {
            let code = rule.codigo;
            assert!(
                seen.insert((model, code)),
                "{code} of {model} is there twice"
            );
        }
    }
}

#[test]
fn each_row_says_what_it_is_and_how_to_mend_it() {
    for rule in rules() {
        assert!(
            rule.title().chars().count() > 9,
            "{}: {}",
            rule.codigo,
            rule.title()
        );
        assert!(
            rule.correction().ends_with('.'),
            "{}: {}",
            rule.codigo,
            rule.correction()
        );
        assert_eq!(
            rule.first_day().is_some(),
            rule.since.is_some(),
            "{}",
            rule.codigo
        );
    }
    let of = |codigo: &str| rules().find(|rule| rule.codigo == codigo).expect("a rule");
    assert_eq!((of("897").cstat(), of("E0004").cstat()), (Some(897), None));
    assert_eq!(
        of("441").first_day().map(|day| day.to_string()).as_deref(),
        Some("2021-09-01")
    );
}

#[test]
fn each_note_that_is_named_is_listed() {
    let listed: BTreeSet<&str> = NOTES.iter().map(|note| note.codigo).collect();
    let mut named: BTreeSet<String> = BTreeSet::new();
    named.extend(rules().filter_map(|rule| Some(rule.source.strip_prefix("NT ")?.to_owned())));
    let kinds = fiscal::nfe::event::catalogue().iter();
    named.extend(kinds.map(|kind| kind.nota_tecnica.to_owned()));
    let editions = markup::layout::Layout::nfe_editions().iter();
    named.extend(editions.flat_map(|edition| edition.notes.iter().map(|note| (*note).to_owned())));
    named.insert("nfse-1.01".to_owned());
    assert_eq!(listed, named.iter().map(String::as_str).collect());
    assert!(NOTES.is_sorted_by_key(|note| note.codigo));
    for note in &NOTES {
        let parts = note.rules().len() + note.events().len() + note.editions().len();
        assert!(parts > 0, "{} brought nothing", note.codigo);
    }
    let first = |codigo: &str| {
        let note = NOTES
            .iter()
            .find(|note| note.codigo == codigo)
            .expect("a note");
        note.first_day().map(|day| day.to_string())
    };
    assert_eq!(first("2025.002").as_deref(), Some("2025-11-10"));
    assert_eq!(
        first("2016.002").as_deref(),
        Some(CALENDAR[0].2.to_string().as_str())
    );
    assert_eq!(first("2011.003"), None);
}
