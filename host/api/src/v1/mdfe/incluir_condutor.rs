//! POST /api/v1/mdfe/incluir-condutor: a driver is added (event 110114).

use super::released;
use crate::v1::event::{described, read, transport};
use crate::v1::product;
use crate::v1::stored::StoredAnswer;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use freight::event::add_driver;
use gate::Call;
use gate::docs::{Built, Docs};
use issuing::answer::{Mdfe, RegisteredEvent, TransmittedEvent, WithEvent};
use issuing::model::Model;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::tables::eventos::EventKind;

pub fn built() -> Built {
    Built {
        operation: "mdfe.incluir-condutor",
        route: |method| on(method, include),
        docs: Docs::new("Inclui um condutor em um MDF-e autorizado.")
            .body::<IncluirCondutorIn>()
            .idempotent()
            .success::<WithEvent<Mdfe, RegisteredEvent>>()
            .success_at::<WithEvent<Mdfe, TransmittedEvent>>(202)
            .answers(&[(200, "Inclusão registrada."), (202, "Ainda sem resultado.")])
            .sends("Location", &[202]),
    }
}

/// Condutor a incluir.
#[derive(Deserialize, JsonSchema)]
struct IncluirCondutorIn {
    /// nota_id ou chave do MDF-e.
    r#ref: String,
    /// 2 a 60 caracteres.
    nome: String,
    cpf: String,
}

async fn include(
    call: Call,
    headers: HeaderMap,
    bytes: Bytes,
) -> StoredAnswer<WithEvent<Mdfe, RegisteredEvent>, WithEvent<Mdfe, TransmittedEvent>> {
    released(&call).await?;
    let (body, key): (IncluirCondutorIn, _) = read(&call, &headers, &bytes)?;
    let nota = product::nota(&call, &body.r#ref, Model::Mdfe).await?;
    let driver = described(add_driver(&body.nome, &body.cpf))?;
    let details = json!({ "nome": body.nome, "cpf": body.cpf });
    transport(call, nota, driver, EventKind::Driver, details, key).await
}
