//! The flow journal in SQL; a flow's last line settles its document in the
//! same transaction.

use super::{documento, settle};
use crate::db::artifacts;
use crate::db::flows::{self, Sending, Sleeping, TurnRow};
use crate::db::{Conn, Db, TxError};
use crate::faultpoint;
use crate::issuing::Notifier;
use flow::contract::{Event, HttpRequest, Outcome};
use flow::driver::{Next, Turn};
use flow::{Anexo, Journal, JournalError};
use std::sync::Arc;

/// An adapter's wait whose reason begins so is a queue at the city: the note
/// is shown as `pendente_prefeitura`.
pub const PENDING: &str = "pendente";

pub struct SqlJournal {
    pub db: Db,
    pub clock: crate::app::Clock,
    pub lease_ms: i64,
    /// Divides the pauses before the authority is asked again.
    pub wait_divisor: u64,
    pub notifier: Arc<Notifier>,
}

/// A turn with what the transaction needs, owned.
struct Line {
    flow_id: String,
    fence: i64,
    acted: bool,
    turn: TurnRow,
    next: Owned,
    now_ms: i64,
    lease_until_ms: i64,
    wait_divisor: i64,
}

enum Owned {
    Send {
        state: Vec<u8>,
        changes: bool,
        /// The signed document that leaves for the first time.
        anexo: Option<Anexo>,
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
        faultpoint::hit(before);
        let leaves_until_ms =
            matches!(line.next, Owned::Send { .. }).then_some(line.lease_until_ms);
        let written = self.db.write(line, |line: &Line, conn| {
            Box::pin(async move {
                let subject = write(conn, line).await?;
                faultpoint::hit(line.next.points()[1]);
                Ok(subject)
            })
        });
        let written = written.await;
        faultpoint::hit(after);
        match written {
            // A process that was stopped here and wakes may have lost its lease:
            // another node takes the request for sent.
            Ok(_) if leaves_until_ms.is_some_and(|until_ms| (self.clock)() > until_ms) => {
                Err(JournalError::Unavailable(
                    "the lease ran out while the request was journaled".to_owned(),
                ))
            }
            Ok(subject) => {
                if let Some(subject) = subject {
                    self.notifier.changed(&subject);
                }
                Ok(())
            }
            Err(TxError::Abort(Refused::Fenced)) => Err(JournalError::Fenced),
            Err(TxError::Db(error)) => Err(JournalError::Unavailable(error.to_string())),
        }
    }
}

/// One line and what it means for the document; the document's id when what
/// is shown of it changed.
async fn write(conn: &mut Conn, line: &Line) -> Result<Option<String>, TxError<Refused>> {
    let fenced = || TxError::Abort(Refused::Fenced);
    let (id, fence, step, now_ms) = (&line.flow_id, line.fence, line.turn.step, line.now_ms);
    let changed = match &line.next {
        Owned::Send {
            state,
            changes,
            anexo,
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
            if let Some(anexo) = anexo {
                artifacts::insert(conn, &documento::artifact(anexo, now_ms)).await?;
            }
            None
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
                settle::queued(conn, &subject, *wake_at_ms, now_ms).await?
            } else {
                None
            }
        }
        Owned::Done(outcome) => {
            let flow = flows::done(conn, id, fence, step, now_ms).await?;
            let flow = flow.ok_or_else(fenced)?;
            Some(settle::done(conn, flow, outcome, now_ms, line.wait_divisor).await?)
        }
    };
    flows::turn(conn, &line.turn).await?;
    Ok(changed)
}

impl SqlJournal {
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
                    "send",
                    request.label.clone(),
                    Owned::Send {
                        state: state.to_vec(),
                        changes,
                        anexo: turn.flow.anexo.clone().filter(|_| !turn.flow.acted),
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
                    "wait",
                    reason.clone(),
                    Owned::Wait {
                        state: state.to_vec(),
                        wake_at_ms: *wake_at_ms,
                        reason,
                    },
                )
            }
            Next::Done { outcome } => ("done", String::new(), Owned::Done((*outcome).clone())),
        };
        Ok(Line {
            flow_id: turn.flow.id.clone(),
            fence: turn.flow.fence,
            acted: turn.flow.acted,
            turn: TurnRow {
                flow_id: turn.flow.id.clone(),
                step: i64::from(turn.step),
                event,
                event_body,
                next: next.to_owned(),
                label,
                request: request_head,
                request_body,
                at_ms: now_ms,
            },
            next: owned,
            now_ms,
            lease_until_ms: now_ms + self.lease_ms,
            wait_divisor: i64::try_from(self.wait_divisor).unwrap_or(i64::MAX).max(1),
        })
    }
}

/// Head as JSON, body apart: bodies do not belong in JSON.
fn split_request(request: &HttpRequest) -> Result<(String, Vec<u8>), serde_json::Error> {
    let head = HttpRequest {
        body: Vec::new(),
        ..request.clone()
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
