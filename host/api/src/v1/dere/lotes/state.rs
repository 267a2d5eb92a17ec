//! What is shown of a batch.

use super::super::{NOT_SENT, Sending};
use base::errors::{Code, Failure, Refusal};
use base::when;
use dere::batch::envelope;
use gate::Call;
use gate::answer::refusal::RefusedField;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::ids::{DereBatchId, DereEventId};
use store::tables::dere::{self as rows, DereBatchRow, DereBatchStatus, DereEventStatus};
use store::{Present as _, stored};

/// What is said where an accepted event has no signature.
const UNSIGNED: &str = "O emitente não tem certificado A1 válido: os eventos não foram assinados. Envie o certificado e revalide o lote.";

/// A situação de um lote e dos eventos dele.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SituacaoDoLoteDere")]
pub struct StateOut {
    /// O id do lote.
    id: DereBatchId,
    /// O mesmo que `id`.
    lote_id: DereBatchId,
    /// `aceito`: o leiaute aceita todos os eventos; não quer dizer que algo foi
    /// transmitido.
    status: DereBatchStatus,
    leiaute: String,
    /// A raiz do CNPJ da empresa, com 8 caracteres.
    inscricao: String,
    eventos: Vec<EventState>,
    /// Todos os eventos têm a assinatura da empresa.
    assinado: bool,
    transmissao: Sending,
    avisos: Vec<&'static str>,
    /// O lote em XML, se foi aceito e com ?xml=1.
    #[serde(skip_serializing_if = "Option::is_none")]
    xml: Option<String>,
    criado_em: String,
    atualizado_em: String,
}

/// Um evento do lote.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EventoDoLoteDere")]
struct EventState {
    /// O id do evento.
    // Not stored: as `evento_id`.
    #[serde(skip_deserializing)]
    id: DereEventId,
    /// O mesmo que `id`.
    evento_id: DereEventId,
    tipo: String,
    periodo: String,
    status: DereEventStatus,
    /// O documento tem a assinatura da empresa.
    assinado: bool,
    /// O que corrigir, até 100. `campo` é o caminho no pedido do evento, ou
    /// `eventos[n]` se o erro é em relação aos outros eventos do lote.
    erros: Vec<RefusedField>,
    /// O documento, com ?xml=1; vazio se os dados não couberam no leiaute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    xml: Option<String>,
}

/// A batch of the account.
///
/// # Errors
/// It is not there.
pub async fn batch(call: &Call, id: &DereBatchId) -> Result<DereBatchRow, Failure> {
    let mut conn = call.app.db.read().await?;
    let (account, unseen) = (&call.caller.account_id, call.caller.unseen());
    let row = rows::batch(&mut conn, account, id, unseen).await?;
    let row = row.ok_or_else(|| {
        Refusal::new(Code::NaoEncontrado)
            .message("Lote não encontrado.")
            .hint("Use o lote_id de POST /api/v1/dere/lotes.")
    })?;
    call.about(&row.id);
    Ok(row)
}

/// The state of a batch, with its documents if they are asked for.
///
/// # Errors
/// A row is damaged.
pub async fn shown(call: &Call, row: DereBatchRow, xml: bool) -> Result<StateOut, Failure> {
    let mut events: Vec<EventState> = stored(&row.eventos, "events of a batch", &row.id)?;
    for event in &mut events {
        event.id.clone_from(&event.evento_id);
    }
    let signed = events.iter().all(|event| event.assinado);
    let accepted = row.status == DereBatchStatus::Accepted;
    let mut whole = None;
    if xml {
        let documents = documents(call, &row, &mut events).await?;
        let parts = documents
            .iter()
            .map(|(id, xml)| (id.as_str(), xml.as_str()));
        let parts: Vec<_> = parts.collect();
        whole = accepted.then(|| envelope(&row.inscricao, &parts));
    }
    let mut notices = vec![NOT_SENT];
    if accepted && !signed {
        notices.push(UNSIGNED);
    }
    Ok(StateOut {
        status: row.status,
        leiaute: row.leiaute,
        inscricao: row.inscricao,
        eventos: events,
        assinado: signed,
        transmissao: Sending::NaoDisponivel,
        avisos: notices,
        xml: whole,
        criado_em: when::rfc3339(row.created_at_ms),
        atualizado_em: when::rfc3339(row.updated_at_ms),
        id: row.id.clone(),
        lote_id: row.id,
    })
}

/// Ids and documents of the events, which are shown with each, too.
async fn documents(
    call: &Call,
    row: &DereBatchRow,
    events: &mut [EventState],
) -> Result<Vec<(String, String)>, Failure> {
    let mut conn = call.app.db.read().await?;
    let mut found = Vec::with_capacity(events.len());
    for event in events {
        let there = rows::event(&mut conn, &row.account_id, &event.evento_id, "").await?;
        let there = there.present("event of a batch", &event.evento_id)?;
        event.xml = Some(there.xml.clone());
        found.push((there.chave, there.xml));
    }
    Ok(found)
}
