//! The end of an emission, or of a question about one.

use super::record::{adopt, ended, event, keep_xml, series, told};
use super::verdict::{Verdict, verdict};
use crate::answer;
use crate::document::naming;
use crate::document::product::Details;
use crate::model::{Ambiente, Fact, Issued as _, Model, NUMBER_ALREADY_USED, NUMBER_SAID_TAKEN};
use crate::new_flow;
use crate::settle::{impediment, product};
use accounts::ledger::{self, Resolution};
use base::errors::{Refusal, Rejection};
use flow::contract::{Context, Documento, FailureReason, Outcome, Success};
use store::tables::flows::{self, FlowRow};
use store::tables::notas::{self, NotaRow, NotaStatus};
use store::tables::{artifacts, idempotency, numbers};
use store::{Conn, DbResult, Present as _, stored};

/// Queries that found nothing before the same bytes are sent again, where a
/// late first copy might become a second document.
const NOT_FOUND_BEFORE_RESEND: i64 = 3;

/// Times the authority must say that it has no such document before the refusal
/// of a later sending is the end of the note.
const NOT_FOUND_TO_END: usize = 3;

/// Pauses before the same bytes are sent again after the authority was asked
/// at once and has none, by number of sendings; after the last one it is asked
/// again in the steps below first.
const SEND_AGAIN_MS: [i64; 4] = [0, 1_000, 3_000, 9_000];

/// Option by which the registry says of an authority that it refuses a second
/// copy of a document by itself (docs/ADAPTERS.md).
const REFUSES_DUPLICATES: &str = "recusa_duplicata";

/// Pause before asking again, by number of questions already asked.
const ASK_AGAIN_MS: [i64; 5] = [60_000, 180_000, 600_000, 1_800_000, 7_200_000];

const ASK_AT_MOST_MS: i64 = 21_600_000;

/// Settles a note when the flow that issued it, or the flow that asked for its
/// state, has ended. Returns what became of the note, in one word for the
/// metrics.
pub async fn settle(
    conn: &mut Conn,
    flow: &FlowRow,
    nota: &mut NotaRow,
    outcome: &Outcome,
    now_ms: i64,
    wait_divisor: i64,
) -> DbResult<&'static str> {
    if !nota.is_open() {
        return Ok("ja_concluida");
    }
    nota.updated_at_ms = now_ms;
    let model = nota.modelo;
    let query = flow.operacao == model.query();
    let verdict = verdict_of(conn, outcome, nota).await?;
    let refused = matches!(verdict, Verdict::Rejected(_) | Verdict::NotSent(_));
    // The answer to a later sending is about that sending: only a question to
    // the authority shows that an earlier one came to nothing.
    let resent = refused
        && !query
        && flows::acted_since(conn, &nota.id, &flow.id, attempt_ms(nota)?).await?;
    match verdict {
        Verdict::Issued(documento) => {
            let success = outcome.as_ref().ok().present("answer of a yes", &nota.id)?;
            authorize(conn, nota, &documento, success, now_ms).await?;
            Ok("autorizada")
        }
        Verdict::Denied(reasons) => {
            reject(conn, nota, reasons, Number::Burnt, now_ms).await?;
            Ok("rejeitada")
        }
        Verdict::Rejected(reasons) if resent && !of_another_city_note(model, &reasons) => {
            look_after_refusal(conn, nota, &reasons, now_ms, wait_divisor).await
        }
        // The number is another's, and one number has one document: ours does
        // not exist.
        Verdict::Rejected(reasons)
            if query
                && (product::number_taken(&reasons) || of_another_city_note(model, &reasons)) =>
        {
            reject(conn, nota, reasons, Number::Burnt, now_ms).await?;
            Ok("rejeitada")
        }
        // What the authority received under the protocol it has refused.
        Verdict::Rejected(reasons) if query && is_received(nota) => {
            refused_later(conn, nota, reasons, now_ms, wait_divisor).await
        }
        // Another query that is refused says nothing about the note.
        Verdict::Rejected(reasons) if !query => end_refused(conn, nota, reasons, now_ms).await,
        Verdict::NotSent(refusal) if !query && !resent => {
            nota.status = ended_as(nota, NotaStatus::NotSent)?;
            give_back(conn, nota, Number::Free, now_ms).await?;
            idempotency::forget(conn, &nota.id).await?;
            refuse(conn, nota, &refusal).await?;
            Ok("nao_enviada")
        }
        // The authority calls the number used and finds no document: it will
        // change one of the two answers.
        Verdict::NotFound if query && said_taken(nota)? => {
            ask_later(conn, nota, now_ms, wait_divisor).await?;
            Ok("desconhecida")
        }
        Verdict::NotFound if query && !nota.rejeicao.is_empty() => {
            absent_after_refusal(conn, nota, now_ms, wait_divisor).await
        }
        Verdict::NotFound if may_leave_again(nota, query)? => {
            leave_again(conn, flow, nota, query, now_ms, wait_divisor).await
        }
        // The same bytes are the question, because a copy is refused by itself.
        Verdict::Unknown if query && may_ask_by_copy(conn, nota, outcome).await? => {
            leave_again(conn, flow, nota, query, now_ms, wait_divisor).await
        }
        unclear => {
            impediment::note(nota, outcome)?;
            nota.reconciliations += i64::from(query && matches!(unclear, Verdict::NotFound));
            unknown(conn, nota, outcome, now_ms, wait_divisor).await?;
            Ok("desconhecida")
        }
    }
}

