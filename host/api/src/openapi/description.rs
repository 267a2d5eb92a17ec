//! What an operation costs and asks for, in the sentences that stand under its summary.

use accounts::scopes::{self, Access};
use base::operations::Operation;
use gate::docs::Docs;

/// The sentences of an operation; the summary is the first one.
pub(super) fn description(row: &Operation, docs: &Docs) -> String {
    let explanation = docs.explanation.to_owned();
    let mut sentences = vec![docs.summary.to_owned(), explanation, cost(row)];
    if let Some(scope) = scopes::access(row).and_then(Access::scope) {
        sentences.push(format!("Pede uma chave com o escopo `{scope}`."));
    } else if row.auth == "none" {
        sentences.push("Não pede chave.".to_owned());
    }
    if docs.idempotent {
        sentences
            .push("Repetir com a mesma `Idempotency-Key` devolve a mesma resposta.".to_owned());
    }
    let phase = match row.availability.as_str() {
        "test" => "Em fase de teste: transmite só em homologação, para contas liberadas.",
        "support" => "Só para contas que o suporte liberou.",
        "beta" => "Em beta: pode mudar.",
        _ => "",
    };
    sentences.push(phase.to_owned());
    sentences.retain(|sentence| !sentence.is_empty());
    sentences.join(" ")
}

/// The price and when it is charged.
fn cost(row: &Operation) -> String {
    let when = match row.charged_when.as_str() {
        "authorized" => "debitados só quando o documento é autorizado",
        "found" => "debitados só quando a resposta é encontrada",
        "found (each)" => "debitados por item encontrado",
        _ => "debitados por chamada atendida",
    };
    match row.tiers().as_slice() {
        [] | [0] => "Gratuita.".to_owned(),
        [price] => format!("Custa {price} créditos, {when}."),
        [smallest, .., largest] => {
            format!("Custa de {smallest} a {largest} créditos, conforme o tamanho, {when}.")
        }
    }
}
