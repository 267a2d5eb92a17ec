//! Refuses calls while an authorizer has said that it is down, or a company was
//! told that it asks too often (cStat 656): such a call is refused before
//! anything is reserved.

use super::way::{Mode, Way};
use base::errors::{Code, Refusal};
use flow::contract::{Failure, FailureReason, TransportKind};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// cStat of too many requests: the authority counts by company.
pub const UNDUE_USE: &str = "656";
/// Code under which an adapter says that a front end refuses who calls (HTTP
/// 403), which may have passed the request on.
pub const ACCESS_REFUSED: &str = "403";
/// How long an authorizer that is down is left alone.
const DOWN_MS: i64 = 30_000;
/// Longest pause an authority can order: an hour is what cStat 656 costs.
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
                if says(&[UNDUE_USE]) {
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

/// Where notes are authorized on this way; None for a service note.
fn address(way: &Way) -> Option<&str> {
    way.endpoints.get("autorizacao").map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flow::contract::{Mensagem, TransportFault, Unavailable};
    use std::collections::{BTreeMap, BTreeSet};
    use store::ids::EmitterId;
    use store::words::Maybe;

    fn way(address: &str) -> Way {
        Way {
            mode: Mode::Official,
            endpoints: BTreeMap::from([("autorizacao".to_owned(), address.to_owned())]),
            hosts: BTreeSet::new(),
            emitter_id: EmitterId::default(),
            certificate_id: Maybe(None),
        }
    }

    fn failure(codigo: &str, may_exist: bool) -> Failure {
        let message = Mensagem {
            codigo: codigo.to_owned(),
            texto: String::new(),
            correcao: None,
            campo: None,
        };
        Failure {
            reason: FailureReason::Unavailable(Unavailable {
                retry_after_ms: (codigo == "656").then_some(3_600_000),
                mensagens: vec![message],
            }),
            may_exist,
            detail: String::new(),
            evidence: None,
        }
    }

    #[test]
    fn an_authorizer_that_is_down_is_left_alone_by_everybody_for_a_while() {
        let breaker = Breaker::default();
        breaker.learn(&way("a"), "1", &failure("108", false), 1_000);
        let refused = breaker.check(&way("a"), "2", 2_000).expect_err("closed");
        assert_eq!(
            (refused.code, refused.retry_after_s),
            (Code::SefazIndisponivel, Some(29))
        );
        assert!(breaker.check(&way("b"), "2", 2_000).is_ok());
        assert!(breaker.check(&way("a"), "2", 31_000).is_ok());
    }

    #[test]
    fn a_company_that_asked_too_much_waits_alone() {
        let breaker = Breaker::default();
        breaker.learn(&way("a"), "1", &failure("656", false), 0);
        let refused = breaker.check(&way("a"), "1", 60_000).expect_err("closed");
        assert_eq!(refused.code, Code::ConsumoIndevidoBloqueado);
        assert!(breaker.check(&way("a"), "2", 60_000).is_ok());
        assert!(breaker.check(&way("a"), "1", 3_600_000).is_ok());
    }

    #[test]
    fn one_company_s_certificate_closes_nothing_for_the_others() {
        for (kind, closes) in [
            (TransportKind::Connect, true),
            (TransportKind::Dns, true),
            (TransportKind::Timeout, true),
            (TransportKind::Tls, false),
            (TransportKind::ClientCertificateRefused, false),
            (TransportKind::Blocked, false),
        ] {
            let breaker = Breaker::default();
            let fault = TransportFault {
                kind,
                detail: String::new(),
                maybe_arrived: false,
            };
            let failure = Failure {
                reason: FailureReason::Transport(fault),
                ..failure("", false)
            };
            breaker.learn(&way("a"), "1", &failure, 0);
            assert_eq!(breaker.check(&way("a"), "2", 1).is_err(), closes);
        }
    }

    #[test]
    fn a_throttled_call_closes_nothing() {
        let breaker = Breaker::default();
        breaker.learn(&way("a"), "1", &failure("429", false), 0);
        assert!(breaker.check(&way("a"), "1", 1).is_ok());
    }

    #[test]
    fn what_may_exist_closes_nothing() {
        let breaker = Breaker::default();
        breaker.learn(&way("a"), "1", &failure("108", true), 0);
        assert!(breaker.check(&way("a"), "1", 1).is_ok());
    }
}
