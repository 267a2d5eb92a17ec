//! A draft: stored, not sent; it takes no number. What the API is given is checked first. A
//! form of the panel may be kept before a note can be made of it.

use super::body::Body;
use super::{NoteOrder, Order, cents, emitter, known, prepare, product, service};
use crate::Issuing;
use crate::model::{Ambiente, Model};
use accounts::caller::Caller;
use base::errors::{Code, Failure, Refusal};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use store::ids::{AccountId, EmitterId, NotaId};
use store::tables::idempotency::{self, Scope, Taken};
use store::tables::notas::{self, NotaRow, NotaStatus, Via};
use store::words::KeyKind;
use store::{Conn, DbResult, Present as _, TxError, contradiction, stored};

/// A draft, and whether an earlier call with the same key stored it.
pub struct Stored {
    pub nota: NotaRow,
    pub existing: bool,
}

/// Validates and stores a draft. `form`: that of the panel it was made with, so that the form
/// can be opened as it was left; the draft it came of is deleted.
///
/// # Errors
/// Everything to correct, the draft it came of is gone, or the key stands for another body.
pub async fn draft(
    app: &Issuing,
    caller: Caller,
    request: NoteOrder,
    form: Option<&KeptForm>,
    key: Option<(Scope, String)>,
) -> Result<Stored, Failure> {
    if let Some(existing) = existing(app, key.as_ref()).await? {
        return Ok(existing);
    }
    let old = form.and_then(|form| old_of(&caller, form));
    let texts = form.map_or(&[][..], |form| form.texts.as_slice());
    let mut stored = request.clone();
    let prepared = prepare(app, kept(caller), request).await?;
    // The default emitter may be another one when the draft is issued.
    stored.set_emitter(&prepared.emitter.id);
    let id = NotaId::new(prepared.model, prepared.now_ms);
    let mut nota = prepared.row(&id, NotaStatus::Draft)?;
    nota.number_active = 0;
    nota.conteudo = content(&stored, texts, prepared.caller.kind)?;
    written(app, nota, old, key).await
}

/// A form of the panel that is kept, which may be before a note can be made of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptForm {
    pub model: Model,
    pub emitter: EmitterId,
    /// The body an integration would send for it; None: no note can be made of it yet.
    pub body: Option<serde_json::Value>,
    /// Names of its fields, and what was written in them.
    pub texts: Vec<(String, String)>,
    /// What lists of documents show: for whom the note is, and its total so far.
    pub party: (String, String),
    pub total: Decimal,
    /// The draft it came of, whose place it takes.
    #[serde(default)]
    pub replaces: Option<NotaId>,
}

/// Stores a form as it is, in place of the draft it came of. Only its company is checked.
///
/// # Errors
/// The account has no such company, the draft it came of is gone, or the key stands for
/// another form.
pub async fn unfinished(
    app: &Issuing,
    caller: Caller,
    form: KeptForm,
    key: Option<(Scope, String)>,
) -> Result<Stored, Failure> {
    if let Some(existing) = existing(app, key.as_ref()).await? {
        return Ok(existing);
    }
    let mut conn = app.db.read().await?;
    let emitter = emitter(&mut conn, &caller, Some(&form.emitter)).await?;
    drop(conn);
    let (ambiente, via) = match form.model {
        Model::Nfse => (service::ambiente(&caller, &emitter), Via::default()),
        _ => (product::ambiente(&caller, &emitter), Via::Sefaz),
    };
    let now_ms = app.now_ms();
    let old = old_of(&caller, &form);
    let (party, name) = form.party;
    let nota = NotaRow {
        id: NotaId::new(form.model, now_ms),
        account_id: caller.account_id,
        emitter_id: emitter.id,
        modelo: form.model,
        ambiente,
        simulada: i64::from(ambiente == Ambiente::Simulated),
        status: NotaStatus::Draft,
        via,
        conteudo: serde_json::json!({ FORM: form.texts, MADE_WITH: caller.kind.as_str() })
            .to_string(),
        valor: format!("{:.2}", form.total),
        valor_centavos: cents(form.total),
        valores: "null".to_owned(),
        tomador_documento: party,
        tomador_nome: name,
        request_id: caller.request_id,
        created_at_ms: now_ms,
        updated_at_ms: now_ms,
        ..NotaRow::default()
    };
    written(app, nota, old, key).await
}

/// The texts of a form that was kept before a note could be made of it; None for any other
/// document.
///
/// # Errors
/// The content of the draft cannot be read.
pub fn form_of(nota: &NotaRow) -> DbResult<Option<Vec<(String, String)>>> {
    Ok(kept_texts(nota)?.form)
}

/// The texts of the form that a draft was made with, finished or not; None for any other
/// document.
///
/// # Errors
/// The content of the draft cannot be read.
pub fn texts_of(nota: &NotaRow) -> DbResult<Option<Vec<(String, String)>>> {
    let kept = kept_texts(nota)?;
    Ok(kept.form.or(kept.texts))
}

/// Of a draft's content, what forms are kept in.
#[derive(Default, Deserialize)]
struct Kept {
    #[serde(rename = "formulario")]
    form: Option<Vec<(String, String)>>,
    #[serde(rename = "textos")]
    texts: Option<Vec<(String, String)>>,
}

