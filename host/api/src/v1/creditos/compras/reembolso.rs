//! POST /api/v1/creditos/compras/{id}/reembolso: CDC, art. 49.

use super::record::StatusDoReembolso;
use super::with_live_key;
use accounts::ledger;
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Refusal};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::{body, idempotency};
use issuing::answer::Reais;
use payments::RefundOrder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::ids::{CompraId, ReembolsoId};

/// Longest reason.
const REASON_CHARS: usize = 500;

pub fn built() -> Built {
    Built {
        operation: "creditos.compras.reembolso",
        route: |method| on(method, refund),
        docs: Docs::new("Reembolsa o que não foi usado de uma compra, até o fim do sétimo dia depois da confirmação do pagamento (CDC, art. 49, Lei 8.078/1990; contagem do Código Civil, art. 132). Presentes são gastos primeiro e não são reembolsados; das compras, a mais antiga é gasta primeiro. Só com chave de produção.")
            .body::<ReembolsoIn>()
            .idempotent()
            .answers(&[
                (200, "Reembolsado."),
                (202, "Os créditos saíram do saldo; o prestador de pagamento ainda não confirmou a devolução."),
            ])
            .success::<ReembolsoOut>(),
    }
}

#[derive(Deserialize, JsonSchema)]
struct ReembolsoIn {
    #[schemars(length(min = 1, max = 500))]
    motivo: String,
}

#[derive(Serialize, JsonSchema)]
struct ReembolsoOut {
    /// O id do reembolso.
    id: ReembolsoId,
    /// O mesmo que `id`.
    reembolso_id: ReembolsoId,
    compra_id: CompraId,
    status: StatusDoReembolso,
    creditos_reembolsados: i64,
    /// R$.
    valor: Reais,
    /// A lei em que o reembolso se apoia.
    fundamento: &'static str,
    /// O que pode ser gasto agora, em créditos.
    saldo: i64,
}

async fn refund(
    call: Call,
    Path(id): Path<CompraId>,
    headers: HeaderMap,
    bytes: Bytes,
) -> ApiAnswer<ReembolsoOut> {
    let mut value = body::parse(&call, &headers, &bytes)?;
    // The path's template names no purchase: of another one it is another
    // request.
    let idempotency = idempotency::key(&call, &headers, &mut value)?
        .map(|(scope, fingerprint)| (scope, format!("{id} {fingerprint}")));
    let body: ReembolsoIn = body::read(value, call.tolerant)?;
    with_live_key(&call)?;
    let reason = body.motivo.trim().to_owned();
    if !(1..=REASON_CHARS).contains(&reason.chars().count()) {
        return Err(Refusal::field(
            Code::ParametroInvalido,
            "motivo",
            "O motivo tem de 1 a 500 caracteres.",
            "Diga em poucas palavras por que desiste da compra.",
        )
        .into());
    }
    call.about(&id);
    let request = RefundOrder {
        purchase_id: id,
        reason,
        idempotency,
    };
    let done = payments::refund(&call.app, &call.caller, request).await?;
    let mut conn = call.app.db.read().await?;
    let balance = ledger::available(&mut conn, &call.caller.account_id).await?;
    drop(conn);
    let row = done.row;
    let refund = ReembolsoOut {
        status: row.status.into(),
        creditos_reembolsados: row.creditos,
        valor: Reais::of_cents(row.creditos),
        fundamento: "CDC art. 49",
        saldo: balance,
        id: row.id.clone(),
        reembolso_id: row.id,
        compra_id: row.compra_id,
    };
    let concluded = refund.status == StatusDoReembolso::Concluido;
    let answer = call.answer(if concluded { 200 } else { 202 }, refund)?;
    Ok(answer.replayed(done.replayed))
}
