//! What the operations that issue have in common, whatever they issue.

use crate::v1::attachments::Attachments;
use crate::v1::stored::{StoredAnswer, stored};
use axum::body::Bytes;
use axum::http::HeaderMap;
use base::errors::{Code, Failure, Refusal};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::request::list::only;
use gate::request::{body, idempotency};
use issuing::answer::{Record, Registered, registered};
use issuing::issue::contingency::is_announced;
use issuing::issue::{self, KeptForm, NoteOrder, Order};
use issuing::model::Model;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::ids::NotaId;
use store::tables::idempotency::Scope;
use store::tables::notas::{self, NotaRow, NotaStatus};

/// Reads a body; true: members nobody knows are ignored.
pub type Read = fn(Value, bool) -> Result<NoteOrder, Failure>;

/// Creates and issues in one call.
///
/// # Errors
/// As [`issue::issue`].
pub async fn create<A, O>(
    call: Call,
    headers: &HeaderMap,
    bytes: &Bytes,
    model: Model,
    read: Read,
) -> StoredAnswer<A, O> {
    let attachments = Attachments::of(&call, model)?;
    let mut value = body::parse(&call, headers, bytes)?;
    let key = idempotency::key(&call, headers, &mut value)?;
    let request = read(value, call.tolerant)?;
    let answer = Box::pin(run(&call, headers, request, key, None)).await?;
    stored(&call, attachments.add(&call, answer).await?)
}

// A draft that was stored.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Rascunho")]
pub struct Draft<N> {
    #[serde(flatten)]
    nota: N,
    /// Sempre `false`: um rascunho não toma número.
    consumiu_numero_fiscal: bool,
    /// Sempre `false`.
    consumiu_credito: bool,
}

/// What the handler of an operation returns that stores drafts.
pub type Drafted<D> = ApiAnswer<Draft<Registered<D>>>;

/// Stores a draft; of the panel with the texts of its form, of which no note need be made yet.
///
/// # Errors
/// As [`issue::draft`].
pub async fn draft<D: Record>(
    call: Call,
    headers: &HeaderMap,
    bytes: &Bytes,
    read: Read,
) -> Drafted<D> {
    only(&call.query, &[])?;
    let mut value = body::parse(&call, headers, bytes)?;
    let key = idempotency::key(&call, headers, &mut value)?;
    let draft = if call.form {
        let mut form: KeptForm = serde_json::from_value(value)?;
        match form.body.take() {
            Some(body) => {
                let request = read(body, call.tolerant)?;
                let draft = issue::draft(&call.app, call.caller.clone(), request, Some(&form), key);
                Box::pin(draft).await?
            }
            None => issue::unfinished(&call.app, call.caller.clone(), form, key).await?,
        }
    } else {
        let request = read(value, call.tolerant)?;
        Box::pin(issue::draft(
            &call.app,
            call.caller.clone(),
            request,
            None,
            key,
        ))
        .await?
    };
    call.about(&draft.nota.id);
    let told = call.created(Draft {
        nota: registered::<D>(&draft.nota)?,
        consumiu_numero_fiscal: false,
        consumiu_credito: false,
    })?;
    Ok(told.replayed(draft.existing))
}

/// Rascunho a emitir.
// Body of the operations that issue a draft.
#[derive(Deserialize, JsonSchema)]
pub struct EmitirIn {
    /// Id do rascunho.
    nota_id: NotaId,
}

