//! The handle: takes a request, applies the ordered faults, lets the right
//! authority process it.

mod control;
mod state;
mod system;

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tokio::sync::watch;

use crate::clock::{Clock, DAY_MS};
use crate::engine::faults::{self, Fault, FaultKind, MAX_DELAY_MS, MAX_FAULTS, Peek};
use crate::engine::{Call, Memory as _, Outcome};
use crate::nfse::learned::Cities;
use crate::notes::{Event, Nota, Notes, Status};
use crate::pki::{A1Request, Pair, Pki, PkiError};
use crate::provider::{chatapp, psp};
use crate::request::{Answer, SimAnswer, SimRequest};
use crate::sefaz::{self, DepositOrder, Voiding};
use state::{Memories, State};
use system::System;

/// Largest request body, bytes.
pub const MAX_BODY: usize = 8 * 1024 * 1024;
/// Days a note can be cancelled or replaced unless `set_cancel_days` changes it.
const CANCEL_DAYS: i64 = 30;

/// What a simulator needs.
#[derive(Clone)]
pub struct SimConfig {
    /// Decides everything that looks random: the same seed, requests and times
    /// give the same answers.
    pub seed: u64,
    /// Clock of the authorities.
    pub now: Clock,
    /// Chain that client and signature certificates must come from, and whose
    /// authority signs what is issued.
    pub pki: Pki,
    /// File (SQLite) that keeps everything over a restart; None: it is kept in
    /// memory. A journal of an earlier version, which has the same name but
    /// ends with `.jsonl`, is taken over when the file is opened.
    pub file: Option<PathBuf>,
    /// Cities that are known by their cases.
    pub cities: Cities,
}

/// The simulated authorities. Clones share one state.
#[derive(Clone)]
pub struct Sim(Arc<Shared>);

struct Shared {
    config: SimConfig,
    state: Mutex<State>,
    orders: Mutex<Orders>,
    /// Certificates of simulated suppliers by CNPJ.
    suppliers: Mutex<BTreeMap<String, Pair>>,
}

struct Orders {
    faults: Vec<Fault>,
    /// Tells answers that a fault keeps waiting that all faults were withdrawn.
    withdrawn: watch::Sender<()>,
    cancel_days: i64,
    cancel_hours: Option<i64>,
    batch_ms: Option<i64>,
    /// Where the PSP's callbacks go.
    notice: Option<psp::Target>,
}

/// The orders a call looks at.
struct Terms {
    cancel_days: i64,
    cancel_hours: Option<i64>,
    queue_ms: Option<i64>,
    batch_ms: Option<i64>,
}

impl Terms {
    const USUAL: Self = Self {
        cancel_days: CANCEL_DAYS,
        cancel_hours: None,
        queue_ms: None,
        batch_ms: None,
    };
}

/// A note as `overview` lists it.
#[derive(Debug, Clone, Serialize)]
pub struct NotaSummary {
    /// `nacional` or the profile of the city.
    pub sistema: String,
    /// Environment or host name.
    pub local: String,
    /// CNPJ or CPF of the provider.
    pub prestador: String,
    /// DPS id or `serie/numero/tipo` of the RPS.
    pub chave_natural: String,
    /// Number of the note.
    pub numero: u64,
    /// Access key or verification code.
    pub chave: Option<String>,
    /// What it is now.
    pub situacao: Status,
    /// When it was issued, epoch milliseconds.
    pub emitida_ms: i64,
    /// False while it waits in a queue.
    pub disponivel: bool,
}

/// Everything a test looks at.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Overview {
    /// Requests that arrived: system, operation, count.
    pub recebidas: BTreeMap<String, BTreeMap<String, u64>>,
    /// Notes issued for a natural key (`sistema|local|prestador|chave`): 1, never more.
    pub processadas: BTreeMap<String, u64>,
    /// Documents that reached the rules, issued or refused: how often for each natural key.
    pub tentativas: BTreeMap<String, u64>,
    /// The notes in order of issue.
    pub notas: Vec<NotaSummary>,
    /// The events: key of the note, type, sequence.
    pub eventos: Vec<(String, String, u32)>,
    /// Batches taken.
    pub lotes: u64,
    /// Voided ranges of NF-e and NFC-e.
    pub inutilizacoes: Vec<Voiding>,
    /// Counters of NF-e and NFC-e.
    pub sefaz: Counts,
    /// Charges of the payment service provider.
    pub cobrancas: Vec<psp::Charge>,
    /// Ordered faults with their counters.
    pub falhas: Vec<Fault>,
}

