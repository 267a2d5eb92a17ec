//! Asking the authority about a note that exists, or may.

use super::component;
use crate::Issuing;
use crate::answer;
use crate::document::naming::{question_of, ref_of, sent_ms};
use crate::issue::{Answer, credit};
use crate::model::{Ambiente, Issued as _, Model};
use crate::new_flow::{self, Lease};
use crate::run::wait::Looks;
use crate::run::work::{Begun, Started};
use accounts::caller::Caller;
use accounts::ledger::{self, Movement};
use authority::way::Rumo;
use base::errors::{Code, Failure, Refusal};
use base::faultpoint;
use store::ids::EventoId;
use store::tables::eventos::{self, EventKind, EventoRow, EventoStatus};
use store::tables::flows::{FlowOperation, FlowRow};
use store::tables::idempotency;
use store::tables::idempotency::{Scope, Taken};
use store::tables::notas::{self, NotaRow, NotaStatus};
use store::{Conn, Present as _, Readable as _, TxError};

/// An operation on a note: who, what, how much.
pub struct Action {
    pub caller: Caller,
    pub nota: NotaRow,
    /// `cancelamento`, `consulta`, `cce` ...
    pub kind: EventKind,
    /// Name in the contract.
    pub flow_operation: FlowOperation,
    /// Operation id, for the ledger.
    pub operation: String,
    /// What the adapter is given.
    pub content: String,
    /// The event that is signed and sent, for a product note.
    pub documento: Option<Signable>,
    /// None: the operation goes where the note itself went, by the component that
    /// [`component::digest`] chooses.
    pub rumo: Option<Rumo>,
    pub price: i64,
    pub idempotency: Option<(Scope, String)>,
}

/// An event of a product note, ready to be signed.
#[derive(Clone, Debug, Default)]
pub struct Signable {
    /// `evento` without signature, canonical.
    pub xml: String,
    pub chave: String,
    /// `tpEvento`.
    pub codigo: String,
    pub sequence: i64,
    /// JSON: what the customer gave.
    pub details: String,
    /// How many registered events the note had when this one was made
    /// ([`eventos::registered`]).
    pub seen: i64,
}

/// POST /nfse/status and its kin: asks and repairs the local record.
///
/// # Errors
/// The note was never sent, the balance is short, or the authority is down.
pub async fn query(
    app: &Issuing,
    caller: Caller,
    nota: NotaRow,
    price: i64,
) -> Result<Answer, Failure> {
    if matches!(
        nota.status,
        NotaStatus::Draft | NotaStatus::Rejected | NotaStatus::NotSent
    ) {
        return Err(Refusal::new(Code::EstadoInvalido)
            .message(format!(
                "A nota está {} e não existe na autoridade.",
                nota.status.in_words()
            ))
            .nota(&nota.id)
            .into());
    }
    let model = nota.modelo;
    let sent_ms = {
        let mut conn = app.db.read().await?;
        sent_ms(&mut conn, &nota).await?
    };
    let known = !nota.chave.is_empty() || !nota.numero_nfse.is_empty();
    let (flow_operation, content) = if model.goes_to_sefaz() || !known {
        (model.query(), question_of(&nota, sent_ms)?)
    } else {
        (
            FlowOperation::ConsultarNota,
            serde_json::to_string(&ref_of(&nota, sent_ms)?)?,
        )
    };
    let operation = match model {
        Model::Nfse => "nfse.status",
        Model::Nfe => "nfe.status",
        Model::Nfce => "nfce.status",
        Model::Cte => "cte.status",
        Model::Mdfe => "mdfe.status",
    };
    let action = Action {
        caller,
        nota,
        kind: EventKind::Query,
        flow_operation,
        operation: operation.to_owned(),
        content,
        documento: None,
        rumo: None,
        price,
        idempotency: None,
    };
    act(app, action).await
}

