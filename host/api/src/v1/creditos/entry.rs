//! A movement of credits as the API shows it.

use base::when;
use issuing::model::Modelo;
use serde_json::{Value, json};
use store::tables::ledger::{LedgerAccount, Transfer, TransferKind};

/// The customer's word for a kind of transfer.
pub fn tipo(kind: TransferKind) -> &'static str {
    match kind {
        TransferKind::Hold => "reserva",
        TransferKind::Post | TransferKind::Direct => "debito",
        TransferKind::Void => "devolucao",
        TransferKind::Purchase => "compra",
        TransferKind::Gift => "presente",
        TransferKind::Refund => "reembolso",
        TransferKind::Adjust => "ajuste",
    }
}

/// The record of a movement. `creditos` is what it does to the balance that
/// can be spent, so the statement adds up: a reserve takes, its debit only
/// confirms. `valor` is the amount moved.
pub fn record(transfer: &Transfer) -> Value {
    let effect = if transfer.credit == LedgerAccount::Available {
        transfer.amount
    } else if transfer.debit == LedgerAccount::Available {
        -transfer.amount
    } else {
        0
    };
    let subject = Some(&transfer.subject_id);
    json!({
        "id": transfer.id,
        "em": when::rfc3339(transfer.created_at_ms),
        "tipo": tipo(transfer.kind),
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
