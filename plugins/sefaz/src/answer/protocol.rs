//! protNFe: the authority's word about one document.

use super::cstat::{Classe, Estado};
use super::{Retorno, texto};
use crate::ids;
use sdk::xml::Element;
use sdk::{Documento, Mensagem, Situacao};

/// The protocol of a key in an answer.
pub struct Protocolo<'a> {
    pub elemento: &'a Element,
    pub inf: &'a Element,
    pub estado: Estado,
}

/// What an answer has about a key.
pub enum Achado<'a> {
    Protocolo(Protocolo<'a>),
    /// There are protocols, and none is of this key or says anything.
    DeOutro,
    Nenhum,
}

/// The protocol of `chave` among those of an answer.
pub fn achar<'a>(raiz: &'a Element, chave: &str) -> Achado<'a> {
    let mut algum = false;
    for elemento in raiz.children_named("protNFe") {
        algum = true;
        let Some(inf) = elemento.child("infProt") else {
            continue;
        };
        let Some(estado) = Estado::de(inf) else {
            continue;
        };
        // A refusal may come without the key, since nothing was read: the
        // lot has one note, so it is about that one.
        let nosso = match inf.text_at("chNFe") {
            Some(dita) => dita == chave,
            None => estado.classe() == Classe::Recusa,
        };
        if nosso {
            return Achado::Protocolo(Protocolo {
                elemento,
                inf,
                estado,
            });
        }
    }
    if algum {
        Achado::DeOutro
    } else {
        Achado::Nenhum
    }
}

impl Protocolo<'_> {
    /// Authorized, denied, or something else.
    pub fn situacao(&self) -> Option<Situacao> {
        match self.estado.cstat.as_str() {
            "100" | "150" => Some(Situacao::Autorizado),
            "110" | "301" | "302" | "303" => Some(Situacao::Denegado),
            _ => None,
        }
    }

    /// The number of the protocol, without which there is no yes.
    pub fn numero(&self) -> Option<&str> {
        self.inf
            .text_at("nProt")
            .filter(|numero| ids::protocolo(numero))
    }

    /// Whether it speaks of this environment; one that does not say does.
    pub fn do_ambiente(&self, tp_amb: &str) -> bool {
        self.inf.text_at("tpAmb").is_none_or(|dito| dito == tp_amb)
    }

    pub fn documento(&self, retorno: &Retorno, chave: &str, situacao: Situacao) -> Documento {
        let mut documento = Documento::new("protNFe", situacao);
        documento.xml = Some(retorno.xml(self.elemento));
        documento.chave = Some(chave.to_owned());
        if let Some((serie, numero)) = ids::serie_e_numero(chave) {
            documento.serie = Some(serie);
            documento.numero = Some(numero);
        }
        documento.protocolo = self.numero().map(str::to_owned);
        documento.emitido_em = texto(self.inf, "dhRecbto");
        for (nome, valor) in [
            ("cStat", Some(self.estado.cstat.clone())),
            ("xMotivo", Some(self.estado.motivo.clone())),
            ("digVal", texto(self.inf, "digVal")),
            ("tMed", texto(retorno.raiz(), "infRec/tMed")),
        ] {
            documento.valor(nome, valor.as_deref());
        }
        documento
    }

    /// What the authority has to tell the emitter beside its yes (cMsg, xMsg).
    pub fn avisos(&self) -> Vec<Mensagem> {
        let texto_do_aviso = texto(self.inf, "xMsg");
        texto_do_aviso
            .map(|aviso| Mensagem::new(&texto(self.inf, "cMsg").unwrap_or_default(), &aviso))
            .into_iter()
            .collect()
    }
}
