//! GET /api/v1/usage/chamadas/{request_id}: what happened to one call.

use super::chamadas::record;
use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::v1::creditos::entry;
use crate::v1::usage::exchange::{self, Subject};
use crate::{Built, json};
use axum::extract::Path;
use axum::response::Response;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use base::when;
use issuing::model::Modelo;
use serde_json::{Value, json as value};
use store::Conn;
use store::tables::flows::{HeadRow, TurnNext};
use store::tables::ledger::{Transfer, TransferKind};
use store::tables::requests::RequestRow;
use store::tables::{eventos, ledger, notas, requests};

pub fn built() -> Built {
    Built {
        operation: "usage.chamadas.get",
        route: |method| on(method, get),
        docs: Docs::new(
            "Mostra uma chamada pelo request_id: créditos movidos, linha do tempo e a troca com a autoridade, mascarada.",
        ),
    }
}

async fn get(call: Call, Path(request_id): Path<String>) -> ApiResult<Response> {
    let account = &call.caller.account_id;
    call.app.request_log.caught_up().await;
    let mut conn = call.app.db.read().await?;
    let row = requests::get(&mut conn, account, &request_id)
        .await?
        .ok_or_else(|| {
            Refusal::new(Code::NaoEncontrado)
                .message("Chamada não encontrada.")
                .hint("Use o request_id ou o cabeçalho X-Request-Id de uma chamada desta conta.")
        })?;
    let (transfers, subjects) = caused(&mut conn, account, &row).await?;
    let turns: Vec<&HeadRow> = subjects.iter().flat_map(|one| &one.turns).collect();
    let mut body = record(&row);
    let movements: Vec<Value> = transfers
        .iter()
        .map(|one| value!(entry::Movimento::from(one)))
        .collect();
    body.insert("lancamentos".to_owned(), movements.into());
    body.insert(
        "linha_do_tempo".to_owned(),
        timeline(&row, &transfers, &turns).into(),
    );
    let troca = exchange::record(&mut conn, &call, &row, subjects).await?;
    body.insert("troca".to_owned(), troca);
    body.insert("sucesso".to_owned(), true.into());
    body.insert("chamada".to_owned(), row.id.clone().into());
    body.insert(
        "request_id".to_owned(),
        call.caller.request_id.clone().into(),
    );
    Ok(json(200, &body.into()))
}

/// Movements of credits that this call caused, and what it was about: its
/// document and the events it asked for.
async fn caused(
    conn: &mut Conn,
    account: &str,
    row: &RequestRow,
) -> Result<(Vec<Transfer>, Vec<Subject>), Failure> {
    let direct = ledger::direct_of(conn, account, &row.id).await?;
    let mut transfers = Vec::from_iter(direct);
    let mut subjects = Vec::new();
    // A voided range has no note.
    if row.subject_id.starts_with("eve_") {
        let evento = eventos::by_id(conn, &row.subject_id).await?;
        let own = evento.filter(|one| one.account_id == account && one.request_id == row.id);
        subjects.extend(own.map(Subject::from));
    }
    if let Some(nota) = notas::get(conn, account, &row.subject_id).await? {
        let events = eventos::asked_by(conn, account, &nota.id, &row.id).await?;
        if nota.request_id == row.id {
            subjects.push(nota.into());
        }
        subjects.extend(events.into_iter().map(Subject::from));
    }
    for subject in &mut subjects {
        transfers.extend(ledger::of_subject(conn, account, &subject.id).await?);
        subject.read(conn, account).await?;
    }
    transfers.retain(|transfer| transfer.request_id == row.id);
    Ok((transfers, subjects))
}

fn timeline(row: &RequestRow, transfers: &[Transfer], turns: &[&HeadRow]) -> Vec<Value> {
    let mut steps = vec![(row.created_at_ms, "autenticado", Value::Null)];
    for transfer in transfers {
        match transfer.kind {
            TransferKind::Hold => {
                // The reserve, the number and the document are one transaction.
                steps.push((transfer.created_at_ms, "validado", Value::Null));
                steps.push((transfer.created_at_ms, "reservado", transfer.amount.into()));
                if Modelo::is_nota(&transfer.subject_id) {
                    steps.push((transfer.created_at_ms, "numerado", Value::Null));
                }
            }
            TransferKind::Void => {
                steps.push((transfer.created_at_ms, "devolvido", transfer.amount.into()))
            }
            TransferKind::Post | TransferKind::Direct => {
                steps.push((transfer.created_at_ms, "debitado", transfer.amount.into()))
            }
            // No call moves these.
            TransferKind::Gift
            | TransferKind::Purchase
            | TransferKind::Refund
            | TransferKind::Adjust => {}
        }
    }
    for turn in turns {
        let event: Value = serde_json::from_str(&turn.event).unwrap_or_default();
        if let Some(status) = event.pointer("/response/status") {
            steps.push((turn.at_ms, "respondido_pela_autoridade", status.clone()));
        }
        if turn.next == TurnNext::Send {
            steps.push((turn.at_ms, "enviado", turn.label.clone().into()));
        }
    }
    steps.push((
        row.created_at_ms.saturating_add(row.duration_ms),
        "respondido",
        row.status.into(),
    ));
    steps.sort_by_key(|(at_ms, _, _)| *at_ms);
    steps
        .into_iter()
        .map(|(at_ms, step, detail)| value!({ "em": when::rfc3339(at_ms), "etapa": step, "detalhe": detail }))
        .collect()
}
