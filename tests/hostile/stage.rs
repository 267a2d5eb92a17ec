//! A sandbox and a driver without a hub: the journal is a list, the network a
//! script.

use crate::components::component;
use async_trait::async_trait;
use flow::contract::signer::{Algorithm, Certificate, Options};
use flow::contract::{
    Ambiente, Conteudo, Context, Emitente, Event, HttpRequest, HttpResponse, Operacao, Outcome,
    SignError, TransportFault, TransportKind,
};
use flow::driver::{Next, Turn};
use flow::{
    Allow, Customer, Driver, End, Flow, Journal, JournalError, Limits, Loaded, Phase, Runtime,
    Transport, Use,
};
use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use tests::adapters;
use tokio::sync::Semaphore;

/// One engine for all tests of this binary: what a hostile adapter does to it
/// would show in the next one.
pub fn runtime() -> Arc<Runtime> {
    static RUNTIME: OnceLock<Arc<Runtime>> = OnceLock::new();
    RUNTIME
        .get_or_init(|| {
            // Unoptimized code on a busy machine is slow: more time than in
            // production, so that each ends by its own limit.
            let limits = Limits {
                step_ms: 1_000,
                ..Limits::default()
            };
            Arc::new(Runtime::new(limits).expect("sandbox"))
        })
        .clone()
}

/// A hostile component, loaded once.
pub fn loaded(mode: &str) -> Arc<Loaded> {
    static LOADED: OnceLock<Mutex<HashMap<String, Arc<Loaded>>>> = OnceLock::new();
    let mut known = LOADED
        .get_or_init(Mutex::default)
        .lock()
        .expect("no test panics here");
    known
        .entry(mode.to_owned())
        .or_insert_with(|| {
            let loaded = runtime().load(&component(mode), Some(&adapters::cache()));
            Arc::new(loaded.unwrap_or_else(|error| panic!("{mode}: {error}")))
        })
        .clone()
}

/// A customer with two secrets and a key whose signatures cost nothing.
#[derive(Default)]
pub struct Signer(pub AtomicU32);

impl Customer for Signer {
    fn sign_xml(&self, xml: &str, _: &str, _: &Options, _: Allow<'_>) -> Result<String, SignError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(xml.to_owned())
    }

    fn sign_bytes(&self, data: &[u8], _: Algorithm) -> Result<Vec<u8>, SignError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(data.to_vec())
    }

    fn certificate(&self) -> Option<Certificate> {
        None
    }

    fn has_secret(&self, name: &str) -> bool {
        matches!(name, "usuario" | "senha" | "token")
    }
}

/// What the journal keeps to run a flow again.
#[derive(Clone)]
struct Line {
    step: u32,
    state: Vec<u8>,
    reason: String,
    acted: bool,
}

#[derive(Default)]
struct Memory {
    lines: Mutex<Vec<Line>>,
    uses: Mutex<Vec<Use>>,
    acted: Mutex<bool>,
}

#[async_trait]
impl Journal for Memory {
    async fn record(&self, turn: Turn<'_>) -> Result<(), JournalError> {
        let (state, reason, changes) = match turn.next {
            Next::Send { request, state } => (
                state.to_vec(),
                String::new(),
                request.effect != flow::contract::Effect::ReadOnly,
            ),
            Next::Wait { reason, state, .. } => (state.to_vec(), reason.to_owned(), false),
            Next::Done { .. } => (Vec::new(), String::new(), false),
        };
        let mut acted = self.acted.lock().expect("journal");
        *acted |= changes;
        let line = Line {
            step: turn.step,
            state,
            reason,
            acted: *acted,
        };
        self.lines.lock().expect("journal").push(line);
        self.uses
            .lock()
            .expect("journal")
            .extend_from_slice(turn.uses);
        Ok(())
    }
}

/// Answers every request the same way and remembers it.
pub struct Network {
    pub sent: Mutex<Vec<HttpRequest>>,
    answer: Event,
}

impl Network {
    pub fn answering(answer: Event) -> Network {
        Network {
            sent: Mutex::default(),
            answer,
        }
    }
}

#[async_trait]
impl Transport for Network {
    async fn send(&self, _: &Flow, request: &HttpRequest) -> Event {
        self.sent.lock().expect("network").push(request.clone());
        self.answer.clone()
    }
}

/// `200 ok`.
pub fn ok() -> Event {
    Event::Response(HttpResponse {
        status: 200,
        headers: Vec::new(),
        body: b"ok".to_vec(),
    })
}

/// The line went dead after the request.
pub fn cut() -> Event {
    Event::NoResponse(TransportFault {
        kind: TransportKind::Reset,
        detail: "cut".to_owned(),
        maybe_arrived: true,
    })
}

/// The transport refused to send.
pub fn blocked() -> Event {
    Event::NoResponse(TransportFault {
        kind: TransportKind::Blocked,
        detail: "blocked".to_owned(),
        maybe_arrived: false,
    })
}

