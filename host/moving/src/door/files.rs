//! Paths of XML and prints, and what they open.
//!
//! A path has a signature that is good for some hours, for programs that fetch it
//! without a key; with a key of the account it opens at any time.

use super::Door;
use super::ask::apart;
use super::entry::{Knock, admitted};
use super::out::Out;
use crate::answers::{Asked, Links, Told, refusal};
use crate::kind::Kind;
use accounts::opening::unseen;
use accounts::people::known::Known;
use accounts::scopes::{Scope, Scopes};
use api::inside::Reply;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::{IntoResponse as _, Response};
use base::errors::{Code, Failure, Refusal};
use gate::person::LetIn;
use std::sync::Arc;
use store::ids::{AccountId, EventoId, NotaId};
use store::tables::artifacts;
use store::tables::eventos::{self, EventKind, EventoRow};
use store::tables::notas::{self, NotaRow};
use store::words::{Ambiente, KeyKind};
use vault::link;

/// What signatures of these paths are for.
const PURPOSE: &str = "hub/moving-file/1";
/// Files of an account that may be opened without a key at once, and after how many
/// milliseconds one more, on each node.
const LINKS: i64 = 60;
const LINK_INTERVAL_MS: i64 = 1_000;

/// Paths of a note's XML and print; none of a note that does not exist.
pub(super) fn note_links(door: &Door, nota: &NotaRow) -> Links {
    if !nota.status.exists() {
        return Links::default();
    }
    let name = name(nota);
    let model = if nota.modelo.is_product() {
        "nfe"
    } else {
        "nfse"
    };
    let xml = path(door, &nota.id, "xml", &format!("{name}-{model}"));
    let print = path(door, &nota.id, "pdf", &name);
    Links {
        xml: Some(xml),
        // Theirs is a whole address for service notes.
        print: Some(if nota.modelo.is_product() {
            print
        } else {
            format!("{}{print}", door.app.config.server.base_url)
        }),
    }
}

/// Paths of a registered event's XML, and of the print of a correction letter.
pub(super) fn event_links(door: &Door, event: &EventoRow, nota: &NotaRow) -> Links {
    let name = name(nota);
    let is_letter = event.tipo == EventKind::Cce;
    let ending = if is_letter {
        format!("cce-{:02}", event.sequencia)
    } else {
        "can".to_owned()
    };
    let file = format!("{name}-{ending}");
    Links {
        xml: Some(path(door, &event.id, "xml", &file)),
        print: is_letter.then(|| path(door, &event.id, "pdf", &file)),
    }
}

/// Path of the XML of an event that has no note.
pub(super) fn void_link(door: &Door, event: &EventoId) -> String {
    path(door, event, "xml", &format!("{event}-inu"))
}

fn name(nota: &NotaRow) -> String {
    let names = [nota.chave.as_str(), &nota.numero_nfse, &nota.id];
    let name = names.into_iter().find(|name| !name.is_empty());
    let plain = name.unwrap_or_default().chars();
    plain.filter(char::is_ascii_alphanumeric).collect()
}

fn path(door: &Door, subject: &str, ending: &str, file: &str) -> String {
    let hours = i64::from(door.app.config.moving.link_hours);
    let expires_s = if hours == 0 {
        0
    } else {
        door.app.now_ms() / 1_000 + hours * 3_600
    };
    let signed = signed(subject, ending);
    let signature = link::signature(&door.app.pepper, PURPOSE, &signed, expires_s);
    format!("/v2/arquivos/{subject}/{expires_s}-{signature}/{file}.{ending}")
}

fn signed(subject: &str, ending: &str) -> String {
    format!("{subject}.{ending}")
}

/// Who asks for a file.
enum Visitor {
    Key(LetIn),
    Link,
}

/// Sends a file.
pub(super) async fn open(
    State(door): State<Door>,
    path: Result<Path<(String, String, String)>, PathRejection>,
    request: Request,
) -> Response {
    let Ok(Path((subject, token, name))) = path else {
        return missing(&door).into_response();
    };
    let knock = Knock::of(&request);
    match opened(&door, &subject, &token, &name, knock).await {
        Ok(response) => response,
        Err(out) => out.into_response(),
    }
}

