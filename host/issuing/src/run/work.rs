//! Running flows: the ones just begun, and the ones that are due.

use super::journal::join_request;
use crate::Issuing;
use crate::document::naming;
use crate::document::product;
use crate::document::signed::{self, DocumentoError};
use crate::model::Issued as _;
use crate::new_flow::{again, fresh, insert_flow, way_of};
use crate::run::peers::Peers;
use crate::run::rekey;
use authority::customer::IssuingCustomer;
use authority::transport::FlowTransport;
use authority::way::Way;
use base::faultpoint;
use base::traces::{self, Ended, Kind};
use flow::contract::{
    Conteudo, Context, Failure, FailureReason, HttpRequest, Operacao, Outcome, SignError, Situacao,
};
use flow::driver::{Next, Turn};
use flow::{Attachment, End, Flow, Phase};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use store::ids::FlowId;
use store::tables::adapter_uses;
use store::tables::eventos::{EventoRow, EventoStatus};
use store::tables::flows::{self, FlowOperation, FlowPhase, FlowRow, Owned};
use store::tables::notas::{self, NotaRow, NotaStatus};
use store::{Present as _, TxError};

/// How often old idempotency keys are dropped.
const PURGE_EVERY_MS: i64 = 3_600_000;
const DAY_MS: i64 = 86_400_000;
/// Rows of `adapter_uses` removed in one transaction, and transactions at once.
const PORTION: i64 = 1_000;
const PORTIONS: usize = 100;
/// Flows one look takes.
const BATCH: i64 = 64;
/// A sleeping flow due sooner than this is woken by a timer, later ones by
/// the poll.
const TIMER_MS: i64 = 60_000;

/// Longest pause of a flow that cannot go on.
const STILL_AT_MOST_MS: i64 = 3_600_000;

/// First pause before an event without a flow is taken up again.
const STRANDED_MS: i64 = 60_000;

/// The schema of what an operation is asked with.
pub fn schema_of(operation: FlowOperation) -> &'static str {
    match operation {
        FlowOperation::Authorize => "sefaz.autorizar/1",
        FlowOperation::Consultar => "sefaz.consultar/1",
        FlowOperation::Evento => "sefaz.evento/1",
        FlowOperation::Inutilizar => "sefaz.inutilizar/1",
        FlowOperation::Emitir | FlowOperation::Substituir => fiscal::nfse::dps::SCHEMA,
        FlowOperation::ConsultarRps => fiscal::nfse::SCHEMA_RPS,
        FlowOperation::Cancelar => fiscal::nfse::SCHEMA_CANCELAMENTO,
        FlowOperation::ConsultarNota => fiscal::nfse::SCHEMA_REF,
    }
}

/// What the first transaction of a document found or made.
pub enum Begun<Id> {
    /// The document's flow, leased to this node.
    New(Box<FlowRow>),
    /// The document an earlier call with the same key began.
    Existing(Id),
}

/// A document this call began, or an earlier one did.
pub struct Started<Id> {
    pub id: Id,
    pub existing: bool,
}

impl<Id: From<String>> Begun<Id> {
    /// Runs the flow, if it is new, in a task of its own.
    pub fn run(self, app: &Issuing) -> Started<Id> {
        faultpoint::hit("reserved");
        match self {
            Begun::Existing(id) => Started { id, existing: true },
            Begun::New(flow) => {
                let id = flow.subject_id.clone().into();
                spawn_owned(app, *flow);
                Started {
                    id,
                    existing: false,
                }
            }
        }
    }
}

/// Runs a flow that was inserted with this node's lease, in a task of its
/// own: the caller may go away.
fn spawn_owned(app: &Issuing, row: FlowRow) {
    traces::spawn(run_from(app.clone(), row.id.clone(), Some(row)));
}

/// Claims a flow and runs it until it ends or sleeps.
pub async fn run(app: Issuing, flow_id: FlowId) {
    run_from(app, flow_id, None).await;
}

