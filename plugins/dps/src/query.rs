//! Operations "consultar-rps" and "consultar-nota", and the queries that
//! settle doubts.

use crate::api::{self, Queried};
use crate::events::{Eventos, events};
use crate::ids::{id_dps, is_valid_chave, is_valid_dps_id};
use crate::nota::{self, Nota};
use crate::transport::{Call, Names, Transport};
use sdk::nfse::{self, NotaRef, RpsRef};
use sdk::{Conteudo, Context, Failure, FieldError, Flow, Outcome, Response, Situacao, Success};

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
        // Another authority was asked, where a note arrives later.
        Queried::Absent
            if Transport::read(flow.ctx())?.searches_afar()
                && !is_old(rps.emitido_em.as_deref(), &flow.ctx().now) =>
        {
            Err(Failure::unavailable(None, "ainda nao consta no ambiente nacional").maybe_exists())
        }
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

/// The key of the note that this DPS became (GET /dps/{id}).
///
/// # Errors
/// No clear answer.
pub async fn nota_by_dps(flow: &Flow, id: &str) -> Result<Queried<String>, Failure> {
    let response = query(flow, Call::Dps, "GET", &Names::of_dps(id)).await?;
    if api::not_found(&response) {
        return Ok(Queried::Absent);
    }
    let answer = api::read(&response).filter(|_| response.status == 200);
    if answer.as_ref().is_some_and(|answer| answer.empty) {
        return Ok(Queried::Absent);
    }
    let chave = answer.and_then(|answer| answer.chave);
    match chave.filter(|chave| is_valid_chave(chave)) {
        Some(chave) => Ok(Queried::Found(chave)),
        None => Err(api::unanswered(&response)),
    }
}

/// The note itself (GET /nfse/{chave}).
///
/// # Errors
/// No clear answer.
pub async fn nota_by_chave(flow: &Flow, chave: &str) -> Result<Queried<Nota>, Failure> {
    let response = query(flow, Call::Note, "GET", &Names::of_chave(chave)).await?;
    if api::not_found(&response) {
        return Ok(Queried::Absent);
    }
    let answer = api::read(&response).filter(|_| response.status == 200);
    if answer.as_ref().is_some_and(|answer| answer.empty) {
        return Ok(Queried::Absent);
    }
    let bytes = answer.and_then(|answer| answer.documento);
    match bytes.and_then(|bytes| nota::read(bytes, chave, flow.ctx())) {
        Some(nota) => Ok(Queried::Found(nota)),
        None => Err(api::unanswered(&response)),
    }
}

/// Asks once, wherever this city answers such questions.
///
/// # Errors
/// No answer, or the question cannot be put.
pub async fn query(
    flow: &Flow,
    call: Call,
    method: &str,
    names: &Names,
) -> Result<Response, Failure> {
    let request = Transport::read(flow.ctx())?.query(flow.ctx(), call, method, names)?;
    Ok(flow.send(request).await?)
}

/// Whether a declaration of this moment would have arrived: it is of the day
/// before yesterday or older. A moment that is not known is not old.
fn is_old(issue: Option<&str>, now: &str) -> bool {
    match (issue.and_then(day_number), day_number(now)) {
        (Some(issue), Some(now)) => now - issue >= 2,
        _ => false,
    }
}

/// Days since the first of March of the year 0, of an RFC 3339 moment.
fn day_number(moment: &str) -> Option<i64> {
    let part = |from, to| moment.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (part(0, 4)?, part(5, 7)?, part(8, 10)?);
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    Some(365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day)
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

#[cfg(test)]
mod tests {
    use super::is_old;

    #[test]
    fn two_days_make_an_absence_certain() {
        let now = "2026-03-01T10:00:00-03:00";
        for (issue, old) in [
            (Some("2026-02-27T23:59:59-03:00"), true),
            (Some("2026-02-28T00:00:00-03:00"), false),
            (Some("2025-12-31T00:00:00-03:00"), true),
            (Some("ontem"), false),
            (None, false),
        ] {
            assert_eq!(is_old(issue, now), old, "{issue:?}");
        }
    }
}
