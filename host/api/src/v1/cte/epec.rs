//! POST /api/v1/cte/epec: takes a number and announces a CT-e in contingency (event
//! 110113); the CT-e itself is transmitted later (`cte.emitir`).

use super::{Control, in_test, schema};
use crate::v1::issuance::{self, order};
use crate::v1::stored::{StoredAnswer, stored};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::Failure;
use freight::cte::order::Pedido;
use gate::Call;
use gate::docs::{Built, Docs};
use gate::request::list::only;
use gate::request::{body, idempotency};
use issuing::actions::epec::announce;
use issuing::answer::{Cte, RegisteredEvent, TransmittedEvent, WithEvent};
use issuing::issue::transport::{Contingency, TransportOrder};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

pub fn built() -> Built {
    Built {
        operation: "cte.epec",
        route: |method| on(method, epec),
        docs: Docs::new(
            "Emite previamente, em teste, um CT-e em contingência (EPEC) na SEFAZ virtual de contingência. O CT-e fica como rascunho com número e chave; transmita-o, sem mudar nada, com cte.emitir em até 168 horas.",
        )
        .body_of(body_schema)
        .idempotent()
        .success::<WithEvent<Cte, RegisteredEvent>>()
        .success_at::<WithEvent<Cte, TransmittedEvent>>(202)
        .answers(&[(200, "EPEC registrado."), (202, "Ainda sem resultado.")])
        .sends("Location", &[202]),
    }
}

/// Dados do CT-e a emitir previamente, em contingência.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "CteContingencia")]
struct ContingencyIn {
    /// Por que a SEFAZ de origem não pode autorizar: 15 a 255 caracteres.
    justificativa: String,
    /// Desde quando, RFC 3339, até a emissão; ausente: o momento da emissão.
    #[serde(default)]
    iniciada_em: Option<String>,
}

/// Members of the contingency, and those of every CT-e.
const CONTINGENCY: [&str; 2] = ["justificativa", "iniciada_em"];

/// JSON Schema of the body.
fn body_schema() -> Value {
    let contingency = schemars::schema_for!(ContingencyIn).to_value();
    let mut joined = issuance::joined_schema(schema(), &contingency, "CteEpecIn");
    if let Some(description) = contingency.get("description") {
        joined["description"] = description.clone();
    }
    joined
}

/// Reads the body.
///
/// # Errors
/// 400 with unknown fields or the path of a wrong type.
fn read(value: Value, tolerant: bool) -> Result<TransportOrder<Pedido>, Failure> {
    let (contingency, value) = issuance::split(value, &CONTINGENCY)?;
    let contingency: ContingencyIn = body::read(Value::Object(contingency), tolerant)?;
    let (control, value) = issuance::split(value, &super::CONTROL)?;
    let control: Control = body::read(Value::Object(control), tolerant)?;
    let contingency = Contingency {
        since: contingency.iniciada_em,
        reason: contingency.justificativa,
    };
    super::order(control, Some(contingency), value, tolerant)
}

async fn epec(
    call: Call,
    headers: HeaderMap,
    bytes: Bytes,
) -> StoredAnswer<WithEvent<Cte, RegisteredEvent>, WithEvent<Cte, TransmittedEvent>> {
    in_test(&call).await?;
    only(&call.query, &[])?;
    let mut value = body::parse(&call, &headers, &bytes)?;
    let key = idempotency::key(&call, &headers, &mut value)?;
    let request = read(value, call.tolerant)?;
    let order = order(&call, &headers, key, None)?;
    let answer = announce(&call.app, order, request).await?;
    stored(&call, answer)
}