/// The answer of an earlier request with the same key and the same body. It is
/// looked up before the request is judged: one that was in time when it was
/// sent first may be too late by now.
///
/// # Errors
/// The database failed.
pub async fn repeated(
    app: &Issuing,
    idempotency: Option<&(Scope, String)>,
) -> Result<Option<Answer>, Failure> {
    let Some((scope, fingerprint)) = idempotency else {
        return Ok(None);
    };
    let mut conn = app.db.read().await?;
    let row = idempotency::get(&mut conn, scope).await?;
    let Some(row) = row.filter(|row| row.fingerprint == *fingerprint) else {
        return Ok(None);
    };
    let id = EventoId::from(row.subject_id);
    let evento = eventos::by_id(&mut conn, &id).await?;
    drop(conn);
    let kept_from_ms = app.now_ms() - app.config.issuing.idempotency_window_ms();
    let stands = evento.is_some_and(|evento| {
        row.created_at_ms >= kept_from_ms || evento.status == EventoStatus::InTransmission
    });
    if !stands {
        return Ok(None);
    }
    Ok(Some(settled(app, &id, true).await?))
}

/// Reserves, starts the flow and waits.
///
/// # Errors
/// No credit, a conflicting state, or the key stands for another request.
pub async fn act(app: &Issuing, action: Action) -> Result<Answer, Failure> {
    let mut action = action;
    if action.nota.ambiente == Ambiente::Simulated {
        action.price = 0;
    }
    faultpoint::hit("reserve");
    // In a task of its own, as an emission is: a caller that goes away must
    // not leave a flow this node owns and nobody runs.
    let started = base::traces::spawn(start(app.clone(), action))
        .await
        .map_err(anyhow::Error::from)??;
    let answer = settled(app, &started.id, started.existing).await;
    faultpoint::hit("answer");
    answer
}

async fn start(app: Issuing, action: Action) -> Result<Started<EventoId>, Failure> {
    let window_ms = app.config.issuing.idempotency_window_ms();
    let digest = match action.rumo {
        Some(_) => None,
        None => component::digest(&app, &action.nota, action.flow_operation).await?,
    };
    let input = (action, digest, Lease::of(&app), app.now_ms(), window_ms);
    let begun = app
        .db
        .write(input, |(action, digest, lease, now_ms, window_ms), conn| {
            Box::pin(begin(
                conn,
                action,
                digest.as_ref(),
                lease,
                *now_ms,
                *window_ms,
            ))
        });
    Ok(begun.await?.run(&app))
}

async fn begin(
    conn: &mut Conn,
    action: &Action,
    digest: Option<&String>,
    lease: &Lease,
    now_ms: i64,
    window_ms: i64,
) -> Result<Begun<EventoId>, TxError<Refusal>> {
    let Action { caller, nota, .. } = action;
    let id = EventoId::new(now_ms);
    let nota = &notas::lock(conn, &nota.id)
        .await?
        .present("note", &nota.id)?;
    if let Some((scope, fingerprint)) = &action.idempotency {
        let taken = idempotency::take(conn, scope, fingerprint, &id, now_ms, window_ms).await?;
        if let Taken::Theirs(row) = taken {
            if row.fingerprint == *fingerprint {
                return Ok(Begun::Existing(row.subject_id.into()));
            }
            return Err(TxError::Abort(
                Refusal::new(Code::ChaveIdempotenciaReutilizada).nota(&nota.id),
            ));
        }
    }
    if action.kind == EventKind::Cancelamento {
        cancellable(conn, nota).await?;
    }
    if let Some(documento) = &action.documento {
        alone(conn, nota, documento.seen).await?;
    }
    let movement = Movement {
        account_id: &caller.account_id,
        subject_id: &id,
        operation: &action.operation,
        request_id: &caller.request_id,
        payer: &caller.payer,
        now_ms,
    };
    let reserve = ledger::reserve(conn, &movement, action.price).await?;
    let hold_id =
        credit::held(reserve, action.price).map_err(|refusal| TxError::Abort(*refusal))?;
    let evento = EventoRow {
        id: id.clone(),
        hold_id,
        ..row(action, nota, now_ms)
    };
    if !eventos::insert(conn, &evento).await? {
        return Err(TxError::Abort(
            Refusal::new(Code::EstadoInvalido)
                .message("Já há um evento deste tipo em andamento para esta nota.")
                .nota(&nota.id),
        ));
    }
    let base = match &action.rumo {
        Some(rumo) => rumo.flow(&nota.account_id, &id, &action.content),
        None => {
            let last = new_flow::again(conn, &nota.id)
                .await?
                .present("flow of a note", &nota.id)?;
            FlowRow {
                subject_id: id.to_string(),
                conteudo: action.content.clone(),
                context: new_flow::fresh(&nota.context, &nota.id, now_ms)?,
                digest: digest.unwrap_or(&last.digest).clone(),
                ..last
            }
        }
    };
    let flow = new_flow::insert_owned_flow(conn, base, action.flow_operation, lease, now_ms)
        .await?
        .present("first flow of an event", &id)?;
    Ok(Begun::New(Box::new(flow)))
}

