//! Headers of the answers.

use base::operations::Operation;
use gate::docs::Docs;
use serde_json::{Map, Value, json};

/// Name, meaning, and whether it is a number.
const HEADERS: [(&str, &str, bool); 16] = [
    (
        "X-Request-Id",
        "Identifica a chamada; o mesmo request_id do corpo.",
        false,
    ),
    ("X-Error-Code", "O código do erro, o mesmo do corpo.", false),
    (
        "RateLimit-Policy",
        "A cota: \"conta\";q=<requisições>;w=<segundos>.",
        false,
    ),
    (
        "RateLimit",
        "O que resta: \"conta\";r=<requisições>;t=<segundos até renovar>.",
        false,
    ),
    (
        "X-RateLimit-Limit",
        "Requisições por minuto da conta.",
        true,
    ),
    (
        "X-RateLimit-Remaining",
        "Requisições que restam neste minuto.",
        true,
    ),
    ("X-RateLimit-Reset", "Segundos até a cota se renovar.", true),
    (
        "X-Credits-Charged",
        "Créditos debitados por esta chamada; com Idempotent-Replayed: true, os que a primeira debitou: repetir não debita de novo.",
        true,
    ),
    (
        "X-Credits-Balance",
        "Saldo de créditos depois dela; com Idempotent-Replayed: true, depois da primeira.",
        true,
    ),
    (
        "Idempotent-Replayed",
        "true: é a resposta da primeira chamada com esta Idempotency-Key.",
        false,
    ),
    ("Retry-After", "Segundos a esperar antes de repetir.", true),
    ("WWW-Authenticate", "Bearer.", false),
    (
        "Location",
        "Onde o resultado aparecerá, ou onde está o arquivo.",
        false,
    ),
    (
        "ETag",
        "A versão do registro, para If-Match, ou a do arquivo.",
        false,
    ),
    (
        "X-Beta",
        "A parte da API em beta a que a operação pertence: dere.",
        false,
    ),
    (
        "X-Simulador",
        "1: as autoridades deste hub são simuladas.",
        false,
    ),
];

/// Those an answer has whenever the document names them.
const ALWAYS: [&str; 6] = [
    "X-Request-Id",
    "X-Error-Code",
    "WWW-Authenticate",
    "Location",
    "ETag",
    "X-Beta",
];

/// All headers, to be referred to.
pub(super) fn components() -> Map<String, Value> {
    HEADERS
        .into_iter()
        .map(|(name, meaning, number)| {
            let kind = if number { "integer" } else { "string" };
            (
                name.to_owned(),
                json!({ "description": meaning, "required": ALWAYS.contains(&name), "schema": { "type": kind } }),
            )
        })
        .collect()
}

fn refer(names: &[&str]) -> Value {
    let all: Map<String, Value> = names
        .iter()
        .map(|name| {
            (
                (*name).to_owned(),
                json!({ "$ref": format!("#/components/headers/{name}") }),
            )
        })
        .collect();
    all.into()
}

/// Headers an answer of an operation may have.
pub(super) fn of_answer(row: &Operation, docs: &Docs, status: u16) -> Value {
    let mut names = vec!["X-Request-Id", "X-Simulador"];
    if row.auth == "key" {
        names.extend(PACE);
    }
    // Events say what they cost, also when it is nothing.
    if row.charged_when != "never" || (row.family == "life_cycle" && docs.idempotent) {
        names.extend(["X-Credits-Charged", "X-Credits-Balance"]);
    }
    if docs.idempotent {
        names.push("Idempotent-Replayed");
    }
    let sent = docs.sent.iter();
    names.extend(
        sent.filter(|(_, statuses)| statuses.contains(&status))
            .map(|(name, _)| *name),
    );
    refer(&names)
}

const PACE: [&str; 5] = [
    "RateLimit-Policy",
    "RateLimit",
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
];

/// Headers a refusal may have.
pub(super) fn of_refusal(status: u16) -> Value {
    let mut names = vec![
        "X-Request-Id",
        "X-Error-Code",
        "X-Simulador",
        "Idempotent-Replayed",
    ];
    names.extend(PACE);
    if status == 401 {
        names.push("WWW-Authenticate");
    }
    if matches!(status, 409 | 422 | 423 | 429 | 502..=504) {
        names.push("Retry-After");
    }
    refer(&names)
}
