//! Issuing a note of any model: pre-flight, reserve, start, wait.

pub mod begin;
mod body;
pub mod contingency;
pub mod credit;
mod draft;
mod party;
mod prepared;
pub mod product;
mod ready;
mod sefaz;
pub mod service;
pub mod transport;

use super::answer;
use crate::Issuing;
use crate::model::Model;
use crate::parts::notify::Watch;
use crate::run::wait::Looks;
use crate::run::work::{Begun, Started};
use accounts::caller::Caller;
use accounts::ledger;
use base::errors::{Code, Failure, Refusal};
use base::faultpoint;
pub use body::cents;
pub use draft::{KeptForm, belongs, draft, form_of, preview, rehearse, texts_of, unfinished};
use freight::{cte, mdfe};
use markup::field::Fields;
pub use party::{Pessoas, SERVICE_PARTIES};
pub use prepared::Prepared;
pub use ready::{certificate, emitter, incomplete};
use serde::de::DeserializeOwned;
use std::time::Duration;
use store::ids::{EmitterId, NotaId};
use store::tables::idempotency;
use store::tables::idempotency::Scope;
use store::tables::notas::{self, NotaRow, NotaStatus};
use store::{Present as _, Readable as _};

/// Longest `referencia`, in characters.
const REFERENCE_MAX: usize = 120;

/// A note as the customer asked for it.
#[derive(Clone, Debug)]
pub enum NoteOrder {
    Service(Box<service::ServiceOrder>),
    Product(Box<product::ProductOrder>),
    Cte(Box<transport::TransportOrder<cte::order::Pedido>>),
    Mdfe(Box<transport::TransportOrder<mdfe::order::Pedido>>),
}

impl NoteOrder {
    /// As a draft keeps it.
    ///
    /// # Errors
    /// None in practice: it is plain JSON.
    pub fn to_json(&self) -> serde_json::Result<String> {
        match self {
            NoteOrder::Service(request) => serde_json::to_string(request),
            NoteOrder::Product(request) => serde_json::to_string(request),
            NoteOrder::Cte(request) => serde_json::to_string(request),
            NoteOrder::Mdfe(request) => serde_json::to_string(request),
        }
    }

    /// What a draft kept.
    ///
    /// # Errors
    /// It is a form that is not finished, or the row is damaged.
    pub fn of_draft(nota: &NotaRow) -> Result<NoteOrder, Failure> {
        if draft::form_of(nota)?.is_some() {
            return Err(draft::not_finished(&nota.id).into());
        }
        let content = &nota.conteudo;
        Ok(match nota.modelo {
            Model::Nfse => NoteOrder::Service(kept(content)?),
            Model::Nfe | Model::Nfce => NoteOrder::Product(kept(content)?),
            Model::Cte => NoteOrder::Cte(kept(content)?),
            Model::Mdfe => NoteOrder::Mdfe(kept(content)?),
        })
    }

    /// Names the emitter, where the request did not.
    fn set_emitter(&mut self, id: &EmitterId) {
        let named = Some(id.to_owned());
        match self {
            NoteOrder::Service(request) => request.emitente_id = named,
            NoteOrder::Product(request) => request.emitente_id = named,
            NoteOrder::Cte(request) => request.emitente_id = named,
            NoteOrder::Mdfe(request) => request.emitente_id = named,
        }
    }
}

/// An order that a draft kept. It is read as the bodies of the operations are, by a reader
/// without a type of its own: `api` then uses what is compiled here.
fn kept<T: DeserializeOwned>(content: &str) -> serde_json::Result<T> {
    let mut reader = serde_json::Deserializer::from_str(content);
    let read = erased_serde::deserialize(&mut <dyn erased_serde::Deserializer<'_>>::erase(
        &mut reader,
    ));
    let order = read.map_err(serde::de::Error::custom)?;
    reader.end()?;
    Ok(order)
}

