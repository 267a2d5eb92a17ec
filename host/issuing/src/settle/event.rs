//! The end of a cancellation, or of a question about a note that exists.

use super::record::{ended, event, keep_xml, told};
use super::verdict::{Verdict, Who, failed, identified, ours, verdict};
use crate::answer::{
    self, AuthorityMessage, Divergence, EventResult, Found, FoundAtSefaz, SeenStatus,
};
use crate::document::naming;
use crate::model::{Fact, Issued as _};
use crate::new_flow;
use crate::settle::note::{self, Number, authorize, reject};
use crate::settle::product;
use accounts::ledger::{self, Resolution};
use base::errors::{Code, Refusal, Rejection};
use flow::contract::{Failure, FailureReason, Outcome, Situacao, Success};
use store::tables::eventos::{self, EventoRow, EventoStatus};
use store::tables::flows::{self, FlowOperation, FlowPhase, FlowRow};
use store::tables::idempotency;
use store::tables::notas::{self, NotaRow, NotaStatus};
use store::{Conn, DbResult, Present as _};

/// Operation that asks for the state of a note after its cancellation was
/// refused.
const LOOK: FlowOperation = FlowOperation::ConsultarNota;

/// Looks after the last request before its refusal is the end of the cancellation,
/// at the earliest: an earlier request may wait in the authority's queue.
const LOOKS_TO_END: i64 = 3;

