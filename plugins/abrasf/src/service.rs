//! The services of the model: method, messages and address of each.

use crate::options::Mode;
use sdk::Effect;

/// One service of the city's web service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    Generate,
    SynchronousBatch,
    Batch,
    QueryBatch,
    /// Only in 1.00; later versions answer it in `QueryBatch`.
    QueryStatus,
    ConsultarRps,
    /// By number, from 2.00 on.
    QueryRendered,
    /// By a range of numbers, from 2.00 on.
    QueryRange,
    /// By number, in 1.00.
    ConsultarNfse,
    Cancelar,
    Substituir,
}

struct Names {
    method: &'static str,
    /// Root of the request without the suffix `Envio`.
    message: &'static str,
    /// Address of its own, where the registry gives one.
    endpoint: &'static str,
}

impl Service {
    pub const ALL: [Service; 11] = [
        Service::Generate,
        Service::SynchronousBatch,
        Service::Batch,
        Service::QueryBatch,
        Service::QueryStatus,
        Service::ConsultarRps,
        Service::QueryRendered,
        Service::QueryRange,
        Service::ConsultarNfse,
        Service::Cancelar,
        Service::Substituir,
    ];

    /// Its name in the options of a system.
    pub fn id(self) -> &'static str {
        match self {
            Service::Batch => "recepcionar",
            _ => self.endpoint(),
        }
    }

    /// The service that issues in this mode.
    pub fn of_issue(mode: Mode) -> Self {
        match mode {
            Mode::Generate => Service::Generate,
            Mode::SynchronousBatch => Service::SynchronousBatch,
            Mode::Batch => Service::Batch,
        }
    }

    fn names(self) -> Names {
        let (method, message, endpoint) = match self {
            Service::Generate => ("GerarNfse", "GerarNfse", "gerar"),
            Service::SynchronousBatch => (
                "RecepcionarLoteRpsSincrono",
                "EnviarLoteRpsSincrono",
                "recepcionar_sincrono",
            ),
            Service::Batch => ("RecepcionarLoteRps", "EnviarLoteRps", "nfse"),
            Service::QueryBatch => ("ConsultarLoteRps", "ConsultarLoteRps", "consultar_lote"),
            Service::QueryStatus => (
                "ConsultarSituacaoLoteRps",
                "ConsultarSituacaoLoteRps",
                "consultar_situacao",
            ),
            Service::ConsultarRps => ("ConsultarNfsePorRps", "ConsultarNfseRps", "consultar_rps"),
            Service::QueryRendered => (
                "ConsultarNfseServicoPrestado",
                "ConsultarNfseServicoPrestado",
                "consultar_prestado",
            ),
            Service::QueryRange => (
                "ConsultarNfsePorFaixa",
                "ConsultarNfseFaixa",
                "consultar_faixa",
            ),
            Service::ConsultarNfse => ("ConsultarNfse", "ConsultarNfse", "consultar_nfse"),
            Service::Cancelar => ("CancelarNfse", "CancelarNfse", "cancelar"),
            Service::Substituir => ("SubstituirNfse", "SubstituirNfse", "substituir"),
        };
        Names {
            method,
            message,
            endpoint,
        }
    }

    /// Name of the SOAP operation.
    pub fn method(self) -> &'static str {
        self.names().method
    }

    /// Root element of the request.
    pub fn sending(self) -> String {
        format!("{}Envio", self.names().message)
    }

    /// Root element of the answer.
    pub fn response(self) -> String {
        format!("{}Resposta", self.names().message)
    }

    /// Endpoint of its own; the general one is `nfse`.
    pub fn endpoint(self) -> &'static str {
        self.names().endpoint
    }

    /// What the host may do when the answer is lost.
    pub fn effect(self) -> Effect {
        match self {
            Service::Generate
            | Service::SynchronousBatch
            | Service::Batch
            | Service::Cancelar
            | Service::Substituir => Effect::Once,
            Service::QueryBatch
            | Service::QueryStatus
            | Service::ConsultarRps
            | Service::QueryRendered
            | Service::QueryRange
            | Service::ConsultarNfse => Effect::ReadOnly,
        }
    }
}

/// Endpoints with a name of their own, for `describe`.
pub const ENDPOINTS: [(&str, &str); 10] = [
    ("gerar", "GerarNfse, where it has an address of its own"),
    (
        "recepcionar_sincrono",
        "RecepcionarLoteRpsSincrono, where it has an address of its own",
    ),
    (
        "consultar_lote",
        "ConsultarLoteRps, where it has an address of its own",
    ),
    (
        "consultar_situacao",
        "ConsultarSituacaoLoteRps, where it has an address of its own",
    ),
    (
        "consultar_rps",
        "ConsultarNfsePorRps, where it has an address of its own",
    ),
    (
        "consultar_prestado",
        "ConsultarNfseServicoPrestado, where it has an address of its own",
    ),
    (
        "consultar_faixa",
        "ConsultarNfseFaixa, where it has an address of its own",
    ),
    (
        "consultar_nfse",
        "ConsultarNfse, where it has an address of its own",
    ),
    (
        "cancelar",
        "CancelarNfse, where it has an address of its own",
    ),
    (
        "substituir",
        "SubstituirNfse, where it has an address of its own",
    ),
];
