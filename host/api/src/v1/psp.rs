//! POST /api/psp/aviso: the payment service provider says that something
//! happened to a charge. The hub does not believe the content; it asks the
//! provider about the charge.

use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Refusal};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::body;
use payments::notice;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

pub fn built() -> Vec<Built> {
    vec![Built {
        operation: "psp.aviso",
        route: |method| on(method, notice),
        docs: Docs::new("Recebe do prestador de pagamento o aviso de que uma cobrança mudou. O hub confere a assinatura e pergunta ao prestador: nada é creditado pelo aviso.")
            .body_of(schema)
            .success::<ReceivedNotice>()
            .refuses(&[401])
            .header(
                "X-Psp-Signature-256",
                "t=<segundos desde 1970>,v1=<HMAC-SHA256 de t.corpo, em hexadecimal>; vale por 300 segundos.",
                json!({ "type": "string" }),
            ),
    }]
}

/// JSON Schema of the body.
fn schema() -> Value {
    json!({
        "type": "object", "required": ["compra_id"], "additionalProperties": true,
        "properties": { "compra_id": { "type": "string", "description": "A compra da cobrança; outros campos são ignorados." } },
    })
}

/// O aviso foi aceito.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AvisoRecebido")]
struct ReceivedNotice {}

async fn notice(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<ReceivedNotice> {
    let offer =
        payments::offered(&call.app).ok_or_else(|| Refusal::new(Code::CompraNaoOferecida))?;
    let mut signatures = headers.get_all(notice::HEADER).iter();
    let signature = signatures.next().and_then(|given| given.to_str().ok());
    let signature = signature.filter(|_| signatures.next().is_none());
    let genuine = notice::genuine(
        &offer.secret,
        signature.unwrap_or_default(),
        &bytes,
        call.app.now_ms(),
    );
    if !genuine {
        return Err(Refusal::new(Code::AssinaturaInvalida).into());
    }
    let value = body::parse(&call, &headers, &bytes)?;
    if !value.is_object() {
        return Err(body::no_object().into());
    }
    let purchase_id = value["compra_id"].as_str().unwrap_or_default();
    call.about(purchase_id);
    payments::notice_received(&call.app, offer, &purchase_id.into()).await?;
    call.ok(ReceivedNotice {})
}
