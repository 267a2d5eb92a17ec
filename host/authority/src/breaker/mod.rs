//! Refuses calls while an authorizer has said that it is down, or a company was
//! told that it asks too often (cStat 656, 678 of CT-e and MDF-e): such a call
//! is refused before anything is reserved.

mod authorizers;

pub use authorizers::{Authorizer, all};

use super::way::{Mode, Way};
use base::errors::{Code, Refusal};
use flow::contract::{Failure, FailureReason, TransportKind};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// cStat of too many requests at the services of the NF-e: the authority counts
/// by company.
pub const UNDUE_USE: &str = "656";
/// The same at the services of CT-e and MDF-e. Other documents have another
/// meaning for it, which adapters report as a refusal.
const UNDUE_USE_OF_FREIGHT: &str = "678";
/// Code under which an adapter says that a front end refuses who calls (HTTP
/// 403), which may have passed the request on.
pub const ACCESS_REFUSED: &str = "403";
/// How long an authorizer that is down is left alone.
const DOWN_MS: i64 = 30_000;
/// Longest pause an authority can order: an hour is what undue use costs.
const AT_MOST_MS: i64 = 3_900_000;
/// Pauses kept: authorizers, and companies that were told to wait.
const KEPT: usize = 10_000;
/// A pause that begins so long after another one of the same authorizer goes on with it:
/// a breaker closes after each pause, and opens again with the next failure.
const GOES_ON_MS: i64 = 120_000;

/// cStat of a service that is paused, for a while or nobody says how long.
const PARALYZED: [&str; 2] = ["108", "109"];

/// Kind of transport and address of the authorizer and, where only one company
/// must wait, its CNPJ.
type Who = (Mode, String, String);

/// Why somebody is not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Its name is not found.
    Dns,
    /// Nobody listens there, or no connection comes about.
    Connect,
    /// It does not answer in time.
    Timeout,
    /// It says that its service is paused (cStat 108, 109).
    Paused,
    /// It says that the company asks too often.
    UndueUse,
}

/// What is known of a pause.
#[derive(Clone, Copy)]
struct Kept {
    since_ms: i64,
    until_ms: i64,
    failures: u32,
    why: Why,
}

impl Kept {
    /// How long it still lasts, in milliseconds; negative when it is over. None: longer than
    /// a pause can, because the clock was set back since; it counts no more. A caller may
    /// have looked at the clock a while ago.
    fn left_ms(&self, now_ms: i64) -> Option<i64> {
        let longest_ms = if self.why == Why::UndueUse {
            AT_MOST_MS
        } else {
            DOWN_MS
        };
        let left_ms = self.until_ms - now_ms;
        (left_ms <= 2 * longest_ms).then_some(left_ms)
    }

    fn is_open(&self, now_ms: i64) -> bool {
        self.left_ms(now_ms).is_some_and(|left_ms| left_ms > 0)
    }
}

/// An authorizer that is left alone, or a company that must wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pause {
    pub mode: Mode,
    /// Where notes are authorized.
    pub address: String,
    /// CNPJ of the company; empty: nobody asks the authorizer.
    pub company: String,
    /// When it began, epoch milliseconds. Pauses that follow one another are one.
    pub since_ms: i64,
    /// When it is asked again.
    pub until_ms: i64,
    /// Failures since it began.
    pub failures: u32,
    pub why: Why,
}

/// Who must not be asked, and until when.
#[derive(Default)]
pub struct Breaker(Mutex<HashMap<Who, Kept>>);

impl Breaker {
    /// Refuses while an authorizer is down or the company must wait.
    ///
    /// # Errors
    /// 503 `sefaz_indisponivel`, or 423 `consumo_indevido_bloqueado`.
    pub fn check(&self, way: &Way, cnpj: &str, now_ms: i64) -> Result<(), Box<Refusal>> {
        let Some(address) = address(way) else {
            return Ok(());
        };
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (company, code) in [
            (cnpj, Code::ConsumoIndevidoBloqueado),
            ("", Code::SefazIndisponivel),
        ] {
            let pause = kept.get(&(way.mode, address.to_owned(), company.to_owned()));
            if let Some(left_ms) = pause.and_then(|pause| pause.left_ms(now_ms))
                && left_ms > 0
            {
                let seconds = u64::try_from(left_ms).unwrap_or(0).div_ceil(1_000);
                return Err(Box::new(Refusal::new(code).retry_after(seconds)));
            }
        }
        Ok(())
    }

