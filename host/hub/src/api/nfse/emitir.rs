//! POST /api/v1/nfse/emitir: issues a note assembled before.

use super::create::run;
use crate::api::gate::Call;
use crate::api::openapi::Docs;
use crate::api::{Built, body, idempotency, stored};
use crate::db::notas;
use crate::errors::{Code, Failure, Refusal};
use crate::issuing::issue::{self, Pedido};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::on;
use schemars::JsonSchema;
use serde::Deserialize;

pub fn built() -> Built {
    Built {
        operation: "nfse.emitir",
        route: |method| on(method, emitir),
        docs: Docs::new("Emite uma NFS-e montada antes, pelo nota_id.")
            .body(schemars::schema_for!(EmitirIn).to_value())
            .idempotent()
            .answers(&[
                (200, "Já autorizada, ou validada e simulada."),
                (201, "Nota autorizada."),
                (202, "Ainda sem resultado."),
            ]),
    }
}

#[derive(Deserialize, JsonSchema)]
struct EmitirIn {
    /// Id of the draft.
    nota_id: String,
}

async fn emitir(call: Call, headers: HeaderMap, bytes: Bytes) -> Result<Response, Failure> {
    let mut value = body::parse(&call, &headers, &bytes)?;
    let key = idempotency::key(&call, &headers, &mut value)?;
    let body: EmitirIn = body::read(value, call.tolerant)?;
    if let Some(answer) = issue::repeated(&call.app, key.as_ref()).await? {
        call.about(&body.nota_id);
        return Ok(stored(answer));
    }
    let mut conn = call.app.db.read().await?;
    let nota = notas::get(&mut conn, &call.caller.account_id, &body.nota_id).await?;
    drop(conn);
    let nota = nota
        .filter(|nota| nota.modelo == "nfse")
        .ok_or_else(|| Refusal::new(Code::NaoEncontrado))?;
    call.about(&nota.id);
    match nota.status.as_str() {
        "rascunho" => {
            let pedido: Pedido = serde_json::from_str(&nota.conteudo)?;
            run(call, &headers, pedido, key, Some(nota)).await
        }
        // Emitting what exists answers it again, without a charge.
        "autorizada" | "validada" => Ok(stored((200, nota.answer, true))),
        "em_transmissao" | "pendente_prefeitura" => {
            Err(Refusal::new(Code::EmTransmissao).nota(nota.id).into())
        }
        status => Err(Refusal::new(Code::EstadoInvalido)
            .message(format!(
                "Uma nota {} não pode ser emitida.",
                status.replace('_', " ")
            ))
            .hint("Monte outra nota com os dados corrigidos.")
            .nota(nota.id)
            .into()),
    }
}
