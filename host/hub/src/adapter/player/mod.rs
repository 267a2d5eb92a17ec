//! Plays cassettes inside the sandbox: the same folders, compared the same
//! way, as an adapter's own native test (`plugins/sdk/CASSETTES.md`).
//!
//! What passes here runs in production as it was seen: the component, its
//! limits and the contract's types are the real ones; only the customer is a
//! fake that signs recognizably and deterministically.

mod case;
pub mod fake;
mod outcome;
pub mod placeholders;
mod words;

pub use case::{Case, Input};
pub use words::transport_kind as kind_word;

use fake::FakeCustomer;
use flow::contract::{Context, Event, HttpRequest, Outcome, Step};
use flow::{Call, Customer, Loaded, Memo, Runtime, Use};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a case did.
#[derive(Clone, Debug)]
pub struct Played {
    /// What was sent, in order.
    pub requests: Vec<HttpRequest>,
    pub outcome: Outcome,
    /// Calls of the adapter, repetitions included, and the time they took.
    pub calls: u32,
    pub elapsed: Duration,
    /// Largest state between two steps, in bytes.
    pub state_bytes: usize,
}

/// The answers of a case, asked by somebody who may exchange them.
pub type Exchange<'a> = &'a dyn Fn(u32, &HttpRequest, Event) -> Event;

/// Folders of an adapter's cases, by name.
///
/// # Errors
/// `cases` cannot be read, or holds none.
pub fn cases(adapter: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let folder = adapter.join("cases");
    let entries = std::fs::read_dir(&folder)
        .map_err(|error| anyhow::anyhow!("{}: {error}", folder.display()))?;
    let mut cases: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
        .collect();
    cases.sort();
    anyhow::ensure!(!cases.is_empty(), "{}: no case", folder.display());
    Ok(cases)
}

/// Plays one case and compares everything it did with its files.
///
/// # Errors
/// What differs, for people.
pub fn play(runtime: &Runtime, loaded: &Loaded, folder: &Path) -> Result<Played, String> {
    play_case(runtime, loaded, &Case::open(folder)?)
}

/// The same of a case that is open, to be compared or to be written.
///
/// # Errors
/// As `play`.
pub fn play_case(runtime: &Runtime, loaded: &Loaded, case: &Case) -> Result<Played, String> {
    let input = case.input()?;
    let mut run = Run::new(runtime, loaded, &input);
    let mut requests = Vec::new();
    let mut step = run.twice(0, &Call::Start(&input.operation))?;
    for number in 1..=runtime.limits().steps {
        let (state, event) = match step {
            Step::Done(outcome) => {
                case.end(number, &outcome)?;
                let Run {
                    calls,
                    elapsed,
                    state_bytes,
                    ..
                } = run;
                return Ok(Played {
                    requests,
                    outcome,
                    calls,
                    elapsed,
                    state_bytes,
                });
            }
            Step::Send(exchange) => {
                flow::driver::only_reads(&input.operation.nome, &exchange.request)
                    .map_err(|error| format!("step {number}: {error}"))?;
                case.request(number, &exchange.request)?;
                requests.push(exchange.request);
                (exchange.state, case.answer(number)?)
            }
            Step::Wait(pause) => {
                case.wait(number, pause.duration_ms, &pause.reason)?;
                let event = if case.cancelled(number) {
                    Event::Cancelled
                } else {
                    Event::Elapsed
                };
                (pause.state, event)
            }
        };
        step = run.twice(
            number,
            &Call::Resume {
                state: &state,
                event: &event,
            },
        )?;
    }
    Err(format!("more than {} steps", runtime.limits().steps))
}

/// Runs the operation of a case with answers that `exchange` may replace, and
/// compares nothing: for asking what an adapter makes of hostile answers.
///
/// # Errors
/// The sandbox stopped a step, or the flow does not end.
pub fn run_with(
    runtime: &Runtime,
    loaded: &Loaded,
    folder: &Path,
    exchange: Exchange<'_>,
) -> Result<Outcome, String> {
    run_as(runtime, loaded, folder, &|_| {}, exchange).map(|(outcome, _)| outcome)
}

/// As [`run_with`], for another flow: `change` is what the registry says of another
/// city. Also what was signed.
///
/// # Errors
/// As those of [`run_with`], and a signature that the adapter does not declare.
pub fn run_as(
    runtime: &Runtime,
    loaded: &Loaded,
    folder: &Path,
    change: &dyn Fn(&mut Context),
    exchange: Exchange<'_>,
) -> Result<(Outcome, Vec<Use>), String> {
    let case = Case::open(folder)?;
    let mut input = case.input()?;
    change(&mut input.context);
    let mut run = Run::new(runtime, loaded, &input);
    let mut step = run.once(0, &Call::Start(&input.operation))?;
    for number in 1..=runtime.limits().steps {
        let (state, event) = match step {
            Step::Done(outcome) => return Ok((outcome, run.uses)),
            Step::Send(sent) => {
                // Beyond the recorded answers the world is silent.
                let recorded = case.answer(number).unwrap_or_else(|_| case::silence());
                let event = exchange(number, &sent.request, recorded);
                (sent.state, event)
            }
            Step::Wait(pause) => (pause.state, Event::Elapsed),
        };
        step = run.once(
            number,
            &Call::Resume {
                state: &state,
                event: &event,
            },
        )?;
    }
    Err(format!("more than {} steps", runtime.limits().steps))
}

/// One flow of a case in the sandbox.
struct Run<'a> {
    runtime: &'a Runtime,
    loaded: &'a Loaded,
    context: Context,
    customer: Arc<dyn Customer>,
    calls: u32,
    elapsed: Duration,
    state_bytes: usize,
    uses: Vec<Use>,
}

impl<'a> Run<'a> {
    fn new(runtime: &'a Runtime, loaded: &'a Loaded, input: &Input) -> Run<'a> {
        let customer = Arc::new(FakeCustomer {
            documento: input
                .certificate
                .then(|| input.context.emitente.documento.clone()),
            secrets: input.context.secrets.clone(),
        });
        Run {
            runtime,
            loaded,
            context: input.context.clone(),
            customer,
            calls: 0,
            elapsed: Duration::ZERO,
            state_bytes: 0,
            uses: Vec::new(),
        }
    }

    /// A step, computed twice: an adapter must not remember or guess.
    fn twice(&mut self, number: u32, call: &Call<'_>) -> Result<Step, String> {
        let first = self.once(number, call)?;
        if first != self.once(number, call)? {
            return Err(format!("step {number}: the same call gave another step"));
        }
        let state = match &first {
            Step::Send(exchange) => exchange.state.len(),
            Step::Wait(pause) => pause.state.len(),
            Step::Done(_) => 0,
        };
        self.state_bytes = self.state_bytes.max(state);
        Ok(placeholders::as_in_cassettes(first))
    }

    fn once(&mut self, number: u32, call: &Call<'_>) -> Result<Step, String> {
        self.context.step = number;
        let begun = Instant::now();
        let memo = Arc::<Memo>::default();
        let step = self.runtime.step(
            self.loaded,
            call,
            &self.context,
            self.customer.clone(),
            memo.clone(),
        );
        self.elapsed += begun.elapsed();
        self.calls += 1;
        let step = step.map_err(|error| format!("step {number}: {error}"))?;
        let uses = memo.take_uses();
        if let Some(why) = uses.iter().find_map(|made| made.refused.as_deref()) {
            return Err(format!("step {number}: {why}"));
        }
        self.uses.extend(uses);
        Ok(step)
    }
}
