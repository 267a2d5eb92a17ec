//! What differs between the families of documents: NF-e with NFC-e, CT-e and
//! MDF-e. Everything else of the adapter is the same for all of them.
//!
//! Sources: MOC 7.0 (NF-e), MOC CT-e 4.00 with its annex I, MOC MDF-e 3.00,
//! and the schemas PL_010, PL_CTe_400 and PL_MDFe_300.

use crate::service::{Names, Service};

/// Names and codes of one family.
#[derive(Debug)]
pub struct Family {
    /// Models of its documents, as keys have them.
    pub models: &'static [&'static str],
    /// Namespace of the messages.
    pub namespace: &'static str,
    /// What the names of the services follow to make their namespaces.
    pub wsdl: &'static str,
    /// Element of the SOAP body that carries a message.
    pub data: &'static str,
    /// Element of the SOAP header. None: the layout has none, and an
    /// authorizer that wants one all the same gets `nfeCabecMsg`.
    pub header: Option<&'static str>,
    /// Version of the questions and of the header.
    pub version: &'static str,
    /// Element that holds an access key.
    pub chave: &'static str,
    /// Protocol of a document, with `infProt` in it.
    pub protocol: &'static str,
    /// An event as it is sent, answered and kept.
    pub event: &'static str,
    pub event_answer: &'static str,
    pub event_joined: &'static str,
    /// The root of the question for a key.
    pub query: &'static str,
    /// The root of the question whether the service works.
    pub status: &'static str,
    /// That question names the state.
    pub status_has_uf: bool,
    /// The services that exist in this family.
    pub services: &'static [(Service, Names)],
    pub codes: Codes,
}

/// The codes (cStat) whose meaning is one family's.
#[derive(Debug)]
pub struct Codes {
    /// The document ends with an event of this kind.
    pub cancels: &'static [&'static str],
    /// The event is registered.
    pub registered: &'static [&'static str],
    /// The same event is registered already.
    pub duplicate_event: &'static str,
    /// What an event of this kind was to do is done already: by us, perhaps.
    pub done_before: &'static [(&'static str, &'static [&'static str])],
    /// The key is there, in some state.
    pub already_exists: &'static [&'static str],
    /// The number belongs to a document with another key.
    pub other_chave: &'static [&'static str],
    /// The state of a cancelled document.
    pub cancelled: &'static [&'static str],
    /// The state of a closed manifest, which stays authorized.
    pub closed: Option<&'static str>,
    /// Abusive use: nothing is looked at for a while.
    pub undue_use: &'static str,
}

/// NF-e (55) and NFC-e (65).
pub static NFE: Family = Family {
    models: &["55", "65"],
    namespace: "http://www.portalfiscal.inf.br/nfe",
    wsdl: "http://www.portalfiscal.inf.br/nfe/wsdl/",
    data: "nfeDadosMsg",
    header: None,
    version: "4.00",
    chave: "chNFe",
    protocol: "protNFe",
    event: "evento",
    event_answer: "retEvento",
    event_joined: "procEventoNFe",
    query: "consSitNFe",
    status: "consStatServ",
    status_has_uf: true,
    services: &NFE_SERVICES,
    codes: Codes {
        // 110112: by substitution of an NFC-e.
        cancels: &["110111", "110112"],
        // Bound to the document, not bound to it yet, or late.
        registered: &["135", "136", "155"],
        duplicate_event: "573",
        done_before: &[("110111", &["218", "420"]), ("110112", &["218", "420"])],
        already_exists: &["204", "205", "218"],
        other_chave: &["539", "561", "562", "613"],
        cancelled: &["101", "151", "155"],
        closed: None,
        undue_use: "656",
    },
};

const NFE_SERVICES: [(Service, Names); 10] = [
    (
        Service::Authorization,
        Names::of("NFeAutorizacao4", "nfeAutorizacaoLote", "retEnviNFe"),
    ),
    (
        Service::Answer,
        Names::of(
            "NFeRetAutorizacao4",
            "nfeRetAutorizacaoLote",
            "retConsReciNFe",
        ),
    ),
    (
        Service::Query,
        Names::of("NFeConsultaProtocolo4", "nfeConsultaNF", "retConsSitNFe"),
    ),
    (
        Service::Status,
        Names::of("NFeStatusServico4", "nfeStatusServicoNF", "retConsStatServ"),
    ),
    (
        Service::Evento,
        Names::of("NFeRecepcaoEvento4", "nfeRecepcaoEvento", "retEnvEvento"),
    ),
    (
        Service::EventoAn,
        Names::of("NFeRecepcaoEvento4", "nfeRecepcaoEvento", "retEnvEvento"),
    ),
    (
        Service::Epec,
        Names::of("RecepcaoEvento", "nfeRecepcaoEvento", "retEnvEvento"),
    ),
    (
        Service::Voiding,
        Names::of("NFeInutilizacao4", "nfeInutilizacaoNF", "retInutNFe"),
    ),
    (
        Service::Registration,
        Names::of("CadConsultaCadastro4", "consultaCadastro", "retConsCad"),
    ),
    (
        Service::Distribuicao,
        Names::of("NFeDistribuicaoDFe", "nfeDistDFeInteresse", "retDistDFeInt"),
    ),
];

