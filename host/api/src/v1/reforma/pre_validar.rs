//! POST /api/v1/reforma/eventos/pre-validar: what would refuse an event before
//! it is sent. Free; nothing is signed, sent or stored.

use crate::v1::event::read;
use crate::v1::nfe::reforma::{EventoIn, known};
use crate::v1::product;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::Refusal;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::answer::refusal::RefusedField;
use gate::docs::{Built, Docs};
use issuing::actions::event::{Record, pre_flight};
use issuing::model::Model;
use markup::field::Field;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use store::ids::NotaId;
use store::tables::eventos::EventKind;

pub fn built() -> Built {
    Built {
        operation: "reforma.eventos.pre-validar",
        route: |method| on(method, pre_validar),
        docs: Docs::new("Confere um evento da reforma como POST /api/v1/nfe/eventos-reforma o confere antes de transmitir, sem transmitir, sem certificado e sem cobrar.")
            .body::<EventoIn>()
            .success::<PreValidarOut>(),
    }
}

/// O que o evento tem a corrigir.
#[derive(Serialize, JsonSchema)]
struct PreValidarOut {
    /// Nada a corrigir: o evento seria transmitido.
    valido: bool,
    nota_id: NotaId,
    chave: String,
    tipo_evento: &'static str,
    nome: &'static str,
    /// A sequência com que ele seria transmitido; `null` se não é válido.
    sequencia: Option<u32>,
    erros: Vec<RefusedField>,
}

async fn pre_validar(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<PreValidarOut> {
    let (body, idempotency): (EventoIn, _) = read(&call, &headers, &bytes)?;
    let nota = product::nota(&call, &body.r#ref, Model::Nfe).await?;
    let kind = known(&body.tipo_evento)?;
    let record = Record {
        caller: call.caller.clone(),
        operation: call.operation.operation.clone(),
        price: 0,
        nota,
        kind,
        name: EventKind::Reforma,
        data: Value::Object(body.dados),
        sequence: body.sequencia,
        seen: None,
        details: Value::Null,
        idempotency,
    };
    let verdict = pre_flight(&call.app, &record).await?;
    let errors = verdict.refusal.map(|refusal| told(*refusal));
    call.ok(PreValidarOut {
        valido: errors.is_none(),
        nota_id: record.nota.id,
        chave: record.nota.chave,
        tipo_evento: kind.codigo,
        nome: kind.nome,
        sequencia: verdict.sequence,
        erros: errors.unwrap_or_default(),
    })
}

/// The fields of a refusal; one of the whole event is about its note.
fn told(refusal: Refusal) -> Vec<RefusedField> {
    if !refusal.fields.is_empty() {
        return refusal.fields.into_iter().map(Into::into).collect();
    }
    let entry = refusal.code.entry();
    let field = Field {
        campo: "ref".to_owned(),
        codigo: entry.codigo.to_owned(),
        mensagem: refusal.message.unwrap_or_else(|| entry.message.to_owned()),
        correcao: refusal.hint.unwrap_or_else(|| entry.hint.to_owned()),
        valor: None,
    };
    vec![field.into()]
}
