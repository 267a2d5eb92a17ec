//! /docs/erros: every code, what it means and what to do.

use base::errors::Code;
use maud::{Markup, html};
use std::collections::BTreeMap;

pub async fn page() -> Markup {
    let mut by_status: BTreeMap<u16, Vec<&Code>> = BTreeMap::new();
    for code in Code::ALL {
        by_status.entry(code.status()).or_default().push(code);
    }
    super::page(
        "Erros da API",
        html! {
            p {
                "Toda recusa tem o cabeçalho " code { "X-Error-Code" } " e um corpo com " code { "codigo" } ", " code { "mensagem" } ", "
                code { "dica" } ", " code { "campos" } " a corrigir e " code { "request_id" } ". Um código nunca muda de sentido. "
                "A mesma tabela, em JSON: " a href="/api/v1/erros" { "/api/v1/erros" } "."
            }
            @for (status, codes) in &by_status {
                section class="cartao" {
                    h2 { (status) " " span class="suave" { (sense(*status)) } }
                    @for code in codes {
                        @let entry = code.entry();
                        article id=(entry.codigo) {
                            h3 { a href={ "#" (entry.codigo) } { code { (entry.codigo) } } }
                            p { (entry.message) " " span class="suave" { (entry.hint) } }
                        }
                    }
                }
            }
        },
    )
}

/// What is common to the codes of a status.
fn sense(status: u16) -> &'static str {
    match status {
        400 => "a requisição está malformada",
        401 => "falta uma credencial válida",
        402 => "faltam créditos",
        403 => "a credencial não alcança isto",
        404 => "não existe",
        405 | 406 | 415 => "método ou formato não oferecido",
        408 => "não chegou a tempo",
        409 => "o estado atual não permite",
        410 => "já passou",
        412 => "mudou desde que foi lido",
        413 => "grande demais",
        422 => "o conteúdo não pode ser aceito; nada foi cobrado",
        423 | 429 => "espere antes de repetir",
        _ => "não é culpa da requisição; nada foi cobrado",
    }
}
