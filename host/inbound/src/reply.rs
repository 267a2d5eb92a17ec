//! What an outcome of `distribuicao` means, for the documents and for the
//! next question.

use crate::batch::{self, Received};
use crate::pause::{End, Kind, WAIT_MS, too_early};
use authority::breaker::{ACCESS_REFUSED, UNDUE_USE};
use base::errors::{Code, Refusal};
use flow::contract::{Failure, FailureReason, Mensagem, Outcome, Success};
use issuing::answer;
use issuing::model::Model;
use issuing::settle::{Verdict, Who, failed};
use serde_json::Value;

/// Codes by which the adapter names the NSU that come with a 656.
const LAST_NSU: &str = "ultimo_nsu";
const MAX_NSU: &str = "max_nsu";

/// One answer with its documents.
#[derive(Debug, Default)]
pub struct Page {
    pub received_documents: Vec<Received>,
    /// What the customer should know of documents that were left out.
    pub notices: Vec<String>,
    /// 0: the answer did not say.
    pub last_nsu: i64,
    pub max_nsu: i64,
    /// Something came, and there is more behind it.
    pub has_more: bool,
}

/// No documents: why, and what it costs.
#[derive(Debug)]
pub struct NoDocuments {
    pub refusal: Refusal,
    pub end: End,
    /// Where the authority says that the company stands; 0: nothing said.
    pub last_nsu: i64,
    pub max_nsu: i64,
}

/// Reads an answer; `desde` is the NSU that was asked with.
///
/// # Errors
/// There are no documents in it.
pub fn read(
    outcome: anyhow::Result<Outcome>,
    since: i64,
    now_ms: i64,
) -> Result<Page, Box<NoDocuments>> {
    match outcome {
        Ok(Ok(success)) => Ok(this_page(success, since)),
        Ok(Err(failure)) => Err(Box::new(no_documents(&failure, now_ms))),
        // It may have left: nothing says that it did not arrive.
        Err(error) => {
            tracing::error!(error = %format!("{error:#}"), "distribution without an answer");
            Err(Box::new(lost()))
        }
    }
}

impl Page {
    /// What the answer to a question leads to; `pode` tells whether another
    /// one may follow now.
    pub fn end(&self, kind: Kind, may: bool) -> End {
        match (kind, self.has_more) {
            (Kind::Single, _) => End::Free,
            // 137, or the end of the queue: nothing for an hour.
            (Kind::New, false) => End::Wait(WAIT_MS),
            (Kind::New, true) if may => End::Continues,
            (Kind::New, true) => End::Free,
        }
    }
}

fn this_page(success: Success, since: i64) -> Page {
    let said: Value = success
        .conteudo
        .as_ref()
        .and_then(|content| serde_json::from_str(&content.json).ok())
        .unwrap_or_default();
    let nsu = |name: &str| said[name].as_str().map_or(0, batch::number);
    let (last_nsu, max_nsu) = (nsu(LAST_NSU), nsu(MAX_NSU));
    let mut this_page = Page {
        last_nsu,
        max_nsu,
        // An answer that does not move on is not asked for again.
        has_more: said["cstat"] == "138"
            && last_nsu > since
            && (last_nsu < max_nsu || said["cortada"] == true),
        notices: success.mensagens.into_iter().map(|m| m.texto).collect(),
        ..Page::default()
    };
    for documento in success.documentos {
        let (nsu, kind) = (
            documento.numero.clone().unwrap_or_default(),
            documento.tipo.clone(),
        );
        let readable = documento.xml.is_some();
        match batch::ler_documento(documento) {
            Ok(received) => this_page.received_documents.push(received),
            Err(error) => {
                tracing::warn!(nsu, kind, %error, "document of the distribution left out");
                // The adapter told of those without bytes itself.
                if readable {
                    this_page
                        .notices
                        .push(format!("O documento do NSU {nsu} não pôde ser lido."));
                }
            }
        }
    }
    this_page
}

fn no_documents(failure: &Failure, now_ms: i64) -> NoDocuments {
    let nothing = |refusal, end| NoDocuments {
        refusal,
        end,
        last_nsu: 0,
        max_nsu: 0,
    };
    match &failure.reason {
        FailureReason::Unavailable(reason) if says(&reason.mensagens, UNDUE_USE) => {
            undue_use(&reason.mensagens, now_ms)
        }
        FailureReason::Transport(fault) if fault.maybe_arrived => lost(),
        FailureReason::UnexpectedResponse(_) => lost(),
        FailureReason::Credentials(messages) if says(messages, ACCESS_REFUSED) => lost(),
        FailureReason::Unavailable(reason) => {
            // Not looked at (108, 109, a closed door): only what it asks for.
            let pause = reason.retry_after_ms.map_or(0, |ms| ms.min(3_600_000));
            let end = End::Wait(i64::try_from(pause).unwrap_or(0));
            nothing(unanswered(failure), end)
        }
        // An explicit no is one question all the same, and the next one
        // would be answered alike.
        FailureReason::Rejected(_) => nothing(unanswered(failure), End::Wait(WAIT_MS)),
        // Nothing left.
        FailureReason::Transport(_)
        | FailureReason::InvalidInput(_)
        | FailureReason::NotSupported(_)
        | FailureReason::Credentials(_)
        | FailureReason::Signing(_)
        | FailureReason::Other(_) => nothing(unanswered(failure), End::Free),
    }
}

