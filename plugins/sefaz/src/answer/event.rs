//! retEvento and procEventoNFe: an event as the authority keeps it.

use super::cstat::State;
use super::{Answer, text};
use crate::ids;
use sdk::xml::Element;
use sdk::{Documento, Situacao};
use serde_json::{Value, json};

/// Cancellation, and cancellation by substitution of an NFC-e.
const CANCELLATIONS: [&str; 2] = ["110111", "110112"];

/// An event of an answer.
pub struct Evento {
    pub kind: String,
    pub sequence: Option<u32>,
    pub chave: Option<String>,
    pub state: State,
    /// tpAmb of the authority's answer.
    pub ambiente: Option<String>,
    pub documento: Documento,
}

/// Whether a kind of event ends the document it is about.
pub fn cancels(kind: &str) -> bool {
    CANCELLATIONS.contains(&kind)
}

/// What the document is after an event of this kind.
pub fn status_after(kind: &str) -> Situacao {
    if cancels(kind) {
        Situacao::Cancelado
    } else {
        Situacao::Autorizado
    }
}

/// Registered: bound to the document, not bound to it yet, or late.
pub fn registered(state: &State) -> bool {
    matches!(state.cstat.as_str(), "135" | "136" | "155")
}

impl Evento {
    /// A `retEvento`, or a `procEventoNFe` with its `retEvento`. None: it
    /// says nothing.
    pub fn read(answer: &Answer, element: &Element) -> Option<Self> {
        let said = element
            .find("retEvento/infEvento")
            .or_else(|| element.child("infEvento"))?;
        let request = element.find("evento/infEvento");
        let field = |name: &str| {
            text(said, name).or_else(|| request.and_then(|request| text(request, name)))
        };
        let state = State::of(said)?;
        let kind = field("tpEvento").unwrap_or_default();
        let status = status_after(&kind);
        let name = if request.is_some() {
            "procEventoNFe"
        } else {
            "retEvento"
        };
        let mut documento = Documento::new(name, status);
        documento.xml = Some(answer.xml(element));
        documento.chave = field("chNFe");
        documento.numero = field("nSeqEvento");
        documento.protocolo = text(said, "nProt").filter(|number| ids::protocol(number));
        documento.emitido_em = text(said, "dhRegEvento");
        for (name, value) in [
            ("tpEvento", Some(kind.clone())),
            ("nSeqEvento", field("nSeqEvento")),
            ("cOrgao", field("cOrgao")),
            ("cStat", Some(state.cstat.clone())),
            ("xMotivo", Some(state.reason.clone())),
            ("xEvento", text(said, "xEvento")),
        ] {
            documento.value(name, value.as_deref());
        }
        Some(Evento {
            kind,
            sequence: documento
                .numero
                .as_deref()
                .and_then(|number| number.parse().ok()),
            chave: documento.chave.clone(),
            state,
            ambiente: text(said, "tpAmb"),
            documento,
        })
    }

    pub fn e(&self, chave: &str, kind: &str, sequence: u32) -> bool {
        self.chave.as_deref() == Some(chave) && self.kind == kind && self.sequence == Some(sequence)
    }

    /// Registered here and bound to a protocol: what does not say the
    /// environment is of this one.
    pub fn is_valid(&self, tp_amb: &str) -> bool {
        registered(&self.state)
            && self.documento.protocolo.is_some()
            && self.ambiente.as_deref().is_none_or(|said| said == tp_amb)
    }

    /// A line of `sefaz.situacao/1`.
    pub fn summary(&self) -> Value {
        json!({
            "tipo": self.kind,
            "sequencia": self.sequence,
            "cstat": self.state.cstat,
            "motivo": self.state.reason,
            "protocolo": self.documento.protocolo,
            "registrado_em": self.documento.emitido_em,
        })
    }
}
