//! What differs between the families of documents: how elements and services
//! are called.
//!
//! Source: MOC 7.0 (NF-e), MOC CT-e 4.00, MOC MDF-e 3.00 and their schemas.

use super::cstat::{self, Table};

/// What a service does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// `NFeAutorizacao4`.
    Authorize,
    /// `NFeRetAutorizacao4`.
    Receipt,
    /// `NFeConsultaProtocolo4`.
    Query,
    /// `NFeStatusServico4`.
    Status,
    /// `NFeRecepcaoEvento4`.
    Event,
    /// `NFeInutilizacao4`.
    Void,
    /// `CadConsultaCadastro4`.
    Register,
    /// `NFeDistribuicaoDFe`.
    Distribute,
    /// `MDFeConsNaoEnc`: manifests nobody closed.
    Open,
}

/// NF-e with NFC-e, CT-e or MDF-e.
#[derive(Debug)]
pub struct Family {
    /// Models of its documents.
    pub models: &'static [&'static str],
    /// What most elements are named after: `chNFe`, `protCTe`, `retMDFe`.
    pub name: &'static str,
    /// What the carriers of a message are named after: `nfeDadosMsg`.
    pub data: &'static str,
    /// Namespace of the documents.
    pub ns: &'static str,
    /// `versao` of documents and questions.
    pub version: &'static str,
    /// The signed part of a document.
    pub inf: &'static str,
    /// Its number and its numeric code.
    pub number: &'static str,
    pub code: &'static str,
    /// Root of an event; its answer is `ret` and this with a capital.
    pub event: &'static str,
    pub event_answer: &'static str,
    /// Digits of `nSeqEvento` in the `Id` of an event.
    pub sequence: usize,
    /// Code of an event that is there already.
    pub duplicate_event: &'static str,
    /// Code of abusive use.
    pub undue_use: &'static str,
    /// Official texts of its codes.
    pub(super) texts: &'static Table,
    services: &'static [(Op, Names)],
}

/// What a service is called: the service itself, its method, the root of the
/// request and of the answer.
#[derive(Debug, PartialEq, Eq)]
pub struct Names(
    pub &'static str,
    pub &'static str,
    pub &'static str,
    pub &'static str,
);

/// NF-e and NFC-e.
pub static NFE: Family = Family {
    models: &["55", "65"],
    name: "NFe",
    data: "nfe",
    ns: "http://www.portalfiscal.inf.br/nfe",
    version: "4.00",
    inf: "infNFe",
    number: "nNF",
    code: "cNF",
    event: "evento",
    event_answer: "retEvento",
    sequence: 2,
    duplicate_event: "573",
    undue_use: "656",
    texts: &cstat::TEXTS,
    services: &NFE_SERVICES,
};

#[rustfmt::skip]
const NFE_SERVICES: [(Op, Names); 8] = [
    (Op::Authorize, Names("NFeAutorizacao4", "nfeAutorizacaoLote", "enviNFe", "retEnviNFe")),
    (Op::Receipt, Names("NFeRetAutorizacao4", "nfeRetAutorizacaoLote", "consReciNFe", "retConsReciNFe")),
    (Op::Query, Names("NFeConsultaProtocolo4", "nfeConsultaNF", "consSitNFe", "retConsSitNFe")),
    (Op::Status, Names("NFeStatusServico4", "nfeStatusServicoNF", "consStatServ", "retConsStatServ")),
    (Op::Event, Names("NFeRecepcaoEvento4", "nfeRecepcaoEvento", "envEvento", "retEnvEvento")),
    (Op::Void, Names("NFeInutilizacao4", "nfeInutilizacaoNF", "inutNFe", "retInutNFe")),
    (Op::Register, Names("CadConsultaCadastro4", "consultaCadastro", "ConsCad", "retConsCad")),
    (Op::Distribute, Names("NFeDistribuicaoDFe", "nfeDistDFeInteresse", "distDFeInt", "retDistDFeInt")),
];

/// CT-e.
pub static CTE: Family = Family {
    models: &["57"],
    name: "CTe",
    data: "cte",
    ns: "http://www.portalfiscal.inf.br/cte",
    version: "4.00",
    inf: "infCte",
    number: "nCT",
    code: "cCT",
    event: "eventoCTe",
    event_answer: "retEventoCTe",
    sequence: 3,
    duplicate_event: "631",
    undue_use: "678",
    texts: &cstat::CTE_TEXTS,
    services: &CTE_SERVICES,
};

#[rustfmt::skip]
const CTE_SERVICES: [(Op, Names); 4] = [
    (Op::Authorize, Names("CTeRecepcaoSincV4", "cteRecepcao", "CTe", "retCTe")),
    (Op::Query, Names("CTeConsultaV4", "cteConsultaCT", "consSitCTe", "retConsSitCTe")),
    (Op::Status, Names("CTeStatusServicoV4", "cteStatusServicoCT", "consStatServCTe", "retConsStatServCTe")),
    (Op::Event, Names("CTeRecepcaoEventoV4", "cteRecepcaoEvento", "eventoCTe", "retEventoCTe")),
];

/// MDF-e.
pub static MDFE: Family = Family {
    models: &["58"],
    name: "MDFe",
    data: "mdfe",
    ns: "http://www.portalfiscal.inf.br/mdfe",
    version: "3.00",
    inf: "infMDFe",
    number: "nMDF",
    code: "cMDF",
    event: "eventoMDFe",
    event_answer: "retEventoMDFe",
    sequence: 2,
    duplicate_event: "631",
    undue_use: "678",
    texts: &cstat::MDFE_TEXTS,
    services: &MDFE_SERVICES,
};

#[rustfmt::skip]
const MDFE_SERVICES: [(Op, Names); 5] = [
    (Op::Authorize, Names("MDFeRecepcaoSinc", "mdfeRecepcao", "MDFe", "retMDFe")),
    (Op::Query, Names("MDFeConsulta", "mdfeConsultaMDF", "consSitMDFe", "retConsSitMDFe")),
    (Op::Status, Names("MDFeStatusServico", "mdfeStatusServicoMDF", "consStatServMDFe", "retConsStatServMDFe")),
    (Op::Event, Names("MDFeRecepcaoEvento", "mdfeRecepcaoEvento", "eventoMDFe", "retEventoMDFe")),
    (Op::Open, Names("MDFeConsNaoEnc", "mdfeConsNaoEnc", "consMDFeNaoEnc", "retConsMDFeNaoEnc")),
];

impl Family {
    /// The family of a model.
    pub fn of(model: &str) -> Option<&'static Family> {
        [&NFE, &CTE, &MDFE]
            .into_iter()
            .find(|family| family.models.contains(&model))
    }

    /// What a service is called. None: there is no such service.
    pub fn names(&self, op: Op) -> Option<&'static Names> {
        let mut services = self.services.iter();
        services.find(|(o, _)| *o == op).map(|(_, names)| names)
    }

    /// Documents and events go in lots, and the answers have more fields.
    pub fn is_nfe(&self) -> bool {
        self.name == NFE.name
    }

    /// `versao` of its events.
    pub(super) fn event_version(&self) -> &'static str {
        if self.is_nfe() { "1.00" } else { self.version }
    }

    /// The element that holds an access key.
    pub(super) fn chave(&self) -> String {
        format!("ch{}", self.name)
    }
}
