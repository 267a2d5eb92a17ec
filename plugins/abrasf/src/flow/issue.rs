//! Operations `emitir` and `substituir`: one note, at most once.

use crate::answer::{Classe, Conteudo, Nota, classificar};
use crate::flow::batch::{self, Destino};
use crate::flow::pace::{MAX_BUSCAS, MAX_ENVIOS, MAX_PASSOS, NAO_ENCONTRADAS, espera_ms};
use crate::flow::search::{self, Achado, Alvo};
use crate::flow::session::{Falta, Recebida, SemConteudo, Sessao, desistencia};
use crate::message::query::Rps;
use crate::message::sending;
use crate::service::Servico;
use sdk::nfse::{self, Dps, NotaRef};
use sdk::{Failure, Fault, Flow, Mensagem, Operacao, Outcome, Situacao, Success};

/// Issues by the system's mode.
///
/// # Errors
/// See [`Failure`]; may-exist is set unless it is certain that there is no
/// note.
pub async fn issue(flow: &Flow, op: &Operacao) -> Outcome {
    let sessao = Sessao::nova(flow)?;
    let dps: Dps = nfse::read(&op.conteudo, nfse::SCHEMA_DPS)?;
    let servico = Servico::de_emissao(sessao.opcoes.modo);
    Emissao::nova(&sessao, &dps, servico).correr(None).await
}

/// Replaces the note that `substitui` names.
///
/// # Errors
/// As [`emitir`].
pub async fn substituir(flow: &Flow, op: &Operacao) -> Outcome {
    let sessao = Sessao::nova(flow)?;
    let dps: Dps = nfse::read(&op.conteudo, nfse::SCHEMA_DPS)?;
    if sessao.opcoes.versao.primeira() {
        return Err(Failure::not_supported(
            "A versão 1.00 do leiaute não tem substituição.",
        ));
    }
    let numero = dps.substitui.as_ref().and_then(|s| s.numero_nfse.clone());
    let Some(numero) = numero.filter(|numero| !numero.trim().is_empty()) else {
        return Err(Failure::invalid_input(vec![sdk::FieldError::new(
            "substitui.numero_nfse",
            "obrigatorio",
            "A prefeitura exige o número da NFS-e substituída.",
        )]));
    };
    let mut antiga = NotaRef::default();
    antiga.numero = Some(numero);
    Emissao::nova(&sessao, &dps, Servico::Substituir)
        .correr(Some(&antiga))
        .await
}

/// What one answer to the emission says.
enum Veredito {
    Emitida(Box<Conteudo>),
    Protocolo(String),
    Pendente,
    Duplicada(Vec<Mensagem>),
    /// An explicit no.
    Recusada(Failure),
    /// Not known.
    Incerta(Failure),
}

/// What looking for the note by its RPS gave.
enum Busca {
    Achada(Box<Nota>, Vec<Mensagem>),
    /// Clearly not there, several times.
    NaoExiste,
    /// The end of the flow.
    Fim(Failure),
}

struct Emissao<'a> {
    sessao: &'a Sessao<'a>,
    dps: &'a Dps,
    servico: Servico,
    rps: Rps,
}

impl<'a> Emissao<'a> {
    fn nova(sessao: &'a Sessao<'a>, dps: &'a Dps, servico: Servico) -> Self {
        let rps = Rps {
            serie: dps.identificacao.serie.trim().to_owned(),
            numero: dps.identificacao.numero,
        };
        Emissao {
            sessao,
            dps,
            servico,
            rps,
        }
    }

    async fn correr(&self, substituida: Option<&NotaRef>) -> Outcome {
        let flow = self.sessao.flow;
        let opcoes = &self.sessao.opcoes;
        let mensagem = flow
            .keep("mensagem", || {
                sending::montar(opcoes, flow.ctx(), self.dps, self.servico, substituida)
            })
            .await?;
        // The same bytes each time: the city knows an RPS by its number.
        let mut ultima = Failure::other("sem envio");
        for envio in 1..=MAX_ENVIOS {
            let repetido = envio > 1;
            match self.enviar(&mensagem, repetido).await? {
                Veredito::Emitida(conteudo) => return Ok(emitida(*conteudo, None)),
                Veredito::Protocolo(protocolo) => match self.lote(&protocolo, repetido).await? {
                    Some(success) => return Ok(success),
                    None => ultima = Failure::other("lote sem resultado"),
                },
                Veredito::Pendente => {
                    match self.procurar("pendente: RPS na fila da prefeitura").await {
                        Busca::Achada(nota, alertas) => return self.adotar(*nota, alertas),
                        Busca::NaoExiste => ultima = Failure::other("RPS pendente que sumiu"),
                        Busca::Fim(failure) => return Err(failure),
                    }
                }
                Veredito::Duplicada(mensagens) => {
                    return self.duplicada(mensagens, repetido).await;
                }
                Veredito::Recusada(failure) => return self.recusada(failure, repetido).await,
                Veredito::Incerta(failure) => {
                    match self.procurar("confirmação do envio: consulta do RPS").await {
                        Busca::Achada(nota, alertas) => return self.adotar(*nota, alertas),
                        Busca::NaoExiste => ultima = failure,
                        Busca::Fim(failure) => return Err(failure),
                    }
                }
            }
            if flow.asks() >= MAX_PASSOS {
                break;
            }
        }
        // Each time the city said it has none, and each time the answer to
        // the sending got lost: the last one may still have arrived.
        Err(ultima.maybe_exists())
    }

