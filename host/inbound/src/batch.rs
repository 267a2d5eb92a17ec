//! What an answer of the distribution holds, read: notes, summaries, events.

use fiscal::nfe::reading::{ReadingError, answers, read};
use flow::contract::Documento;
use issuing::issue::cents;
use markup::ids::chave::Chave;
use markup::xml::{Document, XmlError};
use rust_decimal::Decimal;
use store::tables::recebidas::ReceivedNotaStatus;

/// A document of the distribution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// 0: the authority did not say.
    pub nsu: i64,
    /// Byte for byte as it came.
    pub xml: Vec<u8>,
    pub read: ReadDocument,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadDocument {
    Nota(Nota),
    Evento(Evento),
}

/// A note, or its summary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nota {
    pub complete: bool,
    pub chave: String,
    pub status: ReceivedNotaStatus,
    /// CNPJ or CPF.
    pub issuer: String,
    pub name: String,
    pub issued_at: String,
    pub value: String,
    pub value_cents: i64,
    pub protocol: String,
}

/// An event of a received note, or of one of the company's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evento {
    pub chave: String,
    /// `tpEvento`.
    pub codigo: String,
    pub description: String,
    pub sequence: u8,
    pub registered_at: String,
    pub protocol: String,
}

/// Why a document was left out.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    #[error("no bytes")]
    Empty,
    #[error("not UTF-8")]
    Text,
    #[error(transparent)]
    Xml(#[from] XmlError),
    #[error(transparent)]
    Reading(#[from] ReadingError),
    #[error("no access key")]
    Chave,
    /// The distribution of NF-e has no other kinds (MOC 7.0 §5.7).
    #[error("unknown kind of document")]
    Kind,
}

/// Reads one document, as the adapter gave it.
///
/// # Errors
/// It is none of the four kinds, or cannot be read.
pub fn ler_documento(documento: Documento) -> Result<Received, BatchError> {
    let nsu = documento.numero.as_deref().map_or(0, number);
    let xml = documento
        .xml
        .filter(|xml| !xml.is_empty())
        .ok_or(BatchError::Empty)?;
    let text = std::str::from_utf8(&xml).map_err(|_| BatchError::Text)?;
    let doc = Document::parse(text)?;
    let read = match documento.tipo.as_str() {
        "resNFe" => ReadDocument::Nota(summary(&doc)?),
        "procNFe" => ReadDocument::Nota(complete(&doc)?),
        "resEvento" => ReadDocument::Evento(event_summary(&doc)?),
        "procEventoNFe" => ReadDocument::Evento(evento(&doc)?),
        _ => return Err(BatchError::Kind),
    };
    let chave = match &read {
        ReadDocument::Nota(nota) => &nota.chave,
        ReadDocument::Evento(evento) => &evento.chave,
    };
    Chave::parse(chave).map_err(|_| BatchError::Chave)?;
    drop(doc);
    Ok(Received { nsu, xml, read })
}

/// An NSU: up to 15 digits; 0 for anything else.
pub fn number(text: &str) -> i64 {
    let digits = text.len() <= 15 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits).unwrap_or(0)
}

fn summary(doc: &Document<'_>) -> Result<Nota, BatchError> {
    let summary = answers::nota_summary(doc)?;
    Ok(Nota {
        complete: false,
        chave: summary.chave,
        status: match summary.situacao.as_str() {
            "2" => ReceivedNotaStatus::Denied,
            "3" => ReceivedNotaStatus::Cancelled,
            _ => ReceivedNotaStatus::Authorized,
        },
        issuer: summary.emitente,
        name: summary.nome,
        issued_at: summary.emitida_em,
        value_cents: in_cents(&summary.valor),
        value: summary.valor,
        protocol: summary.protocolo,
    })
}

