//! What the catalogue says about one event and its fields.

use serde::{Serialize, Serializer};

use crate::nfe::event::family::Family;

/// One type of event.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Kind {
    /// `tpEvento`, six digits.
    #[serde(rename = "tipo_evento")]
    pub codigo: &'static str,
    /// For people, with accents.
    pub nome: &'static str,
    /// `descEvento`, exactly as the schema enumerates it.
    pub descricao: &'static str,
    /// When and why somebody registers it, in our own words.
    pub explicacao: &'static str,
    /// Who registers it. More than one where the schema enumerates several.
    #[serde(rename = "autor", serialize_with = "together")]
    pub autores: &'static [Author],
    /// Models of the document: `55`, `65`.
    pub modelos: &'static [&'static str],
    /// `verEvento` and `detEvento/@versao`.
    pub versao: &'static str,
    pub receptor: Receiver,
    /// Highest `nSeqEvento`.
    pub sequencia_maxima: u8,
    /// Until when, in words; [`data::cancellation`] has the hours of cancelling.
    pub prazo: &'static str,
    pub campos: &'static [EventField],
    /// Technical note it comes from.
    pub nota_tecnica: &'static str,
    /// IBS, CBS and IS (NT 2025.002).
    pub reforma: bool,
    /// Whether the hub sends it. Not: what only tax authorities register, and
    /// what a later note abolished.
    pub envia: bool,
    /// What stands at the head of `detEvento`, after `descEvento`.
    #[serde(skip)]
    pub cabeca: Head,
    /// Documents it is an event of.
    #[serde(skip)]
    pub familia: Family,
    /// Element inside of `detEvento` that the fields stand in (`evCancCTe`);
    /// empty for the NF-e, where they stand in `detEvento` itself.
    #[serde(skip)]
    pub elemento: &'static str,
}

/// Fields `detEvento` begins with, filled from the event's envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Head {
    /// None.
    Nothing,
    /// `verAplic`.
    Application,
    /// `cOrgaoAutor`, `verAplic`.
    Agency,
    /// `cOrgaoAutor`, `tpAutor`, `verAplic`.
    Complete,
}

/// Who registers an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    Emitente,
    Destinatario,
    /// Company that takes over credits in a merger or a split.
    Sucessora,
    Fisco,
}

impl Author {
    /// `tpAutor`.
    pub fn codigo(self) -> &'static str {
        match self {
            Author::Emitente => "1",
            Author::Destinatario => "2",
            Author::Fisco => "5",
            Author::Sucessora => "8",
        }
    }

    /// As it is written in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Author::Emitente => "emitente",
            Author::Destinatario => "destinatario",
            Author::Sucessora => "sucessora",
            Author::Fisco => "fisco",
        }
    }
}

/// Who registers what is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Receiver {
    /// Authoriser of the issuer's state; `cOrgao` is the state's code.
    Autorizador,
    /// SEFAZ Virtual do Rio Grande do Sul, for all states; `cOrgao` 92.
    Svrs,
    /// SVRS for model 55, the state's authoriser for model 65.
    SvrsOuAutorizador,
    /// Ambiente Nacional; `cOrgao` 91.
    AmbienteNacional,
}

impl Receiver {
    /// `cOrgao` for a note of this model and state (`cUF` of the key).
    pub fn agency<'a>(self, model: &str, cuf: &'a str) -> &'a str {
        match self {
            Receiver::Svrs => "92",
            Receiver::SvrsOuAutorizador if model == "55" => "92",
            Receiver::AmbienteNacional => "91",
            Receiver::Autorizador | Receiver::SvrsOuAutorizador => cuf,
        }
    }
}

/// One field of `detEvento`, a group or an attribute of one.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct EventField {
    /// Name in our JSON.
    pub nome: &'static str,
    /// Official name.
    pub tag: &'static str,
    /// Written as an attribute of the group it is in.
    #[serde(skip_serializing_if = "is_no")]
    pub atributo: bool,
    pub rotulo: &'static str,
    #[serde(rename = "descricao")]
    pub explicacao: &'static str,
    #[serde(flatten)]
    pub formato: Formato,
    pub obrigatorio: bool,
    /// Most occurrences; above one it is a list.
    pub ocorrencias: u16,
    /// Official names of fields that must be there when this one is.
    #[serde(skip_serializing_if = "empty")]
    pub exige: &'static [&'static str],
    /// Members of a group, in official order.
    #[serde(skip_serializing_if = "empty")]
    pub campos: &'static [EventField],
}

/// What a field may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "tipo", rename_all = "snake_case")]
pub enum Formato {
    /// Length in characters.
    Texto {
        tamanho_minimo: u16,
        tamanho_maximo: u16,
    },
    /// Non-negative; `decimais` are always written.
    Decimal {
        inteiros: u32,
        decimais: u32,
    },
    /// One of these.
    Opcao {
        opcoes: &'static [Codigo],
    },
    /// Exactly this many digits.
    Digitos {
        tamanho: u8,
    },
    /// Always this text; not asked for.
    Fixo {
        #[serde(skip)]
        texto: &'static str,
    },
    /// `AAAA-MM-DD`.
    Data,
    /// Access key of 44 positions.
    Chave,
    /// Protocol of 15 or 17 digits.
    Protocolo,
    Cnpj,
    /// Two letters.
    Uf,
    /// Number of an item of the note, 1 to 990.
    Item,
    Grupo,
}

/// One choice of a field.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Codigo {
    /// What is written.
    pub valor: &'static str,
    /// What our JSON takes as well.
    pub nome: &'static str,
    #[serde(rename = "descricao")]
    pub significado: &'static str,
}

fn together<S: Serializer>(authors: &[Author], serializer: S) -> Result<S::Ok, S::Error> {
    let names: Vec<&str> = authors.iter().map(|author| author.name()).collect();
    serializer.serialize_str(&names.join("|"))
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls with a reference"
)]
fn is_no(value: &bool) -> bool {
    !*value
}

fn empty<T>(list: &[T]) -> bool {
    list.is_empty()
}

/// What most entries have.
pub const BASE: Kind = Kind {
    codigo: "",
    nome: "",
    descricao: "",
    explicacao: "",
    autores: &[Author::Emitente],
    modelos: &["55"],
    versao: "1.00",
    receptor: Receiver::Autorizador,
    sequencia_maxima: 1,
    prazo: "",
    campos: &[],
    nota_tecnica: "",
    reforma: false,
    envia: true,
    cabeca: Head::Nothing,
    familia: Family::Nfe,
    elemento: "",
};
