//! Signed documents that belong to none of our notes: voided numbers, and
//! manifestations on a note of a supplier. Key, hold, event and flow are
//! written in one transaction; then the flow runs as for every document.

use super::query::settled;
use crate::Issuing;
use crate::issue::Answer;
use crate::issue::credit;
use crate::model::Ambiente;
use crate::new_flow::{self, Lease};
use crate::run::work::{Begun, Started};
use accounts::caller::Caller;
use accounts::ledger::{self, Movement};
use authority::way::Rumo;
use base::errors::{Code, Failure, Refusal};
use base::faultpoint;
use futures::future::BoxFuture;
use store::ids::{EmitterId, EventoId};
use store::tables::eventos::{self, EventKind, EventoRow, EventoStatus};
use store::tables::flows::{FlowOperation, FlowRow};
use store::tables::idempotency::{self, Scope, Taken};
use store::{Conn, Present as _, TxError};

/// A document somebody wants registered, ready to be signed.
pub struct WithoutNota {
    pub caller: Caller,
    /// One that has no note.
    pub kind: EventKind,
    pub flow_operation: FlowOperation,
    /// What the adapter is given.
    pub content: String,
    pub documento: Documento,
    pub emitter_id: EmitterId,
    pub ambiente: Ambiente,
    pub rumo: Rumo,
    /// Operation id, for the ledger.
    pub operation: String,
    /// Nothing where the authority is simulated.
    pub price: i64,
    pub idempotency: Option<(Scope, String)>,
}

/// The document itself; those of an event have a key.
#[derive(Clone, Debug, Default)]
pub struct Documento {
    /// Canonical, without signature.
    pub xml: String,
    pub chave: String,
    /// `tpEvento`; empty for what is no event.
    pub codigo: String,
    pub sequence: i64,
    /// JSON: what the customer gave.
    pub details: String,
}

/// What else the first transaction checks and takes; `id` is the event's.
pub type Keep<T> =
    for<'a> fn(&'a T, &'a EventoId, &'a mut Conn) -> BoxFuture<'a, Result<(), TxError<Refusal>>>;

struct Ready<T> {
    evento: EventoRow,
    caller: Caller,
    flow: FlowRow,
    flow_operation: FlowOperation,
    operation: String,
    idempotency: Option<(Scope, String)>,
    lease: Lease,
    window_ms: i64,
    extra: T,
    keep: Keep<T>,
}

/// Reserves, starts the flow and waits for the final answer, within the
/// configured time.
///
/// # Errors
/// What `guarda` refuses, no credit, or the key stands for another request.
pub async fn registrar<T: Send + Sync + 'static>(
    app: &Issuing,
    request: WithoutNota,
    extra: T,
    keep: Keep<T>,
) -> Result<Answer, Failure> {
    let ready = prepare(app, request, extra, keep);
    faultpoint::hit("reserve");
    // In a task of its own: a caller that goes away must not leave a flow
    // this node owns and nobody runs.
    let started = base::traces::spawn(start(app.clone(), ready))
        .await
        .map_err(anyhow::Error::from)??;
    settled(app, &started.id, started.existing).await
}

fn prepare<T>(app: &Issuing, request: WithoutNota, extra: T, keep: Keep<T>) -> Ready<T> {
    let now_ms = app.now_ms();
    let price = match request.ambiente {
        Ambiente::Simulated => 0,
        _ => request.price,
    };
    let id = EventoId::new(now_ms);
    let account = &request.caller.account_id;
    Ready {
        flow: request.rumo.flow(account, &id, &request.content),
        evento: EventoRow {
            id,
            account_id: account.clone(),
            tipo: request.kind,
            status: EventoStatus::InTransmission,
            conteudo: request.documento.xml,
            context: request.rumo.context,
            preco: price,
            request_id: request.caller.request_id.clone(),
            created_at_ms: now_ms,
            updated_at_ms: now_ms,
            emitter_id: request.emitter_id,
            ambiente: request.ambiente.into(),
            chave: request.documento.chave,
            codigo: request.documento.codigo,
            sequencia: request.documento.sequence,
            detalhes: request.documento.details,
            ..EventoRow::default()
        },
        caller: request.caller,
        flow_operation: request.flow_operation,
        operation: request.operation,
        idempotency: request.idempotency,
        lease: Lease::of(app),
        window_ms: app.config.issuing.idempotency_window_ms(),
        extra,
        keep,
    }
}

async fn start<T: Send + Sync + 'static>(
    app: Issuing,
    ready: Ready<T>,
) -> Result<Started<EventoId>, Failure> {
    let begun = app
        .db
        .write(ready, |ready, conn| Box::pin(begin(conn, ready)));
    Ok(begun.await?.run(&app))
}

/// Key, whatever `guarda` takes, hold, event and flow, or none of them.
async fn begin<T>(conn: &mut Conn, p: &Ready<T>) -> Result<Begun<EventoId>, TxError<Refusal>> {
    let (id, now_ms) = (&p.evento.id, p.evento.created_at_ms);
    if let Some((scope, fingerprint)) = &p.idempotency {
        let taken = idempotency::take(conn, scope, fingerprint, id, now_ms, p.window_ms).await?;
        if let Taken::Theirs(row) = taken {
            if row.fingerprint == *fingerprint {
                return Ok(Begun::Existing(row.subject_id.into()));
            }
            return Err(TxError::Abort(Refusal::new(
                Code::ChaveIdempotenciaReutilizada,
            )));
        }
    }
    (p.keep)(&p.extra, id, conn).await?;
    let movement = Movement {
        account_id: &p.caller.account_id,
        subject_id: id,
        operation: &p.operation,
        request_id: &p.caller.request_id,
        payer: &p.caller.payer,
        now_ms,
    };
    let reserve = ledger::reserve(conn, &movement, p.evento.preco).await?;
    let hold_id =
        credit::held(reserve, p.evento.preco).map_err(|refusal| TxError::Abort(*refusal))?;
    let evento = EventoRow {
        hold_id,
        ..p.evento.clone()
    };
    if !eventos::insert(conn, &evento).await? {
        return Err(TxError::Abort(Refusal::new(Code::EstadoInvalido).message(
            "Já há um evento deste tipo em andamento para esta nota.",
        )));
    }
    let flow =
        new_flow::insert_owned_flow(conn, p.flow.clone(), p.flow_operation, &p.lease, now_ms)
            .await?
            .present("first flow of an event", id)?;
    faultpoint::hit("reserve, before commit");
    Ok(Begun::New(Box::new(flow)))
}