async fn run_from(app: Issuing, flow_id: FlowId, mut owned: Option<FlowRow>) {
    loop {
        // A lease of this node without a running flow is one that was left behind.
        let running = app.running.begin(&flow_id);
        let new = owned.is_some();
        let claimed = match owned.take() {
            Some(row) => Some(row),
            None => claim(&app, &flow_id).await,
        };
        let Some(row) = claimed else { return };
        faultpoint::hit("claimed");
        let (subject, operation, fence) = (row.subject_id.clone(), row.operacao, row.fence);
        let moved_ms = row.updated_at_ms;
        let issuance = app.traces.span(
            "issuance",
            Kind::Internal,
            None,
            run_claimed(&app, row, new),
            |end| Ended {
                attributes: vec![
                    ("hub.operation", operation.as_str().into()),
                    ("hub.flow.id", flow_id.as_str().into()),
                ],
                failed: !matches!(end, Ok(End::Done(Ok(_)) | End::Sleeping(_))),
            },
        );
        match issuance.await {
            Ok(End::Sleeping(wake_at_ms)) => {
                let pause = wake_at_ms - app.now_ms();
                if pause > TIMER_MS {
                    return;
                }
                // Asleep it has no lease: a process that stops does not wait for it.
                drop(running);
                tokio::time::sleep(Duration::from_millis(u64::try_from(pause).unwrap_or(0) + 1))
                    .await;
            }
            // Nothing follows an emission that ended, unless the authority never
            // saw it; after a question or a cancellation another flow may: the
            // same bytes again, or a look.
            Ok(End::Done(outcome)) if operation.is_emission() && !never_seen(&outcome) => {
                return;
            }
            Ok(End::Done(_)) => {
                let again = async {
                    let mut conn = app.db.read().await?;
                    flows::last_of(&mut conn, &subject).await
                };
                match again.await {
                    Ok(Some(next)) if next.phase != FlowPhase::Done && next.id != flow_id => {
                        return Box::pin(run(app, next.id)).await;
                    }
                    Ok(_) => return,
                    Err(error) => {
                        tracing::error!(%error, "what follows a flow cannot be read; the poll will find it");
                        return;
                    }
                }
            }
            Ok(End::Fenced) => return,
            Ok(End::Unavailable(reason)) => {
                tracing::error!(flow.id = %flow_id, reason, "journal not reachable; the flow is tried again later");
                return give_up(&app, &flow_id, fence, moved_ms).await;
            }
            Err(error) => {
                tracing::error!(flow.id = %flow_id, error = %format!("{error:#}"), "flow cannot run; it is tried again later");
                return give_up(&app, &flow_id, fence, moved_ms).await;
            }
        }
    }
}

/// The authority, asked after a sending whose answer was lost, has none.
fn never_seen(outcome: &Outcome) -> bool {
    matches!(outcome, Ok(success) if success.situacao == Situacao::NaoEncontrado)
}

/// Gives up the lease of a flow that cannot go on; any node may take it after a
/// pause. The pause grows with the time the flow has stood still, because each
/// try may ask the authority. If even this cannot be written, the next `renew`
/// of this node finds the flow.
async fn give_up(app: &Issuing, flow_id: &FlowId, fence: i64, moved_ms: i64) {
    let now_ms = app.now_ms();
    let still_ms = ((now_ms - moved_ms) / 2).min(STILL_AT_MOST_MS);
    let pause_ms = still_ms.max(app.config.flow.lease_ms);
    let input = (flow_id.to_owned(), fence, now_ms + pause_ms);
    let deferred = app.db.write(input, |(id, fence, wake_at_ms), conn| {
        Box::pin(async move {
            Ok::<_, TxError<Infallible>>(flows::defer(conn, id, *fence, *wake_at_ms).await?)
        })
    });
    if let Err(error) = deferred.await {
        tracing::error!(%error, flow.id = %flow_id, "flow cannot be given up yet");
    }
}

