//! The flow journal in SQL; a flow's last line settles its document in the
//! same transaction.

use crate::document::signed;
use crate::parts::notify::Notifier;
use crate::settle;
use crate::settle::Settled;
use authority::customer::audit;
use base::faultpoint;
use base::metrics;
use base::traces::{Ended, Kind, Tracer};
use flow::contract::{Event, HttpRequest, Outcome};
use flow::driver::{Next, Turn};
use flow::{Attachment, Journal, JournalError};
use std::sync::Arc;
use std::time::Duration;
use store::ids::FlowId;
use store::presence::Presence;
use store::tables::adapter_uses::{self, UseRow};
use store::tables::artifacts;
use store::tables::flows::{self, Sending, Sleeping, TurnNext, TurnRow};
use store::words::Model;
use store::{Conn, Db, DbResult, TxError};

/// An adapter's wait whose reason begins so is a queue at the city: the note
/// is shown as `pendente_prefeitura`.
pub const PENDING: &str = "pendente";

pub struct SqlJournal {
    pub traces: Arc<Tracer>,
    pub db: Db,
    pub clock: base::when::Clock,
    pub lease_ms: i64,
    pub presence: Presence,
    /// Divides the pauses before the authority is asked again.
    pub wait_divisor: u64,
    pub notifier: Arc<Notifier>,
}

/// A turn with what the transaction needs, owned.
struct Line {
    flow_id: FlowId,
    fence: i64,
    acted: bool,
    turn: TurnRow,
    next: Owned,
    /// What was signed and refused for it.
    uses: Vec<UseRow>,
    now_ms: i64,
    lease_until_ms: i64,
    wait_divisor: i64,
}

enum Owned {
    Send {
        state: Vec<u8>,
        changes: bool,
        /// The signed document that leaves for the first time.
        attachment: Option<Attachment>,
    },
    Wait {
        state: Vec<u8>,
        wake_at_ms: i64,
        reason: String,
    },
    Done(Outcome),
}

impl Owned {
    /// Fault points around its commit.
    fn points(&self) -> [&'static str; 3] {
        match self {
            Owned::Send { .. } => ["intent", "intent, before commit", "intent written"],
            Owned::Wait { .. } => ["wait", "wait, before commit", "wait written"],
            Owned::Done(_) => ["settle", "settle, before commit", "settled"],
        }
    }
}

/// Why a line is not written, besides the database.
enum Refused {
    Fenced,
}

#[async_trait::async_trait]
impl Journal for SqlJournal {
    async fn record(&self, turn: Turn<'_>) -> Result<(), JournalError> {
        let line = self
            .line(&turn)
            .map_err(|error| JournalError::Unavailable(error.to_string()))?;
        let [before, _, after] = line.next.points();
        let sends = matches!(line.next, Owned::Send { .. });
        if sends && !self.presence.stands() {
            return Err(JournalError::Unavailable(
                "this node has no session: its leases may be another's".to_owned(),
            ));
        }
        faultpoint::hit(before);
        let leaves_until_ms = sends.then_some(line.lease_until_ms);
        let written = self.db.write(line, |line: &Line, conn| {
            Box::pin(async move {
                let subject = write(conn, line).await?;
                faultpoint::hit(line.next.points()[1]);
                Ok(subject)
            })
        });
        let step = format!("step {}", word(&turn.next));
        let written = self
            .traces
            .span(&step, Kind::Internal, None, written, |written| Ended {
                attributes: vec![
                    ("hub.flow.step", i64::from(turn.step).into()),
                    (
                        "hub.system",
                        turn.flow.component.description.name.as_str().into(),
                    ),
                ],
                failed: written.is_err(),
            });
        let written = written.await;
        faultpoint::hit(after);
        match written {
            // A process that was stopped here and wakes may have lost its lease:
            // another node takes the request for sent.
            Ok(_)
                if leaves_until_ms.is_some_and(|until_ms| {
                    (self.clock)() > until_ms || !self.presence.stands()
                }) =>
            {
                Err(JournalError::Unavailable(
                    "the lease was lost while the request was journaled".to_owned(),
                ))
            }
            Ok(changed) => {
                self.count(&turn, &changed);
                match changed {
                    Changed::Nothing => {}
                    Changed::Settled(Settled {
                        subject,
                        answer: Some(answer),
                        ..
                    }) => self.notifier.settled(&subject, answer),
                    Changed::Shown(subject) | Changed::Settled(Settled { subject, .. }) => {
                        self.notifier.changed(&subject);
                    }
                }
                Ok(())
            }
            Err(TxError::Abort(Refused::Fenced)) => Err(JournalError::Fenced),
            Err(TxError::Db(error)) => Err(JournalError::Unavailable(error.to_string())),
        }
    }
}

