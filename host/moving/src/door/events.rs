//! What is done to a note, and voiding numbers.

use super::Door;
use super::ask::{ask, company, note};
use super::entry::{Call, INVALID, members, missing_member, only, open};
use super::files::{event_links, void_link};
use super::out::Out;
use crate::answers::{
    About, Answer, Asked, Links, Rejection, Told, cancelled, corrected, refusal, voided,
};
use crate::kind::Kind;
use crate::names::{EMAILS, VOID};
use crate::orders::cnpj_of;
use api::inside::Reply;
use axum::extract::Request;
use axum::http::Method;
use base::errors::Failure;
use serde_json::{Map, Value, json};
use store::DbError;
use store::ids::EventoId;
use store::tables::eventos;
use store::tables::notas::{NotaRow, Via};

/// Their documentation: addresses of one call.
const MAILS: usize = 10;

/// DELETE of a note: cancels it.
pub(super) async fn cancel(
    door: &Door,
    kind: Kind,
    reference: &str,
    request: Request,
) -> Result<Out, Out> {
    let mut call = open(door, kind, request, &[&format!("{}.cancelar", kind.own())]).await?;
    only(door, &call, &["justificativa"])?;
    // A DELETE of some clients has no body: theirs reads either.
    if let Some(reason) = call.query.get("justificativa") {
        let given = call.body.entry("justificativa");
        given.or_insert_with(|| reason.as_str().into());
    }
    members(door, &call, &["justificativa"], &[])?;
    let nota = note(door, &call, kind, reference).await?;
    let mut body = json!({ "ref": nota.id, "justificativa": call.body["justificativa"] });
    if !kind.is_product() {
        body["codigo_motivo"] = reason(&nota).into();
    }
    let path = format!("/api/v1/{}/cancelar", kind.own());
    let reply = ask(door, &call, kind, Method::POST, &path, Some(&body)).await?;
    let outcome = outcome(Asked::plain(kind), &reply)?;
    let links = links_of(door, &call, kind, &nota, outcome.as_ref().ok()).await?;
    let answer = cancelled(kind, outcome.as_ref(), links.xml);
    Ok(Out::of(&reply, answer))
}

/// Their cancellation of a service note gives a sentence and no code. The layout of the
/// cities has no code for "others": an error in the note is what is said there.
fn reason(nota: &NotaRow) -> &'static str {
    match nota.via {
        Via::Municipal => "erro_emissao",
        Via::Nacional | Via::Gateway | Via::Sefaz => "outros",
    }
}

/// POST of a correction letter.
pub(super) async fn correct(door: &Door, reference: &str, request: Request) -> Result<Out, Out> {
    let kind = Kind::Nfe;
    let call = open(door, kind, request, &["nfe.cce"]).await?;
    only(door, &call, &[])?;
    members(door, &call, &["correcao"], &[])?;
    let nota = note(door, &call, kind, reference).await?;
    let body = json!({ "ref": nota.id, "correcao": call.body["correcao"] });
    let path = "/api/v1/nfe/cce";
    let reply = ask(door, &call, kind, Method::POST, path, Some(&body)).await?;
    let outcome = outcome(Asked::plain(kind), &reply)?;
    let links = links_of(door, &call, kind, &nota, outcome.as_ref().ok()).await?;
    Ok(Out::of(&reply, corrected(outcome.as_ref(), links)))
}

/// What an operation on a note came to.
///
/// # Errors
/// It was refused by other than the authority.
fn outcome(asked: Asked, reply: &Reply) -> Result<Result<Value, Rejection>, Out> {
    let answer = reply.json();
    if reply.ok() {
        return Ok(Ok(answer));
    }
    match refusal(asked, reply.status, &answer) {
        Told::Answer(refused) => Err(Out::of(reply, refused)),
        Told::Rejected(rejection) => Ok(Err(rejection)),
    }
}

