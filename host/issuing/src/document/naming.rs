//! Contents of questions to an adapter: how a document is named, by its own key
//! or by what the hub sent when it asked for it.

use super::product;
use crate::model::Issued as _;
use base::when;
use fiscal::nfse::dps::Identification;
use fiscal::nfse::{Dps, NotaRef, RpsRef};
use flow::contract::Context;
use markup::ids::{CpfCnpj, IbgeMunicipality, id_dps};
use store::tables::flows;
use store::tables::notas::NotaRow;
use store::{Conn, DbResult, Readable as _, stored};

/// When a note was sent last, epoch milliseconds: no copy left after the flow
/// that issued it moved last. None: it was not sent.
///
/// # Errors
/// The database failed.
pub async fn sent_ms(conn: &mut Conn, nota: &NotaRow) -> DbResult<Option<i64>> {
    let operation = nota.modelo.issue(nota.substitui_id.is_some());
    flows::moved_ms(conn, &nota.id, operation).await
}

/// A moment as an adapter reads it: in the official time of the note's state.
fn moment(nota: &NotaRow, ms: i64) -> DbResult<String> {
    let context: Context = stored(&nota.context, "context of a note", &nota.id)?;
    let uf = context.uf.unwrap_or_default();
    Ok(when::format(when::local(ms, &uf)))
}

/// How a note is named when its own key is not known.
fn rps_of(nota: &NotaRow, sent_ms: Option<i64>) -> DbResult<RpsRef> {
    let context: Context = stored(&nota.context, "context of a note", &nota.id)?;
    let documento = CpfCnpj::parse(&context.emitente.documento);
    let documento = documento.readable("issuer of a note", &nota.id)?;
    let municipality = IbgeMunicipality::parse(&nota.municipio);
    let municipality = municipality.readable("municipality of a note", &nota.id)?;
    let number = number(nota)?;
    // A series may have letters, and no id then (docs/QUIRKS.md).
    let serie = nota.serie.parse().ok();
    let id = serie.and_then(|serie| id_dps(municipality, &documento, serie, number).ok());
    let declared: Dps = stored(&nota.conteudo, "content of a note", &nota.id)?;
    let values = &declared.conteudo.valores;
    // A city may show the price after such a discount: it is not compared.
    let price = match values.desconto_incondicionado {
        Some(discount) if !discount.is_zero() => None,
        _ => Some(values.servico),
    };
    Ok(RpsRef {
        serie: nota.serie.clone(),
        numero: number,
        id_dps: id,
        protocolo: Some(nota.protocolo.clone()).filter(|protocol| !protocol.is_empty()),
        emitido_em: Some(context.now),
        enviado_em: sent_ms.map(|ms| moment(nota, ms)).transpose()?,
        valor: price,
        tomador: declared
            .conteudo
            .tomador
            .and_then(|tomador| tomador.cpf_cnpj),
    })
}

/// Content of the question what became of a note that was sent at `sent_ms`
/// ([`sent_ms`]).
///
/// # Errors
/// What is stored of the note cannot be read.
pub fn question_of(nota: &NotaRow, sent_ms: Option<i64>) -> DbResult<String> {
    if nota.modelo.goes_to_sefaz() {
        return Ok(product::query(nota)?.to_string());
    }
    let rps = rps_of(nota, sent_ms)?;
    serde_json::to_string(&rps).map_err(|error| sqlx::Error::Encode(error.into()))
}

/// Content of the operation that issues a note, as it was sent first.
///
/// # Errors
/// What is stored of the note cannot be read.
pub fn emission_of(nota: &NotaRow) -> DbResult<String> {
    if nota.modelo.goes_to_sefaz() {
        return Ok(product::authorization_content(nota)?.to_string());
    }
    Ok(nota.conteudo.clone())
}

fn number(nota: &NotaRow) -> DbResult<u64> {
    u64::try_from(nota.numero).readable("number of a note", &nota.id)
}

/// The series and number a note was sent with.
///
/// # Errors
/// Its number cannot be read.
pub fn identification(nota: &NotaRow) -> DbResult<Identification> {
    Ok(Identification {
        serie: nota.serie.clone(),
        numero: number(nota)?,
    })
}

/// How a note that exists, and was sent at `sent_ms` ([`sent_ms`]), is named.
///
/// # Errors
/// What is stored of the note cannot be read.
pub fn ref_of(nota: &NotaRow, sent_ms: Option<i64>) -> DbResult<NotaRef> {
    let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    Ok(NotaRef {
        chave: some(&nota.chave),
        numero: some(&nota.numero_nfse),
        codigo_verificacao: some(&nota.codigo_verificacao),
        protocolo: some(&nota.protocolo),
        rps: Some(identification(nota)?),
        emitida_em: some(&nota.autorizada_em),
        enviado_em: sent_ms.map(|ms| moment(nota, ms)).transpose()?,
        cancelamento_enviado_em: None,
    })
}

/// The same for a note whose cancellation was sent last at `cancelled_ms`, and
/// may have been registered.
///
/// # Errors
/// What is stored of the note cannot be read.
pub fn ref_of_cancelled(
    nota: &NotaRow,
    sent_ms: Option<i64>,
    cancelled_ms: i64,
) -> DbResult<NotaRef> {
    Ok(NotaRef {
        cancelamento_enviado_em: Some(moment(nota, cancelled_ms)?),
        ..ref_of(nota, sent_ms)?
    })
}
