//! The first transaction of a note.

use super::body::Body;
use super::prepared::Prepared;
use crate::issue::credit;
use crate::model::{Issued as _, Model};
use crate::new_flow;
use crate::run::work::Begun;
use accounts::ledger::{self, Movement};
use base::errors::{Code, Refusal};
use base::faultpoint;
use store::ids::NotaId;
use store::tables::flows::FlowRow;
use store::tables::idempotency::{self, Taken};
use store::tables::notas::{self, NotaRow, NotaStatus};
use store::tables::numbers::{self, Series};
use store::{Conn, Present as _, TxError, contradiction};

/// Key, number, flow, hold and document, or none of them.
///
/// # Errors
/// No credit, or the key, the reference, the draft or the note to replace is taken.
pub async fn begin(conn: &mut Conn, p: &Prepared) -> Result<Begun<NotaId>, TxError<Refusal>> {
    let id = p
        .draft
        .as_ref()
        .map_or_else(|| NotaId::new(p.model, p.now_ms), |draft| draft.id.clone());
    if let Some(existing) = key_of_another(conn, p, &id).await? {
        return Ok(Begun::Existing(existing));
    }
    if let Some(draft) = &p.draft {
        claim_draft(conn, p, draft).await?;
    }
    p.recheck(conn).await?;
    if !matches!(p.body, Body::Announced(_)) {
        free_reference(conn, p).await?;
    }
    if p.sole_reference {
        sole_reference(conn, p).await?;
    }
    let movement = Movement {
        account_id: &p.caller.account_id,
        subject_id: &id,
        operation: &p.operation,
        request_id: &p.caller.request_id,
        payer: &p.caller.payer,
        now_ms: p.now_ms,
    };
    let reference = match &p.body {
        // It may have been refused before: each call has a hold of its own.
        Body::Announced(_) => format!("{id}/{}", p.caller.request_id),
        Body::Service(_) | Body::Product(_) => id.to_string(),
    };
    let series = Series::new(&p.emitter.id, p.ambiente, p.model, &p.serie);
    let number = match &p.body {
        Body::Announced(nota) => nota.numero,
        Body::Service(_) | Body::Product(_) => numbers::take(conn, &series, p.next_number).await?,
    };
    let mut nota = p.row(&id, NotaStatus::InTransmission)?;
    let content = p.number(&mut nota, number)?;
    let base = FlowRow {
        account_id: nota.account_id.clone(),
        subject_id: id.to_string(),
        component: p.component.description.name.clone(),
        digest: p.component.digest.clone(),
        conteudo: content,
        context: nota.context.clone(),
        way: p.way.clone(),
        ..FlowRow::default()
    };
    let operation = p.model.issue(p.replaces().is_some());
    let flow = new_flow::insert_owned_flow(conn, base, operation, &p.lease, p.now_ms)
        .await?
        .present("first flow of a note", &id)?;
    // The balance is kept from all other documents of the account until the commit: late, and
    // after the number, as everybody takes them in this order.
    let reserve = ledger::reserve_as(conn, &movement, p.price, &reference).await?;
    nota.hold_id = credit::held(reserve, p.price).map_err(|refusal| TxError::Abort(*refusal))?;
    if p.draft.is_some() {
        notas::save(conn, &nota).await?;
        notas::save_party(conn, &nota).await?;
    } else if !notas::insert(conn, &nota).await? {
        return Err(conflict(conn, p).await?);
    }
    faultpoint::hit("reserve, before commit");
    Ok(Begun::New(Box::new(flow)))
}

/// The note the request's key already stands for, if it is not this one.
async fn key_of_another(
    conn: &mut Conn,
    p: &Prepared,
    id: &NotaId,
) -> Result<Option<NotaId>, TxError<Refusal>> {
    let Some((scope, fingerprint)) = &p.idempotency else {
        return Ok(None);
    };
    let taken = idempotency::take(conn, scope, fingerprint, id, p.now_ms, p.window_ms).await?;
    let Taken::Theirs(row) = taken else {
        return Ok(None);
    };
    if row.fingerprint == *fingerprint {
        return Ok(Some(row.subject_id.into()));
    }
    // Nothing was authorized under this key: it serves the corrected body,
    // for the first who comes with one.
    let first = notas::by_id(conn, &row.subject_id.as_str().into()).await?;
    let free = first
        .is_some_and(|first| matches!(first.status, NotaStatus::Rejected | NotaStatus::NotSent));
    if free && idempotency::replace(conn, scope, &row.subject_id, fingerprint, id, p.now_ms).await?
    {
        return Ok(None);
    }
    match idempotency::get(conn, scope).await? {
        Some(now) if now.fingerprint == *fingerprint => Ok(Some(now.subject_id.into())),
        now => {
            let subject = now.map_or(row.subject_id, |now| now.subject_id);
            Err(TxError::Abort(
                Refusal::new(Code::ChaveIdempotenciaReutilizada).nota(subject),
            ))
        }
    }
}

