//! Ids of rows have the types of `host/store/src/words/ids.rs`, so that two of them
//! cannot be swapped: no field and no parameter of these names is text.

use crate::report;
use crate::source::lines;

/// Crates that know the types. Those below `store` cannot: what they are given
/// of ids is text.
const CRATES: [&str; 18] = [
    "store",
    "datasets",
    "vault",
    "accounts",
    "authority",
    "issuing",
    "inbound",
    "events",
    "payments",
    "objects",
    "lookups",
    "gate",
    "toolbox",
    "api",
    "page",
    "panel",
    "load",
    "hub",
];

/// Names of fields and parameters that are an id of one table.
const NAMES: [&str; 30] = [
    "account",
    "account_id",
    "budget_id",
    "certificate_id",
    "chave_id",
    "compra_id",
    "conta_id",
    "content_id",
    "delivery_id",
    "emitente_id",
    "emitter",
    "emitter_id",
    "envio_id",
    "event_id",
    "evento_id",
    "exportacao_id",
    "flow_id",
    "hold_id",
    "key_id",
    "nota_id",
    "pending_id",
    "pessoa_id",
    "recebida_id",
    "reembolso_id",
    "request_id",
    "reserva_id",
    "substitui_id",
    "user_id",
    "vinculo_id",
    "webhook_id",
];

/// Where such a name is text: file, name, and why.
const OTHERS: [(&str, &str, &str); 2] = [
    (
        "host/vault/src/envelope.rs",
        "account",
        "what is sealed of a person belongs to no account",
    ),
    (
        "host/api/src/v1/documentos/historico.rs",
        "evento_id",
        "of `eventos` or of `outbox`, as the line says",
    ),
];

/// The names of a line whose type is text.
fn texts(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, _) in line.match_indices(": ") {
        let before = &line[..at];
        let begin = before
            .rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .map_or(0, |last| last + 1);
        let after = &line[at + 2..];
        let end = after.find([',', ')', '|', ' ', '=', '{', ';']);
        let mut kind = &after[..end.unwrap_or(after.len())];
        // `&'a str` has a space.
        if kind.starts_with("&'") {
            let rest = after.split_once(' ').map_or("", |(_, rest)| rest);
            kind = rest.split([',', ')', '|', ' ']).next().unwrap_or_default();
        }
        let kind = kind.strip_prefix("Option<").unwrap_or(kind);
        let kind = kind.trim_start_matches('&').trim_end_matches('>');
        if matches!(kind, "String" | "str") {
            found.push(&before[begin..]);
        }
    }
    found
}

#[test]
fn ids_of_rows_are_typed() {
    let mut problems = Vec::new();
    let mut excepted = [false; OTHERS.len()];
    for line in lines(&CRATES) {
        for name in texts(&line.text) {
            if !NAMES.contains(&name) {
                continue;
            }
            let other = OTHERS
                .iter()
                .position(|(there, other, _)| *there == line.file && *other == name);
            match other {
                Some(place) => excepted[place] = true,
                None => problems.push(format!(
                    "{}:{}: {name} is text: give it a type of host/store/src/words/ids.rs, or say in tests/tidy/ids.rs why it has none",
                    line.file, line.number
                )),
            }
        }
    }
    for ((file, name, _), used) in OTHERS.iter().zip(excepted) {
        if !used {
            problems.push(format!(
                "tests/tidy/ids.rs: {file} has no {name} that is text any more"
            ));
        }
    }
    report(problems);
}

#[test]
fn types_of_names_are_seen() {
    for (line, names) in [
        ("    pub account_id: String,", &["account_id"][..]),
        (
            "fn get(conn: &mut Conn, account: &str, id: &str) -> Answer {",
            &["account", "id"],
        ),
        ("    pub nota_id: Option<String>,", &["nota_id"]),
        (
            "fn of(account: &'a str, emitter: Option<&str>) {",
            &["account", "emitter"],
        ),
        ("fn of(account: &'a AccountId, emitter: &EmitterId) {", &[]),
        ("    emitter_id: String::new(),", &[]),
        ("    let ids: Vec<String> = rows;", &[]),
    ] {
        assert_eq!(texts(line), names, "{line}");
    }
}
