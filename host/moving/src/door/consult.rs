//! GET of a note.

use super::Door;
use super::ask::{ask, by_id, company_of, note, registered};
use super::complete;
use super::entry::{CONSULT, Call, INVALID, only, open};
use super::files::{event_links, note_links};
use super::out::Out;
use crate::answers::{Answer, Asked, Events, Told, consulted, refusal};
use crate::kind::Kind;
use api::inside::Reply;
use axum::extract::Request;
use axum::http::Method;
use serde_json::Value;
use store::tables::eventos::EventKind;
use store::tables::notas::NotaRow;

/// Shows a note as it is.
pub(super) async fn consult(
    door: &Door,
    kind: Kind,
    reference: &str,
    request: Request,
) -> Result<Out, Out> {
    let call = open(door, kind, request, &[CONSULT]).await?;
    only(door, &call, &["completa"])?;
    let whole = is_whole(door, &call)?;
    let (reply, body) = shown(door, &call, kind, reference, whole).await?;
    Ok(Out::of(&reply, Answer::new(200, body)))
}

/// Whether `completa=1` asks for all of a note.
///
/// # Errors
/// 400: it is neither 0 nor 1.
pub(super) fn is_whole(door: &Door, call: &Call) -> Result<bool, Out> {
    match call.query.get("completa").map(String::as_str) {
        None | Some("0") => Ok(false),
        Some("1") => Ok(true),
        Some(_) => Err(Out::error(door, 400, INVALID, "completa é 0 ou 1.")),
    }
}

/// What a consultation of the reference shows now, and the answer it is made of.
///
/// # Errors
/// There is no such note, or it cannot be read.
pub(super) async fn shown(
    door: &Door,
    call: &Call,
    kind: Kind,
    reference: &str,
    whole: bool,
) -> Result<(Reply, Value), Out> {
    let nota = note(door, call, kind, reference).await?;
    let reply = record(door, call, kind, &nota).await?;
    // Read after the answer was made: files of a note that the answer says there is are
    // there, also of one that was on its way when it was looked for.
    let nota = by_id(door, call, kind, &nota.id).await?.unwrap_or(nota);
    let cnpj = company_of(door, call, kind, &nota).await?;
    let links = note_links(door, &nota);
    let events = events(door, call, kind, &nota).await?;
    let about = reply.json();
    let mut body = consulted(kind, &cnpj, &nota.referencia, &about, (&links, &events));
    if whole && kind.is_product() {
        complete::add(door, call, kind, &nota, &mut body).await?;
    }
    Ok((reply, body))
}

/// Our answer about a note.
///
/// # Errors
/// It is a refusal, or there is none.
async fn record(door: &Door, call: &Call, kind: Kind, nota: &NotaRow) -> Result<Reply, Out> {
    let path = format!("/api/v1/documentos/{}", nota.id);
    let reply = ask(door, call, kind, Method::GET, &path, None).await?;
    if reply.ok() {
        return Ok(reply);
    }
    let answer = match refusal(Asked::plain(kind), reply.status, &reply.json()) {
        Told::Answer(answer) => answer,
        Told::Rejected(rejection) => {
            Answer::error(reply.status, &rejection.code, &rejection.reason)
        }
    };
    Err(Out::of(&reply, answer))
}

/// What happened to the note after it existed.
async fn events(door: &Door, call: &Call, kind: Kind, nota: &NotaRow) -> Result<Events, Out> {
    let registered = registered(door, call, kind, nota).await?;
    let mut events = Events::default();
    for event in &registered {
        match event.tipo {
            EventKind::Cancelamento => {
                let links = event_links(door, event, nota);
                events.cancellation = links.xml.map(|xml| (xml, event.protocolo.clone()));
            }
            EventKind::Cce => {
                events.letters = event.sequencia;
                events.letter = event_links(door, event, nota);
            }
            _ => {}
        }
    }
    Ok(events)
}
