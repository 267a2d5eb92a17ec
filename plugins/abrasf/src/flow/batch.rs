//! Follows a batch by its protocol until the city has decided.

use crate::answer::{Classe, Conteudo, Leitura, classificar};
use crate::flow::pace::{MAX_PASSOS, NAO_ENCONTRADAS, espera_ms};
use crate::flow::session::{Falta, Sessao, barrada};
use crate::message::query::Rps;
use crate::service::Servico;
use sdk::{Failure, Fault, Mensagem};

/// What became of a batch.
pub enum Destino {
    /// It has the note.
    Emitida(Box<Conteudo>),
    /// Situation 3 with its messages: an explicit no.
    Recusado(Vec<Mensagem>),
    /// Messages that may be about the batch or about the query: to be
    /// confirmed by RPS.
    Duvidoso(Vec<Mensagem>),
    /// Processed, or unknown to the city, but nothing to see by protocol.
    SemResultado,
    /// Still in the queue.
    NaFila,
    /// Nothing certain.
    Indefinido(Failure),
    /// Someone gave up on the flow.
    Desistencia,
}

/// Asks until there is a result or the flow has no steps left.
pub async fn acompanhar(sessao: &Sessao<'_>, protocolo: &str, rps: &Rps) -> Destino {
    let mut perdidas = 0;
    let mut n = 0;
    loop {
        if sessao.flow.asks() >= MAX_PASSOS {
            return Destino::NaFila;
        }
        let espera = espera_ms(sessao.opcoes.intervalo_ms, n);
        n += 1;
        if sessao
            .flow
            .wait(espera, "pendente: lote na fila da prefeitura")
            .await
            .is_err()
        {
            return Destino::Desistencia;
        }
        match perguntar(sessao, protocolo, rps).await {
            Destino::NaFila => perdidas = 0,
            // Some systems do not know a batch before they process it.
            Destino::SemResultado => {
                perdidas += 1;
                if perdidas >= NAO_ENCONTRADAS {
                    return Destino::SemResultado;
                }
            }
            Destino::Indefinido(failure) if definitiva(&failure) => {
                return Destino::Indefinido(failure);
            }
            Destino::Indefinido(_) => {}
            destino => return destino,
        }
    }
}

/// A refused login or certificate does not get better by asking.
fn definitiva(failure: &Failure) -> bool {
    matches!(
        failure.reason,
        sdk::FailureReason::Credentials(_)
            | sdk::FailureReason::Signing(_)
            | sdk::FailureReason::InvalidInput(_)
    )
}

/// Asks once. In 1.00 the situation comes first and the batch only when it is
/// processed.
pub async fn perguntar(sessao: &Sessao<'_>, protocolo: &str, rps: &Rps) -> Destino {
    let mut situacao = None;
    if sessao.opcoes.versao.primeira() {
        match consultar(sessao, Servico::ConsultarSituacao, protocolo).await {
            Ok(conteudo) => match conteudo.situacao {
                Some(1 | 2) => return Destino::NaFila,
                Some(codigo @ (3 | 4)) => situacao = Some(codigo),
                _ => return sem_nota(&conteudo, None),
            },
            Err(destino) => return destino,
        }
    }
    match consultar(sessao, Servico::ConsultarLote, protocolo).await {
        Ok(mut conteudo) => {
            conteudo
                .notas
                .retain(|nota| nota.do_rps(&rps.serie, rps.numero));
            if !conteudo.notas.is_empty() {
                return Destino::Emitida(conteudo);
            }
            let situacao = conteudo.situacao.or(situacao);
            sem_nota(&conteudo, situacao)
        }
        Err(destino) => destino,
    }
}

/// What an answer without note says.
fn sem_nota(conteudo: &Conteudo, situacao: Option<u8>) -> Destino {
    let mensagens = conteudo.mensagens.clone();
    if mensagens.is_empty() {
        return match situacao {
            Some(1 | 2) => Destino::NaFila,
            _ => Destino::SemResultado,
        };
    }
    match (classificar(&mensagens), situacao) {
        (Classe::Pendente, _) | (_, Some(1 | 2)) => Destino::NaFila,
        (Classe::Duplicado, _) => Destino::Duvidoso(mensagens),
        (_, Some(3)) => Destino::Recusado(mensagens),
        (Classe::NaoEncontrado, _) => Destino::SemResultado,
        (Classe::Credencial, _) => Destino::Indefinido(Failure::credentials(mensagens)),
        _ => Destino::Duvidoso(mensagens),
    }
}

async fn consultar(
    sessao: &Sessao<'_>,
    servico: Servico,
    protocolo: &str,
) -> Result<Box<Conteudo>, Destino> {
    let mensagem = sessao
        .consulta_protocolo(servico, protocolo)
        .await
        .map_err(Destino::Indefinido)?;
    let recebida = match sessao.enviar(servico, &mensagem).await {
        Ok(recebida) => recebida,
        Err(Falta::SemResposta(Fault::Cancelled)) => return Err(Destino::Desistencia),
        Err(Falta::SemResposta(fault)) => return Err(Destino::Indefinido(fault.into())),
        Err(Falta::NaoEnviada(failure)) => return Err(Destino::Indefinido(failure)),
    };
    let indefinida = recebida.indefinida("consulta do lote sem resposta clara");
    match recebida.leitura {
        Leitura::Conteudo(conteudo) => Ok(conteudo),
        Leitura::Barrada => Err(Destino::Indefinido(Failure::credentials(vec![barrada(
            recebida.resposta.status,
        )]))),
        _ => Err(Destino::Indefinido(indefinida)),
    }
}
