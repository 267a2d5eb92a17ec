//! National NFS-e: the API of Sefin Nacional.
//!
//! Sources: OpenAPI of Sefin Nacional (2026-08), Anexo I v1.01 (rules of the
//! DPS), XSD bundle 1.01 of 2026-07-27; where the running API differs from its
//! OpenAPI, the simulator follows the running one (README of this crate).

mod answer;
mod codes;
mod dps;
mod enveloped;
mod event;
pub(crate) mod gateway;
pub mod key;
mod note;
mod package;
mod query;
mod rules;
pub mod services;
mod signed;
mod tax;

use crate::engine::faults::Peek;
use crate::engine::{Call, Outcome};
use crate::pki::{Holder, holder};
use crate::request::{Answer, SimRequest};

/// Name of this system in the state and the counters.
pub(crate) const SYSTEM: &str = "nacional";

/// Environment of a host name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ambiente {
    Production,
    Homologacao,
}

impl Ambiente {
    pub fn of(host: &str) -> Option<Self> {
        match host {
            "sefin.nfse.gov.br" => Some(Self::Production),
            "sefin.producaorestrita.nfse.gov.br" => Some(Self::Homologacao),
            _ => None,
        }
    }

    /// `tpAmb` of the layout.
    pub fn code(self) -> u8 {
        match self {
            Self::Production => 1,
            Self::Homologacao => 2,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Production => "producao",
            Self::Homologacao => "homologacao",
        }
    }
}

/// What a method and a path mean.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Route {
    Issue,
    Nota(String),
    Dps {
        id: String,
        head: bool,
    },
    Register(String),
    Events {
        chave: String,
        kind: Option<String>,
        sequence: Option<String>,
    },
    WrongMethod,
    Unknown,
}

fn route(req: &SimRequest) -> Route {
    let segments: Vec<&str> = req
        .plain_path()
        .split('/')
        .filter(|s| !s.is_empty())
        .collect();
    let fixed = |s: &&str, name: &str| s.eq_ignore_ascii_case(name);
    // One source of 2026-10 shows the base as /API/SefinNacional.
    let after_api = match segments.split_first() {
        Some((first, rest)) if fixed(first, "api") => rest,
        _ => segments.as_slice(),
    };
    let Some((base, rest)) = after_api.split_first() else {
        return Route::Unknown;
    };
    if !fixed(base, "sefinnacional") {
        return Route::Unknown;
    }
    let method = req.method.as_str();
    match rest {
        [n] if fixed(n, "nfse") => {
            if method == "POST" {
                Route::Issue
            } else {
                Route::WrongMethod
            }
        }
        [n, chave] if fixed(n, "nfse") => match method {
            "GET" => Route::Nota((*chave).to_owned()),
            _ => Route::WrongMethod,
        },
        [n, id] if fixed(n, "dps") => match method {
            "GET" | "HEAD" => Route::Dps {
                id: (*id).to_owned(),
                head: method == "HEAD",
            },
            _ => Route::WrongMethod,
        },
        [n, chave, e] if fixed(n, "nfse") && fixed(e, "eventos") => match method {
            "POST" => Route::Register((*chave).to_owned()),
            "GET" => Route::Events {
                chave: (*chave).to_owned(),
                kind: None,
                sequence: None,
            },
            _ => Route::WrongMethod,
        },
        [n, chave, e, more @ ..] if fixed(n, "nfse") && fixed(e, "eventos") && more.len() <= 2 => {
            match method {
                "GET" => Route::Events {
                    chave: (*chave).to_owned(),
                    kind: more.first().map(|s| (*s).to_owned()),
                    sequence: more.get(1).map(|s| (*s).to_owned()),
                },
                _ => Route::WrongMethod,
            }
        }
        _ => Route::Unknown,
    }
}

/// What the faults look at.
pub(crate) fn peek(req: &SimRequest, host: &str) -> Peek {
    let route = route(req);
    let operation = match route {
        Route::Issue => "emitir",
        Route::Nota(_) | Route::Dps { .. } => "consultar",
        Route::Register(_) => event::operation(&req.body),
        Route::Events { .. } => "eventos",
        Route::WrongMethod | Route::Unknown => "outra",
    };
    let mut documents: Vec<String> = req.holder_document().into_iter().collect();
    if route == Route::Issue {
        documents.extend(dps::provider(&req.body));
    }
    Peek {
        host: host.to_owned(),
        operation,
        documents,
        ..Peek::default()
    }
}

/// Processes one request.
pub(crate) fn process(call: &mut Call<'_>, ambiente: Ambiente) -> Outcome {
    let caller = match caller(call, ambiente) {
        Ok(caller) => caller,
        Err(answer) => return answer.into(),
    };
    match route(call.req) {
        Route::Issue => note::issue(call, ambiente, None),
        Route::Nota(chave) => query::note(call, ambiente, &caller, &chave).into(),
        Route::Dps { id, head } => query::dps(call, ambiente, &caller, &id, head).into(),
        Route::Register(chave) => event::register(call, ambiente, &chave, None),
        Route::Events {
            chave,
            kind,
            sequence,
        } => query::events(
            call,
            ambiente,
            &caller,
            &chave,
            kind.as_deref(),
            sequence.as_deref(),
        )
        .into(),
        Route::WrongMethod => Answer::new(405, "text/plain", "").into(),
        Route::Unknown => Answer::new(404, "text/plain", "").into(),
    }
}

/// Who asks, by the certificate of the connection.
fn caller(call: &Call<'_>, ambiente: Ambiente) -> Result<Holder, Answer> {
    let Some(der) = call.req.client_cert_der.as_deref() else {
        // What the front end answers to a handshake without certificate.
        return Err(Answer::new(
            496,
            "text/html",
            "<html><head><title>496 SSL Certificate Required</title></head></html>",
        ));
    };
    if let Some(code) = answer::transmission_problem(call, der) {
        return Err(answer::refuse_list(
            call,
            ambiente,
            403,
            None,
            &[code.into()],
        ));
    }
    holder(der).ok_or_else(|| answer::refuse_list(call, ambiente, 403, None, &["E1209".into()]))
}

/// Refusal that a fault orders, in the shape of the operation.
pub(crate) fn refuse(
    call: &Call<'_>,
    ambiente: Ambiente,
    code: &str,
    message: Option<&str>,
) -> Answer {
    let mut refusal = codes::Refusal::from(code);
    refusal.description = message.map(str::to_owned);
    match route(call.req) {
        Route::Issue => answer::refuse_list(call, ambiente, 400, None, &[refusal]),
        _ => answer::refuse_one(call, ambiente, 400, "recusar", &refusal),
    }
}

/// The service's own internal error.
pub(crate) fn internal_error(call: &Call<'_>, ambiente: Ambiente) -> Answer {
    answer::refuse_list(call, ambiente, 500, None, &["E9999".into()])
}

/// What it answers to a certificate that expired.
pub(crate) fn expired(call: &Call<'_>, ambiente: Ambiente) -> Answer {
    answer::refuse_list(call, ambiente, 403, None, &["E1203".into()])
}
