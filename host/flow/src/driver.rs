//! The durable driver: runs a flow step by step, and writes each step down
//! before doing it.
//!
//! One journal write holds the event that came in and the step that
//! followed. So after a crash a flow stands in one of three places: not
//! started, a request that may have left, or a wait. A request that may have
//! left is sent again by the host only when the adapter marked it harmless;
//! a `once` is never: the adapter is told that nobody knows, and asks.

use crate::component::{Ending, Loaded};
use crate::contract::{
    Context, Effect, Event, Failure, FailureReason, HttpRequest, Operacao, Outcome, SignError,
    Step, TransportFault, TransportKind, World,
};
use crate::engine::Runtime;
use crate::host::{Customer, Memo, Use};
use crate::sandbox::outcome::{self, Seen};
use crate::sandbox::{Call, StepError};
use async_trait::async_trait;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Operations whose names begin so ask and change nothing.
const QUERY: &str = "consultar";

/// Where a flow stands in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Nothing happened yet.
    Start,
    /// A request is journaled; it may or may not have left.
    Sending,
    /// Sleeping until `wake_at_ms`.
    Waiting,
}

/// A flow as loaded from the journal, with what it needs to run.
pub struct Flow {
    pub id: String,
    /// Whose flow it is.
    pub account: String,
    /// Grows with each owner; writes of an older owner are refused.
    pub fence: i64,
    pub component: Arc<Loaded>,
    pub customer: Arc<dyn Customer>,
    pub operation: Operacao,
    /// `step` is set by the driver.
    pub context: Context,
    pub phase: Phase,
    /// Steps journaled so far.
    pub step: u32,
    pub state: Vec<u8>,
    /// The journaled request, in phase `Sending`.
    pub request: Option<HttpRequest>,
    pub wake_at_ms: i64,
    /// A request that changes something was journaled at some point.
    pub acted: bool,
    /// What the first request carries in place of a placeholder.
    pub attachment: Option<Attachment>,
}

/// A signed document the adapter does not see: durable with the request that
/// carries it first.
#[derive(Clone, Debug)]
pub struct Attachment {
    /// Account, document and name under which the journal keeps it.
    pub account: String,
    pub subject: String,
    pub kind: String,
    pub bytes: Arc<[u8]>,
}

/// One line of the journal: what came in, and what the adapter wants next.
pub struct Turn<'a> {
    pub flow: &'a Flow,
    pub step: u32,
    pub event: Option<&'a Event>,
    pub next: Next<'a>,
    /// What was signed for the step, and what was refused.
    pub uses: &'a [Use],
}

pub enum Next<'a> {
    Send {
        request: &'a HttpRequest,
        state: &'a [u8],
    },
    Wait {
        wake_at_ms: i64,
        reason: &'a str,
        state: &'a [u8],
    },
    Done {
        outcome: &'a Outcome,
        /// The adapter broke: it trapped, ran out of a limit, or asked for what
        /// it may not have.
        broke: bool,
    },
}

#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Another node owns the flow now: stop, say nothing.
    #[error("flow was taken over by another node")]
    Fenced,
    #[error("journal not reachable: {0}")]
    Unavailable(String),
}

