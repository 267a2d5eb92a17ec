//! The end of a cancellation, or of a question about a note that exists.

use super::record::{ended, event, keep_xml, told};
use super::verdict::{Quem, Verdict, failed, identified, ours, verdict};
use crate::answer;
use crate::document::naming;
use crate::model::{Fato, Modelo};
use crate::new_flow;
use crate::settle::note::{Number, authorize, reject};
use crate::settle::product;
use accounts::ledger::{self, Resolution};
use base::errors::{Code, Refusal, Rejeicao};
use flow::contract::{Failure, Outcome, Situacao, Success};
use serde_json::{Value, json};
use store::tables::eventos::{self, EventoRow};
use store::tables::flows::{self, FlowRow};
use store::tables::idempotency;
use store::tables::notas::{self, NotaRow};
use store::{Conn, DbResult, stored};

/// Operation that looks at a note whose cancellation was refused.
const LOOK: &str = "consultar-nota";

/// A cancellation, or the look that followed a refused one, is over.
pub async fn cancellation(
    conn: &mut Conn,
    flow: &FlowRow,
    nota: NotaRow,
    mut evento: EventoRow,
    outcome: &Outcome,
    now_ms: i64,
) -> DbResult<()> {
    if evento.status != "em_transmissao" {
        return Ok(());
    }
    evento.updated_at_ms = now_ms;
    match outcome {
        // The note after a refused second request: valid, so the first one
        // came to nothing.
        Ok(success)
            if flow.operacao == LOOK
                && matches!(seen(success), Situacao::Autorizado | Situacao::Consultado)
                && !ended(success.situacao) =>
        {
            let what = "reasons of a refused cancellation";
            let reasons: Vec<Rejeicao> = stored(&evento.resultado, what, &evento.id)?;
            evento.status = "rejeitado".to_owned();
            evento.resultado = json!({ "rejeicao": reasons.first() }).to_string();
            let refusal = answer::rejected(&nota, reasons).with("evento_id", evento.id.as_str());
            return_credit(conn, evento, &refusal, now_ms).await
        }
        Ok(success)
            if ended(success.situacao) || (flow.operacao == LOOK && ended(seen(success))) =>
        {
            registered(conn, flow, nota, evento, success, now_ms).await
        }
        // A second request that is refused says nothing about the first.
        Err(failure)
            if !failure.may_exist && flows::acted_before(conn, &evento.id, &flow.id).await? =>
        {
            if let Verdict::Rejected(reasons) = failed(failure, &Quem::of(&nota))
                && flow.operacao != LOOK
            {
                evento.resultado = json!(reasons).to_string();
                let conteudo = serde_json::to_string(&naming::ref_of(&nota))
                    .map_err(|error| sqlx::Error::Encode(error.into()))?;
                new_flow::insert_flow(
                    conn,
                    FlowRow {
                        conteudo,
                        ..flow.clone()
                    },
                    LOOK,
                    now_ms,
                )
                .await?;
            } else {
                evento.attempts += 1;
            }
            eventos::save(conn, &evento).await
        }
        Err(failure) if !failure.may_exist => {
            let refusal = refused_by(failure, &nota, &mut evento);
            return_credit(conn, evento, &refusal, now_ms).await
        }
        // Not known: the work job tries again later; a cancellation asked
        // twice is one event at the authority.
        Ok(_) | Err(_) => {
            tracing::info!(flow.id = %flow.id, evento.id = %evento.id, "cancellation not known yet");
            evento.attempts += 1;
            eventos::save(conn, &evento).await
        }
    }
}

