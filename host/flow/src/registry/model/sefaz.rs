//! The state authorities of NF-e and NFC-e: who authorizes for whom, and where.

use std::collections::BTreeMap;
use std::sync::Arc;

use time::{Date, UtcOffset};

use super::tls::PerfilTls;
use super::{Endpoints, Fonte, Options};

/// Everything the file says about state authorities.
#[derive(Debug, Default)]
pub(in crate::registry) struct Sefaz {
    pub(in crate::registry) autorizadores: BTreeMap<String, Arc<Autorizador>>,
    pub(in crate::registry) ufs: BTreeMap<String, Arc<Uf>>,
    pub(in crate::registry) tls: BTreeMap<String, PerfilTls>,
}

/// Model of a product document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Modelo {
    /// NF-e, model 55.
    Nfe,
    /// NFC-e, model 65.
    Nfce,
}

impl Modelo {
    /// Both models.
    pub const ALL: [Self; 2] = [Self::Nfe, Self::Nfce];

    /// Code inside keys and documents.
    pub fn codigo(self) -> &'static str {
        match self {
            Self::Nfe => "55",
            Self::Nfce => "65",
        }
    }

    /// Model of a code. None: not one of these documents.
    pub fn from_codigo(codigo: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|modelo| modelo.codigo() == codigo)
    }
}

/// An authorizer of `[autorizadores]`.
#[derive(Debug)]
pub struct Autorizador {
    /// Name in the file ("SVRS").
    pub id: String,
    /// Name for people, pt-BR.
    pub nome: String,
    /// Adapter that speaks to it.
    pub adapter: String,
    /// cOrgao of events it registers in its own name. None: that of the
    /// emitter's state.
    pub orgao: Option<u8>,
    /// tpEmis of documents it authorizes in contingency. None: it is the
    /// ordinary authorizer of some state.
    pub tp_emis: Option<u8>,
    /// Services for NF-e. None: not there.
    pub nfe: Option<Servicos>,
    /// Services for NFC-e. None: not there.
    pub nfce: Option<Servicos>,
    /// Remarks that are not typed options.
    pub notas: String,
    /// Source.
    pub fonte: Arc<Fonte>,
    /// Day of the check.
    pub verificado: Date,
}

impl Autorizador {
    /// Services for a model. None: it does not authorize that model.
    pub fn servicos(&self, modelo: Modelo) -> Option<&Servicos> {
        match modelo {
            Modelo::Nfe => self.nfe.as_ref(),
            Modelo::Nfce => self.nfce.as_ref(),
        }
    }
}

/// Services of an authorizer for one model.
#[derive(Debug, Clone, Default)]
pub struct Servicos {
    /// Addresses by endpoint name, production.
    pub producao: Endpoints,
    /// Addresses by endpoint name, homologation.
    pub homologacao: Endpoints,
    /// Options for the adapter, of authorizer and model together.
    pub options: Options,
}

/// A state of `[ufs]`.
#[derive(Debug)]
pub struct Uf {
    /// Sigla.
    pub sigla: String,
    /// Two-digit IBGE code (cUF).
    pub ibge: u8,
    /// Who authorizes its NF-e.
    pub nfe: Arc<Autorizador>,
    /// Who authorizes its NFC-e.
    pub nfce: Arc<Autorizador>,
    /// Who authorizes its NF-e while `nfe` is down (SVC). NFC-e has no such
    /// authorizer: it is issued offline (tpEmis 9).
    pub contingencia: Arc<Autorizador>,
    /// Who answers for its register of taxpayers. None: no source gives one.
    pub cadastro: Option<Arc<Autorizador>>,
    /// Offset of its capital's clock from UTC; Brazil has no summer time
    /// since 2019 (Decreto 9.772/2019). Islands and the west of AM differ.
    pub fuso: UtcOffset,
    /// Source.
    pub fonte: Arc<Fonte>,
    /// Day of the check.
    pub verificado: Date,
}

impl Uf {
    /// Who authorizes a model.
    pub fn autorizador(&self, modelo: Modelo) -> &Arc<Autorizador> {
        match modelo {
            Modelo::Nfe => &self.nfe,
            Modelo::Nfce => &self.nfce,
        }
    }
}