/// A cancellation, or the look that followed a refused one, is over.
pub async fn cancellation(
    conn: &mut Conn,
    flow: &FlowRow,
    nota: NotaRow,
    mut evento: EventoRow,
    outcome: &Outcome,
    now_ms: i64,
    wait_divisor: i64,
) -> DbResult<()> {
    if evento.status != EventoStatus::InTransmission {
        return Ok(());
    }
    evento.updated_at_ms = now_ms;
    let refused = refused_before(&evento)?;
    match outcome {
        // The note after a refused second request: still valid, so the first
        // one came to nothing.
        Ok(success)
            if flow.operacao == LOOK
                && !refused.is_empty()
                && matches!(seen(success), Situacao::Autorizado | Situacao::Consultado)
                && !ended(success.situacao)
                && looks_since_sent(conn, &evento).await? >= LOOKS_TO_END =>
        {
            evento.status = EventoStatus::Rejected;
            EventResult::refused(&refused).keep(&mut evento)?;
            let refusal = answer::rejected(&nota, refused).with("evento_id", evento.id.as_str());
            return_credit(conn, evento, &refusal, now_ms).await
        }
        Ok(success)
            if ended(success.situacao) || (flow.operacao == LOOK && ended(seen(success))) =>
        {
            registered(conn, flow, nota, evento, success, now_ms).await
        }
        // The authority decides later; sent again it would be another request, so the
        // note is looked at. A receipt, which has a protocol, is ordered again below.
        Ok(success)
            if flow.operacao == FlowOperation::Cancelar
                && success.situacao == Situacao::EmProcessamento
                && success.protocolo.is_none() =>
        {
            let at_ms = now_ms + note::pause_ms(0) / wait_divisor;
            look_at_note(conn, flow, &nota, at_ms, now_ms).await?;
            evento.resultado = String::new();
            evento.attempts += 1;
            eventos::save(conn, &evento).await
        }
        _ if flow.operacao == LOOK
            && shows_nothing(outcome)
            && (!refused.is_empty() || looks_since_sent(conn, &evento).await? >= LOOKS_TO_END) =>
        {
            cancel_again(conn, evento, now_ms, wait_divisor).await
        }
        // A second request that is refused says nothing about the first.
        Err(failure)
            if !failure.may_exist && flows::acted_before(conn, &evento.id, &flow.id).await? =>
        {
            if let Verdict::Rejected(reasons) = failed(failure, &Who::of(&nota))
                && flow.operacao != LOOK
            {
                evento.resultado = answer::written(&reasons)?;
                look_at_note(conn, flow, &nota, now_ms, now_ms).await?;
            } else {
                evento.attempts += 1;
            }
            eventos::save(conn, &evento).await
        }
        Err(failure) if !failure.may_exist => {
            let refusal = refused_by(failure, &nota, &mut evento)?;
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

/// Whether no answer to such a question shows the note: the adapter has no such
/// question, or the authority does not show the note (some hide a cancelled one).
fn shows_nothing(outcome: &Outcome) -> bool {
    match outcome {
        Ok(success) => success.situacao == Situacao::NaoEncontrado,
        Err(failure) => matches!(failure.reason, FailureReason::NotSupported(_)),
    }
}

/// Looks at the note since a cancellation was requested last.
async fn looks_since_sent(conn: &mut Conn, evento: &EventoRow) -> DbResult<i64> {
    let sent = flows::last_with(conn, &evento.id, FlowOperation::Cancelar).await?;
    let since_ms = sent.map_or(0, |sent| sent.created_at_ms);
    flows::count_since(conn, &evento.id, LOOK, since_ms).await
}

/// Has the authority asked for the note of a cancellation at this moment.
async fn look_at_note(
    conn: &mut Conn,
    flow: &FlowRow,
    nota: &NotaRow,
    at_ms: i64,
    now_ms: i64,
) -> DbResult<()> {
    let sent_ms = naming::sent_ms(conn, nota).await?;
    let named = naming::ref_of_cancelled(nota, sent_ms, now_ms)?;
    let content =
        serde_json::to_string(&named).map_err(|error| sqlx::Error::Encode(error.into()))?;
    let question = FlowRow {
        conteudo: content,
        context: new_flow::fresh(&flow.context, &flow.id, now_ms)?,
        ..flow.clone()
    };
    new_flow::insert_flow_at(conn, question, LOOK, at_ms, now_ms).await
}

/// Requests a cancellation again whose note no look shows. If an earlier request
/// cancelled the note, the adapter ends the repeated one as cancelled; refusals alone
/// never end the event, because no answer shows what became of the first request.
async fn cancel_again(
    conn: &mut Conn,
    mut evento: EventoRow,
    now_ms: i64,
    wait_divisor: i64,
) -> DbResult<()> {
    let sent = flows::last_with(conn, &evento.id, FlowOperation::Cancelar).await?;
    let sent = sent.present("cancellation before a look", &evento.id)?;
    let last = new_flow::again(conn, &evento.id).await?;
    let looks = flows::count_of(conn, &evento.id, LOOK).await?;
    let at_ms = now_ms + note::pause_ms(looks - 1) / wait_divisor;
    let again = FlowRow {
        way: last.map_or(sent.way, |last| last.way),
        ..sent
    };
    new_flow::insert_flow_at(conn, again, FlowOperation::Cancelar, at_ms, now_ms).await?;
    evento.attempts += 1;
    eventos::save(conn, &evento).await
}

/// Why the authority refused a second request, as the row keeps it while the
/// first one is looked for.
fn refused_before(evento: &EventoRow) -> DbResult<Vec<Rejection>> {
    if evento.resultado.is_empty() {
        return Ok(Vec::new());
    }
    answer::read(&evento.resultado)
}

/// Why a cancellation came to nothing; the row says it too.
fn refused_by(failure: &Failure, nota: &NotaRow, evento: &mut EventoRow) -> DbResult<Refusal> {
    Ok(match failed(failure, &Who::of(nota)) {
        Verdict::Rejected(reasons) => {
            evento.status = EventoStatus::Rejected;
            EventResult::refused(&reasons).keep(evento)?;
            answer::rejected(nota, reasons).with("evento_id", evento.id.as_str())
        }
        Verdict::NotSent(refusal) => {
            evento.status = EventoStatus::NotSent;
            refusal.nota(&nota.id)
        }
        // `failed` gives one of the two above.
        _ => Refusal::new(Code::FalhaDoAdaptador).nota(&nota.id),
    })
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
    evento.status = EventoStatus::Registered;
    // A look shows the note, not the event that ended it.
    let document = success.documentos.first().filter(|_| flow.operacao != LOOK);
    evento.protocolo = success
        .protocolo
        .clone()
        .or_else(|| document?.protocolo.clone())
        .unwrap_or_default();
    let result = EventResult {
        registrado_em: document.and_then(|document| document.emitido_em.clone()),
        ..EventResult::default()
    };
    result.keep(&mut evento)?;
    if let Some(document) = document {
        let (account, id) = (&evento.account_id, &evento.id);
        keep_xml(conn, account, id, "evento", document, now_ms).await?;
    }
    ledger::resolve(conn, &evento.hold_id, Resolution::Debit, now_ms).await?;
    // A question of the customer may have shown it before, and told of it.
    if nota.status != NotaStatus::Cancelled {
        nota.status = NotaStatus::Cancelled;
        nota.updated_at_ms = now_ms;
        notas::save(conn, &nota).await?;
        event(conn, &nota, nota.modelo.evento(Fact::Cancelled), now_ms).await?;
    }
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
    if evento.status != EventoStatus::InTransmission {
        return Ok(());
    }
    evento.updated_at_ms = now_ms;
    let success = match outcome {
        Ok(success) => success,
        Err(failure) => {
            evento.status = EventoStatus::NotSent;
            let refusal = match failed(failure, &Who::of(&nota)) {
                Verdict::NotSent(refusal) => refusal.nota(&nota.id),
                Verdict::Rejected(reasons) => answer::rejected(&nota, reasons),
                _ => Refusal::new(nota.modelo.unavailable())
                    .retry_after(60)
                    .nota(&nota.id),
            };
            return return_credit(conn, evento, &refusal, now_ms).await;
        }
    };
    let documento = success.documentos.first();
    let status = state_seen(success);
    let before = nota.status;
    let open = nota.is_open();
    match (status, documento) {
        (SeenStatus::Autorizada, Some(documento))
            if open
                && identified(documento, &nota)
                && ours(documento, &nota)?
                && !product::of_other_content(conn, &nota, documento).await?
                && rests(conn, &nota).await? =>
        {
            authorize(conn, &mut nota.clone(), documento, success, now_ms).await?;
        }
        (SeenStatus::Denegada, _) if open => {
            if let Verdict::Denied(reasons) = verdict(outcome, &nota)?
                && rests(conn, &nota).await?
            {
                reject(conn, &mut nota.clone(), reasons, Number::Burnt, now_ms).await?;
            }
        }
        (SeenStatus::Cancelada | SeenStatus::Substituida, _) if nota.is_valid() => {
            nota.status = NotaStatus::Cancelled;
            product::said_at_the_end(&mut nota, success)?;
            nota.updated_at_ms = now_ms;
            notas::save(conn, &nota).await?;
            event(conn, &nota, nota.modelo.evento(Fact::Cancelled), now_ms).await?;
        }
        _ => {}
    }
    let nota = notas::by_id(conn, &nota.id).await?.unwrap_or(nota);
    evento.status = EventoStatus::Registered;
    evento.resultado = answer::written(&shown(success, &nota, before, status))?;
    ledger::resolve(conn, &evento.hold_id, Resolution::Debit, now_ms).await?;
    close_event(conn, &nota, evento).await
}

/// What an answer says about the note, as a word of ours.
fn state_seen(success: &Success) -> SeenStatus {
    match seen(success) {
        Situacao::Autorizado | Situacao::Consultado => SeenStatus::Autorizada,
        Situacao::Cancelado => SeenStatus::Cancelada,
        Situacao::Substituido => SeenStatus::Substituida,
        Situacao::NaoEncontrado => SeenStatus::NaoEncontrada,
        Situacao::EmProcessamento => SeenStatus::PendentePrefeitura,
        Situacao::Denegado => SeenStatus::Denegada,
        _ => SeenStatus::Desconhecida,
    }
}

/// What is shown of an answer about a note, whose status was another one before.
fn shown(
    success: &Success,
    nota: &NotaRow,
    before: NotaStatus,
    status: SeenStatus,
) -> FoundAtSefaz {
    let messages = success.mensagens.iter().map(|m| AuthorityMessage {
        codigo: m.codigo.clone(),
        texto: m.texto.clone(),
    });
    let said = product::said_of(success, nota);
    let (status_sefaz, sefaz_message, eventos) = match said {
        Some(said) => (Some(said.cstat), Some(said.motivo), Some(said.eventos)),
        None => (None, None, None),
    };
    FoundAtSefaz {
        achado: Found {
            situacao: status,
            divergencia: divergence(before, nota.status, status),
            mensagens: messages.collect(),
        },
        status_sefaz,
        mensagem_sefaz: sefaz_message,
        eventos,
    }
}

/// How the record and the authority differ, for the answer: either the record
/// was corrected (its status changed), or it stays as it is and the answer
/// shows both. A registered cancellation stays although a later answer does not
/// mention it, and a note in transmission is settled by its own flow.
fn divergence(before: NotaStatus, now: NotaStatus, status: SeenStatus) -> Option<Divergence> {
    if before != now {
        return Some(Divergence::Corrigida {
            antes: before,
            agora: now,
        });
    }
    let differs = matches!(
        (now, status),
        (NotaStatus::Cancelled, SeenStatus::Autorizada)
            | (
                NotaStatus::Authorized,
                SeenStatus::Cancelada | SeenStatus::NaoEncontrada
            )
    );
    differs.then_some(Divergence::Aberta {
        aqui: now,
        autoridade: status,
    })
}

/// Whether the note may be settled here: no flow of its own is running that
/// would settle it.
async fn rests(conn: &mut Conn, nota: &NotaRow) -> DbResult<bool> {
    let last = flows::last_of(conn, &nota.id).await?;
    Ok(last.is_none_or(|flow| flow.phase == FlowPhase::Done))
}

async fn close_event(conn: &mut Conn, nota: &NotaRow, mut evento: EventoRow) -> DbResult<()> {
    let balance = ledger::available(conn, &evento.account_id).await?;
    let (status, body) = answer::event(nota, &evento, balance)?;
    evento.answer_status = i64::from(status);
    evento.answer = body;
    eventos::save(conn, &evento).await
}

async fn refuse_event(conn: &mut Conn, mut evento: EventoRow, refusal: &Refusal) -> DbResult<()> {
    evento.answer_status = i64::from(refusal.code.status());
    evento.answer = told(refusal, &evento.request_id);
    eventos::save(conn, &evento).await
}
