//! Operations "consultar-rps" and "consultar-nota", and the queries that
//! settle doubts.

use crate::api::{self, Consultada};
use crate::events::{Eventos, events};
use crate::ids::{chave_valida, id_dps, id_dps_valido};
use crate::nota::{self, Nota};
use sdk::nfse::{self, NotaRef, RpsRef};
use sdk::{Conteudo, Context, Failure, FieldError, Flow, Outcome, Situacao, Success};

/// Is there a note of this DPS? Success `nao-encontrado` only when the
/// authority itself says so.
pub async fn por_dps(flow: &Flow, conteudo: &Conteudo) -> Outcome {
    let rps: RpsRef = nfse::read(conteudo, nfse::SCHEMA_RPS)?;
    let id = match rps
        .id_dps
        .as_deref()
        .map(str::trim)
        .filter(|id| !id.is_empty())
    {
        Some(id) if id_dps_valido(id) => id.to_owned(),
        Some(_) => {
            return Err(invalido(
                "id_dps",
                "formato",
                "O Id da DPS tem 45 posições.",
            ));
        }
        None => id_do_emitente(flow.ctx(), &rps.serie, rps.numero)?,
    };
    // A failure here says nothing about the note.
    match nota_por_dps(flow, &id)
        .await
        .map_err(Failure::maybe_exists)?
    {
        Consultada::Ausente => Ok(Success::new(Situacao::NaoEncontrado)),
        Consultada::Achada(chave) => match nota_por_chave(flow, &chave)
            .await
            .map_err(Failure::maybe_exists)?
        {
            Consultada::Achada(nota) if nota.declarada_em(rps.emitido_em.as_deref()) => {
                Ok(Success::new(Situacao::Autorizado).documento(nota.documento))
            }
            // Other software declared something else under our number.
            Consultada::Achada(_) => Ok(Success::new(Situacao::NaoEncontrado)),
            Consultada::Ausente => {
                Err(Failure::unexpected("chave sem NFS-e", chave.as_bytes()).maybe_exists())
            }
        },
    }
}

/// A note by its key (or by its DPS), with whether it was cancelled.
pub async fn por_chave(flow: &Flow, conteudo: &Conteudo) -> Outcome {
    let referencia: NotaRef = nfse::read(conteudo, nfse::SCHEMA_REF)?;
    let Consultada::Achada(chave) = chave_de(flow, &referencia).await? else {
        return Ok(Success::new(Situacao::NaoEncontrado));
    };
    let Consultada::Achada(nota) = nota_por_chave(flow, &chave).await? else {
        return Ok(Success::new(Situacao::NaoEncontrado));
    };
    let mut documento = nota.documento;
    let Consultada::Achada(Eventos {
        situacao,
        documentos,
    }) = events(flow, &chave).await?
    else {
        return Ok(Success::new(Situacao::Autorizado).documento(documento));
    };
    documento.situacao = situacao;
    let sucesso = Success::new(situacao).documento(documento);
    Ok(documentos.into_iter().fold(sucesso, Success::documento))
}

/// The key of a reference: given, or asked for with series and number.
///
/// # Errors
/// Neither is given, or the question got no clear answer.
pub async fn chave_de(flow: &Flow, referencia: &NotaRef) -> Result<Consultada<String>, Failure> {
    if let Some(chave) = referencia
        .chave
        .as_deref()
        .map(str::trim)
        .filter(|chave| !chave.is_empty())
    {
        return if chave_valida(chave) {
            Ok(Consultada::Achada(chave.to_owned()))
        } else {
            Err(invalido(
                "chave",
                "formato",
                "A chave da NFS-e nacional tem 50 posições.",
            ))
        };
    }
    match &referencia.rps {
        Some(rps) => nota_por_dps(flow, &id_do_emitente(flow.ctx(), &rps.serie, rps.numero)?).await,
        None => Err(invalido(
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
pub async fn nota_por_dps(flow: &Flow, id: &str) -> Result<Consultada<String>, Failure> {
    let resposta = flow
        .send(api::consulta("GET dps", "GET", &format!("/dps/{id}")))
        .await?;
    if api::nao_encontrado(&resposta) {
        return Ok(Consultada::Ausente);
    }
    let json = resposta.json().filter(|_| resposta.status == 200);
    let chave = json
        .as_ref()
        .and_then(|json| api::texto(json, "chaveAcesso"))
        .filter(|chave| chave_valida(chave));
    match chave {
        Some(chave) => Ok(Consultada::Achada(chave.to_owned())),
        None => Err(api::sem_resposta(&resposta)),
    }
}

/// GET /nfse/{chave}: the note itself.
///
/// # Errors
/// No clear answer.
pub async fn nota_por_chave(flow: &Flow, chave: &str) -> Result<Consultada<Nota>, Failure> {
    let resposta = flow
        .send(api::consulta("GET nfse", "GET", &format!("/nfse/{chave}")))
        .await?;
    if api::nao_encontrado(&resposta) {
        return Ok(Consultada::Ausente);
    }
    let json = resposta.json().filter(|_| resposta.status == 200);
    let bytes = json
        .as_ref()
        .and_then(|json| api::texto(json, "nfseXmlGZipB64"))
        .and_then(api::documento);
    match bytes.and_then(|bytes| nota::ler(bytes, chave, flow.ctx())) {
        Some(nota) => Ok(Consultada::Achada(nota)),
        None => Err(api::sem_resposta(&resposta)),
    }
}

fn id_do_emitente(ctx: &Context, serie: &str, numero: u64) -> Result<String, Failure> {
    let municipio = ctx
        .municipio
        .as_ref()
        .map(|municipio| format!("{:07}", municipio.codigo))
        .unwrap_or_default();
    id_dps(&municipio, &ctx.emitente.documento, serie.trim(), numero)
        .map_err(|erro| Failure::invalid_input(vec![erro]))
}

pub fn invalido(campo: &str, regra: &str, texto: &str) -> Failure {
    Failure::invalid_input(vec![FieldError::new(campo, regra, texto)])
}
