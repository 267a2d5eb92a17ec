//! No text makes the loader panic.

use flow::registry::{MAX_BYTES, Registry, RegistryError};

use super::SMALL;

fn errors(text: &str) -> Vec<RegistryError> {
    Registry::parse(text).expect_err("not a registry")
}

#[test]
fn empty_and_foreign_texts() {
    assert_eq!(errors("")[0].line, 1);
    for text in [
        "[",
        "\u{0}",
        "= 1",
        "a = {",
        "municipios = 3",
        "[municipios]\n\"\" = 1",
        "\u{feff}x",
    ] {
        assert!(!errors(text).is_empty(), "{text:?}");
    }
}

#[test]
fn cut_at_any_byte() {
    for (at, _) in SMALL.char_indices() {
        // A cut after a whole line can leave a smaller registry that is right.
        let cut = &SMALL[..at];
        if let Ok(registry) = Registry::parse(cut) {
            assert!(cut.contains("[registro]"));
            assert!(registry.municipalities().len() <= 4);
        }
    }
}

#[test]
fn every_value_replaced_by_every_kind() {
    let kinds = [
        "1",
        "1.5",
        "true",
        "\"\"",
        "\"x\"",
        "[]",
        "[[]]",
        "{}",
        "2026-01-01",
        "10:00:00",
    ];
    for (number, line) in SMALL.lines().enumerate() {
        let Some((key, _)) = line.split_once(" = ") else {
            continue;
        };
        for kind in kinds {
            let text: Vec<String> = SMALL
                .lines()
                .enumerate()
                .map(|(n, l)| {
                    if n == number {
                        format!("{key} = {kind}")
                    } else {
                        l.to_owned()
                    }
                })
                .collect();
            if let Err(errors) = Registry::parse(&text.join("\n")) {
                assert!(errors.iter().all(|e| e.line >= 1 && !e.message.is_empty()));
            }
        }
    }
}

#[test]
fn deep_nesting_is_an_error() {
    for open in ["[", "{ a = "] {
        let text = format!("[municipios]\n1100015 = {}", open.repeat(20_000));
        assert!(!errors(&text).is_empty());
    }
}

#[test]
fn too_large_a_file_is_refused_unread() {
    let text = "#".repeat(MAX_BYTES + 1);
    assert!(errors(&text)[0].message.contains("at most"));
}

/// One sentence, not one for each of what refers to a section that was not read.
#[test]
fn a_section_of_too_many_entries_is_refused() {
    let many = |count: usize| {
        let systems = (0..count).map(|n| format!("[systems.a{n}]\nherda = \"base\"\n"));
        systems.collect::<String>()
    };
    let found = errors(&format!("{SMALL}\n{}", many(200_000)));
    assert_eq!(found.len(), 1, "{found:?}");
    let sentence = "[systems] has 200004 entries; accepted: at most 2000";
    assert_eq!(found[0].message, sentence);
    assert!(Registry::parse(&format!("{SMALL}\n{}", many(1_996))).is_ok());
    let tls: String = (0..1_001)
        .map(|n| format!("[tls.\"a{n}.example\"]\n"))
        .collect();
    let found = errors(&format!("{SMALL}\n{tls}"));
    assert!(found[0].message.contains("[tls] has 100"), "{found:?}");
}

#[test]
fn the_list_of_errors_is_bounded() {
    let lines: Vec<String> = (0..5000).map(|n| format!("{n} = {{}}")).collect();
    let found = errors(&format!("{SMALL}\n{}", lines.join("\n")));
    assert_eq!(found.len(), 101);
    assert!(
        found[100].message.contains("4900 more errors"),
        "{}",
        found[100]
    );
}

#[test]
fn long_values_are_cut_in_messages() {
    let found = errors(&SMALL.replace(
        "nome = \"Calada\"",
        &format!("nome = \"{}\"", "x".repeat(5000)),
    ));
    assert!(found[0].message.len() < 200, "{}", found[0]);
}
