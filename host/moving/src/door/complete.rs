//! What `completa=1` adds to a consultation.

use super::Door;
use super::ask::{ask, registered};
use super::entry::Call;
use super::out::Out;
use crate::answers::{of_cancellation, of_letter, of_note};
use crate::kind::Kind;
use axum::http::Method;
use serde_json::{Map, Value};
use store::tables::eventos::EventKind;
use store::tables::notas::NotaRow;

/// Adds what the authority's documents say to a consultation; nothing where it names none.
pub(super) async fn add(
    door: &Door,
    call: &Call,
    kind: Kind,
    nota: &NotaRow,
    body: &mut Value,
) -> Result<(), Out> {
    let named = |body: &&mut Map<String, Value>| body.contains_key("caminho_xml_nota_fiscal");
    let Some(body) = body.as_object_mut().filter(named) else {
        return Ok(());
    };
    let base = format!("/api/v1/documentos/{}/xml?formato=binario", nota.id);
    if let Some(xml) = file(door, call, kind, &base).await? {
        of_note(&xml, body);
    }
    for event in registered(door, call, kind, nota).await? {
        let path = format!("{base}&evento={}", event.id);
        let add = match event.tipo {
            EventKind::Cancelamento => of_cancellation,
            EventKind::Cce => of_letter,
            _ => continue,
        };
        if let Some(xml) = file(door, call, kind, &path).await? {
            add(&xml, body);
        }
    }
    Ok(())
}

async fn file(door: &Door, call: &Call, kind: Kind, path: &str) -> Result<Option<String>, Out> {
    let reply = ask(door, call, kind, Method::GET, path, None).await?;
    let text = String::from_utf8(reply.bytes.clone()).ok();
    Ok(text.filter(|_| reply.ok()))
}
