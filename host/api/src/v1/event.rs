//! Requests of events, whatever the model.

use crate::gate::Call;
use crate::request::{body, idempotency};
use crate::v1::product;
use crate::v1::stored::{StoredAnswer, stored};
use anyhow::Context as _;
use axum::body::Bytes;
use axum::http::HeaderMap;
use base::errors::Failure;
use fiscal::nfe::event::{Tipo, cancelamento, cancelamento_por_substituicao};
use issuing::actions::event::{Registro, registrar};
use issuing::actions::query;
use issuing::actions::void::{self, Faixa};
use issuing::model::Modelo;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use store::ids::EmitterId;
use store::tables::eventos::EventoTipo;
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
pub async fn cancelar<A, O>(
    call: Call,
    headers: &HeaderMap,
    bytes: &Bytes,
    modelo: Modelo,
) -> StoredAnswer<A, O> {
    let (body, key): (CancelarIn, _) = read(&call, headers, bytes)?;
    let nota = product::nota(&call, &body.r#ref, modelo).await?;
    let justificativa = body.justificativa.trim();
    let (tipo, dados) = match body.chave_substituta.as_deref() {
        Some(chave) if modelo == Modelo::Nfce => {
            cancelamento_por_substituicao(&nota.protocolo, justificativa, chave)
        }
        _ => cancelamento(&nota.protocolo, justificativa),
    }
    .context("event of a cancellation")?;
    let detalhes = json!({ "justificativa": justificativa });
    let asked = Asked {
        nota,
        tipo,
        nome: EventoTipo::Cancelamento,
        dados,
        sequencia: Some(1),
        vistos: None,
        detalhes,
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
    modelo: Modelo,
) -> StoredAnswer<A, O> {
    let value = body::parse(&call, headers, bytes)?;
    let body: StatusIn = body::read(value, call.tolerant)?;
    let nota = product::nota(&call, &body.r#ref, modelo).await?;
    let answer = query::query(&call.app, call.caller.clone(), nota, call.price()?).await?;
    stored(&call, answer)
}

/// An event as an operation understood it.
pub struct Asked {
    pub nota: NotaRow,
    pub tipo: &'static Tipo,
    pub nome: EventoTipo,
    pub dados: Value,
    pub sequencia: Option<u32>,
    /// How many registered events the note had when the operation decided;
    /// None: they are counted when the event is made.
    pub vistos: Option<i64>,
    pub detalhes: Value,
    pub key: Option<(Scope, String)>,
}

/// Has an event registered.
///
/// # Errors
/// As [`registrar`].
pub async fn send<A, O>(call: Call, asked: Asked) -> StoredAnswer<A, O> {
    let registro = Registro {
        caller: call.caller.clone(),
        operation: call.operation.operation.clone(),
        preco: call.price()?,
        nota: asked.nota,
        tipo: asked.tipo,
        nome: asked.nome,
        dados: asked.dados,
        sequencia: asked.sequencia,
        vistos: asked.vistos,
        detalhes: asked.detalhes,
        idempotency: asked.key,
    };
    let answer = registrar(&call.app, registro).await?;
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
    modelo: Modelo,
) -> StoredAnswer<A, O> {
    let (body, idempotency): (InutilizarIn, _) = read(&call, headers, bytes)?;
    let faixa = Faixa {
        caller: call.caller.clone(),
        modelo,
        emitente_id: body.emitente_id,
        ano: body.ano,
        serie: body.serie,
        numero_inicial: body.numero_inicial,
        numero_final: body.numero_final,
        justificativa: body.justificativa.trim().to_owned(),
        operation: call.operation.operation.clone(),
        preco: call.price()?,
        idempotency,
    };
    let answer = void::inutilizar(&call.app, faixa).await?;
    call.about(&answer.subject);
    stored(&call, answer)
}
