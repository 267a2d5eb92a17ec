//! The services of the model: method, messages and address of each.

use crate::options::Modo;
use sdk::Effect;

/// One service of the city's web service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Servico {
    Gerar,
    LoteSincrono,
    Lote,
    ConsultarLote,
    /// Only in 1.00; later versions answer it in `ConsultarLote`.
    ConsultarSituacao,
    ConsultarRps,
    /// By number, from 2.00 on.
    ConsultarPrestado,
    /// By number, in 1.00.
    ConsultarNfse,
    Cancelar,
    Substituir,
}

struct Nomes {
    metodo: &'static str,
    /// Root of the request without the suffix `Envio`.
    mensagem: &'static str,
    /// Address of its own, where the registry gives one.
    endpoint: &'static str,
}

impl Servico {
    /// The service that issues in this mode.
    pub fn de_emissao(modo: Modo) -> Self {
        match modo {
            Modo::Gerar => Servico::Gerar,
            Modo::LoteSincrono => Servico::LoteSincrono,
            Modo::Lote => Servico::Lote,
        }
    }

    fn nomes(self) -> Nomes {
        let (metodo, mensagem, endpoint) = match self {
            Servico::Gerar => ("GerarNfse", "GerarNfse", "gerar"),
            Servico::LoteSincrono => (
                "RecepcionarLoteRpsSincrono",
                "EnviarLoteRpsSincrono",
                "recepcionar_sincrono",
            ),
            Servico::Lote => ("RecepcionarLoteRps", "EnviarLoteRps", "nfse"),
            Servico::ConsultarLote => ("ConsultarLoteRps", "ConsultarLoteRps", "consultar_lote"),
            Servico::ConsultarSituacao => (
                "ConsultarSituacaoLoteRps",
                "ConsultarSituacaoLoteRps",
                "consultar_situacao",
            ),
            Servico::ConsultarRps => ("ConsultarNfsePorRps", "ConsultarNfseRps", "consultar_rps"),
            Servico::ConsultarPrestado => (
                "ConsultarNfseServicoPrestado",
                "ConsultarNfseServicoPrestado",
                "consultar_prestado",
            ),
            Servico::ConsultarNfse => ("ConsultarNfse", "ConsultarNfse", "consultar_nfse"),
            Servico::Cancelar => ("CancelarNfse", "CancelarNfse", "cancelar"),
            Servico::Substituir => ("SubstituirNfse", "SubstituirNfse", "substituir"),
        };
        Nomes {
            metodo,
            mensagem,
            endpoint,
        }
    }

    /// Name of the SOAP operation.
    pub fn metodo(self) -> &'static str {
        self.nomes().metodo
    }

    /// Root element of the request.
    pub fn envio(self) -> String {
        format!("{}Envio", self.nomes().mensagem)
    }

    /// Root element of the answer.
    pub fn resposta(self) -> String {
        format!("{}Resposta", self.nomes().mensagem)
    }

    /// Endpoint of its own; the general one is `nfse`.
    pub fn endpoint(self) -> &'static str {
        self.nomes().endpoint
    }

    /// What the host may do when the answer is lost.
    pub fn efeito(self) -> Effect {
        match self {
            Servico::Gerar
            | Servico::LoteSincrono
            | Servico::Lote
            | Servico::Cancelar
            | Servico::Substituir => Effect::Once,
            Servico::ConsultarLote
            | Servico::ConsultarSituacao
            | Servico::ConsultarRps
            | Servico::ConsultarPrestado
            | Servico::ConsultarNfse => Effect::ReadOnly,
        }
    }
}

/// Endpoints with a name of their own, for `describe`.
pub const ENDPOINTS: [(&str, &str); 8] = [
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
