//! Operations "consultar-rps" and "consultar-nota", and the queries that
//! settle doubts.

use crate::api::{self, Answer, Queried};
use crate::events::{Eventos, events};
use crate::ids::{id_dps, is_valid_chave, is_valid_dps_id};
use crate::nota::{self, Nota};
use crate::receipt::{self, Status};
use crate::transport::{Call, Names, Transport, protocol};
use sdk::nfse::{self, NotaRef, RpsRef};
use sdk::{
    Conteudo, Context, Failure, FieldError, Flow, Mensagem, Outcome, Response, Situacao, Success,
};

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
    let transport = Transport::read(flow.ctx())?;
    let declared = rps.emitido_em.as_deref();
    let protocol = rps.protocolo.as_deref().and_then(protocol);
    if let Some(protocol) = receipt::question(&transport, protocol.as_deref(), flow.ctx()) {
        match receipt::ask(flow, &id, protocol).await {
            Ok(Status::Issued(found)) if found.0.declared_at(declared) => {
                return Ok(authorized(found.0).messages(found.1));
            }
            Ok(Status::Refused(messages)) => return Err(Failure::rejected(messages)),
            // The search for the DPS tells.
            Ok(Status::Issued(_) | Status::Open) | Err(_) => {}
        }
    }
    // A failure here says nothing about the note.
    match nota_by_dps(flow, &id)
        .await
        .map_err(Failure::maybe_exists)?
    {
        // What was received and not refused may still come.
        Queried::Absent if protocol.is_some() => {
            Ok(Success::new(Situacao::EmProcessamento).protocol(protocol))
        }
        Queried::Absent if early(flow, Call::Dps, rps.enviado_em.as_deref())? => Err(not_arrived()),
        Queried::Absent => Ok(Success::new(Situacao::NaoEncontrado)),
        Queried::Found(named) => match named.nota(flow).await.map_err(Failure::maybe_exists)? {
            Queried::Found(nota) if nota.declared_at(declared) => Ok(authorized(nota)),
            // Other software declared something else under our number.
            Queried::Found(_) => Ok(Success::new(Situacao::NaoEncontrado)),
            Queried::Absent => Err(Failure::unexpected("chave sem NFS-e", b"").maybe_exists()),
        },
    }
}

/// Whether "not here" is early: another authority is asked, where what was sent
/// to the city at this moment arrives later.
fn early(flow: &Flow, question: Call, sent: Option<&str>) -> Result<bool, Failure> {
    let afar = Transport::read(flow.ctx())?.is_afar(question);
    Ok(afar && !is_old(sent, &flow.ctx().now))
}

fn not_arrived() -> Failure {
    Failure::unavailable(None, "ainda nao consta no ambiente nacional").maybe_exists()
}

fn authorized(nota: Nota) -> Success {
    Success::new(Situacao::Autorizado).documento(nota.documento)
}

/// A note by its key (or by its DPS), with whether it was cancelled.
pub async fn by_chave(flow: &Flow, content: &Conteudo) -> Outcome {
    let reference: NotaRef = nfse::read(content, nfse::SCHEMA_REF)?;
    let sent = reference.enviado_em.as_deref();
    let Queried::Found(chave) = chave_of(flow, &reference).await? else {
        return not_found(early(flow, Call::Dps, sent)?);
    };
    let Queried::Found(nota) = nota_by_chave(flow, &chave).await? else {
        return not_found(early(flow, Call::Note, sent)?);
    };
    let mut documento = nota.documento;
    let Queried::Found(Eventos { status, documentos }) = events(flow, &chave).await? else {
        let cancelled = reference.cancelamento_enviado_em.as_deref();
        // The city has registered the cancellation, perhaps.
        if cancelled.is_some() && early(flow, Call::Events, cancelled)? {
            return Err(not_arrived());
        }
        return Ok(Success::new(Situacao::Autorizado).documento(documento));
    };
    documento.situacao = status;
    let success = Success::new(status).documento(documento);
    Ok(documentos.into_iter().fold(success, Success::documento))
}