/// How much of NF-e and NFC-e there is.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Counts {
    /// Authorized notes, those of simulated suppliers too.
    pub notas: u64,
    /// Registered events.
    pub eventos: u64,
    /// Voided ranges.
    pub inutilizacoes: u64,
    /// Receipts given for batches.
    pub recibos: u64,
    /// Documents handed out by the distribution.
    pub distribuidos: u64,
}

/// Most notes, events, charges and voided ranges that an overview lists.
pub const LISTED: i64 = 10_000;
/// Most suppliers with a certificate of their own.
const MAX_SUPPLIERS: usize = 100;

impl Sim {
    /// Nothing is opened yet: [`Sim::open`], or else the first request, does it.
    pub fn new(config: SimConfig) -> Self {
        Self(Arc::new(Shared {
            config,
            state: Mutex::default(),
            orders: Mutex::new(Orders {
                faults: Vec::new(),
                withdrawn: watch::Sender::default(),
                cancel_days: CANCEL_DAYS,
                cancel_hours: None,
                batch_ms: None,
                notice: None,
            }),
            suppliers: Mutex::new(BTreeMap::new()),
        }))
    }

    /// Opens the file, unless it is open.
    ///
    /// # Errors
    /// The file cannot be opened, or a journal not taken over.
    pub fn open(&self) -> io::Result<()> {
        let mut state = self.state();
        state.store(self.0.config.file.as_deref()).map(|_open| ())
    }

    /// Answers one request. Paths under `/__sim/` are the control calls.
    pub async fn handle(&self, req: SimRequest) -> SimAnswer {
        if req.body.len() > MAX_BODY {
            return Answer::new(413, "text/plain", "").into();
        }
        if req.plain_path().starts_with(control::PREFIX) {
            let answer = control::answer(self, &req).await;
            return self.read().map_or_else(unreadable, |()| answer).into();
        }
        let host = req.authority();
        let system = System::of(&req, &host, &self.0.config.cities);
        let peek = system.peek(&req, &host);
        self.state().count(system.name(), peek.operation);
        let fault = self.fault(&peek);
        match fault {
            None => self.process(&system, &req, None).answer.into(),
            Some((fault, withdrawn)) => {
                if fault.falha == FaultKind::Lento {
                    delayed(delay_ms(&fault), withdrawn).await;
                }
                self.with_fault(&system, &req, &fault)
            }
        }
    }

    /// The fault that applies, and what tells that all were withdrawn.
    fn fault(&self, peek: &Peek) -> Option<(Fault, watch::Receiver<()>)> {
        let mut orders = self.orders();
        let fault = faults::take(&mut orders.faults, peek)?;
        Some((fault, orders.withdrawn.subscribe()))
    }

