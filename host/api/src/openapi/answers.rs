//! Answers of an operation: what it says on success, and the refusals.

use super::examples::Example;
use super::schemas::share;
use super::{errors, headers};
use base::operations::Operation;
use gate::docs::Docs;
use serde_json::{Map, Value, json};

/// All responses of an operation. Schemas of answers become components, so
/// that programs made of the document can name them; `answers` are their names.
pub(super) fn responses(
    row: &Operation,
    docs: &Docs,
    example: Option<&Example>,
    (schemas, answers): (&mut Map<String, Value>, &mut Vec<String>),
) -> Map<String, Value> {
    let mut responses = Map::new();
    for (status, meaning) in &docs.answers {
        let mut content = Map::new();
        let given = example.and_then(|example| example.respostas.get(&status.to_string()));
        if !matches!(status, 204 | 302 | 304) {
            content.extend(
                docs.files
                    .iter()
                    .map(|media| ((*media).to_owned(), json!({}))),
            );
            // An answer that is a file and nothing else has no schema.
            let name = component(&row.operation, *status);
            if let Some(schema) = docs.answer_schema(*status) {
                share(schema, &name, schemas);
                answers.push(name.clone());
                let mut media =
                    json!({ "schema": { "$ref": format!("#/components/schemas/{name}") } });
                if let (Some(media), Some(example)) = (
                    media.as_object_mut(),
                    given.and_then(|given| given.exemplo.clone()),
                ) {
                    media.insert("example".to_owned(), example);
                }
                content.insert("application/json".to_owned(), media);
            }
        }
        let mut response =
            json!({ "description": meaning, "headers": headers::of_answer(row, docs, *status) });
        if let Some(members) = response.as_object_mut().filter(|_| !content.is_empty()) {
            members.insert("content".to_owned(), content.into());
        }
        responses.insert(status.to_string(), response);
    }
    let public = row.auth == "none";
    let refusals = errors::statuses()
        .into_iter()
        .filter(|status| {
            !public || matches!(status, 400 | 404 | 405 | 408 | 410 | 413 | 415 | 500 | 503)
        })
        .filter(|status| *status != 501)
        .chain(docs.refusals.iter().copied());
    for status in refusals {
        responses
            .entry(status.to_string())
            .or_insert_with(|| json!({ "$ref": format!("#/components/responses/Erro{status}") }));
    }
    responses
}

/// Name of the schema of an answer.
fn component(operation: &str, status: u16) -> String {
    format!("{}_{status}", operation.replace(['.', '-'], "_"))
}
