//! Kinds of documents, by their addresses below `/v2`.

use store::words::Model;

/// A kind of document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Nfe,
    Nfce,
    /// NFS-e of a city, in their layout for all of them.
    Nfse,
    /// NFS-e of the national environment.
    NfseNational,
}

impl Kind {
    pub const ALL: [Kind; 4] = [Kind::Nfe, Kind::Nfce, Kind::Nfse, Kind::NfseNational];

    /// Segment of their addresses.
    pub const fn segment(self) -> &'static str {
        match self {
            Kind::Nfe => "nfe",
            Kind::Nfce => "nfce",
            Kind::Nfse => "nfse",
            Kind::NfseNational => "nfsen",
        }
    }

    /// Segment of our addresses below `/api/v1`.
    pub const fn own(self) -> &'static str {
        match self {
            Kind::Nfe => "nfe",
            Kind::Nfce => "nfce",
            Kind::Nfse | Kind::NfseNational => "nfse",
        }
    }

    pub const fn model(self) -> Model {
        match self {
            Kind::Nfe => Model::Nfe,
            Kind::Nfce => Model::Nfce,
            Kind::Nfse | Kind::NfseNational => Model::Nfse,
        }
    }

    /// Their name of the member that says whose it is.
    pub const fn company(self) -> &'static str {
        match self {
            Kind::Nfe | Kind::Nfce => "cnpj_emitente",
            Kind::Nfse => "prestador.cnpj",
            Kind::NfseNational => "cnpj_prestador",
        }
    }

    /// A document of a SEFAZ.
    pub const fn is_product(self) -> bool {
        matches!(self, Kind::Nfe | Kind::Nfce)
    }
}
