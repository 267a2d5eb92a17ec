//! The services of layout 4.00: where each is, what it is called.

use crate::options::Opcoes;
use sdk::Effect;

/// A service of an authorizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Servico {
    Autorizacao,
    Retorno,
    Consulta,
    Status,
    Evento,
    /// Events of the national environment (cOrgao 91).
    EventoAn,
    /// EPEC, which has an address of its own.
    Epec,
    Inutilizacao,
    Cadastro,
    Distribuicao,
}

impl Servico {
    /// Name of the endpoint in the registry.
    pub fn endpoint(self) -> &'static str {
        match self {
            Servico::Autorizacao => "autorizacao",
            Servico::Retorno => "retorno",
            Servico::Consulta => "consulta",
            Servico::Status => "status",
            Servico::Evento => "evento",
            Servico::EventoAn => "evento_an",
            Servico::Epec => "epec",
            Servico::Inutilizacao => "inutilizacao",
            Servico::Cadastro => "cadastro",
            Servico::Distribuicao => "distribuicao",
        }
    }

    /// Name of the service: the last piece of its namespace.
    pub fn nome(self, opcoes: &Opcoes) -> &str {
        match self {
            Servico::Autorizacao => "NFeAutorizacao4",
            Servico::Retorno => "NFeRetAutorizacao4",
            Servico::Consulta => "NFeConsultaProtocolo4",
            Servico::Status => "NFeStatusServico4",
            Servico::Evento => &opcoes.servico_evento,
            Servico::EventoAn => "NFeRecepcaoEvento4",
            Servico::Epec => "RecepcaoEvento",
            Servico::Inutilizacao => "NFeInutilizacao4",
            Servico::Cadastro => "CadConsultaCadastro4",
            Servico::Distribuicao => "NFeDistribuicaoDFe",
        }
    }

    /// Method: the last piece of the SOAP action.
    pub fn metodo(self, opcoes: &Opcoes) -> &str {
        match self {
            Servico::Autorizacao => "nfeAutorizacaoLote",
            Servico::Retorno => &opcoes.metodo_retorno,
            Servico::Consulta => "nfeConsultaNF",
            Servico::Status => "nfeStatusServicoNF",
            Servico::Evento | Servico::EventoAn | Servico::Epec => "nfeRecepcaoEvento",
            Servico::Inutilizacao => "nfeInutilizacaoNF",
            Servico::Cadastro => &opcoes.metodo_cadastro,
            Servico::Distribuicao => "nfeDistDFeInteresse",
        }
    }

    /// Element around nfeDadosMsg, where there is one.
    pub fn envoltorio(self, opcoes: &Opcoes) -> Option<&str> {
        match self {
            Servico::Distribuicao => Some("nfeDistDFeInteresse"),
            Servico::Cadastro if opcoes.cadastro_envolto => Some(&opcoes.metodo_cadastro),
            _ => None,
        }
    }

    /// Root of the message that answers.
    pub fn retorno(self) -> &'static str {
        match self {
            Servico::Autorizacao => "retEnviNFe",
            Servico::Retorno => "retConsReciNFe",
            Servico::Consulta => "retConsSitNFe",
            Servico::Status => "retConsStatServ",
            Servico::Evento | Servico::EventoAn | Servico::Epec => "retEnvEvento",
            Servico::Inutilizacao => "retInutNFe",
            Servico::Cadastro => "retConsCad",
            Servico::Distribuicao => "retDistDFeInt",
        }
    }

    /// What a lost answer leaves behind.
    pub fn efeito(self) -> Effect {
        match self {
            Servico::Autorizacao
            | Servico::Evento
            | Servico::EventoAn
            | Servico::Epec
            | Servico::Inutilizacao => Effect::Once,
            Servico::Retorno
            | Servico::Consulta
            | Servico::Status
            | Servico::Cadastro
            | Servico::Distribuicao => Effect::ReadOnly,
        }
    }
}
