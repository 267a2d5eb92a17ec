//! POST /api/v1/nfse: validate, sign, transmit and answer in one call.

use crate::api::gate::Call;
use crate::api::openapi::Docs;
use crate::api::{Built, body, idempotency, stored};
use crate::errors::{Code, Failure, Refusal};
use crate::issuing::issue::{self, Ordem, Pedido};
use crate::issuing::perfil::ViaPedida;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::on;
use fiscal::nfse::dps::Conteudo;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

pub fn built() -> Built {
    Built {
        operation: "nfse.create",
        route: |method| on(method, create),
        docs: Docs::new("Emite uma NFS-e: valida, assina, transmite e responde.")
            .body(schema())
            .idempotent()
            .answers(&[
                (200, "Nota validada e simulada (chave de teste)."),
                (201, "Nota autorizada."),
                (202, "Ainda sem resultado, ou na fila da prefeitura."),
            ]),
    }
}

/// Body of the request besides the content of the note.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Controle {
    /// The customer's own id, unique per emitter, without time limit.
    pub referencia: Option<String>,
    /// Absent: the default emitter.
    pub emitente_id: Option<String>,
    pub via: ViaPedida,
    /// Day the service was rendered; absent: today.
    pub data_competencia: Option<String>,
    /// Absent: now.
    pub data_emissao: Option<String>,
    /// Absent: the fiscal profile's.
    pub serie_rps: Option<String>,
}

const CONTROL: [&str; 6] = [
    "referencia",
    "emitente_id",
    "via",
    "data_competencia",
    "data_emissao",
    "serie_rps",
];

/// JSON Schema of the whole body.
pub fn schema() -> Value {
    let mut control = schemars::schema_for!(Controle).to_value();
    let content = schemars::schema_for!(Conteudo).to_value();
    for part in ["properties", "$defs"] {
        let merged = content[part].as_object().cloned().unwrap_or_default();
        if let Some(members) = control.as_object_mut() {
            let target = members
                .entry(part)
                .or_insert_with(|| Value::Object(Map::new()));
            if let Some(target) = target.as_object_mut() {
                target.extend(merged);
            }
        }
    }
    if let Some(members) = control.as_object_mut() {
        members.insert("required".to_owned(), content["required"].clone());
        members.insert("title".to_owned(), "NfseIn".into());
        if let Some(properties) = members.get_mut("properties").and_then(Value::as_object_mut) {
            properties.insert(
                "idempotency_key".to_owned(),
                serde_json::json!({ "type": ["string", "null"], "minLength": 1, "maxLength": 255 }),
            );
        }
    }
    control
}

/// Reads the body: control fields apart from the content, so that each gets
/// its own exact check.
///
/// # Errors
/// 400 with unknown fields or the path of a wrong type.
pub fn read(mut value: Value, tolerant: bool) -> Result<Pedido, Failure> {
    let Some(members) = value.as_object_mut() else {
        return Err(Refusal::new(Code::JsonInvalido)
            .message("O corpo deve ser um objeto JSON.")
            .into());
    };
    let mut control = Map::new();
    for name in CONTROL {
        if let Some(value) = members.remove(name)
            && !value.is_null()
        {
            control.insert(name.to_owned(), value);
        }
    }
    let control: Controle = body::read(Value::Object(control), tolerant)?;
    body::without_nulls(&mut value);
    let conteudo: Conteudo = body::read(value, tolerant)?;
    Ok(Pedido {
        referencia: control.referencia,
        emitente_id: control.emitente_id,
        via: control.via,
        data_competencia: control.data_competencia,
        data_emissao: control.data_emissao,
        serie_rps: control.serie_rps,
        conteudo,
    })
}

async fn create(call: Call, headers: HeaderMap, bytes: Bytes) -> Result<Response, Failure> {
    let mut value = body::parse(&call, &headers, &bytes)?;
    let key = idempotency::key(&call, &headers, &mut value)?;
    let pedido = read(value, call.tolerant)?;
    run(call, &headers, pedido, key, None).await
}

/// Issues what was asked for; shared by the operations that issue.
///
/// # Errors
/// As `issue`.
pub async fn run(
    call: Call,
    headers: &HeaderMap,
    pedido: Pedido,
    idempotency: Option<(crate::db::idempotency::Scope, String)>,
    draft: Option<crate::db::notas::NotaRow>,
) -> Result<Response, Failure> {
    let respond_async = headers
        .get("prefer")
        .and_then(|value| value.to_str().ok())
        .is_some_and(|prefer| prefer.split(',').any(|one| one.trim() == "respond-async"));
    let ordem = Ordem {
        caller: call.caller.clone(),
        pedido,
        operation: call.operation.operation.clone(),
        preco: call.price()?,
        idempotency,
        draft,
        respond_async,
    };
    let answer = issue::issue(&call.app, ordem).await?;
    if let Ok(Value::Object(members)) = serde_json::from_str(&answer.1)
        && let Some(id) = members.get("nota_id").and_then(Value::as_str)
    {
        call.about(id);
    }
    Ok(stored(answer))
}