/// Issues a draft; what was issued before is answered again.
///
/// # Errors
/// It is no draft of this model, or as [`issue::issue`].
pub async fn issue_draft<A, O>(
    call: Call,
    headers: &HeaderMap,
    bytes: &Bytes,
    model: Model,
) -> StoredAnswer<A, O> {
    let attachments = Attachments::of(&call, model)?;
    let mut value = body::parse(&call, headers, bytes)?;
    let key = idempotency::key(&call, headers, &mut value)?;
    let body: EmitirIn = body::read(value, call.tolerant)?;
    if let Some(answer) = issue::repeated(&call.app, key.as_ref()).await? {
        call.about(&body.nota_id);
        return stored(&call, attachments.add(&call, answer).await?);
    }
    let mut conn = call.app.db.read().await?;
    let nota = notas::get(&mut conn, &call.caller.account_id, &body.nota_id).await?;
    drop(conn);
    let nota = nota
        .filter(|nota| nota.modelo == model)
        .filter(|nota| nota.ambiente.as_str() != call.caller.unseen());
    let nota = match nota {
        Some(nota) if issue::belongs(&nota, call.caller.kind)? => nota,
        _ => return Err(Refusal::new(Code::NaoEncontrado).into()),
    };
    call.about(&nota.id);
    let answer = match nota.status {
        NotaStatus::Draft if is_announced(&nota) => {
            let order = order(&call, headers, key, Some(nota.clone()))?;
            issue::issue_announced(&call.app, order, nota).await?
        }
        NotaStatus::Draft => {
            let request = NoteOrder::of_draft(&nota)?;
            Box::pin(run(&call, headers, request, key, Some(nota))).await?
        }
        // Emitting what exists answers it again, without a charge.
        NotaStatus::Authorized | NotaStatus::Validated => {
            issue::Answer::of(&nota.id, (200, nota.answer), true)
        }
        NotaStatus::InTransmission | NotaStatus::PendingCity => {
            return Err(Refusal::new(Code::EmTransmissao).nota(nota.id).into());
        }
        _ => {
            return Err(Refusal::new(Code::EstadoInvalido)
                .message(format!(
                    "Uma nota {} não pode ser emitida.",
                    nota.status.in_words()
                ))
                .hint("Monte outra nota com os dados corrigidos.")
                .nota(nota.id)
                .into());
        }
    };
    stored(&call, attachments.add(&call, answer).await?)
}

// Boxed here and wherever a document is issued or kept: the panel calls operations inside its
// handlers, and both futures together overflow a worker's stack without optimization.
/// Issues what was asked for; shared by the operations that issue.
///
/// # Errors
/// As [`issue::issue`].
async fn run(
    call: &Call,
    headers: &HeaderMap,
    request: NoteOrder,
    idempotency: Option<(Scope, String)>,
    draft: Option<NotaRow>,
) -> Result<issue::Answer, Failure> {
    let order = order(call, headers, idempotency, draft)?;
    let answer = issue::issue(&call.app, order, request).await?;
    call.about(&answer.subject);
    Ok(answer)
}

/// How a call wants its document issued.
///
/// # Errors
/// None in practice: the operation has a price.
pub fn order(
    call: &Call,
    headers: &HeaderMap,
    idempotency: Option<(Scope, String)>,
    draft: Option<NotaRow>,
) -> Result<Order, Failure> {
    let respond_async = headers
        .get("prefer")
        .and_then(|value| value.to_str().ok())
        .is_some_and(|prefer| prefer.split(',').any(|one| one.trim() == "respond-async"));
    Ok(Order {
        caller: call.caller.clone(),
        operation: call.operation.operation.clone(),
        price: call.price()?,
        idempotency,
        draft,
        keep: false,
        respond_async,
        sole_reference: call.sole_reference,
    })
}

/// Takes the named members out of a body, so that each part gets its own
/// exact check; null counts as absent.
///
/// # Errors
/// 400: the body is no object.
pub fn split(mut value: Value, names: &[&str]) -> Result<(Map<String, Value>, Value), Failure> {
    let Some(members) = value.as_object_mut() else {
        return Err(body::no_object().into());
    };
    let mut taken = Map::new();
    for name in names {
        if let Some(value) = members.remove(*name)
            && !value.is_null()
        {
            taken.insert((*name).to_owned(), value);
        }
    }
    Ok((taken, value))
}

/// JSON Schema of a body whose parts are read apart.
pub fn joined_schema(mut control: Value, content: &Value, title: &str) -> Value {
    let Some(members) = control.as_object_mut() else {
        return control;
    };
    for part in ["properties", "$defs"] {
        let target = members
            .entry(part)
            .or_insert_with(|| Value::Object(Map::new()));
        if let Some(target) = target.as_object_mut() {
            target.extend(content[part].as_object().cloned().unwrap_or_default());
        }
    }
    if let Some(required) = content.get("required") {
        members.insert("required".to_owned(), required.clone());
    }
    members.insert("title".to_owned(), title.into());
    if let Some(properties) = members.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert(
            "idempotency_key".to_owned(),
            serde_json::json!({ "type": ["string", "null"], "minLength": 1, "maxLength": 255 }),
        );
    }
    control
}