    fn with_fault(&self, system: &System, req: &SimRequest, fault: &Fault) -> SimAnswer {
        let ms = delay_ms(fault);
        let queue = (fault.falha == FaultKind::Fila).then_some(i64::try_from(ms).unwrap_or(0));
        let processed = fault
            .processar
            .unwrap_or(fault.falha.processes())
            .then(|| self.process(system, req, queue));
        let code = |default: &'static str| fault.codigo.clone().unwrap_or(default.to_owned());
        let text = fault.mensagem.as_deref();
        match (fault.falha, processed) {
            (FaultKind::CortarAntes | FaultKind::CortarDepois, None) => SimAnswer::CutBefore,
            (FaultKind::CortarAntes | FaultKind::CortarDepois, Some(_)) => SimAnswer::CutAfter,
            (FaultKind::Lento, Some(outcome)) => outcome.answer.into(),
            (FaultKind::Lento, None) => gateway(504).into(),
            (FaultKind::Erro500, _) => self.answer(req, |call, own| system.internal_error(call, own)).into(),
            (FaultKind::Html, _) => Answer::new(
                503,
                "text/html; charset=utf-8",
                "<!DOCTYPE html><html><head><title>Manutenção</title></head><body><h1>Serviço em manutenção</h1></body></html>",
            )
            .into(),
            (FaultKind::AcessoNegado, _) => sefaz::forbidden("Access is denied.").into(),
            (FaultKind::XmlPelaMetade, outcome) => {
                let mut answer = outcome.map_or_else(|| gateway(200), |o| o.answer);
                answer.body.truncate(answer.body.len() / 2);
                answer.into()
            }
            (FaultKind::JsonEstranho5xx, _) => gateway(502).into(),
            (FaultKind::Duplicada, Some(Outcome { if_duplicate: Some(answer), .. })) => answer.into(),
            (FaultKind::Duplicada, Some(outcome)) => outcome.answer.into(),
            (FaultKind::Duplicada, None) => {
                let default = system.default_codes().0;
                self.answer(req, |call, own| {
                    system.refuse(call, own, &code(default), text)
                }).into()
            }
            (FaultKind::Fila, Some(outcome)) if outcome.tells_queue || outcome.if_duplicate.is_none() => {
                outcome.answer.into()
            }
            // A synchronous service behind a queue: its front end gives up waiting.
            (FaultKind::Fila, _) => gateway(504).into(),
            (FaultKind::Recusar, _) => {
                let default = system.default_codes().1;
                self.answer(req, |call, own| {
                    system.refuse(call, own, &code(default), text)
                }).into()
            }
            (FaultKind::Pausado | FaultKind::ConsumoIndevido, _) if matches!(system, System::Sefaz(_)) => {
                let default = if fault.falha == FaultKind::Pausado { "108" } else { system.undue_use() };
                self.answer(req, |call, own| {
                    system.refuse(call, own, &code(default), text)
                }).into()
            }
            (FaultKind::Pausado, _) => gateway(503).into(),
            (FaultKind::LimiteRequisicoes | FaultKind::ConsumoIndevido, _) => {
                let mut answer = Answer::json(429, &serde_json::json!({"message": "Too many requests"}));
                answer.headers.push(("retry-after".to_owned(), "1".to_owned()));
                answer.into()
            }
            (FaultKind::CertificadoVencido, _) => self.answer(req, |call, own| system.expired(call, own)).into(),
            (FaultKind::Lixo, _) => {
                Answer::new(200, "application/octet-stream", vec![0x00, 0xff, 0xfe, 0x3c, 0x80, 0x7b, 0x0a, 0xc3]).into()
            }
        }
    }

    fn process(&self, system: &System, req: &SimRequest, queue_ms: Option<i64>) -> Outcome {
        let terms = {
            let orders = self.orders();
            Terms {
                cancel_days: orders.cancel_days,
                cancel_hours: orders.cancel_hours,
                queue_ms,
                batch_ms: orders.batch_ms,
            }
        };
        self.in_call(req, terms, |call, own| system.process(call, own))
            .unwrap_or_else(|error| unreadable(error).into())
    }