/// How it is to be carried out.
pub struct Order {
    pub caller: Caller,
    /// Operation id, for ledger and usage.
    pub operation: String,
    /// Credits when authorized.
    pub price: i64,
    pub idempotency: Option<(Scope, String)>,
    /// A draft that becomes this note.
    pub draft: Option<NotaRow>,
    /// It is kept as a draft: nothing leaves, and nothing that is needed for
    /// that is asked for.
    pub keep: bool,
    /// Answer 202 at once (`Prefer: respond-async`).
    pub respond_async: bool,
    /// No other company of the account may use its reference.
    pub sole_reference: bool,
}

/// What a call about a note or an event is answered.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The note's or the event's id.
    pub subject: String,
    pub status: u16,
    /// JSON: the stored bytes, where the document settled.
    pub body: String,
    /// An earlier answer was repeated.
    pub replayed: bool,
}

impl Answer {
    /// An answer about what has this id.
    pub fn of(subject: &str, (status, body): answer::Told, replayed: bool) -> Answer {
        Answer {
            subject: subject.to_owned(),
            status,
            body,
            replayed,
        }
    }
}

/// Issues a note: the final answer, or 202 with what is known.
///
/// # Errors
/// Everything to correct, without a number or a credit spent.
pub async fn issue(app: &Issuing, order: Order, request: NoteOrder) -> Result<Answer, Failure> {
    // A repeated request is answered before its content is judged again.
    if let Some(answer) = repeated(app, order.idempotency.as_ref()).await? {
        return Ok(answer);
    }
    let respond_async = order.respond_async;
    let prepared = prepare(app, order, request).await?;
    carried_out(app, prepared, respond_async).await
}

/// Issues a CT-e that was announced in contingency.
///
/// # Errors
/// As [`issue`].
pub async fn issue_announced(
    app: &Issuing,
    order: Order,
    nota: NotaRow,
) -> Result<Answer, Failure> {
    if let Some(answer) = repeated(app, order.idempotency.as_ref()).await? {
        return Ok(answer);
    }
    let respond_async = order.respond_async;
    let prepared = contingency::prepare(app, order, nota).await?;
    carried_out(app, prepared, respond_async).await
}

async fn carried_out(
    app: &Issuing,
    prepared: Prepared,
    respond_async: bool,
) -> Result<Answer, Failure> {
    // What begins now must be settled, which takes room.
    app.room.enough()?;
    app.breaker
        .check(&prepared.way()?, &prepared.emitter.cnpj, app.now_ms())?;
    faultpoint::hit("reserve");
    // In a task of its own: a caller that goes away between the commit and
    // the start would leave a flow this node owns and nobody runs.
    let (started, watch) = base::traces::spawn(start(app.clone(), prepared))
        .await
        .map_err(anyhow::Error::from)??;
    let answer = settled(
        app,
        &started.id,
        started.existing,
        respond_async && !started.existing,
        watch,
    )
    .await;
    faultpoint::hit("answer");
    answer
}

/// Checks and completes an order; writes nothing.
///
/// # Errors
/// Everything to correct, in one refusal where it can be.
async fn prepare(app: &Issuing, order: Order, request: NoteOrder) -> Result<Prepared, Failure> {
    // Boxed: each is large, and the futures of the callers hold it.
    match request {
        NoteOrder::Service(request) => Box::pin(service::prepare(app, order, *request)).await,
        NoteOrder::Product(request) => Box::pin(product::prepare(app, order, *request)).await,
        NoteOrder::Cte(request) => Box::pin(transport::prepare(app, order, *request)).await,
        NoteOrder::Mdfe(request) => Box::pin(transport::prepare(app, order, *request)).await,
    }
}

/// The client's own id of the note.
fn reference(fields: &mut Fields, reference: &str) {
    if reference.chars().count() > REFERENCE_MAX
        || reference.chars().any(char::is_control)
        || reference.trim() != reference
    {
        fields.add(
            "referencia",
            "tamanho_invalido",
            "A referência tem até 120 caracteres visíveis, sem espaços nas pontas.",
            "Encurte a referência.",
        );
    }
}