/// Paths of the event that an answer is about, once its document is there.
async fn links_of(
    door: &Door,
    call: &Call,
    kind: Kind,
    nota: &NotaRow,
    answer: Option<&Value>,
) -> Result<Links, Out> {
    let id = answer.and_then(|answer| answer["evento_id"].as_str());
    let Some(id) = id else {
        return Ok(Links::default());
    };
    let failed = |error: DbError| Out::failed(door, kind, Failure::from(error));
    let mut conn = door.app.db.read().await.map_err(failed)?;
    let kept = eventos::with_xml(&mut conn, call.account(), &nota.id).await;
    if !kept.map_err(failed)?.iter().any(|kept| kept.as_str() == id) {
        return Ok(Links::default());
    }
    let event = eventos::by_id(&mut conn, &EventoId::from(id)).await;
    let event = event.map_err(failed)?;
    Ok(event.map_or_else(Links::default, |event| event_links(door, &event, nota)))
}

/// POST of addresses that get the note by mail.
pub(super) async fn mail(
    door: &Door,
    kind: Kind,
    reference: &str,
    request: Request,
) -> Result<Out, Out> {
    let call = open(door, kind, request, &["documentos.email"]).await?;
    only(door, &call, &[])?;
    members(door, &call, &["emails"], &[])?;
    let emails = call.body["emails"].as_array();
    if emails.is_none_or(|emails| emails.is_empty() || emails.len() > MAILS) {
        return Err(Out::error(
            door,
            400,
            INVALID,
            "O parâmetro \"emails\" é uma lista de 1 a 10 endereços.",
        ));
    }
    let nota = note(door, &call, kind, reference).await?;
    let path = format!("/api/v1/documentos/{}/email", nota.id);
    let body = json!({ "para": call.body["emails"] });
    let reply = ask(door, &call, kind, Method::POST, &path, Some(&body)).await?;
    let asked = Asked {
        rows: EMAILS,
        ..Asked::plain(kind)
    };
    match outcome(asked, &reply)? {
        Ok(_) => {
            let answer = json!({
                "mensagem": "Os e-mails estão na fila.", "emails": call.body["emails"],
            });
            Ok(Out::of(&reply, Answer::new(200, answer)))
        }
        Err(rejection) => Err(Out::error(door, 422, &rejection.code, &rejection.reason)),
    }
}

/// POST of a range of numbers that no note has.
pub(super) async fn void(door: &Door, kind: Kind, request: Request) -> Result<Out, Out> {
    const NUMBERS: [&str; 3] = ["serie", "numero_inicial", "numero_final"];
    let call = open(
        door,
        kind,
        request,
        &[&format!("{}.inutilizar", kind.own())],
    )
    .await?;
    only(door, &call, &[])?;
    let required = [
        "cnpj",
        "serie",
        "numero_inicial",
        "numero_final",
        "justificativa",
    ];
    members(door, &call, &required, &[])?;
    let cnpj = cnpj_of(&call.body["cnpj"]).ok_or_else(|| missing_member(door, "cnpj"))?;
    let company = company(door, &call, kind, &cnpj).await?;
    let mut body = Map::new();
    for name in NUMBERS {
        let number = whole(&call.body[name]).ok_or_else(|| {
            let message = format!("O parâmetro \"{name}\" é um número inteiro.");
            Out::error(door, 400, INVALID, &message)
        })?;
        body.insert(name.to_owned(), number.into());
    }
    body.insert(
        "justificativa".to_owned(),
        call.body["justificativa"].clone(),
    );
    body.insert("emitente_id".to_owned(), company.id.to_string().into());
    let body = Value::Object(body);
    let path = format!("/api/v1/{}/inutilizar", kind.own());
    let reply = ask(door, &call, kind, Method::POST, &path, Some(&body)).await?;
    let asked = Asked {
        about: About::Numbers,
        rows: VOID,
        ..Asked::plain(kind)
    };
    let outcome = outcome(asked, &reply)?;
    let answer = outcome.as_ref().ok();
    let void = answer.filter(|answer| answer["faixa"]["status"] == "inutilizada");
    let event = void.and_then(|answer| answer["evento_id"].as_str());
    let xml = event.map(|event| void_link(door, &EventoId::from(event)));
    Ok(Out::of(
        &reply,
        voided(kind, &cnpj, &body, outcome.as_ref(), xml),
    ))
}

/// A whole number, or its text.
fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_u64(),
    }
}
