//! Contents of questions to an adapter: how a document is named, by its own key
//! or by what the hub sent when it asked for it.

use super::product;
use fiscal::nfse::dps::Identification;
use fiscal::nfse::{NotaRef, RpsRef};
use flow::contract::Context;
use markup::ids::{CpfCnpj, IbgeMunicipality, id_dps};
use store::tables::notas::NotaRow;
use store::{DbResult, Readable as _, stored};

/// How a note is named when its own key is not known.
fn rps_of(nota: &NotaRow) -> DbResult<RpsRef> {
    let context: Context = stored(&nota.context, "context of a note", &nota.id)?;
    let documento = CpfCnpj::parse(&context.emitente.documento);
    let documento = documento.readable("issuer of a note", &nota.id)?;
    let municipality = IbgeMunicipality::parse(&nota.municipio);
    let municipality = municipality.readable("municipality of a note", &nota.id)?;
    let number = number(nota)?;
    // A series may have letters, and no id then (docs/QUIRKS.md).
    let serie = nota.serie.parse().ok();
    let id = serie.and_then(|serie| id_dps(municipality, &documento, serie, number).ok());
    Ok(RpsRef {
        serie: nota.serie.clone(),
        numero: number,
        id_dps: id,
        protocolo: Some(nota.protocolo.clone()).filter(|protocol| !protocol.is_empty()),
        emitido_em: Some(context.now),
    })
}

/// Content of the question what became of a note.
///
/// # Errors
/// What is stored of the note cannot be read.
pub fn question_of(nota: &NotaRow) -> DbResult<String> {
    if nota.modelo.is_product() {
        return Ok(product::query(nota)?.to_string());
    }
    let rps = rps_of(nota)?;
    serde_json::to_string(&rps).map_err(|error| sqlx::Error::Encode(error.into()))
}

/// Content of the operation that issues a note, as it was sent first.
///
/// # Errors
/// What is stored of the note cannot be read.
pub fn emission_of(nota: &NotaRow) -> DbResult<String> {
    if nota.modelo.is_product() {
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

/// How a note that exists is named.
///
/// # Errors
/// Its number cannot be read.
pub fn ref_of(nota: &NotaRow) -> DbResult<NotaRef> {
    let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    Ok(NotaRef {
        chave: some(&nota.chave),
        numero: some(&nota.numero_nfse),
        codigo_verificacao: some(&nota.codigo_verificacao),
        protocolo: some(&nota.protocolo),
        rps: Some(identification(nota)?),
        emitida_em: some(&nota.autorizada_em),
    })
}

#[cfg(test)]
mod tests {
    use super::{question_of, ref_of};
    use flow::contract::{Ambiente, Context, Emitente};
    use store::tables::notas::NotaRow;

    fn nota(documento: &str) -> NotaRow {
        let context = Context {
            flow: String::new(),
            step: 0,
            now: "2026-11-20T09:00:00-03:00".to_owned(),
            entropy: Vec::new(),
            ambiente: Ambiente::Homologacao,
            municipio: None,
            uf: None,
            emitente: Emitente {
                documento: documento.to_owned(),
                inscricao_municipal: None,
                inscricao_estadual: None,
                razao_social: String::new(),
                extras: Vec::new(),
            },
            endpoints: Vec::new(),
            options: Vec::new(),
            secrets: Vec::new(),
        };
        NotaRow {
            id: "nfse_1".into(),
            context: serde_json::to_string(&context).expect("plain JSON"),
            municipio: "3106200".to_owned(),
            serie: "1".to_owned(),
            numero: 7,
            ..NotaRow::default()
        }
    }

    /// Without its id another question would be asked, or one about number zero.
    #[test]
    fn a_note_is_named_as_it_was_sent_or_not_at_all() {
        let whole = nota("11222333000181");
        let asked = question_of(&whole).expect("readable");
        assert!(
            asked.contains("310620021122233300018100001000000000000007"),
            "{asked}"
        );
        let lettered = NotaRow {
            serie: "A".to_owned(),
            ..whole.clone()
        };
        let asked = question_of(&lettered).expect("a series may have letters");
        assert!(!asked.contains("31062002"), "{asked}");
        for damaged in [
            nota("11222333000100"),
            NotaRow {
                municipio: "31".to_owned(),
                ..whole.clone()
            },
            NotaRow {
                numero: -1,
                ..whole.clone()
            },
        ] {
            let error = question_of(&damaged).expect_err("damaged").to_string();
            assert!(error.contains("nfse_1"), "{error}");
        }
        let damaged = NotaRow {
            numero: -1,
            ..whole
        };
        assert!(ref_of(&damaged).is_err());
    }
}
