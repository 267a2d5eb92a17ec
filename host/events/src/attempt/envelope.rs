//! An event as a receiver sees it: the body of a delivery, an item of the feed.

use base::when;
use issuing::model::Modelo;
use serde_json::{Value, json};
use store::tables::outbox::OutboxRow;
use store::{DbResult, stored};

/// The event with its frame. The same row gives the same bytes each time.
///
/// # Errors
/// What happened cannot be read.
pub fn envelope(event: &OutboxRow, base_url: &str) -> DbResult<Value> {
    let payload = stored(&event.payload, "content of an event", &event.id)?;
    Ok(framed(event, payload, base_url))
}

/// What happened, in the frame of its event.
pub fn framed(event: &OutboxRow, payload: Value, base_url: &str) -> Value {
    json!({
        "id": event.id,
        "tipo": event.tipo,
        "versao": "1",
        "criado_em": when::rfc3339(event.created_at_ms),
        "ambiente": some(&event.ambiente),
        "teste": event.teste == 1,
        "conta_id": event.account_id,
        "emitente_id": some(&event.emitter_id),
        "sequencia": (event.sequencia > 0).then_some(event.sequencia),
        "dados": dados(payload, base_url),
    })
}

/// What happened, as a receiver sees it: who is told of a note is told where
/// it is. Examples go through here as well, so that they look like the rest.
pub fn dados(mut payload: Value, base_url: &str) -> Value {
    if let Some(members) = payload.as_object_mut()
        && let Some(nota) = members.get("nota_id").and_then(Value::as_str)
    {
        let at = format!("{base_url}/api/v1/documentos/{nota}");
        let mut links = json!({ "documento": at, "xml": format!("{at}/xml") });
        // Only product notes have a DANFE.
        if nota.starts_with(Modelo::Nfse.prefixo()) {
            let pdf = format!("{base_url}/api/v1/nfse/{nota}/documento?formato=pdf");
            links["pdf"] = pdf.into();
        } else {
            links["danfe"] = format!("{at}/danfe").into();
        }
        members.insert("links".to_owned(), links);
    }
    payload
}

fn some(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}
