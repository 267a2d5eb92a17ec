//! The services of the authorities: which endpoint each is, what it is
//! called in a family, and what a lost answer leaves behind.

use crate::family::Family;
use crate::options::Options;
use sdk::{Effect, Failure};

/// A service of an authorizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    Authorization,
    Answer,
    Query,
    Status,
    Evento,
    /// Events of the national environment (cOrgao 91).
    EventoAn,
    /// EPEC of NF-e, which has an address of its own.
    Epec,
    Voiding,
    Registration,
    Distribuicao,
    /// Manifests that nobody closed.
    Open,
}

/// What a service is called in one family.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    /// Name of the service: the last piece of its namespace.
    service: &'static str,
    /// Method: the last piece of the SOAP action.
    method: &'static str,
    /// Root of the message that answers.
    pub answer: &'static str,
}

impl Names {
    pub const fn of(service: &'static str, method: &'static str, answer: &'static str) -> Self {
        Names {
            service,
            method,
            answer,
        }
    }
}

impl Service {
    /// Name of the endpoint in the registry.
    pub fn endpoint(self) -> &'static str {
        match self {
            Service::Authorization => "autorizacao",
            Service::Answer => "retorno",
            Service::Query => "consulta",
            Service::Status => "status",
            Service::Evento => "evento",
            Service::EventoAn => "evento_an",
            Service::Epec => "epec",
            Service::Voiding => "inutilizacao",
            Service::Registration => "cadastro",
            Service::Distribuicao => "distribuicao",
            Service::Open => "nao_encerrados",
        }
    }

    /// What it is called in a family.
    ///
    /// # Errors
    /// The family has no such service.
    pub fn names(self, family: &Family) -> Result<&'static Names, Failure> {
        family.names(self).ok_or_else(|| {
            Failure::not_supported(&format!(
                "O modelo {} não tem o serviço {}.",
                family.models.join(" ou "),
                self.endpoint()
            ))
        })
    }

    /// Name of the service; the options may change some of NF-e and NFC-e.
    pub fn name<'a>(self, names: &Names, family: &Family, options: &'a Options) -> &'a str {
        match self {
            Service::Evento if family.is_nfe() => &options.event_service,
            _ => names.service,
        }
    }

    /// Method, likewise.
    pub fn method<'a>(self, names: &Names, options: &'a Options) -> &'a str {
        match self {
            Service::Answer => &options.return_method,
            Service::Registration => &options.registration_method,
            _ => names.method,
        }
    }

    /// Element around the data, where there is one.
    pub fn wrapper(self, options: &Options) -> Option<&str> {
        match self {
            Service::Distribuicao => Some("nfeDistDFeInteresse"),
            Service::Registration if options.wrapped_registration => {
                Some(&options.registration_method)
            }
            _ => None,
        }
    }

    /// What a lost answer leaves behind.
    pub fn effect(self) -> Effect {
        match self {
            Service::Authorization
            | Service::Evento
            | Service::EventoAn
            | Service::Epec
            | Service::Voiding => Effect::Once,
            Service::Answer
            | Service::Query
            | Service::Status
            | Service::Registration
            | Service::Distribuicao
            | Service::Open => Effect::ReadOnly,
        }
    }
}
