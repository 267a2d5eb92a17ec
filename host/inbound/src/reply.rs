//! What an outcome of `distribuicao` means, for the documents and for the
//! next question.

use crate::batch::{self, Recebido};
use crate::pause::{ESPERA_MS, Fim, Tipo, cedo};
use authority::breaker::{ACESSO_RECUSADO, CONSUMO_INDEVIDO};
use base::errors::{Code, Refusal};
use flow::contract::{Failure, FailureReason, Mensagem, Outcome, Success};
use issuing::answer;
use issuing::model::Modelo;
use issuing::settle::{Quem, Verdict, failed};
use serde_json::Value;

/// Codes by which the adapter names the NSU that come with a 656.
const ULTIMO_NSU: &str = "ultimo_nsu";
const MAX_NSU: &str = "max_nsu";

/// One answer with its documents.
#[derive(Debug, Default)]
pub struct Pagina {
    pub recebidos: Vec<Recebido>,
    /// What the customer should know of documents that were left out.
    pub avisos: Vec<String>,
    /// 0: the answer did not say.
    pub ultimo_nsu: i64,
    pub max_nsu: i64,
    /// Something came, and there is more behind it.
    pub ha_mais: bool,
}

/// No documents: why, and what it costs.
#[derive(Debug)]
pub struct Falha {
    pub refusal: Refusal,
    pub fim: Fim,
    /// Where the authority says that the company stands; 0: nothing said.
    pub ultimo_nsu: i64,
    pub max_nsu: i64,
}

/// Reads an answer; `desde` is the NSU that was asked with.
///
/// # Errors
/// There are no documents in it.
pub fn ler(
    outcome: anyhow::Result<Outcome>,
    desde: i64,
    now_ms: i64,
) -> Result<Pagina, Box<Falha>> {
    match outcome {
        Ok(Ok(success)) => Ok(pagina(success, desde)),
        Ok(Err(failure)) => Err(Box::new(falha(&failure, now_ms))),
        // It may have left: nothing says that it did not arrive.
        Err(error) => {
            tracing::error!(error = %format!("{error:#}"), "distribution without an answer");
            Err(Box::new(perdida()))
        }
    }
}

impl Pagina {
    /// What the answer to a question leads to; `pode` tells whether another
    /// one may follow now.
    pub fn fim(&self, tipo: Tipo, pode: bool) -> Fim {
        match (tipo, self.ha_mais) {
            (Tipo::Pontual, _) => Fim::Livre,
            // 137, or the end of the queue: nothing for an hour.
            (Tipo::Novas, false) => Fim::Espera(ESPERA_MS),
            (Tipo::Novas, true) if pode => Fim::Continua,
            (Tipo::Novas, true) => Fim::Livre,
        }
    }
}

fn pagina(success: Success, desde: i64) -> Pagina {
    let said: Value = success
        .conteudo
        .as_ref()
        .and_then(|conteudo| serde_json::from_str(&conteudo.json).ok())
        .unwrap_or_default();
    let nsu = |name: &str| said[name].as_str().map_or(0, batch::numero);
    let (ultimo_nsu, max_nsu) = (nsu(ULTIMO_NSU), nsu(MAX_NSU));
    let mut pagina = Pagina {
        ultimo_nsu,
        max_nsu,
        // An answer that does not move on is not asked for again.
        ha_mais: said["cstat"] == "138"
            && ultimo_nsu > desde
            && (ultimo_nsu < max_nsu || said["cortada"] == true),
        avisos: success.mensagens.into_iter().map(|m| m.texto).collect(),
        ..Pagina::default()
    };
    for documento in success.documentos {
        let (nsu, tipo) = (
            documento.numero.clone().unwrap_or_default(),
            documento.tipo.clone(),
        );
        let readable = documento.xml.is_some();
        match batch::ler_documento(documento) {
            Ok(recebido) => pagina.recebidos.push(recebido),
            Err(error) => {
                tracing::warn!(nsu, tipo, %error, "document of the distribution left out");
                // The adapter told of those without bytes itself.
                if readable {
                    pagina
                        .avisos
                        .push(format!("O documento do NSU {nsu} não pôde ser lido."));
                }
            }
        }
    }
    pagina
}

