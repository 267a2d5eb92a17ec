//! Operations "consultar-rps" and "consultar-nota", and the queries that
//! settle doubts.

use crate::api::{self, Queried};
use crate::events::{Eventos, events};
use crate::ids::{id_dps, is_valid_chave, is_valid_dps_id};
use crate::nota::{self, Nota};
use sdk::nfse::{self, NotaRef, RpsRef};
use sdk::{Conteudo, Context, Failure, FieldError, Flow, Outcome, Situacao, Success};

/// Is there a note of this DPS? Success `nao-encontrado` only when the
/// authority itself says so.
pub async fn by_dps(flow: &Flow, content: &Conteudo) -> Outcome {
    let rps: RpsRef = nfse::read(content, nfse::SCHEMA_RPS)?;
    let id = match rps
        .id_dps
        .as_deref()
        .map(str::trim)
        .filter(|id| !id.is_empty())
    {
        Some(id) if is_valid_dps_id(id) => id.to_owned(),
        Some(_) => {
            return Err(invalid("id_dps", "formato", "O Id da DPS tem 45 posições."));
        }
        None => id_of_emitter(flow.ctx(), &rps.serie, rps.numero)?,
    };
    // A failure here says nothing about the note.
    match nota_by_dps(flow, &id)
        .await
        .map_err(Failure::maybe_exists)?
    {
        Queried::Absent => Ok(Success::new(Situacao::NaoEncontrado)),
        Queried::Found(chave) => match nota_by_chave(flow, &chave)
            .await
            .map_err(Failure::maybe_exists)?
        {
            Queried::Found(nota) if nota.declared_at(rps.emitido_em.as_deref()) => {
                Ok(Success::new(Situacao::Autorizado).documento(nota.documento))
            }
            // Other software declared something else under our number.
            Queried::Found(_) => Ok(Success::new(Situacao::NaoEncontrado)),
            Queried::Absent => {
                Err(Failure::unexpected("chave sem NFS-e", chave.as_bytes()).maybe_exists())
            }
        },
    }
}

/// A note by its key (or by its DPS), with whether it was cancelled.
pub async fn by_chave(flow: &Flow, content: &Conteudo) -> Outcome {
    let reference: NotaRef = nfse::read(content, nfse::SCHEMA_REF)?;
    let Queried::Found(chave) = chave_of(flow, &reference).await? else {
        return Ok(Success::new(Situacao::NaoEncontrado));
    };
    let Queried::Found(nota) = nota_by_chave(flow, &chave).await? else {
        return Ok(Success::new(Situacao::NaoEncontrado));
    };
    let mut documento = nota.documento;
    let Queried::Found(Eventos { status, documentos }) = events(flow, &chave).await? else {
        return Ok(Success::new(Situacao::Autorizado).documento(documento));
    };
    documento.situacao = status;
    let success = Success::new(status).documento(documento);
    Ok(documentos.into_iter().fold(success, Success::documento))
}

/// The key of a reference: given, or asked for with series and number.
///
/// # Errors
/// Neither is given, or the question got no clear answer.
pub async fn chave_of(flow: &Flow, reference: &NotaRef) -> Result<Queried<String>, Failure> {
    if let Some(chave) = reference
        .chave
        .as_deref()
        .map(str::trim)
        .filter(|chave| !chave.is_empty())
    {
        return if is_valid_chave(chave) {
            Ok(Queried::Found(chave.to_owned()))
        } else {
            Err(invalid(
                "chave",
                "formato",
                "A chave da NFS-e nacional tem 50 posições.",
            ))
        };
    }
    match &reference.rps {
        Some(rps) => nota_by_dps(flow, &id_of_emitter(flow.ctx(), &rps.serie, rps.numero)?).await,
        None => Err(invalid(
            "chave",
            "obrigatorio",
            "O padrão nacional consulta pela chave, ou por série e número da DPS.",
        )),
    }
}

/// GET /dps/{id}: the key of the note that this DPS became.
///
/// # Errors
/// No clear answer.
pub async fn nota_by_dps(flow: &Flow, id: &str) -> Result<Queried<String>, Failure> {
    let response = flow
        .send(api::query("GET dps", "GET", &format!("/dps/{id}")))
        .await?;
    if api::not_found(&response) {
        return Ok(Queried::Absent);
    }
    let json = response.json().filter(|_| response.status == 200);
    let chave = json
        .as_ref()
        .and_then(|json| api::text(json, "chaveAcesso"))
        .filter(|chave| is_valid_chave(chave));
    match chave {
        Some(chave) => Ok(Queried::Found(chave.to_owned())),
        None => Err(api::unanswered(&response)),
    }
}

/// GET /nfse/{chave}: the note itself.
///
/// # Errors
/// No clear answer.
pub async fn nota_by_chave(flow: &Flow, chave: &str) -> Result<Queried<Nota>, Failure> {
    let response = flow
        .send(api::query("GET nfse", "GET", &format!("/nfse/{chave}")))
        .await?;
    if api::not_found(&response) {
        return Ok(Queried::Absent);
    }
    let json = response.json().filter(|_| response.status == 200);
    let bytes = json
        .as_ref()
        .and_then(|json| api::text(json, "nfseXmlGZipB64"))
        .and_then(api::documento);
    match bytes.and_then(|bytes| nota::read(bytes, chave, flow.ctx())) {
        Some(nota) => Ok(Queried::Found(nota)),
        None => Err(api::unanswered(&response)),
    }
}

fn id_of_emitter(ctx: &Context, serie: &str, number: u64) -> Result<String, Failure> {
    let municipality = ctx
        .municipio
        .as_ref()
        .map(|municipality| format!("{:07}", municipality.codigo))
        .unwrap_or_default();
    id_dps(&municipality, &ctx.emitente.documento, serie.trim(), number)
        .map_err(|error| Failure::invalid_input(vec![error]))
}

pub fn invalid(field: &str, rule: &str, text: &str) -> Failure {
    Failure::invalid_input(vec![FieldError::new(field, rule, text)])
}
