//! A call that came: its key, its query, its body.

use super::Door;
use super::out::Out;
use crate::answers::{Answer, unreadable};
use crate::kind::Kind;
use crate::orders::Fault;
use accounts::opening::unseen;
use axum::body::to_bytes;
use axum::extract::{Query, Request};
use axum::http::{HeaderMap, HeaderValue, Uri, header};
use base::errors::{Code, Failure, Refusal};
use base::operations;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate::call::line::Who;
use gate::call::whole;
use gate::caller::entry::{let_in, permitted};
use gate::person::LetIn;
use gate::request::body::parse_text;
use gate::server::Peer;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use store::ids::AccountId;
use store::words::KeyKind;

/// Code of a request that lacks something or has too much.
pub(super) const INVALID: &str = "requisicao_invalida";
/// The operation that a consultation is made of.
pub(super) const CONSULT: &str = "documentos.get";

/// A call that was let in.
pub(super) struct Call {
    pub let_in: LetIn,
    pub query: BTreeMap<String, String>,
    pub body: Map<String, Value>,
}

impl Call {
    pub(super) fn account(&self) -> &AccountId {
        &self.let_in.known.account.id
    }

    /// Whether the key is one for tests.
    pub(super) fn is_test(&self) -> bool {
        self.let_in.known.key.kind == KeyKind::Test
    }

    /// The environment whose documents the key does not see.
    pub(super) fn unseen(&self) -> &'static str {
        unseen(self.is_test())
    }
}

/// Lets a call in and reads it whole. A call without a body has an empty one.
///
/// # Errors
/// Its key is not good or may not call one of the operations `asked`, it comes too often,
/// or it cannot be read.
pub(super) async fn open(
    door: &Door,
    kind: Kind,
    request: Request,
    asked: &[&str],
) -> Result<Call, Out> {
    let failed = |failure: Failure| Out::failed(door, kind, failure);
    let let_in = admitted(door, Knock::of(&request)).await.map_err(failed)?;
    // Before anything else is said: what a note is, is not for a key that may not ask.
    for name in asked {
        let operation = operations::get(name)
            .ok_or_else(|| failed(anyhow::anyhow!("no operation {name}").into()))?;
        permitted(operation, &let_in.known).map_err(failed)?;
    }
    let query = query(door, request.uri())?;
    let limit = door.app.config.limits.json_bytes;
    let request = whole(Some(limit), request).await.map_err(failed)?;
    let bytes = to_bytes(request.into_body(), limit).await;
    let bytes = bytes.map_err(|_| failed(Refusal::new(Code::RequisicaoIncompleta).into()))?;
    let body = if bytes.is_empty() {
        Value::Object(Map::new())
    } else {
        parse_text(&bytes).map_err(failed)?
    };
    let Value::Object(body) = body else {
        let answer = unreadable("O corpo deve ser um objeto JSON.");
        return Err(Out::own(door, answer));
    };
    Ok(Call {
        let_in,
        query,
        body,
    })
}

/// Who calls, as far as the request says it. The request itself cannot be shared between
/// threads.
pub(super) struct Knock {
    headers: HeaderMap,
    peer: Option<Peer>,
    /// For the line of the request in the log.
    who: Who,
}

impl Knock {
    pub(super) fn of(request: &Request) -> Knock {
        Knock {
            headers: request.headers().clone(),
            peer: request.extensions().get::<Peer>().copied(),
            who: Who::of(request.extensions()),
        }
    }

    pub(super) fn has_key(&self) -> bool {
        self.headers.contains_key(header::AUTHORIZATION) || self.headers.contains_key("x-api-key")
    }
}

/// Finds the key of a call: the user name of HTTP Basic, as they ask for it, or any way
/// of ours.
///
/// # Errors
/// As every call with a key.
pub(super) async fn admitted(door: &Door, knock: Knock) -> Result<LetIn, Failure> {
    let Knock {
        mut headers,
        peer,
        who,
    } = knock;
    if let Some(key) = basic(&headers)? {
        let bearer = HeaderValue::from_str(&format!("Bearer {key}"));
        let bearer = bearer.map_err(|_| Refusal::new(Code::ChaveInvalida))?;
        headers.insert(header::AUTHORIZATION, bearer);
    }
    let found = let_in(&door.app, &headers, peer).await;
    if let Ok(let_in) = &found {
        who.is(&let_in.known);
    }
    found.map_err(|failure| match failure {
        Failure::Refused(refusal) if refusal.code == Code::NaoAutenticado => refusal
            .hint("Envie a chave de API como usuário de HTTP Basic, com a senha em branco.")
            .into(),
        other => other,
    })
}

