//! GET /api/v1/usage/chamadas/{request_id}: what happened to one call.

use super::chamadas::LoggedCall;
use crate::v1::creditos::entry::Movement;
use crate::v1::usage::exchange::{self, AuthorityExchange, Subject};
use axum::extract::Path;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use base::when;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use issuing::model::Model;
use schemars::JsonSchema;
use serde::Serialize;
use store::Conn;
use store::ids::{AccountId, EventoId, RequestId};
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
        )
        .success::<CallOut>(),
    }
}

/// O que houve em uma chamada.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ChamadaOut")]
struct CallOut {
    /// O request_id da chamada.
    chamada: RequestId,
    #[serde(flatten)]
    registro: LoggedCall,
    /// Os créditos que moveu.
    lancamentos: Vec<Movement>,
    linha_do_tempo: Vec<Step>,
    /// `null` se a chamada não trata de nada que uma autoridade saiba.
    troca: Option<AuthorityExchange>,
}

/// Um passo da linha do tempo.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Passo")]
struct Step {
    em: String,
    etapa: Stage,
    detalhe: Option<Detail>,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Etapa")]
#[serde(rename_all = "snake_case")]
enum Stage {
    Autenticado,
    Validado,
    Reservado,
    Numerado,
    Enviado,
    RespondidoPelaAutoridade,
    Debitado,
    Devolvido,
    Respondido,
}

/// Os créditos movidos ou o status HTTP; do que foi enviado, o que era.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Detalhe")]
#[serde(untagged)]
enum Detail {
    Numero(i64),
    Texto(String),
}

async fn get(call: Call, Path(request_id): Path<RequestId>) -> ApiAnswer<CallOut> {
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
    let timeline = timeline(&row, &transfers, &turns)?;
    let exchange = exchange::record(&mut conn, &call, &row, subjects).await?;
    drop(conn);
    call.ok(CallOut {
        registro: LoggedCall::of(&row),
        lancamentos: transfers.iter().map(Movement::from).collect(),
        linha_do_tempo: timeline,
        troca: exchange,
        chamada: row.id,
    })
}

/// Movements of credits that this call caused, and what it was about: its
/// document and the events it asked for.
async fn caused(
    conn: &mut Conn,
    account: &AccountId,
    row: &RequestRow,
) -> Result<(Vec<Transfer>, Vec<Subject>), Failure> {
    let direct = ledger::direct_of(conn, account, &row.id).await?;
    let mut transfers = Vec::from_iter(direct);
    let mut subjects = Vec::new();
    // A voided range has no note.
    if EventoId::is(&row.subject_id) {
        let evento = eventos::by_id(conn, &row.subject_id.as_str().into()).await?;
        let own = evento.filter(|one| one.account_id == *account && one.request_id == row.id);
        subjects.extend(own.map(Subject::from));
    }
    if let Some(nota) = notas::get(conn, account, &row.subject_id.as_str().into()).await? {
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

fn timeline(
    row: &RequestRow,
    transfers: &[Transfer],
    turns: &[&HeadRow],
) -> Result<Vec<Step>, serde_json::Error> {
    let number = |number: i64| Some(Detail::Numero(number));
    let mut steps = vec![(row.created_at_ms, Stage::Autenticado, None)];
    for transfer in transfers {
        let (at_ms, amount) = (transfer.created_at_ms, number(transfer.amount));
        match transfer.kind {
            TransferKind::Hold => {
                // The reserve, the number and the document are one transaction.
                steps.push((at_ms, Stage::Validado, None));
                steps.push((at_ms, Stage::Reservado, amount));
                if Model::is_nota(&transfer.subject_id) {
                    steps.push((at_ms, Stage::Numerado, None));
                }
            }
            TransferKind::Void => steps.push((at_ms, Stage::Devolvido, amount)),
            TransferKind::Post | TransferKind::Direct => {
                steps.push((at_ms, Stage::Debitado, amount));
            }
            // No call moves these.
            TransferKind::Gift
            | TransferKind::Purchase
            | TransferKind::Refund
            | TransferKind::Adjust => {}
        }
    }
    for turn in turns {
        if let Some(head) = exchange::came(turn)?.response {
            let status = number(head.status.into());
            steps.push((turn.at_ms, Stage::RespondidoPelaAutoridade, status));
        }
        if turn.next == TurnNext::Send {
            let label = Detail::Texto(turn.label.clone());
            steps.push((turn.at_ms, Stage::Enviado, Some(label)));
        }
    }
    let ended_ms = row.created_at_ms.saturating_add(row.duration_ms);
    steps.push((ended_ms, Stage::Respondido, number(row.status)));
    steps.sort_by_key(|(at_ms, _, _)| *at_ms);
    let steps = steps.into_iter().map(|(at_ms, stage, detail)| Step {
        em: when::rfc3339(at_ms),
        etapa: stage,
        detalhe: detail,
    });
    Ok(steps.collect())
}
