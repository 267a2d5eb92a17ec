//! Plays cassettes natively: see `CASSETTES.md` for the format.
//!
//! Not part of a component; a test of the adapter calls [`play_all`].

mod files;
mod outcome;
mod schemas;

use crate::bindings::control::{Context, Effect, Event, HttpRequest, Operacao, Outcome, Step};
use crate::host::FakeHost;
use crate::{Adapter, cassette::files::Case};
pub use ::cassette::Mode;
pub use schemas::{published, published_families};
use std::fs;
use std::path::{Path, PathBuf};

/// Most steps of a case: the host's own limit.
const MAX_STEPS: u32 = 64;

/// What a case did.
#[derive(Clone, Debug)]
pub struct Played {
    pub requests: Vec<HttpRequest>,
    pub outcome: Outcome,
}

/// Folders of the cases of a crate, by name. `manifest_dir` is
/// `env!("CARGO_MANIFEST_DIR")`.
///
/// # Errors
/// The folder `cases` cannot be read.
pub fn cases(manifest_dir: &str) -> Result<Vec<PathBuf>, String> {
    let folder = Path::new(manifest_dir).join("cases");
    let entries =
        fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut cases: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    cases.sort();
    Ok(cases)
}

/// Plays every case of a crate and panics with a report when one differs, or
/// when there is none.
pub fn play_all(manifest_dir: &str, adapter: Adapter) {
    let mode = Mode::from_env();
    let cases = cases(manifest_dir).unwrap_or_else(|error| panic!("{error}"));
    assert!(!cases.is_empty(), "no cases in {manifest_dir}");
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|folder| {
            play(folder, adapter, mode)
                .err()
                .map(|error| format!("{}: {error}", folder.display()))
        })
        .collect();
    assert!(
        failures.is_empty(),
        "{} of {} cases differ\n\n{}\n\nwhere what is sent, or how it ends, is right as it is now, RECORD=1 writes the cases anew; read the difference",
        failures.len(),
        cases.len(),
        failures.join("\n\n")
    );
}

/// Operation and context of a case, with its fake host installed: for tests
/// that change something in them.
///
/// # Errors
/// The case cannot be read.
pub fn input(folder: &Path) -> Result<(Operacao, Context), String> {
    let input = Case::open(folder)?.input()?;
    install(&input);
    Ok((input.operation, input.context))
}

fn install(input: &files::Input) {
    FakeHost {
        secrets: input.context.secrets.clone(),
        documento: input
            .certificate
            .then(|| input.context.emitente.documento.clone()),
        log: Vec::new(),
    }
    .install();
}

/// Plays one case.
///
/// # Errors
/// What differs, for people.
pub fn play(folder: &Path, adapter: Adapter, mode: Mode) -> Result<Played, String> {
    let case = Case::open(folder)?;
    let input = case.input()?;
    install(&input);
    if mode == Mode::Record {
        case.forget_requests()?;
    }
    let mut requests = Vec::new();
    let mut step = twice(|| (adapter.start)(input.operation.clone(), input.context.clone()))?;
    for number in 1..=MAX_STEPS {
        let (state, event) = match step {
            Step::Done(outcome) => {
                case.end(number, &outcome, mode)?;
                return Ok(Played { requests, outcome });
            }
            Step::Send(exchange) => {
                only_reads(&input.operation.nome, &exchange.request)?;
                case.request(number, &exchange.request, mode)?;
                requests.push(exchange.request);
                (exchange.state, case.answer(number)?)
            }
            Step::Wait(pause) => {
                case.wait(number, pause.duration_ms, &pause.reason, mode)?;
                (
                    pause.state,
                    if case.cancelled(number) {
                        Event::Cancelled
                    } else {
                        Event::Elapsed
                    },
                )
            }
        };
        let ctx = Context {
            step: number,
            ..input.context.clone()
        };
        step = twice(|| (adapter.resume)(state.clone(), event.clone(), ctx.clone()))?;
    }
    Err(format!("more than {MAX_STEPS} steps"))
}

/// The host ends a query that sends anything but a question.
fn only_reads(operation: &str, request: &HttpRequest) -> Result<(), String> {
    if operation.starts_with("consultar") && request.effect != Effect::ReadOnly {
        return Err(format!("{operation} may only read: {}", request.label));
    }
    Ok(())
}

/// Runs a step twice: an adapter must not remember or guess.
fn twice(run: impl Fn() -> Step) -> Result<Step, String> {
    let first = run();
    if first == run() {
        Ok(first)
    } else {
        Err("the same call gave another step".into())
    }
}