/// Takes a flow that is due, unless another was faster.
async fn claim(app: &Issuing, flow_id: &FlowId) -> Option<FlowRow> {
    if !app.presence.stands() {
        return None;
    }
    let now_ms = app.now_ms();
    let input = (
        flow_id.to_owned(),
        app.name.clone(),
        now_ms + app.config.flow.lease_ms,
        now_ms,
    );
    let claimed = app.db.write(input, |(id, node, until_ms, now_ms), conn| {
        Box::pin(async move {
            Ok::<_, TxError<Infallible>>(flows::claim(conn, id, node, *until_ms, *now_ms).await?)
        })
    });
    claimed.await.unwrap_or_else(|error| {
        tracing::error!(%error, flow.id = %flow_id, "flow cannot be claimed; the poll will try again");
        None
    })
}

/// `new`: its document was begun by this process just now.
async fn run_claimed(app: &Issuing, mut row: FlowRow, new: bool) -> anyhow::Result<End> {
    if row.phase == FlowPhase::Start && row.operacao == FlowOperation::Authorize {
        row = rekey::if_late(app, row).await?;
    }
    let context: Context = serde_json::from_str(&row.context)?;
    let phase = match row.phase {
        FlowPhase::Sending => Phase::Sending,
        FlowPhase::Waiting => Phase::Waiting,
        FlowPhase::Start | FlowPhase::Done => Phase::Start,
    };
    let way: Way = if phase == Phase::Start {
        serde_json::from_str(&row.way)?
    } else {
        let mut conn = app.db.read().await?;
        way_of(&mut conn, &row).await?
    };
    let component = app
        .catalog
        .pinned(&row.digest, &row.component)
        .ok_or_else(|| anyhow::anyhow!("adapter {} is not installed", row.component))?;
    let (customer, attachment, broken) = customer_of(app, &row, &context, &way, phase, new).await?;
    let request = if phase == Phase::Sending {
        sent_already(app, &row).await?
    } else {
        None
    };
    let flow = Flow {
        id: row.id.to_string(),
        account: row.account_id.to_string(),
        fence: row.fence,
        component,
        customer: customer.clone(),
        operation: Operacao {
            nome: row.operacao.as_str().to_owned(),
            conteudo: Conteudo {
                schema: schema_of(row.operacao).to_owned(),
                json: row.conteudo.clone(),
            },
        },
        context: Context {
            flow: row.id.to_string(),
            ..context
        },
        phase,
        // A journaled step is done; the next one follows it.
        step: if phase == Phase::Start {
            0
        } else {
            u32::try_from(row.step)
                .unwrap_or(u32::MAX)
                .saturating_add(1)
        },
        state: row.state,
        request,
        wake_at_ms: row.wake_at_ms,
        acted: row.acted == 1,
        attachment,
    };
    if let Some(error) = broken {
        return unsigned(app, &flow, error).await;
    }
    let transport = FlowTransport {
        app: app.gateway.clone(),
        account: row.account_id,
        way,
        customer,
    };
    let cnpj = flow.context.emitente.documento.clone();
    let end = app.driver.run(flow, &transport).await;
    if let End::Done(Err(failure)) = &end {
        let now_ms = app.now_ms();
        app.breaker.learn(&transport.way, &cnpj, failure, now_ms);
    }
    Ok(end)
}

