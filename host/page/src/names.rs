//! What people call what programs name: operations of the API, requests to an
//! authority, changes in the audit. What has no name here is shown as it is.

use maud::{Markup, html};

/// Where the sentence of an operation begins to say more than what it does.
const PAUSES: [&str; 4] = [": ", "; ", ". ", " ("];

/// Requests to an authority, by a part of the name they have there, the more exact
/// parts first. Cities give names of their own, so these are parts and not whole names.
const REQUESTS: [(&[&str], &str); 19] = [
    (&["inutiliza"], "Inutilização de números"),
    (&["cancela"], "Cancelamento de nota"),
    (&["substitu"], "Substituição de nota"),
    (&["statusservico"], "Situação do autorizador"),
    (&["distdfe"], "Busca de notas recebidas"),
    (
        &["consultacadastro"],
        "Consulta ao cadastro de contribuintes",
    ),
    (&["naoenc"], "Consulta de MDF-e não encerrados"),
    (&["get eventos"], "Consulta de eventos"),
    (&["evento"], "Registro de evento"),
    (&["retautorizacao"], "Resultado da autorização"),
    (&["cteconsulta"], "Consulta de CT-e"),
    (&["mdfeconsulta"], "Consulta de MDF-e"),
    (&["cterecepcao"], "Autorização de CT-e"),
    (&["mdferecepcao"], "Autorização de MDF-e"),
    (&["autorizacao"], "Autorização de nota"),
    (
        &["login", "sessao", "autentica"],
        "Entrada no sistema da prefeitura",
    ),
    (
        &["situacaolote", "consultarlote", "consultalote", "protocolo"],
        "Consulta do lote de notas",
    ),
    (
        &[
            "consult",
            "get ",
            "head ",
            "post dps",
            "pegaxml",
            "impressao",
        ],
        "Consulta de nota",
    ),
    (
        &[
            "emit", "gera", "env", "recepc", "import", "processa", "nfse", "nfe", "rps",
        ],
        "Envio de nota",
    ),
];

/// Why nothing came back, by the words of the history and of the record of a call.
const FAULTS: [(&[&str], &str); 9] = [
    (
        &["dns", "nome_nao_encontrado"],
        "O endereço da autoridade não foi encontrado.",
    ),
    (
        &["connect", "sem_conexao"],
        "Não foi possível conectar à autoridade.",
    ),
    (
        &["tls"],
        "A conexão segura com a autoridade não se completou.",
    ),
    (
        &["client-certificate-refused", "certificado_recusado"],
        "A autoridade recusou o certificado da empresa.",
    ),
    (
        &["timeout", "tempo_esgotado"],
        "A autoridade não respondeu no tempo de espera.",
    ),
    (
        &["reset", "conexao_encerrada"],
        "A autoridade encerrou a conexão antes de responder.",
    ),
    (
        &["too-large", "resposta_grande_demais"],
        "A resposta da autoridade é grande demais.",
    ),
    (&["blocked", "nao_enviada"], "O pedido não foi enviado."),
    (
        &["other", "outra"],
        "A comunicação com a autoridade falhou.",
    ),
];

/// Changes in the audit that people and operators made; those of keys are operations.
const CHANGES: &str = include_str!("assets/changes.tsv");

/// What an operation of the API does, as the catalogue says it, without the details.
pub fn operation(id: &str) -> Option<String> {
    let built = api::built().iter().find(|one| one.operation == id)?;
    let summary = built.docs.summary;
    let summary = summary.strip_prefix("Beta, grátis: ").unwrap_or(summary);
    let ends = PAUSES.iter().filter_map(|pause| summary.find(*pause));
    let end = ends.min().unwrap_or(summary.len());
    Some(capital(summary[..end].trim_end_matches('.')))
}

/// What a request to an authority asks for.
pub fn request(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    let has = |parts: &&[&str]| parts.iter().any(|part| name.contains(part));
    let known = REQUESTS.iter().find(|(parts, _)| has(parts));
    known.map(|(_, title)| *title)
}

/// Why nothing came back from an authority.
pub fn fault(word: &str) -> Option<&'static str> {
    let known = FAULTS.iter().find(|(words, _)| words.contains(&word));
    known.map(|(_, sentence)| *sentence)
}

/// What was done, of an action in the audit: of a person, of an operator or of a key.
pub fn change(action: &str) -> Option<String> {
    let mut known = CHANGES.lines().filter_map(|line| line.split_once('\t'));
    let known = known.find(|(word, _)| *word == action);
    known.map_or_else(|| operation(action), |(_, name)| Some(name.to_owned()))
}

/// A name with the word that programs use below it, small; the word alone where it has
/// no name.
pub fn named(name: Option<&str>, word: &str) -> Markup {
    html! {
        @match name {
            Some(name) => { (name) div class="suave pequeno mono quebra" { (word) } },
            None => span class="mono" { (word) },
        }
    }
}

/// An operation of the API, with its id below.
pub fn operation_named(id: &str) -> Markup {
    named(operation(id).as_deref(), id)
}

/// An action of the audit, with its word below.
pub fn change_named(action: &str) -> Markup {
    named(change(action).as_deref(), action)
}

/// The same with a capital letter.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