    /// Sends once and judges the answer.
    async fn enviar(&self, mensagem: &str, repetido: bool) -> Result<Veredito, Failure> {
        match self.sessao.enviar(self.servico, mensagem).await {
            Ok(recebida) => Ok(self.julgar(recebida)),
            Err(Falta::SemResposta(Fault::Cancelled)) => Err(desistencia()),
            Err(Falta::SemResposta(fault)) if fault.maybe_arrived() => {
                Ok(Veredito::Incerta(fault.into()))
            }
            Err(Falta::SemResposta(_)) => {
                let failure = Failure::unavailable(None, "a prefeitura nao atendeu");
                Err(talvez(failure, repetido))
            }
            Err(Falta::NaoEnviada(failure)) => Err(talvez(failure, repetido)),
        }
    }

    fn julgar(&self, recebida: Recebida) -> Veredito {
        let (mut conteudo, resposta) = match recebida.conteudo() {
            Ok(lida) => lida,
            Err(SemConteudo::Recusada(failure)) => return Veredito::Recusada(failure),
            Err(SemConteudo::Incerta(failure)) => return Veredito::Incerta(failure),
        };
        let incerta = |motivo: &str| Veredito::Incerta(Failure::unexpected(motivo, &resposta.body));
        if !conteudo.notas.is_empty() {
            let Rps { serie, numero, .. } = &self.rps;
            conteudo.notas.retain(|nota| nota.do_rps(serie, *numero));
            if conteudo.notas.is_empty() {
                return incerta("a resposta traz outra nota");
            }
            return Veredito::Emitida(conteudo);
        }
        let mensagens = conteudo.mensagens;
        if mensagens.is_empty() {
            return match conteudo.protocolo {
                Some(protocolo) => Veredito::Protocolo(protocolo),
                None => incerta("resposta sem nota, protocolo nem mensagem"),
            };
        }
        match classificar(&mensagens) {
            Classe::Pendente => Veredito::Pendente,
            Classe::Duplicado => Veredito::Duplicada(mensagens),
            Classe::Credencial => Veredito::Recusada(Failure::credentials(mensagens)),
            Classe::NaoEncontrado | Classe::JaCancelada | Classe::Recusa => {
                Veredito::Recusada(Failure::rejected(mensagens))
            }
        }
    }

    /// Follows a batch. None: nothing there after all, send again.
    async fn lote(&self, protocolo: &str, repetido: bool) -> Result<Option<Success>, Failure> {
        let destino = batch::acompanhar(self.sessao, protocolo, &self.rps).await;
        let com_protocolo = Some(protocolo.to_owned());
        let mensagens = match destino {
            Destino::Emitida(conteudo) => return Ok(Some(emitida(*conteudo, com_protocolo))),
            Destino::Recusado(mensagens) if !repetido => return Err(Failure::rejected(mensagens)),
            Destino::Recusado(mensagens) | Destino::Duvidoso(mensagens) => Some(mensagens),
            Destino::SemResultado => None,
            Destino::NaFila => {
                let detalhe = format!("lote {protocolo} ainda na fila da prefeitura");
                return Err(Failure::other(&detalhe).maybe_exists());
            }
            Destino::Indefinido(failure) => return Err(failure.maybe_exists()),
            Destino::Desistencia => return Err(desistencia()),
        };
        match self.procurar("pendente: consulta do RPS do lote").await {
            Busca::Achada(nota, alertas) if self.minha(&nota) => {
                Ok(Some(achada(*nota, alertas, com_protocolo)))
            }
            // A note of ours with other content is somebody else's RPS: the
            // city's no about this batch stands.
            Busca::Achada(..) | Busca::NaoExiste => match mensagens {
                Some(mensagens) => Err(talvez(Failure::rejected(mensagens), repetido)),
                None => Ok(None),
            },
            Busca::Fim(failure) => Err(failure),
        }
    }

    /// The city has this RPS already: ours of an earlier sending, or one that
    /// other software issued with the same number.
    async fn duplicada(&self, mut mensagens: Vec<Mensagem>, repetido: bool) -> Outcome {
        match self
            .procurar("confirmação: RPS já informado à prefeitura")
            .await
        {
            Busca::Achada(nota, alertas) if self.minha(&nota) => Ok(achada(*nota, alertas, None)),
            Busca::Achada(..) => {
                mensagens.push(de_outro());
                Err(Failure::rejected(mensagens))
            }
            // Known as a number but without a note: after a sending of ours
            // it may still be in a queue.
            Busca::NaoExiste => Err(talvez(Failure::rejected(mensagens), repetido)),
            Busca::Fim(failure) => Err(failure),
        }
    }