/// Where turns are written. Returns only when the turn is durable.
#[async_trait]
pub trait Journal: Send + Sync {
    async fn record(&self, turn: Turn<'_>) -> Result<(), JournalError>;
}

/// Sends one request and says what came back; never panics, never retries.
#[async_trait]
pub trait Transport: Send + Sync {
    async fn send(&self, flow: &Flow, request: &HttpRequest) -> Event;
}

/// How a run ended.
pub enum End {
    Done(Outcome),
    /// To be run again at this moment (epoch milliseconds).
    Sleeping(i64),
    /// Another owner goes on.
    Fenced,
    /// The journal failed; the flow stands where it last stood.
    Unavailable(String),
}

pub struct Driver {
    pub runtime: Arc<Runtime>,
    pub journal: Arc<dyn Journal>,
    /// Epoch milliseconds.
    pub now_ms: Arc<dyn Fn() -> i64 + Send + Sync>,
    /// Adapters that compute at the same time; each holds a thread.
    pub computing: Arc<Semaphore>,
    /// Divides every wait an adapter asks for: 1 in production, more in tests
    /// and demonstrations.
    pub wait_divisor: u64,
}

impl Driver {
    /// Runs a flow until it ends, sleeps or loses its owner. The transport
    /// knows this flow's addresses, certificate and secrets.
    pub async fn run(&self, mut flow: Flow, transport: &dyn Transport) -> End {
        let memo = Arc::new(Memo::default());
        let mut answered = false;
        let mut event = match first_event(&flow, transport, (self.now_ms)()).await {
            First::Start => None,
            First::Event(event) => Some(Arc::new(event)),
            First::TooEarly => return End::Sleeping(flow.wake_at_ms),
        };
        loop {
            let came = event.take();
            answered |= matches!(came.as_deref(), Some(Event::Response(_)));
            let step = self.compute(&mut flow, came.as_ref(), &memo).await;
            let step = step.and_then(|step| allowed(step, &flow, answered, came.as_deref()));
            let broke = step.is_err();
            let uses = memo.take_uses();
            let step = step.unwrap_or_else(|error| Step::Done(Err(broken(&flow, &error))));
            let number = flow.step;
            match step {
                Step::Send(exchange) => {
                    let next = Next::Send {
                        request: &exchange.request,
                        state: &exchange.state,
                    };
                    let turn = Turn {
                        flow: &flow,
                        step: number,
                        event: came.as_deref(),
                        next,
                        uses: &uses,
                    };
                    if let Err(error) = self.journal.record(turn).await {
                        return stopped(error);
                    }
                    let came = transport.send(&flow, &exchange.request).await;
                    let left = !matches!(&came, Event::NoResponse(fault) if !fault.maybe_arrived);
                    flow.acted |= left && exchange.request.effect != Effect::ReadOnly;
                    event = Some(Arc::new(came));
                    flow.state = exchange.state;
                }
                Step::Wait(pause) => {
                    let wake_at_ms = self.wake_at_ms(pause.duration_ms);
                    let next = Next::Wait {
                        wake_at_ms,
                        reason: &pause.reason,
                        state: &pause.state,
                    };
                    let turn = Turn {
                        flow: &flow,
                        step: number,
                        event: came.as_deref(),
                        next,
                        uses: &uses,
                    };
                    return match self.journal.record(turn).await {
                        Ok(()) => End::Sleeping(wake_at_ms),
                        Err(error) => stopped(error),
                    };
                }
                Step::Done(outcome) => {
                    self.learn(&flow, &outcome, broke);
                    let turn = Turn {
                        flow: &flow,
                        step: number,
                        event: came.as_deref(),
                        next: Next::Done {
                            outcome: &outcome,
                            broke,
                        },
                        uses: &uses,
                    };
                    return match self.journal.record(turn).await {
                        Ok(()) => End::Done(outcome),
                        Err(error) => stopped(error),
                    };
                }
            }
            flow.step += 1;
        }
    }

    fn wake_at_ms(&self, duration_ms: u64) -> i64 {
        let pause_ms = i64::try_from(duration_ms / self.wait_divisor.max(1));
        (self.now_ms)().saturating_add(pause_ms.unwrap_or(i64::MAX))
    }

    /// What the end of a flow tells about its component.
    fn learn(&self, flow: &Flow, outcome: &Outcome, broke: bool) {
        if let Some(ending) = ending(outcome, broke) {
            let emitter = &flow.context.emitente.documento;
            let health = &flow.component.health;
            health.ended((self.now_ms)(), emitter, ending);
        }
    }