/// What an outcome means; a protocol of another content under our key tells nothing.
async fn verdict_of(conn: &mut Conn, outcome: &Outcome, nota: &NotaRow) -> DbResult<Verdict> {
    let verdict = verdict(outcome, nota)?;
    if let Verdict::Issued(documento) = &verdict
        && product::of_other_content(conn, nota, documento).await?
    {
        tracing::error!(nota.id = %nota.id, "the protocol is of another content under our key");
        return Ok(Verdict::Unknown);
    }
    Ok(verdict)
}

/// Whether the authority has received this note under a protocol and has not
/// said yet what became of it.
fn is_received(nota: &NotaRow) -> bool {
    !nota.modelo.goes_to_sefaz() && !nota.protocolo.is_empty()
}

/// Whether a city showed the note that has the number, with another price or
/// taker: ours does not exist, however often it left.
fn of_another_city_note(model: Model, reasons: &[Rejection]) -> bool {
    let mut reasons = reasons.iter();
    !model.goes_to_sefaz() && reasons.any(|reason| reason.codigo == NUMBER_ALREADY_USED)
}

/// Whether the same bytes are sent instead of a question: the authority has none by
/// which the note could be found, and refuses a second copy by itself. Not after a
/// refusal, and not more often than the pauses between questions grow.
async fn may_ask_by_copy(conn: &mut Conn, nota: &NotaRow, outcome: &Outcome) -> DbResult<bool> {
    let no_question =
        matches!(outcome, Err(failure) if matches!(failure.reason, FailureReason::NotSupported(_)));
    if !no_question || is_received(nota) || !nota.rejeicao.is_empty() || !refuses_copies(nota)? {
        return Ok(false);
    }
    let operation = nota.modelo.issue(nota.substitui_id.is_some());
    let sent = flows::count_of(conn, &nota.id, operation).await?;
    Ok(usize::try_from(sent).is_ok_and(|sent| sent <= ASK_AGAIN_MS.len()))
}

/// Whether the last sending of this note was refused because the authority has
/// its number, and showed no document.
fn said_taken(nota: &NotaRow) -> DbResult<bool> {
    if nota.rejeicao.is_empty() {
        return Ok(false);
    }
    let reasons: Vec<Rejection> = stored(&nota.rejeicao, "reasons of a refusal", &nota.id)?;
    Ok(reasons
        .iter()
        .any(|reason| reason.codigo == NUMBER_SAID_TAKEN))
}

