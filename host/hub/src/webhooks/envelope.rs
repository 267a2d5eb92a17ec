//! An event as a receiver sees it: the body of a delivery, an item of the feed.

use crate::db::outbox::OutboxRow;
use crate::when;
use serde_json::{Value, json};

/// The event with its frame. The same row gives the same bytes each time.
pub fn envelope(event: &OutboxRow, base_url: &str) -> Value {
    let mut dados: Value = serde_json::from_str(&event.payload).unwrap_or_default();
    if let Some(members) = dados.as_object_mut()
        && let Some(nota) = members.get("nota_id").and_then(Value::as_str)
        && event.teste == 0
    {
        let at = format!("{base_url}/api/v1/documentos/{nota}");
        let links =
            json!({ "documento": at, "xml": format!("{at}/xml"), "danfe": format!("{at}/danfe") });
        members.insert("links".to_owned(), links);
    }
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
        "dados": dados,
    })
}

fn some(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}
