//! A movement of credits as the API shows it.

use base::when;
use issuing::model::Modelo;
use serde_json::{Value, json};
use store::tables::ledger::Transfer;

/// The customer's word for a kind of transfer.
pub fn tipo(kind: &str) -> &'static str {
    match kind {
        "hold" => "reserva",
        "post" | "direct" => "debito",
        "void" => "devolucao",
        "purchase" => "compra",
        "gift" => "presente",
        "refund" => "reembolso",
        _ => "ajuste",
    }
}

/// The record of a movement. `creditos` is what it does to the balance that
/// can be spent, so the statement adds up: a reserve takes, its debit only
/// confirms. `valor` is the amount moved.
pub fn record(transfer: &Transfer) -> Value {
    let effect = if transfer.credit == "available" {
        transfer.amount
    } else if transfer.debit == "available" {
        -transfer.amount
    } else {
        0
    };
    let subject = Some(&transfer.subject_id);
    json!({
        "id": transfer.id,
        "em": when::rfc3339(transfer.created_at_ms),
        "tipo": tipo(&transfer.kind),
        "creditos": effect,
        "valor": transfer.amount,
        "saldo_apos": transfer.balance_after,
        "reserva_id": transfer.pending_id,
        "operacao": transfer.operation,
        "nota_id": subject.filter(|id| Modelo::is_nota(id)),
        "compra_id": subject.filter(|id| id.starts_with("cmp_")),
        "evento_id": subject.filter(|id| id.starts_with("eve_")),
        "request_id": Some(&transfer.request_id).filter(|id| !id.is_empty()),
    })
}
