//! protNFe, protCTe, protMDFe: the authority's word about one document.

use super::cstat::{Class, State};
use super::{Answer, text};
use crate::family::Family;
use crate::ids;
use sdk::xml::Element;
use sdk::{Documento, Mensagem, Situacao};

/// The protocol of a key in an answer.
pub struct Protocol<'a> {
    pub element: &'a Element,
    pub inf: &'a Element,
    pub state: State,
}

/// What an answer has about a key.
pub enum Found<'a> {
    Protocol(Protocol<'a>),
    /// There are protocols, and none is of this key or says anything.
    OfOther,
    Nothing,
}

/// The protocol of `chave` among those of an answer.
pub fn find<'a>(family: &Family, root: &'a Element, chave: &str) -> Found<'a> {
    let mut any = false;
    for element in root.children_named(family.protocol) {
        any = true;
        let Some(inf) = element.child("infProt") else {
            continue;
        };
        let Some(state) = State::of(inf) else {
            continue;
        };
        // A refusal may come without the key, since nothing was read: the
        // lot has one note, so it is about that one.
        let ours = match inf.text_at(family.chave) {
            Some(dita) => dita == chave,
            None => state.class(family) == Class::Refusal,
        };
        if ours {
            return Found::Protocol(Protocol {
                element,
                inf,
                state,
            });
        }
    }
    if any { Found::OfOther } else { Found::Nothing }
}

impl Protocol<'_> {
    /// Authorized, denied, or something else.
    pub fn status(&self) -> Option<Situacao> {
        match self.state.cstat.as_str() {
            "100" | "150" => Some(Situacao::Autorizado),
            "110" | "301" | "302" | "303" => Some(Situacao::Denegado),
            _ => None,
        }
    }

    /// The number of the protocol, without which there is no yes.
    pub fn number(&self) -> Option<&str> {
        self.inf
            .text_at("nProt")
            .filter(|number| ids::protocol(number))
    }

    /// Whether it speaks of this environment; one that does not say does.
    pub fn of_ambiente(&self, tp_amb: &str) -> bool {
        self.inf.text_at("tpAmb").is_none_or(|said| said == tp_amb)
    }

    pub fn documento(&self, answer: &Answer, chave: &str, status: Situacao) -> Documento {
        let mut documento = Documento::new(answer.family.protocol, status);
        documento.xml = Some(answer.xml(self.element));
        documento.chave = Some(chave.to_owned());
        if let Some((serie, number)) = ids::serie_and_number(chave) {
            documento.serie = Some(serie);
            documento.numero = Some(number);
        }
        documento.protocolo = self.number().map(str::to_owned);
        documento.emitido_em = text(self.inf, "dhRecbto");
        for (name, value) in [
            ("cStat", Some(self.state.cstat.clone())),
            ("xMotivo", Some(self.state.reason.clone())),
            ("digVal", text(self.inf, "digVal")),
            ("tMed", text(answer.root(), "infRec/tMed")),
        ] {
            documento.value(name, value.as_deref());
        }
        documento
    }

    /// What the authority has to tell the emitter beside its yes (cMsg, xMsg):
    /// in infProt, in other families in infFisco beside it.
    pub fn notices(&self) -> Vec<Mensagem> {
        let place = self.element.child("infFisco").unwrap_or(self.inf);
        text(place, "xMsg")
            .map(|aviso| Mensagem::new(&text(place, "cMsg").unwrap_or_default(), &aviso))
            .into_iter()
            .collect()
    }
}
