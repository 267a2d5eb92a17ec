//! Something that may be done only once, over a line that may break.
//!
//! After the first byte left, "no answer" means "not known". Then the
//! authority is asked, and the very same bytes are sent again only after it
//! said that it has nothing: three times, spread over time; or once, at once,
//! where the authority refuses a second copy by itself ([`Pace`]).

use crate::api::{self, Answer, Denial};
use crate::description::interval_ms;
use crate::transport::protocol;
use sdk::{Failure, Fault, Flow, HttpRequest, Mensagem, Response, TransportFault, TransportKind};

/// Queries after one sending.
const MAX_QUERIES: u32 = 6;
/// Questions of one flow; the host stops at 64, a query asks up to four.
const MAX_STEPS: u32 = 36;
/// Intervals before each query, in units of the option's base (15 s: 15 s,
/// 60 s, 5 min, 30 min, 30 min, 30 min).
const INTERVALS: [u64; 4] = [1, 4, 20, 120];

/// How a doubt is settled.
pub struct Pace {
    /// How often the same document is sent.
    sendings: u32,
    /// Times the authority must say "not here" before it is sent again.
    absences: u32,
    /// Intervals before the first query after each sending, in fifteenths of
    /// the option's base; empty: that of every first query.
    first_waits: &'static [u64],
}

/// A copy was refused because there is one: no other is sent.
const ALREADY_EXISTS: Pace = Pace {
    sendings: 4,
    absences: u32::MAX,
    first_waits: &[],
};

/// Received under a protocol: what comes of it is asked for, and nothing else
/// is sent.
const RECEIVED: Pace = Pace {
    sendings: 1,
    absences: u32::MAX,
    first_waits: &[3],
};

impl Pace {
    /// The authority says that it has the document: that it does not show it
    /// yet is no reason to send another copy.
    fn given(&self, already_exists: bool) -> &Self {
        if already_exists {
            &ALREADY_EXISTS
        } else {
            self
        }
    }
}

/// A late first copy might become a second document.
pub const WITH_PAUSES: Pace = Pace {
    sendings: 3,
    absences: 3,
    first_waits: &[],
};

/// A late first copy makes the second refused: E0014 of the DPS's id.
pub const WITHOUT_PAUSES: Pace = Pace {
    sendings: 4,
    absences: 1,
    first_waits: &[0, 1, 3, 9],
};

/// The search is made at another authority, where a note or an event arrives
/// later: only after an hour of "not here" another copy is sent, and the city
/// knows a DPS and an event by their ids. If it refuses that copy, in words of
/// its own, it may be because it has the first.
pub const FROM_AFAR: Pace = Pace {
    sendings: 2,
    absences: 5,
    first_waits: &[],
};

/// What an answer to the sending says.
pub enum Reading<T> {
    Done(T),
    /// An explicit no.
    Refused(Vec<Mensagem>),
    /// "There is one already": ours, perhaps.
    AlreadyExists(Vec<Mensagem>),
    /// Received under this protocol, or as the note of this key, and not to be
    /// seen yet.
    Received(String),
    /// Refused before it was looked at.
    Limited(Option<u64>),
    Credential(Vec<Mensagem>),
    /// Not known; why, for the trace.
    Doubt(&'static str),
}

impl<T> Reading<T> {
    /// What is read the same way of every sending: the errors, and a receipt.
    /// `lenient` is whether a status of success may be a no, `own` the id of
    /// the DPS that the answer must be about where it names one; None: what
    /// was sent is a cancellation.
    ///
    /// # Errors
    /// What the answer says. `Ok`: an answer in which there may be a document.
    pub fn of(
        response: &Response,
        lenient: bool,
        own: Option<&str>,
        already_exists: &str,
    ) -> Result<Answer, Self> {
        if !response.is_success() {
            return Err(Reading::unsuccessful(response, already_exists));
        }
        let Some(answer) = api::read(response) else {
            return Err(Reading::Doubt("2xx sem JSON"));
        };
        if answer.is_of_another(own) {
            return Err(Reading::Doubt("2xx de outra DPS"));
        }
        // A cancellation in words is neither a receipt nor, whatever stands
        // beside it, a refusal.
        let confirmed = own.is_none() && answer.confirmation.is_some();
        // Received: whatever messages stand beside it, no copy was refused.
        if !(confirmed && answer.errors.is_empty())
            && let Some(text) = answer.receipt(own.is_some())
        {
            return Err(match protocol(text) {
                Some(protocol) => Reading::Received(protocol),
                None => Reading::Doubt("2xx com protocolo ilegivel"),
            });
        }
        if !confirmed && answer.refuses(lenient, already_exists) {
            return Err(Reading::no(answer.errors, already_exists));
        }
        Ok(answer)
    }

