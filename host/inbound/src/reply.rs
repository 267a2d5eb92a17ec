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
    /// Those that could be read.
    pub received_documents: Vec<Received>,
    /// What the customer should know of documents that were left out.
    pub notices: Vec<String>,
    /// Last NSU that was looked at; 0: the answer did not say.
    pub last_nsu: i64,
    /// Highest NSU of the company; 0: the answer did not say.
    pub max_nsu: i64,
    /// Something came, and there is more behind it.
    pub has_more: bool,
}

/// No documents: why, and what it costs.
#[derive(Debug)]
pub struct NoDocuments {
    /// What the customer is told.
    pub refusal: Refusal,
    /// When it may be asked again.
    pub end: End,
    /// Where the authority says that the company stands; 0: nothing said.
    pub last_nsu: i64,
    /// Highest NSU of the company; 0: nothing said.
    pub max_nsu: i64,
}

/// Reads an answer; `since` is the NSU that was asked with, `now_ms` the
/// moment in epoch milliseconds.
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
    /// What the answer to a question leads to; `may` tells whether another
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