/// Why a cancellation came to nothing; the row says it too.
fn refused_by(failure: &Failure, nota: &NotaRow, evento: &mut EventoRow) -> Refusal {
    match failed(failure, &Quem::of(nota)) {
        Verdict::Rejected(reasons) => {
            evento.status = "rejeitado".to_owned();
            evento.resultado = json!({ "rejeicao": reasons.first() }).to_string();
            answer::rejected(nota, reasons).with("evento_id", evento.id.as_str())
        }
        Verdict::NotSent(refusal) => {
            evento.status = "nao_enviado".to_owned();
            refusal.nota(&nota.id)
        }
        // `failed` gives one of the two above.
        _ => Refusal::new(Code::FalhaDoAdaptador).nota(&nota.id),
    }
}

/// The note is cancelled, by this event or by another.
async fn registered(
    conn: &mut Conn,
    flow: &FlowRow,
    mut nota: NotaRow,
    mut evento: EventoRow,
    success: &Success,
    now_ms: i64,
) -> DbResult<()> {
    evento.status = "registrado".to_owned();
    // A look shows the note, not the event that ended it.
    let document = success.documentos.first().filter(|_| flow.operacao != LOOK);
    evento.protocolo = success
        .protocolo
        .clone()
        .or_else(|| document?.protocolo.clone())
        .unwrap_or_default();
    let at = document.and_then(|document| document.emitido_em.clone());
    evento.resultado = json!({ "registrado_em": at }).to_string();
    if let Some(document) = document {
        let (account, id) = (&evento.account_id, &evento.id);
        keep_xml(conn, account, id, "evento", document, now_ms).await?;
    }
    ledger::resolve(conn, &evento.hold_id, Resolution::Debit, now_ms).await?;
    nota.status = "cancelada".to_owned();
    nota.updated_at_ms = now_ms;
    notas::save(conn, &nota).await?;
    event(
        conn,
        &nota,
        Modelo::of(&nota).evento(Fato::Cancelada),
        now_ms,
    )
    .await?;
    close_event(conn, &nota, evento).await
}

/// What an answer says about the note it brings.
fn seen(success: &Success) -> Situacao {
    success
        .documentos
        .first()
        .map_or(success.situacao, |documento| documento.situacao)
}

/// The end of an event that did not happen.
async fn return_credit(
    conn: &mut Conn,
    evento: EventoRow,
    refusal: &Refusal,
    now_ms: i64,
) -> DbResult<()> {
    ledger::resolve(conn, &evento.hold_id, Resolution::Return, now_ms).await?;
    idempotency::forget(conn, &evento.id).await?;
    refuse_event(conn, evento, refusal).await
}

/// A question about a note is over: the local record is repaired.
pub async fn looked(
    conn: &mut Conn,
    mut nota: NotaRow,
    mut evento: EventoRow,
    outcome: &Outcome,
    now_ms: i64,
) -> DbResult<()> {
    if evento.status != "em_transmissao" {
        return Ok(());
    }
    evento.updated_at_ms = now_ms;
    let success = match outcome {
        Ok(success) => success,
        Err(failure) => {
            evento.status = "nao_enviado".to_owned();
            let refusal = match failed(failure, &Quem::of(&nota)) {
                Verdict::NotSent(refusal) => refusal.nota(&nota.id),
                Verdict::Rejected(reasons) => answer::rejected(&nota, reasons),
                _ => Refusal::new(Modelo::of(&nota).indisponivel())
                    .retry_after(60)
                    .nota(&nota.id),
            };
            return return_credit(conn, evento, &refusal, now_ms).await;
        }
    };
    let documento = success.documentos.first();
    let situacao = state_seen(success);
    let before = nota.status.clone();
    let open = nota.is_open();
    match (situacao, documento) {
        ("autorizada", Some(documento))
            if open
                && identified(documento)
                && ours(documento, &nota)?
                && !product::de_outro_conteudo(conn, &nota, documento).await?
                && rests(conn, &nota).await? =>
        {
            authorize(conn, nota.clone(), documento, now_ms).await?;
        }
        ("denegada", _) if open => {
            if let Verdict::Denied(reasons) = verdict(outcome, &nota)?
                && rests(conn, &nota).await?
            {
                reject(conn, nota.clone(), reasons, Number::Burnt, now_ms).await?;
            }
        }
        ("cancelada" | "substituida", _) if nota.is_valid() => {
            nota.status = "cancelada".to_owned();
            if let Some(said) = said_of(success, &nota) {
                product::said_last(&mut nota, &said["cstat"], &said["motivo"])?;
            }
            nota.updated_at_ms = now_ms;
            notas::save(conn, &nota).await?;
            event(
                conn,
                &nota,
                Modelo::of(&nota).evento(Fato::Cancelada),
                now_ms,
            )
            .await?;
        }
        _ => {}
    }
    let nota = notas::by_id(conn, &nota.id).await?.unwrap_or(nota);
    let divergence = divergence(&before, &nota.status, situacao);
    evento.status = "registrado".to_owned();
    evento.resultado = shown(success, &nota, situacao, &divergence).to_string();
    ledger::resolve(conn, &evento.hold_id, Resolution::Debit, now_ms).await?;
    close_event(conn, &nota, evento).await
}