/// Settles a note that was refused after it was received. If it left more than
/// once, only the last copy was: the question for the note itself, without the
/// protocol, shows whether an earlier one came to something.
async fn refused_later(
    conn: &mut Conn,
    nota: &mut NotaRow,
    reasons: Vec<Rejection>,
    now_ms: i64,
    wait_divisor: i64,
) -> DbResult<&'static str> {
    let operation = nota.modelo.issue(nota.substitui_id.is_some());
    if flows::count_of(conn, &nota.id, operation).await? > 1 {
        nota.protocolo = String::new();
        return look_after_refusal(conn, nota, &reasons, now_ms, wait_divisor).await;
    }
    end_refused(conn, nota, reasons, now_ms).await
}

/// Keeps why a later sending of a note was refused, and has the authority asked
/// whether an earlier one came to something.
async fn look_after_refusal(
    conn: &mut Conn,
    nota: &mut NotaRow,
    reasons: &[Rejection],
    now_ms: i64,
    wait_divisor: i64,
) -> DbResult<&'static str> {
    nota.rejeicao = answer::written(&reasons)?;
    nota.reconciliations = 0;
    impediment::forget(nota)?;
    ask_at(conn, nota, now_ms + ASK_AGAIN_MS[0] / wait_divisor).await?;
    Ok("desconhecida")
}

/// Settles a note whose last sending was refused, and which the authority says
/// it does not have. An earlier one may wait in the authority's queue, so the
/// refusal is final only after [`NOT_FOUND_TO_END`] such answers, at least 14
/// minutes after it ([`ASK_AGAIN_MS`]).
async fn absent_after_refusal(
    conn: &mut Conn,
    nota: &mut NotaRow,
    now_ms: i64,
    wait_divisor: i64,
) -> DbResult<&'static str> {
    nota.reconciliations += 1;
    let asked = usize::try_from(nota.reconciliations).unwrap_or(usize::MAX);
    if asked >= NOT_FOUND_TO_END {
        let reasons: Vec<Rejection> = stored(&nota.rejeicao, "reasons of a refusal", &nota.id)?;
        return end_refused(conn, nota, reasons, now_ms).await;
    }
    impediment::forget(nota)?;
    ask_at(conn, nota, now_ms + ASK_AGAIN_MS[asked] / wait_divisor).await?;
    Ok("desconhecida")
}

/// Ends a note as refused; the reasons say what becomes of its number.
async fn end_refused(
    conn: &mut Conn,
    nota: &mut NotaRow,
    reasons: Vec<Rejection>,
    now_ms: i64,
) -> DbResult<&'static str> {
    let number = Number::after(nota.modelo, &reasons);
    reject(conn, nota, reasons, number, now_ms).await?;
    Ok("rejeitada")
}

/// Whether the authority refuses a second copy of this note by itself.
fn refuses_copies(nota: &NotaRow) -> DbResult<bool> {
    let context: Context = stored(&nota.context, "context of a note", &nota.id)?;
    let mut options = context.options.iter();
    Ok(options.any(|option| option.name == REFUSES_DUPLICATES && option.value == "true"))
}

/// Whether the same bytes may be sent again after the authority said that it
/// has no such document. Where it refuses a second copy by itself this is safe:
/// if the first copy arrives late, the second is refused as a duplicate, and
/// the first is found and adopted. Elsewhere the authority must have said so
/// several times. A note whose last sending was refused is only asked about.
fn may_leave_again(nota: &NotaRow, query: bool) -> DbResult<bool> {
    let often = query && nota.reconciliations + 1 >= NOT_FOUND_BEFORE_RESEND;
    Ok(nota.rejeicao.is_empty() && (often || refuses_copies(nota)?))
}

