//! GET /api/v1/creditos: what there is, and where it comes from.

use crate::api::gate::Call;
use crate::api::openapi::Docs;
use crate::api::{Built, json};
use crate::db::ledger as table;
use crate::errors::Failure;
use crate::issuing::answer;
use crate::ledger;
use axum::response::Response;
use axum::routing::on;
use serde_json::json as value;

pub fn built() -> Built {
    Built {
        operation: "creditos",
        route: |method| on(method, get),
        docs: Docs::new(
            "Mostra o saldo da conta: o que pode ser gasto, o reservado, e quanto é presente ou comprado.",
        ),
    }
}

async fn get(call: Call) -> Result<Response, Failure> {
    let account = &call.caller.account_id;
    let mut conn = call.app.db.read().await?;
    let balances = ledger::balances(&mut conn, account).await?;
    let totals = table::totals_by_kind(&mut conn, account).await?;
    let total = |kinds: &[&str]| -> i64 {
        let rows = totals
            .iter()
            .filter(|row| kinds.contains(&row.grupo.as_str()));
        rows.map(|row| row.debitado).sum()
    };
    let all = balances.available + balances.held;
    // Gifts are spent before what was bought.
    let gifts = (total(&["gift"]) - total(&["post", "direct"])).clamp(0, all);
    let reais = format!(
        "{}.{:02}",
        balances.available / 100,
        balances.available % 100
    );
    Ok(json(
        200,
        &value!({
            "sucesso": true, "saldo": balances.available, "reservado": balances.held, "disponivel": balances.available,
            "total": all, "presente": gifts, "comprado": all - gifts, "valor_reais": answer::number(&reais),
            "request_id": call.caller.request_id,
        }),
    ))
}
