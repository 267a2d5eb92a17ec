//! retEvento and procEventoNFe, and what other families call them: an event
//! as the authority keeps it.

use super::cstat::State;
use super::{Answer, text};
use crate::family::Family;
use crate::ids;
use sdk::xml::Element;
use sdk::{Documento, Situacao};
use serde_json::{Value, json};

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

/// What the document is after an event of this kind. A manifest that was
/// closed stays authorized.
pub fn status_after(family: &Family, kind: &str) -> Situacao {
    if family.cancels(kind) {
        Situacao::Cancelado
    } else {
        Situacao::Autorizado
    }
}

/// Whether a state says that the event is registered.
pub fn registered(family: &Family, state: &State) -> bool {
    family.codes.registered.contains(&state.cstat.as_str())
}

impl Evento {
    /// An answer to an event, or the event joined with its answer. None: it
    /// says nothing.
    pub fn read(answer: &Answer, element: &Element) -> Option<Self> {
        let family = answer.family;
        // The schema of retConsSitCTe wants one element more around it.
        let element = element.child(family.event_joined).unwrap_or(element);
        let said = element
            .child(family.event_answer)
            .map_or_else(|| element.child("infEvento"), |ret| ret.child("infEvento"))?;
        let request = element
            .child(family.event)
            .and_then(|evento| evento.child("infEvento"));
        let field = |name: &str| {
            text(said, name).or_else(|| request.and_then(|request| text(request, name)))
        };
        let state = State::of(said)?;
        let kind = field("tpEvento").unwrap_or_default();
        let status = status_after(family, &kind);
        let name = if request.is_some() {
            family.event_joined
        } else {
            family.event_answer
        };
        let mut documento = Documento::new(name, status);
        documento.xml = Some(answer.xml(element));
        documento.chave = field(family.chave);
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
    pub fn is_valid(&self, family: &Family, tp_amb: &str) -> bool {
        registered(family, &self.state)
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