/// The user name of HTTP Basic; None where the call has another form.
fn basic(headers: &HeaderMap) -> Result<Option<String>, Failure> {
    let value = headers.get(header::AUTHORIZATION);
    let Some(value) = value.and_then(|value| value.to_str().ok()) else {
        return Ok(None);
    };
    let (scheme, rest) = value.split_once(' ').unwrap_or((value, ""));
    if !scheme.eq_ignore_ascii_case("basic") {
        return Ok(None);
    }
    let decoded = STANDARD.decode(rest.trim()).ok();
    let text = decoded.and_then(|bytes| String::from_utf8(bytes).ok());
    let text = text.ok_or_else(|| Refusal::new(Code::ChaveInvalida))?;
    // A password says nothing here: theirs is empty.
    let key = text.split_once(':').map_or(text.as_str(), |(user, _)| user);
    Ok(Some(key.to_owned()))
}

/// The query; a key in it is refused, because addresses are written to logs on the way.
fn query(door: &Door, uri: &Uri) -> Result<BTreeMap<String, String>, Out> {
    let wrong = |message: &str| Out::error(door, 400, INVALID, message);
    let read = Query::<Vec<(String, String)>>::try_from_uri(uri);
    let Ok(Query(pairs)) = read else {
        return Err(wrong("A query não pode ser lida."));
    };
    // What was not UTF-8 has become this sign, whatever it was.
    if pairs
        .iter()
        .any(|(name, value)| name.contains('\u{fffd}') || value.contains('\u{fffd}'))
    {
        return Err(wrong("A query deve estar em UTF-8."));
    }
    let count = pairs.len();
    let query: BTreeMap<String, String> = pairs.into_iter().collect();
    if query.len() < count {
        return Err(wrong("Um parâmetro veio mais de uma vez."));
    }
    if query.contains_key("token") {
        return Err(Out::error(
            door,
            400,
            INVALID,
            "A chave não vai no endereço: envie-a como usuário de HTTP Basic, com a senha em branco.",
        ));
    }
    Ok(query)
}

/// Refuses parameters that nobody knows.
pub(super) fn only(door: &Door, call: &Call, known: &[&str]) -> Result<(), Out> {
    let unknown = call
        .query
        .keys()
        .find(|name| !known.contains(&name.as_str()));
    match unknown {
        None => Ok(()),
        Some(name) => Err(Out::error(
            door,
            400,
            INVALID,
            &format!("O parâmetro \"{name}\" não é aceito aqui."),
        )),
    }
}

/// Refuses a body with other members than these, or without one of the first.
pub(super) fn members(
    door: &Door,
    call: &Call,
    required: &[&str],
    optional: &[&str],
) -> Result<(), Out> {
    let missing = required.iter().find(|name| {
        let value = call.body.get(**name);
        value.is_none_or(|value| value.is_null() || value.as_str() == Some(""))
    });
    if let Some(name) = missing {
        return Err(missing_member(door, name));
    }
    let known = |name: &str| required.contains(&name) || optional.contains(&name);
    let faults: Vec<Fault> = call
        .body
        .iter()
        .filter(|(name, value)| !known(name) && !value.is_null())
        .map(|(name, _)| Fault {
            field: name.clone(),
            message: "O campo não pode ser enviado por este hub.".to_owned(),
        })
        .collect();
    if faults.is_empty() {
        Ok(())
    } else {
        Err(invalid(door, &faults))
    }
}

/// The refusal of a body without a member.
pub(super) fn missing_member(door: &Door, name: &str) -> Out {
    let message = format!("Falta o parâmetro \"{name}\".");
    Out::error(door, 400, INVALID, &message)
}

/// The refusal of members by their names.
pub(super) fn invalid(door: &Door, faults: &[Fault]) -> Out {
    let message = match faults {
        [one] => format!("{}: {}", one.field, one.message),
        many => format!("O pedido tem {} campos a corrigir.", many.len()),
    };
    Out::own(door, Answer::faults(400, INVALID, &message, faults))
}
