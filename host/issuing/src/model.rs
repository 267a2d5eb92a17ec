//! What differs from one kind of document to another, in one place.

use base::errors::Code;
use compose::frame::Ambiente;
use store::tables::notas::NotaRow;

/// The kinds of documents the hub issues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Modelo {
    /// Service note.
    Nfse,
    /// Product note, model 55.
    Nfe,
    /// Consumer's product note, model 65.
    Nfce,
}

/// Code by which an adapter says that the number belongs to a document that
/// is not ours: other software issues under the same series.
pub const NUMERO_JA_USADO: &str = "numero_ja_usado";

/// Codes by which a SEFAZ says that the number belongs to something else: it
/// is not given out again. 204, 539, 561, 562 and 613: another note has it;
/// 206: it was voided (MOC 7.0, annex of rejections).
const NUMERO_DE_OUTRO: [&str; 6] = ["204", "206", "539", "561", "562", "613"];

impl Modelo {
    /// That of a note.
    pub fn of(nota: &NotaRow) -> Modelo {
        Modelo::from_word(&nota.modelo)
    }

    /// By the word of the database; service notes are the default.
    pub fn from_word(word: &str) -> Modelo {
        match word {
            "55" => Modelo::Nfe,
            "65" => Modelo::Nfce,
            _ => Modelo::Nfse,
        }
    }

    /// Word of the database and of `modelo` in the API; also the kind under
    /// which the authority's XML is kept.
    pub fn as_str(self) -> &'static str {
        match self {
            Modelo::Nfse => "nfse",
            Modelo::Nfe => "55",
            Modelo::Nfce => "65",
        }
    }

    /// Word of paths, identifiers and events: `nfe`.
    pub fn nome(self) -> &'static str {
        match self {
            Modelo::Nfse => "nfse",
            Modelo::Nfe => "nfe",
            Modelo::Nfce => "nfce",
        }
    }

    /// What ids begin with: all product notes are one sequence in time.
    pub fn prefixo(self) -> &'static str {
        match self {
            Modelo::Nfse => "nfse",
            Modelo::Nfe | Modelo::Nfce => "nfe",
        }
    }

    /// Whether an id is a note's, of any model.
    pub fn is_nota(id: &str) -> bool {
        let all = [Modelo::Nfse, Modelo::Nfe, Modelo::Nfce];
        let prefix = id.split_once('_').map(|(prefix, _)| prefix);
        all.iter().any(|modelo| prefix == Some(modelo.prefixo()))
    }

    /// As a sentence says it.
    pub fn titulo(self) -> &'static str {
        match self {
            Modelo::Nfse => "NFS-e",
            Modelo::Nfe => "NF-e",
            Modelo::Nfce => "NFC-e",
        }
    }

    /// NF-e or NFC-e: goes to a SEFAZ.
    pub fn is_produto(self) -> bool {
        self != Modelo::Nfse
    }

    /// The contract's operation that issues a note.
    pub fn emissao(self, substitui: bool) -> &'static str {
        match (self, substitui) {
            (Modelo::Nfse, false) => "emitir",
            (Modelo::Nfse, true) => "substituir",
            (Modelo::Nfe | Modelo::Nfce, _) => "autorizar",
        }
    }

    /// The contract's operation that asks what became of a note.
    pub fn consulta(self) -> &'static str {
        match self {
            Modelo::Nfse => "consultar-rps",
            Modelo::Nfe | Modelo::Nfce => "consultar",
        }
    }

    /// State of a note the simulated authorities of a test key accepted: a
    /// service note is only validated (specification, item 5.3).
    pub fn aceita_na_simulacao(self) -> &'static str {
        match self {
            Modelo::Nfse => "validada",
            Modelo::Nfe | Modelo::Nfce => "autorizada",
        }
    }

    /// The customer's event: `nfe.autorizada`, `nfse.emitida`.
    pub fn evento(self, fato: Fato) -> &'static str {
        match (self, fato) {
            (Modelo::Nfse, Fato::Autorizada) => "nfse.emitida",
            (Modelo::Nfse, Fato::Rejeitada) => "nfse.rejeitada",
            (Modelo::Nfse, Fato::Cancelada) => "nfse.cancelada",
            (Modelo::Nfe, Fato::Autorizada) => "nfe.autorizada",
            (Modelo::Nfe, Fato::Rejeitada) => "nfe.rejeitada",
            (Modelo::Nfe, Fato::Cancelada) => "nfe.cancelada",
            (Modelo::Nfce, Fato::Autorizada) => "nfce.autorizada",
            (Modelo::Nfce, Fato::Rejeitada) => "nfce.rejeitada",
            (Modelo::Nfce, Fato::Cancelada) => "nfce.cancelada",
        }
    }

    /// The authority said no.
    pub fn rejeitada(self) -> Code {
        if self.is_produto() {
            Code::RejeitadaPelaSefaz
        } else {
            Code::RejeitadaPelaPrefeitura
        }
    }

    /// The authority is down.
    pub fn indisponivel(self) -> Code {
        if self.is_produto() {
            Code::SefazIndisponivel
        } else {
            Code::PrefeituraIndisponivel
        }
    }

    /// Whether a refusal says that the number belongs to another document.
    pub fn numero_de_outro(self, codigo: &str) -> bool {
        codigo == NUMERO_JA_USADO || self.is_produto() && NUMERO_DE_OUTRO.contains(&codigo)
    }
}

/// What a customer is told of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fato {
    Autorizada,
    Rejeitada,
    Cancelada,
}

/// The environment of a note, from key and emitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AmbienteNota {
    Simulado,
    Homologacao,
    Producao,
}

impl AmbienteNota {
    /// The one a note was issued in.
    pub fn of(nota: &NotaRow) -> AmbienteNota {
        match nota.ambiente.as_str() {
            "producao" => AmbienteNota::Producao,
            "homologacao" => AmbienteNota::Homologacao,
            _ => AmbienteNota::Simulado,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            AmbienteNota::Simulado => "simulado",
            AmbienteNota::Homologacao => "homologacao",
            AmbienteNota::Producao => "producao",
        }
    }

    /// `tpAmb`: what is only simulated is no production.
    pub fn tp_amb(self) -> Ambiente {
        match self {
            AmbienteNota::Producao => Ambiente::Producao,
            AmbienteNota::Homologacao | AmbienteNota::Simulado => Ambiente::Homologacao,
        }
    }
}