/// A note that is cancelled, or about to be replaced, is not cancelled again.
async fn cancellable(conn: &mut Conn, nota: &NotaRow) -> Result<(), TxError<Refusal>> {
    if nota.status == NotaStatus::Cancelled {
        // A repeated request was answered before.
        return Err(TxError::Abort(
            Refusal::new(Code::JaCancelada).nota(&nota.id),
        ));
    }
    if let Some(other) = notas::substitute_of(conn, &nota.id).await? {
        return Err(TxError::Abort(
            Refusal::new(Code::EstadoInvalido)
                .message("A nota está sendo substituída.")
                .nota(other.id),
        ));
    }
    Ok(())
}

/// The row of an action that begins, but for its id and its hold.
fn row(action: &Action, nota: &NotaRow, now_ms: i64) -> EventoRow {
    let documento = action.documento.clone().unwrap_or_default();
    let content = if documento.xml.is_empty() {
        action.content.clone()
    } else {
        documento.xml
    };
    EventoRow {
        emitter_id: nota.emitter_id.clone(),
        ambiente: nota.ambiente.into(),
        chave: documento.chave,
        codigo: documento.codigo,
        sequencia: documento.sequence,
        detalhes: documento.details,
        account_id: action.caller.account_id.clone(),
        nota_id: nota.id.clone().into(),
        tipo: action.kind,
        status: EventoStatus::InTransmission,
        conteudo: content,
        context: nota.context.clone(),
        preco: action.price,
        request_id: action.caller.request_id.clone(),
        created_at_ms: now_ms,
        updated_at_ms: now_ms,
        ..EventoRow::default()
    }
}

/// Refuses if another event of the note is in flight, or was registered since
/// the caller read sequence, balance and state of this one (`seen`).
async fn alone(conn: &mut Conn, nota: &NotaRow, seen: i64) -> Result<(), TxError<Refusal>> {
    let message = if eventos::in_flight(conn, &nota.id).await? > 0 {
        "Há outro evento desta nota em andamento."
    } else if eventos::registered(conn, &nota.id).await? != seen {
        "Outro evento desta nota acaba de ser registrado."
    } else {
        return Ok(());
    };
    Err(TxError::Abort(
        Refusal::new(Code::EstadoInvalido)
            .message(message)
            .hint("Confira os eventos da nota e envie de novo.")
            .retry_after(5)
            .nota(&nota.id),
    ))
}

/// Waits for the final answer of an event, within the configured time.
///
/// # Errors
/// The database failed.
pub async fn settled(app: &Issuing, id: &EventoId, replay: bool) -> Result<Answer, Failure> {
    let limit = std::time::Duration::from_millis(app.config.issuing.wait_ms);
    let looks = Looks::at(app, id, limit);
    loop {
        let next = looks.next();
        let late = looks.over();
        let mut conn = app.db.read().await?;
        let evento = eventos::by_id(&mut conn, id).await?.present("event", id)?;
        if evento.answer_status != 0 {
            let status = u16::try_from(evento.answer_status);
            let status = status.readable("answer of an event", id)?;
            return Ok(Answer::of(id, (status, evento.answer), replay));
        }
        if !late {
            drop(conn);
            next.await;
            continue;
        }
        let balance = ledger::available(&mut conn, &evento.account_id).await?;
        let told = if let Some(nota_id) = evento.nota_id.as_ref() {
            let nota = notas::by_id(&mut conn, nota_id)
                .await?
                .present("note of an event", id)?;
            answer::event(&nota, &evento, balance)?
        } else {
            answer::event_alone(&evento, balance)?
        };
        return Ok(Answer::of(id, told, replay));
    }
}