/// How a flow ended, with what can be counted.
pub struct Ended {
    pub outcome: Outcome,
    pub sent: Vec<HttpRequest>,
    pub turns: usize,
    pub signatures: u32,
    /// What was signed and refused.
    pub uses: Vec<Use>,
    /// Reasons of its pauses.
    pub reasons: Vec<String>,
    /// All pauses together, by the flow's clock.
    pub slept_ms: i64,
}

impl Ended {
    /// The failure; a success is none.
    pub fn failure(&self) -> (&str, bool) {
        match &self.outcome {
            Ok(_) => ("success", false),
            Err(failure) => (&failure.detail, failure.may_exist),
        }
    }
}

fn driver(stage: &Stage, journal: Arc<dyn Journal>, clock: Arc<AtomicI64>) -> Driver {
    Driver {
        runtime: stage.runtime.clone(),
        journal,
        now_ms: Arc::new(move || clock.load(Ordering::Relaxed)),
        computing: stage.computing.clone(),
        wait_divisor: 1,
    }
}

/// An engine with the places of those that compute on it.
#[derive(Clone)]
pub struct Stage {
    pub runtime: Arc<Runtime>,
    pub computing: Arc<Semaphore>,
}

impl Stage {
    pub fn new(limits: Limits) -> Stage {
        let computing = Arc::new(Semaphore::new(limits.computing));
        let runtime = Arc::new(Runtime::new(limits).expect("sandbox"));
        Stage { runtime, computing }
    }

    pub fn load(&self, mode: &str) -> Arc<Loaded> {
        let loaded = self
            .runtime
            .load(&component(mode), Some(&adapters::cache()));
        Arc::new(loaded.unwrap_or_else(|error| panic!("{mode}: {error}")))
    }
}

/// Runs one flow of a component of the common engine to its end.
pub async fn run(component: &Arc<Loaded>, answer: Event) -> Ended {
    let computing = Arc::new(Semaphore::new(runtime().limits().computing));
    let stage = Stage {
        runtime: runtime(),
        computing,
    };
    run_on(&stage, component, answer).await
}

/// Runs one flow to its end, as a hub would: taken up again from the journal
/// after each pause.
pub async fn run_on(stage: &Stage, component: &Arc<Loaded>, answer: Event) -> Ended {
    let journal = Arc::new(Memory::default());
    let clock = Arc::new(AtomicI64::new(0));
    let driver = driver(stage, journal.clone(), clock.clone());
    let network = Network::answering(answer);
    let customer = Arc::new(Signer::default());
    loop {
        let last = journal.lines.lock().expect("journal").last().cloned();
        match driver
            .run(flow(component, customer.clone(), last), &network)
            .await
        {
            End::Done(outcome) => {
                let lines = journal.lines.lock().expect("journal").clone();
                return Ended {
                    outcome,
                    sent: network.sent.lock().expect("network").clone(),
                    turns: lines.len(),
                    uses: journal.uses.lock().expect("journal").clone(),
                    signatures: customer.0.load(Ordering::Relaxed),
                    reasons: lines.iter().map(|line| line.reason.clone()).collect(),
                    slept_ms: clock.load(Ordering::Relaxed),
                };
            }
            End::Sleeping(wake_at_ms) => clock.store(wake_at_ms, Ordering::Relaxed),
            End::Fenced | End::Unavailable(_) => panic!("this journal never fails"),
        }
    }
}

fn flow(component: &Arc<Loaded>, customer: Arc<Signer>, last: Option<Line>) -> Flow {
    let begun = last.is_some();
    let last = last.unwrap_or(Line {
        step: 0,
        state: Vec::new(),
        reason: String::new(),
        acted: false,
    });
    Flow {
        id: "flw_1".to_owned(),
        account: "con_1".to_owned(),
        fence: 1,
        component: component.clone(),
        customer,
        operation: Operacao {
            nome: "emitir".to_owned(),
            conteudo: Conteudo {
                schema: "nfse.dps/1".to_owned(),
                json: "{}".to_owned(),
            },
        },
        context: context(),
        phase: if begun { Phase::Waiting } else { Phase::Start },
        step: if begun { last.step + 1 } else { 0 },
        state: last.state,
        request: None,
        wake_at_ms: 0,
        acted: last.acted,
        attachment: None,
    }
}

fn context() -> Context {
    Context {
        flow: "flw_1".to_owned(),
        step: 0,
        now: "2026-11-20T10:00:00-03:00".to_owned(),
        entropy: vec![7; 32],
        ambiente: Ambiente::Producao,
        municipio: None,
        uf: None,
        emitente: Emitente {
            documento: "11222333000181".to_owned(),
            inscricao_municipal: None,
            inscricao_estadual: None,
            razao_social: "Empresa de Teste Ltda".to_owned(),
            extras: Vec::new(),
        },
        endpoints: ["ws", "outra"].map(str::to_owned).to_vec(),
        options: Vec::new(),
        secrets: ["usuario", "senha", "token"].map(str::to_owned).to_vec(),
    }
}
