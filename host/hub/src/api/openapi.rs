//! The OpenAPI document, made of the operations table and what each built
//! operation says about itself.

use super::arquivo::Kind;
use super::list::limit_schema;
use crate::errors::Code;
use crate::operations;
use crate::scopes::{self, Access};
use serde_json::{Map, Value, json};

/// What an operation adds to its row of the table.
#[derive(Clone, Debug)]
pub struct Docs {
    summary: &'static str,
    body: Option<Value>,
    query: Vec<(&'static str, &'static str, Value)>,
    answers: Vec<(u16, &'static str)>,
    idempotent: bool,
    headers: Vec<(&'static str, &'static str, Value)>,
    form: Option<Value>,
    files: &'static [&'static str],
    takes_file: bool,
    bytes: bool,
}

impl Docs {
    /// `summary` is read by customers: pt-BR.
    pub fn new(summary: &'static str) -> Docs {
        Docs {
            summary,
            body: None,
            query: Vec::new(),
            answers: vec![(200, "Sucesso.")],
            idempotent: false,
            headers: Vec::new(),
            form: None,
            files: &[],
            takes_file: false,
            bytes: false,
        }
    }

    /// JSON Schema of the request body.
    #[must_use]
    pub fn body(mut self, schema: Value) -> Docs {
        self.body = Some(schema);
        self
    }

    /// Takes no members; a body may be left out.
    #[must_use]
    pub fn no_members(self) -> Docs {
        self.body(json!({ "title": "Nada", "type": "object", "additionalProperties": false }))
    }

    /// The body is a file, bare or in base64: it may be larger than JSON.
    #[must_use]
    pub fn file(mut self, kind: &Kind, title: &str) -> Docs {
        self.takes_file = true;
        self.body(kind.schema(title))
    }

    /// The body is bytes of any kind, which the operation reads as they come.
    #[must_use]
    pub fn bytes(mut self) -> Docs {
        self.bytes = true;
        self
    }

    /// Was it said with `bytes`?
    pub fn takes_bytes(&self) -> bool {
        self.bytes
    }

    /// Was it said with `file`?
    pub fn takes_file(&self) -> bool {
        self.takes_file
    }

    /// A query parameter: name, meaning, schema.
    #[must_use]
    pub fn query(mut self, name: &'static str, meaning: &'static str, schema: Value) -> Docs {
        self.query.push((name, meaning, schema));
        self
    }

    /// The two parameters of every listing (`api::list::page`).
    #[must_use]
    pub fn paged(self) -> Docs {
        let limit = json!({ "type": "integer", "minimum": 1, "maximum": 100 });
        let cursor = json!({ "type": "string", "minLength": 1 });
        self.query("limite", "Itens por página.", limit)
            .query("cursor", "Página seguinte.", cursor)
    }

    /// The period of a listing (`api::list::period`).
    #[must_use]
    pub fn period(self) -> Docs {
        let (de, ate) = (limit_schema(), limit_schema());
        self.query(
            "de",
            "Chegadas ao hub a partir deste dia de Brasília, ou deste momento (RFC 3339).",
            de,
        )
        .query(
            "ate",
            "Até este dia de Brasília, ou até este momento (RFC 3339).",
            ate,
        )
    }

    /// JSON Schema of the same request as `multipart/form-data`.
    #[must_use]
    pub fn form(mut self, schema: Value) -> Docs {
        self.form = Some(schema);
        self
    }

    /// A header the operation reads: name, meaning, schema.
    #[must_use]
    pub fn header(mut self, name: &'static str, meaning: &'static str, schema: Value) -> Docs {
        self.headers.push((name, meaning, schema));
        self
    }

