//! POST /api/v1/creditos/compras/{id}/reembolso: CDC, art. 49.

use super::{reais, refund_status, with_live_key};
use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::{body, idempotency};
use crate::{Built, json, replayed};
use accounts::ledger;
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::on;
use base::errors::{Code, Refusal};
use payments;
use payments::Devolver;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json as value;
use store::tables::reembolsos::ReembolsoStatus;

/// Longest reason.
const MOTIVO_CHARS: usize = 500;

pub fn built() -> Built {
    Built {
        operation: "creditos.compras.reembolso",
        route: |method| on(method, refund),
        docs: Docs::new("Reembolsa o que não foi usado de uma compra, até o fim do sétimo dia depois da confirmação do pagamento (CDC, art. 49, Lei 8.078/1990; contagem do Código Civil, art. 132). Presentes são gastos primeiro e não são reembolsados; das compras, a mais antiga é gasta primeiro. Só com chave de produção.")
            .body(schemars::schema_for!(ReembolsoIn).to_value())
            .idempotent()
            .answers(&[
                (200, "Reembolsado."),
                (202, "Os créditos saíram do saldo; o prestador de pagamento ainda não confirmou a devolução."),
            ]),
    }
}

#[derive(Deserialize, JsonSchema)]
struct ReembolsoIn {
    #[schemars(length(min = 1, max = 500))]
    motivo: String,
}

async fn refund(
    call: Call,
    Path(id): Path<String>,
    headers: HeaderMap,
    bytes: Bytes,
) -> ApiResult<Response> {
    let mut value = body::parse(&call, &headers, &bytes)?;
    // The path's template names no purchase: of another one it is another
    // request.
    let idempotency = idempotency::key(&call, &headers, &mut value)?
        .map(|(scope, fingerprint)| (scope, format!("{id} {fingerprint}")));
    let body: ReembolsoIn = body::read(value, call.tolerant)?;
    with_live_key(&call)?;
    let motivo = body.motivo.trim().to_owned();
    if !(1..=MOTIVO_CHARS).contains(&motivo.chars().count()) {
        return Err(Refusal::field(
            Code::ParametroInvalido,
            "motivo",
            "O motivo tem de 1 a 500 caracteres.",
            "Diga em poucas palavras por que desiste da compra.",
        )
        .into());
    }
    call.about(&id);
    let pedido = Devolver {
        compra_id: id,
        motivo,
        idempotency,
    };
    let done = payments::devolver(&call.app, &call.caller, pedido).await?;
    let mut conn = call.app.db.read().await?;
    let saldo = ledger::available(&mut conn, &call.caller.account_id).await?;
    drop(conn);
    let row = &done.row;
    let status = if row.status == ReembolsoStatus::Concluido {
        200
    } else {
        202
    };
    let mut response = json(
        status,
        &value!({
            "sucesso": true, "reembolso_id": row.id, "compra_id": row.compra_id, "status": refund_status(row),
            "creditos_reembolsados": row.creditos, "valor": reais(row.creditos), "fundamento": "CDC art. 49",
            "saldo": saldo, "request_id": call.caller.request_id,
        }),
    );
    if done.replayed {
        replayed(&mut response);
    }
    Ok(response)
}