/// What an adapter wanted, as a label.
fn word(next: &Next<'_>) -> &'static str {
    let next = match next {
        Next::Send { .. } => TurnNext::Send,
        Next::Wait { .. } => TurnNext::Wait,
        Next::Done { .. } => TurnNext::Done,
    };
    next.as_str()
}

/// What a line did to its document.
enum Changed {
    Nothing,
    /// What is shown of it.
    Shown(String),
    Settled(Settled),
}

/// One line and what it means for the document.
async fn write(conn: &mut Conn, line: &Line) -> Result<Changed, TxError<Refused>> {
    let fenced = || TxError::Abort(Refused::Fenced);
    let (id, fence, step, now_ms) = (&line.flow_id, line.fence, line.turn.step, line.now_ms);
    let changed = match &line.next {
        Owned::Send {
            state,
            changes,
            attachment: file,
        } => {
            let sending = Sending {
                step,
                state,
                acted: line.acted || *changes,
                lease_until_ms: line.lease_until_ms,
            };
            if !flows::sending(conn, id, fence, &sending, now_ms).await? {
                return Err(fenced());
            }
            if let Some(attachment) = file {
                artifacts::insert(conn, &signed::artifact(attachment, now_ms)).await?;
            }
            Changed::Nothing
        }
        Owned::Wait {
            state,
            wake_at_ms,
            reason,
        } => {
            let sleeping = Sleeping {
                step,
                state,
                wake_at_ms: *wake_at_ms,
            };
            let subject = flows::waiting(conn, id, fence, &sleeping, now_ms).await?;
            let subject = subject.ok_or_else(fenced)?;
            if reason.starts_with(PENDING) {
                let shown = settle::queued(conn, &subject, *wake_at_ms, now_ms).await?;
                shown.map_or(Changed::Nothing, Changed::Shown)
            } else {
                Changed::Nothing
            }
        }
        Owned::Done(outcome) => {
            let flow = flows::done(conn, id, fence, step, now_ms).await?;
            let flow = flow.ok_or_else(fenced)?;
            // Before the document, whose end keeps the account's balance until the commit.
            told(conn, line).await?;
            let settled = settle::done(conn, flow, outcome, now_ms, line.wait_divisor).await?;
            return Ok(Changed::Settled(settled));
        }
    };
    told(conn, line).await?;
    Ok(changed)
}

/// What was said in a turn, and what was signed for it.
async fn told(conn: &mut Conn, line: &Line) -> DbResult<()> {
    flows::turn(conn, &line.turn).await?;
    adapter_uses::insert(conn, &line.uses).await
}

impl SqlJournal {
    /// Counts a line that is durable.
    fn count(&self, turn: &Turn<'_>, changed: &Changed) {
        let system = turn.flow.component.description.name.as_str();
        metrics::FLOW_STEPS.count([system, word(&turn.next)]);
        if matches!(&turn.next, Next::Done { broke: true, .. }) {
            metrics::FLOW_TRAPS.count([system]);
        }
        if let Changed::Settled(settled) = changed {
            let labels = [
                settled.model.map_or("evento", Model::as_str),
                settled.outcome,
            ];
            let took_ms = u64::try_from((self.clock)() - settled.since_ms).unwrap_or(0);
            metrics::ISSUED.count(labels);
            metrics::ISSUED_SECONDS.took(labels, Duration::from_millis(took_ms));
        }
    }

    fn line(&self, turn: &Turn<'_>) -> Result<Line, serde_json::Error> {
        let now_ms = (self.clock)();
        let (event, event_body) = match turn.event {
            Some(Event::Response(response)) => {
                let head = serde_json::json!({ "response": { "status": response.status, "headers": response.headers } });
                (head.to_string(), response.body.clone())
            }
            Some(other) => (serde_json::to_string(other)?, Vec::new()),
            None => (String::new(), Vec::new()),
        };
        let (mut request_head, mut request_body) = (String::new(), Vec::new());
        let (next, label, owned) = match &turn.next {
            Next::Send { request, state } => {
                (request_head, request_body) = split_request(request)?;
                let changes = request.effect != flow::contract::Effect::ReadOnly;
                (
                    TurnNext::Send,
                    request.label.clone(),
                    Owned::Send {
                        state: state.to_vec(),
                        changes,
                        attachment: turn.flow.attachment.clone().filter(|_| !turn.flow.acted),
                    },
                )
            }
            Next::Wait {
                wake_at_ms,
                reason,
                state,
            } => {
                let reason: String = reason.chars().take(200).collect();
                (
                    TurnNext::Wait,
                    reason.clone(),
                    Owned::Wait {
                        state: state.to_vec(),
                        wake_at_ms: *wake_at_ms,
                        reason,
                    },
                )
            }
            Next::Done { outcome, .. } => (
                TurnNext::Done,
                String::new(),
                Owned::Done((*outcome).clone()),
            ),
        };
        Ok(Line {
            flow_id: turn.flow.id.as_str().into(),
            fence: turn.flow.fence,
            acted: turn.flow.acted,
            turn: TurnRow {
                flow_id: turn.flow.id.as_str().into(),
                step: i64::from(turn.step),
                event,
                event_body,
                next,
                label,
                request: request_head,
                request_body,
                at_ms: now_ms,
            },
            next: owned,
            uses: audit::rows(turn, now_ms),
            now_ms,
            lease_until_ms: now_ms + self.lease_ms,
            wait_divisor: i64::try_from(self.wait_divisor).unwrap_or(i64::MAX).max(1),
        })
    }
}

/// Head as JSON, body apart: bodies do not belong in JSON.
fn split_request(request: &HttpRequest) -> Result<(String, Vec<u8>), serde_json::Error> {
    let head = HttpRequest {
        target: request.target.clone(),
        method: request.method.clone(),
        headers: request.headers.clone(),
        body: Vec::new(),
        effect: request.effect,
        timeout_ms: request.timeout_ms,
        client_certificate: request.client_certificate,
        label: request.label.clone(),
    };
    Ok((serde_json::to_string(&head)?, request.body.clone()))
}

/// The journaled request, whole again.
///
/// # Errors
/// The row is damaged.
pub fn join_request(head: &str, body: &[u8]) -> Result<Option<HttpRequest>, serde_json::Error> {
    if head.is_empty() {
        return Ok(None);
    }
    let head: HttpRequest = serde_json::from_str(head)?;
    Ok(Some(HttpRequest {
        body: body.to_vec(),
        ..head
    }))
}
