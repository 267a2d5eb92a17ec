//! The services of layout 4.00: where each is, what it is called.

use crate::options::Options;
use sdk::Effect;

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
    /// EPEC, which has an address of its own.
    Epec,
    Voiding,
    Registration,
    Distribuicao,
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
        }
    }

    /// Name of the service: the last piece of its namespace.
    pub fn name(self, options: &Options) -> &str {
        match self {
            Service::Authorization => "NFeAutorizacao4",
            Service::Answer => "NFeRetAutorizacao4",
            Service::Query => "NFeConsultaProtocolo4",
            Service::Status => "NFeStatusServico4",
            Service::Evento => &options.event_service,
            Service::EventoAn => "NFeRecepcaoEvento4",
            Service::Epec => "RecepcaoEvento",
            Service::Voiding => "NFeInutilizacao4",
            Service::Registration => "CadConsultaCadastro4",
            Service::Distribuicao => "NFeDistribuicaoDFe",
        }
    }

    /// Method: the last piece of the SOAP action.
    pub fn method(self, options: &Options) -> &str {
        match self {
            Service::Authorization => "nfeAutorizacaoLote",
            Service::Answer => &options.return_method,
            Service::Query => "nfeConsultaNF",
            Service::Status => "nfeStatusServicoNF",
            Service::Evento | Service::EventoAn | Service::Epec => "nfeRecepcaoEvento",
            Service::Voiding => "nfeInutilizacaoNF",
            Service::Registration => &options.registration_method,
            Service::Distribuicao => "nfeDistDFeInteresse",
        }
    }

    /// Element around nfeDadosMsg, where there is one.
    pub fn wrapper(self, options: &Options) -> Option<&str> {
        match self {
            Service::Distribuicao => Some("nfeDistDFeInteresse"),
            Service::Registration if options.wrapped_registration => {
                Some(&options.registration_method)
            }
            _ => None,
        }
    }

    /// Root of the message that answers.
    pub fn answer(self) -> &'static str {
        match self {
            Service::Authorization => "retEnviNFe",
            Service::Answer => "retConsReciNFe",
            Service::Query => "retConsSitNFe",
            Service::Status => "retConsStatServ",
            Service::Evento | Service::EventoAn | Service::Epec => "retEnvEvento",
            Service::Voiding => "retInutNFe",
            Service::Registration => "retConsCad",
            Service::Distribuicao => "retDistDFeInt",
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
            | Service::Distribuicao => Effect::ReadOnly,
        }
    }
}