fn falha(failure: &Failure, now_ms: i64) -> Falha {
    let nothing = |refusal, fim| Falha {
        refusal,
        fim,
        ultimo_nsu: 0,
        max_nsu: 0,
    };
    match &failure.reason {
        FailureReason::Unavailable(motivo) if diz(&motivo.mensagens, CONSUMO_INDEVIDO) => {
            consumo_indevido(&motivo.mensagens, now_ms)
        }
        FailureReason::Transport(fault) if fault.maybe_arrived => perdida(),
        FailureReason::UnexpectedResponse(_) => perdida(),
        FailureReason::Credentials(mensagens) if diz(mensagens, ACESSO_RECUSADO) => perdida(),
        FailureReason::Unavailable(motivo) => {
            // Not looked at (108, 109, a closed door): only what it asks for.
            let pause = motivo.retry_after_ms.map_or(0, |ms| ms.min(3_600_000));
            let fim = Fim::Espera(i64::try_from(pause).unwrap_or(0));
            nothing(sem_resposta(failure), fim)
        }
        // An explicit no is one question all the same, and the next one
        // would be answered alike.
        FailureReason::Rejected(_) => nothing(sem_resposta(failure), Fim::Espera(ESPERA_MS)),
        // Nothing left.
        FailureReason::Transport(_)
        | FailureReason::InvalidInput(_)
        | FailureReason::NotSupported(_)
        | FailureReason::Credentials(_)
        | FailureReason::Signing(_)
        | FailureReason::Other(_) => nothing(sem_resposta(failure), Fim::Livre),
    }
}

/// 656, with the NSU to go on from (NT 2014.002 v1.14, second-hand).
fn consumo_indevido(mensagens: &[Mensagem], now_ms: i64) -> Falha {
    let nsu = |codigo: &str| {
        let found = mensagens.iter().find(|mensagem| mensagem.codigo == codigo);
        found.map_or(0, |mensagem| batch::numero(&mensagem.texto))
    };
    let texto = mensagens.first().map(|mensagem| mensagem.texto.clone());
    let refusal = cedo(now_ms + ESPERA_MS, now_ms)
        .message(format!(
            "{} ({CONSUMO_INDEVIDO})",
            texto.unwrap_or_default()
        ))
        .hint("Alguém consultou este CNPJ cedo demais, talvez por outro sistema: mantenha um só sistema na distribuição e repita depois do tempo indicado em Retry-After.");
    Falha {
        refusal,
        fim: Fim::Bloqueada,
        ultimo_nsu: nsu(ULTIMO_NSU),
        max_nsu: nsu(MAX_NSU),
    }
}

fn diz(mensagens: &[Mensagem], codigo: &str) -> bool {
    mensagens.iter().any(|mensagem| mensagem.codigo == codigo)
}

/// The failure for a lost answer: the authority may have counted the question,
/// so the hub waits as after an answer without documents.
fn perdida() -> Falha {
    let seconds = u64::try_from(ESPERA_MS / 1_000).unwrap_or(3_660);
    Falha {
        refusal: Refusal::new(Code::SefazIndisponivel)
            .message("A SEFAZ não respondeu à consulta, e pode tê-la contado; nada foi cobrado.")
            .retry_after(seconds),
        fim: Fim::Espera(ESPERA_MS),
        ultimo_nsu: 0,
        max_nsu: 0,
    }
}

