//! GET /api/v1/creditos: what there is, and where it comes from.

use super::alerta::{AlertaOut, shown};
use accounts::ledger;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use issuing::answer::Reais;
use schemars::JsonSchema;
use serde::Serialize;
use store::tables::alertas;

pub fn built() -> Built {
    Built {
        operation: "creditos",
        route: |method| on(method, get),
        docs: Docs::new(
            "Mostra o saldo da conta: o que pode ser gasto, o reservado, quanto é presente ou comprado, e o alerta de saldo baixo.",
        )
        .success::<CreditosOut>(),
    }
}

/// Saldo da conta, em créditos (1 crédito = R$ 0,01).
#[derive(Serialize, JsonSchema)]
struct CreditosOut {
    /// O que pode ser gasto agora.
    saldo: i64,
    /// O que chamadas em andamento reservaram.
    reservado: i64,
    /// O mesmo que `saldo`.
    disponivel: i64,
    /// `saldo` mais `reservado`.
    total: i64,
    /// Quanto do total foi presente.
    presente: i64,
    /// Quanto do total foi comprado.
    comprado: i64,
    /// `saldo` em R$.
    valor_reais: Reais,
    /// `null` se nunca foi definido.
    alerta: Option<AlertaOut>,
}

async fn get(call: Call) -> ApiAnswer<CreditosOut> {
    let account = &call.caller.account_id;
    let mut conn = call.app.db.read().await?;
    let origin = ledger::origin(&mut conn, account).await?;
    let alerta = alertas::get(&mut conn, account).await?;
    call.ok(CreditosOut {
        saldo: origin.available,
        reservado: origin.held,
        disponivel: origin.available,
        total: origin.available + origin.held,
        presente: origin.gifted,
        comprado: origin.purchased,
        valor_reais: Reais::of_cents(origin.available),
        alerta: alerta.map(|row| shown(&row, account)).transpose()?,
    })
}