fn complete(doc: &Document<'_>) -> Result<Nota, BatchError> {
    let nota = read(doc)?;
    let protocol = answers::protocol(doc)?;
    let text = |caminho: &str| nota.text(caminho).unwrap_or_default().to_owned();
    let value = text("totais.valor_total");
    Ok(Nota {
        complete: true,
        chave: nota.chave.to_owned(),
        status: match protocol.status.as_str() {
            "110" | "301" | "302" | "303" => ReceivedNotaStatus::Denied,
            _ => ReceivedNotaStatus::Authorized,
        },
        issuer: text("emitente.cpf_cnpj"),
        name: text("emitente.nome"),
        issued_at: text("data_emissao"),
        value_cents: in_cents(&value),
        value,
        protocol: protocol.numero.unwrap_or_default(),
    })
}

fn event_summary(doc: &Document<'_>) -> Result<Evento, BatchError> {
    let summary = answers::event_summary(doc)?;
    Ok(Evento {
        chave: summary.chave,
        codigo: summary.tipo,
        description: summary.descricao,
        sequence: summary.sequencia,
        registered_at: summary.registrado_em,
        protocol: summary.protocolo,
    })
}

fn evento(doc: &Document<'_>) -> Result<Evento, BatchError> {
    let read = answers::processed_event(doc)?;
    Ok(Evento {
        chave: read.evento.chave,
        codigo: read.evento.tipo,
        description: read.evento.descricao,
        sequence: read.evento.sequencia,
        registered_at: read.retorno.registrado_em,
        protocol: read.retorno.protocolo.unwrap_or_default(),
    })
}

fn in_cents(value: &str) -> i64 {
    value.parse::<Decimal>().map_or(0, cents)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flow::contract::Situacao;

    const CHAVE: &str = "35261199888777000100550010000000011123456780";

    fn documento(kind: &str, xml: &str) -> Documento {
        Documento {
            tipo: kind.to_owned(),
            situacao: Situacao::Consultado,
            xml: Some(xml.as_bytes().to_vec()),
            numero: Some("000000000000007".to_owned()),
            serie: None,
            chave: None,
            codigo_verificacao: None,
            protocolo: None,
            emitido_em: None,
            url_consulta: None,
            valores: Vec::new(),
        }
    }

    fn chave() -> String {
        let body = &CHAVE[..43];
        format!("{body}{}", markup::ids::chave::digit(body.as_bytes()))
    }

    fn summary_of(status: &str) -> String {
        format!(
            "<resNFe xmlns=\"http://www.portalfiscal.inf.br/nfe\" versao=\"1.01\"><chNFe>{}</chNFe><CNPJ>99888777000100</CNPJ><xNome>A &amp; B</xNome>\
             <IE>1</IE><dhEmi>2026-11-20T10:00:00-03:00</dhEmi><tpNF>1</tpNF><vNF>1234.50</vNF><digVal>x</digVal>\
             <dhRecbto>2026-11-20T10:00:01-03:00</dhRecbto><nProt>135</nProt><cSitNFe>{status}</cSitNFe></resNFe>",
            chave()
        )
    }

    #[test]
    fn a_summary_is_read() {
        for (code, word) in [
            ("1", ReceivedNotaStatus::Authorized),
            ("2", ReceivedNotaStatus::Denied),
            ("3", ReceivedNotaStatus::Cancelled),
        ] {
            let read = ler_documento(documento("resNFe", &summary_of(code))).expect("read");
            let ReadDocument::Nota(nota) = read.read else {
                panic!("a note");
            };
            assert_eq!((read.nsu, nota.status, nota.complete), (7, word, false));
            assert_eq!((nota.name.as_str(), nota.value_cents), ("A & B", 123_450));
        }
    }

    #[test]
    fn what_is_not_understood_is_left_out() {
        let summary = summary_of("1");
        for (kind, xml) in [
            ("resCTe", summary.as_str()),
            ("resNFe", ""),
            ("resNFe", "<a"),
            ("resNFe", "<a/>"),
            ("procNFe", &summary),
            ("resEvento", &summary),
            ("procEventoNFe", &summary),
            ("resNFe", &summary.replace(&chave(), "123")),
        ] {
            assert!(ler_documento(documento(kind, xml)).is_err(), "{kind} {xml}");
        }
        assert_eq!(
            (number("15"), number("x"), number("1234567890123456")),
            (15, 0, 0)
        );
    }
}
