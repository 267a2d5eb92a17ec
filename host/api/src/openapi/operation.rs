//! One operation of the document.

use super::description::description;
use super::examples::{self, Example};
use super::merge::Moved;
use super::schemas::hoist;
use super::{answers, official, parameters, tag};
use accounts::scopes::{self, Access};
use base::operations::Operation;
use gate::docs::Docs;
use gate::docs::meanings::described;
use serde_json::{Map, Value, json};

/// What the document says of an operation; its `$defs` go to `schemas`, those of its
/// request also to `moved`, and names of its answers to `answers`.
pub(super) fn operation(
    row: &Operation,
    docs: &Docs,
    schemas: &mut Map<String, Value>,
    moved: &mut Moved,
    answers: &mut Vec<String>,
) -> Value {
    let example = examples::example(&row.operation);
    let mut operation = json!({
        "operationId": row.operation,
        "summary": docs.summary,
        "description": description(row, docs),
        "tags": [tag(&row.family)],
        "parameters": parameters::parameters(row, docs, example.as_ref()),
        "responses": answers::responses(row, docs, example.as_ref(), (schemas, answers)),
        "x-creditos": row.credits,
        "x-cobrado": row.charged_when,
        "x-disponibilidade": row.availability,
        "x-escopo": scopes::access(row).and_then(Access::scope),
    });
    if let Some(members) = operation.as_object_mut() {
        if let Some(body) = body(row, docs, example.as_ref(), (schemas, moved)) {
            members.insert("requestBody".to_owned(), body);
        }
        if row.auth == "none" {
            members.insert("security".to_owned(), json!([]));
        }
    }
    operation
}

fn body(
    row: &Operation,
    docs: &Docs,
    example: Option<&Example>,
    schemas: (&mut Map<String, Value>, &mut Moved),
) -> Option<Value> {
    if docs.bytes {
        let bytes = json!({ "schema": { "type": "string", "format": "binary" } });
        return Some(json!({ "required": true, "content": { "*/*": bytes } }));
    }
    let schema = official::named(&row.operation, docs.body_schema()?);
    let schema = hoist(schema, &row.operation, schemas);
    let mut json_body = json!({ "schema": schema });
    if let (Some(members), Some(request)) = (
        json_body.as_object_mut(),
        example.and_then(|example| example.pedido.clone()),
    ) {
        members.insert("example".to_owned(), request);
    }
    let mut content = json!({ "application/json": json_body });
    if let (Some(form), Some(content)) = (&docs.form, content.as_object_mut()) {
        let mut form = json!({ "schema": described(form.clone()) });
        if let (Some(members), Some(shown)) = (
            form.as_object_mut(),
            example.and_then(|example| example.formulario.clone()),
        ) {
            members.insert("example".to_owned(), shown.into());
        }
        content.insert("multipart/form-data".to_owned(), form);
    }
    Some(json!({ "required": true, "content": content }))
}
