//! Words of columns are compared as the enums of `host/store`, not as text; what
//! is stored and cannot be read is an error, never a default.

use crate::source::lines;
use crate::{files, report, text};
use std::collections::BTreeMap;
use tests::adapters::workspace;

/// Crates that see rows of the database. The panel reads the API's JSON, as
/// any client does.
const CRATES: [&str; 15] = [
    "datasets",
    "vault",
    "accounts",
    "authority",
    "measured",
    "issuing",
    "inbound",
    "events",
    "payments",
    "objects",
    "lookups",
    "gate",
    "toolbox",
    "api",
    "hub",
];

/// Files in which words of columns are texts of something else: file, words,
/// and of what.
const OTHERS: [(&str, &[&str], &str); 16] = [
    (
        "host/api/src/openapi/description.rs",
        &["test"],
        "availability of an operation in the table",
    ),
    (
        "host/hub/src/admin/pages/history.rs",
        &["canary"],
        "actions of `adapter_actions`",
    ),
    (
        "host/toolbox/src/fiscal/catalogues.rs",
        &["55", "57", "58", "65"],
        "filter of a query",
    ),
    (
        "host/toolbox/src/fiscal/carga_tributaria.rs",
        &["nacional"],
        "origin of goods in a request",
    ),
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
        "host/toolbox/src/fiscal/judgement/mod.rs",
        &["65"],
        "`mod` of somebody's XML",
    ),
    (
        "host/api/src/clients/journey.rs",
        &["cnpj"],
        "member of a body",
    ),
    (
        "host/api/src/clients/typescript.rs",
        &["consulta"],
        "name of a parameter",
    ),
    (
        "host/api/src/openapi/parameters.rs",
        &["cclasstrib", "ncm"],
        "names of parameters",
    ),
    (
        "host/datasets/src/formats/official/mod.rs",
        &["cbenef", "tipi"],
        "tables of `data`",
    ),
    (
        "host/datasets/src/formats/official/class_trib.rs",
        &["cclasstrib"],
        "column of a workbook",
    ),
    (
        "host/datasets/src/rates/tables.rs",
        &["cbenef", "ncm"],
        "tables of `data`",
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
    for line in lines(&CRATES) {
        for word in compared(&line.text) {
            let Some(name) = words.get(word) else {
                continue;
            };
            let other = OTHERS
                .iter()
                .position(|(there, others, _)| *there == line.file && others.contains(&word));
            match other {
                Some(place) => excepted[place] = true,
                None => problems.push(format!(
                    "{}:{}: \"{word}\" is a word of {name}: compare with the enum, or say in tests/tidy/stored.rs of what else it is a text",
                    line.file, line.number
                )),
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

/// What rows are called where they are read.
const ROWS: [&str; 16] = [
    "content", "delivery", "emitter", "event", "evento", "flow", "kept", "key", "last", "mail",
    "nota", "old", "recebida", "row", "sent", "webhook",
];

/// What makes a default, or nothing, of what cannot be read.
const DEFAULTS: [&str; 7] = [
    ".unwrap_or(",
    ".unwrap_or_default()",
    ".unwrap_or_else(",
    ".map_or(",
    ".map_or_else(",
    ".ok()",
    "let Ok(",
];

/// Files that may: what they read, and why a default is right.
const ELSEWHERE: [(&str, &str); 12] = [
    (
        "host/issuing/src/actions/authorizer.rs",
        "an adapter's answer",
    ),
    (
        "host/issuing/src/answer/received.rs",
        "text of somebody else's document; shown as null",
    ),
    (
        "host/issuing/src/document/naming.rs",
        "a series may have letters, and no id then",
    ),
    ("host/issuing/src/settle/product.rs", "an adapter's answer"),
    ("host/inbound/src/reply.rs", "an adapter's answer"),
    (
        "host/lookups/src/ask.rs",
        "a copy of a source's answer, which is asked for again",
    ),
    ("host/payments/src/psp.rs", "an adapter's answer"),
    (
        "host/api/src/inside.rs",
        "an operation's answer; a file is no JSON",
    ),
    (
        "host/api/src/openapi/examples.rs",
        "an example of this program, which tests read",
    ),
    (
        "host/api/src/openapi/schemas.rs",
        "a schema that was just written",
    ),
    (
        "host/api/src/v1/documentos/buscar.rs",
        "text of somebody else's document; shown as null",
    ),
    (
        "host/hub/src/adapter/player/outcome.rs",
        "an adapter's answer in a case",
    ),
];

/// Whether a piece of a statement reads JSON, or a column of a row, and goes on
/// without it.
fn defaulted(piece: &str) -> bool {
    let json = piece.contains("serde_json::from_");
    let column = || {
        let reads = ["parse", "from_utf8", "decode"];
        reads
            .iter()
            .flat_map(|read| piece.match_indices(read))
            .any(|(at, read)| {
                let before = piece[..at].trim_end().trim_end_matches('.').trim_end();
                let path = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
                let receiver = before.rsplit(|c| !path(c)).next().unwrap_or_default();
                let argument = piece[at + read.len()..].trim_start_matches(['(', '&']);
                let argument = argument.split(|c| !path(c)).next().unwrap_or_default();
                [receiver, argument].iter().any(|text| {
                    let (row, column) = text.split_once('.').unwrap_or_default();
                    ROWS.contains(&row) && !column.is_empty()
                })
            })
    };
    let told = [".readable(", ".present(", ".ok_or"];
    (json || column())
        && DEFAULTS.iter().any(|default| piece.contains(default))
        && !told.iter().any(|told| piece.contains(told))
}

#[test]
fn what_is_stored_never_becomes_a_default() {
    for (piece, is) in [
        (
            "let x: T = serde_json::from_str(&row.eventos).unwrap_or_default()",
            true,
        ),
        ("serie: nota.serie .parse() .ok()", true),
        ("let numero = u8::parse(&evento.numero).unwrap_or(0)", true),
        ("let x = String::from_utf8(kept.bytes).ok()", true),
        (
            "let x = serde_json::from_str(text).map_err(|error| bad(error))",
            false,
        ),
        ("let limit = text.parse().unwrap_or(50)", false),
        (
            "let serie = nota.serie.parse().ok().readable(\"series\", id)",
            false,
        ),
    ] {
        assert_eq!(defaulted(piece), is, "{piece}");
    }
    let mut problems = Vec::new();
    let mut excepted = [false; ELSEWHERE.len()];
    let mut code: BTreeMap<String, String> = BTreeMap::new();
    for line in lines(&CRATES) {
        let code = code.entry(line.file).or_default();
        code.push_str(&line.text);
        code.push(' ');
    }
    for (file, code) in code.iter().filter(|(file, _)| !file.contains("/tests")) {
        for piece in code
            .split([';', '{', '}', ','])
            .filter(|piece| defaulted(piece))
        {
            match ELSEWHERE.iter().position(|(there, _)| there == file) {
                Some(place) => excepted[place] = true,
                None => problems.push(format!(
                    "{file}: `{}`: what is stored and cannot be read is an error: store::stored, or readable() of store::Readable",
                    piece.trim()
                )),
            }
        }
    }
    for ((file, what), used) in ELSEWHERE.iter().zip(excepted) {
        if !used {
            problems.push(format!(
                "tests/tidy/stored.rs: {file} reads nothing any more that is {what}"
            ));
        }
    }
    report(problems);
}