/// Turns a draft into a note in transmission, once.
async fn claim_draft(
    conn: &mut Conn,
    p: &Prepared,
    draft: &NotaRow,
) -> Result<(), TxError<Refusal>> {
    let refused = TxError::Abort::<Refusal>;
    if draft.emitter_id != p.emitter.id {
        return Err(refused(
            Refusal::new(Code::EstadoInvalido)
                .message("O rascunho foi montado para outro emitente.")
                .nota(&draft.id),
        ));
    }
    if !p.reference.is_empty()
        && let Some(other) =
            notas::by_reference(conn, &p.emitter.id, p.ambiente, &p.reference).await?
    {
        return Err(refused(Refusal::new(Code::JaAutorizada).nota(other.id)));
    }
    match notas::claim_draft(conn, &p.caller.account_id, &draft.id, p.now_ms).await {
        Ok(true) => Ok(()),
        Ok(false) => Err(refused(
            Refusal::new(Code::EstadoInvalido)
                .message("O rascunho já foi emitido.")
                .nota(&draft.id),
        )),
        Err(sqlx::Error::Database(error)) if error.is_unique_violation() => Err(refused(
            Refusal::new(Code::EstadoInvalido)
                .message("Outra nota com esta referência ou esta substituição está em andamento.")
                .nota(&draft.id),
        )),
        Err(error) => Err(error.into()),
    }
}

/// Refuses the reference of a CT-e that was announced: it must be issued.
///
/// # Errors
/// There is one.
pub async fn free_reference(conn: &mut Conn, p: &Prepared) -> Result<(), TxError<Refusal>> {
    if p.reference.is_empty() || p.model != Model::Cte {
        return Ok(());
    }
    match notas::announced(conn, &p.emitter.id, p.ambiente, &p.reference).await? {
        Some(other) => Err(announced_already(&other.id)),
        None => Ok(()),
    }
}

/// Refuses a reference under which another company of the account sent a note of this
/// model. The account's row is held until the transaction ends: of two companies that come
/// at once, the second sees the first one's note.
async fn sole_reference(conn: &mut Conn, p: &Prepared) -> Result<(), TxError<Refusal>> {
    let (account, unseen) = (&p.caller.account_id, p.caller.unseen());
    store::tables::accounts::lock(conn, account).await?;
    let used = notas::newest_by_reference(conn, account, p.model, &p.reference, unseen).await?;
    match used.iter().find(|nota| nota.emitter_id != p.emitter.id) {
        Some(other) => Err(TxError::Abort(
            Refusal::new(Code::JaAutorizada)
                .message("Outra empresa desta conta já usa esta referência.")
                .nota(&other.id),
        )),
        None => Ok(()),
    }
}

/// Another CT-e was announced under the same reference.
pub fn announced_already(other: &NotaId) -> TxError<Refusal> {
    TxError::Abort(
        Refusal::new(Code::EstadoInvalido)
            .message("Um CT-e com esta referência já tem emissão prévia (EPEC).")
            .hint("Transmita aquele CT-e com cte.emitir, ou use outra referência.")
            .nota(other),
    )
}

/// Which uniqueness the new note ran into.
async fn conflict(conn: &mut Conn, p: &Prepared) -> Result<TxError<Refusal>, TxError<Refusal>> {
    if !p.reference.is_empty()
        && let Some(other) =
            notas::by_reference(conn, &p.emitter.id, p.ambiente, &p.reference).await?
    {
        return Ok(TxError::Abort(
            Refusal::new(Code::JaAutorizada).nota(other.id),
        ));
    }
    if let Some(old) = p.replaces() {
        return Ok(TxError::Abort(
            Refusal::new(Code::EstadoInvalido)
                .message("Já há uma substituição desta nota em andamento.")
                .nota(&old.id),
        ));
    }
    Ok(TxError::Db(contradiction("uniqueness of a note", &p.serie)))
}
