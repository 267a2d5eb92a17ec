//! GET /api/v1/creditos: what there is, and where it comes from.

use super::compras::reais;
use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::{Built, json};
use accounts::ledger;
use axum::response::Response;
use axum::routing::on;
use serde_json::{Value, json as value};
use store::tables::alertas::{self, AlertaRow};
use store::{DbResult, stored};

pub fn built() -> Built {
    Built {
        operation: "creditos",
        route: |method| on(method, get),
        docs: Docs::new(
            "Mostra o saldo da conta: o que pode ser gasto, o reservado, quanto é presente ou comprado, e o alerta de saldo baixo.",
        ),
    }
}

async fn get(call: Call) -> ApiResult<Response> {
    let account = &call.caller.account_id;
    let mut conn = call.app.db.read().await?;
    let origin = ledger::origin(&mut conn, account).await?;
    let all = origin.available + origin.held;
    let alerta = alertas::get(&mut conn, account).await?;
    let alerta = alerta.map(|row| shown(&row, account)).transpose()?;
    Ok(json(
        200,
        &value!({
            "sucesso": true, "saldo": origin.available, "reservado": origin.held, "disponivel": origin.available,
            "total": all, "presente": origin.presente, "comprado": origin.comprado, "valor_reais": reais(origin.available),
            "alerta": alerta,
            "request_id": call.caller.request_id,
        }),
    ))
}

/// The alert as the API shows it.
fn shown(row: &AlertaRow, account: &str) -> DbResult<Value> {
    let list = |text: &str, what: &str| stored::<Vec<String>>(text, what, account);
    Ok(value!({
        "limiares": ledger::limiares(&row.limiares, account)?,
        "canais": list(&row.canais, "channels of an alert")?,
        "telefones": list(&row.telefones, "telephones of an alert")?,
    }))
}
