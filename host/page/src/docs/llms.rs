//! /llms.txt: what a language model needs to write a client.

use crate::Panel;
use crate::docs::operations::{families, price};
use api::openapi::tag;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use base::errors::Code;
use events::attempt::signature::HOW_TO_CHECK;
use events::webhooks::catalogue::TIPOS;
use std::fmt::Write as _;

pub async fn text(State(panel): State<Panel>) -> impl IntoResponse {
    let guide = guide(&panel.app.config.server.base_url);
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], guide)
}

/// The guide, with links below `base`.
fn guide(base: &str) -> String {
    let tipos: Vec<String> = TIPOS
        .iter()
        .map(|kind| format!("`{}`", kind.name))
        .collect();
    let tipos = tipos.join(", ");
    let mut out = format!(
        "# hub\n\n\
         > API HTTP/JSON pré-paga de documentos fiscais brasileiros: NF-e, NFC-e e NFS-e, o seu ciclo de vida, cofre fiscal e webhooks. \
         Um crédito vale R$ 0,01.\n\n\
         - [Documento OpenAPI 3.1]({base}/api/v1/openapi.json): todos os corpos, respostas e exemplos\n\
         - [Interface]({base}/docs) e [erros]({base}/docs/erros) para ler\n\
         - [Preços]({base}/api/v1/precos)\n\n\
         ## Autenticação\n\n\
         Envie `Authorization: Bearer <chave>`, sempre de um servidor. `svc_test_…` nunca chega à produção: NFS-e é sempre simulada, sem custo; NF-e e \
         NFC-e também, enquanto o emitente não tem certificado. Com certificado, vão à homologação, e a nota autorizada custa como em produção. \
         `svc_live_…` emite no ambiente do emitente. Uma chave tem escopos; sem o escopo a resposta é 403 `sem_permissao`.\n\n\
         ## Idempotência\n\n\
         Em toda emissão envie `Idempotency-Key` (1 a 255 caracteres ASCII visíveis). Repetir com a mesma chave e o mesmo corpo, por 24 h, \
         devolve o mesmo documento e `Idempotent-Replayed: true`; com outro corpo, 422 `chave_idempotencia_reutilizada`. Depois de uma \
         validação recusada ou rejeição a chave está livre. Resposta 202: o resultado ainda não chegou; leia o endereço de `Location`, não emita de novo.\n\n\
         ## Erros\n\n\
         Toda recusa tem `X-Error-Code` e o corpo `{{sucesso, codigo, mensagem, dica, campos[{{campo, codigo, mensagem, correcao}}], request_id, documentacao}}`. \
         Decida por `codigo`, nunca por `mensagem`. Repita só 409 `requisicao_em_andamento`, 423, 429, 502 e 503, depois de `Retry-After` segundos, \
         com a mesma `Idempotency-Key`. Campos desconhecidos são recusados (400 `campo_desconhecido`), menos com `?tolerante=1`.\n\n\
         ## Listas\n\n\
         `?limite=` (1 a 100) e `?cursor=`; a resposta tem `itens`, `tem_mais` e `proximo_cursor`.\n\n\
         ## Webhooks\n\n\
         {HOW_TO_CHECK}\n\n\
         O corpo de cada tipo está em `webhooks` do documento OpenAPI: {tipos}.\n"
    );
    for (family, operations) in families() {
        let _infallible = write!(out, "\n## {family}\n\n");
        for (row, docs) in operations {
            let _infallible = writeln!(
                out,
                "- [{method} {path}]({base}/docs#/{tag}/{id}): {summary} ({price})",
                method = row.method,
                path = row.path,
                tag = tag(&row.family),
                id = row.operation,
                summary = docs.summary(),
                price = price(row),
            );
        }
    }
    out.push_str("\n## Códigos de erro\n\n");
    for code in Code::ALL {
        let entry = code.entry();
        let _infallible = writeln!(
            out,
            "- [{codigo}]({base}/docs/erros#{codigo}) ({status}): {mensagem} {dica}",
            codigo = entry.codigo,
            status = entry.status,
            mensagem = entry.message,
            dica = entry.hint,
        );
    }
    out
}
