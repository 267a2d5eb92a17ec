//! Protocols, events with their answers, summaries of the distribution: small
//! documents, read into types. Each may be inside of a SOAP answer.

use std::borrow::Cow;

use serde::Serialize;

use super::LeituraError;
use crate::nfe::event::NAMESPACE;
use markup::xml::{Document, Element};

/// `protNFe`: the authority's word on a note.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Protocolo {
    /// `tpAmb`: `1` or `2`.
    pub ambiente: String,
    pub aplicativo: String,
    pub chave: String,
    /// `dhRecbto`.
    pub recebida_em: String,
    /// `nProt`; absent on refusals.
    pub numero: Option<String>,
    /// `digVal`, base64.
    pub digest: Option<String>,
    /// `cStat`.
    pub status: String,
    /// `xMotivo`.
    pub mensagem: String,
    /// `cMsg`, `xMsg`: what the authority adds for the issuer.
    pub codigo_mensagem_fisco: Option<String>,
    pub mensagem_fisco: Option<String>,
}

/// `evento`: what somebody registered or asks to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct EventoLido {
    pub id: String,
    /// `cOrgao`.
    pub orgao: String,
    pub ambiente: String,
    /// CNPJ or CPF.
    pub autor: String,
    pub chave: String,
    /// `dhEvento`.
    pub em: String,
    /// `tpEvento`.
    pub tipo: String,
    pub sequencia: u8,
    pub versao: String,
    /// `descEvento`.
    pub descricao: String,
    /// Members of `detEvento` by official path: `detPag[1]/vPag`, `xJust`.
    pub dados: Vec<(String, String)>,
}

/// `retEvento`: the answer to an event.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct RetornoEvento {
    pub ambiente: String,
    pub aplicativo: String,
    pub orgao: String,
    pub status: String,
    pub mensagem: String,
    pub chave: Option<String>,
    pub tipo: Option<String>,
    pub descricao: Option<String>,
    pub sequencia: Option<u8>,
    /// CNPJ or CPF of the addressee.
    pub destinatario: Option<String>,
    pub email: Option<String>,
    /// `dhRegEvento`.
    pub registrado_em: String,
    pub protocolo: Option<String>,
}

/// `procEventoNFe`: an event and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EventoProcessado {
    pub evento: EventoLido,
    pub retorno: RetornoEvento,
}

/// `resNFe`: what a summary tells of a note received.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ResumoNota {
    pub chave: String,
    pub emitente: String,
    pub nome: String,
    pub ie: Option<String>,
    pub emitida_em: String,
    /// `0` entrada, `1` saída.
    pub tipo_operacao: String,
    pub valor: String,
    pub digest: Option<String>,
    pub autorizada_em: String,
    pub protocolo: String,
    /// `1` autorizada, `2` denegada, `3` cancelada.
    pub situacao: String,
}

/// `resEvento`: what a summary tells of an event.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ResumoEvento {
    pub orgao: String,
    pub autor: String,
    pub chave: String,
    pub em: String,
    pub tipo: String,
    pub sequencia: u8,
    pub descricao: String,
    pub registrado_em: String,
    pub protocolo: String,
}

/// The first `protNFe`.
///
/// # Errors
/// There is none.
pub fn protocolo(doc: &Document<'_>) -> Result<Protocolo, LeituraError> {
    let inf = dentro(doc, "protNFe", "infProt")?;
    Ok(Protocolo {
        ambiente: inf.texto("tpAmb"),
        aplicativo: inf.texto("verAplic"),
        chave: inf.texto("chNFe"),
        recebida_em: inf.texto("dhRecbto"),
        numero: inf.opcional("nProt"),
        digest: inf.opcional("digVal"),
        status: inf.texto("cStat"),
        mensagem: inf.texto("xMotivo"),
        codigo_mensagem_fisco: inf.opcional("cMsg"),
        mensagem_fisco: inf.opcional("xMsg"),
    })
}

/// The first `evento`.
///
/// # Errors
/// There is none.
pub(super) fn evento(doc: &Document<'_>) -> Result<EventoLido, LeituraError> {
    let inf = dentro(doc, "evento", "infEvento")?;
    let detalhe = inf.0.child("detEvento");
    Ok(EventoLido {
        id: inf.0.attribute("Id").unwrap_or("").to_owned(),
        orgao: inf.texto("cOrgao"),
        ambiente: inf.texto("tpAmb"),
        autor: inf
            .opcional("CNPJ")
            .or_else(|| inf.opcional("CPF"))
            .unwrap_or_default(),
        chave: inf.texto("chNFe"),
        em: inf.texto("dhEvento"),
        tipo: inf.texto("tpEvento"),
        sequencia: inf.sequencia().unwrap_or_default(),
        versao: inf.texto("verEvento"),
        descricao: detalhe
            .map(|detalhe| Campos(detalhe).texto("descEvento"))
            .unwrap_or_default(),
        dados: detalhe.map(dados).unwrap_or_default(),
    })
}

/// The first `retEvento`.
///
/// # Errors
/// There is none.
pub(super) fn retorno_evento(doc: &Document<'_>) -> Result<RetornoEvento, LeituraError> {
    let inf = dentro(doc, "retEvento", "infEvento")?;
    Ok(RetornoEvento {
        ambiente: inf.texto("tpAmb"),
        aplicativo: inf.texto("verAplic"),
        orgao: inf.texto("cOrgao"),
        status: inf.texto("cStat"),
        mensagem: inf.texto("xMotivo"),
        chave: inf.opcional("chNFe"),
        tipo: inf.opcional("tpEvento"),
        descricao: inf.opcional("xEvento"),
        sequencia: inf.sequencia(),
        destinatario: inf.opcional("CNPJDest").or_else(|| inf.opcional("CPFDest")),
        email: inf.opcional("emailDest"),
        registrado_em: inf.texto("dhRegEvento"),
        protocolo: inf.opcional("nProt"),
    })
}