/// CT-e (57).
pub static CTE: Family = Family {
    models: &["57"],
    namespace: "http://www.portalfiscal.inf.br/cte",
    wsdl: "http://www.portalfiscal.inf.br/cte/wsdl/",
    data: "cteDadosMsg",
    header: None,
    version: "4.00",
    chave: "chCTe",
    protocol: "protCTe",
    event: "eventoCTe",
    event_answer: "retEventoCTe",
    event_joined: "procEventoCTe",
    query: "consSitCTe",
    status: "consStatServCTe",
    status_has_uf: true,
    services: &CTE_SERVICES,
    codes: Codes {
        cancels: &["110111"],
        // 134: bound, with a warning about the document's state.
        registered: &["134", "135", "136"],
        duplicate_event: "631",
        done_before: &[("110111", &["218"])],
        already_exists: &["204", "205", "218"],
        // 216: the numeric code differs; 600: another part of the key.
        other_chave: &["216", "539", "600"],
        cancelled: &["101"],
        closed: None,
        undue_use: "678",
    },
};

const CTE_SERVICES: [(Service, Names); 4] = [
    (
        Service::Authorization,
        Names::of("CTeRecepcaoSincV4", "cteRecepcao", "retCTe"),
    ),
    (
        Service::Query,
        Names::of("CTeConsultaV4", "cteConsultaCT", "retConsSitCTe"),
    ),
    (
        Service::Status,
        Names::of(
            "CTeStatusServicoV4",
            "cteStatusServicoCT",
            "retConsStatServCTe",
        ),
    ),
    (
        Service::Evento,
        Names::of("CTeRecepcaoEventoV4", "cteRecepcaoEvento", "retEventoCTe"),
    ),
];

/// MDF-e (58).
pub static MDFE: Family = Family {
    models: &["58"],
    namespace: "http://www.portalfiscal.inf.br/mdfe",
    wsdl: "http://www.portalfiscal.inf.br/mdfe/wsdl/",
    data: "mdfeDadosMsg",
    header: Some("mdfeCabecMsg"),
    version: "3.00",
    chave: "chMDFe",
    protocol: "protMDFe",
    event: "eventoMDFe",
    event_answer: "retEventoMDFe",
    event_joined: "procEventoMDFe",
    query: "consSitMDFe",
    status: "consStatServMDFe",
    status_has_uf: false,
    services: &MDFE_SERVICES,
    codes: Codes {
        cancels: &["110111"],
        registered: &["134", "135", "136"],
        duplicate_event: "631",
        // 609: closed already.
        done_before: &[("110111", &["218"]), ("110112", &["609"])],
        already_exists: &["204", "218", "609"],
        other_chave: &["216", "539", "600"],
        cancelled: &["101"],
        closed: Some("132"),
        undue_use: "678",
    },
};

const MDFE_SERVICES: [(Service, Names); 5] = [
    (
        Service::Authorization,
        Names::of("MDFeRecepcaoSinc", "mdfeRecepcao", "retMDFe"),
    ),
    (
        Service::Query,
        Names::of("MDFeConsulta", "mdfeConsultaMDF", "retConsSitMDFe"),
    ),
    (
        Service::Status,
        Names::of(
            "MDFeStatusServico",
            "mdfeStatusServicoMDF",
            "retConsStatServMDFe",
        ),
    ),
    (
        Service::Evento,
        Names::of("MDFeRecepcaoEvento", "mdfeRecepcaoEvento", "retEventoMDFe"),
    ),
    (
        Service::Open,
        Names::of("MDFeConsNaoEnc", "mdfeConsNaoEnc", "retConsMDFeNaoEnc"),
    ),
];

static ALL: [&Family; 3] = [&NFE, &CTE, &MDFE];

impl Family {
    /// The family of a model: "55", "65", "57" or "58".
    pub fn of_model(model: &str) -> Option<&'static Self> {
        ALL.into_iter()
            .find(|family| family.models.contains(&model))
    }

    /// The family of an access key, by the model in its positions 21 and 22.
    pub fn of_chave(chave: &str) -> Option<&'static Self> {
        Self::of_model(chave.get(20..22)?)
    }

    /// Documents and events go in lots, and the services bear names that an
    /// option may change.
    pub fn is_nfe(&self) -> bool {
        self.chave == NFE.chave
    }

    /// What a service is called. None: there is no such service.
    pub fn names(&self, service: Service) -> Option<&'static Names> {
        self.services
            .iter()
            .find(|(found, _)| *found == service)
            .map(|(_, names)| names)
    }

    /// Whether an event of this kind ends the document it is about.
    pub fn cancels(&self, kind: &str) -> bool {
        self.codes.cancels.contains(&kind)
    }

    /// Whether this code says that an event of this kind was made before.
    pub fn done_before(&self, kind: &str, cstat: &str) -> bool {
        let of_kind = self.codes.done_before.iter();
        of_kind
            .filter(|(done, _)| *done == kind)
            .any(|(_, codes)| codes.contains(&cstat))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_tells_its_family() {
        for (model, chave) in [
            ("55", "chNFe"),
            ("65", "chNFe"),
            ("57", "chCTe"),
            ("58", "chMDFe"),
        ] {
            let key = format!("35261090011001000124{model}0010000000571718293040");
            let family = Family::of_chave(&key).expect("known");
            assert_eq!(family.chave, chave);
            assert!(std::ptr::eq(
                family,
                Family::of_model(model).expect("known")
            ));
        }
        for unknown in ["", "57", "35261090011001000124670010000000571718293040"] {
            assert!(Family::of_chave(unknown).is_none(), "{unknown}");
        }
    }

    #[test]
    fn every_family_authorizes_asks_and_registers() {
        for family in ALL {
            for service in [
                Service::Authorization,
                Service::Query,
                Service::Status,
                Service::Evento,
            ] {
                assert!(
                    family.names(service).is_some(),
                    "{} {service:?}",
                    family.chave
                );
            }
            assert_eq!(family.is_nfe(), family.names(Service::Voiding).is_some());
        }
        assert!(NFE.names(Service::Open).is_none());
    }
}
