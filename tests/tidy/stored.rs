//! Words of columns are compared as the enums of `host/store`, not as text.

use crate::{files, inside, report, text};
use std::collections::BTreeMap;
use tests::adapters::workspace;

/// Crates that see rows of the database. The panel reads the API's JSON, as
/// any client does.
const CRATES: [&str; 10] = [
    "vault",
    "accounts",
    "authority",
    "issuing",
    "inbound",
    "events",
    "payments",
    "objects",
    "api",
    "hub",
];

/// Files in which words of columns are texts of something else: file, words,
/// and of what.
const OTHERS: [(&str, &[&str], &str); 7] = [
    (
        "host/issuing/src/settle/product.rs",
        &["sefaz"],
        "origin of a refusal, as the API tells it",
    ),
    (
        "host/events/src/webhooks/example.rs",
        &["autorizada", "cancelada", "rejeitada", "nfse"],
        "examples of events",
    ),
    (
        "host/api/src/v1/nfe/travadas.rs",
        &["55", "65"],
        "filter of a query, `produto` besides",
    ),
    (
        "host/api/src/v1/nfe/list.rs",
        &["55", "65"],
        "filter of a query, `produto` besides",
    ),
    (
        "host/api/src/v1/emitters/form.rs",
        &["certificado", "senha"],
        "names of a form's parts",
    ),
    (
        "host/api/src/v1/fiscal/judgement.rs",
        &["65"],
        "`mod` of somebody's XML",
    ),
    (
        "host/api/src/clients/typescript.rs",
        &["consulta"],
        "name of a parameter",
    ),
];

/// Every word that `words!` declares, and the enum it is of.
fn words() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for path in files(&workspace().join("host/store/src"), "rs") {
        let source = text(&path);
        for block in source.split("\nwords! {").skip(1) {
            let block = block.split("\n}").next().unwrap_or_default();
            let name = block.split("pub enum ").nth(1).unwrap_or_default();
            let name = name.split(' ').next().unwrap_or_default();
            for value in block.split(" = \"").skip(1) {
                let word = value.split('"').next().unwrap_or_default();
                found.insert(word.to_owned(), name.to_owned());
            }
        }
    }
    found
}

/// The texts of a line that something is compared with: in `==` and `!=`, and
/// in patterns.
fn compared(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some((start, end)) = literal(line, from) {
        let before = line[..start].trim_end();
        let after = line[end + 1..].trim_start();
        let alone = |text: &str| !text.starts_with("||");
        let is = before.ends_with("==")
            || before.ends_with("!=")
            || before.ends_with('|') && !before.ends_with("||")
            || ["=>", "==", "!=", "if ", ") =>", ", _) =>", ", _) if "]
                .iter()
                .any(|sign| after.starts_with(sign))
            || after.starts_with('|') && alone(after);
        if is {
            found.push(&line[start + 1..end]);
        }
        from = end + 1;
    }
    found
}

/// Where the next string of a line begins and ends, its quotes included.
fn literal(line: &str, from: usize) -> Option<(usize, usize)> {
    let start = from + line.get(from..)?.find('"')?;
    let end = start + 1 + line.get(start + 1..)?.find('"')?;
    Some((start, end))
}

#[test]
fn words_of_columns_are_compared_as_enums() {
    let words = words();
    for word in ["autorizada", "em_transmissao", "paga", "live", "sending"] {
        assert!(words.contains_key(word), "{word} is not read");
    }
    let mut problems = Vec::new();
    let mut excepted = [false; OTHERS.len()];
    for krate in CRATES {
        for path in files(&workspace().join("host").join(krate).join("src"), "rs") {
            let (file, source) = (inside(&path), text(&path));
            let code = source.split("#[cfg(test)]").next().unwrap_or_default();
            for (number, line) in code.lines().enumerate() {
                let line = line.trim();
                if line.starts_with("//") {
                    continue;
                }
                for word in compared(line) {
                    let Some(name) = words.get(word) else {
                        continue;
                    };
                    let other = OTHERS
                        .iter()
                        .position(|(there, others, _)| *there == file && others.contains(&word));
                    match other {
                        Some(place) => excepted[place] = true,
                        None => problems.push(format!(
                            "{file}:{}: \"{word}\" is a word of {name}: compare with the enum, or say in tests/tidy/stored.rs of what else it is a text",
                            number + 1
                        )),
                    }
                }
            }
        }
    }
    for ((file, words, _), used) in OTHERS.iter().zip(excepted) {
        if !used {
            problems.push(format!(
                "tests/tidy/stored.rs: {file} has none of {words:?} any more"
            ));
        }
    }
    report(problems);
}

#[test]
fn comparisons_are_seen() {
    for (line, words) in [
        (
            r#"if row.status == "paga" && other != "hold" {"#,
            &["paga", "hold"][..],
        ),
        (
            r#"matches!(nota.status.as_str(), "autorizada" | "cancelada")"#,
            &["autorizada", "cancelada"],
        ),
        (r#""live" => KeyKind::Live,"#, &["live"]),
        (r#"("denegada", _) if open => {"#, &["denegada"]),
        (r#"| "rascunho" => "selo aviso","#, &["rascunho"]),
        (
            r#"json!({ "status": "paga", "a": b || "x".is_empty() })"#,
            &[],
        ),
        (r#"let word = if done { "sim" } else { "nao" };"#, &[]),
    ] {
        assert_eq!(compared(line), words, "{line}");
    }
}
