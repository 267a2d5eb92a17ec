//! Which authority a request is for, and its answers.

use super::state::Memories;
use crate::engine::faults::Peek;
use crate::engine::{Call, Outcome};
use crate::nfse::abrasf::{self, Profile};
use crate::nfse::learned::{self, Cities, Recognized};
use crate::nfse::national::{self, Ambiente, gateway};
use crate::provider::{self, chatapp, psp, sources};
use crate::request::{Answer, SimRequest};
use crate::sefaz;

/// The system behind a host name.
#[derive(Clone)]
pub(super) enum System {
    National(Ambiente),
    /// A city that takes the national DPS at its own address.
    Gateway,
    City(&'static Profile),
    /// A city that is known by its cases.
    Learned(Recognized),
    Sefaz(sefaz::Route),
    Psp,
    Chatapp,
    Sources,
}

impl System {
    pub fn of(req: &SimRequest, host: &str, cities: &Cities) -> Self {
        if sefaz::knows(host) {
            return System::Sefaz(sefaz::Route::of(req, host));
        }
        if psp::knows(host) {
            return System::Psp;
        }
        if chatapp::knows(host) {
            return System::Chatapp;
        }
        if sources::knows(host) {
            return System::Sources;
        }
        if let Some(ambiente) = Ambiente::of(host) {
            return System::National(ambiente);
        }
        match learned::recognize(cities, req) {
            Some(known) => System::Learned(known),
            None if gateway::knows(req) => System::Gateway,
            None => System::City(abrasf::profile(host, req)),
        }
    }

    pub fn name(&self) -> &str {
        match self {
            System::National(_) | System::Gateway => national::SYSTEM,
            System::City(profile) => profile.id,
            System::Learned(known) => known.name(),
            System::Sefaz(_) => sefaz::SYSTEM,
            System::Psp => psp::SYSTEM,
            System::Chatapp => chatapp::SYSTEM,
            System::Sources => sources::SYSTEM,
        }
    }

    pub fn peek(&self, req: &SimRequest, host: &str) -> Peek {
        match self {
            System::National(_) => national::peek(req, host),
            System::Gateway => gateway::peek(req, host),
            System::City(profile) => abrasf::peek(profile, req, host),
            System::Learned(known) => learned::peek(known, req, host),
            System::Sefaz(route) => sefaz::peek(*route, req, host),
            System::Psp => psp::peek(req, host),
            System::Sources => sources::peek(host),
            System::Chatapp => chatapp::peek(req, host),
        }
    }

    pub fn process(&self, mut call: Call<'_>, memories: &mut Memories) -> Outcome {
        match self {
            System::National(ambiente) => national::process(&mut call, *ambiente),
            System::Gateway => gateway::process(&mut call),
            System::City(profile) => abrasf::process(&mut call, profile),
            System::Learned(known) => learned::process(&mut call, known),
            System::Sefaz(route) => sefaz::process(&mut call.with(&mut memories.sefaz), *route),
            System::Psp => psp::process(&mut call.with(&mut memories.psp)),
            System::Chatapp => chatapp::process(&mut call.with(&mut memories.chatapp)),
            System::Sources => sources::answer(call.req).into(),
        }
    }

    pub fn refuse(
        &self,
        call: Call<'_>,
        memories: &mut Memories,
        code: &str,
        message: Option<&str>,
    ) -> Answer {
        match self {
            System::National(ambiente) => national::refuse(&call, *ambiente, code, message),
            System::Gateway => gateway::refuse(&call, code, message),
            System::City(profile) => abrasf::refuse(&call, profile, code, message),
            System::Learned(known) => learned::refuse(&call, known, code, message),
            System::Sefaz(route) => {
                let call = call.with(&mut memories.sefaz);
                sefaz::refuse(&call, *route, code, message)
            }
            System::Psp => psp::refuse(code, message),
            System::Chatapp => chatapp::refuse(code, message),
            System::Sources => sources::refuse(code, message),
        }
    }

    pub fn internal_error(&self, call: Call<'_>, memories: &mut Memories) -> Answer {
        match self {
            System::National(ambiente) => national::internal_error(&call, *ambiente),
            System::Gateway => national::internal_error(&call, Ambiente::Production),
            System::City(_) => abrasf::internal_error(&call),
            System::Learned(known) => learned::internal_error(&call, known),
            System::Sefaz(_) => sefaz::internal_error(&call.with(&mut memories.sefaz)),
            System::Psp | System::Chatapp | System::Sources => provider::internal_error(),
        }
    }

    pub fn expired(&self, call: Call<'_>, memories: &mut Memories) -> Answer {
        match self {
            System::National(ambiente) => national::expired(&call, *ambiente),
            System::Gateway => national::expired(&call, Ambiente::Production),
            System::City(_) => abrasf::expired(&call),
            System::Learned(known) => learned::expired(&call, known),
            System::Sefaz(route) => sefaz::expired(&call.with(&mut memories.sefaz), *route),
            System::Psp | System::Chatapp | System::Sources => provider::expired(),
        }
    }

    /// Code of abusive use.
    pub fn undue_use(&self) -> &'static str {
        match self {
            System::Sefaz(route) => route.undue_use(),
            _ => "429",
        }
    }

    /// Codes of a duplicate and of a refusal when the order names none.
    pub fn default_codes(&self) -> (&'static str, &'static str) {
        match self {
            System::National(_) | System::Gateway => ("E0014", "E0084"),
            System::City(_) | System::Learned(_) => ("E10", "E156"),
            System::Sefaz(_) => ("204", "999"),
            System::Psp | System::Chatapp | System::Sources => ("referencia_usada", "recusada"),
        }
    }
}