    /// Lets the adapter compute one step on a thread where it may block.
    async fn compute(
        &self,
        flow: &mut Flow,
        event: Option<&Arc<Event>>,
        memo: &Arc<Memo>,
    ) -> Result<Step, StepError> {
        if flow.step >= self.runtime.limits().steps {
            return Err(StepError::TooManySteps(self.runtime.limits().steps));
        }
        flow.context.step = flow.step;
        // First a place among its own kind: an adapter that hangs makes its
        // own flows wait, not those of the others.
        let (Ok(place), Ok(permit)) = (
            flow.component.places.clone().acquire_owned().await,
            self.computing.clone().acquire_owned().await,
        ) else {
            return Err(StepError::Trap("the hub is stopping".to_owned()));
        };
        let runtime = self.runtime.clone();
        let (component, customer, memo) =
            (flow.component.clone(), flow.customer.clone(), memo.clone());
        let context = flow.context.clone();
        let given = match event {
            None => Given::Operation(flow.operation.clone()),
            Some(event) => Given::Event(std::mem::take(&mut flow.state), event.clone()),
        };
        let computed = tokio::task::spawn_blocking(move || {
            let _held = (place, permit);
            let call = match &given {
                Given::Operation(operation) => Call::Start(operation),
                Given::Event(state, event) => Call::Resume { state, event },
            };
            runtime.step(&component, &call, &context, customer, memo)
        });
        computed
            .await
            .unwrap_or_else(|panic| Err(StepError::Trap(format!("host function: {panic}"))))
    }
}

/// What the end of a flow tells about its component, if it does.
fn ending(outcome: &Outcome, broke: bool) -> Option<Ending> {
    if broke {
        return Some(Ending::Broke);
    }
    let Err(failure) = outcome else {
        return Some(Ending::Good);
    };
    match failure.reason {
        // A certificate that is absent or too old is not the component's either.
        FailureReason::Transport(_)
        | FailureReason::Unavailable(_)
        | FailureReason::Credentials(_)
        | FailureReason::Signing(SignError::NoCertificate | SignError::Expired) => None,
        FailureReason::Rejected(_)
        | FailureReason::InvalidInput(_)
        | FailureReason::NotSupported(_) => Some(Ending::Refused),
        FailureReason::UnexpectedResponse(_)
        | FailureReason::Signing(_)
        | FailureReason::Other(_) => Some(Ending::Unexpected),
    }
}

/// What a step is computed from.
enum Given {
    Operation(Operacao),
    Event(Vec<u8>, Arc<Event>),
}

/// Holds a request to its operation: a query sends nothing but questions.
///
/// # Errors
/// [`StepError::BadRequest`]: a query would change something.
pub fn only_reads(operation: &str, request: &HttpRequest) -> Result<(), StepError> {
    if request.effect == Effect::ReadOnly || !operation.starts_with(QUERY) {
        return Ok(());
    }
    let name: String = operation.chars().take(60).collect();
    Err(StepError::BadRequest(format!("{name} may only read")))
}

/// Holds a step to what the flow is about: a query changes nothing, and an
/// outcome is believed as far as an answer carries it.
fn allowed(
    step: Step,
    flow: &Flow,
    answered: bool,
    last: Option<&Event>,
) -> Result<Step, StepError> {
    // A look-up may know its answer by itself.
    let answered = answered || flow.component.world == World::Lookup;
    match step {
        Step::Send(exchange) => {
            only_reads(&flow.operation.nome, &exchange.request)?;
            Ok(Step::Send(exchange))
        }
        Step::Done(outcome) => outcome::backed(
            outcome,
            &Seen {
                acted: flow.acted,
                answered,
                last,
            },
        )
        .map(Step::Done),
        step => Ok(step),
    }
}

/// What a flow taken from the journal is resumed with.
async fn first_event(flow: &Flow, transport: &dyn Transport, now_ms: i64) -> First {
    match (flow.phase, &flow.request) {
        (Phase::Waiting, _) if now_ms < flow.wake_at_ms => First::TooEarly,
        (Phase::Waiting, _) => First::Event(Event::Elapsed),
        (Phase::Sending, Some(request)) if request.effect != Effect::Once => {
            First::Event(transport.send(flow, request).await)
        }
        (Phase::Sending, _) => First::Event(Event::NoResponse(TransportFault {
            kind: TransportKind::Other,
            detail: "the hub stopped while the answer was awaited".to_owned(),
            maybe_arrived: true,
        })),
        (Phase::Start, _) => First::Start,
    }
}

enum First {
    Start,
    Event(Event),
    TooEarly,
}

fn stopped(error: JournalError) -> End {
    match error {
        JournalError::Fenced => End::Fenced,
        JournalError::Unavailable(reason) => End::Unavailable(reason),
    }
}

/// The outcome of a flow whose adapter broke. If anything that changes
/// something was sent, nobody knows what exists.
fn broken(flow: &Flow, error: &StepError) -> Failure {
    Failure {
        reason: FailureReason::Other(error.to_string()),
        may_exist: flow.acted,
        detail: error.to_string(),
        evidence: None,
    }
}
