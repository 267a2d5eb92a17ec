//! What a cStat means when it is not the answer hoped for.

use super::{Answer, text};
use crate::family::Family;
use sdk::xml::Element;
use sdk::{Failure, FailureReason, Mensagem, Unavailable};

/// Block of a CNPJ after abusive use: one hour.
const UNDUE_USE_MS: u64 = 3_600_000;
/// 108: back soon. 109: nobody says when.
const DOWN_MS: u64 = 60_000;
const DOWN_WITHOUT_FORECAST_MS: u64 = 600_000;

/// cStat and xMotivo of some element of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    pub cstat: String,
    pub reason: String,
}

/// What a state says when it is none of the successes of its service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Not looked at; how long to wait, in milliseconds.
    Unavailable(u64),
    /// The certificate of the connection was refused.
    Credential,
    /// An explicit no.
    Refusal,
    /// Says nothing about what was asked.
    Uncertain,
}

impl State {
    /// None: there is no cStat, so the element says nothing.
    pub fn of(element: &Element) -> Option<Self> {
        let cstat = text(element, "cStat")?;
        let number = (3..=4).contains(&cstat.len()) && cstat.bytes().all(|b| b.is_ascii_digit());
        number.then(|| State {
            cstat,
            reason: text(element, "xMotivo").unwrap_or_default(),
        })
    }

    /// The authority's words, untouched.
    pub fn message(&self) -> Mensagem {
        Mensagem::new(&self.cstat, &self.reason)
    }

    pub fn class(&self, family: &Family) -> Class {
        match self.cstat.as_str() {
            cstat if cstat == family.codes.undue_use => Class::Unavailable(UNDUE_USE_MS),
            "108" => Class::Unavailable(DOWN_MS),
            "109" => Class::Unavailable(DOWN_WITHOUT_FORECAST_MS),
            // The list of revoked certificates could not be read.
            "286" => Class::Unavailable(DOWN_MS),
            "280" | "281" | "282" | "283" | "284" | "285" => Class::Credential,
            // SVC being closed, SVC closed: nothing is processed there.
            "113" | "114" => Class::Refusal,
            // An error inside the authority, after which anything may be true;
            // a denial, which says nothing without its protocol.
            "999" | "301" | "302" | "303" => Class::Uncertain,
            // Below 200 are the states of documents, lots and services.
            other if other.len() == 3 && other < "200" => Class::Uncertain,
            _ => Class::Refusal,
        }
    }

    /// The failure this state is, if it is one of the document and not of
    /// the service it names: see [`Class`].
    pub fn failure(&self, answer: &Answer) -> Failure {
        match self.class(answer.family) {
            Class::Unavailable(wait_ms) => self.unavailable(wait_ms),
            Class::Credential => Failure::credentials(vec![self.message()]),
            Class::Refusal => Failure::rejected(vec![self.message()]),
            Class::Uncertain => {
                Failure::unexpected(&format!("cStat {}", self.cstat), answer.text())
            }
        }
    }

    fn unavailable(&self, wait_ms: u64) -> Failure {
        let reason = Unavailable {
            retry_after_ms: Some(wait_ms),
            mensagens: vec![self.message()],
        };
        Failure::new(
            FailureReason::Unavailable(reason),
            "serviço da SEFAZ indisponível",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::{CTE, MDFE, NFE};

    fn class(cstat: &str, family: &Family) -> Class {
        let state = State {
            cstat: cstat.into(),
            reason: String::new(),
        };
        state.class(family)
    }

    #[test]
    fn classes() {
        for (cstat, expected) in [
            ("108", Class::Unavailable(60_000)),
            ("109", Class::Unavailable(600_000)),
            ("656", Class::Unavailable(3_600_000)),
            ("281", Class::Credential),
            ("290", Class::Refusal),
            ("114", Class::Refusal),
            ("225", Class::Refusal),
            ("1115", Class::Refusal),
            ("100", Class::Uncertain),
            ("105", Class::Uncertain),
            ("302", Class::Uncertain),
            ("999", Class::Uncertain),
        ] {
            assert_eq!(class(cstat, &NFE), expected, "{cstat}");
        }
    }

    #[test]
    fn undue_use_has_another_code_in_each_family() {
        for family in [&CTE, &MDFE] {
            assert_eq!(class("678", family), Class::Unavailable(3_600_000));
            assert_eq!(class("656", family), Class::Refusal);
        }
        assert_eq!(class("678", &NFE), Class::Refusal);
    }
}