    /// An explicit no. After more than one sending it is about the last one
    /// only, so the city is asked whether an earlier one made a note.
    async fn recusada(&self, failure: Failure, repetido: bool) -> Outcome {
        if !repetido {
            return Err(failure);
        }
        match search::perguntar(self.sessao, &Alvo::Rps(self.rps.clone())).await {
            Achado::Nota(nota, alertas) if self.minha(&nota) => Ok(achada(*nota, alertas, None)),
            Achado::Nenhuma => Err(failure),
            _ => Err(failure.maybe_exists()),
        }
    }

    /// Asks for the note by its RPS until the city gives it or has said often
    /// enough that there is none.
    async fn procurar(&self, motivo: &str) -> Busca {
        let flow = self.sessao.flow;
        let alvo = Alvo::Rps(self.rps.clone());
        let mut ausencias = 0;
        let mut sem_resposta = 0;
        let mut motivo = motivo;
        let mut n = 0;
        loop {
            if flow.asks() >= MAX_PASSOS {
                return Busca::Fim(Failure::other("consultas demais sem resultado").maybe_exists());
            }
            let espera = espera_ms(self.sessao.opcoes.intervalo_ms, n);
            n += 1;
            if flow.wait(espera, motivo).await.is_err() {
                return Busca::Fim(desistencia());
            }
            match search::perguntar(self.sessao, &alvo).await {
                Achado::Nota(nota, alertas) => return Busca::Achada(nota, alertas),
                Achado::Nenhuma => {
                    ausencias += 1;
                    if ausencias >= NAO_ENCONTRADAS {
                        return Busca::NaoExiste;
                    }
                }
                Achado::Pendente => {
                    // In the queue: as long as the steps last.
                    ausencias = 0;
                    motivo = "pendente: RPS na fila da prefeitura";
                }
                Achado::Indefinido(failure) => {
                    sem_resposta += 1;
                    if sem_resposta >= MAX_BUSCAS {
                        return Busca::Fim(failure.maybe_exists());
                    }
                }
                Achado::Recusa(failure) => return Busca::Fim(failure.maybe_exists()),
                Achado::Desistencia => return Busca::Fim(desistencia()),
            }
        }
    }

    /// A note found after a sending without answer.
    fn adotar(&self, nota: Nota, alertas: Vec<Mensagem>) -> Outcome {
        if self.minha(&nota) {
            return Ok(achada(nota, alertas, None));
        }
        // The number was taken before we sent anything: ours cannot exist.
        Err(Failure::rejected(vec![de_outro()]))
    }

    /// Same price and same taker, as far as the city's note says.
    fn minha(&self, nota: &Nota) -> bool {
        let valor = nota.valor.is_none_or(|v| v == self.dps.valores.servico);
        let declarado = self
            .dps
            .tomador
            .as_ref()
            .and_then(|tomador| tomador.cpf_cnpj.as_deref());
        let tomador = match (&nota.tomador, declarado) {
            (Some(da_nota), Some(nosso)) => da_nota.eq_ignore_ascii_case(nosso.trim()),
            _ => true,
        };
        valor && tomador
    }
}

/// The hub does not give a number with this code out again.
fn de_outro() -> Mensagem {
    Mensagem::new(
        "numero_ja_usado",
        "O número deste RPS já foi usado por outra NFS-e na prefeitura.",
    )
}

/// May-exist, when an earlier sending may have arrived.
fn talvez(failure: Failure, repetido: bool) -> Failure {
    if repetido {
        failure.maybe_exists()
    } else {
        failure
    }
}

/// The end of an emission whose answer has the note.
fn emitida(conteudo: Conteudo, protocolo: Option<String>) -> Success {
    let mut alertas = conteudo.alertas;
    // Messages beside a note did not prevent it: they are warnings.
    alertas.extend(conteudo.mensagens);
    let protocolo = protocolo.or(conteudo.protocolo);
    let mut notas = conteudo.notas.into_iter();
    let mut success = match notas.next() {
        Some(nota) => achada(nota, alertas, protocolo),
        None => return Success::new(Situacao::EmProcessamento).protocolo(protocolo),
    };
    if let Some(antiga) = conteudo.substituida {
        let mut documento = antiga.documento;
        documento.situacao = Situacao::Substituido;
        success = success.documento(documento);
    }
    success
}

/// The end of a look-up that has the note.
pub fn achada(nota: Nota, alertas: Vec<Mensagem>, protocolo: Option<String>) -> Success {
    Success::new(nota.documento.situacao)
        .documento(nota.documento)
        .mensagens(alertas)
        .protocolo(protocolo)
}
