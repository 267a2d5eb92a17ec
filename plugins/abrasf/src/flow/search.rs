//! Looks a note up, by its RPS or by its number.

use crate::answer::fault as classe_do_fault;
use crate::answer::{Classe, Conteudo, Leitura, Nota, classificar};
use crate::flow::session::{Falta, Recebida, Sessao, barrada};
use crate::message::query::{Rps, servico_por_numero};
use crate::service::Servico;
use sdk::{Failure, Fault, Mensagem};

/// What a look-up found out.
pub enum Achado {
    Nota(Box<Nota>, Vec<Mensagem>),
    /// The city says clearly that it has none.
    Nenhuma,
    /// The city has the RPS but no note yet.
    Pendente,
    /// Certificate, login: asking again changes nothing.
    Recusa(Failure),
    /// Not known.
    Indefinido(Failure),
    /// Someone gave up on the flow.
    Desistencia,
}

/// What to look for.
#[derive(Clone, Debug)]
pub enum Alvo {
    Rps(Rps),
    Numero(String),
}

impl Alvo {
    fn servico(&self, sessao: &Sessao<'_>) -> Servico {
        match self {
            Alvo::Rps(_) => Servico::ConsultarRps,
            Alvo::Numero(_) => servico_por_numero(&sessao.opcoes),
        }
    }

    /// The answer's note that is the one asked for.
    fn escolher(&self, notas: Vec<Nota>) -> Option<Nota> {
        notas.into_iter().find(|nota| match self {
            Alvo::Rps(rps) => nota.do_rps(&rps.serie, rps.numero),
            Alvo::Numero(numero) => {
                let sem_zeros = |n: &str| n.trim_start_matches('0').to_owned();
                nota.documento
                    .numero
                    .as_deref()
                    .is_some_and(|n| sem_zeros(n) == sem_zeros(numero))
            }
        })
    }
}

/// Asks once.
pub async fn perguntar(sessao: &Sessao<'_>, alvo: &Alvo) -> Achado {
    let mensagem = match alvo {
        Alvo::Rps(rps) => sessao.consulta_rps(rps).await,
        Alvo::Numero(numero) => sessao.consulta_numero(numero).await,
    };
    let mensagem = match mensagem {
        Ok(mensagem) => mensagem,
        Err(failure) => return Achado::Recusa(failure),
    };
    match sessao.enviar(alvo.servico(sessao), &mensagem).await {
        Ok(recebida) => julgar(alvo, recebida),
        Err(Falta::SemResposta(Fault::Cancelled)) => Achado::Desistencia,
        Err(Falta::SemResposta(fault)) => Achado::Indefinido(fault.into()),
        Err(Falta::NaoEnviada(failure)) => Achado::Recusa(failure),
    }
}

fn julgar(alvo: &Alvo, recebida: Recebida) -> Achado {
    match recebida.leitura {
        Leitura::Conteudo(conteudo) => {
            let Conteudo {
                notas,
                mensagens,
                mut alertas,
                lista_vazia,
                ..
            } = *conteudo;
            let indefinida = |motivo: &str| {
                Achado::Indefinido(Failure::unexpected(motivo, &recebida.resposta.body))
            };
            if !notas.is_empty() {
                return match alvo.escolher(notas) {
                    Some(nota) => {
                        alertas.extend(mensagens);
                        Achado::Nota(Box::new(nota), alertas)
                    }
                    None => indefinida("a consulta trouxe outra nota"),
                };
            }
            if lista_vazia {
                return Achado::Nenhuma;
            }
            if mensagens.is_empty() {
                return indefinida("consulta sem nota e sem mensagem");
            }
            match classificar(&mensagens) {
                Classe::Pendente => Achado::Pendente,
                Classe::NaoEncontrado => Achado::Nenhuma,
                Classe::Credencial => Achado::Recusa(Failure::credentials(mensagens)),
                // Refused was the question: it says nothing about the note.
                Classe::Recusa | Classe::Duplicado | Classe::JaCancelada => Achado::Indefinido(
                    Failure::unexpected("a prefeitura recusou a consulta", &recebida.resposta.body),
                ),
            }
        }
        Leitura::Fault(ref fault) => match classe_do_fault(fault) {
            Some(Classe::Credencial) => Achado::Recusa(Failure::credentials(vec![Mensagem::new(
                &fault.code,
                &fault.text,
            )])),
            _ => Achado::Indefinido(recebida.indefinida("SOAP Fault na consulta")),
        },
        Leitura::Barrada => Achado::Recusa(
            Failure::credentials(vec![barrada(recebida.resposta.status)])
                .with_evidence(&recebida.resposta.body),
        ),
        Leitura::Contida(_) => Achado::Indefinido(recebida.indefinida("consultas demais")),
        Leitura::Ilegivel(motivo) => Achado::Indefinido(recebida.indefinida(motivo)),
    }
}
