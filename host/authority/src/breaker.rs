//! Refuses calls while an authorizer has said that it is down, or a company was
//! told that it asks too often (cStat 656, 678 of CT-e and MDF-e): such a call
//! is refused before anything is reserved.

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

/// cStat of a service that is paused, for a while or nobody says how long.
const PARALYZED: [&str; 2] = ["108", "109"];

/// Kind of transport and address of the authorizer and, where only one company
/// must wait, its CNPJ.
type Who = (Mode, String, String);

/// Who must not be asked, and until when (epoch milliseconds).
#[derive(Default)]
pub struct Breaker(Mutex<HashMap<Who, i64>>);

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
            let until_ms = kept.get(&(way.mode, address.to_owned(), company.to_owned()));
            if let Some(left) = until_ms.map(|until_ms| until_ms - now_ms)
                && left > 0
            {
                let seconds = u64::try_from(left).unwrap_or(0).div_ceil(1_000);
                return Err(Box::new(Refusal::new(code).retry_after(seconds)));
            }
        }
        Ok(())
    }

    /// How many authorizers are left alone, and how many companies must wait.
    pub fn open(&self, now_ms: i64) -> (usize, usize) {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let open = kept.iter().filter(|(_, until_ms)| **until_ms > now_ms);
        open.fold((0, 0), |(authorizers, companies), ((_, _, company), _)| {
            if company.is_empty() {
                (authorizers + 1, companies)
            } else {
                (authorizers, companies + 1)
            }
        })
    }

    /// Learns from a flow that ended without a document.
    pub fn learn(&self, way: &Way, cnpj: &str, failure: &Failure, now_ms: i64) {
        let Some(address) = address(way).filter(|_| !failure.may_exist) else {
            return;
        };
        let (company, pause_ms) = match &failure.reason {
            // Only what is the authority's own fault: a company's certificate
            // that is refused must not close it to the others.
            FailureReason::Transport(fault)
                if matches!(
                    fault.kind,
                    TransportKind::Dns | TransportKind::Connect | TransportKind::Timeout
                ) =>
            {
                ("", DOWN_MS)
            }
            FailureReason::Unavailable(unavailable) => {
                let asked = unavailable
                    .retry_after_ms
                    .and_then(|ms| i64::try_from(ms).ok());
                let says = |codes: &[&str]| {
                    let mut messages = unavailable.mensagens.iter();
                    messages.any(|message| codes.contains(&message.codigo.as_str()))
                };
                if says(&[UNDUE_USE, UNDUE_USE_OF_FREIGHT]) {
                    (cnpj, asked.unwrap_or(AT_MOST_MS).min(AT_MOST_MS))
                } else if says(&PARALYZED) {
                    ("", DOWN_MS)
                } else {
                    return;
                }
            }
            _ => return,
        };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|_, until_ms| *until_ms > now_ms);
        if kept.len() < KEPT {
            let who = (way.mode, address.to_owned(), company.to_owned());
            kept.insert(who, now_ms + pause_ms);
        }
    }
}

/// Whether this cStat of a service that is not available says that the company
/// asked too often.
pub fn is_undue_use(code: &str) -> bool {
    [UNDUE_USE, UNDUE_USE_OF_FREIGHT].contains(&code)
}

/// Where notes are authorized on this way; None for a service note.
fn address(way: &Way) -> Option<&str> {
    way.endpoints.get("autorizacao").map(String::as_str)
}
