//! Operation `cancelar`.

use crate::answer::{Classe, Nota, classificar};
use crate::flow::pace::{MAX_BUSCAS, MAX_ENVIOS, MAX_PASSOS, NAO_ENCONTRADAS, espera_ms};
use crate::flow::query::alvo;
use crate::flow::search::{self, Achado, Alvo};
use crate::flow::session::{Falta, Recebida, SemConteudo, Sessao, desistencia};
use crate::message::cancellation;
use crate::service::Servico;
use sdk::nfse::{self, Cancelamento};
use sdk::{Documento, Failure, Fault, Flow, Mensagem, Operacao, Outcome, Situacao, Success};

/// What one answer says.
enum Veredito {
    Cancelada(Box<Documento>, Vec<Mensagem>),
    /// Cancelled before, by this flow or by somebody else.
    JaCancelada(Vec<Mensagem>),
    Recusada(Failure),
    Incerta(Failure),
}

/// What the note looks like.
enum Estado {
    Cancelada(Box<Nota>),
    /// Valid, several times.
    Valida,
    Fim(Failure),
}

/// Cancels a note.
///
/// # Errors
/// May-exist here means that the cancellation may have happened.
pub async fn cancel(flow: &Flow, op: &Operacao) -> Outcome {
    let sessao = Sessao::nova(flow)?;
    let pedido: Cancelamento = nfse::read(&op.conteudo, nfse::SCHEMA_CANCELAMENTO)?;
    let mensagem = flow
        .keep("mensagem", || {
            cancellation::montar(&sessao.opcoes, flow.ctx(), &pedido)
        })
        .await?;
    let alvo = alvo(&pedido.documento);
    let mut ultima = Failure::other("sem envio");
    for envio in 1..=MAX_ENVIOS {
        let repetido = envio > 1;
        match enviar(&sessao, &mensagem, repetido).await? {
            Veredito::Cancelada(evento, alertas) => {
                return Ok(Success::new(Situacao::Cancelado)
                    .documento(*evento)
                    .mensagens(alertas));
            }
            Veredito::JaCancelada(mensagens) => {
                return Ok(ja_cancelada(&sessao, alvo.as_ref(), mensagens).await);
            }
            Veredito::Recusada(failure) if repetido => return Err(failure.maybe_exists()),
            Veredito::Recusada(failure) => return Err(failure),
            Veredito::Incerta(failure) => {
                let Some(alvo) = &alvo else {
                    return Err(failure.maybe_exists());
                };
                match verificar(&sessao, alvo).await {
                    Estado::Cancelada(nota) => return Ok(cancelada(*nota, Vec::new())),
                    Estado::Valida => ultima = failure,
                    Estado::Fim(failure) => return Err(failure.maybe_exists()),
                }
            }
        }
        if flow.asks() >= MAX_PASSOS {
            break;
        }
    }
    Err(ultima.maybe_exists())
}

async fn enviar(sessao: &Sessao<'_>, mensagem: &str, repetido: bool) -> Result<Veredito, Failure> {
    let talvez = |failure: Failure| {
        if repetido {
            failure.maybe_exists()
        } else {
            failure
        }
    };
    match sessao.enviar(Servico::Cancelar, mensagem).await {
        Ok(recebida) => Ok(julgar(recebida)),
        Err(Falta::SemResposta(Fault::Cancelled)) => Err(desistencia()),
        Err(Falta::SemResposta(fault)) if fault.maybe_arrived() => {
            Ok(Veredito::Incerta(fault.into()))
        }
        Err(Falta::SemResposta(_)) => Err(talvez(Failure::unavailable(
            None,
            "a prefeitura nao atendeu",
        ))),
        Err(Falta::NaoEnviada(failure)) => Err(talvez(failure)),
    }
}

fn julgar(recebida: Recebida) -> Veredito {
    let (conteudo, resposta) = match recebida.conteudo() {
        Ok(lida) => lida,
        Err(SemConteudo::Recusada(failure)) => return Veredito::Recusada(failure),
        Err(SemConteudo::Incerta(failure)) => return Veredito::Incerta(failure),
    };
    let mut alertas = conteudo.alertas;
    if let Some(evento) = conteudo.cancelamento {
        alertas.extend(conteudo.mensagens);
        return Veredito::Cancelada(Box::new(evento), alertas);
    }
    let mensagens = conteudo.mensagens;
    if mensagens.is_empty() {
        return Veredito::Incerta(Failure::unexpected(
            "resposta sem confirmacao nem mensagem",
            &resposta.body,
        ));
    }
    match classificar(&mensagens) {
        Classe::JaCancelada => Veredito::JaCancelada(mensagens),
        Classe::Pendente => Veredito::Incerta(Failure::other("cancelamento em processamento")),
        Classe::Credencial => Veredito::Recusada(Failure::credentials(mensagens)),
        _ => Veredito::Recusada(Failure::rejected(mensagens)),
    }
}

/// Looks at the note until it is cancelled or was seen valid often enough.
async fn verificar(sessao: &Sessao<'_>, alvo: &Alvo) -> Estado {
    let flow = sessao.flow;
    let mut validas = 0;
    let mut sem_resposta = 0;
    let mut n = 0;
    loop {
        if flow.asks() >= MAX_PASSOS {
            return Estado::Fim(Failure::other("consultas demais sem resultado"));
        }
        let espera = espera_ms(sessao.opcoes.intervalo_ms, n);
        n += 1;
        let motivo = "confirmação do cancelamento: consulta da NFS-e";
        if flow.wait(espera, motivo).await.is_err() {
            return Estado::Fim(desistencia());
        }
        match search::perguntar(sessao, alvo).await {
            Achado::Nota(nota, _) if nota.documento.situacao == Situacao::Cancelado => {
                return Estado::Cancelada(nota);
            }
            Achado::Nota(..) => {
                validas += 1;
                if validas >= NAO_ENCONTRADAS {
                    return Estado::Valida;
                }
            }
            Achado::Recusa(failure) => return Estado::Fim(failure),
            Achado::Desistencia => return Estado::Fim(desistencia()),
            Achado::Indefinido(failure) => {
                sem_resposta += 1;
                if sem_resposta >= MAX_BUSCAS {
                    return Estado::Fim(failure);
                }
            }
            Achado::Nenhuma | Achado::Pendente => {
                sem_resposta += 1;
                if sem_resposta >= MAX_BUSCAS {
                    return Estado::Fim(Failure::other("a prefeitura nao mostra a NFS-e"));
                }
            }
        }
    }
}

/// "Already cancelled" is the city's explicit word; the note itself is
/// fetched if the city gives it.
async fn ja_cancelada(
    sessao: &Sessao<'_>,
    alvo: Option<&Alvo>,
    mensagens: Vec<Mensagem>,
) -> Success {
    if let Some(alvo) = alvo
        && let Achado::Nota(nota, _) = search::perguntar(sessao, alvo).await
        && nota.documento.situacao == Situacao::Cancelado
    {
        return cancelada(*nota, mensagens);
    }
    Success::new(Situacao::Cancelado).mensagens(mensagens)
}

fn cancelada(nota: Nota, mensagens: Vec<Mensagem>) -> Success {
    Success::new(Situacao::Cancelado)
        .documento(nota.documento)
        .mensagens(mensagens)
}
