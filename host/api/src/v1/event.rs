//! Requests of events, whatever the model.

use crate::v1::product;
use crate::v1::stored::{StoredAnswer, stored};
use anyhow::Context as _;
use axum::body::Bytes;
use axum::http::HeaderMap;
use base::errors::{Failure, Refusal};
use fiscal::nfe::event::{Kind, cancelamento, cancellation_by_replacement};
use freight::event::{Described, cancel_cte, cancel_mdfe};
use gate::Call;
use gate::request::{body, idempotency};
use issuing::actions::event::{Record, permitted, registrar};
use issuing::actions::query;
use issuing::actions::void::{self, NumberRange};
use issuing::model::Model;
use markup::field::Field;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use store::ids::EmitterId;
use store::tables::eventos::EventKind;
use store::tables::idempotency::Scope;
use store::tables::notas::NotaRow;

/// Cancelamento de uma nota.
#[derive(Deserialize, JsonSchema)]
pub struct CancelarIn {
    /// nota_id ou chave da nota.
    r#ref: String,
    /// 15 a 255 caracteres.
    justificativa: String,
    /// Só NFC-e: chave de acesso da nota que substitui esta (evento 110112).
    #[serde(default)]
    chave_substituta: Option<String>,
}

/// Nota a consultar.
#[derive(Deserialize, JsonSchema)]
pub struct StatusIn {
    /// nota_id ou chave da nota.
    pub r#ref: String,
}

/// Faixa de números a inutilizar.
#[derive(Deserialize, JsonSchema)]
pub struct InutilizarIn {
    /// Ausente: o emitente padrão da conta.
    #[serde(default)]
    emitente_id: Option<EmitterId>,
    /// Dois dígitos; ausente: este ano.
    #[serde(default)]
    #[schemars(range(min = 6, max = 99))]
    ano: Option<u8>,
    /// 0 a 999.
    serie: u16,
    numero_inicial: u32,
    /// No máximo 1000 números.
    numero_final: u32,
    /// 15 a 255 caracteres.
    justificativa: String,
}

/// Body and key of a request.
///
/// # Errors
/// 400 with the path of what is wrong.
pub fn read<T: DeserializeOwned>(
    call: &Call,
    headers: &HeaderMap,
    bytes: &Bytes,
) -> Result<(T, Option<(Scope, String)>), Failure> {
    let mut value = body::parse(call, headers, bytes)?;
    let key = idempotency::key(call, headers, &mut value)?;
    Ok((body::read(value, call.tolerant)?, key))
}

/// Cancels a note.
///
/// # Errors
/// As [`registrar`].
pub async fn cancel<A, O>(
    call: Call,
    headers: &HeaderMap,
    bytes: &Bytes,
    model: Model,
) -> StoredAnswer<A, O> {
    let (body, key): (CancelarIn, _) = read(&call, headers, bytes)?;
    let nota = product::nota(&call, &body.r#ref, model).await?;
    // What was not authorized has no protocol: its state is told, not a field that
    // no request has.
    permitted(EventKind::Cancelamento, &nota, key.is_some())?;
    let justification = body.justificativa.trim();
    let described = match (model, body.chave_substituta.as_deref()) {
        (Model::Nfce, Some(chave)) => {
            cancellation_by_replacement(&nota.protocolo, justification, chave)
        }
        (Model::Cte, _) => Some(described(cancel_cte(&nota.protocolo, justification))?),
        (Model::Mdfe, _) => Some(described(cancel_mdfe(&nota.protocolo, justification))?),
        _ => cancelamento(&nota.protocolo, justification),
    };
    let (kind, data) = described.context("event of a cancellation")?;
    let details = json!({ "justificativa": justification });
    let asked = Asked {
        nota,
        kind,
        name: EventKind::Cancelamento,
        data,
        sequence: Some(1),
        seen: None,
        details,
        key,
    };
    send(call, asked).await
}

/// An event of a transport document, or what is wrong with it.
///
/// # Errors
/// Everything to correct.
pub fn described(described: Result<Described, Vec<Field>>) -> Result<Described, Failure> {
    let refusal = |fields| Refusal::fields(fields).message("O evento tem pontos a corrigir.");
    Ok(described.map_err(refusal)?)
}

/// Has an event of a transport document registered.
///
/// # Errors
/// As [`registrar`].
pub async fn transport<A, O>(
    call: Call,
    nota: NotaRow,
    (kind, data): Described,
    name: EventKind,
    details: Value,
    key: Option<(Scope, String)>,
) -> StoredAnswer<A, O> {
    let asked = Asked {
        nota,
        kind,
        name,
        data,
        sequence: None,
        seen: None,
        details,
        key,
    };
    send(call, asked).await
}

/// Asks the authority about a product note and repairs our record.
///
/// # Errors
/// As [`query::query`].
pub async fn status<A, O>(
    call: Call,
    headers: &HeaderMap,
    bytes: &Bytes,
    model: Model,
) -> StoredAnswer<A, O> {
    let value = body::parse(&call, headers, bytes)?;
    let body: StatusIn = body::read(value, call.tolerant)?;
    let nota = product::nota(&call, &body.r#ref, model).await?;
    let answer = query::query(&call.app, call.caller.clone(), nota, call.price()?).await?;
    stored(&call, answer)
}

/// An event as an operation understood it.
pub struct Asked {
    pub nota: NotaRow,
    pub kind: &'static Kind,
    pub name: EventKind,
    pub data: Value,
    pub sequence: Option<u32>,
    /// How many registered events the note had when the operation decided;
    /// None: they are counted when the event is made.
    pub seen: Option<i64>,
    pub details: Value,
    pub key: Option<(Scope, String)>,
}

/// Has an event registered.
///
/// # Errors
/// As [`registrar`].
pub async fn send<A, O>(call: Call, asked: Asked) -> StoredAnswer<A, O> {
    let record = Record {
        caller: call.caller.clone(),
        operation: call.operation.operation.clone(),
        price: call.price()?,
        nota: asked.nota,
        kind: asked.kind,
        name: asked.name,
        data: asked.data,
        sequence: asked.sequence,
        seen: asked.seen,
        details: asked.details,
        idempotency: asked.key,
    };
    let answer = registrar(&call.app, record).await?;
    stored(&call, answer)
}

/// Voids a range.
///
/// # Errors
/// As [`inutilizar::inutilizar`].
pub async fn inutilizar<A, O>(
    call: Call,
    headers: &HeaderMap,
    bytes: &Bytes,
    model: Model,
) -> StoredAnswer<A, O> {
    let (body, idempotency): (InutilizarIn, _) = read(&call, headers, bytes)?;
    let range = NumberRange {
        caller: call.caller.clone(),
        model,
        emitter_id: body.emitente_id,
        year: body.ano,
        serie: body.serie,
        first_number: body.numero_inicial,
        last_number: body.numero_final,
        justification: body.justificativa.trim().to_owned(),
        operation: call.operation.operation.clone(),
        price: call.price()?,
        idempotency,
    };
    let answer = void::inutilizar(&call.app, range).await?;
    call.about(&answer.subject);
    stored(&call, answer)
}
