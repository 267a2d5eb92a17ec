//! Protocols, events with their answers, summaries of the distribution: small
//! documents, read into types. Each may be inside of a SOAP answer.

use std::borrow::Cow;

use serde::Serialize;

use super::ReadingError;
use crate::nfe::event::NAMESPACE;
use markup::xml::{Document, Element};

/// `protNFe`: the authority's word on a note.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Protocol {
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
pub struct ReadEvent {
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
pub struct EventAnswer {
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
pub struct ProcessedEvent {
    pub evento: ReadEvent,
    pub retorno: EventAnswer,
}

/// `resNFe`: what a summary tells of a note received.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct NotaSummary {
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
pub struct EventSummary {
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
pub fn protocol(doc: &Document<'_>) -> Result<Protocol, ReadingError> {
    let inf = inside(doc, "protNFe", "infProt")?;
    Ok(Protocol {
        ambiente: inf.text("tpAmb"),
        aplicativo: inf.text("verAplic"),
        chave: inf.text("chNFe"),
        recebida_em: inf.text("dhRecbto"),
        numero: inf.optional("nProt"),
        digest: inf.optional("digVal"),
        status: inf.text("cStat"),
        mensagem: inf.text("xMotivo"),
        codigo_mensagem_fisco: inf.optional("cMsg"),
        mensagem_fisco: inf.optional("xMsg"),
    })
}

/// The first `evento`.
///
/// # Errors
/// There is none.
pub(super) fn evento(doc: &Document<'_>) -> Result<ReadEvent, ReadingError> {
    let inf = inside(doc, "evento", "infEvento")?;
    let detail = inf.0.child("detEvento");
    Ok(ReadEvent {
        id: inf.0.attribute("Id").unwrap_or("").to_owned(),
        orgao: inf.text("cOrgao"),
        ambiente: inf.text("tpAmb"),
        autor: inf
            .optional("CNPJ")
            .or_else(|| inf.optional("CPF"))
            .unwrap_or_default(),
        chave: inf.text("chNFe"),
        em: inf.text("dhEvento"),
        tipo: inf.text("tpEvento"),
        sequencia: inf.sequence().unwrap_or_default(),
        versao: inf.text("verEvento"),
        descricao: detail
            .map(|detail| Fields(detail).text("descEvento"))
            .unwrap_or_default(),
        dados: detail.map(data).unwrap_or_default(),
    })
}

/// The first `retEvento`.
///
/// # Errors
/// There is none.
pub fn event_answer(doc: &Document<'_>) -> Result<EventAnswer, ReadingError> {
    let inf = inside(doc, "retEvento", "infEvento")?;
    Ok(EventAnswer {
        ambiente: inf.text("tpAmb"),
        aplicativo: inf.text("verAplic"),
        orgao: inf.text("cOrgao"),
        status: inf.text("cStat"),
        mensagem: inf.text("xMotivo"),
        chave: inf.optional("chNFe"),
        tipo: inf.optional("tpEvento"),
        descricao: inf.optional("xEvento"),
        sequencia: inf.sequence(),
        destinatario: inf.optional("CNPJDest").or_else(|| inf.optional("CPFDest")),
        email: inf.optional("emailDest"),
        registrado_em: inf.text("dhRegEvento"),
        protocolo: inf.optional("nProt"),
    })
}

/// `procEventoNFe`.
///
/// # Errors
/// Event or answer is missing.
pub fn processed_event(doc: &Document<'_>) -> Result<ProcessedEvent, ReadingError> {
    Ok(ProcessedEvent {
        evento: evento(doc)?,
        retorno: event_answer(doc)?,
    })
}

/// `resNFe`.
///
/// # Errors
/// There is none.
pub fn nota_summary(doc: &Document<'_>) -> Result<NotaSummary, ReadingError> {
    let summary = finding(doc, "resNFe")?;
    Ok(NotaSummary {
        chave: summary.text("chNFe"),
        emitente: summary
            .optional("CNPJ")
            .or_else(|| summary.optional("CPF"))
            .unwrap_or_default(),
        nome: summary.text("xNome"),
        ie: summary.optional("IE"),
        emitida_em: summary.text("dhEmi"),
        tipo_operacao: summary.text("tpNF"),
        valor: summary.text("vNF"),
        digest: summary.optional("digVal"),
        autorizada_em: summary.text("dhRecbto"),
        protocolo: summary.text("nProt"),
        situacao: summary.text("cSitNFe"),
    })
}

/// `resEvento`.
///
/// # Errors
/// There is none.
pub fn event_summary(doc: &Document<'_>) -> Result<EventSummary, ReadingError> {
    let summary = finding(doc, "resEvento")?;
    Ok(EventSummary {
        orgao: summary.text("cOrgao"),
        autor: summary
            .optional("CNPJ")
            .or_else(|| summary.optional("CPF"))
            .unwrap_or_default(),
        chave: summary.text("chNFe"),
        em: summary.text("dhEvento"),
        tipo: summary.text("tpEvento"),
        sequencia: summary.sequence().unwrap_or_default(),
        descricao: summary.text("xEvento"),
        registrado_em: summary.text("dhRecbto"),
        protocolo: summary.text("nProt"),
    })
}

/// Children of one element by name.
struct Fields<'d>(Element<'d>);

impl Fields<'_> {
    fn optional(&self, name: &str) -> Option<String> {
        let text = self.0.text_at(&[name])?;
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    fn text(&self, name: &str) -> String {
        self.optional(name).unwrap_or_default()
    }

    fn sequence(&self) -> Option<u8> {
        self.optional("nSeqEvento")?.parse().ok()
    }
}

/// The first element of that name in the namespace of NF-e.
fn finding<'d>(doc: &'d Document<'_>, name: &'static str) -> Result<Fields<'d>, ReadingError> {
    doc.elements()
        .find(|element| element.name() == name && element.namespace() == NAMESPACE)
        .map(Fields)
        .ok_or(ReadingError::Absent(name))
}

