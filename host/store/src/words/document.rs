//! Words that several tables say of a document.

use super::words;

words! {
    /// The kinds of documents the hub issues.
    #[derive(Default)]
    pub enum Model {
        /// Service note.
        #[default]
        Nfse = "nfse",
        /// Product note, model 55.
        Nfe = "55",
        /// Consumer's product note, model 65.
        Nfce = "65",
        /// Transport document, model 57.
        Cte = "57",
        /// Manifest of transport documents, model 58.
        Mdfe = "58",
    }
}

impl Model {
    /// Word of paths, identifiers and events: `nfe`.
    pub const fn name(self) -> &'static str {
        match self {
            Model::Nfse => "nfse",
            Model::Nfe => "nfe",
            Model::Nfce => "nfce",
            Model::Cte => "cte",
            Model::Mdfe => "mdfe",
        }
    }

    /// What ids begin with: all product notes are one sequence in time.
    pub const fn prefix(self) -> &'static str {
        match self {
            Model::Nfse => "nfse",
            Model::Nfe | Model::Nfce => "nfe",
            Model::Cte => "cte",
            Model::Mdfe => "mdfe",
        }
    }

    /// Whether an id is a note's, of any model.
    pub fn is_nota(id: &str) -> bool {
        let prefix = id.split_once('_').map(|(prefix, _)| prefix);
        let mut all = Model::ALL.iter();
        all.any(|model| prefix == Some(model.prefix()))
    }

    /// As a sentence says it.
    pub const fn title(self) -> &'static str {
        match self {
            Model::Nfse => "NFS-e",
            Model::Nfe => "NF-e",
            Model::Nfce => "NFC-e",
            Model::Cte => "CT-e",
            Model::Mdfe => "MDF-e",
        }
    }

    /// Whether it goes to an authority of a state: all but the service note.
    pub const fn goes_to_sefaz(self) -> bool {
        match self {
            Model::Nfse => false,
            Model::Nfe | Model::Nfce | Model::Cte | Model::Mdfe => true,
        }
    }

    /// NF-e or NFC-e.
    pub const fn is_product(self) -> bool {
        matches!(self, Model::Nfe | Model::Nfce)
    }

    /// CT-e or MDF-e.
    pub const fn is_transport(self) -> bool {
        matches!(self, Model::Cte | Model::Mdfe)
    }
}

words! {
    /// The environment of a document. An emitter has one of the last two.
    #[derive(Default)]
    pub enum Ambiente {
        /// The simulated authorities of a test key.
        #[default]
        Simulated = "simulado",
        Homologacao = "homologacao",
        Production = "producao",
    }
}

impl Ambiente {
    /// As the API calls it: to a customer what is simulated is homologation.
    pub const fn shown(self) -> Ambiente {
        match self {
            Ambiente::Simulated | Ambiente::Homologacao => Ambiente::Homologacao,
            Ambiente::Production => Ambiente::Production,
        }
    }
}