/// Begins a note. One that is new is watched from before its flow runs.
async fn start(
    app: Issuing,
    prepared: Prepared,
) -> Result<(Started<NotaId>, Option<Watch>), Failure> {
    let begun = app.db.write(prepared, |prepared, conn| {
        Box::pin(begin::begin(conn, prepared))
    });
    let begun = begun.await?;
    let watch = match &begun {
        Begun::New(flow) => Some(app.notifier.watch(&flow.subject_id)),
        Begun::Existing(_) => None,
    };
    Ok((begun.run(&app), watch))
}

/// The answer of an earlier request with the same key and the same body.
///
/// # Errors
/// 409 while that request is still being worked on.
pub async fn repeated(
    app: &Issuing,
    idempotency: Option<&(Scope, String)>,
) -> Result<Option<Answer>, Failure> {
    let Some((scope, fingerprint)) = idempotency else {
        return Ok(None);
    };
    match known(app, scope, fingerprint).await? {
        Some(id) => Ok(Some(settled(app, &id, true, false, None).await?)),
        None => Ok(None),
    }
}

/// The subject a key already stands for.
async fn known(app: &Issuing, scope: &Scope, fingerprint: &str) -> Result<Option<NotaId>, Failure> {
    let mut conn = app.db.read().await?;
    let row = idempotency::get(&mut conn, scope).await?;
    let Some(row) = row.filter(|row| row.fingerprint == fingerprint) else {
        return Ok(None);
    };
    let id = NotaId::from(row.subject_id);
    if row.created_at_ms >= app.now_ms() - app.config.issuing.idempotency_window_ms() {
        return Ok(Some(id));
    }
    // Past the window a key still stands for what is not over.
    let nota = notas::by_id(&mut conn, &id).await?;
    let open = nota.is_some_and(|nota| nota.is_open());
    Ok(open.then_some(id))
}

/// Waits for the final answer, within the configured time. `watch` is of a note that
/// nothing had happened to when it began: there is nothing to see before it changes.
async fn settled(
    app: &Issuing,
    id: &NotaId,
    replay: bool,
    respond_async: bool,
    watch: Option<Watch>,
) -> Result<Answer, Failure> {
    let full = Duration::from_millis(app.config.issuing.wait_ms);
    // A duplicate waits less: it can be repeated, the first one cannot.
    let limit = if replay {
        full.min(Duration::from_secs(10))
    } else {
        full
    };
    let mut new = watch.is_some() && !respond_async;
    let looks = match watch {
        Some(watch) => Looks::of(app, watch, limit),
        None => Looks::at(app, id, limit),
    };
    loop {
        let next = looks.next();
        let late = looks.over();
        if let Some(told) = looks.told() {
            return Ok(Answer::of(id, told, replay));
        }
        if std::mem::take(&mut new) && looks.unchanged() && !late {
            next.await;
            continue;
        }
        let mut conn = app.db.read().await?;
        let look = notas::look(&mut conn, id).await?.present("note", id)?;
        if look.answer_status != 0 {
            let status = u16::try_from(look.answer_status);
            let status = status.readable("answer of a note", id)?;
            return Ok(Answer::of(id, (status, look.answer), replay));
        }
        if !late && !respond_async && look.status != NotaStatus::PendingCity {
            drop(conn);
            next.await;
            continue;
        }
        let nota = notas::by_id(&mut conn, id).await?.present("note", id)?;
        if nota.answer_status != 0 {
            // It was settled between the two readings.
            continue;
        }
        let age_ms = app.now_ms() - nota.created_at_ms;
        let young = u128::try_from(age_ms).is_ok_and(|age_ms| age_ms < full.as_millis());
        if replay && late && young && nota.status == NotaStatus::InTransmission {
            return Err(Refusal::new(Code::RequisicaoEmAndamento)
                .retry_after(5)
                .nota(id)
                .into());
        }
        let balance = ledger::available(&mut conn, &nota.account_id).await?;
        let (status, body) = answer::issued(&nota, balance)?;
        return Ok(Answer::of(id, (status, body), replay));
    }
}
