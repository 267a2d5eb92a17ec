//! Operation "autorizar": one signed document, in a synchronous lot (NF-e,
//! NFC-e) or alone and compressed (CT-e, MDF-e).

use crate::Call;
use crate::answer::cstat::{Class, State};
use crate::answer::protocol::{self, Found};
use crate::answer::{self, Answer};
use crate::content::{self, Authorize};
use crate::family::{Family, NFE};
use crate::ids;
use crate::query::{Queried, absent, number_used};
use crate::request::{documento, message, packed_documento, tp_amb};
use crate::sending::Sent;
use crate::service::Service;
use sdk::{Conteudo, Failure, Flow, Outcome, Situacao, Success};

/// Version of consReciNFe.
const ANSWER_VERSION: &str = "4.00";
/// Waits before each look at a receipt, in units of the first interval
/// (15 s: 15 s, 15 s, 30 s, 1 min, 2 min, 5 min).
const RECEIPT_WAITS: [u64; 6] = [1, 1, 2, 4, 8, 20];
/// Waits before each question after a lost answer. Then the flow ends and
/// the host goes on asking by `consultar`.
const DOUBT_WAITS: [u64; 2] = [1, 4];
/// The same where the authority says that it has the document.
const DUPLICATE_WAITS: [u64; 4] = [1, 2, 4, 8];

/// What an answer says about our document.
enum Reading {
    End(Outcome),
    /// 103: in the queue, under this receipt.
    Receipt(String),
    /// 105.
    Queued,
    /// 204, 205, 218, 609: the key is there, in some state.
    AlreadyExists(State),
    /// 539 and kin: the number belongs to another key.
    OtherChave(State),
    Doubt(Failure),
}

pub async fn authorize(flow: &Flow, content: &Conteudo) -> Outcome {
    let request: Authorize = content::read(content, content::AUTHORIZE)?;
    let call = Call::fresh(flow, request.family()?)?;
    let sending = call.build(Service::Authorization, &carrier(call.family, &request)?)?;
    let reading = match call.send(sending).await? {
        Sent::Answer(received) => match call.open(&received, Service::Authorization) {
            Ok(answer) => read(&answer, &request.chave, tp_amb(flow.ctx())),
            Err(failure) => without_message(failure),
        },
        Sent::Lost(failure) => Reading::Doubt(failure),
    };
    match reading {
        Reading::Receipt(receipt) => call.collect(&request, &receipt).await,
        Reading::Doubt(failure) => call.clarify(&request, failure).await,
        other => call.conclude(&request, other).await,
    }
}

/// The message that carries the document.
///
/// # Errors
/// The host has no document for this call.
fn carrier(family: &Family, request: &Authorize) -> Result<String, Failure> {
    if !family.is_nfe() {
        return packed_documento();
    }
    let nota = documento()?;
    // indSinc=1: mandatory for a lot of one note (NT 2025.001, rejection 452;
    // second-hand).
    Ok(message(family, "enviNFe", &request.versao, |w| {
        w.leaf("idLote", &request.id_lote);
        w.leaf("indSinc", "1");
        w.raw(&nota);
    }))
}

impl Call<'_> {
    async fn conclude(&self, request: &Authorize, reading: Reading) -> Outcome {
        match reading {
            Reading::End(end) => end,
            Reading::AlreadyExists(state) => {
                let refusal = Failure::rejected(vec![state.message()]);
                if let Some(end) = self.look(request).await {
                    return end;
                }
                self.find_out(request, &DUPLICATE_WAITS, refusal).await
            }
            Reading::OtherChave(state) => {
                self.other_chave(&request.chave, &request.chaves_anteriores, &state)
                    .await
            }
            Reading::Doubt(failure) => self.find_out(request, &DOUBT_WAITS, failure).await,
            Reading::Receipt(_) | Reading::Queued => {
                let failure = Failure::other("lote em processamento");
                self.find_out(request, &DOUBT_WAITS, failure).await
            }
        }
    }

    /// Asks for the receipt until the lot was processed. Only NF-e and NFC-e
    /// have receipts; elsewhere the key is asked about.
    async fn collect(&self, request: &Authorize, receipt: &str) -> Outcome {
        let ambiente = tp_amb(self.flow.ctx());
        let question = message(&NFE, "consReciNFe", ANSWER_VERSION, |w| {
            w.leaf("tpAmb", ambiente);
            w.leaf("nRec", receipt);
        });
        let mut last = Failure::other("lote em processamento");
        let there = self.flow.ctx().has_endpoint(Service::Answer.endpoint());
        if there && self.family.is_nfe() {
            for times in RECEIPT_WAITS {
                if !self.wait(times, "lote em processamento na SEFAZ").await {
                    break;
                }
                let answer = match self.ask(Service::Answer, &question).await {
                    Ok(answer) => answer,
                    Err(failure) => {
                        last = failure;
                        continue;
                    }
                };
                match read_receipt(&answer, &request.chave, ambiente) {
                    Reading::Queued | Reading::Receipt(_) => {}
                    reading => return self.conclude(request, reading).await,
                }
            }
        }
        self.find_out(request, &DOUBT_WAITS, last).await
    }

    /// After a sending whose answer says nothing. Where the authority refuses
    /// a second copy by itself, it is asked at once, and that it has none ends
    /// the flow: the host sends the same bytes again.
    async fn clarify(&self, request: &Authorize, last: Failure) -> Outcome {
        if !self.options.refuses_duplicates {
            return self.find_out(request, &DOUBT_WAITS, last).await;
        }
        let mut waits = DOUBT_WAITS.iter();
        loop {
            match self.query(&request.chave).await {
                Queried::Absent(there) => return Ok(absent(&request.chave, there)),
                // Refused again: only people can change that.
                Queried::Unknown(failure)
                    if answer::forbidden(&failure) && answer::forbidden(&last) =>
                {
                    break;
                }
                other => {
                    if let Some(end) = self.certainty(request, other).await {
                        return end;
                    }
                }
            }
            let reason = "resultado do envio desconhecido: consultar a chave";
            let Some(times) = waits.next() else { break };
            if !self.wait(*times, reason).await {
                break;
            }
        }
        Err(last.maybe_exists())
    }

    /// Asks for the key until something is certain, or ends not knowing.
    async fn find_out(&self, request: &Authorize, waits: &[u64], last: Failure) -> Outcome {
        for times in waits {
            let goes_on = self
                .wait(*times, "resultado do envio desconhecido: consultar a chave")
                .await;
            if let Some(end) = self.look(request).await {
                return end;
            }
            if !goes_on {
                break;
            }
        }
        Err(last.maybe_exists())
    }

    /// One look. None: nothing is certain. What was just sent may still be
    /// on its way, so "not there" is not a no.
    async fn look(&self, request: &Authorize) -> Option<Outcome> {
        let queried = self.query(&request.chave).await;
        self.certainty(request, queried).await
    }

    /// What an answer to the question makes certain.
    async fn certainty(&self, request: &Authorize, queried: Queried) -> Option<Outcome> {
        match queried {
            Queried::Found(nota) => Some(Ok((*nota).success())),
            Queried::OtherChave(state) => Some(
                self.other_chave(&request.chave, &request.chaves_anteriores, &state)
                    .await,
            ),
            Queried::Absent(_) | Queried::Unknown(_) => None,
        }
    }
}