fn inside<'d>(
    doc: &'d Document<'_>,
    name: &'static str,
    child: &'static str,
) -> Result<Fields<'d>, ReadingError> {
    let Fields(outside) = finding(doc, name)?;
    outside
        .child(child)
        .map(Fields)
        .ok_or(ReadingError::Absent(child))
}

/// Leaves of `detEvento` but `descEvento`, groups that repeat counted from 1.
/// At most 10 levels and 20,000 leaves: the biggest event has 990 items of six.
fn data(detail: Element<'_>) -> Vec<(String, String)> {
    fn visit(
        element: Element<'_>,
        caminho: &str,
        level: usize,
        output: &mut Vec<(String, String)>,
    ) {
        const MAX_LEAVES: usize = 20_000;
        let mut count = std::collections::HashMap::<&str, usize>::new();
        for child in element.children() {
            *count.entry(child.name()).or_default() += 1;
        }
        let mut seen = std::collections::HashMap::<&str, usize>::new();
        for child in element.children() {
            if output.len() >= MAX_LEAVES {
                return;
            }
            let name = child.name();
            let occurrence = seen.entry(name).or_default();
            *occurrence += 1;
            let repeats = count.get(name).is_some_and(|count| *count > 1);
            let name: Cow<'_, str> = if repeats {
                Cow::Owned(format!("{name}[{occurrence}]"))
            } else {
                Cow::Borrowed(name)
            };
            let here = if caminho.is_empty() {
                name.into_owned()
            } else {
                format!("{caminho}/{name}")
            };
            for (_, attribute, value) in child.attributes() {
                output.push((format!("{here}/@{attribute}"), value.to_owned()));
            }
            if child.children().next().is_some() && level < 10 {
                visit(child, &here, level + 1, output);
            } else {
                output.push((here, child.text().into_owned()));
            }
        }
    }
    let mut output = Vec::new();
    visit(detail, "", 0, &mut output);
    output.retain(|(caminho, _)| caminho != "descEvento");
    output
}
