//! Operations `consultar-rps` and `consultar-nota`: one look, no waiting.

use crate::flow::batch::{self, Destino};
use crate::flow::issue::achada;
use crate::flow::search::{self, Achado, Alvo};
use crate::flow::session::{Sessao, desistencia};
use crate::message::query::Rps;
use sdk::nfse::{self, NotaRef, RpsRef};
use sdk::{Failure, FieldError, Flow, Operacao, Outcome, Situacao, Success};

/// Looks for the note of an RPS; with a protocol, by the batch first.
///
/// # Errors
/// The batch was refused, or nothing certain is known (may-exist).
pub async fn rps(flow: &Flow, op: &Operacao) -> Outcome {
    let sessao = Sessao::nova(flow)?;
    let alvo: RpsRef = nfse::read(&op.conteudo, nfse::SCHEMA_RPS)?;
    let rps = Rps {
        serie: alvo.serie.trim().to_owned(),
        numero: alvo.numero,
    };
    let mut recusa = None;
    let mut na_fila = false;
    let protocolo = alvo.protocolo.filter(|p| !p.trim().is_empty());
    if let Some(protocolo) = &protocolo {
        match batch::perguntar(&sessao, protocolo, &rps).await {
            Destino::Emitida(conteudo) => {
                if let Some(nota) = conteudo.notas.into_iter().next() {
                    return Ok(achada(nota, conteudo.alertas, Some(protocolo.clone())));
                }
            }
            Destino::Recusado(mensagens) => return Err(Failure::rejected(mensagens)),
            Destino::Duvidoso(mensagens) => recusa = Some(mensagens),
            Destino::NaFila => na_fila = true,
            Destino::SemResultado | Destino::Indefinido(_) => {}
            Destino::Desistencia => return Err(desistencia()),
        }
    }
    let em_processamento = || Success::new(Situacao::EmProcessamento).protocolo(protocolo.clone());
    if na_fila {
        return Ok(em_processamento());
    }
    match search::perguntar(&sessao, &Alvo::Rps(rps)).await {
        Achado::Nota(nota, alertas) => Ok(achada(*nota, alertas, protocolo)),
        Achado::Pendente => Ok(em_processamento()),
        Achado::Nenhuma => match recusa {
            Some(mensagens) => Err(Failure::rejected(mensagens)),
            None => Ok(Success::new(Situacao::NaoEncontrado).protocolo(protocolo)),
        },
        fim => Err(falha(fim)),
    }
}

/// Looks for a note by its number or, without one, by its RPS.
///
/// # Errors
/// Neither is given, or nothing certain is known (may-exist).
pub async fn nota(flow: &Flow, op: &Operacao) -> Outcome {
    let sessao = Sessao::nova(flow)?;
    let nota: NotaRef = nfse::read(&op.conteudo, nfse::SCHEMA_REF)?;
    let Some(alvo) = alvo(&nota) else {
        return Err(Failure::invalid_input(vec![FieldError::new(
            "numero",
            "obrigatorio",
            "Informe o número da NFS-e ou o RPS.",
        )]));
    };
    match search::perguntar(&sessao, &alvo).await {
        Achado::Nota(nota, alertas) => Ok(achada(*nota, alertas, None)),
        Achado::Pendente => Ok(Success::new(Situacao::EmProcessamento)),
        Achado::Nenhuma => Ok(Success::new(Situacao::NaoEncontrado)),
        fim => Err(falha(fim)),
    }
}

/// How a note is best asked for: its RPS, whose answer has the cancellation
/// in every version, else its number.
pub fn alvo(nota: &NotaRef) -> Option<Alvo> {
    if let Some(rps) = nota.rps.as_ref().filter(|rps| rps.numero > 0) {
        return Some(Alvo::Rps(Rps {
            serie: rps.serie.trim().to_owned(),
            numero: rps.numero,
        }));
    }
    let numero = nota.numero.as_deref().map(str::trim)?;
    (!numero.is_empty()).then(|| Alvo::Numero(numero.to_owned()))
}

/// A look-up that says nothing certain about the note.
fn falha(achado: Achado) -> Failure {
    match achado {
        Achado::Recusa(failure) | Achado::Indefinido(failure) => failure.maybe_exists(),
        _ => desistencia(),
    }
}