/// Opens the certificate and the secrets of a flow, and the signed document of
/// an operation that carries one. The third value is set when this fails before
/// the first step: the flow then ends with this error.
async fn customer_of(
    app: &Issuing,
    row: &FlowRow,
    context: &Context,
    way: &Way,
    phase: Phase,
    new: bool,
) -> anyhow::Result<(Arc<IssuingCustomer>, Option<Attachment>, Option<SignError>)> {
    let (account, cnpj) = (&row.account_id, &context.emitente.documento);
    // The context of a service note names all secrets: they were read when it was begun.
    let service = matches!(
        row.operacao,
        FlowOperation::Emitir | FlowOperation::Substituir
    );
    let customer = if new && service && context.secrets.is_empty() {
        IssuingCustomer::without_secrets(app, account, cnpj, way).await
    } else {
        IssuingCustomer::open(app, account, cnpj, way).await
    };
    let sign_error = |_| SignError::Other("certificate cannot be opened".to_owned());
    let ready = match customer {
        Ok(customer) => with_document(app, row, customer).await,
        Err(error) => Err(error.into()),
    };
    match ready {
        Ok((customer, attachment)) => Ok((Arc::new(customer), attachment, None)),
        Err(error) if phase == Phase::Start => {
            tracing::error!(flow.id = %row.id, %error, "the document cannot be signed, or certificate or secret not opened");
            let reason = match error {
                DocumentoError::Sign(error) => error,
                DocumentoError::Other(error) => sign_error(error),
            };
            Ok((Arc::new(IssuingCustomer::empty()), None, Some(reason)))
        }
        Err(error) => Err(error.into()),
    }
}

/// The request of a flow whose answer was not read.
async fn sent_already(app: &Issuing, row: &FlowRow) -> anyhow::Result<Option<HttpRequest>> {
    let mut conn = app.db.read().await?;
    let turn = flows::turn_at(&mut conn, &row.id, row.step)
        .await?
        .present("line of a flow that sends", &row.id)?;
    Ok(join_request(&turn.request, &turn.request_body)?)
}

/// Ends a flow whose document cannot be signed: nothing left.
async fn unsigned(app: &Issuing, flow: &Flow, error: SignError) -> anyhow::Result<End> {
    let outcome = Err(Failure {
        reason: FailureReason::Signing(error),
        may_exist: false,
        detail: String::new(),
        evidence: None,
    });
    let turn = Turn {
        flow,
        step: 0,
        event: None,
        next: Next::Done {
            outcome: &outcome,
            broke: false,
        },
        uses: &[],
    };
    app.driver.journal.record(turn).await?;
    Ok(End::Done(outcome))
}

/// The customer, with the signed document of an operation that carries one.
async fn with_document(
    app: &Issuing,
    row: &FlowRow,
    customer: IssuingCustomer,
) -> Result<(IssuingCustomer, Option<Attachment>), DocumentoError> {
    if !row.operacao.is_signed() {
        return Ok((customer, None));
    }
    let documento = signed::of(app, row, &customer).await?;
    Ok((
        customer.with_document(documento.bytes),
        documento.attachment,
    ))
}

/// The loop of a node: says it is alive, takes up what is due.
pub async fn poll(app: Issuing) {
    let mut tick = tokio::time::interval(Duration::from_millis(app.config.issuing.poll_ms));
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut renewed_ms = 0;
    let mut purged_ms = app.now_ms();
    let mut strays = Vec::new();
    let mut peers = Peers::default();
    loop {
        tick.tick().await;
        let now_ms = app.now_ms();
        // The wall clock may be set back, too.
        if !(0..=app.config.flow.lease_ms / 4).contains(&(now_ms - renewed_ms)) {
            renewed_ms = now_ms;
            if let Err(error) = renew(&app, now_ms, &mut strays).await {
                tracing::error!(%error, "leases cannot be renewed");
            }
        }
        if app.draining.load(std::sync::atomic::Ordering::Relaxed) {
            continue;
        }
        if !(0..=PURGE_EVERY_MS).contains(&(now_ms - purged_ms)) {
            purged_ms = now_ms;
            purge(&app, now_ms).await;
        }
        if let Err(error) = peers.look(&app).await {
            tracing::error!(%error, "dead nodes cannot be looked for");
        }
        match look(&app, now_ms).await {
            Ok(due) => {
                for flow_id in due {
                    tokio::spawn(run(app.clone(), flow_id));
                }
            }
            Err(error) => {
                tracing::error!(error = %format!("{error:#}"), "due flows cannot be read")
            }
        }
    }
}