/// What an answer says about the note, as a word of ours.
fn state_seen(success: &Success) -> &'static str {
    match seen(success) {
        Situacao::Autorizado | Situacao::Consultado => "autorizada",
        Situacao::Cancelado => "cancelada",
        Situacao::Substituido => "substituida",
        Situacao::NaoEncontrado => "nao_encontrada",
        Situacao::EmProcessamento => "pendente_prefeitura",
        Situacao::Denegado => "denegada",
        _ => "desconhecida",
    }
}

/// What is shown of an answer about a note.
fn shown(success: &Success, nota: &NotaRow, situacao: &str, divergence: &Value) -> Value {
    let mensagens: Vec<_> = success
        .mensagens
        .iter()
        .map(|m| json!({ "codigo": m.codigo, "texto": m.texto }))
        .collect();
    let mut resultado =
        json!({ "situacao": situacao, "divergencia": divergence, "mensagens": mensagens });
    if let Some(said) = said_of(success, nota) {
        resultado["status_sefaz"] = said["cstat"].clone();
        resultado["mensagem_sefaz"] = said["motivo"].clone();
        resultado["eventos"] = said["eventos"].clone();
    }
    resultado
}

/// The authority's words about a product note.
fn said_of(success: &Success, nota: &NotaRow) -> Option<Value> {
    let said = success
        .conteudo
        .as_ref()
        .filter(|_| Modelo::of(nota).is_produto());
    serde_json::from_str(&said?.json).ok()
}

/// What differed: repaired, or what the authority says against the record. A
/// registered cancellation stands whatever a later answer leaves out, and a
/// note on its way is settled by its own flow.
fn divergence(before: &str, now: &str, situacao: &str) -> Value {
    if before != now {
        json!({ "antes": before, "agora": now })
    } else if matches!(
        (now, situacao),
        ("cancelada", "autorizada") | ("autorizada", "cancelada" | "nao_encontrada")
    ) {
        json!({ "aqui": now, "autoridade": situacao })
    } else {
        Value::Null
    }
}

/// No flow of the note itself runs, which would settle it.
async fn rests(conn: &mut Conn, nota: &NotaRow) -> DbResult<bool> {
    let last = flows::last_of(conn, &nota.id).await?;
    Ok(last.is_none_or(|flow| flow.phase == "done"))
}

async fn close_event(conn: &mut Conn, nota: &NotaRow, mut evento: EventoRow) -> DbResult<()> {
    let saldo = ledger::available(conn, &evento.account_id).await?;
    let (status, body) = answer::event(nota, &evento, saldo);
    evento.answer_status = i64::from(status);
    evento.answer = body.to_string();
    eventos::save(conn, &evento).await
}

async fn refuse_event(conn: &mut Conn, mut evento: EventoRow, refusal: &Refusal) -> DbResult<()> {
    evento.answer_status = i64::from(refusal.code.status());
    evento.answer = told(refusal, &evento.request_id);
    eventos::save(conn, &evento).await
}