async fn opened(
    door: &Door,
    subject: &str,
    token: &str,
    name: &str,
    knock: Knock,
) -> Result<Response, Out> {
    let failed = |failure: Failure| Out::failed(door, Kind::Nfe, failure);
    let ending = match name.rsplit_once('.') {
        Some((_, ending @ ("xml" | "pdf"))) => ending,
        _ => return Err(missing(door)),
    };
    let visitor = if knock.has_key() {
        Visitor::Key(admitted(door, knock).await.map_err(failed)?)
    } else {
        genuine(door, subject, ending, token)?;
        Visitor::Link
    };
    let reply = reply(door, &visitor, subject, ending).await?;
    Ok(sent(reply, name, ending))
}

fn missing(door: &Door) -> Out {
    Out::error(door, 404, "nao_encontrado", "Arquivo não encontrado.")
}

/// Whether the hub signed the path, and for now.
fn genuine(door: &Door, subject: &str, ending: &str, token: &str) -> Result<(), Out> {
    let parted = token.split_once('-');
    let parted = parted.and_then(|(expires, rest)| Some((expires.parse::<i64>().ok()?, rest)));
    let (expires_s, signature) = parted.ok_or_else(|| missing(door))?;
    let signed = signed(subject, ending);
    if !link::genuine(&door.app.pepper, PURPOSE, &signed, expires_s, signature) {
        return Err(missing(door));
    }
    if door.app.now_ms() / 1_000 >= expires_s {
        let refusal = Refusal::new(Code::LinkExpirado)
            .hint("Consulte a nota de novo, ou envie a chave de API com este endereço.");
        return Err(Out::failed(door, Kind::Nfe, refusal.into()));
    }
    Ok(())
}

/// The file of a note or of an event.
async fn reply(door: &Door, visitor: &Visitor, subject: &str, ending: &str) -> Result<Reply, Out> {
    let failed = |failure: Failure| Out::failed(door, Kind::Nfe, failure);
    let (nota, event) = rows(door, subject).await.map_err(failed)?;
    let account = match (&nota, &event) {
        (_, Some(event)) => event.account_id.clone(),
        (Some(nota), None) => nota.account_id.clone(),
        (None, None) => return Err(missing(door)),
    };
    let Some(nota) = nota else {
        // Voided numbers have no print.
        let Some(event) = event.filter(|_| ending == "xml") else {
            return Err(missing(door));
        };
        let bytes = of_event_alone(door, visitor, &event).await;
        let bytes = bytes.map_err(failed)?.ok_or_else(|| missing(door))?;
        return Ok(Reply {
            status: 200,
            headers: HeaderMap::new(),
            bytes,
        });
    };
    let path = operation(&nota, event.as_ref(), ending);
    let inside = door.inside.clone();
    let (get, headers, body) = (Method::GET, HeaderMap::new(), Vec::new());
    let asked = match visitor {
        Visitor::Key(let_in) => {
            let let_in = let_in.clone();
            apart(async move { inside.ask_as(&let_in, get, &path, headers, body).await }).await
        }
        Visitor::Link => {
            let person = person(door, &account, &nota).await.map_err(failed)?;
            apart(async move { inside.ask(&person, get, &path, headers, body).await }).await
        }
    };
    let reply = asked.map_err(|error| failed(error.into()))?;
    if reply.ok() {
        return Ok(reply);
    }
    match refusal(Asked::plain(Kind::Nfe), reply.status, &reply.json()) {
        Told::Answer(answer) => Err(Out::of(&reply, answer)),
        Told::Rejected(_) => Err(missing(door)),
    }
}