/// 656, with the NSU to go on from (NT 2014.002 v1.14, second-hand).
fn undue_use(messages: &[Mensagem], now_ms: i64) -> NoDocuments {
    let nsu = |codigo: &str| {
        let found = messages.iter().find(|message| message.codigo == codigo);
        found.map_or(0, |message| batch::number(&message.texto))
    };
    let text = messages.first().map(|message| message.texto.clone());
    let refusal = too_early(now_ms + WAIT_MS, now_ms)
        .message(format!(
            "{} ({UNDUE_USE})",
            text.unwrap_or_default()
        ))
        .hint("Alguém consultou este CNPJ cedo demais, talvez por outro sistema: mantenha um só sistema na distribuição e repita depois do tempo indicado em Retry-After.");
    NoDocuments {
        refusal,
        end: End::Blocked,
        last_nsu: nsu(LAST_NSU),
        max_nsu: nsu(MAX_NSU),
    }
}

fn says(messages: &[Mensagem], codigo: &str) -> bool {
    messages.iter().any(|message| message.codigo == codigo)
}

/// The failure for a lost answer: the authority may have counted the question,
/// so the hub waits as after an answer without documents.
fn lost() -> NoDocuments {
    let seconds = u64::try_from(WAIT_MS / 1_000).unwrap_or(3_660);
    NoDocuments {
        refusal: Refusal::new(Code::SefazIndisponivel)
            .message("A SEFAZ não respondeu à consulta, e pode tê-la contado; nada foi cobrado.")
            .retry_after(seconds),
        end: End::Wait(WAIT_MS),
        last_nsu: 0,
        max_nsu: 0,
    }
}

/// A refusal as the API tells it.
fn unanswered(failure: &Failure) -> Refusal {
    match failed(failure, &Who::sefaz(Model::Nfe)) {
        Verdict::Rejected(mut reasons) => {
            for reason in &mut reasons {
                "Confira a chave ou o NSU, e se a nota é deste CNPJ."
                    .clone_into(&mut reason.correcao);
            }
            answer::refused(Model::Nfe, reasons)
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

    fn message(codigo: &str, text: &str) -> Mensagem {
        Mensagem {
            codigo: codigo.to_owned(),
            texto: text.to_owned(),
            correcao: None,
            campo: None,
        }
    }

    #[test]
    fn the_queue_goes_on_only_while_it_moves() {
        for (json, since, end) in [
            (
                r#"{"cstat":"137","ultimo_nsu":"7","max_nsu":"9"}"#,
                5,
                End::Wait(WAIT_MS),
            ),
            (
                r#"{"cstat":"138","ultimo_nsu":"7","max_nsu":"9"}"#,
                5,
                End::Continues,
            ),
            (
                r#"{"cstat":"138","ultimo_nsu":"9","max_nsu":"9"}"#,
                5,
                End::Wait(WAIT_MS),
            ),
            (
                r#"{"cstat":"138","ultimo_nsu":"9","max_nsu":"9","cortada":true}"#,
                5,
                End::Continues,
            ),
            (
                r#"{"cstat":"138","ultimo_nsu":"5","max_nsu":"9"}"#,
                5,
                End::Wait(WAIT_MS),
            ),
            (r#"{"cstat":"138"}"#, 5, End::Wait(WAIT_MS)),
            ("junk", 5, End::Wait(WAIT_MS)),
        ] {
            let page = read(Ok(success(json)), since, 0).expect("a page");
            assert_eq!(page.end(Kind::New, true), end, "{json}");
            assert_eq!(page.end(Kind::Single, true), End::Free);
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
        let busy = |retry_after_ms, messages| {
            FailureReason::Unavailable(Unavailable {
                retry_after_ms,
                mensagens: messages,
            })
        };
        let abuse = vec![
            message("656", "Consumo indevido"),
            message("ultimo_nsu", "000000000000042"),
        ];
        for (reason, end) in [
            (fault(true), End::Wait(WAIT_MS)),
            (fault(false), End::Free),
            (busy(None, Vec::new()), End::Wait(0)),
            (
                busy(Some(60_000), vec![message("108", "Parado")]),
                End::Wait(60_000),
            ),
            (busy(Some(3_600_000), abuse.clone()), End::Blocked),
            (
                FailureReason::Rejected(vec![message("589", "NSU")]),
                End::Wait(WAIT_MS),
            ),
            (
                FailureReason::UnexpectedResponse("?".to_owned()),
                End::Wait(WAIT_MS),
            ),
        ] {
            let told = read(failure(reason.clone()), 0, 0).expect_err("no page");
            assert_eq!(told.end, end, "{reason:?}");
        }
        let lost = read(Err(anyhow::anyhow!("timeout")), 0, 0).expect_err("no page");
        assert_eq!(lost.end, End::Wait(WAIT_MS));
        let blocked = read(failure(busy(None, abuse)), 0, 0).expect_err("no page");
        assert_eq!(
            (blocked.last_nsu, blocked.refusal.retry_after_s),
            (42, Some(3_660))
        );
    }
}