/// Renews this node's leases. A flow of which no task runs here is given up:
/// its task panicked, or could not write. It is given up only when it was
/// already in `strays`, the list of the round before, because a flow that was
/// just inserted may not have its task yet.
async fn renew(
    app: &Issuing,
    now_ms: i64,
    strays: &mut Vec<Owned>,
) -> Result<(), TxError<Infallible>> {
    let input = (app.name.clone(), now_ms + app.config.flow.lease_ms);
    let mut owned = app
        .db
        .write(input, |(node, until_ms), conn| {
            Box::pin(async move { Ok(flows::renew(conn, node, *until_ms).await?) })
        })
        .await?;
    owned.retain(|flow| !app.running.has(&flow.id));
    for flow in owned.iter().filter(|flow| strays.contains(flow)) {
        tracing::warn!(flow.id = %flow.id, "flow was left behind; it is tried again later");
        give_up(app, &flow.id, flow.fence, now_ms).await;
    }
    *strays = owned;
    Ok(())
}

/// Drops the idempotency keys that stand for nothing any more, and what is kept
/// of the uses of keys for a time.
async fn purge(app: &Issuing, now_ms: i64) {
    let kept_ms = app.config.issuing.idempotency_kept_ms();
    let purged = app.db.write(now_ms - kept_ms, |before_ms, conn| {
        Box::pin(async move {
            Ok::<_, TxError<Infallible>>(store::tables::idempotency::purge(conn, *before_ms).await?)
        })
    });
    if let Err(error) = purged.await {
        tracing::warn!(%error, "old idempotency keys were not dropped");
    }
    if let Err(error) = forget_uses(app, now_ms).await {
        tracing::warn!(%error, "old rows of what adapters had signed were not removed");
    }
}

/// Removes what adapters had signed longer ago than it is kept, in portions.
///
/// # Errors
/// The database fails.
pub async fn forget_uses(app: &Issuing, now_ms: i64) -> Result<(), TxError<Infallible>> {
    let before_ms = now_ms - i64::from(app.config.adapters.audit_days) * DAY_MS;
    for _ in 0..PORTIONS {
        let removed = app.db.write(before_ms, |before_ms, conn| {
            Box::pin(async move { Ok(adapter_uses::purge(conn, *before_ms, PORTION).await?) })
        });
        if i64::try_from(removed.await?).unwrap_or(PORTION) < PORTION {
            break;
        }
    }
    Ok(())
}

async fn look(app: &Issuing, now_ms: i64) -> anyhow::Result<Vec<FlowId>> {
    let (notas, events) = {
        let mut conn = app.db.read().await?;
        let notas = store::tables::notas::to_reconcile(&mut conn, now_ms, BATCH).await?;
        let pause_ms = STRANDED_MS
            / i64::try_from(app.config.flow.wait_divisor)
                .unwrap_or(i64::MAX)
                .max(1);
        let events = store::tables::eventos::stranded(&mut conn, now_ms, BATCH, pause_ms).await?;
        (notas, events)
    };
    // One document that cannot be taken up must not hold up the others.
    for nota in notas {
        let id = nota.id.clone();
        if let Err(error) = ask_again(app, nota, now_ms).await {
            tracing::error!(nota.id = %id, error = %format!("{error:#}"), "note cannot be asked about");
        }
    }
    for evento in events {
        let id = evento.id.clone();
        if let Err(error) = try_again(app, evento, now_ms).await {
            tracing::error!(evento.id = %id, error = %format!("{error:#}"), "event cannot be taken up");
        }
    }
    let mut conn = app.db.read().await?;
    Ok(flows::due(&mut conn, now_ms, BATCH).await?)
}