/// The note and the event that an id is of.
async fn rows(door: &Door, subject: &str) -> Result<(Option<NotaRow>, Option<EventoRow>), Failure> {
    // No id has them, and PostgreSQL cannot even compare a NUL.
    if subject.chars().any(char::is_control) {
        return Ok((None, None));
    }
    let mut conn = door.app.db.read().await?;
    if !EventoId::is(subject) {
        let nota = notas::by_id(&mut conn, &NotaId::from(subject)).await?;
        return Ok((nota, None));
    }
    let event = eventos::by_id(&mut conn, &EventoId::from(subject)).await?;
    let nota = match event.as_ref().and_then(|event| event.nota_id.as_ref()) {
        Some(id) => notas::by_id(&mut conn, id).await?,
        None => None,
    };
    Ok((nota, event))
}

/// The operation that has the file.
fn operation(nota: &NotaRow, event: Option<&EventoRow>, ending: &str) -> String {
    let id = &nota.id;
    let of_event = event.map(|event| format!("&evento={}", event.id));
    let of_event = of_event.unwrap_or_default();
    match ending {
        "pdf" if nota.modelo.is_product() => {
            format!("/api/v1/documentos/{id}/danfe?formato=binario{of_event}")
        }
        "pdf" => format!("/api/v1/nfse/{id}/documento?formato=pdf&binario=1"),
        _ => format!("/api/v1/documentos/{id}/xml?formato=binario{of_event}"),
    }
}

/// The document of voided numbers, which no operation has.
async fn of_event_alone(
    door: &Door,
    visitor: &Visitor,
    event: &EventoRow,
) -> Result<Option<Vec<u8>>, Failure> {
    match visitor {
        Visitor::Key(let_in) => {
            let known = &let_in.known;
            let hidden = unseen(known.key.kind == KeyKind::Test);
            let seen = event
                .ambiente
                .as_ref()
                .is_none_or(|it| it.as_str() != hidden);
            if known.account.id != event.account_id || !seen {
                return Ok(None);
            }
            if !known.scopes.has(Scope::Consulta) {
                return Err(Refusal::new(Code::SemPermissao).into());
            }
        }
        Visitor::Link => counted(door, &event.account_id)?,
    }
    let mut conn = door.app.db.read().await?;
    let kept = artifacts::get(&mut conn, &event.account_id, &event.id, "evento").await?;
    Ok(kept.map(|kept| kept.bytes))
}

/// Stands for whoever has a link, who sees what its signer saw.
async fn person(door: &Door, account: &AccountId, nota: &NotaRow) -> Result<Arc<Known>, Failure> {
    counted(door, account)?;
    let kind = match nota.ambiente {
        Ambiente::Simulated => KeyKind::Test,
        Ambiente::Homologacao | Ambiente::Production => KeyKind::Live,
    };
    let scopes: Scopes = [Scope::Consulta].into_iter().collect();
    let mut conn = door.app.db.read().await?;
    let known = Known::person(&mut conn, account, kind, scopes, door.app.now_ms()).await?;
    Ok(Arc::new(known))
}

/// Counts a file that was opened by its path alone. It is no call of the account: who
/// has a path may not keep the account from issuing.
fn counted(door: &Door, account: &AccountId) -> Result<(), Failure> {
    let burst = LINK_INTERVAL_MS * (LINKS - 1);
    let now_ms = door.app.now_ms();
    match door
        .links
        .in_memory(account, LINK_INTERVAL_MS, burst, now_ms)
    {
        Ok(_) => Ok(()),
        Err(_) => Err(Refusal::new(Code::LimiteDeRequisicoes)
            .retry_after(1)
            .into()),
    }
}

fn sent(reply: Reply, name: &str, ending: &str) -> Response {
    let media = match ending {
        "pdf" => "application/pdf",
        _ => "application/xml",
    };
    let mut response = reply.bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
    let plain = name
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
    let disposition = format!("inline; filename=\"{}\"", plain.collect::<String>());
    if let Ok(disposition) = HeaderValue::from_str(&disposition) {
        headers.insert(header::CONTENT_DISPOSITION, disposition);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    let sandbox = HeaderValue::from_static("default-src 'none'; sandbox");
    headers.insert(header::CONTENT_SECURITY_POLICY, sandbox);
    response
}
