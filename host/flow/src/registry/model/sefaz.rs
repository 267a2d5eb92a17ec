//! The state authorities of NF-e, NFC-e, CT-e and MDF-e: who authorizes for
//! whom, and where.

use std::collections::BTreeMap;
use std::sync::Arc;

use time::{Date, UtcOffset};

use super::tls::TlsProfile;
use super::{Endpoints, Options, Source};

/// Everything the file says about state authorities.
#[derive(Debug, Default)]
pub(in crate::registry) struct Sefaz {
    pub(in crate::registry) authorizers: BTreeMap<String, Arc<Autorizador>>,
    pub(in crate::registry) ufs: BTreeMap<String, Arc<Uf>>,
    pub(in crate::registry) tls: BTreeMap<String, TlsProfile>,
}

/// Model of a document that a state authority authorizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Model {
    /// NF-e, model 55.
    Nfe,
    /// NFC-e, model 65.
    Nfce,
    /// CT-e, model 57.
    Cte,
    /// MDF-e, model 58.
    Mdfe,
}

impl Model {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Nfe, Self::Nfce, Self::Cte, Self::Mdfe];

    /// Code inside keys and documents.
    pub fn codigo(self) -> &'static str {
        match self {
            Self::Nfe => "55",
            Self::Nfce => "65",
            Self::Cte => "57",
            Self::Mdfe => "58",
        }
    }

    /// What the file calls it.
    pub(in crate::registry) fn field(self) -> &'static str {
        match self {
            Self::Nfe => "nfe",
            Self::Nfce => "nfce",
            Self::Cte => "cte",
            Self::Mdfe => "mdfe",
        }
    }

    /// Model of a field. None: it is another field.
    pub(in crate::registry) fn from_field(field: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|model| model.field() == field)
    }

    /// Model of a code. None: not one of these documents.
    pub fn from_codigo(codigo: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|model| model.codigo() == codigo)
    }
}

/// An authorizer of `[autorizadores]`.
#[derive(Debug)]
pub struct Autorizador {
    /// Name in the file ("SVRS").
    pub id: String,
    /// Name for people, pt-BR.
    pub name: String,
    /// Adapter that speaks to it.
    pub adapter: String,
    /// cOrgao of events it registers in its own name. None: that of the
    /// emitter's state.
    pub agency: Option<u8>,
    /// tpEmis of documents it authorizes in contingency. None: it is the
    /// ordinary authorizer of some state.
    pub tp_emis: Option<u8>,
    /// Services by model; a model that is not there it does not authorize.
    pub services: BTreeMap<Model, Services>,
    /// Remarks that are not typed options.
    pub notas: String,
    /// Source.
    pub cited: Arc<Source>,
    /// Day of the check.
    pub verified: Date,
}

impl Autorizador {
    /// Services for a model. None: it does not authorize that model.
    pub fn services(&self, model: Model) -> Option<&Services> {
        self.services.get(&model)
    }
}

/// Services of an authorizer for one model.
#[derive(Debug, Clone, Default)]
pub struct Services {
    /// Addresses by endpoint name, production.
    pub production: Endpoints,
    /// Addresses by endpoint name, homologation.
    pub homologacao: Endpoints,
    /// Options for the adapter, of authorizer and model together.
    pub options: Options,
}

/// A state of `[ufs]`.
#[derive(Debug)]
pub struct Uf {
    /// Sigla.
    pub abbreviation: String,
    /// Two-digit IBGE code (cUF).
    pub ibge: u8,
    /// Who authorizes its NF-e.
    pub nfe: Arc<Autorizador>,
    /// Who authorizes its NFC-e.
    pub nfce: Arc<Autorizador>,
    /// Who authorizes its CT-e.
    pub cte: Arc<Autorizador>,
    /// Who authorizes its MDF-e.
    pub mdfe: Arc<Autorizador>,
    /// Who authorizes its NF-e while `nfe` is down (SVC). NFC-e and MDF-e have
    /// no such authorizer: they are issued offline (tpEmis 9, 2).
    pub contingency: Arc<Autorizador>,
    /// Who authorizes its CT-e while `cte` is down, and takes its EPEC (SVC).
    pub contingency_cte: Arc<Autorizador>,
    /// Who answers for its register of taxpayers. None: no source gives one.
    pub registration: Option<Arc<Autorizador>>,
    /// Offset of its capital's clock from UTC; Brazil has no summer time
    /// since 2019 (Decreto 9.772/2019). Islands and the west of AM differ.
    pub zone: UtcOffset,
    /// Source.
    pub cited: Arc<Source>,
    /// Day of the check.
    pub verified: Date,
}

impl Uf {
    /// Who authorizes a model.
    pub fn autorizador(&self, model: Model) -> &Arc<Autorizador> {
        match model {
            Model::Nfe => &self.nfe,
            Model::Nfce => &self.nfce,
            Model::Cte => &self.cte,
            Model::Mdfe => &self.mdfe,
        }
    }
}