/// An answer without the message: a no only where the connection itself was
/// refused or throttled.
fn without_message(failure: Failure) -> Reading {
    if answer::not_looked_at(&failure) {
        Reading::End(Err(failure))
    } else {
        Reading::Doubt(failure)
    }
}

/// retEnviNFe, retCTe, retMDFe.
fn read(answer: &Answer, chave: &str, ambiente: &str) -> Reading {
    let root = answer.root();
    if let Some(reading) = read_protocol(answer, chave, ambiente) {
        return reading;
    }
    let Some(state) = State::of(root) else {
        return Reading::Doubt(Failure::unexpected("resposta sem cStat", answer.text()));
    };
    if state.cstat == "103" {
        let receipt = root
            .text_at("infRec/nRec")
            .filter(|receipt| ids::protocol(receipt));
        return receipt.map_or(Reading::Queued, |receipt| {
            Reading::Receipt(receipt.to_owned())
        });
    }
    // No protocol: the lot itself was refused, and the note with it.
    judge(answer, state)
}

/// retConsReciNFe: without a protocol its state is one of the receipt, never
/// of the document.
fn read_receipt(answer: &Answer, chave: &str, ambiente: &str) -> Reading {
    if let Some(reading) = read_protocol(answer, chave, ambiente) {
        return reading;
    }
    match State::of(answer.root()) {
        Some(state) if state.cstat == "105" => Reading::Queued,
        // Not looked at: the receipt is asked about again.
        Some(state) if matches!(state.class(answer.family), Class::Unavailable(_)) => {
            Reading::Queued
        }
        // The schema of the lot, which an asynchronous authorizer reads late.
        Some(state) if state.cstat == "225" => Reading::End(Err(state.failure(answer))),
        Some(state) => {
            let reason = format!("recibo com cStat {}", state.cstat);
            Reading::Doubt(Failure::unexpected(&reason, answer.text()))
        }
        None => Reading::Doubt(Failure::unexpected(
            "retConsReciNFe sem cStat",
            answer.text(),
        )),
    }
}

/// What the protocol says; None: there is none.
fn read_protocol(answer: &Answer, chave: &str, ambiente: &str) -> Option<Reading> {
    let doubt = |reason| Reading::Doubt(Failure::unexpected(reason, answer.text()));
    let found = match protocol::find(answer.family, answer.root(), chave) {
        Found::Protocol(found) => found,
        Found::OfOther => return Some(doubt("protocolo de outra chave")),
        Found::Nothing => return None,
    };
    let Some(status) = found.status() else {
        return Some(judge(answer, found.state));
    };
    if !found.of_ambiente(ambiente) {
        return Some(doubt("protocolo de outro ambiente"));
    }
    if status == Situacao::Autorizado && found.number().is_none() {
        return Some(doubt("autorizada sem protocolo"));
    }
    let success = Success::new(status)
        .documento(found.documento(answer, chave, status))
        .protocol(found.number().map(str::to_owned))
        .messages(found.notices());
    Some(Reading::End(Ok(success)))
}

/// A state that is no yes.
fn judge(answer: &Answer, state: State) -> Reading {
    let codes = &answer.family.codes;
    match state.cstat.as_str() {
        "105" => Reading::Queued,
        cstat if codes.already_exists.contains(&cstat) => Reading::AlreadyExists(state),
        cstat if codes.other_chave.contains(&cstat) => Reading::OtherChave(state),
        "206" => Reading::End(Err(number_used(
            &state,
            "O número já foi inutilizado: use o próximo.",
        ))),
        _ if state.class(answer.family) == Class::Uncertain => {
            Reading::Doubt(state.failure(answer))
        }
        _ => Reading::End(Err(state.failure(answer))),
    }
}