    /// An answer that is not a success; `already_exists` is the code of "there is
    /// one already".
    pub fn unsuccessful(response: &Response, already_exists: &str) -> Self {
        match api::denial(response) {
            Denial::Refusal(messages) | Denial::Forbidden(messages) => {
                Reading::no(messages, already_exists)
            }
            Denial::Credential(messages) => Reading::Credential(messages),
            Denial::Limit => Reading::Limited(response.retry_after_ms()),
            Denial::Error5xx => Reading::Doubt("erro 5xx"),
            Denial::Unknown => Reading::Doubt("resposta desconhecida"),
        }
    }

    /// Errors of the authority; `already_exists` as above.
    pub fn no(messages: Vec<Mensagem>, already_exists: &str) -> Self {
        if messages
            .iter()
            .any(|message| message.codigo == already_exists)
        {
            Reading::AlreadyExists(messages)
        } else {
            Reading::Refused(messages)
        }
    }
}

/// What the authority has.
pub enum Search<T> {
    Found(T),
    Absent,
    /// The place is taken by another document: ours does not exist.
    Conflict,
    /// What was received under the protocol was refused.
    Refused(Vec<Mensagem>),
    Unknown,
}

/// What came of a round of queries.
enum Round<T> {
    Found(T),
    Conflict,
    Refused(Vec<Mensagem>),
    /// Said to be absent often enough.
    Absent,
    Exhausted,
}

/// How a sending ended.
pub enum Delivery<T> {
    Done(T),
    /// The only copy was received under this protocol, and nothing more is
    /// known.
    Received(String),
}

/// Sends `request` until it is known what became of it.
///
/// # Errors
/// Refused, not connected, or not known within the flow's bounds (then with
/// may-exist).
pub async fn deliver<T>(
    flow: &Flow,
    pace: &Pace,
    request: HttpRequest,
    read: impl Fn(&Response) -> Reading<T>,
    search: impl AsyncFn(Option<&str>) -> Search<T>,
) -> Result<Delivery<T>, Failure> {
    let mut last = Failure::other("resultado desconhecido");
    for sending in 1..=pace.sendings {
        let first = sending == 1;
        let open = match flow.send(request.clone()).await {
            Ok(response) => match judged(read(&response), &response, first, last) {
                Ok(open) => open,
                Err(end) => return end.map(Delivery::Done),
            },
            Err(Fault::NoResponse(failure)) if first && !failure.maybe_arrived => {
                return Err(not_connected(failure));
            }
            Err(Fault::Cancelled) => {
                return last_word(search(None).await, Fault::Cancelled.into(), None);
            }
            Err(failure) => Open::after(failure.into()),
        };
        last = open.last;
        let already_exists = open.already_exists;
        // A refusal after a doubtful copy, or "there is one already": one
        // look at once tells whether the other copy made it.
        if let Some(mut messages) = open.refusal {
            match search(None).await {
                Search::Found(finding) => return Ok(Delivery::Done(finding)),
                Search::Conflict => {
                    messages.push(conflict());
                    return Err(Failure::rejected(messages));
                }
                // Only this copy was refused, and one look does not tell what
                // becomes of the first: it may wait in a queue, or have
                // arrived where it was not looked for. The hub goes on asking.
                Search::Absent if !already_exists => {
                    return Err(Failure::rejected(messages).maybe_exists());
                }
                // Known to be there but not to be seen yet: in a queue.
                Search::Absent | Search::Refused(_) | Search::Unknown => {
                    last = Failure::other("recusado, mas talvez ja exista")
                }
            }
        }
        let protocol = open.protocol.as_deref();
        // What became of an earlier copy its own protocol would not tell.
        let receipt = protocol.filter(|_| first);
        if flow.cancelled() {
            return unknown(last, receipt);
        }
        let pace = match protocol {
            Some(_) => &RECEIVED,
            None => pace.given(already_exists),
        };
        match ask(flow, pace, sending, open.least_wait, protocol, &search).await {
            Ok(Round::Found(finding)) => return Ok(Delivery::Done(finding)),
            Ok(Round::Conflict) => return Err(Failure::rejected(vec![conflict()])),
            // Only this copy was refused: an earlier one may have made it.
            Ok(Round::Refused(messages)) if first => return Err(Failure::rejected(messages)),
            Ok(Round::Refused(messages)) => {
                return last_word(search(None).await, Failure::rejected(messages), None);
            }
            Ok(Round::Absent) => {}
            Ok(Round::Exhausted) => return unknown(last, receipt),
            Err(failure) => return last_word(search(protocol).await, failure.into(), receipt),
        }
    }
    unknown(last, None)
}

/// What a sending left open.
struct Open {
    /// The end, if nothing more is known.
    last: Failure,
    least_wait: u64,
    refusal: Option<Vec<Mensagem>>,
    already_exists: bool,
    protocol: Option<String>,
}

impl Open {
    fn after(last: Failure) -> Self {
        Open {
            last,
            least_wait: 0,
            refusal: None,
            already_exists: false,
            protocol: None,
        }
    }
}

/// What an answer to a sending leaves open; `last` is what was known before.
///
/// # Errors
/// The end of the flow: done, or refused before any copy was in doubt.
fn judged<T>(
    reading: Reading<T>,
    response: &Response,
    first: bool,
    last: Failure,
) -> Result<Open, Result<T, Failure>> {
    let mut open = Open::after(last);
    match reading {
        Reading::Done(done) => return Err(Ok(done)),
        Reading::Refused(messages) if first => return Err(Err(Failure::rejected(messages))),
        Reading::Credential(messages) if first => {
            return Err(Err(Failure::credentials(messages)));
        }
        Reading::Limited(after) if first => {
            let failure = Failure::unavailable(after, "autoridade limitou os envios");
            return Err(Err(failure));
        }
        Reading::Limited(after) => open.least_wait = after.unwrap_or_default(),
        Reading::Refused(messages) => open.refusal = Some(messages),
        Reading::AlreadyExists(messages) => {
            open.already_exists = true;
            open.refusal = Some(messages);
        }
        Reading::Received(number) => {
            open.last = Failure::other("recebido, resultado desconhecido");
            open.protocol = Some(number);
        }
        Reading::Credential(messages) => open.last = Failure::credentials(messages),
        Reading::Doubt(reason) => {
            open.least_wait = response.retry_after_ms().unwrap_or_default();
            open.last = Failure::unexpected(reason, &response.body);
        }
    }
    Ok(open)
}

/// Asks with growing intervals until something is certain.
async fn ask<T>(
    flow: &Flow,
    pace: &Pace,
    sending: u32,
    least_wait: u64,
    protocol: Option<&str>,
    search: &impl AsyncFn(Option<&str>) -> Search<T>,
) -> Result<Round<T>, Fault> {
    let base = interval_ms(flow.ctx());
    let mut absences = 0;
    for query in 0..MAX_QUERIES {
        if flow.asks() >= MAX_STEPS {
            break;
        }
        let wait = match pace.first_waits.get(sending as usize - 1) {
            Some(fifteenths) if query == 0 => base.saturating_mul(*fifteenths) / 15,
            _ => {
                // The first query without a pause comes before the others.
                let done = query.saturating_sub(u32::from(!pace.first_waits.is_empty()));
                let units = INTERVALS.get(done as usize).or(INTERVALS.last());
                base.saturating_mul(units.copied().unwrap_or(1))
            }
        };
        let wait = wait.max(if query == 0 { least_wait } else { 0 });
        if wait > 0 {
            flow.wait(
                wait,
                "resultado do envio desconhecido: consultar antes de reenviar",
            )
            .await?;
        }
        match search(protocol).await {
            Search::Found(finding) => return Ok(Round::Found(finding)),
            Search::Conflict => return Ok(Round::Conflict),
            Search::Refused(messages) => return Ok(Round::Refused(messages)),
            Search::Absent => absences += 1,
            Search::Unknown if flow.cancelled() => return Err(Fault::Cancelled),
            Search::Unknown => {}
        }
        if absences >= pace.absences {
            return Ok(Round::Absent);
        }
    }
    Ok(Round::Exhausted)
}

/// The end of a flow that was given up: with what the last query found.
/// `receipt` is the protocol of the only copy.
fn last_word<T>(
    search: Search<T>,
    failure: Failure,
    receipt: Option<&str>,
) -> Result<Delivery<T>, Failure> {
    match search {
        Search::Found(finding) => Ok(Delivery::Done(finding)),
        Search::Conflict => Err(Failure::rejected(vec![conflict()])),
        Search::Refused(messages) if receipt.is_some() => Err(Failure::rejected(messages)),
        Search::Refused(messages) => Err(Failure::rejected(messages).maybe_exists()),
        Search::Absent | Search::Unknown => unknown(failure, receipt),
    }
}

/// The end of a flow that does not know: with the protocol of the only copy,
/// so that it can be asked about later.
fn unknown<T>(failure: Failure, receipt: Option<&str>) -> Result<Delivery<T>, Failure> {
    match receipt {
        Some(protocol) => Ok(Delivery::Received(protocol.to_owned())),
        None => Err(failure.maybe_exists()),
    }
}

fn conflict() -> Mensagem {
    Mensagem::new(
        "numero_ja_usado",
        "A autoridade já tem outro documento com esta série e este número.",
    )
}

/// The request did not leave: nothing can exist.
fn not_connected(failure: TransportFault) -> Failure {
    if failure.kind == TransportKind::ClientCertificateRefused {
        return Failure::credentials(vec![Mensagem::new(
            "certificado",
            "A autoridade recusou o certificado na conexão.",
        )]);
    }
    Failure::unavailable(None, &format!("sem conexao: {}", failure.detail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sdk::FailureReason;

    #[test]
    fn receipts_words_and_refusals_beside_each_other() {
        let chave = "<chaveAcesso>41069022251843027000187000000000152326104041424347</chaveAcesso>";
        let protocol = "<protocolo>7</protocolo>";
        let coded = "<m><codigo>E1</codigo><mensagem>d</mensagem></m>";
        let warning = "<m><codigo>A10</codigo><mensagem>d</mensagem></m>";
        let rejected = "<status>Rejeitado</status>";
        let cancelled = "<status>Cancelada</status>";
        // Of a DPS, and of a cancellation.
        for (content, dps, cancellation) in [
            (vec![protocol, coded], "received", "received"),
            (vec![protocol, rejected], "received", "received"),
            (vec![protocol, cancelled], "received", "open"),
            (vec![protocol, cancelled, warning], "received", "open"),
            (vec![protocol, cancelled, coded], "received", "received"),
            (vec![cancelled, coded], "refused", "open"),
            (vec![rejected], "refused", "refused"),
            (vec![coded], "refused", "refused"),
            (vec![chave], "received", "open"),
            (vec![chave, warning], "received", "open"),
            (vec![chave, coded], "open", "open"),
            (vec![chave, rejected], "open", "open"),
            (vec![chave, "<status>Erro</status>"], "open", "open"),
            (vec!["<chaveAcesso>1</chaveAcesso>"], "open", "open"),
        ] {
            let response = Response {
                status: 200,
                headers: Vec::new(),
                body: format!("<r>{}</r>", content.concat()).into_bytes(),
            };
            let said = [Some("DPS1"), None].map(|own| {
                match Reading::<()>::of(&response, true, own, "E0") {
                    Ok(_) => "open",
                    Err(Reading::Received(_)) => "received",
                    Err(Reading::Refused(_)) => "refused",
                    Err(_) => "another",
                }
            });
            assert_eq!(said, [dps, cancellation], "{content:?}");
        }
    }

    #[test]
    fn only_403_depends_on_the_question() {
        let coded = r#"{"erros":[{"codigo":"E1","descricao":"d"}]}"#;
        for (status, body, sending, query) in [
            (400, coded, "refused", "refused"),
            (409, coded, "refused", "refused"),
            (422, coded, "refused", "refused"),
            (401, coded, "credentials", "credentials"),
            (403, coded, "refused", "credentials"),
            (403, r#"{"message":"forbidden"}"#, "unknown", "unknown"),
            (400, "<html>", "unknown", "unknown"),
            (418, coded, "unknown", "unknown"),
            (495, "", "credentials", "credentials"),
            (496, "", "credentials", "credentials"),
            (429, coded, "throttled", "unavailable"),
            (500, coded, "unknown", "unavailable"),
            (503, "", "unknown", "unavailable"),
        ] {
            let response = Response {
                status,
                headers: Vec::new(),
                body: body.as_bytes().to_vec(),
            };
            let sent = match Reading::<()>::unsuccessful(&response, "E0") {
                Reading::Refused(_) => "refused",
                Reading::Credential(_) => "credentials",
                Reading::Limited(_) => "throttled",
                Reading::Doubt(_) => "unknown",
                Reading::Done(()) | Reading::AlreadyExists(_) | Reading::Received(_) => "yes",
            };
            let asked = match api::unanswered(&response).reason {
                FailureReason::Rejected(_) => "refused",
                FailureReason::Credentials(_) => "credentials",
                FailureReason::Unavailable(_) => "unavailable",
                _ => "unknown",
            };
            assert_eq!((sent, asked), (sending, query), "{status} {body}");
        }
    }
}