/// Sends the same bytes again, under the same number. After a question of the
/// poll (`query`) they leave at once. After an issuing flow that asked by
/// itself and found nothing they leave after growing pauses; when these are
/// used up, only the poll asks.
async fn leave_again(
    conn: &mut Conn,
    flow: &FlowRow,
    nota: &mut NotaRow,
    query: bool,
    now_ms: i64,
    wait_divisor: i64,
) -> DbResult<&'static str> {
    let operation = nota.modelo.issue(nota.substitui_id.is_some());
    let sent = flows::count_of(conn, &nota.id, operation).await?;
    let pause_ms = match usize::try_from(sent - 1) {
        _ if query => Some(&0),
        Ok(sent) => SEND_AGAIN_MS.get(sent),
        Err(_) => None,
    };
    impediment::forget(nota)?;
    let Some(pause_ms) = pause_ms else {
        ask_later(conn, nota, now_ms, wait_divisor).await?;
        return Ok("desconhecida");
    };
    nota.status = NotaStatus::InTransmission;
    nota.reconciliations = 0;
    nota.next_check_ms = 0;
    notas::save(conn, nota).await?;
    let again = FlowRow {
        conteudo: naming::emission_of(nota)?,
        context: nota.context.clone(),
        ..flow.clone()
    };
    let at_ms = now_ms + pause_ms / wait_divisor;
    new_flow::insert_flow_at(conn, again, operation, at_ms, now_ms).await?;
    Ok("reenviada")
}

/// Nobody knows yet.
async fn unknown(
    conn: &mut Conn,
    nota: &mut NotaRow,
    outcome: &Outcome,
    now_ms: i64,
    wait_divisor: i64,
) -> DbResult<()> {
    if let Ok(Success {
        protocolo: Some(protocol),
        ..
    }) = outcome
    {
        nota.protocolo.clone_from(protocol);
    }
    ask_later(conn, nota, now_ms, wait_divisor).await
}

/// The more often a note was asked about, the later it is again.
async fn ask_later(
    conn: &mut Conn,
    nota: &mut NotaRow,
    now_ms: i64,
    wait_divisor: i64,
) -> DbResult<()> {
    let asked = flows::count_of(conn, &nota.id, nota.modelo.query()).await?;
    ask_at(conn, nota, now_ms + pause_ms(asked) / wait_divisor).await
}

/// Pause before the authority is asked again, by number of questions already
/// asked, in milliseconds.
pub fn pause_ms(asked: i64) -> i64 {
    let asked = usize::try_from(asked).ok();
    let pause_ms = asked.and_then(|asked| ASK_AGAIN_MS.get(asked));
    *pause_ms.unwrap_or(&ASK_AT_MOST_MS)
}

/// Nobody knows yet: the poll asks at this moment.
async fn ask_at(conn: &mut Conn, nota: &mut NotaRow, at_ms: i64) -> DbResult<()> {
    nota.status = NotaStatus::InTransmission;
    nota.next_check_ms = at_ms.max(1);
    notas::save(conn, nota).await
}

/// The note exists: XML kept, credit debited, answer and event written.
/// `success` is the answer that shows it as `documento`.
pub async fn authorize(
    conn: &mut Conn,
    nota: &mut NotaRow,
    documento: &Documento,
    success: &Success,
    now_ms: i64,
) -> DbResult<()> {
    let model = nota.modelo;
    adopt(nota, documento, now_ms);
    nota.status = if nota.ambiente == Ambiente::Simulated {
        model.accepted_in_simulation()
    } else {
        NotaStatus::Authorized
    };
    nota.rejeicao = String::new();
    impediment::forget(nota)?;
    // The notes before the ledger: everybody takes them in this order.
    let old = match nota.substitui_id.as_ref() {
        Some(old) => notas::lock(conn, old).await?,
        None => None,
    };
    if model.goes_to_sefaz() {
        product::keep(conn, nota, documento, now_ms).await?;
    } else {
        keep_xml(conn, &nota.account_id, &nota.id, "nfse", documento, now_ms).await?;
    }
    if let Some(mut old) = old {
        old.status = NotaStatus::Cancelled;
        old.substituida_por = nota.id.clone().into();
        old.updated_at_ms = now_ms;
        notas::save(conn, &old).await?;
        event(conn, &old, model.evento(Fact::Cancelled), now_ms).await?;
    }
    event(conn, nota, model.evento(Fact::Authorized), now_ms).await?;
    // From here to the commit the balance is kept from the account's other documents.
    let available = ledger::debit(conn, &nota.hold_id, now_ms).await?;
    let balance = match available {
        Some(available) => available,
        None => ledger::available(conn, &nota.account_id).await?,
    };
    let (status, body) = answer::issued(nota, balance)?;
    nota.answer_status = i64::from(status);
    nota.answer = body;
    if ended(documento.situacao) {
        // It was found only after somebody had cancelled it elsewhere.
        nota.status = NotaStatus::Cancelled;
        product::said_at_the_end(nota, success)?;
        event(conn, nota, model.evento(Fact::Cancelled), now_ms).await?;
    }
    notas::save_end(conn, nota).await
}