/// `procEventoNFe`.
///
/// # Errors
/// Event or answer is missing.
pub fn evento_processado(doc: &Document<'_>) -> Result<EventoProcessado, LeituraError> {
    Ok(EventoProcessado {
        evento: evento(doc)?,
        retorno: retorno_evento(doc)?,
    })
}

/// `resNFe`.
///
/// # Errors
/// There is none.
pub fn resumo_nota(doc: &Document<'_>) -> Result<ResumoNota, LeituraError> {
    let resumo = achado(doc, "resNFe")?;
    Ok(ResumoNota {
        chave: resumo.texto("chNFe"),
        emitente: resumo
            .opcional("CNPJ")
            .or_else(|| resumo.opcional("CPF"))
            .unwrap_or_default(),
        nome: resumo.texto("xNome"),
        ie: resumo.opcional("IE"),
        emitida_em: resumo.texto("dhEmi"),
        tipo_operacao: resumo.texto("tpNF"),
        valor: resumo.texto("vNF"),
        digest: resumo.opcional("digVal"),
        autorizada_em: resumo.texto("dhRecbto"),
        protocolo: resumo.texto("nProt"),
        situacao: resumo.texto("cSitNFe"),
    })
}

/// `resEvento`.
///
/// # Errors
/// There is none.
pub fn resumo_evento(doc: &Document<'_>) -> Result<ResumoEvento, LeituraError> {
    let resumo = achado(doc, "resEvento")?;
    Ok(ResumoEvento {
        orgao: resumo.texto("cOrgao"),
        autor: resumo
            .opcional("CNPJ")
            .or_else(|| resumo.opcional("CPF"))
            .unwrap_or_default(),
        chave: resumo.texto("chNFe"),
        em: resumo.texto("dhEvento"),
        tipo: resumo.texto("tpEvento"),
        sequencia: resumo.sequencia().unwrap_or_default(),
        descricao: resumo.texto("xEvento"),
        registrado_em: resumo.texto("dhRecbto"),
        protocolo: resumo.texto("nProt"),
    })
}

/// Children of one element by name.
struct Campos<'d>(Element<'d>);

impl Campos<'_> {
    fn opcional(&self, nome: &str) -> Option<String> {
        let texto = self.0.text_at(&[nome])?;
        let texto = texto.trim();
        (!texto.is_empty()).then(|| texto.to_owned())
    }

    fn texto(&self, nome: &str) -> String {
        self.opcional(nome).unwrap_or_default()
    }

    fn sequencia(&self) -> Option<u8> {
        self.opcional("nSeqEvento")?.parse().ok()
    }
}

/// The first element of that name in the namespace of NF-e.
fn achado<'d>(doc: &'d Document<'_>, nome: &'static str) -> Result<Campos<'d>, LeituraError> {
    doc.elements()
        .find(|elemento| elemento.name() == nome && elemento.namespace() == NAMESPACE)
        .map(Campos)
        .ok_or(LeituraError::Ausente(nome))
}

fn dentro<'d>(
    doc: &'d Document<'_>,
    nome: &'static str,
    filho: &'static str,
) -> Result<Campos<'d>, LeituraError> {
    let Campos(fora) = achado(doc, nome)?;
    fora.child(filho)
        .map(Campos)
        .ok_or(LeituraError::Ausente(filho))
}

/// Leaves of `detEvento` but `descEvento`, groups that repeat counted from 1.
/// At most 10 levels and 20,000 leaves: the biggest event has 990 items of six.
fn dados(detalhe: Element<'_>) -> Vec<(String, String)> {
    fn visita(
        elemento: Element<'_>,
        caminho: &str,
        nivel: usize,
        saida: &mut Vec<(String, String)>,
    ) {
        const MAX_FOLHAS: usize = 20_000;
        let mut quantos = std::collections::HashMap::<&str, usize>::new();
        for filho in elemento.children() {
            *quantos.entry(filho.name()).or_default() += 1;
        }
        let mut vistos = std::collections::HashMap::<&str, usize>::new();
        for filho in elemento.children() {
            if saida.len() >= MAX_FOLHAS {
                return;
            }
            let nome = filho.name();
            let visto = vistos.entry(nome).or_default();
            *visto += 1;
            let repete = quantos.get(nome).is_some_and(|quantos| *quantos > 1);
            let nome: Cow<'_, str> = if repete {
                Cow::Owned(format!("{nome}[{visto}]"))
            } else {
                Cow::Borrowed(nome)
            };
            let aqui = if caminho.is_empty() {
                nome.into_owned()
            } else {
                format!("{caminho}/{nome}")
            };
            for (_, atributo, valor) in filho.attributes() {
                saida.push((format!("{aqui}/@{atributo}"), valor.to_owned()));
            }
            if filho.children().next().is_some() && nivel < 10 {
                visita(filho, &aqui, nivel + 1, saida);
            } else {
                saida.push((aqui, filho.text().into_owned()));
            }
        }
    }
    let mut saida = Vec::new();
    visita(detalhe, "", 0, &mut saida);
    saida.retain(|(caminho, _)| caminho != "descEvento");
    saida
}