    /// Media types of the file an answer may be, besides JSON.
    #[must_use]
    pub fn files(mut self, media: &'static [&'static str]) -> Docs {
        self.files = media;
        self
    }

    /// Success statuses, instead of 200.
    #[must_use]
    pub fn answers(mut self, answers: &[(u16, &'static str)]) -> Docs {
        self.answers = answers.to_vec();
        self
    }

    /// Takes `Idempotency-Key`.
    #[must_use]
    pub fn idempotent(mut self) -> Docs {
        self.idempotent = true;
        self
    }
}

/// Refusals any operation may answer with.
const REFUSALS: [u16; 19] = [
    400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 412, 413, 415, 422, 423, 429, 500, 502, 503,
];

/// The document of what is built.
pub fn document(base_url: &str) -> Value {
    let mut paths = Map::new();
    let mut components = Map::new();
    for one in super::built() {
        let Some(row) = operations::get(one.operation) else {
            continue;
        };
        let mut parameters: Vec<Value> = row
            .path
            .split('/')
            .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
            .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": path_schema(name) }))
            .collect();
        for (name, meaning, schema) in &one.docs.query {
            parameters.push(
                json!({ "name": name, "in": "query", "description": meaning, "schema": schema }),
            );
        }
        for (name, meaning, schema) in &one.docs.headers {
            parameters.push(
                json!({ "name": name, "in": "header", "description": meaning, "schema": schema }),
            );
        }
        if one.docs.idempotent {
            parameters.push(json!({ "name": "Idempotency-Key", "in": "header", "description": "Repetir com a mesma chave devolve o mesmo documento, por 24 h.", "schema": { "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$" } }));
        }
        let mut responses = Map::new();
        for (status, meaning) in &one.docs.answers {
            let mut content = Map::new();
            if *status != 204 {
                content.insert(
                    "application/json".to_owned(),
                    json!({ "schema": { "type": "object" } }),
                );
                content.extend(
                    one.docs
                        .files
                        .iter()
                        .map(|media| ((*media).to_owned(), json!({}))),
                );
            }
            responses.insert(
                status.to_string(),
                json!({ "description": meaning, "content": content }),
            );
        }
        for status in REFUSALS {
            let public = row.auth == "none" && !matches!(status, 400 | 404 | 405 | 410 | 500 | 503);
            if !public {
                responses
                    .entry(status.to_string())
                    .or_insert_with(|| json!({ "$ref": "#/components/responses/Erro" }));
            }
        }
        let mut operation = json!({
            "operationId": row.operation,
            "summary": one.docs.summary,
            "tags": [row.family],
            "parameters": parameters,
            "responses": responses,
            "x-creditos": row.credits,
            "x-cobrado": row.charged_when,
            "x-disponibilidade": row.availability,
            "x-escopo": scopes::access(row).and_then(Access::scope),
        });
        if let Some(members) = operation.as_object_mut() {
            if let Some(schema) = &one.docs.body {
                let schema = hoist(schema.clone(), &row.operation, &mut components);
                let mut content = json!({ "application/json": { "schema": schema } });
                if let (Some(form), Some(content)) = (&one.docs.form, content.as_object_mut()) {
                    content.insert("multipart/form-data".to_owned(), json!({ "schema": form }));
                }
                members.insert(
                    "requestBody".to_owned(),
                    json!({ "required": true, "content": content }),
                );
            }
            if one.docs.bytes {
                members.insert(
                    "requestBody".to_owned(),
                    json!({ "required": true, "content": { "*/*": {} } }),
                );
            }
            if row.auth == "none" {
                members.insert("security".to_owned(), json!([]));
            }
        }
        let path = row.path.replace("{nota_id}", "{ref}");
        let operation = rename_param(operation);
        let item = paths.entry(path).or_insert_with(|| json!({}));
        if let Some(item) = item.as_object_mut() {
            item.insert(row.method.to_lowercase(), operation);
        }
    }
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    json!({
        "openapi": "3.1.0",
        "info": { "title": "hub", "version": env!("CARGO_PKG_VERSION"), "description": "Documentos fiscais brasileiros por uma API JSON pré-paga." },
        "servers": [{ "url": if base_url.is_empty() { "/" } else { base_url } }],
        "security": [{ "chave": [] }, { "par_chave": [], "par_segredo": [] }],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "chave": { "type": "http", "scheme": "bearer" },
                "par_chave": { "type": "apiKey", "in": "header", "name": "X-API-Key" },
                "par_segredo": { "type": "apiKey", "in": "header", "name": "X-API-Secret" },
            },
            "responses": { "Erro": {
                "description": "Recusa com código, dica e campos a corrigir.",
                "headers": { "X-Error-Code": { "schema": { "type": "string" } } },
                "content": { "application/json": { "schema": {
                    "type": "object",
                    "required": ["sucesso", "codigo", "mensagem", "dica", "campos", "consumiu_numero_fiscal", "consumiu_credito", "request_id"],
                    "properties": {
                        "sucesso": { "const": false },
                        "codigo": { "type": "string", "enum": codes },
                        "mensagem": { "type": "string" },
                        "dica": { "type": "string" },
                        "campos": { "type": "array", "items": { "type": "object" } },
                        "consumiu_numero_fiscal": { "type": "boolean" },
                        "consumiu_credito": { "type": "boolean" },
                        "request_id": { "type": "string" },
                    }
                } } }
            } }
        }
    })
}

/// What a parameter of a path may be.
fn path_schema(name: &str) -> Value {
    if name == super::CAMINHO {
        let meaning =
            "Partes separadas por barras, nenhuma vazia, . ou ..; até 512 bytes em UTF-8.";
        return json!({ "type": "string", "minLength": 1, "maxLength": 512, "description": meaning });
    }
    json!({ "type": "string", "minLength": 1, "maxLength": 80, "pattern": "^[A-Za-z0-9_-]+$" })
}

fn rename_param(mut operation: Value) -> Value {
    if let Some(parameters) = operation["parameters"].as_array_mut() {
        for parameter in parameters {
            if parameter["in"] == "path" && parameter["name"] == "nota_id" {
                parameter["name"] = "ref".into();
            }
        }
    }
    operation
}

/// Says what the reader of bodies does: a field nobody knows is refused.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.get("properties").is_some_and(Value::is_object)
                && !members.contains_key("additionalProperties")
            {
                members.insert("additionalProperties".to_owned(), false.into());
            }
            members.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

/// Moves the `$defs` of a schema into the components, under names of their
/// own.
fn hoist(mut schema: Value, operation: &str, components: &mut Map<String, Value>) -> Value {
    let prefix = operation.replace(['.', '-'], "_");
    let text = schema
        .to_string()
        .replace("#/$defs/", &format!("#/components/schemas/{prefix}_"));
    schema = serde_json::from_str(&text).unwrap_or(schema);
    close(&mut schema);
    if let Some(members) = schema.as_object_mut() {
        members.remove("$schema");
        if let Some(Value::Object(defs)) = members.remove("$defs") {
            for (name, definition) in defs {
                components.insert(format!("{prefix}_{name}"), definition);
            }
        }
    }
    schema
}