pub async fn reject(
    conn: &mut Conn,
    nota: &mut NotaRow,
    reasons: Vec<Rejection>,
    number: Number,
    now_ms: i64,
) -> DbResult<()> {
    nota.status = match number {
        Number::Free => ended_as(nota, NotaStatus::Rejected)?,
        // Nothing is authorized under it any more.
        Number::Burnt => NotaStatus::Rejected,
    };
    nota.rejeicao = answer::written(&reasons.first())?;
    impediment::forget(nota)?;
    let model = nota.modelo;
    give_back(conn, nota, number, now_ms).await?;
    event(conn, nota, model.evento(Fact::Rejected), now_ms).await?;
    // With nothing authorized the key is free for the corrected body, but the
    // same body gets the same answer: the row stays and the replay decides.
    let refusal = answer::rejected(nota, reasons);
    refuse(conn, nota, &refusal).await
}

/// When the attempt began that a note is in: of an announced CT-e, which may have
/// been refused before, the last one.
fn attempt_ms(nota: &NotaRow) -> DbResult<i64> {
    let details = Details::of(nota)?;
    Ok(details.announcement().map_or(0, |one| one.attempt_ms))
}

/// What a note that was not authorized is. A CT-e that was announced must be
/// issued under its key within seven days, and can be sent again.
fn ended_as(nota: &NotaRow, status: NotaStatus) -> DbResult<NotaStatus> {
    Ok(match Details::of(nota)?.announcement() {
        Some(_) => NotaStatus::Draft,
        None => status,
    })
}

/// What becomes of the number of a note that will not exist.
pub enum Number {
    Free,
    /// The authority has a document under it.
    Burnt,
}

impl Number {
    /// What a refusal says of the number.
    fn after(model: Model, reasons: &[Rejection]) -> Number {
        let taken = |reason: &Rejection| model.number_of_another(&reason.codigo);
        if reasons.iter().any(taken) {
            Number::Burnt
        } else {
            Number::Free
        }
    }
}

/// Credit and number return; a burnt number is not given out again.
async fn give_back(
    conn: &mut Conn,
    nota: &mut NotaRow,
    number: Number,
    now_ms: i64,
) -> DbResult<()> {
    nota.next_check_ms = 0;
    if nota.status == NotaStatus::Draft {
        // It was announced under this number. What was refused is signed anew when it
        // is sent again: another certificate may be why.
        artifacts::delete_sent(conn, &nota.id).await?;
        notas::save(conn, nota).await?;
    } else {
        nota.number_active = 0;
        notas::save(conn, nota).await?;
        match number {
            Number::Free => numbers::free(conn, &series(nota), nota.numero, now_ms).await?,
            Number::Burnt => numbers::burn(conn, &series(nota)).await?,
        }
    }
    // The number before the balance: everybody takes them in this order.
    ledger::resolve(conn, &nota.hold_id, Resolution::Return, now_ms).await?;
    Ok(())
}

async fn refuse(conn: &mut Conn, nota: &mut NotaRow, refusal: &Refusal) -> DbResult<()> {
    nota.answer_status = i64::from(refusal.code.status());
    nota.answer = told(refusal, &nota.request_id);
    notas::save(conn, nota).await
}
