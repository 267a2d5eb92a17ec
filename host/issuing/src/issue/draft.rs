//! A draft: checked and stored, not sent; it takes no number.

use super::prepare;
use super::{NoteOrder, Order, known};
use crate::Issuing;
use crate::model::Ambiente;
use accounts::caller::Caller;
use base::errors::{Code, Failure, Refusal};
use store::ids::NotaId;
use store::tables::idempotency::{self, Scope, Taken};
use store::tables::notas::{self, NotaRow, NotaStatus};
use store::words::KeyKind;
use store::{Conn, DbResult, Present as _, TxError, contradiction, stored};

/// A draft, and whether an earlier call with the same key stored it.
pub struct Stored {
    pub nota: NotaRow,
    pub existing: bool,
}

/// Validates and stores a draft.
///
/// # Errors
/// Everything to correct, or the key stands for another body.
pub async fn draft(
    app: &Issuing,
    caller: Caller,
    request: NoteOrder,
    key: Option<(Scope, String)>,
) -> Result<Stored, Failure> {
    if let Some((scope, fingerprint)) = &key
        && let Some(id) = known(app, scope, fingerprint).await?
    {
        let mut conn = app.db.read().await?;
        let nota = notas::by_id(&mut conn, &id).await?;
        return Ok(Stored {
            nota: nota.present("draft of a key", &id)?,
            existing: true,
        });
    }
    let mut stored = request.clone();
    let prepared = prepare(app, kept(caller), request).await?;
    // The default emitter may be another one when the draft is issued.
    stored.set_emitter(&prepared.emitter.id);
    let id = NotaId::new(prepared.model, prepared.now_ms);
    let mut nota = prepared.row(&id, NotaStatus::Draft)?;
    nota.number_active = 0;
    nota.conteudo = content(&stored, prepared.caller.kind)?;
    let input = (nota, key, prepared.window_ms);
    let written = app.db.write(input, |(nota, key, window_ms), conn| {
        Box::pin(store(conn, nota, key.as_ref(), *window_ms))
    });
    Ok(written.await?)
}

/// The note as it would be begun now: complete, with its values and without a
/// number. Nothing is stored, reserved or sent.
///
/// # Errors
/// Everything to correct, and what the emitter lacks to issue.
pub async fn rehearse(
    app: &Issuing,
    caller: Caller,
    price: i64,
    request: NoteOrder,
) -> Result<NotaRow, Failure> {
    let order = Order {
        keep: false,
        price,
        ..kept(caller)
    };
    let prepared = prepare(app, order, request).await?;
    let mut nota = prepared.row(&NotaId::default(), NotaStatus::Draft)?;
    nota.number_active = 0;
    Ok(nota)
}

/// The XML of a draft of a SEFAZ's document as it would be sent now: without
/// signature, under the next number, which is not taken.
///
/// # Errors
/// What is wrong with the draft by now.
pub async fn preview(app: &Issuing, caller: Caller, nota: &NotaRow) -> Result<String, Failure> {
    let prepared = prepare(app, kept(caller), NoteOrder::of_draft(nota)?).await?;
    let mut row = nota.clone();
    prepared.number(&mut row, prepared.next_number)?;
    Ok(row.conteudo)
}

/// An order of what is not sent.
fn kept(caller: Caller) -> Order {
    Order {
        caller,
        // Nothing is charged: the name is for the ledger.
        operation: String::new(),
        price: 0,
        idempotency: None,
        draft: None,
        keep: true,
        respond_async: false,
        sole_reference: false,
    }
}

/// Member of a draft's content: the kind of key that made it.
const MADE_WITH: &str = "tipo_chave";

/// What was asked for, with the kind of key that asked.
fn content(request: &NoteOrder, kind: KeyKind) -> serde_json::Result<String> {
    let mut content: serde_json::Value = serde_json::from_str(&request.to_json()?)?;
    content[MADE_WITH] = kind.as_str().into();
    Ok(content.to_string())
}

/// May a key of this kind issue the draft, or see again what became of it? A
/// test key that issued a real draft would use it up.
///
/// # Errors
/// The draft cannot be read: nobody knows whose it is.
pub fn belongs(nota: &NotaRow, caller: &Caller) -> DbResult<bool> {
    let content: serde_json::Value = match nota.status {
        NotaStatus::Draft if nota.chave.is_empty() => {
            stored(&nota.conteudo, "content of a draft", &nota.id)?
        }
        _ => serde_json::Value::Null,
    };
    Ok(match (content[MADE_WITH].as_str(), nota.ambiente) {
        (Some(kind), _) => kind == caller.kind.as_str(),
        (None, Ambiente::Production) => !caller.is_test(),
        (None, Ambiente::Simulated) => caller.is_test(),
        // Either kind of key may have made it.
        (None, Ambiente::Homologacao) => true,
    })
}

async fn store(
    conn: &mut Conn,
    nota: &NotaRow,
    key: Option<&(Scope, String)>,
    window_ms: i64,
) -> Result<Stored, TxError<Refusal>> {
    if let Some((scope, fingerprint)) = key {
        let now_ms = nota.created_at_ms;
        let taken =
            idempotency::take(conn, scope, fingerprint, &nota.id, now_ms, window_ms).await?;
        if let Taken::Theirs(row) = taken {
            if row.fingerprint != *fingerprint {
                return Err(TxError::Abort(
                    Refusal::new(Code::ChaveIdempotenciaReutilizada).nota(row.subject_id),
                ));
            }
            let id = NotaId::from(row.subject_id);
            let nota = notas::by_id(conn, &id).await?;
            return Ok(Stored {
                nota: nota.present("draft of a key", &id)?,
                existing: true,
            });
        }
    }
    if !notas::insert(conn, nota).await? {
        return Err(contradiction("new draft", &nota.id).into());
    }
    Ok(Stored {
        nota: nota.clone(),
        existing: false,
    })
}