/// A note whose flow ended without knowing: ask the authority.
async fn ask_again(app: &Issuing, mut nota: NotaRow, now_ms: i64) -> anyhow::Result<()> {
    if let Some(until_ms) = held_back(app, &nota.id, now_ms).await? {
        nota.next_check_ms = until_ms;
        return postpone(app, nota).await;
    }
    let model = nota.modelo;
    let sent_ms = {
        let mut conn = app.db.read().await?;
        naming::sent_ms(&mut conn, &nota).await?
    };
    let content = naming::question_of(&nota, sent_ms)?;
    // The question is of now, not of the moment the note was declared at.
    let context = fresh(&nota.context, &nota.id, now_ms)?;
    app.db
        .write(
            (nota, content, context, now_ms),
            move |(nota, content, context, now_ms), conn| {
                Box::pin(async move {
                    // Another node may have asked meanwhile, and settled.
                    let now = notas::lock(conn, &nota.id).await?;
                    let due = now.is_some_and(|now| {
                        now.status == NotaStatus::InTransmission
                            && now.next_check_ms == nota.next_check_ms
                    });
                    let last = again(conn, &nota.id).await?.filter(|_| due);
                    let Some(last) = last else { return Ok(()) };
                    let base = FlowRow {
                        conteudo: content.clone(),
                        context: context.clone(),
                        ..last
                    };
                    Ok::<_, TxError<Infallible>>(
                        insert_flow(conn, base, model.query(), *now_ms).await?,
                    )
                })
            },
        )
        .await?;
    Ok(())
}

/// Until when the authority of a document must be left alone.
async fn held_back(app: &Issuing, subject: &str, now_ms: i64) -> anyhow::Result<Option<i64>> {
    let mut conn = app.db.read().await?;
    let Some(last) = flows::last_of(&mut conn, subject).await? else {
        return Ok(None);
    };
    let way: Way = serde_json::from_str(&last.way)?;
    let context: Context = serde_json::from_str(&last.context)?;
    let checked = app.breaker.check(&way, &context.emitente.documento, now_ms);
    Ok(checked.err().map(|refusal| {
        let seconds = refusal.retry_after_s.unwrap_or(1);
        now_ms + i64::try_from(seconds).unwrap_or(0) * 1_000
    }))
}

/// Sets when a note is asked about, unless somebody else did meanwhile.
async fn postpone(app: &Issuing, nota: NotaRow) -> anyhow::Result<()> {
    let written = app.db.write(nota, |nota, conn| {
        Box::pin(async move {
            let now = notas::lock(conn, &nota.id).await?;
            if let Some(now) = now.filter(|now| now.updated_at_ms == nota.updated_at_ms) {
                let next_check_ms = nota.next_check_ms;
                notas::save(
                    conn,
                    &NotaRow {
                        next_check_ms,
                        ..now
                    },
                )
                .await?;
            }
            Ok::<_, TxError<Infallible>>(())
        })
    });
    Ok(written.await?)
}

/// An event nobody works on: run its operation again.
async fn try_again(app: &Issuing, evento: EventoRow, now_ms: i64) -> anyhow::Result<()> {
    if held_back(app, &evento.id, now_ms).await?.is_some() {
        return Ok(());
    }
    app.db
        .write((evento, now_ms), |(evento, now_ms), conn| {
            Box::pin(async move {
                // Another node may have tried meanwhile, and settled.
                if let Some(nota_id) = evento.nota_id.as_ref() {
                    notas::lock(conn, nota_id).await?;
                }
                let now = store::tables::eventos::by_id(conn, &evento.id).await?;
                let due = now.is_some_and(|now| {
                    now.status == EventoStatus::InTransmission
                        && now.updated_at_ms == evento.updated_at_ms
                });
                let last = again(conn, &evento.id).await?.filter(|_| due);
                let Some(mut last) = last else { return Ok(()) };
                let operation = last.operacao;
                if operation == FlowOperation::Evento {
                    last.conteudo = product::resending(&last)?;
                }
                if operation == FlowOperation::ConsultarNota {
                    // Its bytes need not be those of the question before.
                    last.context = fresh(&last.context, &last.id, *now_ms)?;
                }
                Ok::<_, TxError<Infallible>>(insert_flow(conn, last, operation, *now_ms).await?)
            })
        })
        .await?;
    Ok(())
}
