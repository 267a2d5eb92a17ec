//! What an answer of the distribution holds, read: notes, summaries, events.

use datasets::catalog::product::Product;
use fiscal::nfe::reading::{ReadNota, ReadingError, answers, read};
use flow::contract::Documento;
use issuing::issue::cents;
use markup::ids::chave::Chave;
use markup::xml::{Document, XmlError};
use rust_decimal::Decimal;
use store::tables::recebidas::ReceivedNotaStatus;

/// Characters of a product's name; the layout has 120.
const NAME_CHARS: usize = 200;

/// A document of the distribution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// 0: the authority did not say.
    pub nsu: i64,
    /// Byte for byte as it came.
    pub xml: Vec<u8>,
    /// What was read of it.
    pub read: ReadDocument,
}

/// What a document of the distribution is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadDocument {
    /// A note, or its summary.
    Nota(Nota),
    /// An event, or its summary.
    Evento(Evento),
}

/// A note, or its summary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nota {
    /// The note itself, not its summary.
    pub complete: bool,
    /// Access key: 44 digits.
    pub chave: String,
    /// What the authority says of it.
    pub status: ReceivedNotaStatus,
    /// CNPJ or CPF.
    pub issuer: String,
    /// Name of the issuer.
    pub name: String,
    /// Moment of emission, as the document writes it.
    pub issued_at: String,
    /// Total value in reais, as the document writes it.
    pub value: String,
    /// The same in cents; 0: it cannot be read.
    pub value_cents: i64,
    /// Number of the protocol; empty: the document has none.
    pub protocol: String,
    /// What its items tell of products; none of a summary.
    pub products: Vec<Product>,
}

/// An event of a received note, or of one of the company's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evento {
    /// Access key of the note, 44 digits.
    pub chave: String,
    /// `tpEvento`.
    pub codigo: String,
    /// What the authority calls the event.
    pub description: String,
    /// Its place among the note's events of one kind.
    pub sequence: u8,
    /// When it was registered, as the document writes it.
    pub registered_at: String,
    /// Number of the protocol; empty: the document has none.
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
        products: Vec::new(),
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
        products: products(&nota),
    })
}

/// The products of a note: code, name, NCM, CEST and unit, never a price. Items
/// without a GTIN (`SEM GTIN`) tell nothing.
fn products(nota: &ReadNota<'_>) -> Vec<Product> {
    let items = nota.items().filter_map(|item| {
        let text = |name: &str| item.text(name).unwrap_or_default().trim().to_owned();
        let gtin = text("gtin");
        let coded = !gtin.is_empty() && gtin.bytes().all(|byte| byte.is_ascii_digit());
        coded.then(|| Product {
            gtin,
            name: text("descricao").chars().take(NAME_CHARS).collect(),
            ncm: digits(text("ncm"), 8),
            cest: digits(text("cest"), 7),
            unit: text("unidade"),
            ..Product::default()
        })
    });
    items.filter(|product| !product.name.is_empty()).collect()
}

/// A code of so many digits, or nothing; `00000000` is no NCM.
fn digits(text: String, count: usize) -> String {
    let fits = text.len() == count
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && text.bytes().any(|byte| byte != b'0');
    if fits { text } else { String::new() }
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