fn kept_texts(nota: &NotaRow) -> DbResult<Kept> {
    if nota.status != NotaStatus::Draft || !nota.chave.is_empty() {
        return Ok(Kept::default());
    }
    stored(&nota.conteudo, "content of a draft", &nota.id)
}

/// What is said of a form that was to be issued before it was finished.
pub(super) fn not_finished(id: &NotaId) -> Refusal {
    Refusal::new(Code::EstadoInvalido)
        .message("Este rascunho está incompleto.")
        .hint("Continue o rascunho no painel e emita a nota de lá.")
        .nota(id)
}

/// The draft that an earlier call with the same key stored.
async fn existing(app: &Issuing, key: Option<&(Scope, String)>) -> Result<Option<Stored>, Failure> {
    let Some((scope, fingerprint)) = key else {
        return Ok(None);
    };
    let Some(id) = known(app, scope, fingerprint).await? else {
        return Ok(None);
    };
    let mut conn = app.db.read().await?;
    let nota = notas::by_id(&mut conn, &id).await?;
    Ok(Some(Stored {
        nota: nota.present("draft of a key", &id)?,
        existing: true,
    }))
}

/// A draft whose place a new one takes.
struct Old {
    id: NotaId,
    /// Of who keeps the new one.
    kind: KeyKind,
}

fn old_of(caller: &Caller, form: &KeptForm) -> Option<Old> {
    let id = form.replaces.clone()?;
    let kind = caller.kind;
    Some(Old { id, kind })
}

/// Writes a draft, unless its key was taken meanwhile.
async fn written(
    app: &Issuing,
    nota: NotaRow,
    old: Option<Old>,
    key: Option<(Scope, String)>,
) -> Result<Stored, Failure> {
    let window_ms = app.config.issuing.idempotency_window_ms();
    let input = (nota, old, key, window_ms);
    let written = app.db.write(input, |(nota, old, key, window_ms), conn| {
        Box::pin(store(conn, nota, old.as_ref(), key.as_ref(), *window_ms))
    });
    Ok(written.await?)
}

/// The note as it would be begun now: complete, with its values and its content, without a
/// number of its own. Nothing is stored, reserved or sent.
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
    match &prepared.body {
        Body::Service(service) => {
            nota.valores = service.totals();
            nota.conteudo = service.numbered(0)?;
        }
        Body::Product(product) => product.template.text().clone_into(&mut nota.conteudo),
        Body::Announced(_) => {}
    }
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

/// Members of a draft's content: the kind of key that made it, the texts of a form that is
/// not finished, and those of one that is.
const MADE_WITH: &str = "tipo_chave";
const FORM: &str = "formulario";
const TEXTS: &str = "textos";

/// What was asked for, with the texts of its form and the kind of key that asked.
fn content(
    request: &NoteOrder,
    texts: &[(String, String)],
    kind: KeyKind,
) -> serde_json::Result<String> {
    let mut content: serde_json::Value = serde_json::from_str(&request.to_json()?)?;
    content[MADE_WITH] = kind.as_str().into();
    if !texts.is_empty() {
        content[TEXTS] = serde_json::to_value(texts)?;
    }
    Ok(content.to_string())
}

/// May a key of this kind issue, replace or delete the draft, or see again what became of it?
/// A test key that issued a real draft would use it up.
///
/// # Errors
/// The draft cannot be read: nobody knows whose it is.
pub fn belongs(nota: &NotaRow, key: KeyKind) -> DbResult<bool> {
    let content: serde_json::Value = match nota.status {
        NotaStatus::Draft if nota.chave.is_empty() => {
            stored(&nota.conteudo, "content of a draft", &nota.id)?
        }
        _ => serde_json::Value::Null,
    };
    Ok(match (content[MADE_WITH].as_str(), nota.ambiente) {
        (Some(kind), _) => kind == key.as_str(),
        (None, Ambiente::Production) => key == KeyKind::Live,
        (None, Ambiente::Simulated) => key == KeyKind::Test,
        // Either kind of key may have made it.
        (None, Ambiente::Homologacao) => true,
    })
}

async fn store(
    conn: &mut Conn,
    nota: &NotaRow,
    old: Option<&Old>,
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
    if let Some(old) = old {
        removed(conn, &nota.account_id, old).await?;
    }
    if !notas::insert(conn, nota).await? {
        return Err(contradiction("new draft", &nota.id).into());
    }
    Ok(Stored {
        nota: nota.clone(),
        existing: false,
    })
}

/// Deletes the draft whose place a new one takes, in the transaction that stores the new one:
/// wherever the process dies, there is one of them.
async fn removed(conn: &mut Conn, account: &AccountId, old: &Old) -> Result<(), TxError<Refusal>> {
    let nota = notas::get(conn, account, &old.id).await?;
    let own = match &nota {
        Some(nota) => belongs(nota, old.kind)?,
        None => false,
    };
    if !own || !notas::delete_draft(conn, account, &old.id).await? {
        // Somebody else issued or deleted it meanwhile: nothing is made of it twice.
        return Err(TxError::Abort(
            Refusal::new(Code::EstadoInvalido)
                .message("Este rascunho já foi emitido, ou excluído, em outra página.")
                .nota(&old.id),
        ));
    }
    // Its key may stand for another one.
    Ok(idempotency::forget(conn, &old.id).await?)
}