/// A refusal as the API tells it.
fn sem_resposta(failure: &Failure) -> Refusal {
    match failed(failure, &Quem::sefaz(Modelo::Nfe)) {
        Verdict::Rejected(mut reasons) => {
            for reason in &mut reasons {
                "Confira a chave ou o NSU, e se a nota é deste CNPJ."
                    .clone_into(&mut reason.correcao);
            }
            answer::refused(Modelo::Nfe, reasons)
        }
        Verdict::NotSent(refusal) => refusal,
        // `failed` gives one of the two above.
        _ => Refusal::new(Code::FalhaDoAdaptador),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flow::contract::{Conteudo, Situacao, TransportFault, TransportKind, Unavailable};

    fn success(json: &str) -> Outcome {
        Ok(Success {
            situacao: Situacao::Consultado,
            documentos: Vec::new(),
            protocolo: None,
            mensagens: Vec::new(),
            conteudo: Some(Conteudo {
                schema: "sefaz.distribuicao.resposta/1".to_owned(),
                json: json.to_owned(),
            }),
        })
    }

    fn failure(reason: FailureReason) -> anyhow::Result<Outcome> {
        Ok(Err(Failure {
            reason,
            may_exist: false,
            detail: String::new(),
            evidence: None,
        }))
    }

    fn mensagem(codigo: &str, texto: &str) -> Mensagem {
        Mensagem {
            codigo: codigo.to_owned(),
            texto: texto.to_owned(),
            correcao: None,
            campo: None,
        }
    }

    #[test]
    fn the_queue_goes_on_only_while_it_moves() {
        for (json, desde, fim) in [
            (
                r#"{"cstat":"137","ultimo_nsu":"7","max_nsu":"9"}"#,
                5,
                Fim::Espera(ESPERA_MS),
            ),
            (
                r#"{"cstat":"138","ultimo_nsu":"7","max_nsu":"9"}"#,
                5,
                Fim::Continua,
            ),
            (
                r#"{"cstat":"138","ultimo_nsu":"9","max_nsu":"9"}"#,
                5,
                Fim::Espera(ESPERA_MS),
            ),
            (
                r#"{"cstat":"138","ultimo_nsu":"9","max_nsu":"9","cortada":true}"#,
                5,
                Fim::Continua,
            ),
            (
                r#"{"cstat":"138","ultimo_nsu":"5","max_nsu":"9"}"#,
                5,
                Fim::Espera(ESPERA_MS),
            ),
            (r#"{"cstat":"138"}"#, 5, Fim::Espera(ESPERA_MS)),
            ("junk", 5, Fim::Espera(ESPERA_MS)),
        ] {
            let page = ler(Ok(success(json)), desde, 0).expect("a page");
            assert_eq!(page.fim(Tipo::Novas, true), fim, "{json}");
            assert_eq!(page.fim(Tipo::Pontual, true), Fim::Livre);
        }
    }

    #[test]
    fn only_what_certainly_did_not_leave_costs_nothing() {
        let fault = |maybe_arrived| {
            FailureReason::Transport(TransportFault {
                kind: TransportKind::Timeout,
                detail: String::new(),
                maybe_arrived,
            })
        };
        let busy = |retry_after_ms, mensagens| {
            FailureReason::Unavailable(Unavailable {
                retry_after_ms,
                mensagens,
            })
        };
        let abuse = vec![
            mensagem("656", "Consumo indevido"),
            mensagem("ultimo_nsu", "000000000000042"),
        ];
        for (reason, fim) in [
            (fault(true), Fim::Espera(ESPERA_MS)),
            (fault(false), Fim::Livre),
            (busy(None, Vec::new()), Fim::Espera(0)),
            (
                busy(Some(60_000), vec![mensagem("108", "Parado")]),
                Fim::Espera(60_000),
            ),
            (busy(Some(3_600_000), abuse.clone()), Fim::Bloqueada),
            (
                FailureReason::Rejected(vec![mensagem("589", "NSU")]),
                Fim::Espera(ESPERA_MS),
            ),
            (
                FailureReason::UnexpectedResponse("?".to_owned()),
                Fim::Espera(ESPERA_MS),
            ),
        ] {
            let told = ler(failure(reason.clone()), 0, 0).expect_err("no page");
            assert_eq!(told.fim, fim, "{reason:?}");
        }
        let lost = ler(Err(anyhow::anyhow!("timeout")), 0, 0).expect_err("no page");
        assert_eq!(lost.fim, Fim::Espera(ESPERA_MS));
        let blocked = ler(failure(busy(None, abuse)), 0, 0).expect_err("no page");
        assert_eq!(
            (blocked.ultimo_nsu, blocked.refusal.retry_after_s),
            (42, Some(3_660))
        );
    }
}