    /// Until when the authorizer at an address is left alone (epoch milliseconds);
    /// None: calls go to it.
    pub fn down_until(&self, mode: Mode, address: &str, now_ms: i64) -> Option<i64> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let pause = kept.get(&(mode, address.to_owned(), String::new()))?;
        pause.is_open(now_ms).then_some(pause.until_ms)
    }

    /// How many authorizers are left alone, and how many companies must wait.
    pub fn open(&self, now_ms: i64) -> (usize, usize) {
        let pauses = self.pauses(now_ms).into_iter();
        pauses.fold((0, 0), |(authorizers, companies), pause| {
            if pause.company.is_empty() {
                (authorizers + 1, companies)
            } else {
                (authorizers, companies + 1)
            }
        })
    }

    /// Who is left alone or must wait now, who has waited longest first.
    pub fn pauses(&self, now_ms: i64) -> Vec<Pause> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let open = kept.iter().filter(|(_, pause)| pause.is_open(now_ms));
        let mut open: Vec<Pause> = open
            .map(|((mode, address, company), pause)| Pause {
                mode: *mode,
                address: address.clone(),
                company: company.clone(),
                since_ms: pause.since_ms,
                until_ms: pause.until_ms,
                failures: pause.failures,
                why: pause.why,
            })
            .collect();
        open.sort_by(|a, b| (a.since_ms, &a.address).cmp(&(b.since_ms, &b.address)));
        open
    }

    /// Ends the pause of an authorizer: the next call asks it. False: there was none.
    pub fn close(&self, mode: Mode, address: &str, now_ms: i64) -> bool {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = kept.remove(&(mode, address.to_owned(), String::new()));
        ended.is_some_and(|pause| pause.is_open(now_ms))
    }

    /// Learns from a flow that ended without a document.
    pub fn learn(&self, way: &Way, cnpj: &str, failure: &Failure, now_ms: i64) {
        let Some(address) = address(way).filter(|_| !failure.may_exist) else {
            return;
        };
        let (company, pause_ms, why) = match &failure.reason {
            // Only what is the authority's own fault: a company's certificate
            // that is refused must not close it to the others.
            FailureReason::Transport(fault) => match fault.kind {
                TransportKind::Dns => ("", DOWN_MS, Why::Dns),
                TransportKind::Connect => ("", DOWN_MS, Why::Connect),
                TransportKind::Timeout => ("", DOWN_MS, Why::Timeout),
                _ => return,
            },
            FailureReason::Unavailable(unavailable) => {
                let asked = unavailable
                    .retry_after_ms
                    .and_then(|ms| i64::try_from(ms).ok());
                let says = |codes: &[&str]| {
                    let mut messages = unavailable.mensagens.iter();
                    messages.any(|message| codes.contains(&message.codigo.as_str()))
                };
                if says(&[UNDUE_USE, UNDUE_USE_OF_FREIGHT]) {
                    let pause_ms = asked.unwrap_or(AT_MOST_MS).min(AT_MOST_MS);
                    (cnpj, pause_ms, Why::UndueUse)
                } else if says(&PARALYZED) {
                    ("", DOWN_MS, Why::Paused)
                } else {
                    return;
                }
            }
            _ => return,
        };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|_, pause| {
            let left_ms = pause.left_ms(now_ms);
            left_ms.is_some_and(|left_ms| left_ms > -GOES_ON_MS)
        });
        let who = (way.mode, address.to_owned(), company.to_owned());
        let before = kept.get(&who).copied();
        if before.is_some() || kept.len() < KEPT {
            let pause = Kept {
                since_ms: before.map_or(now_ms, |before| before.since_ms),
                until_ms: now_ms + pause_ms,
                failures: before.map_or(0, |before| before.failures).saturating_add(1),
                why,
            };
            kept.insert(who, pause);
        }
    }
}

/// Whether this cStat of a service that is not available says that the company
/// asked too often.
pub fn is_undue_use(code: &str) -> bool {
    [UNDUE_USE, UNDUE_USE_OF_FREIGHT].contains(&code)
}

/// The endpoint where notes are authorized.
const AUTHORIZES: &str = "autorizacao";

/// Where notes are authorized on this way; None for a service note.
fn address(way: &Way) -> Option<&str> {
    way.endpoints.get(AUTHORIZES).map(String::as_str)
}