    /// An answer that a fault orders.
    fn answer(
        &self,
        req: &SimRequest,
        f: impl FnOnce(Call<'_>, &mut Memories) -> Answer,
    ) -> Answer {
        self.in_call(req, Terms::USUAL, f)
            .unwrap_or_else(unreadable)
    }

    /// Lets an authority do something, all of it or nothing.
    fn in_call<T>(
        &self,
        req: &SimRequest,
        terms: Terms,
        f: impl FnOnce(Call<'_>, &mut Memories) -> T,
    ) -> io::Result<T> {
        let now_ms = (self.0.config.now)();
        let mut state = self.state();
        state.store(self.0.config.file.as_deref())?;
        let State {
            store: Some(store),
            attempts,
            memories,
            ..
        } = &mut *state
        else {
            return Err(io::ErrorKind::NotConnected.into());
        };
        store.begin()?;
        let call = Call {
            req,
            notes: Notes::new(store, attempts),
            memory: &mut (),
            pki: &self.0.config.pki,
            seed: self.0.config.seed,
            now_ms,
            cancel_days: terms.cancel_days,
            cancel_hours: terms.cancel_hours,
            queue_ms: terms.queue_ms,
            batch_ms: terms.batch_ms,
        };
        let done = f(call, memories);
        store.end()?;
        Ok(done)
    }

    /// Does something as an authority that was not asked by a request.
    fn unasked<T>(&self, f: impl FnOnce(Call<'_>, &mut Memories) -> T) -> io::Result<T> {
        self.in_call(&SimRequest::default(), Terms::USUAL, f)
    }

    /// The same where only a sentence is told of what went wrong.
    fn ordered<T>(
        &self,
        f: impl FnOnce(Call<'_>, &mut Memories) -> Result<T, String>,
    ) -> Result<T, String> {
        self.unasked(f).unwrap_or_else(|error| {
            tracing::error!(%error, "the simulator's file");
            Err("arquivo do simulador".to_owned())
        })
    }

    /// Reads what is kept; nothing where it cannot be read, which [`Sim::read`]
    /// tells.
    fn look<T: Default>(&self, read: impl FnOnce(Call<'_>, &mut Memories) -> T) -> T {
        self.unasked(read).unwrap_or_else(|error| {
            tracing::error!(%error, "the simulator's file");
            self.state().unread = Some(error);
            T::default()
        })
    }

    /// Whether all that was looked at since the last time could be read.
    fn read(&self) -> io::Result<()> {
        self.state().unread.take().map_or(Ok(()), Err)
    }

    /// Notes of a simulated supplier against a company: for its distribution.
    ///
    /// # Errors
    /// With a sentence for the person who ordered it.
    pub fn deposit(&self, order: &DepositOrder) -> Result<Vec<String>, String> {
        let signer = self.supplier(order.supplier()).map_err(|e| e.to_string())?;
        self.ordered(|call, own| sefaz::deposit(&mut call.with(&mut own.sefaz), order, &signer))
    }

    /// The supplier cancels a note that was deposited.
    ///
    /// # Errors
    /// With a sentence for the person who ordered it.
    pub fn cancel_deposit(&self, chave: &str) -> Result<(), String> {
        let issuer = self
            .look(|call, _| call.notes.note_by_key(chave))
            .map(|n| n.prestador)
            .ok_or("chave: nota desconhecida")?;
        let signer = self.supplier(&issuer).map_err(|e| e.to_string())?;
        self.ordered(|call, own| {
            sefaz::cancelar_deposito(&mut call.with(&mut own.sefaz), chave, &signer)
        })
    }

    /// Certificate of a supplier; made when it is first needed.
    fn supplier(&self, cnpj: &str) -> Result<Pair, PkiError> {
        let mut suppliers = self
            .0
            .suppliers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(pair) = suppliers.get(cnpj) {
            return Ok(pair.clone());
        }
        let now = self.now_ms();
        let pair = self.pki().issue_a1(A1Request {
            document: cnpj.to_owned(),
            name: "FORNECEDOR SIMULADO LTDA".to_owned(),
            valid_from_ms: now.saturating_sub(DAY_MS),
            valid_until_ms: now.saturating_add(365 * DAY_MS),
        })?;
        let pair = Pair::read(&pair)?;
        if suppliers.len() >= MAX_SUPPLIERS {
            suppliers.clear();
        }
        suppliers.insert(cnpj.to_owned(), pair.clone());
        Ok(pair)
    }

    /// Security code (CSC) of a company's NFC-e. From then on version 2 of
    /// its QR codes is checked; before that any hash is taken.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn set_csc(&self, ambiente: &str, cnpj: &str, id: &str, csc: &str) -> io::Result<()> {
        let record = sefaz::Record::Csc {
            ambiente: ambiente.to_owned(),
            cnpj: cnpj.to_owned(),
            id: id.trim_start_matches('0').to_owned(),
            csc: csc.to_owned(),
        };
        self.unasked(|call, _| sefaz::NoteMemory::apply(call.store(), record))
    }

    /// Sets the next NSU of a party and forgives its use of the distribution.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn set_nsu(&self, ambiente: &str, document: &str, next: Option<u64>) -> io::Result<()> {
        self.unasked(|call, own| {
            if let Some(number) = next {
                let record = sefaz::Record::Nsu {
                    ambiente: ambiente.to_owned(),
                    documento: document.to_owned(),
                    proximo: number,
                };
                sefaz::NoteMemory::apply(call.store(), record);
            }
            own.sefaz.forgive(ambiente, document);
        })
    }

    /// Where the PSP's callbacks go and what they are signed with, as the
    /// dashboard of a real one keeps it. Only `http://`.
    pub fn set_aviso(&self, url: &str, secret: &str) {
        self.orders().notice = Some(psp::Target {
            url: url.to_owned(),
            secret: secret.to_owned(),
        });
    }

    /// Somebody pays a charge, all of it or another amount; with `notify` the
    /// hub is told. The hub's status, when it was told.
    ///
    /// # Errors
    /// With a sentence for the person who ordered it.
    pub async fn pay(
        &self,
        purchase: &str,
        cents: Option<i64>,
        notify: bool,
    ) -> Result<Option<u16>, String> {
        let paid =
            self.ordered(|call, own| psp::pay(&mut call.with(&mut own.psp), purchase, cents))?;
        if !notify {
            return Ok(None);
        }
        self.notify(&psp::notice(&paid)).await
    }

    /// Sends a callback with this body, signed; None where nobody wants one.
    ///
    /// # Errors
    /// The hub did not answer.
    pub async fn notify(&self, body: &str) -> Result<Option<u16>, String> {
        let Some(target) = self.orders().notice.clone() else {
            return Ok(None);
        };
        let sent = psp::send(&target, &self.0.config.now, body.to_owned()).await;
        sent.map(Some)
    }

    /// A charge nobody may pay any more.
    ///
    /// # Errors
    /// With a sentence for the person who ordered it.
    pub fn expire(&self, purchase: &str) -> Result<(), String> {
        self.ordered(|call, own| psp::expire(&mut call.with(&mut own.psp), purchase))
            .map(|_| ())
    }

    /// The messages the messaging app took, by the sender's id.
    pub fn recados(&self) -> Vec<chatapp::Recado> {
        self.look(|call, _| chatapp::all(call.store()))
    }

    /// A charge of the PSP, by the purchase it was made for.
    pub fn charge(&self, purchase: &str) -> Option<psp::Charge> {
        self.look(|call, _| psp::charge(call.store(), purchase))
    }

    /// An NF-e or NFC-e with its protocol (`nfeProc`), by its key.
    pub fn nfe_proc(&self, chave: &str) -> Option<String> {
        self.look(|call, _| call.notes.note_by_key(chave))
            .as_ref()
            .and_then(sefaz::proc_of)
    }

    /// Orders a fault; false when there are too many already.
    pub fn add_fault(&self, fault: Fault) -> bool {
        let mut orders = self.orders();
        if orders.faults.len() >= MAX_FAULTS {
            return false;
        }
        orders.faults.push(fault);
        true
    }

    /// Withdraws all faults. What [`FaultKind::Lento`] keeps waiting is answered now.
    pub fn clear_faults(&self) {
        let mut orders = self.orders();
        orders.faults.clear();
        orders.withdrawn.send_replace(());
    }

    /// Ordered faults with their counters.
    pub fn faults(&self) -> Vec<Fault> {
        self.orders().faults.clone()
    }

    /// Days after issue in which a note can be cancelled or replaced.
    pub fn set_cancel_days(&self, days: i64) {
        self.orders().cancel_days = days.max(0);
    }

    /// Hours after authorization in which an NF-e or NFC-e can be cancelled;
    /// `None`: what its state allows.
    pub fn set_cancel_hours(&self, hours: Option<i64>) {
        self.orders().cancel_hours = hours.map(|h| h.max(0));
    }

    /// Milliseconds after which an asynchronous batch of NFS-e is ready; `None`: what
    /// its system takes.
    pub fn set_batch_ms(&self, ms: Option<i64>) {
        self.orders().batch_ms = ms.map(|ms| ms.max(0));
    }

    /// Requests that arrived, all systems and operations together.
    pub fn received(&self) -> u64 {
        self.state()
            .received
            .values()
            .flat_map(|ops| ops.values())
            .sum()
    }

    /// The notes in order of issue.
    pub fn notas(&self) -> Vec<Nota> {
        self.look(|call, _| call.notes.newest(i64::MAX))
    }

    /// The registered events.
    pub fn events(&self) -> Vec<Event> {
        self.look(|call, _| call.notes.newest_events(i64::MAX))
    }

    /// Everything at once; of what is listed the newest [`LISTED`].
    pub fn overview(&self) -> Overview {
        let faults = self.faults();
        let received = self.state().received.clone();
        let shown = self.look(|call, own| Some(listed(&call, own)));
        Overview {
            recebidas: received,
            falhas: faults,
            ..shown.unwrap_or_default()
        }
    }

    /// The cities that are known by their cases.
    pub fn cities(&self) -> &Cities {
        &self.0.config.cities
    }

    /// The chain this simulator trusts and signs with.
    pub fn pki(&self) -> &Pki {
        &self.0.config.pki
    }

    /// The authorities' clock, epoch milliseconds.
    pub fn now_ms(&self) -> i64 {
        (self.0.config.now)()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn orders(&self) -> MutexGuard<'_, Orders> {
        self.0.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What an overview has of what is kept.
fn listed(call: &Call<'_>, own: &Memories) -> Overview {
    let (notes, store) = (&call.notes, call.store());
    let notas = notes.newest_heads(LISTED);
    let mut processed = BTreeMap::new();
    for nota in &notas {
        *processed.entry(nota.id()).or_default() += 1;
    }
    let summary = |n: Nota| NotaSummary {
        disponivel: n.disponivel_ms <= call.now_ms,
        sistema: n.sistema,
        local: n.local,
        prestador: n.prestador,
        chave_natural: n.chave_natural,
        numero: n.numero,
        chave: n.chave.or(n.codigo_verificacao),
        situacao: n.situacao,
        emitida_ms: n.emitida_ms,
    };
    let events = notes.newest_events(LISTED).into_iter();
    Overview {
        processadas: processed,
        tentativas: notes.attempts(),
        notas: notas.into_iter().map(summary).collect(),
        eventos: events.map(|e| (e.chave, e.tipo, e.sequencia)).collect(),
        lotes: notes.batches(),
        inutilizacoes: sefaz::newest_voidings(store, LISTED),
        sefaz: Counts {
            notas: sefaz::notes(store),
            eventos: sefaz::events(store),
            inutilizacoes: sefaz::voidings(store),
            recibos: sefaz::receipts(store),
            distribuidos: own.sefaz.distributed,
        },
        cobrancas: psp::newest(store, LISTED),
        ..Overview::default()
    }
}

/// The file cannot be read or written: an internal error of the authority, and
/// nothing was done.
fn unreadable(error: io::Error) -> Answer {
    tracing::error!(%error, "the simulator's file");
    Answer::new(500, "text/plain", "")
}

/// What a proxy in front of the authority says by itself.
fn gateway(status: u16) -> Answer {
    Answer::json(
        status,
        &serde_json::json!({"message": "An invalid response was received from the upstream server", "request_id": "0"}),
    )
}

/// How long a fault takes.
fn delay_ms(fault: &Fault) -> u64 {
    fault.ms.unwrap_or(1_000).min(MAX_DELAY_MS)
}

/// Waits for a time, or until all faults are withdrawn.
async fn delayed(ms: u64, mut withdrawn: watch::Receiver<()>) {
    // Either end will do.
    drop(tokio::time::timeout(Duration::from_millis(ms), withdrawn.changed()).await);
}
