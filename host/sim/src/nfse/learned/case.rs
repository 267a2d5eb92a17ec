//! Reads a cassette: its requests, what each answer means, and the facts of its note.

use cassette::{Answer, Case, Input, Means, Request, Response};
use serde_json::Value;

use super::facts::{self, Fact, Facts};
use super::message::Message;
use crate::request::SimRequest;

/// Most steps of a case (the players' limit).
const MAX_STEPS: u32 = 64;

/// Operation of a request, by what it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Op {
    Issue,
    Query,
    QueryBatch,
    Cancel,
    Replace,
    Session,
}

impl Op {
    /// As faults name it.
    pub fn name(self) -> &'static str {
        match self {
            Op::Issue => "emitir",
            Op::Query => "consultar",
            Op::QueryBatch => "consultar_lote",
            Op::Cancel => "cancelar",
            Op::Replace => "substituir",
            Op::Session => "entrar",
        }
    }
}

/// One recorded request with what answered it.
pub(super) struct Exchange {
    pub op: Op,
    /// Whether the meaning of the answer says the operation.
    pub certain: bool,
    pub step: u32,
    pub request: Request,
    pub message: Message,
    /// Absent where nothing is to be learned from the answer.
    pub answer: Option<(Means, Response)>,
}

/// A case.
pub(super) struct Recorded {
    /// Name of the case.
    pub name: String,
    /// The system it is a case of.
    pub city: String,
    /// Ends of the host names of that system; none: any.
    pub hosts: Vec<String>,
    pub facts: Facts,
    /// Values of the input, each as often as it stands there.
    pub inputs: Vec<String>,
    pub exchanges: Vec<Exchange>,
}

/// Reads a case; None where the simulator is not to learn from it.
///
/// # Errors
/// What cannot be read, with the name of the case.
pub(super) fn read(name: &str, case: &Case) -> Result<Option<Recorded>, String> {
    let named = |error: String| format!("{name}: {error}");
    let Some(city) = case.city().map_err(named)? else {
        return Ok(None);
    };
    let hosts = case.hosts().map_err(named)?;
    let input = case.input().map_err(named)?;
    let outcome = case.outcome().map_err(named)?;
    let mut facts = facts::of_case(&input, &outcome);
    let mut exchanges = Vec::new();
    for step in 1..=MAX_STEPS {
        if !case.has_step(step) {
            break;
        }
        let Some((request, body)) = case.recorded(step).map_err(named)? else {
            continue;
        };
        let answer = match case.answer(step).map_err(named)? {
            Answer::Response(response) => response.means.map(|means| (means, response)),
            Answer::NoResponse(_) | Answer::Cancelled => None,
        };
        let message = Message::of(&as_sent(&request, body));
        let queued = exchanges.iter().any(|earlier: &Exchange| {
            matches!(&earlier.answer, Some((Means::Queued, _))) && earlier.op != Op::QueryBatch
        });
        let means = answer.as_ref().map(|(means, _)| *means);
        let told = told(means, &request, &input);
        exchanges.push(Exchange {
            op: told.unwrap_or_else(|| guessed(&request, &input, means, queued)),
            certain: told.is_some(),
            step,
            request,
            message,
            answer,
        });
    }
    if !facts.contains_key(&Fact::Protocol)
        && let Some(protocol) = protocol(&exchanges, &facts)
    {
        facts.insert(Fact::Protocol, protocol);
    }
    // A word says that the batch was taken; it is no protocol.
    let digit = |text: &String| text.bytes().any(|byte| byte.is_ascii_digit());
    facts.retain(|fact, value| *fact != Fact::Protocol || digit(value));
    about_notes(&mut exchanges, &facts);
    let mut inputs = Vec::new();
    values(&input.operation.conteudo, &mut inputs);
    Ok(Some(Recorded {
        name: name.to_owned(),
        city,
        hosts,
        facts,
        inputs,
        exchanges,
    }))
}

/// The request as it would arrive.
fn as_sent(request: &Request, body: Vec<u8>) -> SimRequest {
    let url = request.url.as_deref().unwrap_or_default();
    let of_url = url.split_once("://").map_or("", |(_, rest)| rest);
    let of_url = of_url.find(['/', '?']).and_then(|at| of_url.get(at..));
    let path = request.path.as_deref().or(of_url).unwrap_or_default();
    SimRequest {
        host: String::new(),
        method: request.method.clone(),
        path: path.to_owned(),
        headers: request.headers.clone(),
        body,
        client_cert_der: None,
    }
}

/// The operation that the meaning of an answer tells.
fn told(means: Option<Means>, request: &Request, input: &Input) -> Option<Op> {
    let changes = request.effect != "read-only";
    Some(match means? {
        Means::Session => Op::Session,
        Means::Queued | Means::Duplicate | Means::Issued if changes => {
            if input.operation.nome == "substituir" {
                Op::Replace
            } else {
                Op::Issue
            }
        }
        // A request to cancel may wait for the city, too.
        Means::Issued | Means::Waiting | Means::Ready if !changes => Op::QueryBatch,
        Means::Found | Means::FoundCancelled | Means::NotFound => Op::Query,
        Means::Cancelled | Means::AlreadyCancelled => Op::Cancel,
        _ => return None,
    })
}

/// The operation of a request whose answer tells none: what the case is about.
fn guessed(request: &Request, input: &Input, means: Option<Means>, queued: bool) -> Op {
    let operation = input.operation.nome.as_str();
    if request.effect == "read-only" {
        let batch = queued && means.is_some() || operation == "consultar-lote";
        return if batch { Op::QueryBatch } else { Op::Query };
    }
    match operation {
        "cancelar" => Op::Cancel,
        "substituir" => Op::Replace,
        _ => Op::Issue,
    }
}

/// A question about a batch that names no protocol is one about the note: the
/// system gives none, or none that it asks for.
fn about_notes(exchanges: &mut [Exchange], facts: &Facts) {
    let protocol = facts.get(&Fact::Protocol);
    for exchange in exchanges.iter_mut() {
        let message = &exchange.message;
        let named = protocol
            .is_some_and(|value| !facts::readers(message, Fact::Protocol, value).is_empty());
        if named || exchange.op != Op::QueryBatch {
            continue;
        }
        exchange.op = Op::Query;
        exchange.answer = exchange.answer.take().and_then(|(means, response)| {
            let means = match means {
                Means::Issued => Means::Found,
                // The note is not shown before it is there.
                Means::Waiting => return None,
                other => other,
            };
            Some((means, response))
        });
    }
}

/// A value that the answer to a batch gave and a later request asked about.
fn protocol(exchanges: &[Exchange], facts: &Facts) -> Option<String> {
    let taken = exchanges
        .iter()
        .position(|exchange| matches!(&exchange.answer, Some((Means::Queued, _))))?;
    let (_, response) = exchanges.get(taken)?.answer.as_ref()?;
    let sent = &exchanges.get(taken)?.message;
    let text = super::message::text_of(&response.body);
    let asked = &exchanges.get(taken + 1)?.message;
    let known = |value: &str| {
        sent.leaves.iter().any(|leaf| leaf.value == value) || facts.values().any(|f| f == value)
    };
    let given = super::scan::places(&text)
        .into_iter()
        .map(|place| place.value);
    given
        .filter(|value| value.len() >= 3 && !known(value))
        .find(|value| asked.leaves.iter().any(|leaf| leaf.value == *value))
}

/// Texts and numbers of the input.
fn values(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Number(number) => found.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| values(item, found)),
        Value::Object(members) => members.values().for_each(|member| values(member, found)),
        Value::Null | Value::Bool(_) => {}
    }
}