/// No note: that is so, unless the question was early.
fn not_found(early: bool) -> Outcome {
    if early {
        Err(not_arrived())
    } else {
        Ok(Success::new(Situacao::NaoEncontrado))
    }
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
        Some(rps) => {
            let id = id_of_emitter(flow.ctx(), &rps.serie, rps.numero)?;
            Ok(match nota_by_dps(flow, &id).await? {
                Queried::Found(named) => Queried::Found(named.chave),
                Queried::Absent => Queried::Absent,
            })
        }
        None => Err(invalid(
            "chave",
            "obrigatorio",
            "O padrão nacional consulta pela chave, ou por série e número da DPS.",
        )),
    }
}

/// The note that a DPS became: its key, and itself where the city gives it.
pub struct Named {
    pub chave: String,
    nota: Option<Nota>,
}

impl Named {
    /// The note; asked for by its key where it has not come yet.
    ///
    /// # Errors
    /// No clear answer.
    pub async fn nota(self, flow: &Flow) -> Result<Queried<Nota>, Failure> {
        match self.nota {
            Some(nota) => Ok(Queried::Found(nota)),
            None => nota_by_chave(flow, &self.chave).await,
        }
    }
}

/// The note that this DPS became (GET /dps/{id}).
///
/// # Errors
/// No clear answer.
pub async fn nota_by_dps(flow: &Flow, id: &str) -> Result<Queried<Named>, Failure> {
    let response = query(flow, Call::Dps, "GET", &Names::of_dps(id)).await?;
    let answer = api::read(&response).filter(|_| response.status == 200);
    if api::not_found(&response) || answer.as_ref().is_some_and(|a| says_absent(a, flow.ctx())) {
        return Ok(Queried::Absent);
    }
    let answer = answer.unwrap_or_default();
    let own = || answer.documento.as_deref().and_then(nota::own_chave);
    let chave = answer.chave.clone().or_else(own);
    match chave.filter(|chave| is_valid_chave(chave)) {
        Some(chave) => {
            let nota = answer
                .documento
                .and_then(|bytes| nota::read(bytes, &chave, flow.ctx()));
            Ok(Queried::Found(Named { chave, nota }))
        }
        None => Err(api::unanswered(&response)),
    }
}

/// An empty list, or nothing but codes that the registry knows as "not here".
fn says_absent(answer: &Answer, ctx: &Context) -> bool {
    let codes = ctx.option("codigos_ausente").unwrap_or_default();
    let known = |message: &Mensagem| codes.split(',').any(|code| code.trim() == message.codigo);
    answer.empty
        || answer.documento.is_none()
            && !answer.errors.is_empty()
            && answer.errors.iter().all(known)
}

/// The note itself (GET /nfse/{chave}).
///
/// # Errors
/// No clear answer.
pub async fn nota_by_chave(flow: &Flow, chave: &str) -> Result<Queried<Nota>, Failure> {
    let response = query(flow, Call::Note, "GET", &Names::of_chave(chave)).await?;
    let answer = api::read(&response).filter(|_| response.status == 200);
    if api::not_found(&response) || answer.as_ref().is_some_and(|a| says_absent(a, flow.ctx())) {
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

/// Whether what was sent at this moment would have arrived: that was the day
/// before yesterday or earlier. A moment that is not known is not old.
fn is_old(sent: Option<&str>, now: &str) -> bool {
    match (sent.and_then(day_number), day_number(now)) {
        (Some(sent), Some(now)) => now - sent >= 2,
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
        for (sent, old) in [
            (Some("2026-02-27T23:59:59-03:00"), true),
            (Some("2026-02-28T00:00:00-03:00"), false),
            (Some("2025-12-31T00:00:00-03:00"), true),
            (Some("ontem"), false),
            (None, false),
        ] {
            assert_eq!(is_old(sent, now), old, "{sent:?}");
        }
    }
}
