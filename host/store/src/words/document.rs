//! Words that several tables say of a document.

use super::words;

words! {
    /// The kinds of documents the hub issues.
    #[derive(Default)]
    pub enum Modelo {
        /// Service note.
        #[default]
        Nfse = "nfse",
        /// Product note, model 55.
        Nfe = "55",
        /// Consumer's product note, model 65.
        Nfce = "65",
    }
}

impl Modelo {
    /// Word of paths, identifiers and events: `nfe`.
    pub const fn nome(self) -> &'static str {
        match self {
            Modelo::Nfse => "nfse",
            Modelo::Nfe => "nfe",
            Modelo::Nfce => "nfce",
        }
    }

    /// What ids begin with: all product notes are one sequence in time.
    pub const fn prefixo(self) -> &'static str {
        match self {
            Modelo::Nfse => "nfse",
            Modelo::Nfe | Modelo::Nfce => "nfe",
        }
    }

    /// Whether an id is a note's, of any model.
    pub fn is_nota(id: &str) -> bool {
        let prefix = id.split_once('_').map(|(prefix, _)| prefix);
        let mut all = Modelo::ALL.iter();
        all.any(|modelo| prefix == Some(modelo.prefixo()))
    }

    /// As a sentence says it.
    pub const fn titulo(self) -> &'static str {
        match self {
            Modelo::Nfse => "NFS-e",
            Modelo::Nfe => "NF-e",
            Modelo::Nfce => "NFC-e",
        }
    }

    /// NF-e or NFC-e: goes to a SEFAZ.
    pub const fn is_produto(self) -> bool {
        match self {
            Modelo::Nfse => false,
            Modelo::Nfe | Modelo::Nfce => true,
        }
    }
}

words! {
    /// The environment of a document. An emitter has one of the last two.
    #[derive(Default)]
    pub enum Ambiente {
        /// The simulated authorities of a test key.
        #[default]
        Simulado = "simulado",
        Homologacao = "homologacao",
        Producao = "producao",
    }
}

impl Ambiente {
    /// As the API calls it: to a customer what is simulated is homologation.
    pub const fn shown(self) -> Ambiente {
        match self {
            Ambiente::Simulado | Ambiente::Homologacao => Ambiente::Homologacao,
            Ambiente::Producao => Ambiente::Producao,
        }
    }
}
