//! retEvento and procEventoNFe: an event as the authority keeps it.

use super::cstat::Estado;
use super::{Retorno, texto};
use crate::ids;
use sdk::xml::Element;
use sdk::{Documento, Situacao};
use serde_json::{Value, json};

/// Cancellation, and cancellation by substitution of an NFC-e.
const CANCELAMENTOS: [&str; 2] = ["110111", "110112"];

/// An event of an answer.
pub struct Evento {
    pub tipo: String,
    pub sequencia: Option<u32>,
    pub chave: Option<String>,
    pub estado: Estado,
    /// tpAmb of the authority's answer.
    pub ambiente: Option<String>,
    pub documento: Documento,
}

/// Whether a kind of event ends the document it is about.
pub fn cancela(tipo: &str) -> bool {
    CANCELAMENTOS.contains(&tipo)
}

/// What the document is after an event of this kind.
pub fn situacao_apos(tipo: &str) -> Situacao {
    if cancela(tipo) {
        Situacao::Cancelado
    } else {
        Situacao::Autorizado
    }
}

/// Registered: bound to the document, not bound to it yet, or late.
pub fn registrado(estado: &Estado) -> bool {
    matches!(estado.cstat.as_str(), "135" | "136" | "155")
}

impl Evento {
    /// A `retEvento`, or a `procEventoNFe` with its `retEvento`. None: it
    /// says nothing.
    pub fn ler(retorno: &Retorno, elemento: &Element) -> Option<Self> {
        let dito = elemento
            .find("retEvento/infEvento")
            .or_else(|| elemento.child("infEvento"))?;
        let pedido = elemento.find("evento/infEvento");
        let campo = |nome: &str| {
            texto(dito, nome).or_else(|| pedido.and_then(|pedido| texto(pedido, nome)))
        };
        let estado = Estado::de(dito)?;
        let tipo = campo("tpEvento").unwrap_or_default();
        let situacao = situacao_apos(&tipo);
        let nome = if pedido.is_some() {
            "procEventoNFe"
        } else {
            "retEvento"
        };
        let mut documento = Documento::new(nome, situacao);
        documento.xml = Some(retorno.xml(elemento));
        documento.chave = campo("chNFe");
        documento.numero = campo("nSeqEvento");
        documento.protocolo = texto(dito, "nProt").filter(|numero| ids::protocolo(numero));
        documento.emitido_em = texto(dito, "dhRegEvento");
        for (nome, valor) in [
            ("tpEvento", Some(tipo.clone())),
            ("nSeqEvento", campo("nSeqEvento")),
            ("cOrgao", campo("cOrgao")),
            ("cStat", Some(estado.cstat.clone())),
            ("xMotivo", Some(estado.motivo.clone())),
            ("xEvento", texto(dito, "xEvento")),
        ] {
            documento.valor(nome, valor.as_deref());
        }
        Some(Evento {
            tipo,
            sequencia: documento
                .numero
                .as_deref()
                .and_then(|numero| numero.parse().ok()),
            chave: documento.chave.clone(),
            estado,
            ambiente: texto(dito, "tpAmb"),
            documento,
        })
    }

    pub fn e(&self, chave: &str, tipo: &str, sequencia: u32) -> bool {
        self.chave.as_deref() == Some(chave)
            && self.tipo == tipo
            && self.sequencia == Some(sequencia)
    }

    /// Registered here and bound to a protocol: what does not say the
    /// environment is of this one.
    pub fn vale(&self, tp_amb: &str) -> bool {
        registrado(&self.estado)
            && self.documento.protocolo.is_some()
            && self.ambiente.as_deref().is_none_or(|dito| dito == tp_amb)
    }

    /// A line of `sefaz.situacao/1`.
    pub fn resumo(&self) -> Value {
        json!({
            "tipo": self.tipo,
            "sequencia": self.sequencia,
            "cstat": self.estado.cstat,
            "motivo": self.estado.motivo,
            "protocolo": self.documento.protocolo,
            "registrado_em": self.documento.emitido_em,
        })
    }
}
